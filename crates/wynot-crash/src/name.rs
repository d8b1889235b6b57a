//! Names of functions as people write them: demangled, without arguments, results and type arguments.
//!
//! The same function has a different name in the symbol table, in the debug information, in a sanitizer's
//! report and in a debugger. What they all agree on is the path and the name.

use cpp_demangle::{BorrowedSymbol, DemangleOptions};

/// The plain name of a symbol, mangled or not.
pub fn of_symbol(symbol: &str) -> String {
    if symbol.starts_with("_Z") && !is_rust(symbol) {
        let options = DemangleOptions::new().no_params().no_return_type();
        let parsed = BorrowedSymbol::with_tail(symbol.as_bytes());
        if let Ok(name) = parsed.map(|(parsed, _)| parsed.demangle_with_options(&options)) {
            return name.map_or_else(|_| symbol.to_owned(), |name| plain(&name));
        }
    }
    match rustc_demangle::try_demangle(symbol) {
        Ok(name) => plain(&format!("{name:#}")),
        Err(_) => {
            let name = symbol.split('@').next().unwrap_or(symbol);
            // Compilers number the copies that they make of a function: `get.constprop.0`.
            let unnumbered = name.trim_end_matches(|c: char| c.is_ascii_digit());
            unnumbered.strip_suffix('.').filter(|name| !name.is_empty()).unwrap_or(name).to_owned()
        }
    }
}

/// Whether a symbol of the older Rust scheme, which looks like C++, has the hash that shows it.
fn is_rust(symbol: &str) -> bool {
    let end = symbol.split(".llvm").next().unwrap_or(symbol);
    end.strip_suffix('E').is_some_and(|name| {
        let hash = name.len().checked_sub(19).and_then(|at| name.get(at..));
        hash.and_then(|hash| hash.strip_prefix("17h"))
            .is_some_and(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
    })
}

/// A demangled name without arguments, results and type arguments.
pub fn plain(name: &str) -> String {
    let name = name.split(" [clone").next().unwrap_or(name);
    let name = name.split(" [").next().unwrap_or(name);
    let without = without_brackets(name);
    let without = without.trim().trim_end_matches(" const").trim_end_matches("[abi:cxx11]");
    let word = match without.find("operator") {
        // What is called may have blanks in it: operator new.
        Some(at) => {
            let from = without[..at].rfind(' ').map_or(0, |blank| blank + 1);
            &without[from..]
        }
        None if without.starts_with('<') => without,
        None => without.rsplit(' ').next().unwrap_or(without),
    };
    let word = word.replace('\u{1}', "(anonymous namespace)");
    let hash = word.rfind("::h").filter(|at| {
        word.len() - at == 19 && word[at + 3..].bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    word[..hash.unwrap_or(word.len())].trim_end_matches("::").to_owned()
}

/// Leaves out what is in round brackets, and in angle brackets behind a name.
fn without_brackets(name: &str) -> String {
    let name = name.replace("(anonymous namespace)", "\u{1}").replace("::<", "<");
    let mut kept = String::new();
    let mut depth = 0_usize;
    // Angle brackets that stand for a type of their own: `<Vec<T> as Index<I>>::index`.
    let mut types = 0_usize;
    let mut rest = name.as_str();
    while let Some(c) = rest.chars().next() {
        let operator = rest.strip_prefix("operator").filter(|_| depth == 0).map(|behind| {
            let signs = ["<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "()", "<", ">"];
            signs.iter().find(|sign| behind.starts_with(**sign)).map_or(0, |sign| sign.len())
        });
        if let Some(length) = operator {
            let (taken, behind) = rest.split_at("operator".len() + length);
            kept.push_str(taken);
            rest = behind;
            continue;
        }
        let behind_name = kept.ends_with(|c: char| c.is_alphanumeric() || "_>}\u{1}".contains(c));
        match c {
            '-' if rest.starts_with("->") => {
                rest = &rest[2..];
                continue;
            }
            '<' if depth == 0 && !behind_name => {
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
    fn symbols_lose_what_is_not_their_name() {
        assert_eq!(of_symbol("main"), "main");
        assert_eq!(of_symbol("get.constprop.0"), "get.constprop");
        assert_eq!(of_symbol("log10"), "log10");
        assert_eq!(of_symbol("memcpy@@GLIBC_2.14"), "memcpy");
        assert_eq!(of_symbol("_ZN2ns1C1fEi"), "ns::C::f");
        assert_eq!(of_symbol("_Z3addIiET_S0_S0_"), "add");
        assert_eq!(
            of_symbol("_ZN4core9panicking5panic17h0123456789abcdefE"),
            "core::panicking::panic"
        );
        assert_eq!(of_symbol("_ZN12_GLOBAL__N_14workEv"), "(anonymous namespace)::work");
        assert_eq!(of_symbol("_ZlsRSoi"), "operator<<");
    }

    #[test]
    fn printed_names_lose_it_too() {
        assert_eq!(
            plain("std::vector<int, std::allocator<int> >::operator[](unsigned long)"),
            "std::vector::operator[]"
        );
        assert_eq!(plain("int ns::f<int>(int)"), "ns::f");
        assert_eq!(plain("alloc::vec::Vec<T,A>::push::h0123456789abcdef"), "alloc::vec::Vec::push");
        assert_eq!(
            plain("<alloc::vec::Vec<T> as core::ops::Index<I>>::index"),
            "<alloc::vec::Vec as core::ops::Index>::index"
        );
        assert_eq!(
            plain("core::ops::function::FnOnce::call_once{{vtable.shim}}"),
            "core::ops::function::FnOnce::call_once{{vtable.shim}}"
        );
        assert_eq!(plain("operator new(unsigned long)"), "operator new");
        assert_eq!(plain("compiler::check::<Item>"), "compiler::check");
        assert_eq!(plain("(anonymous namespace)::work(int) const"), "(anonymous namespace)::work");
    }
}
