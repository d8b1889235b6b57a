//! Reports of AddressSanitizer and the other sanitizers of GCC and Clang.

use super::normalize::{constant_part, source_file};
use super::text_frame::{TextFrame, culprit, functions};
use crate::crash::{Cause, Crash};
use crate::variant_files::VariantFiles;
use wynot_process::demangle;

/// The first report: later ones may be consequences.
pub(super) fn read(lines: &[&str], variant_files: &VariantFiles) -> Option<Crash> {
    let (at, kind) = lines.iter().enumerate().find_map(|(at, line)| Some((at, header(line)?)))?;
    let following = &lines[at + 1..];
    let is_frame = |line: &&str| frame(line).is_some();
    let begin = following.iter().position(is_frame).unwrap_or(following.len());
    // The first stack is that of the error; others say where memory was allocated or freed.
    let stack: Vec<TextFrame> = following[begin..].iter().map_while(|line| frame(line)).collect();
    let culprit = culprit(&stack, variant_files);
    if kind.ends_with("stack-overflow") {
        return Some(Crash::new(Cause::StackOverflow, functions(&stack), true));
    }
    Some(Crash { culprit, ..Crash::reported(kind, functions(&stack)) })
}

/// The tool and the kind of error in a line such as
/// `==4711==ERROR: AddressSanitizer: heap-use-after-free on address 0x… at pc 0x…`.
fn header(line: &str) -> Option<String> {
    let (before, after) = line.split_once("Sanitizer: ")?;
    let is_report = before.contains("ERROR: ") || before.contains("WARNING: ");
    let tool = before.rsplit(' ').next().filter(|_| is_report)?;
    let words = after.split(" on ").next().unwrap_or(after);
    Some(format!("{tool}Sanitizer: {}", constant_part(words)))
}

/// The function in a line such as `    #1 0x55d3 in ns::f(int) /src/x.cpp:3:4`, `#1 0x55d3  (/bin/x+0x1139)` or
/// `#1 f x.cpp:3 (x+0x1139)`.
fn frame(line: &str) -> Option<TextFrame> {
    let rest = line.trim_start().strip_prefix('#')?;
    let (number, rest) = rest.split_once(' ')?;
    number.parse::<u32>().ok()?;
    let rest = match rest.strip_prefix("0x").and_then(|rest| rest.split_once(' ')) {
        Some((_, rest)) => match rest.trim_start().strip_prefix("in ") {
            Some(function) => function,
            None => return Some(TextFrame::new(file_and_offset(rest), None)),
        },
        None => rest,
    };
    // A source file, a program or library, or both follow the name.
    let function = match rest.rfind(" (") {
        Some(at) if rest[at..].contains("+0x") || rest[at..].contains("BuildId") => &rest[..at],
        _ => rest,
    };
    let (function, file) = match function.find(" /").or(function.find(" <null>")) {
        Some(at) => (&function[..at], Some(function[at..].trim())),
        None => match function.rsplit_once(' ') {
            Some((function, place)) if place.contains(['.', ':']) => (function, Some(place)),
            _ => (function, None),
        },
    };
    Some(TextFrame::new(demangle::plain_name(function), file))
}

/// The file name and offset of a place such as `(/usr/bin/x+0x1139)`.
fn file_and_offset(text: &str) -> String {
    let inside = text.trim().trim_start_matches('(').split(')').next().unwrap_or_default();
    inside.rsplit('/').next().unwrap_or("?").to_owned()
}

/// The last report of UndefinedBehaviorSanitizer, since programs continue after the others.
pub(super) fn read_undefined_behaviour(
    lines: &[&str],
    variant_files: &VariantFiles,
) -> Option<Crash> {
    let (at, place, message) = lines.iter().enumerate().rev().find_map(|(at, line)| {
        let (place, message) = line.split_once(": runtime error: ")?;
        Some((at, place, message))
    })?;
    let stack: Vec<TextFrame> = lines[at + 1..].iter().map_while(|line| frame(line)).collect();
    let kind = format!("undefined behaviour: {}", constant_part(message));
    let crash = match stack.is_empty() {
        true => Crash::reported(kind, vec![source_file(place).to_owned()]),
        false => Crash::reported(kind, functions(&stack)),
    };
    let location = (!variant_files.contain(place)).then(|| place.to_owned());
    Some(Crash { culprit: culprit(&stack, variant_files), location, ..crash })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_stack_of_a_report_is_read() {
        let text = "=====\n==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x5\n\
            READ of size 4 at 0x602000000010 thread T0\n    #0 0x55d2 in ns::get(int const*, int) /src/x.cpp:5\n\
            \x20   #1 0x55d3 in main /src/x.cpp:9\n    #2 0x7f1  (/lib/x86_64-linux-gnu/libc.so.6+0x271c9)\n\n\
            0x602 is located\nfreed by thread T0 here:\n    #0 0x7f2 in free /asan.cpp:52\n";
        let lines: Vec<&str> = text.lines().collect();
        let crash = read(&lines, &VariantFiles::default()).unwrap();
        assert_eq!(crash.cause.to_string(), "AddressSanitizer: heap-use-after-free");
        assert_eq!(crash.frames, ["ns::get", "main", "libc.so.6+0x271c9"]);
    }

    #[test]
    fn threads_that_race_are_reported_without_addresses() {
        let text = "WARNING: ThreadSanitizer: data race (pid=77)\n  Write of size 4 at 0x55 by thread T1:\n\
            \x20   #0 work(int*) x.cpp:4 (x+0x1200)\n    #1 run <null> (x+0x1300)\n";
        let lines: Vec<&str> = text.lines().collect();
        let crash = read(&lines, &VariantFiles::default()).unwrap();
        assert_eq!(crash.cause.to_string(), "ThreadSanitizer: data race");
        assert_eq!(crash.frames, ["work", "run"]);
    }

    #[test]
    fn undefined_behaviour_has_its_message_and_file() {
        let read = |line: &str| {
            read_undefined_behaviour(&[line], &VariantFiles::named(["x.c".to_owned()]))
        };
        let one = read("a/x.c:3:9: runtime error: index 7 out of bounds for type 'int [4]'");
        let other = read("a/x.c:1:2: runtime error: index 9 out of bounds for type 'int [4]'");
        assert_eq!(one, other);
        assert_eq!(one.unwrap().frames, ["a/x.c"]);
        let overflow = "x.c:3:9: runtime error: signed integer overflow: 2147483647 + 1 cannot";
        assert_eq!(
            read(overflow).unwrap().cause.to_string(),
            "undefined behaviour: signed integer overflow"
        );
    }
}
