//! Tests of the judge of ordinary tests.

use super::*;
use std::time::Duration;
use wynot_crash::{BacktraceTooShort, Cause, Crash};
use wynot_supervisor::Output;

fn ending_with(ending: Ending) -> Observation {
    let (stdout, stderr) = (Output::default(), Output::default());
    let zero = Duration::ZERO;
    Observation {
        ending,
        stdout,
        stderr,
        elapsed: zero,
        cpu: zero,
        waited: zero,
        memory: 0,
        build: zero,
        crash: None,
        read: None,
    }
}

fn printing(ending: Ending, text: &str) -> Observation {
    let stderr = Output { kept: text.into(), total: text.len() as u64 };
    Observation { stderr, ..ending_with(ending) }
}

/// The judge that two runs determine, for an input without words.
fn judge_of(
    original: &Observation,
    passing: &Observation,
    criteria: &FailureCriteria,
) -> Result<TestJudge, FirstRunsError> {
    TestJudge::from_first_runs(original, Some(passing), criteria, Arc::default())
}

use Ending::{Exit, Signal, Timeout};
use Outcome::{Fail, Pass, Unresolved};

fn outcomes(judge: &TestJudge, endings: &[Ending]) -> Vec<Outcome> {
    endings.iter().map(|ending| judge.outcome(&ending_with(*ending)).unwrap()).collect()
}

#[test]
fn a_failing_program_is_judged_by_its_ending() {
    let judge =
        judge_of(&ending_with(Signal(11)), &ending_with(Exit(0)), &FailureCriteria::default())
            .unwrap();
    let endings = [Signal(11), Exit(0), Exit(1), Signal(6), Timeout, Exit(125)];
    let expected = [Fail, Pass, Unresolved, Unresolved, Unresolved, Unresolved];
    assert_eq!(outcomes(&judge, &endings), expected);
    let hang = judge_of(&ending_with(Timeout), &ending_with(Exit(0)), &FailureCriteria::default())
        .unwrap();
    assert_eq!(outcomes(&hang, &[Timeout, Signal(11), Exit(0)]), [Fail, Unresolved, Pass]);
}

#[test]
fn a_test_that_succeeds_only_on_the_original_is_an_interestingness_script() {
    let judge = judge_of(&ending_with(Exit(0)), &ending_with(Exit(1)), &FailureCriteria::default())
        .unwrap();
    let endings = [Exit(0), Exit(1), Exit(125), Exit(77), Timeout, Signal(11)];
    let expected = [Fail, Pass, Unresolved, Pass, Unresolved, Unresolved];
    assert_eq!(outcomes(&judge, &endings), expected);
}

#[test]
fn sides_with_the_same_ending_are_rejected() {
    let error_of = |original, passing| {
        judge_of(&ending_with(original), &ending_with(passing), &FailureCriteria::default())
            .unwrap_err()
    };
    assert_eq!(error_of(Exit(0), Exit(0)), FirstRunsError::BothSucceed);
    assert_eq!(error_of(Exit(1), Exit(1)), FirstRunsError::PassingSideFails);
    assert_eq!(error_of(Timeout, Timeout), FirstRunsError::PassingSideFails);
    let unresolved = FirstRunsError::OriginalDoesNotFail { seen: Unresolved };
    assert_eq!(error_of(Exit(125), Exit(0)), unresolved);
}

#[test]
fn bisect_codes_abort_above_127() {
    let criteria =
        FailureCriteria { exit_meaning: Some(ExitMeaning::Bisect), ..FailureCriteria::default() };
    let judge = judge_of(&ending_with(Exit(3)), &ending_with(Exit(0)), &criteria).unwrap();
    assert_eq!(outcomes(&judge, &[Exit(1), Exit(127), Exit(125)]), [Fail, Fail, Unresolved]);
    assert!(judge.outcome(&ending_with(Exit(128))).is_err());
    assert!(judge.outcome(&ending_with(Signal(9))).is_err());
}

#[test]
fn conditions_replace_the_meaning_of_exit_codes() {
    let criteria = FailureCriteria {
        fail_when: vec!["stderr~E0502".parse().unwrap(), "exit=1".parse().unwrap()],
        ..FailureCriteria::default()
    };
    let original = printing(Exit(1), "error[E0502]: cannot borrow");
    let judge = judge_of(&original, &ending_with(Exit(0)), &criteria).unwrap();
    assert_eq!(judge.outcome(&printing(Exit(1), "error[E0425]")), Ok(Unresolved));
    assert_eq!(judge.outcome(&printing(Exit(101), "E0502")), Ok(Unresolved));
    assert_eq!(judge.outcome(&ending_with(Exit(0))), Ok(Pass));
    let wrong = judge_of(&printing(Exit(1), "other"), &ending_with(Exit(0)), &criteria);
    assert!(matches!(wrong, Err(FirstRunsError::OriginalDoesNotFail { .. })));
}

