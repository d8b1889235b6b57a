//! The files that vary: what a report says about them belongs to the input, not to the program under test.

/// The names of the files that vary from test to test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VariantFiles {
    names: Vec<String>,
    whole_directory: bool,
    /// Whether a report about them has to say the same, since they are versions of a program and no input.
    are_versions: bool,
}

impl VariantFiles {
    /// Files with these paths, relative to the directory of a test.
    pub fn named(names: impl IntoIterator<Item = String>) -> Self {
        Self { names: names.into_iter().collect(), ..Self::default() }
    }

    /// All files in the directory of a test. Relative paths belong to it.
    pub fn whole_directory() -> Self {
        Self { whole_directory: true, ..Self::default() }
    }

    /// The files of versions of a program. What a report quotes from them has to be the same.
    pub fn of_versions(self) -> Self {
        Self { are_versions: true, ..self }
    }

    /// Whether what a report quotes from these files has to be the same.
    pub(crate) fn are_versions(&self) -> bool {
        self.are_versions
    }

    /// Whether a place such as `./x.c:3:4` or `x.c` is in a file that varies.
    pub fn contain(&self, place: &str) -> bool {
        let place = place.strip_prefix("file://").unwrap_or(place);
        let path = without_line(place);
        let inside = path.strip_prefix("./").unwrap_or(path);
        if self.whole_directory && !inside.starts_with('/') && !inside.contains(':') {
            return true;
        }
        self.names.iter().any(|name| {
            let rest = path.strip_suffix(name.as_str());
            rest.is_some_and(|before| before.is_empty() || before.ends_with('/'))
        })
    }
}

/// A place without its line and column: `x.c` of `x.c:3:4` and of `x.c(3,4)`.
pub(crate) fn without_line(place: &str) -> &str {
    let place = place.trim_end_matches([':', ')']);
    let end = place.trim_end_matches(|c: char| c.is_ascii_digit() || ":,(".contains(c));
    match end.is_empty() {
        true => place,
        false => end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_the_input_are_recognised() {
        let files = VariantFiles::named(["x.py".to_owned()]);
        for place in ["x.py", "./x.py", "./x.py:3:4", "x.py(3,4):", "file:///tmp/a/x.py:1"] {
            assert!(files.contain(place), "{place}");
        }
        for place in ["max.py", "/usr/lib/python3/re.py", "./other.py", "node:internal/x"] {
            assert!(!files.contain(place), "{place}");
        }
        let all = VariantFiles::whole_directory();
        assert!(all.contain("./src/a.py:3") && all.contain("src/a.py"));
        assert!(!all.contain("/usr/lib/re.py") && !all.contain("node:fs:3"));
        assert!(!VariantFiles::default().contain("x.py"));
    }
}
