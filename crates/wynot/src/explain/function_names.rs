//! Names of functions as people read them: without long lists of the types that a generic function is made for.

/// From how many characters on a list of types is left out.
const LONG_LIST: usize = 16;

/// The name without its long lists of types, which `<…>` stands for.
pub fn readable(name: &str) -> String {
    let mut text = String::new();
    let mut rest = name;
    while let Some(at) = rest.find('<') {
        let (before, list) = rest.split_at(at);
        text.push_str(before);
        let is_operator = text.ends_with("operator") || text.ends_with("operator<");
        rest = match list_length(list).filter(|_| !is_operator) {
            Some(length) if list[..length].chars().count() >= LONG_LIST => {
                text.push_str("<…>");
                &list[length..]
            }
            _ => {
                text.push('<');
                &list[1..]
            }
        };
    }
    text + rest
}

/// The length of a list of types from its `<` to its `>`; `None` if it has no end.
fn list_length(list: &str) -> Option<usize> {
    let mut depth = 0usize;
    let mut last = ' ';
    for (at, c) in list.char_indices() {
        match c {
            '<' => depth += 1,
            // The arrow of a function's type ends no list.
            '>' if last != '-' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
        last = c;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_of_types_are_left_out() {
        for (name, short) in [
            ("main", "main"),
            ("Stack<int>::pop", "Stack<int>::pop"),
            ("std::map<std::string, Node*>::find", "std::map<…>::find"),
            ("fold<Lines, fn(&str) -> ControlFlow<&str, ()>>", "fold<…>"),
            (
                "f<core::option::Option<alloc::string::String>, g<()>>::{closure#0}",
                "f<…>::{closure#0}",
            ),
            ("std::operator<< <std::char_traits<char> >", "std::operator<< <…>"),
            ("operator<", "operator<"),
            ("a < b", "a < b"),
        ] {
            assert_eq!(readable(name), short);
        }
    }
}
