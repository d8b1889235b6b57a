//! The least patch between two neighbouring versions with which the older one has an outcome that is sought.
//!
//! It is used in both directions. On the way back, the older version cannot be tested, and any resolved outcome is sought.
//! When a fix is ported forward, the version with the fix of its predecessor does not pass, and Pass is sought.

use super::configured_folder::ConfiguredFolder;
use super::patient::Patient;
use crate::error::Error;
use crate::plan::Plan;
use crate::search::engine::Engine;
use wynot_core::{
    Attempt, Configuration, Dependencies, DependentSearch, Grouping, Label, Mapped, Oracle,
    Outcome, Outcomes, Sought, Stopped, ddmin_by_levels, gather_by_levels,
};
use wynot_session::{Compose, Counts, Executor, Session, Stop};
use wynot_subjects::{
    ChangedIdentifiers, Folder, FolderLevel, FolderSubject, Hunk, Units, apply_hunks,
    hunks_between, renames_between,
};

/// How often the changes that an error mentions are added, before the search begins with all changes.
const MAX_REPAIRS: usize = 6;

/// What a search for a patch may spend, and how it proceeds.
#[derive(Clone, Copy, Debug)]
pub(super) struct PatchSearch {
    /// The outcomes that are sought.
    pub sought: Outcomes,
    /// The number of tests that may be unresolved.
    pub patience: usize,
    /// Whether to simplify line by line, without directories, files, functions and hunks.
    pub flat: bool,
}

/// A patch that was found between two versions.
#[derive(Clone, Debug)]
pub(super) struct FoundPatch {
    /// The hunks of the patch.
    pub hunks: Vec<Hunk>,
    /// All hunks between the versions.
    pub all: Vec<Hunk>,
    /// The older version with the patch.
    pub folder: Folder,
    /// Its outcome.
    pub outcome: Outcome,
    /// The smallest patch found with which the older version fails, if the least one does not.
    pub failing: Option<Vec<Hunk>>,
    /// The number of changed lines of both versions.
    pub lines_before: usize,
    pub counts: Counts,
}

/// Finds the least patch from `newer` with which `older` has an outcome that is sought, as `newer` has.
pub(super) fn find_patch(
    plan: &Plan,
    [older, newer]: [&Folder; 2],
    search: PatchSearch,
    engine: &mut Engine<'_>,
) -> Result<Result<FoundPatch, Stop>, Error> {
    let renames = renames_between(older, newer);
    let mut counts = Counts::default();
    if !renames.is_empty() {
        match find_renames(plan, older, newer, &renames, search, engine) {
            Ok((Some(found), _)) => return Ok(Ok(found)),
            Ok((None, spent)) => counts = spent,
            Err(stop) => return Ok(Err(stop)),
        }
    }
    let base = apply_hunks(&renames, older).folder;
    let border = BorderChanges::new(&base, newer, search.flat)?;
    let folder = |configuration: &Configuration| border.changes.compose(configuration);
    let level_names = border.changes.level_names().to_vec();
    let subject = ConfiguredFolder { folder, level_names };
    let mut session = engine.session(&subject, &plan.results);
    let found = border.simplify(search, &mut session);
    counts = counts.and(&session.counts());
    drop(session);
    let simplified = match found {
        Ok(simplified) => simplified,
        Err(stop) => return Ok(Err(stop)),
    };
    let patched = |configuration: &Configuration| {
        let folder = border.changes.compose(configuration);
        let hunks = [renames.clone(), hunks_between(&base, &folder)].concat();
        (hunks, folder)
    };
    let (hunks, folder) = patched(&simplified.least);
    let all = [renames.clone(), hunks_between(&base, newer)].concat();
    Ok(Ok(FoundPatch {
        hunks,
        all,
        folder,
        outcome: simplified.outcome,
        failing: simplified.failing.map(|configuration| patched(&configuration).0),
        lines_before: border.changes.deltas() as usize,
        counts,
    }))
}

/// The least renames with which the older version has an outcome that is sought, if it has one with all of them.
fn find_renames(
    plan: &Plan,
    older: &Folder,
    newer: &Folder,
    renames: &[Hunk],
    search: PatchSearch,
    engine: &mut Engine<'_>,
) -> Result<(Option<FoundPatch>, Counts), Stop> {
    let selected = |configuration: &Configuration| -> Vec<Hunk> {
        configuration.iter().map(|hunk| renames[hunk as usize].clone()).collect()
    };
    let subject =
        ConfiguredFolder::new(|c: &Configuration| apply_hunks(&selected(c), older).folder);
    let mut session = engine.session(&subject, &plan.results);
    let all = Configuration::full(renames.len() as u32);
    let outcome = outcome_of(&all, &mut session)?;
    if !search.sought.contains(outcome) {
        return Ok((None, session.counts()));
    }
    let mut sought = Sought::new(Patient::new(&mut session, search.patience), search.sought);
    let least = match wynot_core::gather(all, &mut sought) {
        Ok(least) => least,
        Err(Stopped { best, cause: Stop::Undecided(_) }) => best,
        Err(Stopped { cause, .. }) => return Err(cause),
    };
    drop(sought);
    let outcome = outcome_of(&least, &mut session)?;
    let hunks = selected(&least);
    let folder = apply_hunks(&hunks, older).folder;
    let base = apply_hunks(renames, older).folder;
    let all = [renames.to_vec(), hunks_between(&base, newer)].concat();
    let lines_before = all.iter().map(Hunk::lines).sum();
    let (failing, counts) = (None, session.counts());
    Ok((Some(FoundPatch { hunks, all, folder, outcome, failing, lines_before, counts }), counts))
}

