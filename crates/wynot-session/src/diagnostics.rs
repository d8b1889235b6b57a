//! The names and places in the messages of a build or a run that did not work: an identifier that is not declared, a field
//! that is unknown, a module that is missing, and the line that uses it.
//!
//! Compilers and interpreters put names between quotation marks, or beside a few fixed words. Which of the names matter is
//! for the caller to find out: most of them have nothing to do with what varies.

use crate::package_names::add_packages;
use regex::bytes::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;
use wynot_supervisor::{BUILD_FAILED, Observation};

/// The largest number of names and places that are kept.
const MAX_MENTIONED: usize = 120;

/// The largest length of a quotation that counts as a name. Longer ones are source code.
const MAX_QUOTED_BYTES: usize = 120;

/// Words that are quoted or stand in messages, but name nothing that a program defines.
const NO_NAMES: [&str; 45] = [
    "int",
    "char",
    "void",
    "const",
    "struct",
    "unsigned",
    "long",
    "short",
    "static",
    "extern",
    "float",
    "double",
    "bool",
    "size_t",
    "string",
    "number",
    "error",
    "note",
    "warning",
    "from",
    "the",
    "this",
    "type",
    "function",
    "object",
    "undefined",
    "null",
    "None",
    "self",
    "str",
    "expected",
    "unexpected",
    "before",
    "token",
    "has",
    "not",
    "is",
    "in",
    "of",
    "to",
    "import",
    "module",
    "name",
    "argument",
    "or",
];

/// Lines that say what is wrong.
static COMPLAINT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)error|undefined|undeclared|not defined|not declared|redeclared|redefin|conflicting|duplicate|multiple definition|unresolved|cannot find|can't find|not found|no member|no such|no field|no method|no attribute|unknown|is not a|not exported|does not provide|takes \d|missing|too few|too many|not enough|unexpected|implicit declaration|symbol:|unused",
    )
});

/// Lines of compilers, linkers and interpreters that name an error. Commands that a build prints do not.
static FIRST_COMPLAINT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\berror:|\*\*\* |[a-z]*(Error|Exception)\b: |undefined (reference|symbol)|multiple definition|undeclared|no such file|not found|cannot (find|open|import)|unrecognized|unknown option",
    )
});

/// Quotations in the styles of compilers and interpreters.
static QUOTED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"‘([^’]*)’|`([^'`]*)['`]|'([^']*)'|"([^"]*)""#));

/// Names that are not quoted, beside the words that introduce them.
static UNQUOTED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"undefined: ([\w.$]+)|\b([\w.$]+) (?:redeclared|undefined|is undefined|is not defined|is not a (?:function|constructor)|declared and not used)\b|(?:call to|method|field|imported and not used:?) ([\w.$]+)|\b([\w.$]+)\(\) (?:takes|missing|got)|symbol: +\w+ ([\w.$]+)|location: +\w+ ([\w.$]+)",
    )
});

/// A file and a line of it, in the styles of compilers, linkers and Python.
static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?:^|[\s(])([\w./+-]+\.\w+)[:(](\d+)[:,)]|File "([^"]+)", line (\d+)|--> ([\w./+-]+):(\d+)"#,
    )
});

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is valid")
}

/// The names and places in the output of a run. Places have the form `PATH:LINE`.
pub(crate) fn mentioned(observation: &Observation) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for output in [&observation.stderr, &observation.stdout] {
        for line in output.kept.split(|&byte| byte == b'\n') {
            let place = PLACE.captures(line).and_then(|parts| {
                let mut groups = parts.iter().skip(1).flatten();
                Some((groups.next()?.as_bytes(), groups.next()?.as_bytes()))
            });
            if let Some((path, number)) = place {
                let (path, number) =
                    (String::from_utf8_lossy(path), String::from_utf8_lossy(number));
                found.insert(format!("{path}:{number}"));
            }
            add_packages(line, &mut found);
            if COMPLAINT.is_match(line) {
                add_names(line, &mut found);
            }
            if found.len() > MAX_MENTIONED {
                return found;
            }
        }
    }
    found
}

