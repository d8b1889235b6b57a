//! The search for the deciding changes between two trees.
//!
//! Most mixtures of two versions do not build. By default, changes are therefore taken with the changes that they need:
//! those that define what they use, and the other lines of their statement. What a build that failed mentions adds to
//! that. If the user names an algorithm, it is run as published instead.

use super::deltas::narrow;
use crate::request::{Algorithm, AlgorithmOptions};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use wynot_core::{
    Attempt, Configuration, Dependencies, DependentSearch, Isolated, Label, Learn, Narrowed,
    Oracle, Outcome, Outcomes, Stopped,
};
use wynot_session::{Compose, Executor, Session, Stop};
use wynot_subjects::{ChangedIdentifiers, Folder, FolderSubject, Subject, Variant, related_hunks};

/// The number of other changes that a cause may need before one is looked for that needs fewer.
const MAX_CONTEXT: usize = 12;

/// The number of files from which on those that are not read are ruled out with a test of their own.
const MIN_UNREAD_FILES: usize = 8;

/// The number of hunks that are tested by themselves because of what they have to do with the failure.
const MAX_SUSPECTS: usize = 24;

/// The number of lines up to which an isolated difference is a place that a reader can look at.
const MAX_LINES_OF_PLACE: usize = 3;

/// The changes that decide, and what shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cause {
    /// The changes that decide.
    pub changes: Configuration,
    /// They and those that they need, with which the good version fails.
    pub alone: Configuration,
    /// The bad version without them and without those that need them. It passes.
    pub without: Configuration,
    /// Whether it has passed on a clean build.
    pub passes_on_clean_build: bool,
    /// Whether the bad version still failed without the first changes that were found, so that others were added.
    pub is_widened: bool,
    /// Whether the search was complete.
    pub complete: bool,
}

impl Cause {
    /// All changes. With them, the good version is the bad one.
    pub(super) fn everything(subject: &Subject, complete: bool) -> Self {
        let all = Configuration::full(subject.deltas());
        Self {
            changes: all.clone(),
            alone: all,
            without: Configuration::empty(),
            passes_on_clean_build: false,
            is_widened: false,
            complete,
        }
    }

    /// A difference that was isolated by a published algorithm.
    pub(super) fn of_sides(subject: &Subject, sides: &Isolated) -> Self {
        let all = Configuration::full(subject.deltas());
        let changes = sides.difference();
        Self {
            without: all.difference(&changes),
            changes,
            alone: sides.failing.clone(),
            passes_on_clean_build: false,
            is_widened: false,
            complete: true,
        }
    }
}

/// The files of a configuration.
pub(super) fn tree(subject: &Subject, configuration: &Configuration) -> Folder {
    match subject.variant(configuration) {
        Variant::Folder(folder) => folder,
        _ => Folder::default(),
    }
}

/// The changes in files that the test reads in neither version; none if that is not known or there are few.
pub(super) fn unread_changes(subject: &Subject, read: Option<&BTreeSet<String>>) -> Configuration {
    let (Subject::Folder(folders), Some(read)) = (subject, read) else {
        return Configuration::empty();
    };
    let is_unread = |path: &Path| path.to_str().is_some_and(|path| !read.contains(path));
    match folders.deltas_at(is_unread) {
        (unread, MIN_UNREAD_FILES..) => unread,
        _ => Configuration::empty(),
    }
}

/// What is known about the changes between two trees before the search.
pub(super) struct KnownAbout {
    /// The changes in files that the test does not read, which are the first to be ruled out.
    pub unread: Configuration,
    /// A text about the failure, whose words point to changes.
    pub failure: Vec<u8>,
}

/// Finds the changes that decide between two trees, with at most `patience` tests that decide nothing. `clean` is the test
/// on clean builds.
pub(super) fn find_cause<E: Executor>(
    algorithm: Algorithm,
    options: &AlgorithmOptions,
    subject: &Subject,
    known: &KnownAbout,
    patience: usize,
    clean: &Arc<E::Spec>,
    session: &mut Session<'_, '_, Configuration, &Subject, E>,
) -> Result<Cause, Stopped<Box<Cause>, Stop>> {
    let all = Configuration::full(subject.deltas());
    let mut start = Isolated { passing: Configuration::empty(), failing: all };
    match subject {
        Subject::Folder(folders) if is_default(options) => {
            if let Err(cause) = rule_out(&known.unread, &mut start, session) {
                let best = Cause { complete: false, ..Cause::of_sides(subject, &start) };
                return Err(Stopped { best: Box::new(best), cause });
            }
            let suspects = related_hunks(folders, &known.failure, MAX_SUSPECTS);
            let search = DependentChanges::new(folders, suspects, patience);
            search.find(subject, start, clean, session)
        }
        _ => {
            let minimality = usize::from(options.minimality);
            match narrow(algorithm, subject.levels(), minimality, start, session) {
                Ok(sides) => Ok(Cause::of_sides(subject, &sides)),
                Err(Stopped { best, cause }) => {
                    let best = Cause { complete: false, ..Cause::of_sides(subject, &best) };
                    Err(Stopped { best: Box::new(best), cause })
                }
            }
        }
    }
}

