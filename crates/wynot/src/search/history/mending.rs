//! Mending versions that cannot be tested: the patch at the border of a stretch of them, and what follows from its outcome.

use super::blocker::{Blocker, DerivedPatch, Layer, blocker_name};
use super::border::{FoundPatch, PatchSearch, find_patch};
use super::clean_tests::test_clean;
use super::history_found::Derivation;
use super::history_walk::{Walk, WalkEnd};
use crate::error::Error;
use wynot_core::{Gap, Outcome, Outcomes, Reached};
use wynot_exec::sources::patch_with_renames;
use wynot_report::number::count;
use wynot_session::{Digest, Stop};
use wynot_subjects::{Folder, Hunk, Variant, apply_hunks};

/// A version is tested with the patch of a blocker only if it brings at least this part of its lines with it: 1 of 10. Older
/// ones do not have the program yet.
const MIN_SHARE_OF_LINES: usize = 10;

/// A patch of so many lines that adds a missing name brings what fails, unless it mends a build.
const MIN_LINES_OF_FEATURE: usize = 15;

/// Words in messages that are shorter than this are no names.
const MIN_BYTES_OF_NAME: usize = 3;

/// The reason of versions that did not build.
const BUILD_REASON: &str = "did not build";

/// The result of mending a version.
pub(super) enum Mended {
    /// It fails with the patch.
    Fails,
    /// It passes with the patch, or does not have what fails, which ends the walk.
    Ends(Box<WalkEnd>),
    /// A version before it passes.
    Beyond(Gap),
    /// There is too little of the program to patch.
    Absent,
    Stopped(Stop),
}

impl Walk<'_, '_> {
    /// Derives a patch at the border of a stretch that cannot be tested, and adds it to the blockers.
    pub(super) fn mend(&mut self, failing: usize, unresolved: usize) -> Result<Mended, Error> {
        let (older, newer) = {
            let row = self.row();
            (row.patched(unresolved).folder, row.patched(failing).folder)
        };
        let (lines_older, lines_newer) = (lines_of(&older), lines_of(&newer));
        if lines_older * MIN_SHARE_OF_LINES < lines_newer {
            return Ok(Mended::Absent);
        }
        let search =
            PatchSearch { sought: Outcomes::RESOLVED, patience: self.patience, flat: self.flat };
        let found = match self.find_patch(unresolved, [&older, &newer], search, false)? {
            Ok(found) => found,
            Err(stop) => return Ok(Mended::Stopped(stop)),
        };
        let lines: usize = found.hunks.iter().map(Hunk::lines).sum();
        if lines > lines_older {
            return Ok(Mended::Absent);
        }
        self.parts.blockers += 1;
        match test_clean(self.plan, &found.folder, &mut self.counts, self.engine) {
            Ok(outcome) if outcome == found.outcome => {}
            // What was found rests on the products of other builds; the whole change does not.
            Ok(_) => {
                let hunks = found.all.clone();
                let whole = FoundPatch {
                    hunks,
                    folder: newer.clone(),
                    outcome: Outcome::Fail,
                    failing: None,
                    ..found
                };
                self.add_blocker(unresolved, [&older, &newer], &whole)?;
                return Ok(Mended::Fails);
            }
            Err(stop) => return Ok(Mended::Stopped(stop)),
        }
        if self.brings_failure(&found, [&older, &newer]) {
            return self.trace_feature(failing, unresolved, &older, &found);
        }
        if found.outcome == Outcome::Fail {
            self.add_blocker(unresolved, [&older, &found.folder], &found)?;
            return Ok(Mended::Fails);
        }
        self.go_beyond(failing, unresolved, [older, newer], found)
    }

    /// A part of the change after a version makes it pass, and the whole change makes it fail: the change may be the one that
    /// introduced the failure. It may also bring what the test needs to see an older failure, so the walk goes on with a part
    /// that fails, as far as that needs no further patch.
    fn go_beyond(
        &mut self,
        failing: usize,
        unresolved: usize,
        [older, newer]: [Folder; 2],
        found: FoundPatch,
    ) -> Result<Mended, Error> {
        if let Some(hunks) = found.failing.clone()
            && let Some(mended) = self.walk_with(hunks, unresolved, &older, &found)?
        {
            return Ok(mended);
        }
        self.add_blocker(unresolved, [&older, &found.folder], &found)?;
        Ok(Mended::Ends(Box::new(WalkEnd {
            failing,
            passing: Some(unresolved),
            sides: Some([found.folder, newer]),
            stop: None,
            remark: None,
            came_with: false,
        })))
    }

    /// Walks back with a patch that fails, without deriving others. Returns what follows if a version passes, or if the walk
    /// is stopped.
    fn walk_with(
        &mut self,
        hunks: Vec<Hunk>,
        unresolved: usize,
        older: &Folder,
        found: &FoundPatch,
    ) -> Result<Option<Mended>, Error> {
        if unresolved == 0 {
            return Ok(None);
        }
        let (origin, newest) = (older.clone(), Some(unresolved));
        self.layers.push(Layer { hunks: hunks.clone().into(), origin, newest });
        let reached = self.walk_only(unresolved)?;
        self.layers.pop();
        Ok(match reached {
            Ok(Reached::Passing(gap)) => {
                let folder = apply_hunks(&hunks, older).folder;
                let (outcome, failing) = (Outcome::Fail, None);
                let found = FoundPatch { hunks, folder, outcome, failing, ..found.clone() };
                self.add_blocker(unresolved, [older, &found.folder], &found)?;
                Some(Mended::Beyond(gap))
            }
            Ok(_) => None,
            Err(stop) => Some(Mended::Stopped(stop)),
        })
    }

