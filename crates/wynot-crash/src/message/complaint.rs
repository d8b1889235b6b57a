//! The lines of an output that complain.

use super::json_error::json_error;
use super::message_words::{Word, constant_words, without_colours};
use aho_corasick::AhoCorasick;
use std::borrow::Cow;
use std::sync::LazyLock;

/// The maximum number of complaints that are read from an output.
const MAX_COMPLAINTS: usize = 100;

/// The maximum number of characters of a complaint that are shown.
const MAX_SHOWN_CHARS: usize = 300;

/// Texts that mark a line as an error message, in lower case.
const ERROR_WORDS: [&str; 35] = [
    "[emerg]",
    "[alert]",
    "[crit]",
    "error",
    "exception",
    "panic",
    "assert",
    "fatal",
    "fault",
    "abort",
    "fail",
    "cannot",
    "can't",
    "could not",
    "couldn't",
    "unable to",
    "invalid",
    "illegal",
    "unexpected",
    "expected",
    "undefined",
    "unknown",
    "unsupported",
    "unrecognized",
    "corrupt",
    "denied",
    "missing",
    "not found",
    "no such",
    "overflow",
    "out of range",
    "out of bounds",
    "not allowed",
    "multiple definition",
    "conflict",
];

/// Texts that mark a line as an error message if no line has one of [`ERROR_WORDS`], in lower case.
const WEAK_ERROR_WORDS: [&str; 23] = [
    "already",
    "ambiguous",
    "bad ",
    "by zero",
    "different",
    "does not",
    "doesn't",
    "duplicate",
    "in place of",
    "instead of",
    "is not",
    "malformed",
    "mismatch",
    "must ",
    "never ",
    "not defined",
    "refuse",
    "too ",
    "unbound",
    "unresolved",
    "unterminated",
    "violat",
    "wrong",
];

/// Texts that mark a line as something else than an error message, in lower case.
const HARMLESS_WORDS: [&str; 8] =
    ["warning:", "note:", "info:", "help:", "debug:", "warning[", " 0 errors", "no errors"];

/// What shells print about a program that died by a signal.
const DEATH_NOTICES: [&str; 9] = [
    "Aborted",
    "Segmentation fault",
    "Illegal instruction",
    "Floating point exception",
    "Bus error",
    "Bad system call",
    "Trace/breakpoint trap",
    "Terminated",
    "Killed",
];

/// A line of an output, or an error object in it, that complains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The complaint as it was printed, shortened for display.
    pub printed: String,
    pub(crate) words: Vec<Word>,
}

impl Complaint {
    /// A complaint of a line.
    fn of_line(line: &str) -> Self {
        let shown = without_colours(line.trim());
        let printed = shown.chars().take(MAX_SHOWN_CHARS).collect();
        Self { printed, words: constant_words(line) }
    }

    /// The complaints of an output, of which the first says what the failure is. Error messages come first, those
    /// on standard error before those on standard output, and those of shells about programs that died last. If there
    /// is none, the first line on standard error that sounds like one is the complaint, or the last one.
    pub fn all(stdout: &[u8], stderr: &[u8]) -> Vec<Self> {
        let (stdout, stderr) = (String::from_utf8_lossy(stdout), String::from_utf8_lossy(stderr));
        let (mut all, mut death_notices) = (Vec::new(), Vec::new());
        for text in [&stderr, &stdout] {
            if let Some((printed, words)) = json_error(text) {
                let printed = printed.chars().take(MAX_SHOWN_CHARS).collect();
                all.push(Self { printed, words });
                continue;
            }
            let (notices, messages): (Vec<Cow<'_, str>>, Vec<Cow<'_, str>>) =
                error_messages(text).partition(|line| is_death_notice(line));
            for (lines, complaints) in [(messages, &mut all), (notices, &mut death_notices)] {
                let lines = lines.into_iter().map(|line| Self::of_line(&line));
                let read = lines.filter(|complaint| !complaint.words.is_empty());
                complaints.extend(read.take(MAX_COMPLAINTS));
            }
        }
        all.append(&mut death_notices);
        if all.is_empty() {
            let weak = without_quotations(&stderr).filter(|line| is_weak_error_message(line));
            let lines = weak.chain(stderr.lines().rev()).map(Self::of_line);
            all.extend(lines.into_iter().find(|complaint| !complaint.words.is_empty()));
        }
        all
    }
}

