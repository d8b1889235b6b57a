//! References to files in other files: the lines and words that go together with a file.
//!
//! A header is included, a module imported, an object listed in a makefile. A file can often only go
//! together with these references, and they look much the same in all languages.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Texts with more bytes than this are taken to hold no references.
const MAX_TEXT_BYTES: usize = 1 << 20;

/// First words of lines that do nothing but refer to a file or module.
const REFERRING_WORDS: [&[u8]; 12] = [
    b"#include",
    b"#import",
    b"import",
    b"from",
    b"mod",
    b"pub",
    b"use",
    b"include",
    b"-include",
    b"require",
    b"source",
    b"@import",
];

/// The extensions of files that sources are compiled to.
const OBJECT_EXTENSIONS: [&[u8]; 4] = [b"o", b"lo", b"obj", b"d"];

/// The names by which other files refer to some files.
#[derive(Clone, Debug, Default)]
pub struct FileReferences {
    /// File names with their extensions.
    names: BTreeSet<Vec<u8>>,
    /// File names without their extensions.
    stems: BTreeSet<Vec<u8>>,
}

impl FileReferences {
    /// The references to the files at some paths.
    pub fn to<'p>(paths: impl Iterator<Item = &'p Path>) -> Self {
        let bytes = |name: Option<&OsStr>| name.map(|name| name.as_bytes().to_vec());
        let mut references = Self::default();
        for path in paths {
            references.names.extend(bytes(path.file_name()));
            references.stems.extend(bytes(path.file_stem()));
        }
        references
    }

    /// A text without the references; `None` if it has none.
    pub fn delete_from(&self, text: &[u8]) -> Option<Vec<u8>> {
        if text.len() > MAX_TEXT_BYTES {
            return None;
        }
        let mut rest = Vec::with_capacity(text.len());
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            self.copy_line(line, &mut rest);
        }
        (rest.len() < text.len()).then_some(rest)
    }

    /// Appends a line without the references in it to `rest`.
    fn copy_line(&self, line: &[u8], rest: &mut Vec<u8>) {
        let mut words = words(line).peekable();
        let only_refers =
            words.peek().is_some_and(|&(start, end)| REFERRING_WORDS.contains(&&line[start..end]));
        let mut kept = 0;
        let before = rest.len();
        for (start, end) in words {
            let word = &line[start..end];
            if only_refers && self.is_stem(word) {
                rest.truncate(before);
                return;
            }
            if self.is_file(word) {
                rest.extend_from_slice(&line[kept..start]);
                // One blank goes with each word.
                kept = end + usize::from(line.get(end) == Some(&b' '));
            }
        }
        rest.extend_from_slice(&line[kept..]);
    }

    /// Whether a word refers to one of the files, or to what it is compiled to.
    fn is_file(&self, word: &[u8]) -> bool {
        let name = after_last(word, b'/');
        if self.names.contains(name) {
            return true;
        }
        let Some(dot) = name.iter().rposition(|&byte| byte == b'.') else { return false };
        OBJECT_EXTENSIONS.contains(&&name[dot + 1..]) && self.stems.contains(&name[..dot])
    }

    /// Whether a word, such as the name of a module, refers to one of the files without its extension.
    fn is_stem(&self, word: &[u8]) -> bool {
        let name = after_last(word, b'/');
        self.is_file(word)
            || self.stems.contains(name)
            || self.stems.contains(after_last(name, b'.'))
    }
}

/// The part of a word after the last occurrence of a sign.
fn after_last(word: &[u8], sign: u8) -> &[u8] {
    word.rsplit(|&byte| byte == sign).next().unwrap_or(word)
}

/// The spans of the words of a line that may be file names.
fn words(line: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let is_part =
        |byte: &u8| byte.is_ascii_alphanumeric() || b"_./+-#@".contains(byte) || *byte > 127;
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + line.get(at..)?.iter().position(is_part)?;
        let length = line[start..].iter().take_while(|byte| is_part(byte)).count();
        at = start + length;
        Some((start, at))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(path: &str, text: &str) -> Option<String> {
        let references = FileReferences::to(std::iter::once(Path::new(path)));
        references.delete_from(text.as_bytes()).map(|text| String::from_utf8(text).unwrap())
    }

    #[test]
    fn lines_that_only_refer_to_a_file_go_whole() {
        let text = "#include <a.h>\n#include \"lib/list.h\"\nint list;\n";
        assert_eq!(without("lib/list.h", text).unwrap(), "#include <a.h>\nint list;\n");
        assert_eq!(without("src/list.rs", "pub mod list;\nmod a;\n").unwrap(), "mod a;\n");
        assert_eq!(without("pkg/list.py", "from pkg.list import x\nlist()\n").unwrap(), "list()\n");
        assert_eq!(without("list.rs", "let list = 1;\n"), None);
    }

    #[test]
    fn words_go_alone_where_other_files_are_listed() {
        let makefile = "OBJS = a.o list.o b.o\nlist.o: list.c list.h\n";
        assert_eq!(without("src/list.c", makefile).unwrap(), "OBJS = a.o b.o\n: list.h\n");
        assert_eq!(without("x.txt", "a b\n"), None);
    }
}
