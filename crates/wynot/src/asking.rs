//! Asking the person: which state is as intended is not for a program to know.
//!
//! The causes of a chain are in order: from some step on, what decides is no longer as somebody meant it to
//! be. That step is found by halving, with a question for each half.

use crate::failure::Failure;
use std::io::{BufRead, Write};
use wynot_state::{CauseStep, DescribedDelta};

/// Where it goes wrong, if it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// From this step on, counted from 0.
    From(usize),
    /// All steps are as intended.
    Nowhere,
    /// Whoever was asked did not answer.
    Unknown,
}

/// Asks about as few steps as it takes.
pub fn first_wrong(
    steps: &[CauseStep<'_>],
    describe: impl Fn(usize) -> String,
    answers: &mut impl BufRead,
) -> Result<Wrong, Failure> {
    let (mut right, mut wrong) = (0, steps.len());
    while right < wrong {
        let middle = usize::midpoint(right, wrong);
        match ask(&describe(middle), &steps[middle].first.deciding, answers)? {
            Some(true) => right = middle + 1,
            Some(false) => wrong = middle,
            None => return Ok(Wrong::Unknown),
        }
    }
    Ok(if wrong == steps.len() { Wrong::Nowhere } else { Wrong::From(wrong) })
}

/// Whether what was found is as intended; nothing if there is no answer.
fn ask(
    place: &str,
    findings: &[DescribedDelta],
    answers: &mut impl BufRead,
) -> Result<Option<bool>, Failure> {
    let values: Vec<String> = findings
        .iter()
        .map(|finding| format!("{} is {}", finding.expression, finding.failing))
        .collect();
    loop {
        let mut terminal = std::io::stderr();
        // That nobody reads the question shows when nobody answers it.
        let _ =
            write!(terminal, "At {place} {}. Is that as intended? [y/n] ", values.join(" and "));
        let _ = terminal.flush();
        let mut answer = String::new();
        let read = answers.read_line(&mut answer).map_err(|error| Failure::unexpected(&error))?;
        match answer.trim().to_lowercase().as_str() {
            "y" | "yes" => return Ok(Some(true)),
            "n" | "no" => return Ok(Some(false)),
            _ if read == 0 => {
                told!("");
                return Ok(None);
            }
            _ => told!("wynot: please answer y or n"),
        }
    }
}
