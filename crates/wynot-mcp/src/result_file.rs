//! The file with a result, as far as it is shown.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// The most bytes of a text that is shown whole.
const MAX_WHOLE_BYTES: usize = 2000;

/// How much of a longer text is shown.
const BEGINNING_BYTES: usize = 600;

/// How much is shown of what is no text.
const BINARY_BYTES: usize = 200;

/// The most names of a directory that are shown.
const MAX_NAMES: usize = 20;

/// The contents of a file, or their beginning; the names in a directory. `None` if it cannot be read.
pub fn show_result(path: &Path) -> Option<String> {
    let metadata = fs::metadata(path).ok()?;
    if metadata.is_dir() {
        return show_directory(path).ok();
    }
    // Anything else, such as a pipe, could block.
    if !metadata.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(MAX_WHOLE_BYTES as u64 + 1).read_to_end(&mut bytes).ok()?;
    Some(show_bytes(&bytes))
}

fn show_bytes(bytes: &[u8]) -> String {
    let is_whole = bytes.len() <= MAX_WHOLE_BYTES;
    match std::str::from_utf8(bytes) {
        Ok(text) if is_whole => text.to_owned(),
        // The last character may be cut.
        Err(error) if error.error_len().is_some() || is_whole => {
            let shown = &bytes[..bytes.len().min(BINARY_BYTES)];
            let rest = if shown.len() < bytes.len() { "…" } else { "" };
            format!("(no UTF-8) {}{rest}", shown.escape_ascii())
        }
        _ => {
            let beginning = String::from_utf8_lossy(&bytes[..BEGINNING_BYTES]);
            // Whole lines, unless the first one is too long.
            let lines = beginning.rfind('\n').map_or(&*beginning, |end| &beginning[..end]);
            format!("{lines}\n… (the rest is in the file)")
        }
    }
}

fn show_directory(path: &Path) -> io::Result<String> {
    let entries = fs::read_dir(path)?.collect::<io::Result<Vec<_>>>()?;
    let mut names: Vec<String> =
        entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    let count = names.len();
    names.truncate(MAX_NAMES);
    let rest = if count > MAX_NAMES { ", …" } else { "" };
    Ok(format!("(a directory with {count} entries) {}{rest}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_are_whole_and_long_ones_begin() {
        assert_eq!(show_bytes(b"int a;\n"), "int a;\n");
        let long = show_bytes(&"line é\n".repeat(300).as_bytes()[..2001]);
        assert!(long.starts_with("line é\nline é\n") && long.len() < 700, "{long}");
        assert!(long.ends_with("line é\n… (the rest is in the file)"), "{long}");
    }

    #[test]
    fn what_is_no_text_is_escaped() {
        assert_eq!(show_bytes(b"a\xff\0"), "(no UTF-8) a\\xff\\x00");
        assert!(show_bytes(&[0xff; 2001]).len() < 1000);
    }
}
