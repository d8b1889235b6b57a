//! Symptoms: by what a failure is recognised. This is the one notion of the same failure.
//!
//! A run shows its failure by a report of a crash, or else by a complaint, or else only by how it ends. The
//! [`SymptomPattern`] of the original is what other runs have to show so that theirs is the same failure.

use crate::crash::Crash;
use crate::message::{Complaint, InputWords, MessagePattern};
use crate::reports;
use crate::signature::CrashSignature;
use crate::variant_files::VariantFiles;
use serde::{Deserialize, Serialize};
use std::fmt;

/// By what a run shows its failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symptom {
    /// The crash that the run reports, or that was observed.
    pub crash: Option<Crash>,
    /// The complaints; the first says what the failure is.
    pub complaints: Vec<Complaint>,
}

impl Symptom {
    /// The symptom of a run, given its output and the crash that was observed, if any.
    pub fn of(
        stdout: &[u8],
        stderr: &[u8],
        observed: Option<&Crash>,
        variant_files: &VariantFiles,
    ) -> Self {
        let crash = reports::read_run(stdout, stderr, observed.cloned(), variant_files);
        Self { crash, complaints: Complaint::all(stdout, stderr) }
    }

    /// The message as it was printed: of the report, or else the first complaint.
    pub fn message(&self) -> Option<&str> {
        let reported = self.crash.as_ref().and_then(|crash| crash.message.as_deref());
        reported.or_else(|| self.complaints.first().map(|complaint| complaint.printed.as_str()))
    }

    /// The same, but of the complaints the first that matches the pattern, if one does.
    pub fn message_like(&self, pattern: &SymptomPattern, input: &InputWords) -> Option<&str> {
        let SymptomPattern::Complaint { pattern, .. } = pattern else { return self.message() };
        let mut complaints = self.complaints.iter();
        let matching = complaints.find(|complaint| pattern.matches_words(&complaint.words, input));
        matching.map(|complaint| complaint.printed.as_str()).or_else(|| self.message())
    }
}

/// What a run has to show so that its failure is the same as that of the original.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SymptomPattern {
    /// The same report or crash.
    Crash(CrashSignature),
    /// The same complaint.
    Complaint {
        /// The complaint of the original, as it was printed.
        printed: String,
        /// What a complaint has to say.
        pattern: MessagePattern,
    },
    /// No complaint at all.
    Silence,
}

impl SymptomPattern {
    /// The pattern of a symptom, given the words of the input from which messages may take names. Lines of the program
    /// count only if it is the same in all tests.
    pub fn of(symptom: &Symptom, input: &InputWords, same_program: bool) -> Self {
        if let Some(crash) = &symptom.crash {
            return Self::Crash(CrashSignature::of(crash, input, same_program));
        }
        match symptom.complaints.first() {
            Some(complaint) => Self::Complaint {
                printed: complaint.printed.clone(),
                pattern: MessagePattern::of_words(&complaint.words, input),
            },
            None => Self::Silence,
        }
    }

    /// Whether a symptom matches; `input` is the input of the original.
    pub fn matches(&self, symptom: &Symptom, input: &InputWords) -> bool {
        match self {
            Self::Crash(signature) => {
                symptom.crash.as_ref().is_some_and(|crash| signature.matches(crash, input))
            }
            Self::Complaint { pattern, .. } => {
                let mut complaints = symptom.complaints.iter();
                complaints.any(|complaint| pattern.matches_words(&complaint.words, input))
            }
            Self::Silence => symptom.crash.is_none() && symptom.complaints.is_empty(),
        }
    }
}

