//! The table of languages, and how they are recognised. A new language is one entry.

use crate::syntax::language::{Declaring, Language, Syntax};
use crate::syntax::{dimacs, gnu_extensions, llvm_ir, tree_sitter};
use std::path::Path;

/// The default values of an entry; also the language of texts of unknown syntax.
const PLAIN: Language = Language {
    name: "text",
    extensions: &[],
    syntax: Syntax::Brackets,
    body: None,
    evaluated: &[],
    trivial: None,
    expressions: &[],
    types: &[],
    items_around_type: &[],
    statements: &[],
    attached: &[],
    has_declarations: false,
    has_lexical_definitions: false,
    header: None,
    names_of_numbered: None,
    declaring: None,
    sigils: b"$",
    local_sigil: None,
    missing_value: None,
    modifiers: &[],
    has_hoists: true,
    is_layout_sensitive: false,
    has_tags: false,
    has_preprocessor: false,
    hidden: None,
};

/// All languages. The first one with the extension of a file is used.
pub const LANGUAGES: &[Language] = &[
    Language {
        name: "c",
        extensions: &["c", "h", "i"],
        syntax: Syntax::TreeSitter(tree_sitter::C),
        body: Some("{}"),
        expressions: &["0"],
        types: &["int"],
        items_around_type: &[("", " _;")],
        statements: &[";"],
        has_preprocessor: true,
        has_declarations: true,
        ..PLAIN
    },
    Language {
        name: "cpp",
        extensions: &["cc", "cpp", "cxx", "hh", "hpp", "hxx", "ii"],
        syntax: Syntax::TreeSitter(tree_sitter::CPP),
        body: Some("{}"),
        evaluated: &["constexpr", "consteval", "auto"],
        expressions: &["0"],
        types: &["int"],
        items_around_type: &[("", " _;")],
        statements: &[";"],
        has_preprocessor: true,
        has_declarations: true,
        hidden: Some(gnu_extensions::hidden),
        ..PLAIN
    },
    Language {
        name: "rust",
        extensions: &["rs"],
        syntax: Syntax::TreeSitter(tree_sitter::RUST),
        body: Some("{loop{}}"),
        expressions: &["loop{}", "0"],
        types: &["()"],
        items_around_type: &[("impl ", "{}"), ("type _=", ";")],
        attached: &["attribute_item"],
        has_declarations: true,
        ..PLAIN
    },
    Language {
        name: "javascript",
        extensions: &["js", "mjs", "cjs", "jsx"],
        syntax: Syntax::TreeSitter(tree_sitter::JAVASCRIPT),
        body: Some("{}"),
        expressions: &["0"],
        statements: &[";"],
        has_declarations: true,
        ..PLAIN
    },
    Language {
        name: "typescript",
        extensions: &["ts", "mts", "cts"],
        syntax: Syntax::TreeSitter(tree_sitter::TYPESCRIPT),
        body: Some("{}"),
        expressions: &["0"],
        types: &["any"],
        items_around_type: &[("let _:", ";")],
        statements: &[";"],
        has_declarations: true,
        ..PLAIN
    },
    Language {
        name: "tsx",
        extensions: &["tsx"],
        syntax: Syntax::TreeSitter(tree_sitter::TSX),
        body: Some("{}"),
        expressions: &["0"],
        types: &["any"],
        items_around_type: &[("let _:", ";")],
        statements: &[";"],
        has_declarations: true,
        ..PLAIN
    },
    Language {
        name: "python",
        extensions: &["py", "pyi"],
        syntax: Syntax::TreeSitter(tree_sitter::PYTHON),
        body: Some("pass"),
        expressions: &["0"],
        statements: &["pass"],
        has_declarations: true,
        is_layout_sensitive: true,
        ..PLAIN
    },
    Language {
        name: "java",
        extensions: &["java"],
        syntax: Syntax::TreeSitter(tree_sitter::JAVA),
        body: Some("{}"),
        expressions: &["0", "null"],
        types: &["int"],
        statements: &[";"],
        has_declarations: true,
        ..PLAIN
    },
    Language {
        name: "go",
        extensions: &["go"],
        syntax: Syntax::TreeSitter(tree_sitter::GO),
        body: Some("{}"),
        expressions: &["0", "nil"],
        types: &["int"],
        items_around_type: &[("var _ ", "")],
        has_declarations: true,
        ..PLAIN
    },
    Language {
        name: "json",
        extensions: &["json", "jsonl", "ndjson"],
        syntax: Syntax::TreeSitter(tree_sitter::JSON),
        expressions: &["0"],
        ..PLAIN
    },
    Language {
        name: "xml",
        extensions: &["xml", "svg", "xsd", "xsl"],
        syntax: Syntax::TreeSitter(tree_sitter::XML),
        has_tags: true,
        ..PLAIN
    },
    Language {
        name: "html",
        extensions: &["html", "htm", "xhtml"],
        syntax: Syntax::TreeSitter(tree_sitter::HTML),
        has_tags: true,
        ..PLAIN
    },
    Language {
        name: "css",
        extensions: &["css"],
        syntax: Syntax::TreeSitter(tree_sitter::CSS),
        ..PLAIN
    },
    Language {
        name: "sql",
        extensions: &["sql"],
        syntax: Syntax::TreeSitter(tree_sitter::SQL),
        expressions: &["0", "1"],
        ..PLAIN
    },
    Language {
        name: "bash",
        extensions: &["sh", "bash"],
        syntax: Syntax::TreeSitter(tree_sitter::BASH),
        statements: &[":"],
        is_layout_sensitive: true,
        ..PLAIN
    },
    Language {
        name: "smt2",
        extensions: &["smt2", "smt", "sl"],
        syntax: Syntax::SExpressions,
        trivial: Some(("assert", "false")),
        expressions: &["true", "false", "0"],
        has_declarations: true,
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
        is_layout_sensitive: true,
        ..PLAIN
    },
    Language {
        name: "llvm",
        extensions: &["ll"],
        syntax: Syntax::LlvmIr,
        body: Some("{\nunreachable\n}"),
        expressions: &["undef", "0", "null"],
        statements: &["unreachable"],
        has_declarations: true,
        names_of_numbered: Some(llvm_ir::names_of_numbered),
        declaring: Some(Declaring {
            keywords: ("define", "declare"),
            without: &[
                "appending",
                "available_externally",
                "common",
                "internal",
                "linkonce",
                "linkonce_odr",
                "private",
                "weak",
                "weak_odr",
            ],
        }),
        sigils: b"%@!#$",
        local_sigil: Some(b'%'),
        missing_value: Some("undef"),
        modifiers: &["modifier", "attachment", "attribute_identifier"],
        has_hoists: false,
        is_layout_sensitive: true,
        ..PLAIN
    },
    Language { extensions: &["txt"], has_lexical_definitions: true, ..PLAIN },
];

