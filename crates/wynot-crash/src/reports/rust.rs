//! Panics of Rust programs, rustc among them.

use super::normalize::{constant_part, source_file};
use crate::crash::Crash;
use crate::library_functions::culprit;
use crate::variant_files::VariantFiles;
use wynot_process::demangle;

/// The prefixes of functions of the standard library.
const STANDARD_PREFIXES: [&str; 7] =
    ["std::", "core::", "alloc::", "rust_begin_unwind", "rust_panic", "__rustc::", "__rust_"];

/// Messages of the standard library that are kept whole, because they quote nothing of the input.
const CONSTANT_MESSAGES: [&str; 3] = [
    "called `Option::unwrap()` on a `None` value",
    "called `Result::unwrap()` on an `Err` value",
    "explicit panic",
];

/// The first panic; later ones follow from it.
pub(super) fn read(lines: &[&str], variant_files: &VariantFiles) -> Option<Crash> {
    let (at, place) = lines.iter().enumerate().find_map(|(at, line)| Some((at, place(line)?)))?;
    let following = &lines[at + 1..];
    let frames = backtrace(following);
    let message = message(lines[at], following);
    let in_input = variant_files.contain(&place);
    let known = CONSTANT_MESSAGES.iter().find(|known| message.starts_with(**known));
    let constant = known.map_or_else(|| constant_part(&message), |known| (*known).to_owned());
    let kind = match (in_input, frames.is_empty()) {
        // A backtrace identifies the panic. Without one, the message has to.
        (false, false) => format!("panic in {}", source_file(&place)),
        (false, true) => format!("panic in {}: {constant}", source_file(&place)),
        (true, _) => format!("panic: {constant}"),
    };
    let culprit = culprit(frames.iter().map(|name| (name.as_str(), in_input)));
    Some(Crash {
        culprit,
        location: (!in_input).then(|| place.trim_end_matches(':').to_owned()),
        message: Some(message),
        ..Crash::reported(kind, frames.clone())
    })
}

/// The place in a line such as `thread 'main' panicked at src/main.rs:4:5:`, or in older programs
/// `thread 'main' panicked at 'message', src/main.rs:4:5`.
fn place(line: &str) -> Option<String> {
    let (_, place) =
        line.split_once("panicked at ").filter(|(thread, _)| thread.starts_with("thread "))?;
    let place = place.rsplit("', ").next().unwrap_or(place);
    Some(place.to_owned())
}

/// The message of a panic: in older programs in the same line, otherwise in the next one.
fn message(line: &str, following: &[&str]) -> String {
    match line.split_once("panicked at '").and_then(|(_, rest)| rest.rsplit_once("', ")) {
        Some((message, _)) => message.to_owned(),
        None => following.first().map_or_else(String::new, |line| (*line).to_owned()),
    }
}

/// The functions in lines such as `   3: program::work`, from the one that has panicked on.
fn backtrace(lines: &[&str]) -> Vec<String> {
    let following = lines.iter().skip_while(|line| line.trim() != "stack backtrace:").skip(1);
    let frame = |line: &&str| {
        let (number, function) = line.trim_start().split_once(": ")?;
        number.parse::<u32>().ok()?;
        // A full backtrace has addresses in front of names.
        let function = match function.trim_start().split_once(" - ") {
            Some((address, function)) if address.starts_with("0x") => function,
            _ => function.trim_start(),
        };
        Some(demangle::plain_name(function))
    };
    let is_part = |line: &&&str| frame(line).is_some() || line.trim_start().starts_with("at ");
    let all: Vec<String> = following.take_while(is_part).filter_map(frame).collect();
    let first = all.iter().position(|name| !is_standard(name)).unwrap_or(all.len());
    all[first..].to_vec()
}

/// Whether a function belongs to the standard library. Such functions are called by the one that panics.
fn is_standard(name: &str) -> bool {
    let inside = name.trim_start_matches(['<', '&', '[']);
    // A method of a primitive type: `<usize as core::slice::index::SliceIndex>::index`.
    let is_primitive = name.starts_with('<')
        && name.split_once(" as ").is_some_and(|(own, _)| !own.contains("::"));
    is_primitive || STANDARD_PREFIXES.iter().any(|prefix| inside.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<&str> {
        text.lines().collect()
    }

    #[test]
    fn a_panic_without_backtrace_is_its_file_and_message() {
        let one = "thread 'main' panicked at src/main.rs:4:5:\nindex out of bounds: the len is 3 but the index is 7\nnote: run with";
        let other = "thread 'main' (77) panicked at src/main.rs:9:1:\nindex out of bounds: the len is 1 but the index is 2\n";
        let read = |text: &str| read(&lines(text), &VariantFiles::default());
        let kind = read(one).unwrap().cause.to_string();
        assert_eq!(kind, read(other).unwrap().cause.to_string());
        assert_eq!(kind, "panic in src/main.rs: index out of bounds");
        let old = "thread 'main' panicked at 'no entry for `x`', src/main.rs:9:1\n";
        let old = read(old).unwrap();
        assert_eq!(old.cause.to_string(), "panic in src/main.rs: no entry for");
        assert_eq!(old.location.as_deref(), Some("src/main.rs:9:1"));
    }

    #[test]
    fn a_backtrace_begins_where_the_panic_was_raised() {
        let text = "thread 'rustc' panicked at compiler/rustc_x/src/lib.rs:4:5:\nmessage\nstack backtrace:\n   \
            0:     0x7f - <std::sys::backtrace::BacktraceImpl as core::fmt::Display>::fmt::h0123456789abcdef\n   \
            1:     0x7f - core::panicking::panic_fmt::h0123456789abcdef\n   \
            2: <usize as core::slice::index::SliceIndex<[T]>>::index\n   2: rustc_x::check::<Item>\n             \
            at ./x.rs:4:5\n   3: rustc_x::run\nnote: done\n";
        let crash = read(&lines(text), &VariantFiles::default()).unwrap();
        assert_eq!(crash.frames, ["rustc_x::check", "rustc_x::run"]);
    }
}
