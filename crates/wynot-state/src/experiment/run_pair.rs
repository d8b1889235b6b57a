//! The passing and the failing run that are compared.

use crate::dwarf::Program;
use crate::hints::type_rules::TypeRules;
use crate::process::{InferiorLimits, Invocation};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

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
}
