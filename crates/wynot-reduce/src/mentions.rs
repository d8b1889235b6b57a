//! What else goes when a file goes: the lines and words that name it.
//!
//! A header is included, a module imported, an object listed in a makefile. A file can often only go
//! together with these; what they look like is much the same in all languages.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Texts larger than this are no lists of files.
const LONGEST: usize = 1 << 20;

/// First words of lines that do nothing but name a file.
const NAMING: [&[u8]; 12] = [
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

/// What sources are compiled to.
const OBJECTS: [&[u8]; 4] = [b"o", b"lo", b"obj", b"d"];

/// The names of files that go.
#[derive(Clone, Debug, Default)]
pub struct Mentions {
    names: BTreeSet<Vec<u8>>,
    stems: BTreeSet<Vec<u8>>,
}

impl Mentions {
    /// The mentions of some files.
    pub fn of<'p>(paths: impl Iterator<Item = &'p Path>) -> Self {
        let bytes = |name: Option<&OsStr>| name.map(|name| name.as_bytes().to_vec());
        let mut mentions = Self::default();
        for path in paths {
            mentions.names.extend(bytes(path.file_name()));
            mentions.stems.extend(bytes(path.file_stem()));
        }
        mentions
    }

    /// A text without them; `None` if there are none in it.
    pub fn removed_from(&self, text: &[u8]) -> Option<Vec<u8>> {
        if text.len() > LONGEST {
            return None;
        }
        let mut rest = Vec::with_capacity(text.len());
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            self.line_without(line, &mut rest);
        }
        (rest.len() < text.len()).then_some(rest)
    }

    fn line_without(&self, line: &[u8], rest: &mut Vec<u8>) {
        let mut words = words(line).peekable();
        let naming = words.peek().is_some_and(|&(start, end)| NAMING.contains(&&line[start..end]));
        let mut kept = 0;
        let before = rest.len();
        for (start, end) in words {
            let word = &line[start..end];
            if naming && self.names_stem(word) {
                rest.truncate(before);
                return;
            }
            if self.names_file(word) {
                rest.extend_from_slice(&line[kept..start]);
                // One blank goes with a word.
                kept = end + usize::from(line.get(end) == Some(&b' '));
            }
        }
        rest.extend_from_slice(&line[kept..]);
    }

    /// Whether a word is the name of one of the files, or of what it is compiled to.
    fn names_file(&self, word: &[u8]) -> bool {
        let name = last_of(word, b'/');
        if self.names.contains(name) {
            return true;
        }
        let Some(dot) = name.iter().rposition(|&byte| byte == b'.') else { return false };
        OBJECTS.contains(&&name[dot + 1..]) && self.stems.contains(&name[..dot])
    }

    /// Whether a word, such as a module's name, is that of one of the files without its extension.
    fn names_stem(&self, word: &[u8]) -> bool {
        let name = last_of(word, b'/');
        self.names_file(word)
            || self.stems.contains(name)
            || self.stems.contains(last_of(name, b'.'))
    }
}

/// What is behind the last of a sign.
fn last_of(word: &[u8], sign: u8) -> &[u8] {
    word.rsplit(|&byte| byte == sign).next().unwrap_or(word)
}

/// The words of a line as a file name may be one.
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
        let mentions = Mentions::of(std::iter::once(Path::new(path)));
        mentions.removed_from(text.as_bytes()).map(|text| String::from_utf8(text).unwrap())
    }

    #[test]
    fn lines_that_only_name_a_file_go_whole() {
        let text = "#include <a.h>\n#include \"lib/list.h\"\nint list;\n";
        assert_eq!(without("lib/list.h", text).unwrap(), "#include <a.h>\nint list;\n");
        assert_eq!(without("src/list.rs", "pub mod list;\nmod a;\n").unwrap(), "mod a;\n");
        assert_eq!(without("pkg/list.py", "from pkg.list import x\nlist()\n").unwrap(), "list()\n");
        assert_eq!(without("list.rs", "let list = 1;\n"), None);
    }

    #[test]
    fn words_go_alone_where_more_is_listed() {
        let makefile = "OBJS = a.o list.o b.o\nlist.o: list.c list.h\n";
        assert_eq!(without("src/list.c", makefile).unwrap(), "OBJS = a.o b.o\n: list.h\n");
        assert_eq!(without("x.txt", "a b\n"), None);
    }
}
