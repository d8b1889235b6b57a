//! What shows that changes decide between two trees: with them the good version fails, and without them the bad one passes.

use super::place_order::{first_to_look_at, says_something};
use wynot_core::{
    Configuration, Context, DecidingPlace, DependentSearch, Isolated, Learn, Oracle, Outcome,
    Stopped,
};
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
    /// Whether it was shown that none of those that they need can be left out by itself.
    pub needs_are_least: bool,
    /// The bad version without them and without those that go with them. It passes.
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
            needs_are_least: true,
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
            needs_are_least: false,
            passes_on_clean_build: false,
            is_widened: false,
            also: Vec::new(),
            complete: true,
        }
    }
}

/// A test on clean builds.
type CleanTest<'t, O> =
    dyn FnMut(&mut O, &Configuration) -> Result<Outcome, <O as Oracle<Configuration>>::Stop> + 't;

/// The smallest scope around an isolated difference with which the good version fails, and without which the bad one
/// passes. If the bad version passes without the difference by a `clean_test`, that is shown already. `unread` are changes
/// in files that the test does not read. Where the good version fails in the same way with what the difference needs alone,
/// the search goes on among that.
pub(super) fn confirm_both_ways<O: Oracle<Configuration>, L: Learn<O>>(
    sides: &Isolated,
    unread: &Configuration,
    subject: &Subject,
    search: &mut DependentSearch<'_, L>,
    oracle: &mut O,
    mut clean_test: impl FnMut(&mut O, &Configuration) -> Result<Outcome, O::Stop>,
) -> Result<Cause, O::Stop> {
    let mut sides = sides.clone();
    let mut complete = true;
    loop {
        let removal = removal_of(&sides, subject, search, oracle, &mut clean_test)?;
        let within = match removal.still_fails {
            true => &Configuration::full(subject.deltas()),
            false => &sides.failing,
        };
        let within = without_unread(&removal.changes, within, unread, search, oracle)?;
        let context = search.with_context(&removal.changes, &within, oracle)?;
        match fails_with_needs(&removal.changes, &context, search, oracle)? {
            Some(needed) => (sides, complete) = isolated_in(needed, search, oracle)?,
            None => {
                let cause = place_in(removal, context, subject, search, oracle)?;
                return Ok(Cause { complete, ..cause });
            }
        }
    }
}

/// What has to be taken out of the bad version so that it passes.
struct Removal {
    /// The isolated difference, and what causes the failure as well.
    changes: Configuration,
    /// The bad version without them and what goes with them.
    without: Configuration,
    /// Whether the bad version still fails without the difference.
    still_fails: bool,
    /// Whether others were added to the difference.
    is_widened: bool,
    passes_on_clean_build: bool,
}

/// The least removal around an isolated difference without which all changes pass: the difference and what is tied to it, or
/// the difference alone, if that is enough.
fn removal_of<O: Oracle<Configuration>, L: Learn<O>>(
    sides: &Isolated,
    subject: &Subject,
    search: &mut DependentSearch<'_, L>,
    oracle: &mut O,
    clean_test: &mut CleanTest<'_, O>,
) -> Result<Removal, O::Stop> {
    let all = Configuration::full(subject.deltas());
    let difference = sides.difference();
    // What is tied to them in one version may belong to something else in the other one.
    let mut least = match subject {
        Subject::Folder(_) => {
            vec![search.without_tied(&difference, &all), all.difference(&difference)]
        }
        // What is known of packages is what their installer asks for.
        _ => vec![search.without(&difference, &all)],
    };
    least.dedup();
    for without in least.into_iter().filter(|without| !without.is_empty()) {
        if clean_test(oracle, &without)? == Outcome::Pass {
            return Ok(Removal {
                changes: difference,
                without,
                still_fails: false,
                is_widened: false,
                passes_on_clean_build: true,
            });
        }
    }
    let scopes = subject.levels().iter().rev().map(|level| level.around(&difference));
    let mut scopes: Vec<Configuration> =
        std::iter::once(difference.clone()).chain(scopes).collect();
    scopes.dedup();
    let (mut scope, mut without, mut still_fails) = (all.clone(), Configuration::empty(), false);
    for wider in scopes {
        let (rest, outcome) = search.test_removal(&wider, &all, oracle)?;
        still_fails |= outcome == Outcome::Fail;
        if outcome == Outcome::Pass {
            (scope, without) = (wider, rest);
            break;
        }
    }
    // Other lines may cause the failure as well, or may need these ones. Only those that were seen to matter are added.
    let removed = all.difference(&without);
    let removed = search.least_removal(&difference, removed, &all, oracle)?;
    let within_scope = removed.intersection(&scope).union(&difference);
    let changes = if still_fails { within_scope } else { difference.clone() };
    Ok(Removal {
        is_widened: changes != difference,
        changes,
        without: all.difference(&removed),
        still_fails,
        passes_on_clean_build: false,
    })
}