impl fmt::Display for SymptomPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crash(signature) => write!(f, "{signature}"),
            Self::Complaint { printed, .. } => write!(f, "\"{printed}\""),
            Self::Silence => f.write_str("no message"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Outputs of failures, each with the same failure of a smaller input and with another failure.
    const FAILURES: [[&str; 3]; 6] = [
        [
            "a.C:9:1: internal compiler error: in tsubst, at cp/pt.cc:15782\n",
            "a.C:1:1: internal compiler error: in tsubst, at cp/pt.cc:15782\n",
            "a.C:1:1: internal compiler error: in tsubst, at cp/pt.cc:99\n",
        ],
        [
            "Traceback (most recent call last):\n  File \"/lib/t.py\", line 3, in fold\nValueError: bad <Node at 0x7f3a>\n",
            "Traceback (most recent call last):\n  File \"/lib/t.py\", line 3, in fold\nValueError: bad <Leaf at 0x7f99>\n",
            "Traceback (most recent call last):\n  File \"/lib/t.py\", line 9, in parse\nValueError: bad <Node at 0x7f3a>\n",
        ],
        [
            "==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x60\n    #0 0x55 in free\n    #1 0x55 in get /s.c:5\n",
            "==9==ERROR: AddressSanitizer: heap-use-after-free on address 0x99\n    #0 0x77 in free\n    #1 0x77 in get /s.c:5\n",
            "==9==ERROR: AddressSanitizer: heap-use-after-free on address 0x99\n    #0 0x77 in free\n    #1 0x77 in put /s.c:9\n",
        ],
        [
            "[error] x.js: TypeError: no 'a'\n[error]     at print (/lib/p.js:1:2)\n",
            "[error] x.js: TypeError: no 'b'\n[error]     at print (/lib/p.js:1:2)\n",
            "[error] x.js: SyntaxError: Unexpected token (1:5)\n",
        ],
        [
            "{\"id\": \"9f8e7d\", \"error\": {\"code\": 42, \"message\": \"3 is too many\"}}\n",
            "{\"id\": \"11aa22\", \"error\": {\"code\": 42, \"message\": \"1 is too many\"}}\n",
            "{\"id\": \"11aa22\", \"error\": {\"code\": 7, \"message\": \"1 is too many\"}}\n",
        ],
        [
            "x.go:3:5: undefined: name\n",
            "x.go:1:1: undefined: n\n",
            "x.go:1:1: declared and not used: n\n",
        ],
    ];

    #[test]
    fn a_failure_is_the_same_as_itself_and_as_that_of_a_smaller_input() {
        let (files, input) = (VariantFiles::default(), InputWords::of(&[b"name a b"]));
        let symptom = |text: &str| Symptom::of(b"", text.as_bytes(), None, &files);
        for [original, smaller, other] in FAILURES {
            let pattern = SymptomPattern::of(&symptom(original), &input, true);
            assert!(pattern.matches(&symptom(original), &input), "{original}");
            assert!(pattern.matches(&symptom(smaller), &input), "{smaller}");
            assert!(!pattern.matches(&symptom(other), &input), "{other}");
            assert!(!pattern.matches(&symptom(""), &input), "{original}");
        }
        let silence = SymptomPattern::of(&symptom(""), &input, true);
        assert!(
            silence.matches(&symptom(""), &input) && !silence.matches(&symptom("error\n"), &input)
        );
    }

    #[test]
    fn a_stack_overflow_is_the_same_whatever_the_report_says_about_its_signal() {
        let (files, input) = (VariantFiles::default(), InputWords::default());
        let frames = ["walk", "fold"].repeat(9).into_iter().map(str::to_owned).collect();
        let culprit = Some("walk".to_owned());
        let observed = Crash { culprit, ..Crash::new(crate::Cause::StackOverflow, frames, false) };
        let text =
            b"gcc: internal compiler error: Segmentation fault signal terminated program cc1\n";
        let symptom = Symptom::of(b"", text, Some(&observed), &files);
        let pattern = SymptomPattern::of(&symptom, &input, true);
        assert!(pattern.matches(&symptom, &input));
        assert!(pattern.to_string().starts_with("stack overflow in fold, walk"), "{pattern}");
    }
}
