//! The languages wynot knows: how to recognise them, parse them, and what their rules are.
//!
//! Adding a language is one entry in [`ALL`]. Syntax only proposes what to try; a language that is
//! missing or a text that does not parse costs tests, never correctness.

use crate::grammar::{self, Grammar};
use crate::reader::{self, Grain};
use crate::{Tree, dimacs};
use std::ops::Range;
use std::path::Path;

/// Above this many bytes a text is read coarsely; a program, where it matters who names whom, later.
const COARSE: usize = 2 << 20;
const COARSE_PROGRAM: usize = 32 << 20;

/// With more brackets than this around a place, too.
const DEEP: usize = 5_000;

/// How a text of the language is read.
#[derive(Clone, Copy, Debug)]
enum Syntax {
    TreeSitter(Grammar),
    SExpressions,
    Dimacs,
    Brackets,
}

/// Finds a header in a text and says what it has to be.
pub type Header = fn(&[u8]) -> Option<(Range<usize>, Vec<u8>)>;

/// A language and its rules. Kinds are those of its grammar.
#[derive(Clone, Copy, Debug)]
pub struct Language {
    /// Its name on the command line.
    pub name: &'static str,
    extensions: &'static [&'static str],
    syntax: Syntax,
    /// What a function's body becomes when its contents do not matter.
    pub body: Option<&'static str>,
    /// A form whose argument may become something trivial everywhere, such as a formula that is asserted.
    pub trivial: Option<(&'static str, &'static str)>,
    /// What an expression may become.
    pub expressions: &'static [&'static str],
    /// What a type may become.
    pub types: &'static [&'static str],
    /// What a statement or an item in a block may become, where it cannot simply go.
    pub statements: &'static [&'static str],
    /// Kinds that belong to the sibling behind them, such as attributes.
    pub attached: &'static [&'static str],
    /// Whether what nobody names may go together with its last use.
    pub declares: bool,
    /// The header of a text that counts what follows: where it is, and what it has to be.
    pub header: Option<Header>,
    /// Whether the position of line ends and blanks matters.
    pub layout: bool,
}

/// What is true of a language until its entry says otherwise.
const PLAIN: Language = Language {
    name: "text",
    extensions: &[],
    syntax: Syntax::Brackets,
    body: None,
    trivial: None,
    expressions: &[],
    types: &[],
    statements: &[],
    attached: &[],
    declares: false,
    header: None,
    layout: false,
};

