//! Tracebacks of Python.

use crate::crash::{Cause, Crash};

/// How often a frame is repeated for a line that says that it was repeated: often enough to count as a
/// recursion.
const REPETITIONS: usize = 4;

/// The last traceback: where one exception has led to another, the last one has ended the program.
pub(super) fn read(lines: &[&str]) -> Option<Crash> {
    let begin =
        lines.iter().rposition(|line| line.starts_with("Traceback (most recent call last)"))?;
    let following = &lines[begin + 1..];
    let end = following.iter().position(|line| !line.starts_with(' ') && !line.is_empty())?;
    let mut frames: Vec<String> = Vec::new();
    for line in &following[..end] {
        if line.starts_with("  [Previous line repeated") {
            frames.extend(
                frames.last().cloned().map(|last| vec![last; REPETITIONS]).unwrap_or_default(),
            );
        }
        frames.extend(frame(line));
    }
    frames.reverse();
    let kind = following[end].split([':', ' ']).next().unwrap_or_default();
    if kind == "RecursionError" {
        return Some(Crash { cause: Cause::StackOverflow, frames, complete: true });
    }
    (!kind.is_empty()).then(|| Crash::reported(kind, frames))
}

/// The function in a line such as `  File "x.py", line 3, in work`.
fn frame(line: &str) -> Option<String> {
    let (_, rest) = line.strip_prefix("  File \"")?.split_once("\", line ")?;
    let (_, function) = rest.split_once(", in ")?;
    Some(function.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_exception_and_its_functions_are_read() {
        let text = "Traceback (most recent call last):\n  File \"x.py\", line 9, in <module>\n    main()\n  \
            File \"x.py\", line 3, in work\n    d[k]\n    ~^^^\nKeyError: 'x'\n";
        let lines: Vec<&str> = text.lines().collect();
        let crash = read(&lines).unwrap();
        assert_eq!(crash.cause.to_string(), "KeyError");
        assert_eq!(crash.frames, ["work", "<module>"]);
        let chained = format!(
            "{text}\nDuring handling of the above exception, another exception occurred:\n\n{}",
            text.replace("KeyError", "mod.Bad")
        );
        let lines: Vec<&str> = chained.lines().collect();
        assert_eq!(read(&lines).unwrap().cause.to_string(), "mod.Bad");
    }
}
