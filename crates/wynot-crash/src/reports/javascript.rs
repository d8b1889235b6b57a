//! Stack traces of JavaScript, and fatal errors of its engine V8.

use super::text_frame::{TextFrame, culprit, functions};
use crate::crash::{Cause, Crash};
use crate::variant_files::VariantFiles;

/// The number of lines before a stack among which its error is searched: a message may have several lines.
const MAX_MESSAGE_LINES: usize = 30;

/// The first error that is followed by a stack. Tools put words in front of its lines: `[error] `.
pub(super) fn read(lines: &[&str], variant_files: &VariantFiles) -> Option<Crash> {
    let first = lines.iter().position(|line| frame(line).is_some())?;
    let earlier = lines[first.saturating_sub(MAX_MESSAGE_LINES)..first].iter().rev();
    let stack: Vec<TextFrame> = lines[first..].iter().map_while(|line| frame(line)).collect();
    // Some tools print the message without the class.
    let last = || earlier.clone().find(|line| !line.trim().is_empty());
    let unnamed = || last().map(|line| ("error".to_owned(), line.trim().to_owned()));
    let (kind, message) = earlier.clone().find_map(|line| error(line)).or_else(unnamed)?;
    if kind == "RangeError" && message.starts_with("Maximum call stack size") {
        return Some(Crash::new(Cause::StackOverflow, functions(&stack), true));
    }
    Some(Crash {
        culprit: culprit(&stack, variant_files),
        message: Some(message),
        ..Crash::reported(kind, functions(&stack))
    })
}

/// The class and the message in a line such as `TypeError: x is not a function`, `Uncaught Error [CODE]: no` or
/// `[error] x.js: SyntaxError: Unexpected token (1:5)`.
fn error(line: &str) -> Option<(String, String)> {
    let words = line.split(' ').enumerate();
    let (at, class) = words.into_iter().find_map(|(at, word)| {
        let name = word.trim_end_matches(':').trim_start_matches(['(', '[']);
        let is_class = name.ends_with("Error") || name.ends_with("Exception");
        let is_name = name.chars().all(|c| c.is_alphanumeric() || "._$".contains(c));
        (is_class && is_name && name.starts_with(char::is_uppercase)).then_some((at, name))
    })?;
    let message: Vec<&str> = line.split(' ').skip(at + 1).collect();
    Some((class.to_owned(), message.join(" ")))
}

/// A line such as `    at Parser.next [as get] (/lib/parser.js:3:4)` or `    at async file:///lib/x.mjs:3:4`.
fn frame(line: &str) -> Option<TextFrame> {
    let (before, rest) = line.split_once("  at ")?;
    let is_prefix = before.chars().all(|c| c.is_alphanumeric() || "[]: ".contains(c));
    if !is_prefix || before.len() > 40 {
        return None;
    }
    let rest = rest.strip_prefix("async ").unwrap_or(rest);
    let rest = rest.strip_prefix("new ").unwrap_or(rest);
    let (function, place) = match rest.rsplit_once(" (") {
        Some((function, place)) => (function, place.strip_suffix(')')?),
        None => ("", rest),
    };
    let is_place = place.ends_with(|c: char| c.is_ascii_digit()) && place.contains(':');
    let is_engine = matches!(place, "native" | "<anonymous>" | "index 0");
    if !is_place && !is_engine {
        return None;
    }
    let function = function.split(" [as ").next().unwrap_or(function);
    let file = crate::variant_files::without_line(place);
    let name = match function {
        // Code outside of functions, or a function without a name, is known by its file.
        "" | "<anonymous>" | "Object.<anonymous>" => file.rsplit('/').next().unwrap_or(file),
        function => function,
    };
    Some(TextFrame::new(name, Some(file)))
}

/// A fatal error of V8: `# Fatal error in ../src/x.cc, line 12`, followed by `# Check failed: x`.
pub(super) fn read_engine(lines: &[&str], _: &VariantFiles) -> Option<Crash> {
    let at = lines.iter().position(|line| line.contains("# Fatal error in"))?;
    let place = lines[at].split_once("# Fatal error in")?.1.trim();
    let message = lines.get(at + 1).map(|line| line.trim_start_matches('#').trim().to_owned());
    Some(Crash {
        location: Some(place.replace(", line ", ":")).filter(|place| !place.is_empty()),
        message,
        ..Crash::reported("fatal error of V8", Vec::new())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crash(text: &str) -> Option<Crash> {
        let lines: Vec<&str> = text.lines().collect();
        read(&lines, &VariantFiles::named(["x.js".to_owned()]))
    }

    #[test]
    fn an_error_is_its_class_message_and_function() {
        let text = "/lib/parser.js:3\n    throw e;\n    ^\n\nTypeError: Cannot read properties of undefined (reading 'a')\n    \
            at Object.openSync (node:fs:3:4)\n    at Parser.next [as get] (/lib/parser.js:3:4)\n    at x (./x.js:1:1)\n\nNode.js v18\n";
        let found = crash(text).unwrap();
        assert_eq!(found.cause.to_string(), "TypeError");
        assert_eq!(found.culprit.as_deref(), Some("Parser.next"));
        let prefixed = "[error] x.ts: Error: Comment \"a\" was not printed. Please report this error!\n\
                        [error]     at Rn (file:///lib/index.mjs:3:4)\n[error]     at async core (file:///lib/i.mjs:3:4)\n";
        let found = crash(prefixed).unwrap();
        assert_eq!(found.culprit.as_deref(), Some("Rn ← core"));
        assert!(found.message.unwrap().starts_with("Comment"));
    }

    #[test]
    fn functions_of_the_input_do_not_count() {
        let text = "ReferenceError: a is not defined\n    at work (./x.js:1:1)\n    at Module._compile (node:internal/m:1:2)\n";
        let found = crash(text).unwrap();
        assert_eq!((found.culprit, found.frames.len()), (None, 2));
        let unnamed =
            "ERROR: Cannot read properties of null\n    at Walker._walk (/lib/w.js:1:1)\n";
        assert_eq!(crash(unnamed).unwrap().culprit.as_deref(), Some("Walker._walk"));
        assert_eq!(crash("Error: no stack\n"), None);
        assert_eq!(crash("Error: we met\n  at noon\n"), None);
    }
}
