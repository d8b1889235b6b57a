//! Assertions of C and C++ programs, and exceptions that nothing catches.

use crate::crash::{Cause, Crash};
use crate::variant_files::VariantFiles;
use wynot_process::demangle;

/// The last assertion in a line such as ``prog: src/f.c:12: int f(int): Assertion `x > 0' failed.``
pub(super) fn read(lines: &[&str], variant_files: &VariantFiles) -> Option<Crash> {
    lines.iter().rev().find_map(|line| {
        let (before, after) = line.split_once("Assertion ")?;
        let expression = after.trim_start_matches(['`', '\'', '"', '(']);
        let end = expression.rfind(" failed").or(expression.rfind(" FAILED"))?;
        let expression = expression[..end].trim_end_matches(['\'', '`', '"', ')']);
        let mut parts = before.trim_end_matches([' ', ':', ',']).split(": ");
        let place = parts.find(|part| has_line(part))?;
        let function: Vec<&str> = parts.collect();
        Some(assertion(expression, place, &function.join(": "), variant_files))
    })
}

/// The last assertion of GLib, in a line such as `ERROR:f.c:12:f: assertion failed: (x > 0)`.
pub(super) fn read_glib(lines: &[&str], variant_files: &VariantFiles) -> Option<Crash> {
    lines.iter().rev().find_map(|line| {
        let (before, after) = line.split_once(": assertion failed")?;
        let before = before.rsplit("ERROR:").next().unwrap_or(before);
        let (place, function) = before.rsplit_once(':')?;
        has_line(place).then(|| {
            assertion(after.trim_start_matches([':', ' ']), place, function, variant_files)
        })
    })
}

/// The last failed check, in a line such as `F0101 00:00:00 7 f.cc:12] Check failed: a == b (1 vs. 2)`.
pub(super) fn read_check(lines: &[&str], variant_files: &VariantFiles) -> Option<Crash> {
    lines.iter().rev().find_map(|line| {
        let (before, after) = line.split_once("Check failed: ")?;
        let mut places = before.split([' ', '[', ']']).filter(|word| has_line(word));
        let place = places.next_back().unwrap_or_default();
        // The values that were compared depend on the input.
        let expression = after.split(" (").next().unwrap_or(after);
        Some(assertion(expression, place, "", variant_files))
    })
}

/// The crash of an assertion. Of one in an input, only the kind counts, and of one in a program that varies also what it expects.
fn assertion(expression: &str, place: &str, function: &str, variant_files: &VariantFiles) -> Crash {
    let function = demangle::plain_name(function);
    let frames = if function.is_empty() { Vec::new() } else { vec![function] };
    let in_input = variant_files.contain(place);
    let kind = match in_input && !variant_files.are_versions() {
        true => "assertion failed".to_owned(),
        false => format!("assertion failed: {expression}"),
    };
    let place = (!in_input && !place.is_empty()).then(|| file_and_line(place));
    Crash {
        culprit: frames.first().filter(|_| !in_input).cloned(),
        location: place,
        ..Crash::reported(kind, frames)
    }
}

/// Whether a text is a place with a line, such as `src/f.c:12`.
fn has_line(text: &str) -> bool {
    let text = text.trim_end_matches(':');
    text.rsplit_once(':').is_some_and(|(file, line)| {
        let is_number = !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
        is_number && !file.is_empty() && !file.contains(' ')
    })
}

/// The file name and line of a place. Directories may belong to the machine on which the program was built.
fn file_and_line(place: &str) -> String {
    let place = place.trim_end_matches(':');
    place.rsplit('/').next().unwrap_or(place).to_owned()
}

/// A C++ exception that nothing catches: its type, and what it says.
pub(super) fn read_terminate(lines: &[&str], _: &VariantFiles) -> Option<Crash> {
    let sign = "terminate called after throwing an instance of '";
    let (at, kind) = lines
        .iter()
        .enumerate()
        .rev()
        .find_map(|(at, line)| Some((at, line.split_once(sign)?.1.trim_end_matches('\''))))?;
    let message = lines.get(at + 1).and_then(|line| line.trim().strip_prefix("what():"));
    let message = message.map(|message| message.trim().to_owned());
    // A backtrace of the signal that follows completes the report.
    let crash = Crash::without_frames(Cause::Report(format!("exception {kind}")));
    Some(Crash { message, ..crash })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assertion_is_its_expression_function_and_line() {
        let files = VariantFiles::named(["in.c".to_owned()]);
        let line =
            "prog: ../src/f.c:12: std::size_t ns::f(int): Assertion `x > 0 && \"no: x\"' failed.";
        let crash = read(&[line, "Aborted"], &files).unwrap();
        assert_eq!(crash.cause.to_string(), "assertion failed: x > 0 && \"no: x");
        assert_eq!(crash.culprit.as_deref(), Some("ns::f"));
        assert_eq!(crash.location.as_deref(), Some("f.c:12"));
        let own = read(&["a.out: ./in.c:3: main: Assertion `a' failed."], &files).unwrap();
        assert_eq!(
            (own.cause.to_string().as_str(), own.culprit, own.location),
            ("assertion failed", None, None)
        );
        assert_eq!(read(&["Assertion is a word"], &files), None);
        let versions = VariantFiles::whole_directory().of_versions();
        let own = read(&["a.out: ./in.c:3: main: Assertion `a' failed."], &versions).unwrap();
        assert_eq!((own.cause.to_string().as_str(), own.location), ("assertion failed: a", None));
    }

    #[test]
    fn other_assertions_are_read_as_well() {
        let files = VariantFiles::default();
        let glib =
            read_glib(&["**", "ERROR:f.c:12:work: assertion failed: (x > 0)"], &files).unwrap();
        assert_eq!(glib.culprit.as_deref(), Some("work"));
        let check = "F0101 00:00:00.000 77 f.cc:12] Check failed: a == b (1 vs. 2)";
        let check = read_check(&[check], &files).unwrap();
        assert_eq!(check.cause.to_string(), "assertion failed: a == b");
        assert_eq!(check.location.as_deref(), Some("f.cc:12"));
        let thrown = [
            "terminate called after throwing an instance of 'std::out_of_range'",
            "  what():  at: 7",
        ];
        let thrown = read_terminate(&thrown, &files).unwrap();
        assert_eq!(thrown.cause.to_string(), "exception std::out_of_range");
        assert_eq!(thrown.message.as_deref(), Some("at: 7"));
    }
}
