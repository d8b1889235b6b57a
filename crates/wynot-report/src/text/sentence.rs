//! Words as sentences.

/// Words with a capital letter at their beginning, unless they begin with a name such as `v1.2`.
pub(crate) fn capitalised(words: &str) -> String {
    let is_word = |word: &str| word.chars().all(|c| c.is_alphabetic() || ",:;-'".contains(c));
    let mut chars = words.chars();
    match (words.split_whitespace().next(), chars.next()) {
        (Some(word), Some(first)) if is_word(word) => first.to_uppercase().chain(chars).collect(),
        _ => words.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_as_they_are() {
        assert_eq!(capitalised("the good version fails"), "The good version fails");
        assert_eq!(capitalised("v1.1 passes without it"), "v1.1 passes without it");
        assert_eq!(capitalised(""), "");
    }
}
