//! The data that the page of a chain shows.

use std::time::Duration;

/// A cause-effect chain, with everything that its page shows.
#[derive(Clone, Debug, Default)]
pub struct ChainSummary {
    /// The command line of the passing run.
    pub passing_command: String,
    /// The command line of the failing run.
    pub failing_command: String,
    /// How the passing run ends.
    pub passing_ending: String,
    /// How the failing run ends.
    pub failing_ending: String,
    /// The causes, each the effect of the one before.
    pub steps: Vec<ChainStep>,
    /// All places at which the two runs were compared, in the order of execution.
    pub places: Vec<ChainPlace>,
    /// The number of experiments.
    pub tests: u64,
    /// The duration of the search.
    pub elapsed: Duration,
    /// The source lines around the last place before the end: numbers and texts.
    pub last_source: Vec<(u32, String)>,
    /// The number of the line of that place.
    pub last_line: u32,
    /// What was not found out, one sentence each.
    pub open_questions: Vec<String>,
}

/// A place at which the two runs were compared.
#[derive(Clone, Debug)]
pub struct ChainPlace {
    /// The name of the place: function and line.
    pub name: String,
    /// The index of the step whose cause decides there; `None` if no cause was found.
    pub step: Option<usize>,
}

/// A cause of the chain.
#[derive(Clone, Debug, Default)]
pub struct ChainStep {
    /// Whether people read it as one with the step before.
    pub is_similar: bool,
    /// The first place at which the cause decides.
    pub place: String,
    /// Some source lines, numbers and texts: around the line that turned the cause before into this one, or else around the
    /// place.
    pub source: Vec<(u32, String)>,
    /// The number of that line.
    pub line: u32,
    /// The variables that decide.
    pub causes: Vec<ChainCause>,
    /// The place at which the cause before became this one, if it was found.
    pub transition: Option<String>,
    /// The number of differences between the two states.
    pub deltas: usize,
    /// The number of vertices of the memory graph.
    pub vertices: u64,
    /// The number of experiments at that place.
    pub tests: u64,
    /// Whether runs from the beginning confirm the cause.
    pub verified: bool,
    /// A GDB script that replays the experiment.
    pub script: String,
}

/// A variable that decides.
#[derive(Clone, Debug, Default)]
pub struct ChainCause {
    /// The variable as an expression of the program's language.
    pub variable: String,
    /// Its value in the passing run.
    pub passing: String,
    /// Its value in the failing run.
    pub failing: String,
    /// The objects through which the variable is reached: name and value of each.
    pub access_path: Vec<(String, String)>,
}
