//! The search for the deciding changes between two trees.
//!
//! Most mixtures of two versions do not build. By default, changes are therefore taken with the changes that they need:
//! those that define what they use, and the other lines of their statement. What a build that failed mentions adds to
//! that. If the user names an algorithm, it is run as published instead.

use super::deciding_changes::{Cause, confirm_both_ways};
use super::deltas::narrow;
use crate::request::{Algorithm, AlgorithmOptions};
use std::collections::BTreeSet;
use std::sync::Arc;
use wynot_core::{
    Attempt, Configuration, Dependencies, DependentSearch, Isolated, Label, Narrowed, Oracle,
    Outcomes, Stopped,
};
use wynot_session::{Compose, Executor, Session, Stop};
use wynot_subjects::{ChangedIdentifiers, Folder, FolderSubject, Subject, Variant, related_hunks};

/// The number of files from which on those that are not read are ruled out with a test of their own.
const MIN_UNREAD_FILES: usize = 8;

/// The number of hunks that are tested by themselves because of what they have to do with the failure. They are the best
/// chance where a difference is so large that it cannot be cut.
const MAX_SUSPECTS: usize = 96;

/// The part of the patience that is spent on such hunks.
const PATIENCE_FOR_SUSPECTS: usize = 4;

/// The files of a configuration.
pub(super) fn tree(subject: &Subject, configuration: &Configuration) -> Folder {
    match subject.variant(configuration) {
        Variant::Folder(folder) => folder,
        _ => Folder::default(),
    }
}

/// The changes in files that the test reads in neither version, and the number of these files; none if that is not known.
pub(super) fn unread_changes(
    subject: &Subject,
    read: Option<&BTreeSet<String>>,
) -> (Configuration, usize) {
    let (Subject::Folder(folders), Some(read)) = (subject, read) else {
        return (Configuration::empty(), 0);
    };
    folders.deltas_at(|path| path.to_str().is_some_and(|path| !read.contains(path)))
}

/// What is known about the changes between two trees before the search.
pub(super) struct KnownAbout {
    /// The changes in files that the test does not read, and the number of these files. If there are many, they are
    /// the first to be ruled out.
    pub unread: (Configuration, usize),
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
            let (unread, files) = &known.unread;
            if *files >= MIN_UNREAD_FILES
                && let Err(cause) = rule_out(unread, &mut start, session)
            {
                let best = Cause { complete: false, ..Cause::of_sides(subject, &start) };
                return Err(Stopped { best: Box::new(best), cause });
            }
            let max_suspects = MAX_SUSPECTS.min(patience / PATIENCE_FOR_SUSPECTS);
            let suspects = related_hunks(folders, &known.failure, max_suspects);
            let search = DependentChanges::new(folders, suspects, patience);
            search.find(subject, start, unread, clean, session)
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
        let identifiers = ChangedIdentifiers::of(folders);
        let dependencies = identifiers.dependencies();
        Self { identifiers, dependencies, suspects, patience }
    }

    fn find<E: Executor>(
        self,
        subject: &Subject,
        start: Isolated,
        unread: &Configuration,
        clean: &Arc<E::Spec>,
        session: &mut Session<'_, '_, Configuration, &Subject, E>,
    ) -> Result<Cause, Stopped<Box<Cause>, Stop>> {
        let Self { identifiers, dependencies, suspects, patience } = self;
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
        let clean_test = |session: &mut Session<'_, '_, Configuration, &Subject, E>,
                          without: &Configuration| {
            session.test_as(clean, without)
        };
        let found = confirm_both_ways(&sides, unread, subject, &mut search, session, clean_test);
        match found {
            Ok(found) => Ok(Cause { complete: complete && found.complete, ..found }),
            Err(cause) => {
                let best = Cause { complete: false, ..Cause::of_sides(subject, &sides) };
                Err(Stopped { best: Box::new(best), cause })
            }
        }
    }
}
