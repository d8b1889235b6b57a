//! Tests of the confirmation of a difference.

use super::deciding_changes::{Cause, confirm_both_ways};
use wynot_core::{Configuration, Dependencies, DependentSearch, Isolated, Memo, Oracle, Outcome};
use wynot_subjects::{Folder, FolderEntry, FolderLevel, FolderSubject, Subject};

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

fn search_of<L>(subject: &Subject, dependencies: Dependencies, learn: L) -> DependentSearch<'_, L> {
    DependentSearch::new(subject.levels(), Dependencies::new(12), dependencies, 50, learn)
}

/// The result of a search, or of given sides.
fn found_from(
    sides: Option<Isolated>,
    dependencies: Dependencies,
    test: impl Fn(&Configuration) -> Outcome,
) -> Cause {
    let subject = subject();
    let mut oracle = Memo::of(test);
    let learn = |_: &Memo<_, _>, _: &Configuration, _: &mut Dependencies| {};
    let mut search = search_of(&subject, dependencies, learn);
    let failing = Configuration::full(subject.deltas());
    let start = Isolated { passing: Configuration::empty(), failing };
    let sides = sides.unwrap_or_else(|| search.isolate(start, &mut oracle).unwrap().sides);
    let clean_test = |oracle: &mut Memo<_, _>, without: &Configuration| {
        Ok(oracle.each(std::iter::once(without.clone()))?[0])
    };
    let unread = Configuration::from_deltas(8..12);
    let oracle = &mut oracle;
    confirm_both_ways(&sides, &unread, &subject, &mut search, oracle, clean_test).unwrap()
}

fn found(test: impl Fn(&Configuration) -> Outcome) -> Cause {
    found_from(None, Dependencies::new(12), test)
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

#[test]
fn nothing_goes_with_a_change_without_which_all_others_pass() {
    // Names connect line 6 with seven others, which work without it.
    let mut dependencies = Dependencies::new(12);
    dependencies.add([0, 1, 2, 3, 8, 9, 10], [6]);
    let test = |c: &Configuration| Outcome::fails_if(c.contains(6));
    let cause = found_from(None, dependencies, test);
    assert_eq!((cause.changes, cause.without.len()), ([6].into(), 11));
}

#[test]
fn what_goes_with_a_change_is_as_little_as_was_seen_to_be_enough() {
    // Line 9 alone cannot do without line 6.
    let mut dependencies = Dependencies::new(12);
    dependencies.add([0, 1, 2, 3, 8, 9, 10], [6]);
    let test = |c: &Configuration| match c.contains(9) && !c.contains(6) {
        true => Outcome::Unresolved,
        false => Outcome::fails_if(c.contains(6)),
    };
    let cause = found_from(None, dependencies, test);
    let removed = Configuration::full(12).difference(&cause.without);
    assert_eq!((cause.changes, removed), ([6].into(), [6, 9].into()));
}

#[test]
fn what_fails_without_the_isolated_change_is_the_answer() {
    // Line 1 is the cause. Line 2 hides it where line 6 is missing.
    let passing = Configuration::from([1, 2]);
    let sides = Isolated { failing: passing.union(&[6].into()), passing };
    let cause = found_from(Some(sides), Dependencies::new(12), |c| {
        Outcome::fails_if(c.contains(1) && (c.contains(6) || !c.contains(2)))
    });
    assert_eq!((cause.changes, cause.alone), ([1].into(), [1].into()));
    assert!(cause.without.len() == 11 && cause.needs_are_least);
}