/// All languages; the first whose extension fits is taken.
pub const ALL: &[Language] = &[
    Language {
        name: "c",
        extensions: &["c", "h", "i"],
        syntax: Syntax::TreeSitter(grammar::C),
        body: Some("{}"),
        expressions: &["0"],
        types: &["int"],
        statements: &[";"],
        declares: true,
        ..PLAIN
    },
    Language {
        name: "cpp",
        extensions: &["cc", "cpp", "cxx", "hh", "hpp", "hxx", "ii"],
        syntax: Syntax::TreeSitter(grammar::CPP),
        body: Some("{}"),
        expressions: &["0"],
        types: &["int"],
        statements: &[";"],
        declares: true,
        ..PLAIN
    },
    Language {
        name: "rust",
        extensions: &["rs"],
        syntax: Syntax::TreeSitter(grammar::RUST),
        body: Some("{loop{}}"),
        expressions: &["loop{}", "0"],
        types: &["()"],
        attached: &["attribute_item"],
        declares: true,
        ..PLAIN
    },
    Language {
        name: "javascript",
        extensions: &["js", "mjs", "cjs", "jsx"],
        syntax: Syntax::TreeSitter(grammar::JAVASCRIPT),
        body: Some("{}"),
        expressions: &["0"],
        statements: &[";"],
        declares: true,
        ..PLAIN
    },
    Language {
        name: "typescript",
        extensions: &["ts", "mts", "cts"],
        syntax: Syntax::TreeSitter(grammar::TYPESCRIPT),
        body: Some("{}"),
        expressions: &["0"],
        types: &["any"],
        statements: &[";"],
        declares: true,
        ..PLAIN
    },
    Language {
        name: "tsx",
        extensions: &["tsx"],
        syntax: Syntax::TreeSitter(grammar::TSX),
        body: Some("{}"),
        expressions: &["0"],
        types: &["any"],
        statements: &[";"],
        declares: true,
        ..PLAIN
    },
    Language {
        name: "python",
        extensions: &["py", "pyi"],
        syntax: Syntax::TreeSitter(grammar::PYTHON),
        body: Some("pass"),
        expressions: &["0"],
        statements: &["pass"],
        declares: true,
        layout: true,
        ..PLAIN
    },
    Language {
        name: "java",
        extensions: &["java"],
        syntax: Syntax::TreeSitter(grammar::JAVA),
        body: Some("{}"),
        expressions: &["0", "null"],
        types: &["int"],
        statements: &[";"],
        declares: true,
        ..PLAIN
    },
    Language {
        name: "go",
        extensions: &["go"],
        syntax: Syntax::TreeSitter(grammar::GO),
        body: Some("{}"),
        expressions: &["0", "nil"],
        types: &["int"],
        declares: true,
        ..PLAIN
    },
    Language {
        name: "json",
        extensions: &["json", "jsonl", "ndjson"],
        syntax: Syntax::TreeSitter(grammar::JSON),
        expressions: &["0"],
        ..PLAIN
    },
    Language {
        name: "xml",
        extensions: &["xml", "svg", "xsd", "xsl"],
        syntax: Syntax::TreeSitter(grammar::XML),
        ..PLAIN
    },
    Language {
        name: "html",
        extensions: &["html", "htm", "xhtml"],
        syntax: Syntax::TreeSitter(grammar::HTML),
        ..PLAIN
    },
    Language {
        name: "css",
        extensions: &["css"],
        syntax: Syntax::TreeSitter(grammar::CSS),
        ..PLAIN
    },
    Language {
        name: "sql",
        extensions: &["sql"],
        syntax: Syntax::TreeSitter(grammar::SQL),
        expressions: &["0", "1"],
        ..PLAIN
    },
    Language {
        name: "bash",
        extensions: &["sh", "bash"],
        syntax: Syntax::TreeSitter(grammar::BASH),
        statements: &[":"],
        layout: true,
        ..PLAIN
    },
    Language {
        name: "smt2",
        extensions: &["smt2", "smt", "sl"],
        syntax: Syntax::SExpressions,
        trivial: Some(("assert", "false")),
        expressions: &["true", "false", "0"],
        declares: true,
        ..PLAIN
    },
    Language {
        name: "lisp",
        extensions: &["lisp", "el", "scm", "clj", "rkt"],
        syntax: Syntax::SExpressions,
        expressions: &["0"],
        ..PLAIN
    },
    Language {
        name: "dimacs",
        extensions: &["cnf", "dimacs"],
        syntax: Syntax::Dimacs,
        header: Some(dimacs::header),
        layout: true,
        ..PLAIN
    },
    Language { extensions: &["txt"], ..PLAIN },
];

