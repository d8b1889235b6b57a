//! Words as sentences.

/// Words with a capital letter at their beginning.
pub(crate) fn capitalised(words: &str) -> String {
    let mut chars = words.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}", chars.as_str())
}
