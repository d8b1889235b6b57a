//! What shows that changes decide between two trees: with them the good version fails, and without them the bad one passes.

use super::place_order::{first_to_look_at, says_something};
use wynot_core::{Configuration, DecidingPlace, DependentSearch, Isolated, Learn, Oracle, Outcome};
use wynot_subjects::Subject;

/// The number of other changes that a cause may need before one is looked for that needs fewer.
const MAX_CONTEXT: usize = 12;

/// The number of lines up to which what fails alone is searched for other places that decide.
const MAX_LINES_SEARCHED: usize = 64;

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
    /// Other places that decide by themselves, in the order in which a reader should look at them.
    pub also: Vec<Configuration>,
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
            also: Vec::new(),
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
            also: Vec::new(),
            complete: true,
        }
    }
}

/// The smallest scope around an isolated difference with which the good version fails, and without which the bad one
/// passes. If the bad version passes without the difference by a `clean_test`, that is shown already. `unread` are changes
/// in files that the test does not read.
pub(super) fn confirm_both_ways<O: Oracle<Configuration>, L: Learn<O>>(
    sides: &Isolated,
    unread: &Configuration,
    subject: &Subject,
    search: &mut DependentSearch<'_, L>,
    oracle: &mut O,
    mut clean_test: impl FnMut(&mut O, &Configuration) -> Result<Outcome, O::Stop>,
) -> Result<Cause, O::Stop> {
    let all = Configuration::full(subject.deltas());
    let difference = sides.difference();
    let without_difference = search.without(&difference, &all);
    let passes_on_clean_build =
        !without_difference.is_empty() && clean_test(oracle, &without_difference)? == Outcome::Pass;
    let (removed, still_fails) = match passes_on_clean_build {
        true => (difference.clone(), false),
        false => least_removal(&difference, subject, search, oracle)?,
    };
    let (changes, within) = match still_fails {
        true => (&removed, &all),
        false => (&difference, &sides.failing),
    };
    let within = without_unread(changes, within, unread, search, oracle)?;
    let alone = search.with_context(changes, &within, oracle)?;
    // A statement that can be taken out of the bad version by itself, and that says something, needs no better place.
    let is_statement = changes.len() <= MAX_LINES_OF_PLACE
        && passes_on_clean_build
        && without_difference.len() + changes.len() == all.len()
        && says_something(changes, subject);
    if !is_statement
        && alone.len() > changes.len() + MAX_CONTEXT
        && let Some(cause) = sufficient_changes(&alone, subject, search, oracle)?
    {
        return Ok(cause);
    }
    let is_one_of_several = matches!(subject, Subject::Folder(_))
        && alone != *changes
        && alone.len() <= MAX_LINES_SEARCHED;
    let seeks_places = is_one_of_several || changes.len() > MAX_LINES_OF_PLACE;
    let mut places = match seeks_places && !is_statement {
        true => search.deciding_places(&alone, &all, oracle)?,
        false => Vec::new(),
    };
    let is_widened = *changes != difference;
    let without = match passes_on_clean_build {
        true => without_difference,
        false => search.test_without(&removed, &all, oracle)?.0,
    };
    let isolated = DecidingPlace { deltas: changes.clone(), without };
    let is_part = |place: &DecidingPlace| place.deltas.is_subset(changes);
    if !places.iter().any(is_part) {
        places.insert(0, isolated.clone());
    }
    let (place, mut also) = first_to_look_at(places, &alone, subject, search);
    let place = with_replacements(place, &alone, subject, search, oracle)?;
    also.retain(|other| !other.is_subset(&place.deltas));
    let is_isolated = place == isolated;
    Ok(Cause {
        changes: place.deltas,
        alone,
        without: place.without,
        passes_on_clean_build: passes_on_clean_build && is_isolated,
        is_widened: is_widened && is_isolated,
        also,
        complete: true,
    })
}

