//! What programs print about their own crashes, one file per kind of report.
//!
//! The report of a sanitizer, a panic or an exception says more than the signal or exit code that follows, so
//! a report takes precedence over the backtrace of a signal. Everything that depends on the input is left out:
//! addresses, numbers, lines, and names that a message quotes (`normalize`).
//!
//! To support another kind of report, add a file with a function from lines to a [`Crash`], and an entry in
//! `READERS`. Output of [`gdb`] is no report of a program; its reader is here because it parses text, too.

pub mod gdb;
mod java;
mod normalize;
mod python;
mod rust;
mod sanitizer;

use crate::crash::Crash;

/// A function that finds a kind of report among the lines of an output.
type Reader = fn(&[&str]) -> Option<Crash>;

/// The readers in the order of precedence, each with a text that all its reports contain.
const READERS: [(&str, Reader); 5] = [
    ("Sanitizer: ", sanitizer::read),
    ("panicked at ", rust::read),
    ("Traceback (", python::read),
    ("\tat ", java::read),
    ("runtime error: ", sanitizer::read_undefined_behaviour),
];

/// The crash that a program reports in its output, if there is a report.
pub fn read(output: &[u8]) -> Option<Crash> {
    // Most programs print no report. Then nothing has to be decoded.
    if !READERS.iter().any(|(sign, _)| contains(output, sign.as_bytes())) {
        return None;
    }
    let text = String::from_utf8_lossy(output);
    let lines: Vec<&str> = text.lines().collect();
    READERS.iter().find_map(|(_, read)| read(&lines))
}

fn contains(text: &[u8], words: &[u8]) -> bool {
    let last = words.len() - 1;
    text.len() > last
        && (0..text.len() - last).any(|at| text[at] == words[0] && text[at..].starts_with(words))
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
}
