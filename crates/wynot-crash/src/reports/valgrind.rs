//! Reports of Valgrind.

use super::normalize::constant_part;
use super::text_frame::{TextFrame, culprit, functions};
use crate::crash::Crash;
use crate::variant_files::VariantFiles;
use wynot_process::demangle;

/// The first error: `==77== Invalid read of size 4`, followed by its stack.
pub(super) fn read(lines: &[&str], variant_files: &VariantFiles) -> Option<Crash> {
    let lines: Vec<&str> = lines.iter().filter_map(|line| text(line)).collect();
    let first = lines.iter().position(|line| line.starts_with("   at 0x"))?;
    let kind = constant_part(lines[first.checked_sub(1)?].trim());
    let stack: Vec<TextFrame> = lines[first..].iter().map_while(|line| frame(line)).collect();
    Some(Crash {
        culprit: culprit(&stack, variant_files),
        ..Crash::reported(format!("Valgrind: {kind}"), functions(&stack))
    })
}

/// The text of a line after `==PID== `.
fn text(line: &str) -> Option<&str> {
    let (pid, text) = line.strip_prefix("==")?.split_once("== ")?;
    pid.bytes().all(|byte| byte.is_ascii_digit()).then_some(text)
}

/// A line such as `   by 0x1091: work (x.c:3)` or `   at 0x48: malloc (in /usr/lib/vgpreload.so)`.
fn frame(line: &str) -> Option<TextFrame> {
    let rest = line.strip_prefix("   at 0x").or_else(|| line.strip_prefix("   by 0x"))?;
    let (function, place) = rest.split_once(": ")?.1.rsplit_once(" (")?;
    let file = crate::variant_files::without_line(place.trim_end_matches(')'));
    Some(TextFrame::new(demangle::plain_name(function), Some(file)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_and_its_stack_are_read() {
        let text = "==77== Memcheck\n==77== Invalid read of size 4\n==77==    at 0x48: strlen (in /lib/vg.so)\n\
                    ==77==    by 0x10: work (x.c:3)\n==77==    by 0x11: main (x.c:9)\n==77==  Address 0x0 is\n";
        let lines: Vec<&str> = text.lines().collect();
        let crash = read(&lines, &VariantFiles::default()).unwrap();
        assert_eq!(crash.cause.to_string(), "Valgrind: Invalid read of size");
        assert_eq!(crash.culprit.as_deref(), Some("work ← main"));
    }
}
