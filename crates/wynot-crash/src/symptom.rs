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