/// Adds changes to the passing side if the test passes with them.
fn rule_out<O: Oracle<Configuration>>(
    changes: &Configuration,
    start: &mut Isolated,
    oracle: &mut O,
) -> Result<(), O::Stop> {
    if changes.is_empty() || *changes == start.failing {
        return Ok(());
    }
    let attempt = Attempt {
        candidate: changes.clone(),
        label: Label::new("unread files"),
        decisive: Outcomes::PASS,
        next: (),
    };
    if let Some(decision) = oracle.first(std::iter::once(attempt))? {
        start.passing = decision.candidate;
    }
    Ok(())
}

/// Whether the user leaves the algorithm to wynot.
pub(super) fn is_default(options: &AlgorithmOptions) -> bool {
    options.algorithm.is_none() && options.minimality == 1
}

/// A search among changes that depend on each other.
struct DependentChanges<'a> {
    identifiers: ChangedIdentifiers<'a>,
    dependencies: Dependencies,
    suspects: Vec<Configuration>,
    patience: usize,
}

impl<'a> DependentChanges<'a> {
    fn new(folders: &'a FolderSubject, suspects: Vec<Configuration>, patience: usize) -> Self {
        let mut identifiers = ChangedIdentifiers::of(folders);
        let dependencies = identifiers.dependencies();
        Self { identifiers, dependencies, suspects, patience }
    }

    fn find<E: Executor>(
        self,
        subject: &Subject,
        start: Isolated,
        clean: &Arc<E::Spec>,
        session: &mut Session<'_, '_, Configuration, &Subject, E>,
    ) -> Result<Cause, Stopped<Box<Cause>, Stop>> {
        let Self { mut identifiers, dependencies, suspects, patience } = self;
        let statements = identifiers.statements();
        let learn = |session: &Session<'_, '_, Configuration, &Subject, E>,
                     unresolved: &Configuration,
                     dependencies: &mut Dependencies| {
            let mentioned = session.mentioned_by(unresolved);
            identifiers.learn(unresolved, &mentioned, dependencies);
        };
        let mut search =
            DependentSearch::new(subject.levels(), statements, dependencies, patience, learn)
                .suspecting(suspects);
        let narrowed = search.isolate(start, session).and_then(|narrowed| {
            // Names connect more than what needs each other. Within the rest, only lines of one statement stay together.
            if !narrowed.complete || narrowed.sides.difference().len() < 2 {
                return Ok(narrowed);
            }
            search.isolate_finely(narrowed.sides, session)
        });
        let Narrowed { sides, complete } = match narrowed {
            Ok(narrowed) => narrowed,
            Err(Stopped { best, cause }) => {
                let best = Cause { complete: false, ..Cause::of_sides(subject, &best) };
                return Err(Stopped { best: Box::new(best), cause });
            }
        };
        let found = confirm_both_ways(&sides, subject, &mut search, session, |session, without| {
            session.test_as(clean, without)
        });
        match found {
            Ok(found) => Ok(Cause { complete: complete && found.complete, ..found }),
            Err(cause) => {
                let best = Cause { complete: false, ..Cause::of_sides(subject, &sides) };
                Err(Stopped { best: Box::new(best), cause })
            }
        }
    }
}

/// The smallest scope around an isolated difference with which the good version fails, and without which the bad one
/// passes. If the bad version passes without the difference by a `clean_test`, that is shown already.
pub(super) fn confirm_both_ways<O: Oracle<Configuration>, L: Learn<O>>(
    sides: &Isolated,
    subject: &Subject,
    search: &mut DependentSearch<'_, L>,
    oracle: &mut O,
    mut clean_test: impl FnMut(&mut O, &Configuration) -> Result<Outcome, O::Stop>,
) -> Result<Cause, O::Stop> {
    let all = Configuration::full(subject.deltas());
    let difference = sides.difference();
    let scopes = subject.levels().iter().rev().map(|level| level.around(&difference));
    let mut scopes: Vec<Configuration> =
        std::iter::once(difference.clone()).chain(scopes).collect();
    scopes.dedup();
    let mut still_fails = false;
    let mut removed = all.clone();
    let without_difference = search.without(&difference, &all);
    let passes_on_clean_build =
        !without_difference.is_empty() && clean_test(oracle, &without_difference)? == Outcome::Pass;
    if passes_on_clean_build {
        scopes.clear();
        removed = difference.clone();
    }
    for scope in scopes {
        let (_, outcome) = search.test_without(&scope, &all, oracle)?;
        still_fails |= outcome == Outcome::Fail;
        if outcome == Outcome::Pass {
            removed = scope;
            break;
        }
    }
    // Other lines may cause the failure as well, or may need these ones. Only those that were seen to matter are added.
    if removed != difference {
        removed = search.smallest_removal(&difference, &removed, &all, oracle)?;
    }
    let (changes, within) = match still_fails {
        true => (&removed, &all),
        false => (&difference, &sides.failing),
    };
    let alone = search.with_context(changes, within, oracle)?;
    if alone.len() > changes.len() + MAX_CONTEXT
        && let Some(cause) = sufficient_changes(&alone, subject, search, oracle)?
    {
        return Ok(cause);
    }

    if changes.len() > MAX_LINES_OF_PLACE
        && let Some(place) = search.smallest_place(&alone, &all, changes.len(), oracle)?
    {
        let (without, _) = search.test_without(&place, &all, oracle)?;
        return Ok(Cause {
            changes: place,
            alone,
            without,
            passes_on_clean_build: false,
            is_widened: false,
            complete: true,
        });
    }
    let without = match passes_on_clean_build {
        true => without_difference,
        false => search.test_without(&removed, &all, oracle)?.0,
    };
    let is_widened = *changes != difference;
    let changes = changes.clone();
    Ok(Cause { changes, alone, without, passes_on_clean_build, is_widened, complete: true })
}