impl Language {
    /// By its name on the command line.
    pub fn named(name: &str) -> Option<&'static Self> {
        ALL.iter().find(|language| language.name == name)
    }

    /// By the name of a file, else by its first bytes, else text of unknown syntax.
    pub fn guess(name: &Path, text: &[u8]) -> &'static Self {
        let extension = name.extension().and_then(|extension| extension.to_str());
        let by_name = extension.and_then(|extension| {
            ALL.iter().find(|language| language.extensions.contains(&extension))
        });
        by_name.unwrap_or_else(|| by_content(text))
    }

    /// The tree by brackets, lines and words alone, whatever the language.
    pub fn parse_brackets(text: &[u8]) -> Tree {
        PLAIN.parse(text)
    }

    /// The tree of a text. What is very large or very deep is read coarsely, by brackets and lines.
    pub fn parse(&self, text: &[u8]) -> Tree {
        let fine = Grain::FINE;
        let coarse = if self.declares { COARSE_PROGRAM } else { COARSE };
        match self.syntax {
            _ if text.len() > coarse || reader::depth(text) > DEEP => {
                reader::brackets(text, Grain::coarse(text))
            }
            Syntax::TreeSitter(grammar) => {
                grammar.parse(text).unwrap_or_else(|| reader::brackets(text, fine))
            }
            Syntax::SExpressions => reader::s_expressions(text),
            Syntax::Dimacs => dimacs::read(text),
            Syntax::Brackets => reader::brackets(text, fine),
        }
    }
}

fn by_content(text: &[u8]) -> &'static Language {
    let start = &text[..text.len().min(200)];
    let start = String::from_utf8_lossy(start).trim_start().to_ascii_lowercase();
    let signs = [
        ("#!/bin/sh", "bash"),
        ("#!/bin/bash", "bash"),
        ("#!/usr/bin/env bash", "bash"),
        ("#!/usr/bin/env python", "python"),
        ("#!/usr/bin/env node", "javascript"),
        ("<!doctype html", "html"),
        ("<html", "html"),
        ("<?xml", "xml"),
        ("p cnf ", "dimacs"),
        ("(set-", "smt2"),
        ("(declare-", "smt2"),
        ("{\"", "json"),
        ("[{", "json"),
    ];
    let found = signs.iter().find(|(sign, _)| start.starts_with(sign));
    found.and_then(|(_, name)| Language::named(name)).unwrap_or(&PLAIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_recognised_by_name_and_by_content() {
        let guess = |name: &str, text: &str| Language::guess(Path::new(name), text.as_bytes()).name;
        assert_eq!(guess("bug.c", ""), "c");
        assert_eq!(guess("x.rs", "<html>"), "rust");
        assert_eq!(guess("noname", "<!DOCTYPE html><p>"), "html");
        assert_eq!(guess("noname", "(set-logic QF_LIA)"), "smt2");
        assert_eq!(guess("noname", "anything"), "text");
    }

    #[test]
    fn every_grammar_parses_a_sample_without_errors() {
        let samples = [
            ("c", "int f(int x) { return x + 1; }"),
            ("cpp", "template<class T> struct S : T { T f() { return T(); } };"),
            ("rust", "fn f(x: u8) -> u8 { x + 1 }"),
            ("javascript", "function f(x) { return x => x + 1; }"),
            ("typescript", "function f(x: number): string { return `${x}`; }"),
            ("tsx", "const a = <p>{x}</p>;"),
            ("python", "def f(x):\n    return x + 1\n"),
            ("java", "class A { int f(int x) { return x + 1; } }"),
            ("go", "package p\nfunc f(x int) int { return x + 1 }\n"),
            ("json", "{\"a\": [1, 2, null]}"),
            ("xml", "<?xml version=\"1.0\"?><a><b c=\"d\"/></a>"),
            ("html", "<p class=x>text<br></p>"),
            ("css", "a > b { color: red; }"),
            ("sql", "SELECT a FROM t WHERE b = 1;"),
            ("bash", "if true; then echo \"$x\"; fi\n"),
            ("smt2", "(assert (> x 1))"),
            ("dimacs", "c one\np cnf 2 2\n1 -2 0\n2 0\n"),
        ];
        for (name, text) in samples {
            let tree = Language::named(name).unwrap().parse(text.as_bytes());
            assert_eq!(tree.errors, 0, "{name}");
            assert!(tree.nodes().len() > 5, "{name}");
            assert_eq!(tree.span(0), 0..text.len(), "{name}");
        }
    }
}
