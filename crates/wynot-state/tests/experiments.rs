//! Searches with real programs: limits keep what was found, and results depend neither on the number of jobs
//! nor on the run of the search.

mod memo_oracle;
mod programs;

use memo_oracle::{MemoOracles, TestStop};
use programs::{Program, SOON};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use wynot_core::Outcome;
use wynot_state::process::{InferiorLimits, pad_environments};
use wynot_state::{
    CauseEffectChain, ChainOptions, CommonPlaces, EndingComparison, ExaminedPlace, ExperimentError,
    OtherStops, PlaceResult, RunPair, TypeRules, dwarf, examine_place, find_chain, find_chain_at,
    find_common_calls,
};

static NEVER: AtomicBool = AtomicBool::new(false);

const LIST: &str = include_str!("../../wynot/tests/state/list.c");

/// Builds a program, and runs a test with its two runs and what they have in common.
fn with_runs<T>(
    source: &str,
    passing: &[&str],
    failing: &[&str],
    test: impl FnOnce(&mut RunPair<'_>, &CommonPlaces) -> T,
) -> T {
    let built = Program::built(source, &[]);
    let program = dwarf::Program::read(&built.path).unwrap();
    let (mut passing, mut failing) = (built.invocation(passing), built.invocation(failing));
    pad_environments([&mut passing, &mut failing]);
    let mut runs = RunPair {
        program: &program,
        passing,
        failing,
        others: Vec::new(),
        limits: InferiorLimits::default(),
        experiment_timeout: SOON,
        hangs: false,
        endless_functions: Vec::new(),
        rules: TypeRules::default(),
        stop: &NEVER,
        deadline: None,
    };
    let common = find_common_calls(&runs).unwrap();
    test(&mut runs, &common)
}

fn with_list<T>(test: impl FnOnce(&mut RunPair<'_>, &CommonPlaces) -> T) -> T {
    with_runs(LIST, &["14", "18", "20", "22"], &["14", "15", "18", "22"], test)
}

fn oracles(common: &CommonPlaces, max_tests: u64) -> MemoOracles {
    let (passing, failing) = (common.passing.clone(), common.failing.clone());
    MemoOracles::new(EndingComparison::new(passing, failing, false).unwrap(), max_tests)
}

fn chain(
    runs: &RunPair<'_>,
    common: &CommonPlaces,
    oracles: &MemoOracles,
    jobs: usize,
) -> CauseEffectChain<TestStop> {
    let on_place = |_: &ExaminedPlace| {};
    let options = ChainOptions { first_places: 5, max_places: 100, jobs, on_place: &on_place };
    find_chain(runs, common, oracles, &options)
}

/// The places and causes of a chain, in words.
fn words<S>(chain: &CauseEffectChain<S>) -> Vec<String> {
    let causes = chain.places.iter().map(|place| match place.cause() {
        Some(cause) => {
            let deciding = cause.deciding.iter().map(|delta| delta.expression.as_str());
            format!("{:?} {:?}", place.place, deciding.collect::<Vec<_>>())
        }
        None => format!("{:?} no cause", place.place),
    });
    causes.collect()
}

#[test]
fn chains_do_not_depend_on_the_number_of_jobs() {
    with_list(|runs, common| {
        let one = chain(runs, common, &oracles(common, u64::MAX), 1);
        let four = chain(runs, common, &oracles(common, u64::MAX), 4);
        assert!(one.stopped.is_none() && four.stopped.is_none());
        assert!(one.steps().len() >= 2, "{:?}", words(&one));
        assert_eq!(words(&one), words(&four));
    });
}

#[test]
fn a_limit_keeps_the_places_that_were_examined_before() {
    with_list(|runs, common| {
        let all = words(&chain(runs, common, &oracles(common, u64::MAX), 1));
        let mut sizes = HashSet::new();
        for max_tests in [0, 10, 40] {
            let some = chain(runs, common, &oracles(common, max_tests), 1);
            assert!(matches!(some.stopped, Some(TestStop::Limit)), "{max_tests}");
            assert!(words(&some).iter().all(|place| all.contains(place)));
            sizes.insert(some.places.len());
        }
        assert!(sizes.contains(&0) && sizes.len() > 1, "{sizes:?}");
    });
}

#[test]
fn another_search_makes_the_same_experiments() {
    with_list(|runs, common| {
        let made = || {
            let oracles = oracles(common, u64::MAX);
            chain(runs, common, &oracles, 2);
            oracles.made.into_inner().unwrap().into_iter().collect::<HashSet<_>>()
        };
        let first = made();
        assert!(first.len() > 20);
        assert_eq!(made(), first);
    });
}

#[test]
fn errors_of_runs_end_the_search() {
    with_list(|runs, common| {
        runs.failing.program = PathBuf::from("/nonexistent/program");
        let chain = chain(runs, common, &oracles(common, u64::MAX), 2);
        assert!(chain.places.is_empty());
        let Some(TestStop::Error(ExperimentError::Process(_))) = chain.stopped else {
            panic!("{:?}", chain.stopped)
        };
    });
}

#[test]
fn a_state_that_does_not_decide_says_how_the_run_ends() {
    // The failing run fails because of a file descriptor, which is no variable.
    let source = r#"
        #include <stdlib.h>
        #include <unistd.h>
        void here(void) { }
        int main(int argc, char **argv) {
            if (argc > 1) close(1);
            here();
            if (write(1, "x", 1) != 1) abort();
        }"#;
    with_runs(source, &[], &["x"], |runs, common| {
        let place = common.places.last().unwrap();
        let result = examine_place(runs, *place, &[], &[], &oracles(common, u64::MAX)).unwrap();
        let PlaceResult::Incomplete(state) = result else { panic!("{result:?}") };
        assert_eq!(state.without_differences, Outcome::Pass);
        assert_eq!(state.with_all_differences, Outcome::Pass);
        assert_eq!(state.ending.as_deref(), Some("Exit(0)"));
        assert_eq!(state.tests, 2);
    });
}

#[test]
fn places_that_a_run_does_not_reach_need_no_experiments() {
    with_list(|runs, common| {
        let mut place = *common.places.last().unwrap();
        place.hits = (1, 1000);
        let on_place = |_: &ExaminedPlace| {};
        let options = ChainOptions { first_places: 1, max_places: 1, jobs: 1, on_place: &on_place };
        let oracles = oracles(common, 0);
        let chain = find_chain_at(runs, &[place], OtherStops::default(), &oracles, &options);
        assert!(matches!(chain.places[0].result, PlaceResult::Unreached));
        assert!(chain.stopped.is_none());
    });
}

#[test]
fn after_the_time_of_the_search_nothing_is_traced() {
    with_list(|runs, common| {
        let oracles = oracles(common, u64::MAX);
        runs.deadline = Some(Instant::now());
        assert!(matches!(find_common_calls(runs), Err(ExperimentError::TimeLimit)));
        let chain = chain(runs, common, &oracles, 1);
        let stopped = &chain.stopped;
        assert!(
            matches!(stopped, Some(TestStop::Error(ExperimentError::TimeLimit))),
            "{stopped:?}"
        );
        assert!(chain.places.is_empty());
    });
}
