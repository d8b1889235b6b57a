//! What programs print about their own crashes, one file per kind of report.
//!
//! The report of a sanitizer, a panic or an exception says more than the signal or exit code that follows, so
//! a report takes precedence over the backtrace of a signal. Everything that depends on the input is left out:
//! addresses, numbers, lines, and names that a message quotes (`normalize`).
//!
//! To support another kind of report, add a file with a function from lines to a [`Crash`], and an entry in
//! `READERS`. Output of [`gdb`] is no report of a program; its reader is here because it parses text, too.

mod assertion;
mod compiler;
pub mod gdb;
mod go;
mod java;
mod javascript;
mod kernel;
mod normalize;
mod python;
mod rust;
mod sanitizer;
mod text_frame;
mod valgrind;

use crate::crash::Crash;
use crate::variant_files::VariantFiles;
use memchr::memmem;
pub(crate) use normalize::constant_part;

/// A function that finds a kind of report among the lines of an output.
type Reader = fn(&[&str], &VariantFiles) -> Option<Crash>;

/// The readers in the order of precedence, each with a text that all its reports contain.
const READERS: [(&str, Reader); 19] = [
    ("Sanitizer: ", sanitizer::read),
    ("internal compiler error: ", compiler::read_rustc),
    ("internal compiler error: ", compiler::read_go),
    ("internal compiler error: ", compiler::read_gcc),
    ("panicked at ", rust::read),
    ("Assertion", assertion::read),
    ("assertion failed", assertion::read_glib),
    ("Check failed", assertion::read_check),
    ("Stack dump:", compiler::read_llvm),
    ("panic! (the 'impossible' happened)", compiler::read_ghc),
    ("goroutine ", go::read),
    ("Traceback (", python::read),
    ("Fatal Python error: ", python::read_fatal),
    ("\tat ", java::read),
    ("# Problematic frame:", java::read_virtual_machine),
    (" at ", javascript::read),
    ("# Fatal error in", javascript::read_engine),
    ("terminate called", assertion::read_terminate),
    ("RIP: ", kernel::read),
];

/// The readers of reports after which programs continue, so that other reports take precedence.
const LATER_READERS: [(&str, Reader); 2] =
    [("runtime error: ", sanitizer::read_undefined_behaviour), ("== ", valgrind::read)];

/// The crash that a program reports in its output, if there is a report.
pub fn read(output: &[u8], variant_files: &VariantFiles) -> Option<Crash> {
    let readers = || READERS.iter().chain(&LATER_READERS);
    // Most programs print no report. Then nothing has to be decoded.
    if !readers().any(|(sign, _)| memmem::find(output, sign.as_bytes()).is_some()) {
        return None;
    }
    let text = String::from_utf8_lossy(output);
    let lines: Vec<&str> = text.lines().collect();
    let candidates = readers().filter(|(sign, _)| text.contains(sign));
    candidates.into_iter().find_map(|(_, read)| read(&lines, variant_files))
}

/// The crash of a run: the one that it reports on standard error or standard output, completed by the one that was
/// observed, or else the observed one.
pub fn read_run(
    stdout: &[u8],
    stderr: &[u8],
    observed: Option<Crash>,
    variant_files: &VariantFiles,
) -> Option<Crash> {
    let report = read(stderr, variant_files).or_else(|| read(stdout, variant_files));
    match report {
        Some(report) => Some(report.with_backtrace_of(observed)),
        None => observed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_output_is_no_report() {
        let read = |text: &[u8]| read(text, &VariantFiles::default());
        assert_eq!(read(b"error: all is lost\n"), None);
        assert_eq!(read(b""), None);
        assert_eq!(read(b"Traceback (but no"), None);
        assert_eq!(read(b"we met at noon, and the error was at home\n"), None);
    }
}
