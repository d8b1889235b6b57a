//! Stack traces of Java and other languages that run on its virtual machine.

use super::text_frame::{TextFrame, culprit, functions};
use crate::crash::{Cause, Crash};
use crate::variant_files::VariantFiles;

/// The innermost cause of the first stack trace.
pub(super) fn read(lines: &[&str], variant_files: &VariantFiles) -> Option<Crash> {
    let first = lines.iter().position(|line| frame(line).is_some())?;
    let header = first.checked_sub(1)?;
    let is_part = |line: &&&str| {
        frame(line).is_some() || line.starts_with("Caused by: ") || line.starts_with("\t...")
    };
    let length = lines[first..].iter().take_while(is_part).count();
    let trace = &lines[header..first + length];
    let begin = trace.iter().rposition(|line| line.starts_with("Caused by: ")).unwrap_or(0);
    let stack: Vec<TextFrame> = trace[begin + 1..].iter().filter_map(|line| frame(line)).collect();
    let (kind, message) = exception(trace[begin])?;
    if kind.ends_with("StackOverflowError") {
        return Some(Crash::new(Cause::StackOverflow, functions(&stack), true));
    }
    Some(Crash {
        culprit: culprit(&stack, variant_files),
        message: Some(message),
        ..Crash::reported(kind, functions(&stack))
    })
}

/// A crash of the virtual machine itself: its signal and the frame that it calls problematic.
pub(super) fn read_virtual_machine(lines: &[&str], _: &VariantFiles) -> Option<Crash> {
    let at = lines.iter().position(|line| line.starts_with("# Problematic frame:"))?;
    let mut signals = lines[..at].iter().map(|line| line.trim_start_matches(['#', ' ']));
    let signal = signals.rfind(|line| line.starts_with("SIG"));
    let kind = signal.and_then(|line| line.split(' ').next()).unwrap_or("internal error");
    // `# V  [libjvm.so+0x8a]  Foo::bar()+0x1c`: the kind of the frame, its file and its function.
    let frame = lines.get(at + 1)?.trim_start_matches(['#', ' ']);
    let function = match frame.split_once("]  ") {
        Some((_, function)) => function.split("+0x").next().unwrap_or(function),
        None => frame.split(" @ ").next().unwrap_or(frame),
    };
    let function = function.split('(').next().unwrap_or(function).trim().to_owned();
    Some(Crash {
        culprit: Some(function.clone()),
        ..Crash::reported(format!("crash of the Java virtual machine: {kind}"), vec![function])
    })
}

/// The class and the message in a line such as
/// `Exception in thread "main" java.lang.IllegalStateException: message`.
fn exception(line: &str) -> Option<(String, String)> {
    let line = line.strip_prefix("Caused by: ").unwrap_or(line);
    let line = match line.strip_prefix("Exception in thread \"") {
        Some(rest) => rest.split_once("\" ")?.1,
        None => line,
    };
    let name = line.split([':', ' ']).next()?;
    let message = line[name.len()..].trim_start_matches([':', ' ']);
    (name.contains('.') || name.ends_with("Error") || name.ends_with("Exception"))
        .then(|| (name.to_owned(), message.to_owned()))
}

/// The method in a line such as `at com.example.Main.work(Main.java:7)`, which begins with a tab.
fn frame(line: &str) -> Option<TextFrame> {
    let (function, place) = line.strip_prefix("\tat ")?.split_once('(')?;
    // The module or class loader comes first.
    let function = function.rsplit('/').next().unwrap_or(function);
    Some(TextFrame::new(function, place.split([':', ')']).next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_cause_counts() {
        let text = "Exception in thread \"main\" java.lang.IllegalStateException: outer 3\n\tat A.main(A.java:5)\n\
            Caused by: java.lang.ArithmeticException: / by zero\n\tat java.base/A.div(A.java:9)\n\tat A.main(A.java:3)\n\t... 2 more\n";
        let lines: Vec<&str> = text.lines().collect();
        let crash = read(&lines, &VariantFiles::default()).unwrap();
        assert_eq!(crash.cause.to_string(), "java.lang.ArithmeticException");
        assert_eq!(crash.frames, ["A.div", "A.main"]);
        assert_eq!(crash.culprit.as_deref(), Some("A.div ← A.main"));
        let own = VariantFiles::named(["A.java".to_owned()]);
        assert_eq!(read(&lines, &own).unwrap().culprit, None);
    }

    #[test]
    fn a_crash_of_the_virtual_machine_has_a_problematic_frame() {
        let lines = [
            "# A fatal error has been detected by the Java Runtime Environment:",
            "#",
            "#  SIGSEGV (0xb) at pc=0x00007f, pid=77, tid=78",
            "# Problematic frame:",
            "# V  [libjvm.so+0x8a3b5c]  PhaseIdealLoop::build(int)+0x1c",
        ];
        let crash = read_virtual_machine(&lines, &VariantFiles::default()).unwrap();
        assert_eq!(crash.culprit.as_deref(), Some("PhaseIdealLoop::build"));
        assert!(crash.cause.to_string().ends_with("SIGSEGV"));
    }
}
