//! What programs print about their own end.
//!
//! A sanitizer, a panic or a traceback says more than the signal or exit code that follows, so a report
//! comes before the backtrace of a signal. What depends on the input that is being reduced is left out:
//! addresses, numbers, lines, and names that a message quotes.

use crate::{Crash, panic, sanitizer, stacktrace, traceback};

/// The crash that a text tells of, if it tells of one.
pub fn read(text: &[u8]) -> Option<Crash> {
    // What is not text cannot be part of a report, and most runs print none.
    let telling: [&[u8]; 5] =
        [b"Sanitizer: ", b"runtime error: ", b"panicked at ", b"Traceback (", b"\tat "];
    if !telling.iter().any(|words| contains(text, words)) {
        return None;
    }
    let text = String::from_utf8_lossy(text);
    let lines: Vec<&str> = text.lines().collect();
    let readers =
        [sanitizer::read, panic::read, traceback::read, stacktrace::read, sanitizer::undefined];
    readers.iter().find_map(|read| read(&lines))
}

fn contains(text: &[u8], words: &[u8]) -> bool {
    // The rarest byte first would be faster still; outputs of megabytes are cut anyway.
    let last = words.len() - 1;
    text.len() > last
        && (0..text.len() - last).any(|at| text[at] == words[0] && text[at..].starts_with(words))
}

/// A message without what may differ from input to input: all from the first number or quotation on.
pub(crate) fn stable(message: &str) -> String {
    let end = message.find(|c: char| c.is_ascii_digit() || "'\"`‘“:([{<".contains(c));
    message[..end.unwrap_or(message.len())].trim().to_owned()
}

/// A place in a source file without directories that are of this run only, and without line and column.
pub(crate) fn file(place: &str) -> &str {
    let path = place.trim_end_matches(|c: char| c.is_ascii_digit() || c == ':');
    match path.strip_prefix('/') {
        Some(_) => path.rsplit('/').next().unwrap_or(path),
        None => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_output_is_no_report() {
        assert_eq!(read(b"error: all is lost\n"), None);
        assert_eq!(read(b""), None);
        assert_eq!(read(b"Traceback (but no"), None);
    }

    #[test]
    fn messages_lose_what_may_differ() {
        assert_eq!(stable("index out of bounds: the len is 3"), "index out of bounds");
        assert_eq!(stable("no entry for 'x'"), "no entry for");
        assert_eq!(file("compiler/rustc_abi/src/lib.rs:12:5"), "compiler/rustc_abi/src/lib.rs");
        assert_eq!(file("/home/me/x/src/lib.rs:12:5"), "lib.rs");
    }
}
