//! Questions to the user about the steps of a chain: no program can decide which state is as intended.
//!
//! The steps are in the order of time: from some step on, the deciding values are no longer as intended. Bisection finds
//! that step.

use std::io::{BufRead, Write};
use wynot::Error;
use wynot_state::{CauseStep, DescribedDelta};

/// The step from which the program goes wrong, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstWrongStep {
    /// The steps from this one on are wrong, counted from 0.
    From(usize),
    /// All steps are as intended.
    Nowhere,
    /// The user did not answer.
    Unknown,
}

/// Finds the first wrong step by bisection, with a question for each step that is examined.
pub fn find_first_wrong(
    steps: &[CauseStep<'_>],
    describe: impl Fn(usize) -> String,
    answers: &mut impl BufRead,
) -> Result<FirstWrongStep, Error> {
    let (mut right, mut wrong) = (0, steps.len());
    while right < wrong {
        let middle = usize::midpoint(right, wrong);
        match ask(&describe(middle), &steps[middle].first.deciding, answers)? {
            Some(true) => right = middle + 1,
            Some(false) => wrong = middle,
            None => return Ok(FirstWrongStep::Unknown),
        }
    }
    Ok(if wrong == steps.len() { FirstWrongStep::Nowhere } else { FirstWrongStep::From(wrong) })
}

/// Asks whether the values at a place are as intended; `None` if there is no answer.
fn ask(
    place: &str,
    deltas: &[DescribedDelta],
    answers: &mut impl BufRead,
) -> Result<Option<bool>, Error> {
    let values: Vec<String> =
        deltas.iter().map(|delta| format!("{} is {}", delta.expression, delta.failing)).collect();
    loop {
        let mut terminal = std::io::stderr();
        // If the question cannot be printed, the end of the input ends the loop.
        let _ =
            write!(terminal, "At {place} {}. Is that as intended? [y/n] ", values.join(" and "));
        let _ = terminal.flush();
        let mut answer = String::new();
        let read = answers.read_line(&mut answer).map_err(|error| Error::unexpected(&error))?;
        match answer.trim().to_lowercase().as_str() {
            "y" | "yes" => return Ok(Some(true)),
            "n" | "no" => return Ok(Some(false)),
            _ if read == 0 => {
                print_error_line!("");
                return Ok(None);
            }
            _ => print_error_line!("wynot: please answer y or n"),
        }
    }
}