#[test]
fn preventing_a_failure_exchanges_the_outcomes() {
    let criteria = FailureCriteria { prevent: true, ..FailureCriteria::default() };
    let judge = judge_of(&ending_with(Exit(0)), &ending_with(Signal(11)), &criteria).unwrap();
    assert_eq!(outcomes(&judge, &[Exit(0), Signal(11), Exit(1)]), [Fail, Pass, Unresolved]);
    let error = judge_of(&ending_with(Exit(1)), &ending_with(Signal(11)), &criteria).unwrap_err();
    assert_eq!(error, FirstRunsError::NothingPrevents);
}

#[test]
fn another_output_is_another_failure() {
    let criteria = FailureCriteria { same_output: true, ..FailureCriteria::default() };
    let judge = judge_of(&printing(Exit(1), "a"), &ending_with(Exit(0)), &criteria).unwrap();
    assert_eq!(judge.outcome(&printing(Exit(1), "a")), Ok(Fail));
    assert_eq!(judge.outcome(&printing(Exit(1), "b")), Ok(Unresolved));
    let recreated = TestJudge::from_record(&judge.record(), &criteria, Arc::default());
    assert_eq!(recreated.outcome(&printing(Exit(1), "b")), Ok(Unresolved));
}

fn crash_in(functions: &str, complete: bool) -> Observation {
    let frames = functions.split_whitespace().map(ToOwned::to_owned).collect();
    let crash = Crash::new(Cause::Signal(11), frames, complete);
    Observation { crash: Some(crash), ..ending_with(Signal(11)) }
}

#[test]
fn another_crash_is_another_failure() {
    let criteria = FailureCriteria { same_crash: Some(3), ..FailureCriteria::default() };
    let original = crash_in("get work main", true);
    let judge = judge_of(&original, &ending_with(Exit(0)), &criteria).unwrap();
    assert_eq!(judge.outcome(&crash_in("get work work main", true)), Ok(Fail));
    assert_eq!(judge.outcome(&crash_in("put work main", true)), Ok(Unresolved));
    assert_eq!(judge.outcome(&crash_in("get", false)), Ok(Unresolved), "an incomplete backtrace");
    assert_eq!(judge.outcome(&ending_with(Signal(11))), Ok(Unresolved), "no crash detected");
    assert_eq!(judge.outcome(&ending_with(Exit(0))), Ok(Pass));
    assert!(judge.to_string().starts_with("signal SEGV in get ← work ← main"), "{judge}");
    let line = serde_json::to_string(&judge.record()).unwrap();
    let recreated =
        TestJudge::from_record(&serde_json::from_str(&line).unwrap(), &criteria, Arc::default());
    assert_eq!(recreated.outcome(&crash_in("put work main", true)), Ok(Unresolved));
}

#[test]
fn another_message_is_another_failure_if_failures_are_compared() {
    let criteria = FailureCriteria { same_failure: true, ..FailureCriteria::default() };
    let original = printing(Exit(1), "t.lua:4: attempt to compare two values\n");
    let judge = judge_of(&original, &ending_with(Exit(0)), &criteria).unwrap();
    let other = printing(Exit(1), "x.lua:99: attempt to compare two values\n");
    assert_eq!(judge.outcome(&other), Ok(Fail));
    assert_eq!(judge.outcome(&printing(Exit(1), "no such module\n")), Ok(Unresolved));
    assert_eq!(judge.outcome(&ending_with(Exit(2))), Ok(Unresolved));
    let recreated = TestJudge::from_record(&judge.record(), &criteria, Arc::default());
    assert_eq!(recreated.outcome(&ending_with(Exit(1))), Ok(Unresolved));
    let bisect = FailureCriteria {
        exit_meaning: Some(ExitMeaning::Bisect),
        program_varies: true,
        ..criteria
    };
    let judge = judge_of(&original, &ending_with(Exit(0)), &bisect).unwrap();
    assert_eq!(
        judge.outcome(&ending_with(Signal(11))),
        Ok(Unresolved),
        "no request to end the search"
    );
    assert!(judge.outcome(&ending_with(Exit(200))).is_err());
    let dying = judge_of(&ending_with(Signal(11)), &ending_with(Exit(0)), &bisect).unwrap();
    assert_eq!(dying.outcome(&ending_with(Signal(11))), Ok(Fail));
}

#[test]
fn an_original_without_a_complete_crash_is_rejected() {
    let criteria = FailureCriteria { same_crash: Some(3), ..FailureCriteria::default() };
    let error_of = |original| judge_of(&original, &ending_with(Exit(0)), &criteria).unwrap_err();
    assert_eq!(error_of(ending_with(Exit(1))), FirstRunsError::NoCrash);
    let unknown = BacktraceTooShort { known: 1, wanted: 3 };
    assert_eq!(error_of(crash_in("get", false)), FirstRunsError::NotKnown(unknown));
}
