//! The texts of operating system errors, and the paths that they are about.

use std::io;
use std::path::Path;

/// The number of characters at each end of a path that messages show.
const PATH_END_CHARACTERS: usize = 120;

/// The text of a system error without its number, starting in lower case.
pub fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    let words = text.split(" (os error").next().unwrap_or(&text);
    let mut characters = words.chars();
    match characters.next() {
        Some(first) => first.to_lowercase().chain(characters).collect(),
        None => text,
    }
}

/// A path for a message; of a very long one, its beginning and its end.
pub fn shown_path(path: &Path) -> String {
    let whole = path.display().to_string();
    let count = whole.chars().count();
    if count <= 2 * PATH_END_CHARACTERS {
        return whole;
    }
    let start: String = whole.chars().take(PATH_END_CHARACTERS).collect();
    let end: String = whole.chars().skip(count - PATH_END_CHARACTERS).collect();
    format!("{start}…{end}")
}