/// The changes of a large failing configuration that suffice for the failure. A difference that decides only among many
/// others may do so because it does not fit to them.
fn sufficient_changes<O: Oracle<Configuration>, L: Learn<O>>(
    failing: &Configuration,
    subject: &Subject,
    search: &mut DependentSearch<'_, L>,
    oracle: &mut O,
) -> Result<Option<Cause>, O::Stop> {
    let all = Configuration::full(subject.deltas());
    let alone = search.simplify(failing, oracle)?;
    if alone.len() * 2 > failing.len() {
        return Ok(None);
    }
    let place = match alone.len() {
        0..=MAX_LINES_OF_PLACE => None,
        lines => search.smallest_place(&alone, &all, lines, oracle)?,
    };
    let changes = place.unwrap_or_else(|| alone.clone());
    let (without, outcome) = search.test_without(&changes, &all, oracle)?;
    let found = Cause {
        changes,
        alone,
        without,
        passes_on_clean_build: false,
        is_widened: false,
        complete: true,
    };
    Ok((outcome == Outcome::Pass).then_some(found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wynot_core::Memo;
    use wynot_subjects::{FolderEntry, FolderLevel};

    /// Three files of four lines each, all of them changed.
    fn subject() -> Subject {
        let folder = |text: &str| -> Folder {
            let entry = |name: &str| {
                (std::path::PathBuf::from(name), FolderEntry::file(text.as_bytes().to_vec(), 0o644))
            };
            ["a", "b", "c"].map(entry).into_iter().collect()
        };
        let levels = [FolderLevel::File, FolderLevel::Hunk];
        let units = "line".parse().unwrap();
        let (old, new) = (folder("1\nx\n2\n3\nx\n4\n"), folder("5\nx\n6\n7\nx\n8\n"));
        Subject::Folder(FolderSubject::with_levels(&old, new, &units, &levels).unwrap().into())
    }

    fn found(test: impl Fn(&Configuration) -> Outcome) -> Cause {
        let subject = subject();
        let mut oracle = Memo::of(test);
        let learn = |_: &Memo<_, _>, _: &Configuration, _: &mut Dependencies| {};
        let dependencies = Dependencies::new(subject.deltas());
        let mut search =
            DependentSearch::new(subject.levels(), dependencies.clone(), dependencies, 50, learn);
        let failing = Configuration::full(subject.deltas());
        let start = Isolated { passing: Configuration::empty(), failing };
        let narrowed = search.isolate(start, &mut oracle).unwrap();
        let clean_test = |oracle: &mut Memo<_, _>, without: &Configuration| {
            Ok(oracle.each(std::iter::once(without.clone()))?[0])
        };
        confirm_both_ways(&narrowed.sides, &subject, &mut search, &mut oracle, clean_test).unwrap()
    }

    #[test]
    fn a_single_cause_is_confirmed_both_ways() {
        let cause = found(|c| Outcome::fails_if(c.contains(6)));
        assert_eq!((cause.changes, cause.alone), ([6].into(), [6].into()));
        assert!(!cause.without.contains(6) && cause.without.len() == 11 && !cause.is_widened);
    }

    #[test]
    fn a_second_cause_in_the_same_hunk_is_added() {
        let cause = found(|c| Outcome::fails_if(c.contains(5) || c.contains(6)));
        assert_eq!((cause.changes, cause.is_widened), ([5, 6].into(), true));
    }

    #[test]
    fn what_the_cause_needs_is_not_part_of_it() {
        let cause = found(|c| match c.contains(6) && !c.contains(1) {
            true => Outcome::Unresolved,
            false => Outcome::fails_if(c.contains(6)),
        });
        assert_eq!((cause.changes, cause.alone), ([6].into(), [1, 6].into()));
    }
}
