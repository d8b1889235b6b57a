//! The headers of a C or C++ text in place of their inclusions, so that one text holds what a compiler reads of a project.
//!
//! Where a header lies is for the caller to say, who reads files; here is which of them are read, and how often. A header that
//! protects itself, by a macro or by `#pragma once`, is put in once, unless that place depends on a condition: then it is put
//! in again, and its macro decides as before.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The maximum depth of headers that include each other; compilers have a limit of 200 as well.
const MAX_DEPTH: usize = 200;

/// The maximum size of a text with its headers.
const MAX_BYTES: usize = 256 << 20;

/// How a header is written in its inclusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderName<'a> {
    /// `"name"`: first beside the file that includes it.
    Quoted(&'a str),
    /// `<name>`: only in directories that the compiler is given.
    Angled(&'a str),
}

/// A text with headers in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InlinedText {
    /// The text.
    pub text: Vec<u8>,
    /// The headers in it.
    pub headers: BTreeSet<PathBuf>,
}

/// Finds a header by its name and the path of the file that includes it: its path and its bytes.
type FindHeader<'f> = dyn FnMut(HeaderName<'_>, &Path) -> Option<(PathBuf, Vec<u8>)> + 'f;

/// Puts headers in place of their inclusions, as far as `find` finds them: it gets the name of a header and the path of the file
/// that includes it, and returns the path of the header and its bytes.
pub fn inline_headers(text: &[u8], path: &Path, find: &mut FindHeader<'_>) -> InlinedText {
    let mut inlining =
        Inlining { find, result: InlinedText::default(), protected: BTreeMap::new() };
    inlining.add(text, path, false, 0);
    inlining.result
}

/// A text that is being put together.
struct Inlining<'f> {
    find: &'f mut FindHeader<'f>,
    result: InlinedText,
    /// The headers with a protection that are in the text.
    protected: BTreeMap<PathBuf, PlacedHeader>,
}

/// A header with a protection that is in the text.
#[derive(Clone, Copy, Debug)]
struct PlacedHeader {
    number: usize,
    /// Whether it is in a place that depends on no condition.
    is_settled: bool,
}

impl Inlining<'_> {
    /// Adds a file. `is_conditional` says whether its inclusion depends on a condition.
    fn add(&mut self, text: &[u8], path: &Path, is_conditional: bool, depth: usize) {
        let protection = Protection::of(text);
        let own_conditions = usize::from(protection == Some(Protection::Macro));
        let (mut conditions, mut is_comment) = (0_usize, false);
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            let directive = if is_comment { None } else { Directive::of(line) };
            is_comment = ends_in_comment(line, is_comment);
            match directive {
                Some(Directive::If) => conditions += 1,
                Some(Directive::EndIf) => conditions = conditions.saturating_sub(1),
                Some(Directive::Once) if depth > 0 => continue,
                Some(Directive::Include(name)) => {
                    let is_conditional = is_conditional || conditions > own_conditions;
                    if self.include(name, path, is_conditional, depth) {
                        continue;
                    }
                }
                _ => {}
            }
            self.result.text.extend_from_slice(line);
        }
        if depth > 0 && !text.is_empty() && !text.ends_with(b"\n") {
            self.result.text.push(b'\n');
        }
    }

    /// Adds a header in the place of its inclusion, and returns whether that line is to go.
    fn include(
        &mut self,
        name: HeaderName<'_>,
        from: &Path,
        is_conditional: bool,
        depth: usize,
    ) -> bool {
        if depth >= MAX_DEPTH || self.result.text.len() > MAX_BYTES {
            return false;
        }
        let Some((path, text)) = (self.find)(name, from) else { return false };
        let earlier = self.protected.get(&path).copied();
        if earlier.is_some_and(|earlier| earlier.is_settled) {
            return true;
        }
        let number = earlier.map_or(self.protected.len(), |earlier| earlier.number);
        let protection = Protection::of(&text);
        if protection.is_some() {
            let placed = PlacedHeader { number, is_settled: !is_conditional };
            self.protected.insert(path.clone(), placed);
        }
        self.result.headers.insert(path.clone());
        // A header with a place that depends on a condition may have another place.
        let needs_macro =
            protection == Some(Protection::Once) && (is_conditional || earlier.is_some());
        if needs_macro {
            let name = format!("INCLUDED_{number}");
            self.result.text.extend(format!("#ifndef {name}\n#define {name}\n").into_bytes());
        }
        self.add(&text, &path, is_conditional, depth + 1);
        if needs_macro {
            self.result.text.extend_from_slice(b"#endif\n");
        }
        true
    }
}

/// How a header sees to it that a compiler reads it once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protection {
    /// `#ifndef` and `#define` around all of it.
    Macro,
    /// `#pragma once`.
    Once,
}

impl Protection {
    fn of(text: &[u8]) -> Option<Self> {
        let mut is_comment = false;
        let mut first_macro = None;
        for line in text.split(|&byte| byte == b'\n') {
            let directive = if is_comment { None } else { Directive::of(line) };
            is_comment = ends_in_comment(line, is_comment);
            match (directive, &first_macro) {
                (Some(Directive::Once), _) => return Some(Self::Once),
                (None, _) => {}
                (Some(Directive::If), None) => {
                    first_macro = Some(words(line).nth(1).map(<[u8]>::to_vec));
                    if !starts_with_word(line, b"ifndef") {
                        return None;
                    }
                }
                (Some(Directive::Define), Some(name)) => {
                    return (words(line).nth(1) == name.as_deref()).then_some(Self::Macro);
                }
                _ => return None,
            }
        }
        None
    }
}

