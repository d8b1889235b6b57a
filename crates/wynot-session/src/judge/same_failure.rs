//! The failure of the original, by which the same failure is recognised in other runs, and the failures of runs in
//! words.

use serde::{Deserialize, Serialize};
use std::fmt;
use wynot_crash::{CrashSignature, InputWords, Symptom, SymptomPattern, VariantFiles};
use wynot_supervisor::{Ending, Observation};

/// The maximum number of functions of a crash that are shown.
const MAX_SHOWN_FUNCTIONS: usize = 5;

/// The signature of a failure: how the run ends, and what it shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureSignature {
    pub(super) ending: Ending,
    pub(super) pattern: SymptomPattern,
}

impl FailureSignature {
    /// The signature of an observation, given the words of the input from which messages may take names. Lines of the
    /// program count only if it is the same in all tests.
    pub(super) fn of(
        observation: &Observation,
        variant_files: &VariantFiles,
        input: &InputWords,
        same_program: bool,
    ) -> Self {
        let symptom = observation.symptom(variant_files);
        let pattern = SymptomPattern::of(&symptom, input, same_program);
        Self { ending: observation.ending, pattern }
    }

    /// Whether an observation shows this failure.
    pub(super) fn is(
        &self,
        observation: &Observation,
        variant_files: &VariantFiles,
        input: &InputWords,
    ) -> bool {
        self.ending == observation.ending
            && self.pattern.matches(&observation.symptom(variant_files), input)
    }
}

impl fmt::Display for FailureSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.pattern, self.ending) {
            // The backtrace says more than the signal, and begins with it.
            (SymptomPattern::Crash(crash), Ending::Signal(_)) => write!(f, "{crash}"),
            (SymptomPattern::Crash(crash), ending) => write!(f, "{ending} with {crash}"),
            (SymptomPattern::Complaint { printed, .. }, ending) => {
                write!(f, "{ending} with \"{printed}\"")
            }
            (SymptomPattern::Silence, ending) => write!(f, "{ending} without a message"),
        }
    }
}

/// The failure that a run showed, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedFailure {
    /// How the run ended.
    pub ending: Ending,
    /// The crash that it reported, or that was observed, with its place.
    pub report: Option<String>,
    /// The innermost functions of the crash.
    pub functions: Vec<String>,
    /// The message as it was printed.
    pub message: Option<String>,
    /// Whether it is the same failure as that of the original.
    pub same: bool,
}

impl ObservedFailure {
    /// The failure of an observation, compared with that of the original if it is known.
    pub(super) fn of(
        observation: &Observation,
        variant_files: &VariantFiles,
        original: Option<&FailureSignature>,
        input: &InputWords,
    ) -> Self {
        let symptom = observation.symptom(variant_files);
        let Symptom { crash, .. } = &symptom;
        let functions = crash.iter().flat_map(|crash| &crash.frames).take(MAX_SHOWN_FUNCTIONS);
        let message = match original {
            Some(original) => symptom.message_like(&original.pattern, input),
            None => symptom.message(),
        };
        Self {
            ending: observation.ending,
            report: crash.as_ref().map(|crash| CrashSignature::of(crash, input, true).to_string()),
            functions: functions.cloned().collect(),
            message: message.map(ToOwned::to_owned),
            same: original.is_none_or(|original| {
                original.ending == observation.ending && original.pattern.matches(&symptom, input)
            }),
        }
    }
}

impl fmt::Display for ObservedFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.report, &self.message, self.ending) {
            (Some(report), _, Ending::Signal(_)) => write!(f, "{report}"),
            (Some(report), _, ending) => write!(f, "{ending}, {report}"),
            (None, Some(message), ending) => write!(f, "{ending}, \"{message}\""),
            (None, None, ending) => write!(f, "{ending}"),
        }
    }
}

/// The digest of both output streams of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputDigest {
    stdout: String,
    stderr: String,
}

impl OutputDigest {
    /// The digest of the output of an observation.
    pub(crate) fn of(observation: &Observation) -> Self {
        Self { stdout: observation.stdout.digest(), stderr: observation.stderr.digest() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use wynot_supervisor::Output;

    fn observation(stderr: &str) -> Observation {
        let stderr = Output { kept: stderr.into(), total: stderr.len() as u64 };
        let (ending, stdout) = (Ending::Exit(1), Output::default());
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

    fn is_same(original: &str, other: &str) -> bool {
        let (files, words) = (VariantFiles::default(), InputWords::default());
        let signature = FailureSignature::of(&observation(original), &files, &words, true);
        signature.is(&observation(other), &files, &words)
    }

    #[test]
    fn the_message_that_is_shown_is_that_of_the_original() {
        let (files, words) = (VariantFiles::default(), InputWords::default());
        let original = observation("error: wrong product\n");
        let signature = FailureSignature::of(&original, &files, &words, true);
        let other = observation("error: odd layout\nerror: wrong product\n");
        let shown = |original| ObservedFailure::of(&other, &files, original, &words).to_string();
        assert_eq!(shown(Some(&signature)), "exit 1, \"error: wrong product\"");
        assert_eq!(shown(None), "exit 1, \"error: odd layout\"");
    }

    #[test]
    fn a_failure_with_a_message_differs_from_a_silent_one() {
        assert!(is_same("", "") && !is_same("", "IndentationError: unexpected indent\n"));
        let message = "error: wrong product\n";
        assert!(is_same(message, message) && !is_same(message, ""));
    }

    #[test]
    fn a_failure_with_a_report_differs_from_one_with_a_message() {
        let report = "x.C:5:1: internal compiler error: in tsubst, at cp/pt.cc:15782\n";
        assert!(is_same(report, &report.replace("5:1", "1:1")));
        assert!(!is_same(report, &report.replace("15782", "15783")));
        assert!(!is_same(report, "x.C:1:1: error: expected declaration\n"));
    }
}
