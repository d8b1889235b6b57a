//! Panics of Go programs.

use super::text_frame::{TextFrame, culprit, functions};
use crate::crash::{Cause, Crash};
use crate::variant_files::VariantFiles;

/// The first panic or fatal error, with the stack of the goroutine that was running.
pub(super) fn read(lines: &[&str], variant_files: &VariantFiles) -> Option<Crash> {
    let stack = stack(lines)?;
    let message = lines.iter().find_map(|line| {
        line.strip_prefix("panic: ").or_else(|| line.strip_prefix("fatal error: "))
    })?;
    if message.contains("stack overflow") {
        return Some(Crash::new(Cause::StackOverflow, functions(&stack), true));
    }
    // A panic that was recovered and raised again has more in brackets.
    let message = message.split(" [recovered").next().unwrap_or(message);
    Some(Crash {
        culprit: culprit(&stack, variant_files),
        message: Some(message.to_owned()),
        ..Crash::reported("panic", functions(&stack))
    })
}

/// The stack of the first goroutine.
pub(super) fn stack(lines: &[&str]) -> Option<Vec<TextFrame>> {
    let is_header = |line: &&str| line.starts_with("goroutine ") && line.ends_with("]:");
    let begin = lines.iter().position(is_header)?;
    let mut frames = Vec::new();
    let mut rest = lines[begin + 1..].iter().take_while(|line| !line.is_empty()).peekable();
    while let Some(line) = rest.next() {
        // Arguments in parentheses follow the name, which may contain some itself: `main.(*T).f(0x1)`.
        let Some(at) = line.rfind('(').filter(|_| !line.starts_with('\t')) else { continue };
        let place = rest.next_if(|next| next.starts_with('\t')).map(|next| next.trim());
        let file = place.and_then(|place| place.split(' ').next());
        if !line.starts_with("panic(") && !line.starts_with("created by ") {
            frames.push(TextFrame::new(&line[..at], file));
        }
    }
    (!frames.is_empty()).then_some(frames)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_function_that_panicked_is_the_culprit() {
        let text = "panic: runtime error: index out of range [5] with length 3 [recovered]\n\ngoroutine 1 [running]:\n\
            panic({0x1, 0x2})\n\t/usr/lib/go/panic.go:884 +0x213\nruntime.goPanicIndex(0x5)\n\t/usr/lib/go/panic.go:1\n\
            main.(*T).parse(0xc000012345)\n\t/src/parse.go:12 +0x1d\nmain.main()\n\t/src/main.go:3 +0x1\n\ngoroutine 2 [sleep]:\n";
        let lines: Vec<&str> = text.lines().collect();
        let crash = read(&lines, &VariantFiles::default()).unwrap();
        assert_eq!(crash.culprit.as_deref(), Some("main.(*T).parse ← main.main"));
        assert!(crash.message.unwrap().ends_with("with length 3"));
        let own = VariantFiles::named(["parse.go".to_owned()]);
        assert_eq!(read(&lines, &own).unwrap().culprit, None);
    }
}
