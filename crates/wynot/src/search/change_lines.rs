//! The search for the deciding changes between two trees.
//!
//! Most mixtures of two versions do not build. By default, changes are therefore taken with the changes that they need:
//! those that define what they use, and the other lines of their statement. What a build that failed mentions adds to
//! that. If the user names an algorithm, it is run as published instead.

use super::deltas::narrow;
use crate::request::{Algorithm, AlgorithmOptions};
use wynot_core::{
    Configuration, Dependencies, DependentSearch, Isolated, Narrowed, Oracle, Outcome, Stopped,
};
use wynot_session::{Compose, Executor, Session, Stop};
use wynot_subjects::{ChangedIdentifiers, Folder, FolderSubject, Subject, Variant};

/// The number of other changes that a cause may need before one is looked for that needs fewer.
const MAX_CONTEXT: usize = 12;

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
    /// Whether the bad version still failed without the first changes that were found, so that others were added.
    pub is_widened: bool,
    /// Whether the search was complete.
    pub complete: bool,
}

impl Cause {
    /// All changes. With them, the good version is the bad one.
    pub(super) fn everything(subject: &Subject, complete: bool) -> Self {
        let all = Configuration::full(subject.deltas());
        let without = Configuration::empty();
        Self { changes: all.clone(), alone: all, without, is_widened: false, complete }
    }

    /// A difference that was isolated by a published algorithm.
    pub(super) fn of_sides(subject: &Subject, sides: &Isolated) -> Self {
        let all = Configuration::full(subject.deltas());
        let (changes, is_widened) = (sides.difference(), false);
        let without = all.difference(&changes);
        Self { changes, alone: sides.failing.clone(), without, is_widened, complete: true }
    }
}

/// The files of a configuration.
pub(super) fn tree(subject: &Subject, configuration: &Configuration) -> Folder {
    match subject.variant(configuration) {
        Variant::Folder(folder) => folder,
        _ => Folder::default(),
    }
}

/// Finds the changes that decide between two trees, with at most `patience` tests that decide nothing.
pub(super) fn find_cause<E: Executor>(
    algorithm: Algorithm,
    options: &AlgorithmOptions,
    subject: &Subject,
    patience: usize,
    session: &mut Session<'_, '_, Configuration, &Subject, E>,
) -> Result<Cause, Stopped<Box<Cause>, Stop>> {
    let all = Configuration::full(subject.deltas());
    let start = Isolated { passing: Configuration::empty(), failing: all };
    match subject {
        Subject::Folder(folders) if is_default(options) => {
            DependentChanges::new(folders, patience).find(subject, start, session)
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

/// Whether the user leaves the algorithm to wynot.
pub(super) fn is_default(options: &AlgorithmOptions) -> bool {
    options.algorithm.is_none() && options.minimality == 1
}

/// A search among changes that depend on each other.
struct DependentChanges<'a> {
    identifiers: ChangedIdentifiers<'a>,
    dependencies: Dependencies,
    patience: usize,
}

impl<'a> DependentChanges<'a> {
    fn new(folders: &'a FolderSubject, patience: usize) -> Self {
        let mut identifiers = ChangedIdentifiers::of(folders);
        let dependencies = identifiers.dependencies();
        Self { identifiers, dependencies, patience }
    }

    fn find<E: Executor>(
        self,
        subject: &Subject,
        start: Isolated,
        session: &mut Session<'_, '_, Configuration, &Subject, E>,
    ) -> Result<Cause, Stopped<Box<Cause>, Stop>> {
        let Self { mut identifiers, dependencies, patience } = self;
        let statements = identifiers.statements();
        let learn = |session: &Session<'_, '_, Configuration, &Subject, E>,
                     unresolved: &Configuration,
                     dependencies: &mut Dependencies| {
            let mentioned = session.mentioned_by(unresolved);
            identifiers.learn(unresolved, &mentioned, dependencies);
        };
        let mut search =
            DependentSearch::new(subject.levels(), statements, dependencies, patience, learn);
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
        let found = confirm_both_ways(&sides, subject, &mut search, session);
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
/// passes.
pub(super) fn confirm_both_ways<O, L>(
    sides: &Isolated,
    subject: &Subject,
    search: &mut DependentSearch<'_, L>,
    oracle: &mut O,
) -> Result<Cause, O::Stop>
where
    O: Oracle<Configuration>,
    L: FnMut(&O, &Configuration, &mut Dependencies),
{
    let all = Configuration::full(subject.deltas());
    let difference = sides.difference();
    let scopes = subject.levels().iter().rev().map(|level| level.around(&difference));
    let mut scopes: Vec<Configuration> =
        std::iter::once(difference.clone()).chain(scopes).collect();
    scopes.dedup();
    let mut still_fails = false;
    let mut removed = all.clone();
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
        return Ok(Cause { changes: place, alone, without, is_widened: false, complete: true });
    }
    let (without, _) = search.test_without(&removed, &all, oracle)?;
    let is_widened = *changes != difference;
    Ok(Cause { changes: changes.clone(), alone, without, is_widened, complete: true })
}

/// The changes of a large failing configuration that suffice for the failure. A difference that decides only among many
/// others may do so because it does not fit to them.
fn sufficient_changes<O, L>(
    failing: &Configuration,
    subject: &Subject,
    search: &mut DependentSearch<'_, L>,
    oracle: &mut O,
) -> Result<Option<Cause>, O::Stop>
where
    O: Oracle<Configuration>,
    L: FnMut(&O, &Configuration, &mut Dependencies),
{
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
    let found = Cause { changes, alone, without, is_widened: false, complete: true };
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
        confirm_both_ways(&narrowed.sides, &subject, &mut search, &mut oracle).unwrap()
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
