//! The identifiers that changes add and remove, and the dependencies that follow from them.
//!
//! A change that uses a new name needs the one that defines it, and a change that removes a definition needs those that
//! remove its uses. Names that only one of the two versions has are known to matter beforehand. Of names that both have,
//! only those matter that a failed build mentions: a function with another parameter, a field with another type.

use crate::folder::change::FileChange;
use crate::folder::definition::{identifiers, is_definition, is_keyword};
use crate::folder::diff::FolderSubject;
use crate::folder::entry::FolderEntry;
use crate::folder::file_lists::{add_file_lists, is_prose};
use crate::folder::moved_files::{add_path_names, tie_moved_files};
use crate::folder::name_changes::{MAX_TIED, NameChanges};
use crate::folder::statements::add_statements;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::path::Path;
use wynot_core::{Configuration, Dependencies, Grouping};

/// Identifiers shorter than this do not connect changes unless a failed build mentions them.
const MIN_NAME_BYTES: usize = 3;

/// The largest hunk that an error in it ties together.
const MAX_TIED_HUNK: usize = 12;

/// The number of bytes of unchanged files that are searched for names. In larger trees, only the changed files are.
const MAX_BYTES_SEARCHED: u64 = 256 << 20;

/// The changes between two folders by the identifiers in them.
#[derive(Debug)]
pub struct ChangedIdentifiers<'a> {
    subject: &'a FolderSubject,
    changes: HashMap<&'a [u8], NameChanges>,
}

impl<'a> ChangedIdentifiers<'a> {
    /// Finds the identifiers in the changes of a subject.
    pub fn of(subject: &'a FolderSubject) -> Self {
        let mut found = Self { subject, changes: HashMap::new() };
        for (file, _) in subject.changes_of(&Configuration::full(subject.deltas())) {
            if is_prose(&file.path) {
                continue;
            }
            match &file.text {
                Some(text) => {
                    for index in 0..text.deltas() {
                        let delta = text.delta(index);
                        let bytes = |range: Range<u32>| range.start as usize..range.end as usize;
                        let (old, new) = (bytes(delta.old), bytes(delta.new));
                        let number = file.first + index;
                        found.add_side(number, &text.baseline()[old], false);
                        found.add_side(number, &text.original()[new], true);
                    }
                }
                None => {
                    for (entry, is_new) in [(&file.old, false), (&file.new, true)] {
                        let text = entry.as_ref().and_then(FolderEntry::text).unwrap_or_default();
                        for line in text.split_inclusive(|&byte| byte == b'\n') {
                            found.add_side(file.first, line, is_new);
                        }
                    }
                }
            }
            found.add_file_name(file);
        }
        found
    }

    /// The name of a file that is new or gone is defined by its first change, and that of a file which was renamed by the
    /// rename: an include or import needs it.
    fn add_file_name(&mut self, file: &'a FileChange) {
        let old = file.renamed_from.as_ref().or(file.old.as_ref().map(|_| &file.path));
        let names =
            [old, file.new.as_ref().map(|_| &file.path)].map(|path| path?.file_name()?.to_str());
        if names[0] == names[1] {
            return;
        }
        let delta = file.first + file.rename().unwrap_or_default();
        for (name, is_new) in names.into_iter().zip([false, true]) {
            let Some(name) = name.map(str::as_bytes) else { continue };
            let Some(word) = identifiers(name).next() else { continue };
            let changes = self.changes.entry(&name[word]).or_default();
            let defining = if is_new { &mut changes.define } else { &mut changes.undefine };
            defining.push(delta);
        }
    }

