//! The passing and the failing run that are compared.

use super::experiment_error::ExperimentError;
use crate::dwarf::Program;
use crate::hints::type_rules::TypeRules;
use crate::process::{InferiorLimits, Invocation};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A passing and a failing run of one program.
pub struct RunPair<'r> {
    /// The program that both runs execute.
    pub program: &'r Program,
    /// The run that passes.
    pub passing: Invocation,
    /// The run that fails.
    pub failing: Invocation,
    /// Further runs that pass. They are not altered; a value that one of them has as well is no cause.
    pub others: Vec<Invocation>,
    /// The resources that a run may use.
    pub limits: InferiorLimits,
    /// The time that an experiment may take after it was stopped and altered.
    pub experiment_timeout: Duration,
    /// Whether the failure is that the run does not end.
    pub hangs: bool,
    /// The functions that the failing run does not leave, innermost first, if it does not end.
    pub endless_functions: Vec<String>,
    /// The rules about the program's types from a hint file.
    pub rules: TypeRules,
    /// The flag that ends tracing. Experiments end by their oracle.
    pub stop: &'r AtomicBool,
    /// The time at which tracing ends.
    pub deadline: Option<Instant>,
}

impl RunPair<'_> {
    /// An error if the search has to end now.
    pub(crate) fn check_stop(&self) -> Result<(), ExperimentError> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(ExperimentError::Interrupted);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(ExperimentError::TimeLimit),
            _ => Ok(()),
        }
    }

    /// The limits of a run that is traced: it may not go on for longer than the search.
    pub(crate) fn until_deadline(&self, limits: &InferiorLimits) -> InferiorLimits {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let time = left.map_or(limits.time, |left| left.min(limits.time));
        InferiorLimits { time, ..*limits }
    }
}
