//! What differs between two folders at one path.

use crate::folder::entry::FolderEntry;
use crate::text::TextSubject;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use wynot_core::Configuration;

/// What differs at one path.
#[derive(Debug)]
pub struct FileChange {
    /// The path; that in the original, if the file was renamed.
    pub path: Arc<Path>,
    /// The path in the baseline, if the file was renamed. Beside changes inside the file, the rename is a delta after
    /// those of the text.
    pub renamed_from: Option<Arc<Path>>,
    /// The entry in the baseline; `None` if there is none or if it is a directory with entries.
    pub old: Option<FolderEntry>,
    /// The entry in the original; `None` if there is none or if it is a directory with entries.
    pub new: Option<FolderEntry>,
    /// The changes inside the file; `None` if it changes as a whole.
    pub text: Option<TextSubject>,
    /// The new permission bits, if they change beside the text. That is the last delta of the change.
    pub mode: Option<u32>,
    /// The number of the first delta of this change.
    pub(crate) first: u32,
}

impl FileChange {
    /// The number of deltas of this change.
    pub(crate) fn deltas(&self) -> u32 {
        match &self.text {
            Some(text) => {
                let is_renamed = self.renamed_from.is_some();
                text.deltas() + u32::from(is_renamed) + u32::from(self.mode.is_some())
            }
            None => 1,
        }
    }

    /// The deltas of this change that are not in its text: the rename and the new permission bits.
    pub(crate) fn beside_text(&self) -> Range<u32> {
        match &self.text {
            Some(text) => text.deltas()..self.deltas(),
            None => 0..0,
        }
    }

    /// Those of some deltas of this change that are in its text.
    pub fn in_text(&self, selected: &Configuration) -> Configuration {
        selected.difference(&Configuration::from_iter(self.beside_text()))
    }

    /// The delta that renames the file, among those of this change.
    pub(crate) fn rename(&self) -> Option<u32> {
        let in_text = self.text.as_ref().map_or(0, TextSubject::deltas);
        self.renamed_from.as_ref().map(|_| in_text)
    }

    /// The old path, if some deltas of this change rename the file.
    pub fn renames(&self, selected: &Configuration) -> Option<&Arc<Path>> {
        let is_selected = self.rename().is_some_and(|rename| selected.contains(rename));
        self.renamed_from.as_ref().filter(|_| is_selected)
    }

    /// The path after the selected changes.
    pub(crate) fn path_after(&self, selected: &Configuration) -> &Arc<Path> {
        match &self.renamed_from {
            Some(old) if self.renames(selected).is_none() => old,
            _ => &self.path,
        }
    }

    /// Whether some deltas of this change set new permission bits beside the text.
    pub fn sets_mode(&self, selected: &Configuration) -> bool {
        self.mode.is_some() && selected.contains(self.deltas() - 1)
    }

    /// The old and the new text of a delta, which is numbered from 0 in this change; none for changes of whole files.
    pub(crate) fn changed_bytes(&self, delta: u32) -> Vec<&[u8]> {
        let Some(text) = self.text.as_ref().filter(|text| delta < text.deltas()) else {
            return Vec::new();
        };
        let delta = text.delta(delta);
        vec![
            &text.baseline()[delta.old.start as usize..delta.old.end as usize],
            &text.original()[delta.new.start as usize..delta.new.end as usize],
        ]
    }

    /// The deltas of this change that a configuration contains, renumbered from 0.
    pub fn select(&self, configuration: &Configuration) -> Configuration {
        let all = self.first..self.first + self.deltas();
        let mut selected = Configuration::empty();
        for range in configuration.ranges() {
            let (from, to) = (range.start.max(all.start), range.end.min(all.end));
            if from < to {
                selected.push(from - all.start..to - all.start);
            }
        }
        selected
    }

    /// The entry at the path after the selected changes.
    pub(crate) fn entry(&self, selected: &Configuration) -> Option<FolderEntry> {
        match (&self.text, selected.len() as u32) {
            (_, 0) => self.old.clone(),
            (Some(text), some) if some < self.deltas() => {
                let mut bytes = Vec::new();
                text.compose(&self.in_text(selected), &mut bytes);
                let side = if self.sets_mode(selected) { &self.new } else { &self.old };
                let mode = match side.as_ref().or(self.new.as_ref()) {
                    Some(FolderEntry::File { mode, .. }) => *mode,
                    _ => 0o644,
                };
                Some(FolderEntry::file(bytes, mode))
            }
            _ => self.new.clone(),
        }
    }
}
