//! From an observation to an outcome, and how wynot finds out which reading of the exit code applies.

use crate::{Abort, Condition, Ending, Identity, Observation, OutputDigest, Reading, Signature};
use serde::{Deserialize, Serialize};
use std::fmt;
use wynot_core::Outcome;
use wynot_crash::BacktraceTooShort;

/// What the user said about outcomes, beyond what wynot sees by itself.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// A fixed reading instead of the one that the first runs suggest.
    pub reading: Option<Reading>,
    /// Fail only if all of these hold.
    pub fail_when: Vec<Condition>,
    /// Pass only if all of these hold.
    pub pass_when: Vec<Condition>,
    /// Fail only with the original's output.
    pub same_output: bool,
    /// Fail only with the original's crash, by so many functions of its backtrace.
    pub same_crash: Option<u8>,
    /// Look for what prevents the failure: the two sides change places.
    pub prevent: bool,
    /// Fail only with the original's ending and what it says went wrong.
    pub same_failure: bool,
}

/// Turns observations into outcomes.
#[derive(Clone, Debug)]
pub struct Judge {
    reading: Reading,
    fail_when: Vec<Condition>,
    pass_when: Vec<Condition>,
    same_output: Option<OutputDigest>,
    same_crash: Option<Identity>,
    prevent: bool,
    same_failure: Option<Signature>,
}

/// What the first runs taught, enough to judge again in a later process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Looked {
    /// The reading that was taken.
    pub reading: Reading,
    /// What the original printed, if outputs are compared.
    pub same_output: Option<OutputDigest>,
    /// How the original crashed, if crashes are compared.
    #[serde(default)]
    pub same_crash: Option<Identity>,
    /// How the original failed, if failures are compared.
    #[serde(default)]
    pub same_failure: Option<Signature>,
}

impl Judge {
    /// Chooses the reading that tells the original and the passing side apart.
    pub fn look(
        original: &Observation,
        passing: &Observation,
        wishes: &Wishes,
    ) -> Result<Self, NoReading> {
        let (original, passing) = match wishes.prevent {
            true => (passing, original),
            false => (original, passing),
        };
        let same_crash = match (wishes.same_crash, &original.crash) {
            (None, _) => None,
            (Some(_), None) => return Err(NoReading::NoCrash),
            (Some(functions), Some(crash)) => Some(Identity::of(crash, functions)?),
        };
        let suggested = match (original.ending, passing.ending) {
            (Ending::Exit(0), Ending::Exit(0)) if wishes.fail_when.is_empty() => {
                Err(NoReading::BothSucceed)
            }
            (Ending::Exit(0), _) => Ok(Reading::Interesting),
            (failure, _) => Ok(Reading::Failure(failure)),
        };
        let reading = match wishes.reading {
            // A version that dies by a signal fails in this way; it does not ask to stop.
            Some(Reading::Bisect)
                if wishes.same_failure && matches!(original.ending, Ending::Signal(_)) =>
            {
                Reading::Failure(original.ending)
            }
            Some(reading) => reading,
            None if wishes.fail_when.is_empty() => suggested?,
            None => Reading::Failure(original.ending),
        };
        let same_output = wishes.same_output.then(|| OutputDigest::of(original));
        let same_failure = wishes.same_failure.then(|| Signature::of(original));
        let looked = Looked { reading, same_output, same_crash, same_failure };
        let judge = Self::recall(&looked, wishes);
        match judge.plain_outcome(original)? {
            Outcome::Fail => {}
            seen => return Err(NoReading::OriginalDoesNotFail { seen }),
        }
        match judge.plain_outcome(passing)? {
            Outcome::Fail => Err(NoReading::PassingSideFails),
            Outcome::Unresolved if wishes.prevent => Err(NoReading::NothingPrevents),
            _ => Ok(judge),
        }
    }

    /// The judge that an earlier process had arrived at.
    pub fn recall(looked: &Looked, wishes: &Wishes) -> Self {
        Self {
            reading: looked.reading,
            fail_when: wishes.fail_when.clone(),
            pass_when: wishes.pass_when.clone(),
            same_output: looked.same_output.clone(),
            same_crash: looked.same_crash.clone(),
            prevent: wishes.prevent,
            same_failure: looked.same_failure.clone(),
        }
    }

    /// What a later process needs to judge alike.
    pub fn looked(&self) -> Looked {
        Looked {
            reading: self.reading,
            same_output: self.same_output.clone(),
            same_crash: self.same_crash.clone(),
            same_failure: self.same_failure.clone(),
        }
    }

