//! Stack traces of Java and other languages that run on its virtual machine.

use crate::crash::{Cause, Crash};

/// The innermost cause of the first stack trace.
pub(super) fn read(lines: &[&str]) -> Option<Crash> {
    let first = lines.iter().position(|line| frame(line).is_some())?;
    let header = first.checked_sub(1)?;
    let is_part = |line: &&&str| {
        frame(line).is_some() || line.starts_with("Caused by: ") || line.starts_with("\t...")
    };
    let length = lines[first..].iter().take_while(is_part).count();
    let trace = &lines[header..first + length];
    let begin = trace.iter().rposition(|line| line.starts_with("Caused by: ")).unwrap_or(0);
    let frames: Vec<String> = trace[begin + 1..].iter().filter_map(|line| frame(line)).collect();
    let kind = exception(trace[begin])?;
    let is_overflow = kind.ends_with("StackOverflowError");
    let cause = if is_overflow { Cause::StackOverflow } else { Cause::Report(kind) };
    Some(Crash { cause, frames, complete: true })
}

/// The class in a line such as `Exception in thread "main" java.lang.IllegalStateException: message`.
fn exception(line: &str) -> Option<String> {
    let line = line.strip_prefix("Caused by: ").unwrap_or(line);
    let line = match line.strip_prefix("Exception in thread \"") {
        Some(rest) => rest.split_once("\" ")?.1,
        None => line,
    };
    let name = line.split([':', ' ']).next()?;
    (name.contains('.') || name.ends_with("Error") || name.ends_with("Exception"))
        .then(|| name.to_owned())
}

/// The method in a line such as `at com.example.Main.work(Main.java:7)`, which begins with a tab.
fn frame(line: &str) -> Option<String> {
    let function = line.strip_prefix("\tat ")?.split('(').next()?;
    // The module or class loader comes first.
    Some(function.rsplit('/').next().unwrap_or(function).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_cause_counts() {
        let text = "Exception in thread \"main\" java.lang.IllegalStateException: outer 3\n\tat A.main(A.java:5)\n\
            Caused by: java.lang.ArithmeticException: / by zero\n\tat java.base/A.div(A.java:9)\n\tat A.main(A.java:3)\n\t... 2 more\n";
        let lines: Vec<&str> = text.lines().collect();
        let crash = read(&lines).unwrap();
        assert_eq!(crash.cause.to_string(), "java.lang.ArithmeticException");
        assert_eq!(crash.frames, ["A.div", "A.main"]);
    }
}
