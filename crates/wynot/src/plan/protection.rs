//! What a reduction leaves as it is: kept regions and files, names, layout and literals.
//!
//! Protection is a check of candidates, whatever has proposed them: one that loses something protected is never tested.

use super::input::SearchInput;
use super::kept_regions::{Keep, KeptRegions};
use crate::error::Error;
use crate::request::{Algorithm, Request, Verb};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use wynot_reduce::Alterations;
use wynot_subjects::{Folder, FolderEntry, LANGUAGES, Subject, Variant};

/// What is protected in an input.
#[derive(Clone, Debug, Default)]
pub struct Protection {
    /// The values of `--keep`.
    values: Vec<String>,
    /// The kept regions of each file; the path is empty for a single file.
    regions: BTreeMap<PathBuf, KeptRegions>,
    /// The files that are kept as they are.
    files: Vec<(PathBuf, FolderEntry)>,
    /// The words that candidates may have, if names are protected.
    words: Option<HashSet<Vec<u8>>>,
    is_readable: bool,
}

impl Protection {
    /// What a request protects in its input.
    pub(super) fn of(
        request: &Request,
        algorithm: Algorithm,
        input: &SearchInput,
    ) -> Result<Self, Error> {
        let options = &request.input;
        let (values, is_readable) = (options.keep.clone(), options.readable);
        let keeps_names = is_readable || !options.rename;
        if values.is_empty() && !keeps_names {
            return Ok(Self::default());
        }
        if request.verb != Verb::Reduce {
            return Err(Error::usage("--keep, --readable and --no-rename are for reduce"));
        }
        if algorithm != Algorithm::Smart && keeps_names {
            let message = "--readable and --no-rename are for the default algorithm";
            return Err(Error::usage(message).hint("others delete and rename nothing"));
        }
        let mut found = Self { values, is_readable, ..Self::default() };
        found.read_keeps(input)?;
        if keeps_names {
            found.words = Some(permitted_words(&input.subject.original()));
        }
        Ok(found)
    }

    fn read_keeps(&mut self, input: &SearchInput) -> Result<(), Error> {
        let keeps = self.values.iter().map(|value| Ok((value.clone(), Keep::parse(value)?)));
        let keeps: Vec<(String, Keep)> = keeps.collect::<Result<_, Error>>()?;
        let mut texts: Vec<(PathBuf, &[u8])> = Vec::new();
        match &input.subject {
            Subject::Text(text) => texts.push((PathBuf::new(), text.original())),
            _ => texts.extend(
                input
                    .varied
                    .leaves()
                    .filter_map(|(path, entry)| Some((path.to_path_buf(), entry.text()?))),
            ),
        }
        let is_folder = !matches!(input.subject, Subject::Text(_));
        let name = input.name.to_string_lossy();
        let mut spans: BTreeMap<PathBuf, Vec<_>> = BTreeMap::new();
        for (value, keep) in &keeps {
            let mut is_found = false;
            match keep {
                Keep::File(_) if !is_folder => {
                    return Err(Error::usage(format!(
                        "--keep {value}: the input is a single file"
                    ))
                    .hint("--keep lines:10-20 keeps lines, --keep REGEX what it matches"));
                }
                Keep::Lines(_) if is_folder => {
                    return Err(Error::usage(format!(
                        "--keep {value}: the input has several files"
                    ))
                    .hint("--keep file:PATH keeps a file, --keep REGEX what it matches"));
                }
                Keep::File(path) => {
                    let below = files_below(&input.varied, path);
                    is_found = !below.is_empty();
                    self.files.extend(below);
                }
                Keep::Lines(_) | Keep::Pattern(_) => {}
            }
            for (path, text) in &texts {
                let found = keep.spans(text);
                is_found |= !found.is_empty();
                spans.entry(path.clone()).or_default().extend(found);
            }
            if !is_found {
                let message = format!("--keep '{value}': nothing of this is in {name}");
                return Err(Error::usage(message).hint(
                    "--keep takes lines:N-M, a regular expression or, for directories, file:PATH",
                ));
            }
        }
        for (path, text) in texts {
            let regions = KeptRegions::of(text, spans.remove(&path).unwrap_or_default());
            if !regions.is_empty() {
                self.regions.insert(path, regions);
            }
        }
        Ok(())
    }

