//! Texts that grammars do not understand are given up after a counted amount of work, on every machine alike.

use std::cell::Cell;
use wynot_subjects::{Language, NotParsed};
use wynot_test_support::HostileText;

fn parse(language: &str, text: &[u8]) -> Result<usize, NotParsed> {
    let language = Language::named(language).unwrap();
    language.try_parse(text, &|| false).map(|tree| tree.nodes().len())
}

/// Without a budget, each of these takes from seconds to hours, and the third many gigabytes of memory.
#[test]
fn texts_that_grammars_do_not_understand_are_given_up() {
    let hostile = [
        ("c", HostileText::Tokens),
        ("go", HostileText::Brackets),
        ("c", HostileText::Casts),
        ("cpp", HostileText::Casts),
        ("javascript", HostileText::Brackets),
        ("bash", HostileText::Casts),
        ("typescript", HostileText::Elements),
        ("xml", HostileText::OpenTags),
        ("html", HostileText::OpenTags),
    ];
    for (language, kind) in hostile {
        let text = kind.text(300_000);
        assert_eq!(parse(language, &text), Err(NotParsed::TooCostly), "{language}: {kind:?}");
        let tree = Language::named(language).unwrap().parse(&text);
        assert!(tree.nodes().len() > 1_000 && tree.errors == 0, "{language}: {kind:?}");
    }
}

#[test]
fn long_texts_that_grammars_understand_are_parsed() {
    let understood = [
        ("c", "int f(int x, char *y) { return x + 1 < y[2] ? g(x, \"s\") : 0; }\n"),
        ("cpp", "template<class T> struct S : T { T f() { return T(); } };\n"),
        ("rust", "fn f(x: u8) -> Option<u8> { x.checked_add(1).map(|y| y * 2) }\n"),
        ("javascript", "a=b+1;c(d,e=>{f[g]?h:i});\n"),
        ("xml", "<a b=\"c\"><d>e</d><f/></a>\n"),
        ("html", "<p class=x>text<br></p>\n"),
        ("sql", "SELECT a, COUNT(*) FROM t WHERE b = 1 GROUP BY a;\n"),
        ("bash", "if true; then echo \"$x\" | sort; fi\n"),
        ("python", "def f(x):\n    return [y + 1 for y in x]\n"),
    ];
    for (language, part) in understood {
        let text = part.repeat(300_000 / part.len());
        assert!(parse(language, text.as_bytes()).is_ok(), "{language}");
    }
}

/// Code is often a little outside of its grammar: dialects, macros, parts that a reduction has cut.
#[test]
fn short_texts_with_many_errors_are_parsed() {
    for kind in [HostileText::Tokens, HostileText::Macros, HostileText::OldFunctions] {
        for language in ["c", "cpp", "java", "rust"] {
            assert!(parse(language, &kind.text(4_000)).is_ok(), "{language}: {kind:?}");
        }
    }
}

#[test]
fn a_parser_ends_soon_after_it_is_asked_to() {
    let text = "int f(int x) { return x + 1; }\n".repeat(100_000);
    let language = Language::named("c").unwrap();
    let questions = Cell::new(0);
    let is_stopped = || {
        questions.set(questions.get() + 1);
        questions.get() >= 100
    };
    let tree = language.try_parse(text.as_bytes(), &is_stopped);
    assert_eq!(tree.map(|tree| tree.nodes().len()), Err(NotParsed::Stopped));
    assert_eq!(questions.get(), 100);
}
