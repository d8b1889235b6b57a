//! The search for the upgrade that causes a failure, and its result in words.

use super::audit::Audit;
use super::deciding_changes::{Cause, confirm_both_ways};
use std::cell::RefCell;
use std::sync::Arc;
use wynot_core::{Configuration, Dependencies, DependentSearch, Isolated, Narrowed, Stopped};
use wynot_session::{Executor, Session, Stop};
use wynot_subjects::{Subject, Upgrade, UpgradeSubject};

/// Finds the upgrades that decide, with at most `patience` tests that decide nothing. `clean` is the test on clean builds.
///
/// Upgrades are taken with those that they need. What an installation that failed mentions adds to that.
pub(super) fn find_upgrade<E: Executor>(
    upgrades: &UpgradeSubject,
    subject: &Subject,
    patience: usize,
    clean: &Arc<E::Spec>,
    session: &mut Session<'_, '_, Configuration, &Subject, E>,
) -> Result<Cause, Stopped<Box<Cause>, Stop>> {
    let messages = RefCell::new(Vec::new());
    let learn = |session: &Session<'_, '_, Configuration, &Subject, E>,
                 unresolved: &Configuration,
                 dependencies: &mut Dependencies| {
        let mentioned = session.mentioned_by(unresolved);
        upgrades.learn(unresolved, &mentioned, dependencies);
        messages.borrow_mut().push((unresolved.clone(), mentioned));
    };
    let failing = Configuration::full(subject.deltas());
    let start = Isolated { passing: Configuration::empty(), failing };
    let with_learned = |known: &Dependencies| {
        let mut known = known.clone();
        for (unresolved, mentioned) in messages.borrow().iter() {
            upgrades.learn(unresolved, mentioned, &mut known);
        }
        known
    };
    let stopped = |sides: &Isolated, cause| {
        let best = Cause { complete: false, ..Cause::of_sides(subject, sides) };
        Stopped { best: Box::new(best), cause }
    };
    let stopped_there = |Stopped { best, cause }: Stopped<Isolated, Stop>| stopped(&best, cause);
    let search_by = |ties: Dependencies, dependencies: Dependencies| {
        DependentSearch::new(subject.levels(), ties, dependencies, patience, learn)
    };
    let mut known = upgrades.presumed_dependencies();
    let mut search = search_by(upgrades.stated_dependencies().clone(), known.clone());
    let mut narrowed = search.isolate(start, session).map_err(stopped_there)?;
    let apart = narrowed.sides.difference().len();
    if narrowed.complete && apart > 1 {
        // What is only presumed to belong together is tested apart.
        let stated = with_learned(upgrades.stated_dependencies());
        let mut finer = search_by(stated.clone(), stated);
        narrowed = finer.isolate(narrowed.sides, session).map_err(stopped_there)?;
        if narrowed.sides.difference().len() < apart {
            (search, known) = (finer, upgrades.stated_dependencies());
        }
    }
    let Narrowed { sides, complete } = narrowed;
    let clean_test = |session: &mut Session<'_, '_, Configuration, &Subject, E>,
                      without: &Configuration| session.test_as(clean, without);
    let unread = Configuration::empty();
    let found = confirm_both_ways(&sides, &unread, subject, &mut search, session, clean_test)
        .map_err(|cause| stopped(&sides, cause))?;
    let known = with_learned(known);
    let changes = upgrades.leading(&found.changes, &known);
    Ok(Cause { changes, complete: complete && found.complete, ..found })
}

/// The upgrades of a configuration.
pub(super) fn listed<'a>(
    subject: &'a UpgradeSubject,
    configuration: &Configuration,
) -> Vec<&'a Upgrade> {
    configuration.iter().map(|delta| &subject.upgrades()[delta as usize]).collect()
}

/// The audit of upgrades in words.
pub(super) fn audit_in_words(
    audit: &Audit,
    needed: &[&Upgrade],
    dependents: &[&Upgrade],
) -> String {
    let needed = (!needed.is_empty()).then(|| format!("{}, which it needs", those_of(needed)));
    let dependents = (!dependents.is_empty()).then(|| those_of(dependents));
    audit.naming(needed.as_deref(), dependents.as_deref())
}

/// The number of upgrades that are listed; the others are only counted.
const MAX_LISTED: usize = 5;

/// Upgrades by the names of their packages: "those of minimist and wordwrap".
fn those_of(upgrades: &[&Upgrade]) -> String {
    let mut names: Vec<String> =
        upgrades.iter().take(MAX_LISTED).map(|upgrade| upgrade.package.clone()).collect();
    match upgrades.len().saturating_sub(MAX_LISTED) {
        0 => {}
        more => names.push(format!("{more} more")),
    }
    let pronoun = if upgrades.len() == 1 { "that" } else { "those" };
    match names.split_last() {
        Some((last, others @ [_, ..])) => format!("{pronoun} of {} and {last}", others.join(", ")),
        _ => format!("{pronoun} of {}", names.concat()),
    }
}