/// The outcome of a candidate, which the search uses.
pub(super) fn outcome_of<C: Clone, S: Compose<C>, E: Executor>(
    candidate: &C,
    session: &mut Session<'_, '_, C, S, E>,
) -> Result<Outcome, Stop> {
    let attempt = Attempt {
        candidate: candidate.clone(),
        label: Label::new("patch"),
        decisive: Outcomes::ANY,
        next: (),
    };
    let decision = session.first(std::iter::once(attempt))?;
    Ok(decision.map_or(Outcome::Unresolved, |decision| decision.outcome))
}

/// The changes between two versions, and how they are simplified.
struct BorderChanges {
    changes: FolderSubject,
    flat: bool,
}

/// A simplified configuration.
struct Simplified {
    least: Configuration,
    outcome: Outcome,
    failing: Option<Configuration>,
}

impl BorderChanges {
    fn new(older: &Folder, newer: &Folder, flat: bool) -> Result<Self, Error> {
        let lines: Units = "line".parse().map_err(Error::usage)?;
        let levels: &[FolderLevel] = match flat {
            true => &[],
            false => &[
                FolderLevel::Directory,
                FolderLevel::File,
                FolderLevel::Function,
                FolderLevel::Hunk,
            ],
        };
        let changes = FolderSubject::with_levels(older, newer.clone(), &lines, levels);
        Ok(Self { changes: changes.map_err(Error::usage)?, flat })
    }

    /// The least changes with an outcome that is sought.
    fn simplify<S: Compose<Configuration>, E: Executor>(
        &self,
        search: PatchSearch,
        session: &mut Session<'_, '_, Configuration, S, E>,
    ) -> Result<Simplified, Stop> {
        let all = Configuration::full(self.changes.deltas());
        let start = match self.flat {
            true => None,
            false => self.repaired(search, session)?,
        };
        let start = start.unwrap_or_else(|| all.clone());
        let mut sought = Sought::new(Patient::new(session, search.patience), search.sought);
        let levels = self.changes.levels();
        let left: Vec<u32> = start.iter().collect();
        let chosen = |ranks: &Configuration| -> Configuration {
            ranks.iter().map(|rank| left[rank as usize]).collect()
        };
        let within: Vec<Grouping> = levels.iter().map(|level| level.within(&start)).collect();
        let whole = Configuration::full(left.len() as u32);
        let mut oracle = Mapped::new(&mut sought, chosen);
        let simplified = match self.flat {
            true => ddmin_by_levels(&within, whole, &mut oracle),
            // Lines are left to the end, where those of one statement stay together.
            false => gather_by_levels(&within[..within.len().max(2) - 1], whole, &mut oracle),
        };
        let mut least = match simplified {
            Ok(least) => chosen(&least),
            Err(Stopped { best, cause: Stop::Undecided(_) }) => chosen(&best),
            Err(Stopped { cause, .. }) => return Err(cause),
        };
        if !self.flat {
            let ties = ChangedIdentifiers::of(&self.changes).statements();
            let nothing = |_: &_, _: &Configuration, _: &mut Dependencies| {};
            let last = &levels[levels.len() - 1..];
            let mut lines =
                DependentSearch::new(last, ties.clone(), ties, search.patience, nothing);
            match lines.simplify(&least, &mut sought) {
                Ok(fewer) => least = fewer,
                Err(Stop::Undecided(_)) => {}
                Err(stop) => return Err(stop),
            }
        }
        let decided = sought.decided();
        let failing = decided.iter().filter(|(_, outcome)| *outcome == Outcome::Fail);
        let failing = failing.map(|(candidate, _)| candidate).min_by_key(|c| c.len()).cloned();
        let outcome = outcome_of(&least, session)?;
        Ok(Simplified {
            outcome,
            failing: (outcome != Outcome::Fail).then(|| failing.unwrap_or(all)),
            least,
        })
    }

    /// The changes that the errors of the older version mention, with those that they need, if that is enough.
    fn repaired<S: Compose<Configuration>, E: Executor>(
        &self,
        search: PatchSearch,
        session: &mut Session<'_, '_, Configuration, S, E>,
    ) -> Result<Option<Configuration>, Stop> {
        let identifiers = ChangedIdentifiers::of(&self.changes);
        let dependencies = identifiers.dependencies();
        let all = Configuration::full(self.changes.deltas());
        let mut applied = Configuration::empty();
        // This is known, unless files were renamed.
        outcome_of(&applied, session)?;
        for _ in 0..MAX_REPAIRS {
            let mentioned = session.mentioned_by(&applied);
            let related = identifiers.related_to(&applied, &mentioned);
            let next = dependencies.with_needs(&applied.union(&related), &all);
            if next == applied || next == all {
                return Ok(None);
            }
            applied = next;
            if search.sought.contains(outcome_of(&applied, session)?) {
                return Ok(Some(applied));
            }
        }
        Ok(None)
    }
}
