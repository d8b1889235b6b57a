//! Small submissions that work, one for each question.

use crate::store::ServedVerb;

/// A submission that fills the form.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names are those of the fields of the form")]
pub struct SubmissionExample {
    pub verb: ServedVerb,
    pub title: &'static str,
    pub test: &'static str,
    pub pass: &'static str,
    pub fail: &'static str,
    pub options: &'static str,
    pub pasted: &'static str,
    pub pasted_name: &'static str,
    pub pasted_passing: &'static str,
    pub passing_name: &'static str,
    /// Files that are saved and chosen.
    pub files: &'static [ExampleFile],
}

/// A file of an example.
#[derive(Debug)]
pub struct ExampleFile {
    /// Its name.
    pub name: &'static str,
    /// The name of the field in which it is chosen.
    pub role: &'static str,
    /// What it is.
    pub note: &'static str,
    /// Its contents.
    pub bytes: &'static [u8],
}

const EMPTY: SubmissionExample = SubmissionExample {
    verb: ServedVerb::Reduce,
    title: "",
    test: "",
    pass: "",
    fail: "",
    options: "",
    pasted: "",
    pasted_name: "",
    pasted_passing: "",
    passing_name: "",
    files: &[],
};

const PAGE: &str = include_str!("examples/page.html");

const PAGE_THAT_PRINTS: &str = include_str!("examples/page-that-prints.html");

/// Fails if a page has a list, as a browser once did.
const PRINT: &str =
    r#"sh -c 'if grep -q "<SELECT" "$1"; then echo "cannot print a list" >&2; exit 1; fi' sh {}"#;

static EXAMPLES: [SubmissionExample; 6] = [
    SubmissionExample {
        verb: ServedVerb::Reduce,
        title: "Printing this page crashes",
        test: PRINT,
        pasted: PAGE,
        pasted_name: "page.html",
        ..EMPTY
    },
    SubmissionExample {
        verb: ServedVerb::Isolate,
        title: "This page prints, that one does not",
        test: PRINT,
        pasted: PAGE,
        pasted_name: "page.html",
        pasted_passing: PAGE_THAT_PRINTS,
        passing_name: "page-that-prints.html",
        ..EMPTY
    },
    SubmissionExample {
        verb: ServedVerb::Options,
        title: "Wrong code with some of these options",
        test: r#"sh -c 'case "$*" in *--unroll*--fast*) echo "wrong code" >&2; exit 1;; esac' sh {options}"#,
        options: "--vary '--level=3 --unroll --inline --fast --verbose'",
        ..EMPTY
    },
    SubmissionExample {
        verb: ServedVerb::Changes,
        title: "It worked in version 1",
        test: r#"sh -c 'if grep -q "size - 1" average.py; then echo "wrong average" >&2; exit 1; fi'"#,
        files: &[
            ExampleFile {
                name: "version-1.tar.gz",
                role: "good",
                note: "the version that works",
                bytes: include_bytes!("examples/version-1.tar.gz"),
            },
            ExampleFile {
                name: "version-2.tar.gz",
                role: "bad",
                note: "the version that fails",
                bytes: include_bytes!("examples/version-2.tar.gz"),
            },
        ],
        ..EMPTY
    },
    SubmissionExample {
        verb: ServedVerb::History,
        title: "Which commit broke the average?",
        test: r#"sh -c 'if grep -q "size - 1" average.py; then echo "wrong average" >&2; exit 1; fi'"#,
        files: &[ExampleFile {
            name: "average.bundle",
            role: "repository",
            note: "a history of six commits",
            bytes: include_bytes!("examples/average.bundle"),
        }],
        ..EMPTY
    },
    SubmissionExample {
        verb: ServedVerb::Explain,
        title: "A crash with 5, and none with 10",
        pass: "./lookup 10",
        fail: "./lookup 5",
        files: &[ExampleFile {
            name: "lookup.c",
            role: "",
            note: "compile it with gcc -g -o lookup lookup.c, and choose the program as a file that the command needs",
            bytes: include_bytes!("examples/lookup.c"),
        }],
        ..EMPTY
    },
];

impl SubmissionExample {
    /// The example of a question.
    pub fn of(verb: ServedVerb) -> &'static Self {
        EXAMPLES.iter().find(|example| example.verb == verb).unwrap_or(&EXAMPLES[0])
    }

    /// The contents of the file with a name.
    pub fn file(name: &str) -> Option<&'static [u8]> {
        let mut files = EXAMPLES.iter().flat_map(|example| example.files);
        files.find(|file| file.name == name).map(|file| file.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_question_has_an_example() {
        for verb in ServedVerb::ALL {
            assert_eq!(SubmissionExample::of(verb).verb, verb);
        }
        assert!(SubmissionExample::file("average.bundle").is_some());
        assert_eq!(SubmissionExample::file("../page.html"), None);
    }
}