    fn add_side(&mut self, delta: u32, line: &'a [u8], is_new: bool) {
        for word in identifiers(line) {
            let changes = self.changes.entry(&line[word.clone()]).or_default();
            let (mentions, definitions) = match is_new {
                true => (&mut changes.add, &mut changes.define),
                false => (&mut changes.remove, &mut changes.undefine),
            };
            if mentions.last() != Some(&delta) {
                mentions.push(delta);
            }
            if definitions.last() != Some(&delta) && is_definition(line, &word) {
                definitions.push(delta);
                if !line.starts_with(b" ") && !line.starts_with(b"\t") {
                    changes.outer.push(delta);
                }
            }
        }
    }

    /// The dependencies between lines that belong together.
    pub fn statements(&self) -> Dependencies {
        let mut dependencies = Dependencies::new(self.subject.deltas());
        for (file, _) in self.subject.changes_of(&Configuration::full(self.subject.deltas())) {
            add_statements(file, &mut dependencies);
        }
        tie_moved_files(self.subject, &mut dependencies);
        dependencies
    }

    /// The dependencies that are known before any test: lines that belong together, names that only one of the two
    /// versions has and defines, and functions and types that were moved.
    pub fn dependencies(&self) -> Dependencies {
        let mut dependencies = self.statements();
        let unchanged = self.unchanged_names();
        let mut one_sided: Vec<&[u8]> = self
            .changes
            .iter()
            .filter(|(name, changes)| {
                name.len() >= MIN_NAME_BYTES
                    && !(changes.define.is_empty() && changes.undefine.is_empty())
                    && changes.add.is_empty() != changes.remove.is_empty()
                    && !unchanged.contains(*name)
            })
            .map(|(name, _)| *name)
            .collect();
        one_sided.sort_unstable();
        for name in one_sided {
            self.changes[name].connect(self.scopes(), &mut dependencies);
            dependencies.note_reason(name);
        }
        let mut moved: Vec<&[u8]> = self
            .changes
            .iter()
            .filter(|(name, changes)| {
                name.len() >= MIN_NAME_BYTES && changes.is_moved(self.scopes())
            })
            .map(|(name, _)| *name)
            .collect();
        moved.sort_unstable();
        moved.iter().for_each(|name| self.changes[name].tie_definitions(&mut dependencies));
        add_file_lists(self.subject, &mut dependencies);
        add_path_names(self.subject, &mut dependencies);
        dependencies
    }

