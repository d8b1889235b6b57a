//! The answer of a search in words, as it was printed: what pages show besides numbers.

use serde::{Deserialize, Serialize};

/// The answer of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnswerRecord {
    /// The answer in a sentence, such as "1 changed line of 8 decides".
    pub headline: String,
    /// Each cause by itself, if several were searched or a call was varied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<CauseRecord>,
    /// Further facts, such as the audit of a change and crashes of other kinds, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The places at which the two sides of an isolated difference differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<DifferenceRecord>,
}

/// One of several causes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CauseRecord {
    /// The cause in a sentence.
    pub headline: String,
    /// What it consists of, such as options.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
    /// A command line that shows it, if a call was varied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The beginning of the input that shows it, if an input was reduced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The size of that input in bytes.
    #[serde(default)]
    pub bytes: u64,
}

/// A stretch of the passing and of the failing side in which they differ, with some lines around it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DifferenceRecord {
    /// The file, if the sides are directories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The stretch of the passing side.
    pub passing: TextStretch,
    /// The stretch of the failing side.
    pub failing: TextStretch,
}

/// Some lines of a text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TextStretch {
    /// The number of the first line, from 1.
    pub line: u64,
    /// The lines, or a part of a long one.
    pub text: String,
}