/// The smallest removal around a difference without which all changes pass, and whether they still failed without the
/// difference alone.
fn least_removal<O: Oracle<Configuration>, L: Learn<O>>(
    difference: &Configuration,
    subject: &Subject,
    search: &mut DependentSearch<'_, L>,
    oracle: &mut O,
) -> Result<(Configuration, bool), O::Stop> {
    let all = Configuration::full(subject.deltas());
    let scopes = subject.levels().iter().rev().map(|level| level.around(difference));
    let mut scopes: Vec<Configuration> =
        std::iter::once(difference.clone()).chain(scopes).collect();
    scopes.dedup();
    let (mut removed, mut still_fails) = (all.clone(), false);
    for scope in scopes {
        let (_, outcome) = search.test_without(&scope, &all, oracle)?;
        still_fails |= outcome == Outcome::Fail;
        if outcome == Outcome::Pass {
            removed = scope;
            break;
        }
    }
    // Other lines may cause the failure as well, or may need these ones. Only those that were seen to matter are added.
    if removed != *difference {
        removed = search.smallest_removal(difference, &removed, &all, oracle)?;
    }
    Ok((removed, still_fails))
}

/// A failing configuration without changes in files that the test does not read, if it still fails.
fn without_unread<O: Oracle<Configuration>, L: Learn<O>>(
    changes: &Configuration,
    failing: &Configuration,
    unread: &Configuration,
    search: &mut DependentSearch<'_, L>,
    oracle: &mut O,
) -> Result<Configuration, O::Stop> {
    let unread = unread.difference(changes).intersection(failing);
    if unread.is_empty() {
        return Ok(failing.clone());
    }
    let read = failing.difference(&unread);
    let (read, outcome) = search.test_with_needs(&read, &read, oracle)?;
    Ok(if outcome == Outcome::Fail { read } else { failing.clone() })
}

/// A place with the lines that replace what it removes, if all changes pass without them as well.
fn with_replacements<O: Oracle<Configuration>, L: Learn<O>>(
    place: DecidingPlace,
    alone: &Configuration,
    subject: &Subject,
    search: &mut DependentSearch<'_, L>,
    oracle: &mut O,
) -> Result<DecidingPlace, O::Stop> {
    let Subject::Folder(folders) = subject else { return Ok(place) };
    let deltas = folders.with_replacements(&place.deltas, alone);
    if deltas == place.deltas {
        return Ok(place);
    }
    let all = Configuration::full(subject.deltas());
    let (without, outcome) = search.test_without(&deltas, &all, oracle)?;
    Ok(match outcome {
        Outcome::Pass => DecidingPlace { deltas, without },
        _ => place,
    })
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
    let mut places = match alone.len() {
        0..=MAX_LINES_OF_PLACE => Vec::new(),
        _ => search.deciding_places(&alone, &all, oracle)?,
    };
    if places.is_empty() {
        let (without, outcome) = search.test_without(&alone, &all, oracle)?;
        if outcome != Outcome::Pass {
            return Ok(None);
        }
        places.push(DecidingPlace { deltas: alone.clone(), without });
    }
    let (place, also) = first_to_look_at(places, &alone, subject, search);
    Ok(Some(Cause {
        changes: place.deltas,
        alone,
        without: place.without,
        passes_on_clean_build: false,
        is_widened: false,
        also,
        complete: true,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wynot_core::{Dependencies, Memo};
    use wynot_subjects::{Folder, FolderEntry, FolderLevel, FolderSubject};

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
        let unread = Configuration::from_deltas(8..12);
        let (sides, oracle) = (&narrowed.sides, &mut oracle);
        confirm_both_ways(sides, &unread, &subject, &mut search, oracle, clean_test).unwrap()
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
    fn a_use_is_named_before_what_it_needs() {
        // Line 1 defines what line 6 uses. Without either of them, the failure does not occur.
        let cause = found(|c| match c.contains(6) && !c.contains(1) {
            true => Outcome::Unresolved,
            false => Outcome::fails_if(c.contains(6) && c.contains(3)),
        });
        assert_eq!(cause.alone, [1, 3, 6].into());
        assert!(cause.changes == [3].into() && cause.also == [[6].into()], "{cause:?}");
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