    /// Whether a patch does not mend an older version but brings what fails: much code with a name that was
    /// missing, or, if it fails, a name that the failure mentions and the older version does not have. What mends a build does not. A part of a
    /// feature that passes shows as little as one that fails.
    fn brings_failure(&self, found: &FoundPatch, [older, newer]: [&Folder; 2]) -> bool {
        let digest = |folder: &Folder| Digest::of(&Variant::Folder(folder.clone()));
        let Some(unresolved) = self.engine.lab.unresolved(digest(older)) else { return false };
        if unresolved.reason == BUILD_REASON {
            return false;
        }
        let brings_name = |message: &str| {
            let words = message.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            let mut words = words.filter(|word| word.len() >= MIN_BYTES_OF_NAME);
            words.any(|word| !mentions(older, word) && mentions(&found.folder, word))
        };
        let lines: usize = found.hunks.iter().map(Hunk::lines).sum();
        if lines >= MIN_LINES_OF_FEATURE && brings_name(&unresolved.message.unwrap_or_default()) {
            return true;
        }
        if found.outcome != Outcome::Fail {
            return false;
        }
        let failure = self.engine.lab.failure_of(digest(newer));
        let message = failure.and_then(|failure| failure.message).unwrap_or_default();
        brings_name(&message)
    }

    /// The change after a version brings what fails. The walk goes on with the patch as far as that needs no further one; if
    /// no version passes, the failure came with the change.
    fn trace_feature(
        &mut self,
        failing: usize,
        unresolved: usize,
        older: &Folder,
        found: &FoundPatch,
    ) -> Result<Mended, Error> {
        let hunks = found.failing.as_ref().unwrap_or(&found.hunks).clone();
        if let Some(mended) = self.walk_with(hunks, unresolved, older, found)? {
            return Ok(mended);
        }
        let id = &self.ids[failing][..12.min(self.ids[failing].len())];
        let remark = Some(format!("versions before {id} do not have what the test needs"));
        let (passing, sides, stop) = (None, None, None);
        let end = WalkEnd { failing, passing, sides, stop, remark, came_with: true };
        Ok(Mended::Ends(Box::new(end)))
    }

    /// Adds a patch to the blockers.
    fn add_blocker(
        &mut self,
        index: usize,
        [older, patched]: [&Folder; 2],
        found: &FoundPatch,
    ) -> Result<(), Error> {
        let digest = Digest::of(&Variant::Folder(older.clone()));
        let unresolved = self.engine.lab.unresolved(digest);
        let reason = unresolved.as_ref().map_or("cannot be tested", |known| &known.reason);
        let message = unresolved.as_ref().and_then(|known| known.message.as_deref());
        let id = self.ids[index].clone();
        let scratch = self.engine.executor.scratch().to_owned();
        let derived = DerivedPatch {
            index,
            origin: older.clone(),
            hunks: found.hunks.clone().into(),
            all: found.all.clone().into(),
        };
        let blocker = Blocker {
            name: blocker_name(message, reason),
            reason: reason.to_owned(),
            from: id.clone(),
            to: id,
            interval: [index, index],
            lines: found.hunks.iter().map(Hunk::lines).sum(),
            lines_before: found.lines_before,
            tests: found.counts.executed,
            patch: patch_with_renames(older, patched, &scratch).map_err(Error::usage)?,
            is_wide: false,
            derived,
        };
        let lines = count(blocker.lines as u64, "line");
        let short = &blocker.from[..12.min(blocker.from.len())];
        let text = format!("blocker at {short}: {}; mended by {lines}", blocker.name);
        self.engine.lab.remark(&text);
        self.layers.push(blocker.derived.layer());
        self.blockers.push(blocker);
        Ok(())
    }

    /// Finds a patch for a version, and keeps how the search for it went.
    pub(super) fn find_patch(
        &mut self,
        index: usize,
        sides: [&Folder; 2],
        search: PatchSearch,
        is_fix: bool,
    ) -> Result<Result<FoundPatch, Stop>, Error> {
        let id = &self.ids[index][..12.min(self.ids[index].len())];
        let noun = if is_fix { "fix" } else { "patch" };
        self.engine.lab.place(&format!("{noun} for {id}, {}", self.in_words()));
        let before = self.engine.lab.unresolved_reasons();
        let found = match find_patch(self.plan, sides, search, self.engine)? {
            Ok(found) => found,
            Err(stop) => return Ok(Err(stop)),
        };
        self.counts = self.counts.and(&found.counts);
        match is_fix {
            true => self.parts.fix += found.counts.executed,
            false => self.parts.blockers += found.counts.executed,
        }
        let mut reasons = self.engine.lab.unresolved_reasons();
        reasons.iter_mut().for_each(|(reason, number)| {
            *number -= before.get(reason).copied().unwrap_or_default();
        });
        reasons.retain(|_, number| *number > 0);
        let after = found.hunks.iter().map(Hunk::lines).sum();
        self.derivations.push(Derivation {
            id: self.ids[index].clone(),
            index,
            is_fix,
            lines: [found.lines_before, after],
            tests: found.counts.executed,
            reasons,
        });
        Ok(Ok(found))
    }
}

/// Whether a text of a folder contains a word.
fn mentions(folder: &Folder, word: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    folder.entries().filter_map(|(_, entry)| entry.text()).any(|text| {
        memchr::memmem::find_iter(text, word.as_bytes()).any(|at| {
            let before = at.checked_sub(1).and_then(|before| text.get(before));
            let after = text.get(at + word.len());
            ![before, after].into_iter().flatten().any(|&byte| is_part(byte))
        })
    })
}

/// The number of lines of all texts in a folder.
fn lines_of(folder: &Folder) -> usize {
    let texts = folder.entries().filter_map(|(_, entry)| entry.text());
    texts.map(|text| text.iter().filter(|&&byte| byte == b'\n').count()).sum()
}