/// What changes need, if the good version fails in the same way with that alone.
fn fails_with_needs<O: Oracle<Configuration>, L: Learn<O>>(
    changes: &Configuration,
    context: &Context,
    search: &DependentSearch<'_, L>,
    oracle: &mut O,
) -> Result<Option<Configuration>, O::Stop> {
    let needed = search.without_tied(changes, &context.failing);
    if needed.is_empty() {
        return Ok(None);
    }
    let outcome = oracle.each(std::iter::once(needed.clone()))?[0];
    Ok((outcome == Outcome::Fail).then_some(needed))
}

/// The difference within a failing configuration, and whether the search for it was complete.
fn isolated_in<O: Oracle<Configuration>, L: Learn<O>>(
    failing: Configuration,
    search: &mut DependentSearch<'_, L>,
    oracle: &mut O,
) -> Result<(Isolated, bool), O::Stop> {
    let start = Isolated { passing: Configuration::empty(), failing };
    let found = search.isolate(start, oracle).and_then(|narrowed| match narrowed.complete {
        true => search.isolate_finely(narrowed.sides, oracle),
        false => Ok(narrowed),
    });
    let narrowed = found.map_err(|Stopped { cause, .. }| cause)?;
    Ok((narrowed.sides, narrowed.complete))
}

/// The place that is named, of those that decide around a removal.
fn place_in<O: Oracle<Configuration>, L: Learn<O>>(
    removal: Removal,
    context: Context,
    subject: &Subject,
    search: &mut DependentSearch<'_, L>,
    oracle: &mut O,
) -> Result<Cause, O::Stop> {
    let all = Configuration::full(subject.deltas());
    let Removal { changes, without, is_widened, passes_on_clean_build, .. } = removal;
    let Context { failing: alone, is_least } = context;
    // A statement that can be taken out of the bad version by itself, and that says something, needs no better place.
    let is_statement = changes.len() <= MAX_LINES_OF_PLACE
        && passes_on_clean_build
        && search.without(&changes, &all).len() + changes.len() == all.len()
        && says_something(&changes, subject);
    if !is_statement
        && alone.len() > changes.len() + MAX_CONTEXT
        && let Some(cause) = sufficient_changes(&alone, subject, search, oracle)?
    {
        return Ok(cause);
    }
    let is_one_of_several = matches!(subject, Subject::Folder(_))
        && alone != changes
        && alone.len() <= MAX_LINES_SEARCHED;
    let seeks_places = is_one_of_several || changes.len() > MAX_LINES_OF_PLACE;
    let mut places = match seeks_places && !is_statement {
        true => search.deciding_places(&alone, &all, oracle)?,
        false => Vec::new(),
    };
    let isolated = DecidingPlace { deltas: changes.clone(), without };
    let is_part = |place: &DecidingPlace| place.deltas.is_subset(&changes);
    if !places.iter().any(is_part) {
        places.insert(0, isolated.clone());
    }
    let (place, mut also) = first_to_look_at(places, &alone, subject, search);
    let place = with_replacements(place, &alone, subject, search, oracle)?;
    also.retain(|other| !other.is_subset(&place.deltas));
    let is_isolated = place == isolated;
    let without = match is_isolated {
        true => place.without,
        false => least_without(&place.deltas, &place.without, &all, search, oracle)?,
    };
    Ok(Cause {
        changes: place.deltas,
        alone,
        needs_are_least: is_least,
        without,
        passes_on_clean_build: passes_on_clean_build && is_isolated,
        is_widened: is_widened && is_isolated,
        also,
        complete: true,
    })
}

/// All changes but some, with as few others taken out as were seen to be enough.
fn least_without<O: Oracle<Configuration>, L: Learn<O>>(
    changes: &Configuration,
    without: &Configuration,
    all: &Configuration,
    search: &mut DependentSearch<'_, L>,
    oracle: &mut O,
) -> Result<Configuration, O::Stop> {
    let removed = all.difference(without);
    Ok(all.difference(&search.least_removal(changes, removed, all, oracle)?))
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
    let (without, outcome) = search.test_removal(&deltas, &all, oracle)?;
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
        let (without, outcome) = search.test_removal(&alone, &all, oracle)?;
        if outcome != Outcome::Pass {
            return Ok(None);
        }
        places.push(DecidingPlace { deltas: alone.clone(), without });
    }
    let (place, also) = first_to_look_at(places, &alone, subject, search);
    let without = least_without(&place.deltas, &place.without, &all, search, oracle)?;
    Ok(Some(Cause {
        changes: place.deltas,
        alone,
        needs_are_least: false,
        without,
        passes_on_clean_build: false,
        is_widened: false,
        also,
        complete: true,
    }))
}