/// The first line of the output that says what is wrong.
pub(crate) fn complaint(observation: &Observation) -> Option<String> {
    let outputs = [&observation.stderr, &observation.stdout];
    let mut lines = outputs.iter().flat_map(|output| output.kept.split(|&byte| byte == b'\n'));
    let is_own = |line: &[u8]| BUILD_FAILED.starts_with(line.trim_ascii());
    let line = lines.find(|line| FIRST_COMPLAINT.is_match(line) && !is_own(line))?;
    Some(String::from_utf8_lossy(line.trim_ascii()).into_owned())
}

/// Whether the output names a line of a file, as compilers do for what they do not accept.
pub fn names_a_line(observation: &Observation) -> bool {
    [&observation.stderr, &observation.stdout]
        .iter()
        .any(|output| output.kept.split(|&byte| byte == b'\n').any(|line| PLACE.is_match(line)))
}

/// Adds the names in a line: those between quotation marks, and those beside fixed words.
fn add_names(line: &[u8], found: &mut BTreeSet<String>) {
    for pattern in [&*QUOTED, &*UNQUOTED] {
        for parts in pattern.captures_iter(line) {
            let Some(text) = parts.iter().skip(1).flatten().next() else { continue };
            if text.len() > MAX_QUOTED_BYTES {
                continue;
            }
            let text = String::from_utf8_lossy(text.as_bytes());
            let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$'));
            let is_name = |word: &&str| {
                !word.is_empty()
                    && !word.starts_with(|c: char| c.is_ascii_digit())
                    && !NO_NAMES.contains(word)
            };
            found.extend(words.filter(is_name).map(str::to_owned));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use wynot_supervisor::{Ending, Output};

    fn names_in(stderr: &str) -> Vec<String> {
        let kept = stderr.as_bytes().to_vec();
        let observation = Observation {
            ending: Ending::Exit(1),
            stdout: Output::default(),
            stderr: Output { total: kept.len() as u64, kept },
            elapsed: Duration::ZERO,
            cpu: Duration::ZERO,
            waited: Duration::ZERO,
            memory: 0,
            build: Duration::ZERO,
            crash: None,
            read: None,
        };
        mentioned(&observation).into_iter().collect()
    }

    #[test]
    fn messages_of_compilers_and_interpreters_name_what_is_missing() {
        for (message, names) in [
            (
                "a.c:7:3: error: ‘next_row’ undeclared (first use in this function)",
                &["a.c:7", "next_row"][..],
            ),
            (
                "a.c:7:3: error: 'struct row' has no member named 'limit'",
                &["a.c:7", "limit", "row"],
            ),
            ("a.c:9:5: error: too few arguments to function ‘split’", &["a.c:9", "split"]),
            (
                "b.o: in function `main':\nb.c:(.text+0x5): undefined reference to `join_rows'",
                &["join_rows"],
            ),
            (
                "error[E0425]: cannot find function `join` in this scope\n --> src/lib.rs:4:9",
                &["join", "src/lib.rs:4"],
            ),
            ("./rows.go:12:9: undefined: joinRows", &["./rows.go:12", "joinRows"]),
            (
                "./rows.go:3:4: r.Limit undefined (type Row has no field or method Limit)",
                &["./rows.go:3", "Limit", "r"],
            ),
            (
                "Rows.java:5: error: cannot find symbol\n  symbol:   method join(Row)",
                &["Rows.java:5", "join"],
            ),
            ("rows.ts(4,5): error TS2304: Cannot find name 'join'.", &["join", "rows.ts:4"]),
            (
                "  File \"a.py\", line 3, in f\nNameError: name 'join' is not defined",
                &["a.py:3", "join"],
            ),
            ("AttributeError: module 'rows' has no attribute 'join'", &["join", "rows"]),
            ("ImportError: cannot import name 'join' from 'rows' (rows.py)", &["join", "rows"]),
            ("TypeError: join() takes 1 positional argument but 2 were given", &["join"]),
            ("ReferenceError: joinRows is not defined", &["joinRows"]),
            ("TypeError: rows.join is not a function", &["join", "rows"]),
            ("compiling rows 'x'", &[]),
        ] {
            assert_eq!(names_in(message), names, "{message}");
        }
    }
}
