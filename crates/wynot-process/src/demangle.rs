//! Function names as programmers write them: demangled, without arguments, results and type arguments.
//!
//! The same function has different names in the symbol table, in the debug information, in the report of a
//! sanitizer and in a debugger. All of them agree on the path and the name, so that is what is kept.

use cpp_demangle::{BorrowedSymbol, DemangleOptions};

/// The plain name of the function that a symbol, mangled or not, stands for.
pub fn function_name(symbol: &str) -> String {
    if symbol.starts_with("_Z") && !has_rust_hash(symbol) {
        let options = DemangleOptions::new().no_params().no_return_type();
        let parsed = BorrowedSymbol::with_tail(symbol.as_bytes());
        if let Ok(name) = parsed.map(|(parsed, _)| parsed.demangle_with_options(&options)) {
            return name.map_or_else(|_| symbol.to_owned(), |name| plain_name(&name));
        }
    }
    match rustc_demangle::try_demangle(symbol) {
        Ok(name) => plain_name(&format!("{name:#}")),
        Err(_) => {
            let name = symbol.split('@').next().unwrap_or(symbol);
            // Compilers number the copies that they make of a function: `get.constprop.0`.
            let unnumbered = name.trim_end_matches(|c: char| c.is_ascii_digit());
            unnumbered.strip_suffix('.').filter(|name| !name.is_empty()).unwrap_or(name).to_owned()
        }
    }
}

/// The C++ class whose table of virtual functions a symbol stands for.
pub fn vtable_class(symbol: &[u8]) -> Option<String> {
    let demangled = BorrowedSymbol::new(symbol).ok()?.demangle().ok()?;
    Some(demangled.strip_prefix("{vtable(")?.strip_suffix(")}")?.to_owned())
}

/// Whether a symbol ends with the hash of Rust's older mangling scheme, which otherwise looks like C++.
fn has_rust_hash(symbol: &str) -> bool {
    let end = symbol.split(".llvm").next().unwrap_or(symbol);
    end.strip_suffix('E').is_some_and(|name| {
        let hash = name.len().checked_sub(19).and_then(|at| name.get(at..));
        hash.and_then(|hash| hash.strip_prefix("17h"))
            .is_some_and(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
    })
}

/// The plain name of a function that was printed with arguments, results or type arguments.
pub fn plain_name(name: &str) -> String {
    let name = name.split(" [clone").next().unwrap_or(name);
    let name = name.split(" [").next().unwrap_or(name);
    let rest = remove_brackets(name);
    let rest = rest.trim().trim_end_matches(" const").trim_end_matches("[abi:cxx11]");
    let word = match rest.find("operator") {
        // The name of an operator may contain blanks: operator new.
        Some(at) => {
            let from = rest[..at].rfind(' ').map_or(0, |blank| blank + 1);
            &rest[from..]
        }
        None if rest.starts_with('<') => rest,
        None => rest.rsplit(' ').next().unwrap_or(rest),
    };
    let word = word.replace('\u{1}', "(anonymous namespace)");
    let hash = word.rfind("::h").filter(|at| {
        word.len() - at == 19 && word[at + 3..].bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    word[..hash.unwrap_or(word.len())].trim_end_matches("::").to_owned()
}

/// Removes everything in parentheses, and in angle brackets that follow a name.
fn remove_brackets(name: &str) -> String {
    let name = name.replace("(anonymous namespace)", "\u{1}").replace("::<", "<");
    let mut kept = String::new();
    let mut depth = 0_usize;
    // Open angle brackets that enclose a type of their own: `<Vec<T> as Index<I>>::index`.
    let mut types = 0_usize;
    let mut rest = name.as_str();
    while let Some(c) = rest.chars().next() {
        let operator = rest.strip_prefix("operator").filter(|_| depth == 0).map(|after| {
            let signs = ["<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "()", "<", ">"];
            signs.iter().find(|sign| after.starts_with(**sign)).map_or(0, |sign| sign.len())
        });
        if let Some(length) = operator {
            let (taken, after) = rest.split_at("operator".len() + length);
            kept.push_str(taken);
            rest = after;
            continue;
        }
        let follows_name = kept.ends_with(|c: char| c.is_alphanumeric() || "_>}\u{1}".contains(c));
        match c {
            '-' if rest.starts_with("->") => {
                rest = &rest[2..];
                continue;
            }
            '<' if depth == 0 && !follows_name => {
                types += 1;
                kept.push(c);
            }
            '>' if depth == 0 && types > 0 => {
                types -= 1;
                kept.push(c);
            }
            '(' | '<' => depth += 1,
            ')' | '>' => depth = depth.saturating_sub(1),
            _ if depth == 0 => kept.push(c),
            _ => {}
        }
        rest = &rest[c.len_utf8()..];
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_reduced_to_path_and_name() {
        assert_eq!(function_name("main"), "main");
        assert_eq!(function_name("get.constprop.0"), "get.constprop");
        assert_eq!(function_name("log10"), "log10");
        assert_eq!(function_name("memcpy@@GLIBC_2.14"), "memcpy");
        assert_eq!(function_name("_ZN2ns1C1fEi"), "ns::C::f");
        assert_eq!(function_name("_Z3addIiET_S0_S0_"), "add");
        assert_eq!(
            function_name("_ZN4core9panicking5panic17h0123456789abcdefE"),
            "core::panicking::panic"
        );
        assert_eq!(function_name("_ZN12_GLOBAL__N_14workEv"), "(anonymous namespace)::work");
        assert_eq!(function_name("_ZlsRSoi"), "operator<<");
        assert_eq!(vtable_class(b"_ZTVN4shop5OrderE").as_deref(), Some("shop::Order"));
        assert_eq!(vtable_class(b"_ZN4shop5OrderEv"), None);
    }

    #[test]
    fn printed_names_are_reduced_to_path_and_name() {
        assert_eq!(
            plain_name("std::vector<int, std::allocator<int> >::operator[](unsigned long)"),
            "std::vector::operator[]"
        );
        assert_eq!(plain_name("int ns::f<int>(int)"), "ns::f");
        assert_eq!(
            plain_name("alloc::vec::Vec<T,A>::push::h0123456789abcdef"),
            "alloc::vec::Vec::push"
        );
        assert_eq!(
            plain_name("<alloc::vec::Vec<T> as core::ops::Index<I>>::index"),
            "<alloc::vec::Vec as core::ops::Index>::index"
        );
        assert_eq!(
            plain_name("core::ops::function::FnOnce::call_once{{vtable.shim}}"),
            "core::ops::function::FnOnce::call_once{{vtable.shim}}"
        );
        assert_eq!(plain_name("operator new(unsigned long)"), "operator new");
        assert_eq!(plain_name("compiler::check::<Item>"), "compiler::check");
        assert_eq!(
            plain_name("(anonymous namespace)::work(int) const"),
            "(anonymous namespace)::work"
        );
    }
}
