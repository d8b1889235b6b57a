//! What a walk back through a history has shown, in words.

use crate::text::escape::Inline;
use crate::text::number::count;
use std::fmt;
use wynot_session::{HistoryRecord, VersionRecord};

/// The number of characters of an object name that are shown.
const ID_LENGTH: usize = 12;

/// The number of characters of a date without its time.
const DATE_LENGTH: usize = "2011-03-20".len();

/// The beginning of an object name.
pub(crate) fn short_id(id: &str) -> &str {
    beginning(id, ID_LENGTH)
}

/// The year of a date in ISO 8601 format.
pub(crate) fn year(date: &str) -> Option<&str> {
    let year = date.split('-').next()?;
    (year.len() == 4 && year.bytes().all(|byte| byte.is_ascii_digit())).then_some(year)
}

/// What a walk has shown, for a headline.
pub(crate) fn verdict_in_short(history: Option<&HistoryRecord>) -> String {
    match history.map(|history| (history.verdict.as_str(), history)) {
        Some(("regression", history)) => {
            format!("introduced by {}", short_id(&history.failing.id))
        }
        Some(("always", _)) => "fails in every version that can be tested".to_owned(),
        _ => "not known yet".to_owned(),
    }
}

/// What a walk has shown, as a paragraph.
pub(crate) struct VerdictSentence<'a>(pub &'a HistoryRecord);

impl fmt::Display for VerdictSentence<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let history = self.0;
        let oldest = VersionWords(&history.failing);
        f.write_str("<p class=\"fact\">")?;
        match (history.verdict.as_str(), &history.passing) {
            ("regression", Some(passing)) => {
                let passing = Inline(short_id(&passing.id));
                let patches = patches_of_passing(history);
                write!(
                    f,
                    "The failure was introduced by commit {oldest}. The version before it, "
                )?;
                write!(f, "<code>{passing}</code>, passes {patches}.")?;
            }
            ("regression", None) => {
                write!(f, "The failure came with commit {oldest}; ")?;
                write!(f, "older versions do not have what the test needs.")?;
            }
            ("always", _) => {
                write!(f, "It fails in every version that can be tested; ")?;
                write!(f, "the oldest of them is {oldest}.")?;
            }
            (_, Some(passing)) => {
                write!(f, "It is not known yet which version introduced the failure. ")?;
                write!(f, "The oldest version known to fail is {oldest}; ")?;
                write!(f, "{} passes.", VersionWords(passing))?;
            }
            (_, None) => {
                write!(f, "It is not known yet whether a version passes. ")?;
                write!(f, "The oldest version known to fail is {oldest}.")?;
            }
        }
        if let Some(lines) = history.fix_lines {
            let lines = count(lines as u64, "changed line");
            write!(f, " The newest version passes with a fix of {lines}.")?;
        }
        f.write_str("</p>\n")
    }
}

/// A version by its object name, date and subject, as far as they are known.
struct VersionWords<'a>(&'a VersionRecord);

impl fmt::Display for VersionWords<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let VersionRecord { id, date, subject } = self.0;
        write!(f, "<code>{}</code>", Inline(short_id(id)))?;
        if !date.is_empty() {
            write!(f, " of {}", Inline(beginning(date, DATE_LENGTH)))?;
        }
        match subject.is_empty() {
            true => Ok(()),
            false => write!(f, " (“{}”)", Inline(subject)),
        }
    }
}

/// The patches with which the passing version was tested.
fn patches_of_passing(history: &HistoryRecord) -> String {
    let passing = history.passing.as_ref().map(|version| version.id.as_str());
    let needed = |ids: &[String; 2]| Some(ids[1].as_str()) == passing;
    match history.blockers.iter().filter(|blocker| needed(&blocker.ids)).count() {
        0 => "without patches".to_owned(),
        number => format!("with the patches of {}", count(number as u64, "blocker")),
    }
}

/// At most so many characters from the start of a text.
fn beginning(text: &str, length: usize) -> &str {
    text.char_indices().nth(length).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_dates_are_shortened_at_characters() {
        assert_eq!(short_id("0123456789abcdef"), "0123456789ab");
        assert_eq!(short_id("ééé"), "ééé");
        assert_eq!(short_id("éééééééééééééé").chars().count(), 12);
        assert_eq!(year("2011-03-20T10:00:00+01:00"), Some("2011"));
        assert_eq!([year(""), year("<b>"), year("20111-1")], [None; 3]);
    }
}