impl Language {
    /// The language with a name on the command line.
    pub fn named(name: &str) -> Option<&'static Self> {
        LANGUAGES.iter().find(|language| language.name == name)
    }

    /// The language of a file by its extension, else by its first bytes, else text of unknown syntax.
    pub fn guess(path: &Path, text: &[u8]) -> &'static Self {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let by_extension = extension.and_then(|extension| {
            LANGUAGES.iter().find(|language| language.extensions.contains(&extension))
        });
        by_extension.unwrap_or_else(|| guess_by_content(text))
    }
}

fn guess_by_content(text: &[u8]) -> &'static Language {
    let start = &text[..text.len().min(200)];
    let start = String::from_utf8_lossy(start).trim_start().to_ascii_lowercase();
    let prefixes = [
        ("#!/bin/sh", "bash"),
        ("#!/bin/bash", "bash"),
        ("#!/usr/bin/env bash", "bash"),
        ("#!/usr/bin/env python", "python"),
        ("#!/usr/bin/env node", "javascript"),
        ("<!doctype html", "html"),
        ("<html", "html"),
        ("<?xml", "xml"),
        ("p cnf ", "dimacs"),
        ("; moduleid = ", "llvm"),
        ("source_filename = ", "llvm"),
        ("(set-", "smt2"),
        ("(declare-", "smt2"),
        ("{\"", "json"),
        ("[{", "json"),
    ];
    let found = prefixes.iter().find(|(prefix, _)| start.starts_with(prefix));
    found
        .and_then(|(_, name)| Language::named(name))
        .or_else(|| Language::named("text"))
        .unwrap_or(&PLAIN)
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
            ("llvm", "define i32 @f(i32 %x) {\n  %y = add i32 %x, 1\n  ret i32 %y\n}\n"),
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