    /// The outcome of one run.
    pub fn outcome(&self, observation: &Observation) -> Result<Outcome, Abort> {
        let outcome = self.plain_outcome(observation)?;
        Ok(if self.prevent { outcome.opposite() } else { outcome })
    }

    /// The outcome by what the test says, whatever is looked for.
    fn plain_outcome(&self, observation: &Observation) -> Result<Outcome, Abort> {
        let by_ending = match (self.reading.outcome(observation.ending), observation.ending) {
            // A mixture of versions may die in any way.
            (Err(_), Ending::Signal(_)) if self.same_failure.is_some() => Outcome::Unresolved,
            (outcome, _) => outcome?,
        };
        let all_hold = |conditions: &[Condition]| conditions.iter().all(|c| c.holds(observation));
        let fails = match self.fail_when.as_slice() {
            [] => by_ending == Outcome::Fail,
            conditions => all_hold(conditions),
        };
        let same_output =
            self.same_output.as_ref().is_none_or(|seen| *seen == OutputDigest::of(observation));
        let same_failure = self.same_failure.as_ref().is_none_or(|known| known.is(observation));
        // Another crash, and one that is not known, are neither the failure nor its absence.
        let same_crash = self.same_crash.as_ref().is_none_or(|original| {
            observation.crash.as_ref().is_some_and(|crash| original.matches(crash))
        });
        let passes = match self.pass_when.as_slice() {
            [] if self.fail_when.is_empty() => by_ending == Outcome::Pass,
            [] => !fails && observation.ending == Ending::Exit(0),
            conditions => all_hold(conditions),
        };
        Ok(match () {
            () if fails && same_output && same_crash && same_failure => Outcome::Fail,
            () if passes && !fails => Outcome::Pass,
            () => Outcome::Unresolved,
        })
    }
}

impl fmt::Display for Judge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let listed = |conditions: &[Condition]| {
            let all: Vec<String> = conditions.iter().map(ToString::to_string).collect();
            all.join(" and ")
        };
        // Of a program that dies, the crash says all.
        let crash = self.same_crash.as_ref();
        let failure = match (self.reading, crash) {
            (Reading::Failure(Ending::Signal(_)), Some(crash)) => Some(crash.to_string()),
            (Reading::Failure(ending), Some(crash)) => Some(format!("{ending} after {crash}")),
            _ => None,
        };
        let in_words = failure.is_some() && self.fail_when.is_empty() && self.pass_when.is_empty();
        match (self.fail_when.as_slice(), self.pass_when.as_slice()) {
            ([], []) if in_words => write!(
                f,
                "{} is the failure, exit 0 passes, anything else is unresolved",
                failure.unwrap_or_default()
            )?,
            ([], []) => write!(f, "{}", self.reading)?,
            ([], pass) => write!(f, "{}; passes when {}", self.reading, listed(pass))?,
            (fail, []) => write!(
                f,
                "{} is the failure, exit 0 without it passes, anything else is unresolved",
                listed(fail)
            )?,
            (fail, pass) => write!(
                f,
                "{} is the failure, {} passes, anything else is unresolved",
                listed(fail),
                listed(pass)
            )?,
        }
        if self.same_output.is_some() {
            f.write_str("; the output must stay the same")?;
        }
        if let Some(crash) = crash.filter(|_| !in_words) {
            write!(f, "; the crash must stay the same: {crash}")?;
        }
        if let Some(signature) = &self.same_failure {
            write!(f, "; only {signature} is the same failure")?;
        }
        match self.prevent {
            true => f.write_str("; looking for what prevents it"),
            false => Ok(()),
        }
    }
}