    /// The names in the unchanged lines of both versions.
    fn unchanged_names(&self) -> HashSet<&'a [u8]> {
        let mut names = HashSet::new();
        let mut left = MAX_BYTES_SEARCHED;
        for (path, entry) in self.subject.unchanged_entries() {
            if is_prose(path) {
                continue;
            }
            left = left.saturating_sub(entry.size());
            if left == 0 {
                break;
            }
            let text = entry.text().unwrap_or_default();
            names.extend(identifiers(text).map(|word| &text[word]));
        }
        for (file, _) in self.subject.changes_of(&Configuration::full(self.subject.deltas())) {
            let Some(text) = &file.text else { continue };
            let mut end = 0;
            let changed = (0..text.deltas()).map(|index| text.delta(index).new);
            let last = text.original().len()..text.original().len();
            for new in changed.map(|new| new.start as usize..new.end as usize).chain([last]) {
                let between = &text.original()[end..new.start.max(end)];
                names.extend(identifiers(between).map(|word| &between[word]));
                end = new.end.max(end);
            }
        }
        names
    }

    /// Adds what an unresolved configuration lacks to dependencies, from the names and places that its test has mentioned. A place
    /// is a path and a line, as in `src/main.c:12`.
    pub fn learn(
        &self,
        configuration: &Configuration,
        mentioned: &BTreeSet<String>,
        dependencies: &mut Dependencies,
    ) {
        let rules = dependencies.rules();
        let scopes = self.scopes();
        for name in mentioned.iter().filter(|name| !is_keyword(name)) {
            let Some(changes) = self.changes.get(name.as_bytes()) else { continue };
            if !changes.is_mixed(configuration) {
                continue;
            }
            if changes.has_mixed_definitions(configuration)
                && dependencies.note_reason([name.as_bytes(), b" defined"].concat())
            {
                changes.tie_definitions(dependencies);
                continue;
            }
            if dependencies.note_reason(name.as_bytes()) {
                changes.connect(scopes, dependencies);
            }
            // The usual dependencies may not explain it: some compilers refuse what is defined and not used.
            let all = changes.all();
            if all.len() <= MAX_TIED
                && dependencies.is_closed(configuration)
                && dependencies.note_reason([name.as_bytes(), b" tied"].concat())
            {
                dependencies.tie(all);
            }
        }
        if dependencies.rules() > rules {
            return;
        }
        for place in mentioned {
            let Some((path, line)) = place.rsplit_once(':') else { continue };
            let Ok(line) = line.parse() else { continue };
            if let Some(hunk) = self.half_applied_hunk(configuration, path, line)
                && dependencies.note_reason(format!("hunk {}", hunk[0]))
            {
                dependencies.tie(hunk);
            }
        }
    }

    /// The changes that mention a name, or lie at a place, that the test of a configuration has mentioned.
    pub fn related_to(
        &self,
        configuration: &Configuration,
        mentioned: &BTreeSet<String>,
    ) -> Configuration {
        let mut related = Configuration::empty();
        for name in mentioned.iter().filter(|name| !is_keyword(name)) {
            let all = self.changes.get(name.as_bytes()).map(NameChanges::all).unwrap_or_default();
            if all.len() <= MAX_TIED {
                let hunks = all.iter().map(|&delta| self.hunk_of(delta));
                related = hunks.fold(related, |all, hunk| all.union(&hunk));
            }
        }
        for (path, line) in mentioned.iter().filter_map(|place| place.rsplit_once(':')) {
            let line = line.parse().ok();
            if let Some(hunk) = line.and_then(|line| self.hunk_at(configuration, path, line)) {
                related = related.union(&hunk);
            }
        }
        related
    }

    /// The deltas of a hunk at a line of a file, if only some of them are applied.
    fn half_applied_hunk(
        &self,
        configuration: &Configuration,
        path: &str,
        line: usize,
    ) -> Option<Vec<u32>> {
        let hunk: Vec<u32> = self.hunk_at(configuration, path, line)?.iter().collect();
        let applied = hunk.iter().filter(|&&delta| configuration.contains(delta)).count();
        (applied > 0 && applied < hunk.len() && hunk.len() <= MAX_TIED_HUNK).then_some(hunk)
    }

    /// The hunk at a line of a file of a configuration.
    fn hunk_at(
        &self,
        configuration: &Configuration,
        path: &str,
        line: usize,
    ) -> Option<Configuration> {
        let path = Path::new(path);
        let is_meant = |file: &Path| file.ends_with(path) || path.ends_with(file);
        let all = Configuration::full(self.subject.deltas());
        let mut files = self.subject.changes_of(&all);
        let (file, _) = files.find(|(file, _)| {
            file.text.is_some() && is_meant(file.path_after(&file.select(configuration)))
        })?;
        let text = file.text.as_ref()?;
        let selected = file.select(configuration);
        let lines_in = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte == b'\n').count();
        // The number of the line before each delta in the text of the configuration.
        let (mut before, mut old_end) = (0, 0);
        let mut nearest: Option<(usize, u32)> = None;
        for index in 0..text.deltas() {
            let delta = text.delta(index);
            let gap = &text.baseline()[old_end..(delta.old.start as usize).max(old_end)];
            before += lines_in(gap);
            let applied = match selected.contains(index) {
                true => &text.original()[delta.new.start as usize..delta.new.end as usize],
                false => &text.baseline()[delta.old.start as usize..delta.old.end as usize],
            };
            let distance = line.abs_diff(before + 1);
            if nearest.is_none_or(|(least, _)| distance < least) {
                nearest = Some((distance, index));
            }
            before += lines_in(applied);
            old_end = delta.old.end as usize;
        }
        let (_, index) = nearest.filter(|(distance, _)| *distance <= 3)?;
        Some(self.hunk_of(file.first + index))
    }

    fn hunk_of(&self, delta: u32) -> Configuration {
        self.level("hunk").around(&Configuration::from([delta]))
    }

    /// The functions, and other items and files.
    fn scopes(&self) -> &'a Grouping {
        self.level("function")
    }

    /// The groups of a level; the finest ones if there is no such level.
    fn level(&self, name: &str) -> &'a Grouping {
        let level = self.subject.level_names().iter().position(|level| *level == name);
        let levels = self.subject.levels();
        &levels[level.unwrap_or(levels.len() - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::folder_of_texts;
    use crate::folder::levels::FolderLevel;

    fn subject(old: &[(&str, &str)], new: &[(&str, &str)]) -> FolderSubject {
        let levels = [FolderLevel::File, FolderLevel::Hunk];
        let units = "line".parse().unwrap();
        FolderSubject::with_levels(&folder_of_texts(old), folder_of_texts(new), &units, &levels)
            .unwrap()
    }

    #[test]
    fn a_use_needs_the_new_definition_and_a_lost_definition_the_end_of_its_uses() {
        let old = [
            ("a.c", "int main(void) {\n  return old_way();\n}\n"),
            ("b.c", "int old_way(void) { return 1; }\n"),
        ];
        let new = [
            ("a.c", "int main(void) {\n  return new_way();\n}\n"),
            ("b.c", "int new_way(void) { return 1; }\nint more;\n"),
        ];
        let subject = subject(&old, &new);
        let dependencies = ChangedIdentifiers::of(&subject).dependencies();
        let all = Configuration::full(subject.deltas());
        assert_eq!(subject.deltas(), 3);
        let closed = |delta: u32| dependencies.with_needs(&Configuration::from([delta]), &all);
        assert_eq!(closed(0), Configuration::from([0, 1]));
        assert_eq!(closed(1), Configuration::from([0, 1]));
        assert_eq!(closed(2), Configuration::from([2]));
    }

    #[test]
    fn a_name_of_both_versions_connects_changes_when_a_build_mentions_it() {
        let old = [("a.c", "int f(int a);\nint x;\nint g(void) { return f(1); }\n")];
        let new =
            [("a.c", "int f(int a, int b);\nint x;\nint g(void) { return f(1, 2); }\nint y;\n")];
        let subject = subject(&old, &new);
        let identifiers = ChangedIdentifiers::of(&subject);
        let mut dependencies = identifiers.dependencies();
        let (all, part) = (Configuration::full(subject.deltas()), Configuration::from([0]));
        assert_eq!(dependencies.with_needs(&part, &all), part);
        let mentioned = BTreeSet::from(["f".to_owned()]);
        identifiers.learn(&part, &mentioned, &mut dependencies);
        assert_eq!(dependencies.with_needs(&part, &all), Configuration::from([0, 1]));
        // Other dependencies learn it as well.
        let mut ties = identifiers.statements();
        identifiers.learn(&part, &mentioned, &mut ties);
        assert_eq!(ties.with_needs(&part, &all), Configuration::from([0, 1]));
    }

    #[test]
    fn an_error_at_a_half_applied_hunk_ties_the_hunk() {
        let old = [("x.lua", "a\nb\nc\nd\n")];
        let new = [("x.lua", "a\nif p then\nq\nend\nd\ne\n")];
        let subject = subject(&old, &new);
        let identifiers = ChangedIdentifiers::of(&subject);
        let mut dependencies = identifiers.dependencies();
        let (all, part) = (Configuration::full(subject.deltas()), Configuration::from([0]));
        identifiers.learn(&part, &BTreeSet::from(["./x.lua:3".to_owned()]), &mut dependencies);
        let hunk = Configuration::full(subject.deltas() - 1);
        assert_eq!(dependencies.with_needs(&part, &all), hunk);
    }
}
