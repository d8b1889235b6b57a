//! Tracebacks of Python.

use super::text_frame::{TextFrame, culprit, functions};
use crate::crash::{Cause, Crash};
use crate::variant_files::VariantFiles;

/// How often a frame is repeated for a line that says that it was repeated: often enough to count as a
/// recursion.
const REPETITIONS: usize = 4;

/// The function of statements outside of functions. All errors of an extension that a script calls are in this one.
const TOP_LEVEL: &str = "<module>";

/// The last traceback: where one exception has led to another, the last one has ended the program.
pub(super) fn read(lines: &[&str], variant_files: &VariantFiles) -> Option<Crash> {
    let begin =
        lines.iter().rposition(|line| line.starts_with("Traceback (most recent call last)"))?;
    let following = &lines[begin + 1..];
    let end = following.iter().position(|line| !line.starts_with(' ') && !line.is_empty())?;
    let mut frames: Vec<TextFrame> = Vec::new();
    for line in &following[..end] {
        if line.starts_with("  [Previous line repeated") {
            frames.extend(
                frames.last().cloned().map(|last| vec![last; REPETITIONS]).unwrap_or_default(),
            );
        }
        frames.extend(frame(line));
    }
    frames.reverse();
    let (kind, message) = following[end].split_once(": ").unwrap_or((following[end], ""));
    let kind = kind.split([':', ' ']).next().unwrap_or_default();
    if kind == "RecursionError" {
        return Some(Crash::new(Cause::StackOverflow, functions(&frames), true));
    }
    (!kind.is_empty()).then(|| Crash {
        culprit: culprit(&frames, variant_files).filter(|culprit| culprit != TOP_LEVEL),
        message: Some(message.to_owned()),
        ..Crash::reported(kind, functions(&frames))
    })
}

/// An error of the interpreter itself, with the stack of the thread that was running, innermost function first.
pub(super) fn read_fatal(lines: &[&str], variant_files: &VariantFiles) -> Option<Crash> {
    let (at, message) = lines
        .iter()
        .enumerate()
        .find_map(|(at, line)| Some((at, line.split_once("Fatal Python error: ")?.1)))?;
    let frames: Vec<TextFrame> = lines[at + 1..].iter().filter_map(|line| frame(line)).collect();
    Some(Crash {
        culprit: culprit(&frames, variant_files),
        message: Some(message.to_owned()),
        ..Crash::reported("fatal error of Python", functions(&frames))
    })
}

/// The function in a line such as `  File "x.py", line 3, in work`; without the second comma in fatal errors.
fn frame(line: &str) -> Option<TextFrame> {
    let (file, rest) = line.strip_prefix("  File \"")?.split_once("\", line ")?;
    let (_, function) = rest.split_once(" in ")?;
    Some(TextFrame::new(function, Some(file)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_exception_and_its_functions_are_read() {
        let text = "Traceback (most recent call last):\n  File \"x.py\", line 9, in <module>\n    main()\n  \
            File \"x.py\", line 3, in work\n    d[k]\n    ~^^^\nKeyError: 'x'\n";
        let lines: Vec<&str> = text.lines().collect();
        let crash = read(&lines, &VariantFiles::default()).unwrap();
        assert_eq!(crash.cause.to_string(), "KeyError");
        assert_eq!(crash.frames, ["work", "<module>"]);
        assert_eq!(crash.culprit.as_deref(), Some("work ← <module>"));
        let own = VariantFiles::named(["x.py".to_owned()]);
        assert_eq!(read(&lines, &own).unwrap().culprit, None);
        let chained = format!(
            "{text}\nDuring handling of the above exception, another exception occurred:\n\n{}",
            text.replace("KeyError", "mod.Bad")
        );
        let lines: Vec<&str> = chained.lines().collect();
        assert_eq!(read(&lines, &VariantFiles::default()).unwrap().cause.to_string(), "mod.Bad");
    }

    #[test]
    fn the_top_level_of_a_script_says_nothing_about_an_error() {
        let text = "Traceback (most recent call last):\n  File \"x.py\", line 9, in <module>\n    run(q)\n\
            lib.Error: no such column\n";
        let lines: Vec<&str> = text.lines().collect();
        let crash = read(&lines, &VariantFiles::default()).unwrap();
        assert_eq!((crash.culprit, crash.message.as_deref()), (None, Some("no such column")));
    }

    #[test]
    fn an_error_of_the_interpreter_is_its_message_and_function() {
        let lines = [
            "Fatal Python error: Segmentation fault",
            "",
            "Current thread 0x00007f3a (most recent call first):",
            "  File \"/lib/x.py\", line 3 in work",
            "  File \"/lib/x.py\", line 9 in <module>",
        ];
        let crash = read_fatal(&lines, &VariantFiles::default()).unwrap();
        assert_eq!(crash.culprit.as_deref(), Some("work ← <module>"));
    }
}