/// The error messages of an output. One that ends with a colon and has no error message below it goes on in the next line.
fn error_messages(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let mut lines = without_quotations(text).filter(|line| !line.trim().is_empty()).peekable();
    std::iter::from_fn(move || {
        let line = lines.next()?;
        let next = lines.peek().filter(|next| !is_error_message(next));
        Some(match line.trim_end().strip_suffix(':').zip(next) {
            Some((head, next)) if is_error_message(head) => {
                Some(Cow::Owned(format!("{head}: {}", next.trim_start())))
            }
            _ => is_error_message(line).then_some(Cow::Borrowed(line)),
        })
    })
    .flatten()
}

/// The lines of an output that are not quoted from a source. Quoted lines have a bar in front, with or without the number of the
/// line, or a mark below.
fn without_quotations(text: &str) -> impl Iterator<Item = &str> {
    let has_bar = |line: &str| {
        line.trim_start()
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .trim_start()
            .starts_with('|')
    };
    let is_mark = |line: &str| {
        let line = line.trim();
        line.contains('^') && line.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'^' | b'~'))
    };
    let next = text.lines().skip(1).map(Some).chain([None]);
    let lines = text.lines().zip(next);
    lines
        .filter(move |(line, next)| !has_bar(line) && !next.is_some_and(is_mark))
        .map(|(line, _)| line)
}

/// Finds the words that mark error messages.
static ERROR_WORD: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let mut builder = AhoCorasick::builder();
    let matcher = builder.ascii_case_insensitive(true).build(ERROR_WORDS);
    matcher.expect("a few short words make a small automaton")
});

/// Finds the words that mark error messages where no line has a better one.
static WEAK_ERROR_WORD: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let mut builder = AhoCorasick::builder();
    let matcher = builder.ascii_case_insensitive(true).build(WEAK_ERROR_WORDS);
    matcher.expect("a few short words make a small automaton")
});

/// Whether a line sounds like an error message.
fn is_weak_error_message(line: &str) -> bool {
    let lower = line.trim_end().to_ascii_lowercase();
    !lower.ends_with(':')
        && WEAK_ERROR_WORD.is_match(&lower)
        && !HARMLESS_WORDS.iter().any(|word| lower.contains(word))
}

/// Whether a line is an error message: it says so, or it begins with a line of a file.
fn is_error_message(line: &str) -> bool {
    let line = line.trim_end();
    // Most lines of a long output end here.
    if !begins_with_place(line) && !ERROR_WORD.is_match(line) {
        return false;
    }
    let lower = line.to_ascii_lowercase();
    // A line that ends with a colon introduces others: `x.c: In function 'f':`.
    let is_harmless = line.ends_with(':') || HARMLESS_WORDS.iter().any(|word| lower.contains(word));
    !is_harmless && !is_summary(&lower)
}

/// Whether a line is what a shell prints about a program that died by a signal: `Aborted (core dumped)`, or
/// `./t: line 3:  4711 Segmentation fault      ./prog`.
fn is_death_notice(line: &str) -> bool {
    let line = line.trim();
    let after_process = || {
        let (_, rest) = line.split_once(": line ")?;
        let (_, rest) = rest.split_once(':')?;
        Some(rest.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()).trim_start())
    };
    DEATH_NOTICES.iter().any(|&notice| {
        let rest = line.strip_prefix(notice).map(str::trim);
        let is_all = rest.is_some_and(|rest| rest.is_empty() || rest == "(core dumped)");
        is_all || after_process().is_some_and(|rest| rest.starts_with(notice))
    })
}

/// Whether a line, in lower case, only counts errors or reports that a program has failed: `2 errors generated`,
/// `error: aborting due to 1 previous error`, `collect2: error: ld returned 1 exit status`, `make: *** [all] Error 2`.
fn is_summary(line: &str) -> bool {
    let words: Vec<&str> =
        line.split_whitespace().map(|word| word.trim_matches(['(', ')', '.', ',', ';'])).collect();
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    words.windows(2).any(|pair| match *pair {
        ["exit", "status" | "code"] | ["previous", "error" | "errors"] | ["not", "compile"] => true,
        [count, "error" | "errors" | "failure" | "failures"] => is_number(count),
        ["error", count] => is_number(count) && words.contains(&"***"),
        _ => false,
    })
}

