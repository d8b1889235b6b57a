//! The record of a cause-effect chain: what reports show of an explanation.

use serde::{Deserialize, Serialize};

/// A cause-effect chain, with everything that its reports show.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChainRecord {
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
    /// The duration of the search in seconds.
    pub seconds: f64,
    /// Why the search was stopped before its end, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    /// The source lines around the last place before the end: numbers and texts.
    pub last_source: Vec<(u32, String)>,
    /// The number of the line of that place.
    pub last_line: u32,
    /// What was not found out, one sentence each.
    pub open_questions: Vec<String>,
}

/// A place at which the two runs were compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChainPlace {
    /// The name of the place: function and line.
    pub name: String,
    /// The index of the step whose cause decides there; `None` if no cause was found.
    pub step: Option<usize>,
}

/// A cause of the chain.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChainStep {
    /// Whether people read it as one with the step before.
    pub is_similar: bool,
    /// The first place at which the cause decides.
    pub place: String,
    /// Some source lines, numbers and texts: around the lines that turned the cause before into this one, or else around the
    /// place.
    pub source: Vec<(u32, String)>,
    /// The numbers of the lines of which one has turned the cause before into this one, if they are known.
    pub lines: Vec<u32>,
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

/// A variable that decides, or something else in which the runs differ.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChainCause {
    /// What it is, before its name: "variable", "register", "the content of the input file".
    pub noun: String,
    /// The variable as an expression of the program's language, or another name.
    pub variable: String,
    /// The function whose variable it is, unless it is the innermost one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Its value in the passing run.
    pub passing: String,
    /// Its value in the failing run.
    pub failing: String,
    /// The objects through which the variable is reached: name and value of each.
    pub access_path: Vec<(String, String)>,
}

impl ChainRecord {
    /// The number of each step, from 1. A step that people read as one with the step before has its number.
    pub fn numbers(&self) -> Vec<usize> {
        let mut number = 0;
        let numbers = self.steps.iter().map(|step| {
            number += usize::from(!step.is_similar || number == 0);
            number
        });
        numbers.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_steps_have_one_number() {
        let step = |is_similar| ChainStep { is_similar, ..Default::default() };
        let steps = [false, false, true, true, false].map(step).to_vec();
        assert_eq!(ChainRecord { steps, ..Default::default() }.numbers(), [1, 2, 2, 2, 3]);
    }
}
