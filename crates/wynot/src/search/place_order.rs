//! Which of several places that decide a reader should look at first.

use wynot_core::{Configuration, DecidingPlace, DependentSearch};
use wynot_subjects::Subject;

/// Whether changes mention a name. A jump alone does not; without it something else happens, which may pass by accident.
pub(super) fn says_something(changes: &Configuration, subject: &Subject) -> bool {
    match subject {
        Subject::Folder(folders) => folders.mentions_a_name(changes),
        _ => true,
    }
}

/// Whether changes set what others of a failing configuration read.
fn serves_others(changes: &Configuration, alone: &Configuration, subject: &Subject) -> bool {
    match subject {
        Subject::Folder(folders) => folders.serves_others(changes, alone),
        _ => false,
    }
}

/// The place that a reader should look at first, and the others in order.
///
/// What mentions no name comes last. Then fewest other changes go with the first, and what uses a name comes before what
/// defines or sets it: that only serves the use, which goes wrong without it, too.
pub(super) fn first_to_look_at<L>(
    mut places: Vec<DecidingPlace>,
    alone: &Configuration,
    subject: &Subject,
    search: &DependentSearch<'_, L>,
) -> (DecidingPlace, Vec<Configuration>) {
    let all = Configuration::full(subject.deltas());
    let all_places: Vec<Configuration> = places.iter().map(|place| place.deltas.clone()).collect();
    places.sort_by_cached_key(|DecidingPlace { deltas, without }| {
        let dependents = all.len() - without.len() - deltas.len();
        let others = all_places.iter().filter(|other| *other != deltas);
        let needing = others.filter(|other| search.needs(other, deltas, &all));
        let says_nothing = !says_something(deltas, subject);
        let serves = serves_others(deltas, alone, subject);
        (says_nothing, dependents, serves, needing.count(), deltas.len())
    });
    let mut places = places.into_iter();
    let first = places.next().unwrap_or_else(|| DecidingPlace {
        deltas: Configuration::full(subject.deltas()),
        without: Configuration::empty(),
    });
    (first, places.map(|place| place.deltas).collect())
}
