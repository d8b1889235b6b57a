//! A row of versions with names, such as releases of a package: from one that works to one that fails.

use crate::variant::Variant;
use std::collections::HashMap;
use wynot_core::Grouping;

/// A row of versions, the oldest first. The first one is good and the last one bad; each delta is the step from a version
/// to the next.
#[derive(Debug)]
pub struct VersionRow {
    names: Vec<String>,
    levels: [Grouping; 1],
}

/// Why a list is no row of versions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VersionRowError {
    /// There are fewer than two versions.
    #[error("a row needs at least two versions, a good one and a bad one; the list has {0}")]
    TooFew(usize),
    /// A version is listed twice, in these lines.
    #[error("{name} is listed twice, in line {first} and in line {second}")]
    Duplicate {
        /// The version.
        name: String,
        /// The line of its first occurrence.
        first: usize,
        /// The line of its second occurrence.
        second: usize,
    },
    /// A line has a control character.
    #[error("line {0} has a control character, which no version can have")]
    ControlCharacter(usize),
    /// A version that was named is not in the list.
    #[error("{0} is not in the list")]
    Unknown(String),
    /// The good version is not before the bad one.
    #[error("the good version {good} is not before the bad one {bad}")]
    WrongOrder {
        /// The good version.
        good: String,
        /// The bad version.
        bad: String,
    },
}

impl VersionRow {
    /// Reads a list with one version per line, the oldest first. Blank lines and lines that begin with `#` are skipped.
    ///
    /// The row begins with the version `good`, or the first one, and ends with the version `bad`, or the last one.
    pub fn parse(
        list: &str,
        good: Option<&str>,
        bad: Option<&str>,
    ) -> Result<Self, VersionRowError> {
        let mut names: Vec<String> = Vec::new();
        let mut lines: HashMap<&str, usize> = HashMap::new();
        let list = list.strip_prefix('\u{feff}').unwrap_or(list);
        for (second, line) in (1..).zip(list.lines()) {
            let name = line.trim();
            if name.is_empty() || name.starts_with('#') {
                continue;
            }
            if name.contains(char::is_control) {
                return Err(VersionRowError::ControlCharacter(second));
            }
            if let Some(first) = lines.insert(name, second) {
                return Err(VersionRowError::Duplicate { name: name.to_owned(), first, second });
            }
            names.push(name.to_owned());
        }
        if names.len() < 2 {
            return Err(VersionRowError::TooFew(names.len()));
        }
        let find = |name: &str| {
            let at = names.iter().position(|known| known == name.trim());
            at.ok_or_else(|| VersionRowError::Unknown(name.to_owned()))
        };
        let from = good.map_or(Ok(0), find)?;
        let to = bad.map_or(Ok(names.len() - 1), find)?;
        if from >= to {
            let (good, bad) = (names.swap_remove(from), bad.map(str::to_owned));
            let bad = bad.unwrap_or_else(|| good.clone());
            return Err(VersionRowError::WrongOrder { good, bad });
        }
        let names: Vec<String> = names.drain(from..=to).collect();
        let levels = [Grouping::singles(names.len() as u32 - 1)];
        Ok(Self { names, levels })
    }

    /// The names of the versions in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of steps from the first version to the last.
    pub fn deltas(&self) -> u32 {
        self.names.len() as u32 - 1
    }

    /// The only level: single steps.
    pub fn levels(&self) -> &[Grouping] {
        &self.levels
    }

    /// The variant of the version at an index.
    pub fn variant(&self, index: usize) -> Variant {
        Variant::Version(self.names[index].clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(list: &str, good: Option<&str>, bad: Option<&str>) -> Result<Vec<String>, String> {
        VersionRow::parse(list, good, bad)
            .map(|row| row.names().to_vec())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn comments_and_blanks_are_not_versions() {
        let list = "\u{feff}# releases\n1.0\n\n  1.1 \r\n\t# not this one\n2.0-rc 1";
        assert_eq!(parse(list, None, None).unwrap(), ["1.0", "1.1", "2.0-rc 1"]);
    }

    #[test]
    fn good_and_bad_choose_a_part_of_the_list() {
        let list = "a\nb\nc\nd\n";
        assert_eq!(parse(list, Some("b"), None).unwrap(), ["b", "c", "d"]);
        assert_eq!(parse(list, Some("b"), Some("c")).unwrap(), ["b", "c"]);
        assert_eq!(parse(list, Some("x"), None).unwrap_err(), "x is not in the list");
        let reversed = parse(list, Some("c"), Some("b")).unwrap_err();
        assert_eq!(reversed, "the good version c is not before the bad one b");
        let last = parse(list, Some("d"), None).unwrap_err();
        assert_eq!(last, "the good version d is not before the bad one d");
        let first = parse(list, None, Some("a")).unwrap_err();
        assert_eq!(first, "the good version a is not before the bad one a");
    }

    #[test]
    fn lists_that_are_no_rows_are_refused() {
        let twice = parse("a\n\nb\na\n", None, None).unwrap_err();
        assert_eq!(twice, "a is listed twice, in line 1 and in line 4");
        assert!(parse("# nothing\na\n", None, None).unwrap_err().ends_with("the list has 1"));
        let control = parse("a\nb\tc\n", None, None).unwrap_err();
        assert_eq!(control, "line 2 has a control character, which no version can have");
    }
}