/// Whether a line begins with a place such as `x.c:3:` or `x.c:(.text+0x5):`.
fn begins_with_place(line: &str) -> bool {
    let Some(first) = line.split_whitespace().next() else { return false };
    let Some((file, rest)) = first.split_once(':') else { return false };
    let has_line = rest.starts_with(|c: char| c.is_ascii_digit() || c == '(');
    file.contains('.') && has_line && rest.ends_with(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(stdout: &str, stderr: &str) -> Option<String> {
        let first = Complaint::all(stdout.as_bytes(), stderr.as_bytes()).into_iter().next();
        first.map(|complaint| complaint.printed)
    }

    #[test]
    fn the_first_error_message_is_the_complaint() {
        let gcc = "x.c: In function 'f':\nx.c:2:1: warning: fatal flaw\nx.c:3:1: error: bad\nx.c:4:1: error: worse\n";
        assert_eq!(first("", gcc).as_deref(), Some("x.c:3:1: error: bad"));
        let linker = "/usr/bin/ld: /tmp/x.o: in function `main':\nx.c:(.text+0x5): undefined reference to `f'\n\
                      collect2: error: ld returned 1 exit status\n";
        assert_eq!(
            first("", linker).as_deref(),
            Some("x.c:(.text+0x5): undefined reference to `f'")
        );
        assert_eq!(
            first("x.py:1:1: F401 'os' unused\n", "").as_deref(),
            Some("x.py:1:1: F401 'os' unused")
        );
    }

    #[test]
    fn lines_that_are_quoted_from_a_source_are_no_complaints() {
        let rustc = "warning: unused variable: `error`\n --> a.rs:1:13\n  |\n1 | fn f(){let error = 1;}\n  |            ^^^^^ cannot be used\n\n\
                     error[E0382]: use of moved value: `x`\n --> a.rs:2:9\n  |\n2 | g(x);\n  |   ^ value used here after it cannot\n";
        let all = Complaint::all(b"", rustc.as_bytes());
        let all: Vec<&str> = all.iter().map(|complaint| complaint.printed.as_str()).collect();
        assert_eq!(all, ["error[E0382]: use of moved value: `x`"]);
        let javac = "A.java:3: warning: odd\n  int error = 1;\n      ^\nA.java:4: error: bad\n  fail();\n  ^~~~\n";
        assert_eq!(first("", javac).as_deref(), Some("A.java:4: error: bad"));
        assert_eq!(Complaint::all(b"", javac.as_bytes()).len(), 1);
        assert_eq!(first("", "error | bad\n").as_deref(), Some("error | bad"));
    }

    #[test]
    fn what_a_shell_prints_about_a_dead_program_says_least() {
        for notice in [
            "Aborted",
            "Segmentation fault (core dumped)",
            "./t: line 2:  4711 Aborted                 (core dumped) ./prog x",
        ] {
            let with_error = format!("{notice}\nerror: the tool crashes\n");
            assert_eq!(first("", &with_error).as_deref(), Some("error: the tool crashes"));
            assert_eq!(first("", &format!("{notice}\n")).as_deref(), Some(notice));
        }
        assert!(!is_death_notice("Aborted by the user") && !is_death_notice("x: Bus error"));
    }

    #[test]
    fn counts_of_errors_are_no_errors() {
        let rustc = "error[E0502]: cannot borrow `x`\n\nerror: aborting due to 1 previous error; 2 warnings emitted\n";
        assert_eq!(Complaint::all(b"", rustc.as_bytes()).len(), 1);
        for line in [
            "1 error generated.",
            "make: *** [Makefile:2: all] Error 1",
            "error: could not compile `x`",
        ] {
            assert!(!is_error_message(line), "{line}");
        }
        assert!(
            is_error_message("x.c:3: error 77 in line 3") && is_error_message("found 3 bad errors")
        );
    }

    #[test]
    fn a_message_may_go_on_behind_a_colon() {
        let cmake =
            "CMake Error at x.cmake:3 (list):\n  list index: 3, too large\n\nCMake Error: stop\n";
        let first_of_cmake = "CMake Error at x.cmake:3 (list): list index: 3, too large";
        assert_eq!(first("", cmake).as_deref(), Some(first_of_cmake));
        let ghc = "x.hs:3:5: error:\n    Couldn't match the type\n";
        assert_eq!(first("", ghc).as_deref(), Some("Couldn't match the type"));
    }

    #[test]
    fn words_that_are_rarely_about_errors_are_enough_if_there_is_nothing_better() {
        let tcl =
            "divide by zero\n    while executing\n\"expr {1/0}\"\n    (file \"x.tcl\" line 1)\n";
        assert_eq!(first("", tcl).as_deref(), Some("divide by zero"));
        let nginx = "nginx: [emerg] duplicate location\nnginx: configuration file x test failed\n";
        assert_eq!(first("", nginx).as_deref(), Some("nginx: [emerg] duplicate location"));
        assert_eq!(first("", "this is not it\nerror: that\n").as_deref(), Some("error: that"));
    }

    #[test]
    fn the_last_line_on_standard_error_is_better_than_nothing() {
        assert_eq!(first("< a\n> b\n", "reading\nthat is odd\n").as_deref(), Some("that is odd"));
        assert_eq!(first("< a\n> b\n", ""), None);
        assert_eq!(first("all is well\n", "\n ^~~~ \n"), None);
    }
}