/// A line that is for the preprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Directive<'a> {
    If,
    EndIf,
    Define,
    Once,
    Include(HeaderName<'a>),
    Other,
}

impl<'a> Directive<'a> {
    fn of(line: &'a [u8]) -> Option<Self> {
        let line = line.trim_ascii().strip_prefix(b"#")?.trim_ascii_start();
        let mut words = words(line);
        Some(match words.next()? {
            b"if" | b"ifdef" | b"ifndef" => Self::If,
            b"endif" => Self::EndIf,
            b"define" => Self::Define,
            b"pragma" if words.next() == Some(b"once") => Self::Once,
            b"include" | b"import" => Self::included(line)?,
            _ => Self::Other,
        })
    }

    fn included(line: &'a [u8]) -> Option<Self> {
        let start = line.iter().position(|byte| matches!(byte, b'"' | b'<'))?;
        let close = if line[start] == b'"' { b'"' } else { b'>' };
        let name = line[start + 1..].split(|&byte| byte == close).next()?;
        let name = std::str::from_utf8(name).ok().filter(|name| !name.is_empty())?;
        Some(Self::Include(match close {
            b'"' => HeaderName::Quoted(name),
            _ => HeaderName::Angled(name),
        }))
    }
}

/// The words of a directive: names and numbers.
fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
        .filter(|word| !word.is_empty())
}

fn starts_with_word(line: &[u8], word: &[u8]) -> bool {
    words(line).next() == Some(word)
}

/// Whether a line ends inside of a comment, given whether it begins in one.
fn ends_in_comment(line: &[u8], mut is_comment: bool) -> bool {
    let (mut at, mut quote) = (0, None);
    while at < line.len() {
        match (is_comment, quote, &line[at..]) {
            (true, _, [b'*', b'/', ..]) => (is_comment, at) = (false, at + 1),
            (true, _, _) => {}
            (false, Some(_), [b'\\', ..]) => at += 1,
            (false, Some(open), [byte, ..]) if *byte == open => quote = None,
            (false, Some(_), _) => {}
            (false, None, [b'/', b'/', ..]) => return false,
            (false, None, [b'/', b'*', ..]) => (is_comment, at) = (true, at + 1),
            (false, None, [byte @ (b'"' | b'\''), ..]) => quote = Some(*byte),
            (false, None, _) => {}
        }
        at += 1;
    }
    is_comment
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of `main.c` with its headers, which are given by name.
    fn inlined(main: &str, headers: &[(&str, &str)]) -> String {
        let mut find = |name: HeaderName<'_>, from: &Path| {
            let path = match name {
                HeaderName::Quoted(name) => from.parent().unwrap().join(name),
                HeaderName::Angled(name) => PathBuf::from(name),
            };
            let found = headers.iter().find(|(name, _)| Path::new(name) == path)?;
            Some((path, found.1.as_bytes().to_vec()))
        };
        let inlined = inline_headers(main.as_bytes(), Path::new("main.c"), &mut find);
        String::from_utf8(inlined.text).unwrap()
    }

    #[test]
    fn headers_are_found_beside_the_file_that_includes_them() {
        let headers = [("sub/a.h", "#include \"b.h\"\nint a;"), ("sub/b.h", "int b;\n")];
        let text = "#include <stdio.h>\n # include \"sub/a.h\" // it\nint m;\n";
        assert_eq!(inlined(text, &headers), "#include <stdio.h>\nint b;\nint a;\nint m;\n");
        assert_eq!(
            inlined("#include \"c.h\"\n#include <sub/b.h>", &headers),
            "#include \"c.h\"\nint b;\n"
        );
    }

    #[test]
    fn a_protected_header_comes_once() {
        let guarded = "/* a */\n#ifndef A_H\n#define A_H\n#include \"b.h\"\n#endif\n";
        let headers = [("a.h", guarded), ("b.h", "#pragma once\nint b;\n")];
        let text = "#include \"a.h\"\n#include \"b.h\"\n#include \"a.h\"\n";
        assert_eq!(inlined(text, &headers), "/* a */\n#ifndef A_H\n#define A_H\nint b;\n#endif\n");
        let unprotected = [("x.h", "X(1)\n")];
        assert_eq!(inlined("#include \"x.h\"\n#include \"x.h\"\n", &unprotected), "X(1)\nX(1)\n");
    }

    #[test]
    fn a_header_under_a_condition_may_come_again() {
        let headers = [("b.h", "#pragma once\nint b;\n")];
        let text = "#if 0\n#include \"b.h\"\n#endif\n#include \"b.h\"\n#include \"b.h\"\n";
        let once = "#ifndef INCLUDED_0\n#define INCLUDED_0\nint b;\n#endif\n";
        assert_eq!(inlined(text, &headers), format!("#if 0\n{once}#endif\n{once}"));
    }

    #[test]
    fn comments_include_nothing_and_loops_end() {
        let headers = [("b.h", "int b; /*\n#include \"b.h\"\n*/\n"), ("l.h", "#include \"l.h\"\n")];
        let text = "/*\n#include \"b.h\"\n*/ char *s = \"/*\";\n#include \"b.h\"\n";
        let expected =
            "/*\n#include \"b.h\"\n*/ char *s = \"/*\";\nint b; /*\n#include \"b.h\"\n*/\n";
        assert_eq!(inlined(text, &headers), expected);
        assert_eq!(inlined("#include \"l.h\"\n", &headers), "#include \"l.h\"\n");
    }
}
