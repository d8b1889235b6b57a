//! What belongs to some changes for a reader: the lines that replace what they remove, and names.

use crate::folder::definition::{identifiers, is_definition, is_keyword};
use crate::folder::diff::FolderSubject;
use std::collections::HashSet;
use std::ops::Range;
use wynot_core::Configuration;

impl FolderSubject {
    /// Whether the old or the new text of some deltas has a word in it that could be a name. Changes of whole files have.
    pub fn mentions_a_name(&self, deltas: &Configuration) -> bool {
        let has_name = |text: &[u8]| {
            let mut words = identifiers(text).map(|word| std::str::from_utf8(&text[word]));
            words.any(|word| word.is_ok_and(|word| !is_keyword(word)))
        };
        self.changes_of(deltas).any(|(file, selected)| {
            let text = file.in_text(&selected);
            file.text.is_none()
                || text.len() < selected.len()
                || text.iter().flat_map(|delta| file.changed_bytes(delta)).any(has_name)
        })
    }

    /// Whether the new text of some deltas sets a name that other new text of `within` in the same function mentions.
    /// Without such deltas, the others are executed with another value than they were written for.
    pub fn serves_others(&self, deltas: &Configuration, within: &Configuration) -> bool {
        let Some(level) = self.level_names().iter().position(|name| *name == "function") else {
            return false;
        };
        let functions = self.levels()[level].around(deltas);
        let others = within.intersection(&functions).difference(deltas);
        let set: HashSet<Vec<u8>> = self.new_words(deltas, is_definition).into_iter().collect();
        self.new_words(&others, |_, _| true).iter().any(|word| set.contains(word))
    }

    /// The words in the new lines of some deltas that are meant by a condition, which gets the line and the place of the word.
    fn new_words(
        &self,
        deltas: &Configuration,
        is_meant: impl Fn(&[u8], &Range<usize>) -> bool,
    ) -> Vec<Vec<u8>> {
        let mut words = Vec::new();
        for (file, selected) in self.changes_of(deltas) {
            let text = file.in_text(&selected);
            let new = text.iter().filter_map(|delta| file.changed_bytes(delta).pop());
            for line in new.flat_map(|new| new.split_inclusive(|&byte| byte == b'\n')) {
                let meant = identifiers(line).filter(|word| is_meant(line, word));
                words.extend(meant.map(|word| line[word].to_vec()));
            }
        }
        words
    }

    /// Some deltas with those of `within` that put new lines where they only remove old ones: a replacement is one change,
    /// although its two sides may differ in length.
    pub fn with_replacements(
        &self,
        deltas: &Configuration,
        within: &Configuration,
    ) -> Configuration {
        let Some(level) = self.level_names().iter().position(|name| *name == "hunk") else {
            return deltas.clone();
        };
        let only_removes = |deltas: &Configuration| {
            self.changes_of(deltas).all(|(file, selected)| {
                let in_text = file.in_text(&selected);
                let is_removal = |delta: u32| file.changed_bytes(delta).last() == Some(&&b""[..]);
                in_text.len() == selected.len() && in_text.iter().all(is_removal)
            })
        };
        let mut with = deltas.clone();
        let mut rest = deltas.clone();
        while let Some(first) = rest.iter().next() {
            let hunk = self.levels()[level].around(&Configuration::from([first]));
            if only_removes(&deltas.intersection(&hunk)) {
                with = with.union(&within.intersection(&hunk));
            }
            rest = rest.difference(&hunk);
        }
        with
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::folder_of_texts;
    use crate::folder::levels::FolderLevel;

    #[test]
    fn removed_lines_go_with_those_that_replace_them() {
        let old = folder_of_texts(&[("a", "1\n2\n3\nx\n4\n5\ny\nz\n")]);
        let new = folder_of_texts(&[("a", "B\nx\n4\ny\nz\n6\n")]);
        let subject = FolderSubject::between(&old, new, Some(&"line".parse().unwrap())).unwrap();
        // 1, 2 and 3 are gone, B is new; 5 is gone; 6 is new.
        let all = Configuration::full(subject.deltas());
        let with = |delta: u32| subject.with_replacements(&[delta].into(), &all);
        assert_eq!(all.len(), 6);
        assert_eq!([1, 3].map(with), [[0, 1, 2, 3].into(), Configuration::from([3])]);
        assert_eq!([4, 5].map(with), [[4].into(), Configuration::from([5])]);
    }

    #[test]
    fn a_jump_mentions_no_name() {
        let old = folder_of_texts(&[("a.c", "x\n")]);
        let new = folder_of_texts(&[("a.c", "x\n    continue;\n    n++;\n")]);
        let subject = FolderSubject::between(&old, new, Some(&"line".parse().unwrap())).unwrap();
        assert_eq!([0, 1].map(|delta| subject.mentions_a_name(&[delta].into())), [false, true]);
    }

    #[test]
    fn what_sets_a_name_serves_what_mentions_it_in_the_same_function() {
        let old = folder_of_texts(&[("a.c", "int f(void)\n{\n    int n;\n}\nint g(void)\n{\n}\n")]);
        let new = folder_of_texts(&[(
            "a.c",
            "int f(void)\n{\n    int n;\n    n = h(1);\n    if (n > 2)\n        return 3;\n    p = 4;\n}\nint g(void)\n{\n    p();\n}\n",
        )]);
        let levels = [FolderLevel::File, FolderLevel::Function];
        let units = "line".parse().unwrap();
        let subject = FolderSubject::with_levels(&old, new, &units, &levels).unwrap();
        let all = Configuration::full(subject.deltas());
        let serving = (0..5).filter(|&delta| subject.serves_others(&[delta].into(), &all));
        assert_eq!((all.len(), serving.collect::<Vec<u32>>()), (5, vec![0]));
    }
}