/// Why the first runs give nothing to search for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoReading {
    /// Both sides exit 0.
    #[error(
        "the test succeeds on the original and on the passing side, so it does not tell them apart"
    )]
    BothSucceed,
    /// The original does not show the failure that was asked for.
    #[error("the failure does not reproduce: the test says '{seen}' about the original")]
    OriginalDoesNotFail {
        /// What the test says instead.
        seen: Outcome,
    },
    /// Both sides fail alike.
    #[error(
        "the passing side (the empty input, unless you gave one) ends like the original, so it is not clear what the failure is"
    )]
    PassingSideFails,
    /// Crashes are to be compared, and there is none.
    #[error("the original does not crash: there is no signal, and no report of a crash is printed")]
    NoCrash,
    /// Crashes are to be compared, and that of the original is not known.
    #[error(transparent)]
    NotKnown(#[from] BacktraceTooShort),
    /// With all of what may prevent the failure, the test does not pass.
    #[error("the failure is not prevented: with all of it, the test does not pass")]
    NothingPrevents,
    /// The test wants to stop.
    #[error(transparent)]
    Abort(#[from] Abort),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Crash, Output};
    use std::time::Duration;
    use wynot_crash::Cause;

    fn seen(ending: Ending) -> Observation {
        let (stdout, stderr) = (Output::default(), Output::default());
        Observation { ending, stdout, stderr, elapsed: Duration::ZERO, crash: None }
    }

    fn printing(ending: Ending, text: &str) -> Observation {
        let stderr = Output { kept: text.into(), total: text.len() as u64 };
        Observation { stderr, ..seen(ending) }
    }

    use Ending::{Exit, Signal, Timeout};
    use Outcome::{Fail, Pass, Unresolved};

    fn outcomes(judge: &Judge, endings: &[Ending]) -> Vec<Outcome> {
        endings.iter().map(|ending| judge.outcome(&seen(*ending)).unwrap()).collect()
    }

    #[test]
    fn a_failing_program_is_taken_at_its_ending() {
        let judge = Judge::look(&seen(Signal(11)), &seen(Exit(0)), &Wishes::default()).unwrap();
        let endings = [Signal(11), Exit(0), Exit(1), Signal(6), Timeout, Exit(125)];
        let expected = [Fail, Pass, Unresolved, Unresolved, Unresolved, Unresolved];
        assert_eq!(outcomes(&judge, &endings), expected);
        let hang = Judge::look(&seen(Timeout), &seen(Exit(0)), &Wishes::default()).unwrap();
        assert_eq!(outcomes(&hang, &[Timeout, Signal(11), Exit(0)]), [Fail, Unresolved, Pass]);
    }

    #[test]
    fn success_on_the_original_only_is_an_interestingness_script() {
        let judge = Judge::look(&seen(Exit(0)), &seen(Exit(1)), &Wishes::default()).unwrap();
        let endings = [Exit(0), Exit(1), Exit(125), Exit(77), Timeout, Signal(11)];
        let expected = [Fail, Pass, Unresolved, Pass, Unresolved, Unresolved];
        assert_eq!(outcomes(&judge, &endings), expected);
    }

    #[test]
    fn sides_that_look_alike_are_refused() {
        let refused = |original, passing| {
            Judge::look(&seen(original), &seen(passing), &Wishes::default()).unwrap_err()
        };
        assert_eq!(refused(Exit(0), Exit(0)), NoReading::BothSucceed);
        assert_eq!(refused(Exit(1), Exit(1)), NoReading::PassingSideFails);
        assert_eq!(refused(Timeout, Timeout), NoReading::PassingSideFails);
        let unresolved = NoReading::OriginalDoesNotFail { seen: Unresolved };
        assert_eq!(refused(Exit(125), Exit(0)), unresolved);
    }

    #[test]
    fn bisect_codes_abort_above_127() {
        let wishes = Wishes { reading: Some(Reading::Bisect), ..Wishes::default() };
        let judge = Judge::look(&seen(Exit(3)), &seen(Exit(0)), &wishes).unwrap();
        assert_eq!(outcomes(&judge, &[Exit(1), Exit(127), Exit(125)]), [Fail, Fail, Unresolved]);
        assert!(judge.outcome(&seen(Exit(128))).is_err());
        assert!(judge.outcome(&seen(Signal(9))).is_err());
    }

    #[test]
    fn conditions_replace_the_reading() {
        let wishes = Wishes {
            fail_when: vec!["stderr~E0502".parse().unwrap(), "exit=1".parse().unwrap()],
            ..Wishes::default()
        };
        let original = printing(Exit(1), "error[E0502]: cannot borrow");
        let judge = Judge::look(&original, &seen(Exit(0)), &wishes).unwrap();
        assert_eq!(judge.outcome(&printing(Exit(1), "error[E0425]")), Ok(Unresolved));
        assert_eq!(judge.outcome(&printing(Exit(101), "E0502")), Ok(Unresolved));
        assert_eq!(judge.outcome(&seen(Exit(0))), Ok(Pass));
        let wrong = Judge::look(&printing(Exit(1), "other"), &seen(Exit(0)), &wishes);
        assert!(matches!(wrong, Err(NoReading::OriginalDoesNotFail { .. })));
    }

    #[test]
    fn what_prevents_the_failure_takes_its_place() {
        let wishes = Wishes { prevent: true, ..Wishes::default() };
        let judge = Judge::look(&seen(Exit(0)), &seen(Signal(11)), &wishes).unwrap();
        assert_eq!(outcomes(&judge, &[Exit(0), Signal(11), Exit(1)]), [Fail, Pass, Unresolved]);
        let refused = Judge::look(&seen(Exit(1)), &seen(Signal(11)), &wishes).unwrap_err();
        assert_eq!(refused, NoReading::NothingPrevents);
    }

    #[test]
    fn another_output_is_another_failure() {
        let wishes = Wishes { same_output: true, ..Wishes::default() };
        let judge = Judge::look(&printing(Exit(1), "a"), &seen(Exit(0)), &wishes).unwrap();
        assert_eq!(judge.outcome(&printing(Exit(1), "a")), Ok(Fail));
        assert_eq!(judge.outcome(&printing(Exit(1), "b")), Ok(Unresolved));
        let recalled = Judge::recall(&judge.looked(), &wishes);
        assert_eq!(recalled.outcome(&printing(Exit(1), "b")), Ok(Unresolved));
    }

    fn crashing(functions: &str, complete: bool) -> Observation {
        let frames = functions.split_whitespace().map(ToOwned::to_owned).collect();
        let crash = Crash { cause: Cause::Signal(11), frames, complete };
        Observation { crash: Some(crash), ..seen(Signal(11)) }
    }

    #[test]
    fn another_crash_is_another_failure() {
        let wishes = Wishes { same_crash: Some(3), ..Wishes::default() };
        let original = crashing("get work main", true);
        let judge = Judge::look(&original, &seen(Exit(0)), &wishes).unwrap();
        assert_eq!(judge.outcome(&crashing("get work work main", true)), Ok(Fail));
        assert_eq!(judge.outcome(&crashing("put work main", true)), Ok(Unresolved));
        assert_eq!(judge.outcome(&crashing("get", false)), Ok(Unresolved), "not known");
        assert_eq!(judge.outcome(&seen(Signal(11))), Ok(Unresolved), "not seen");
        assert_eq!(judge.outcome(&seen(Exit(0))), Ok(Pass));
        assert!(judge.to_string().starts_with("signal SEGV in get ← work ← main"), "{judge}");
        let line = serde_json::to_string(&judge.looked()).unwrap();
        let recalled = Judge::recall(&serde_json::from_str(&line).unwrap(), &wishes);
        assert_eq!(recalled.outcome(&crashing("put work main", true)), Ok(Unresolved));
    }

    #[test]
    fn another_message_is_another_failure_if_failures_are_compared() {
        let wishes = Wishes { same_failure: true, ..Wishes::default() };
        let original = printing(Exit(1), "t.lua:4: attempt to compare two values\n");
        let judge = Judge::look(&original, &seen(Exit(0)), &wishes).unwrap();
        let other = printing(Exit(1), "x.lua:99: attempt to compare two values\n");
        assert_eq!(judge.outcome(&other), Ok(Fail));
        assert_eq!(judge.outcome(&printing(Exit(1), "no such module\n")), Ok(Unresolved));
        assert_eq!(judge.outcome(&seen(Exit(2))), Ok(Unresolved));
        let recalled = Judge::recall(&judge.looked(), &wishes);
        assert_eq!(recalled.outcome(&seen(Exit(1))), Ok(Unresolved));
        let bisect = Wishes { reading: Some(Reading::Bisect), ..wishes };
        let judge = Judge::look(&original, &seen(Exit(0)), &bisect).unwrap();
        assert_eq!(judge.outcome(&seen(Signal(11))), Ok(Unresolved), "no reason to stop");
        assert!(judge.outcome(&seen(Exit(200))).is_err());
        let dying = Judge::look(&seen(Signal(11)), &seen(Exit(0)), &bisect).unwrap();
        assert_eq!(dying.outcome(&seen(Signal(11))), Ok(Fail));
    }

    #[test]
    fn an_original_without_a_known_crash_is_refused() {
        let wishes = Wishes { same_crash: Some(3), ..Wishes::default() };
        let refused = |original| Judge::look(&original, &seen(Exit(0)), &wishes).unwrap_err();
        assert_eq!(refused(seen(Exit(1))), NoReading::NoCrash);
        let unknown = BacktraceTooShort { known: 1, wanted: 3 };
        assert_eq!(refused(crashing("get", false)), NoReading::NotKnown(unknown));
    }
}