    /// Whether nothing is protected.
    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty() && self.words.is_none()
    }

    /// What passes may change besides deleting.
    pub(crate) fn alterations(&self) -> Alterations {
        Alterations {
            names: self.words.is_none(),
            layout: !self.is_readable,
            literals: !self.is_readable,
        }
    }

    /// What is protected, as the end of a claim about the rest.
    pub(crate) fn exceptions(&self) -> Vec<&'static str> {
        let kept = (!self.values.is_empty()).then_some("what is kept");
        let names = match (self.words.is_some(), self.is_readable) {
            (false, _) => None,
            (true, false) => Some("names"),
            (true, true) => Some("names, literals and layout"),
        };
        kept.into_iter().chain(names).collect()
    }

    /// Everything that is protected, for the key of the session; empty if nothing is.
    pub(super) fn description(&self) -> String {
        match self.is_empty() {
            true => String::new(),
            false => format!("{:?} {:?}", self.values, self.exceptions()),
        }
    }

    /// Whether a text keeps what is protected.
    pub(crate) fn permits_text(&self, text: &[u8]) -> bool {
        self.regions.get(Path::new("")).is_none_or(|regions| regions.are_in(text))
            && self.permits_words(text)
    }

    /// Whether a folder keeps what is protected.
    pub(crate) fn permits_folder(&self, folder: &Folder) -> bool {
        let text = |path: &Path| folder.get(path).and_then(FolderEntry::text);
        let has_regions = |(path, regions): (&PathBuf, &KeptRegions)| {
            text(path).is_some_and(|text| regions.are_in(text))
        };
        self.files.iter().all(|(path, entry)| folder.get(path) == Some(entry))
            && self.regions.iter().all(has_regions)
            && (self.words.is_none()
                || folder
                    .leaves()
                    .filter_map(|(_, entry)| entry.text())
                    .all(|text| self.permits_words(text)))
    }

    /// Whether a variant keeps what is protected.
    pub(crate) fn permits(&self, variant: &Variant) -> bool {
        match variant {
            Variant::Bytes(text) => self.permits_text(text),
            Variant::Folder(folder) => self.permits_folder(folder),
            _ => true,
        }
    }

    /// Whether a text has no new names. In strings, words may be shortened, unless the text is to stay readable.
    fn permits_words(&self, text: &[u8]) -> bool {
        let Some(known) = &self.words else { return true };
        let is_known =
            |word: &[u8]| known.contains(word) || (!self.is_readable && word[0].is_ascii_digit());
        match self.is_readable {
            true => words(text).all(is_known),
            false => outside_quotes(text).iter().all(|part| words(part).all(is_known)),
        }
    }
}

/// The files of a folder at a path or below it.
fn files_below(folder: &Folder, path: &Path) -> Vec<(PathBuf, FolderEntry)> {
    let below = folder.leaves().filter(|(place, _)| place.starts_with(path));
    below.map(|(place, entry)| (place.to_path_buf(), entry.clone())).collect()
}

/// The words of the original, and those that stand for what was left out.
fn permitted_words(original: &Variant) -> HashSet<Vec<u8>> {
    let of_original = original.parts().into_iter().flat_map(words).map(<[u8]>::to_vec);
    let mut all: HashSet<Vec<u8>> = of_original.collect();
    for language in LANGUAGES {
        let constants = [language.expressions, language.types, language.statements].concat();
        let parts = constants.into_iter().chain(language.body).chain(language.missing_value);
        let parts = parts.chain(language.trivial.into_iter().flat_map(|(a, b)| [a, b]));
        all.extend(parts.flat_map(|part| words(part.as_bytes())).map(<[u8]>::to_vec));
    }
    all
}

/// The words of a text: letters, digits and underscores.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    text.split(move |byte| !is_word(byte)).filter(|word| !word.is_empty())
}

/// The parts of a text that are not between quotes in one line.
fn outside_quotes(text: &[u8]) -> Vec<&[u8]> {
    let (mut parts, mut start, mut at) = (Vec::new(), 0, 0);
    while let Some(&byte) = text.get(at) {
        let end = b"\"'`".contains(&byte).then(|| end_of_quotation(text, at)).flatten();
        if let Some(end) = end {
            parts.push(&text[start..at]);
            start = end;
        }
        at = end.unwrap_or(at + 1);
    }
    parts.push(&text[start..]);
    parts
}

/// The place behind a quotation that begins here, if it ends in the same line.
fn end_of_quotation(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match *text.get(at)? {
            b'\n' => return None,
            b'\\' => at += 2,
            byte if byte == text[start] => return Some(at + 1),
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_of(original: &str, is_readable: bool) -> Protection {
        let original = Variant::Bytes(original.as_bytes().to_vec());
        Protection { words: Some(permitted_words(&original)), is_readable, ..Protection::default() }
    }

    #[test]
    fn names_are_those_of_the_original() {
        let names = names_of("int total = 123; puts(\"hello\");", false);
        assert!(names.permits_text(b"total;"));
        assert!(!names.permits_text(b"tot;"));
        assert!(names.permits_text(b"puts(\"h\" + 4)"), "literals are no names");
        assert!(!names.permits_text(b"inttotal"));
        let readable = names_of("int total = 123; puts(\"hello\");", true);
        assert!(readable.permits_text(b"puts(\"hello\", 0)"));
        assert!(!readable.permits_text(b"puts(\"h\")") && !readable.permits_text(b"total = 12"));
    }

    #[test]
    fn quotes_that_do_not_end_hide_nothing() {
        assert_eq!(outside_quotes(b"a 'b c\nd"), [&b"a 'b c\nd"[..]]);
        assert_eq!(outside_quotes(br#"a "b\"c" d"#), [&b"a "[..], b" d"]);
    }
}
