//! The headers of a project, which take the place of their inclusions if the user asks for that.

use crate::error::Error;
use crate::notes::Notes;
use crate::request::{Request, Verb};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use wynot_session::shown_path;
use wynot_subjects::{HeaderName, inline_headers};

/// The options of compilers that name a directory with headers of the project.
const DIRECTORY_OPTIONS: [&str; 3] = ["-I", "-iquote", "--include-directory="];

/// A text with the headers that are beside it, or in directories that the test names.
pub(super) fn with_project_headers(
    text: &[u8],
    input: &Path,
    request: &Request,
    notes: &mut dyn Notes,
) -> Result<Vec<u8>, Error> {
    if request.verb != Verb::Reduce {
        return Err(Error::usage("--inline-includes is for reduce"));
    }
    let directories: Vec<PathBuf> =
        header_directories(&request.test).map(|directory| request.at(&directory)).collect();
    let mut find = |name: HeaderName<'_>, from: &Path| {
        let beside = from.parent().map(Path::to_owned);
        let (name, first) = match name {
            HeaderName::Quoted(name) => (name, beside),
            HeaderName::Angled(name) => (name, None),
        };
        first.iter().chain(&directories).find_map(|directory| {
            let path = directory.join(name).canonicalize().ok().filter(|path| path.is_file())?;
            let text = fs::read(&path).ok()?;
            Some((path, text))
        })
    };
    let inlined = inline_headers(text, &request.at(input), &mut find);
    if inlined.headers.is_empty() {
        let message = format!("{} includes no header of its project", shown_path(input));
        return Err(Error::usage(message)
            .hint("--inline-includes finds headers beside the input, and in directories that the test names with -I"));
    }
    let (headers, bytes) = (inlined.headers.len(), inlined.text.len());
    let noun = if headers == 1 { "header" } else { "headers" };
    notes.warn(&format!("{} with {headers} {noun} in it has {bytes} bytes", shown_path(input)));
    Ok(inlined.text)
}

/// The directories that the words of a test name, in their order.
fn header_directories(words: &[OsString]) -> impl Iterator<Item = PathBuf> + '_ {
    words.iter().enumerate().filter_map(|(at, word)| {
        let word = word.to_str()?;
        let option = DIRECTORY_OPTIONS.iter().find(|option| word.starts_with(**option))?;
        match &word[option.len()..] {
            "" => words.get(at + 1).map(PathBuf::from),
            directory => Some(PathBuf::from(directory)),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_named_in_the_ways_of_compilers() {
        let words = ["cc", "-Iinclude", "-I", "../lib", "-isystem", "sys", "-iquote", "own", "{}"];
        let words = words.map(OsString::from);
        let found: Vec<PathBuf> = header_directories(&words).collect();
        assert_eq!(found, ["include", "../lib", "own"].map(PathBuf::from));
    }
}
