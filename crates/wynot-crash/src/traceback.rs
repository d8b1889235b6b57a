//! Tracebacks of Python.

use crate::{Cause, Crash};

/// The last traceback: where one exception has led to another, the last is the one that ended it all.
pub(crate) fn read(lines: &[&str]) -> Option<Crash> {
    let begin =
        lines.iter().rposition(|line| line.starts_with("Traceback (most recent call last)"))?;
    let behind = &lines[begin + 1..];
    let end = behind.iter().position(|line| !line.starts_with(' ') && !line.is_empty())?;
    let mut frames: Vec<String> = Vec::new();
    for line in &behind[..end] {
        if line.starts_with("  [Previous line repeated") {
            frames.extend(frames.last().cloned().map(|last| vec![last; 4]).unwrap_or_default());
        }
        frames.extend(frame(line));
    }
    frames.reverse();
    let kind = behind[end].split([':', ' ']).next().unwrap_or_default();
    if kind == "RecursionError" {
        return Some(Crash { cause: Cause::StackOverflow, frames, complete: true });
    }
    (!kind.is_empty()).then(|| Crash::reported(kind, frames))
}

/// `  File "x.py", line 3, in work`
fn frame(line: &str) -> Option<String> {
    let (_, behind) = line.strip_prefix("  File \"")?.split_once("\", line ")?;
    let (_, function) = behind.split_once(", in ")?;
    Some(function.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exception_and_its_functions_count() {
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
