//! Errors of experiments, as a user sees them.

use crate::error::{Error, ErrorKind};
use wynot_session::{ExecutorError, Stop};
use wynot_state::ExperimentError;
use wynot_state::process::ProcessError;

/// The error of a run that could not be controlled.
pub fn refuse(error: &ExperimentError) -> Error {
    if matches!(error, ExperimentError::Interrupted) {
        return Error::new(ErrorKind::Interrupted, "interrupted before anything was found");
    }
    if matches!(error, ExperimentError::TimeLimit) {
        let message = "the time limit was reached before anything was found";
        return Error::new(ErrorKind::Interrupted, message);
    }
    let is_usage = matches!(
        error,
        ExperimentError::Process(
            ProcessError::Program { .. }
                | ProcessError::NotExecutable { .. }
                | ProcessError::NotBinary { .. }
                | ProcessError::OtherMachine { .. }
                | ProcessError::Privileged { .. }
                | ProcessError::Input { .. }
                | ProcessError::Directory { .. }
        )
    );
    Error::new(if is_usage { ErrorKind::Usage } else { ErrorKind::Unexpected }, error)
}

/// The reason why a session stops after the error of an experiment.
pub(super) fn stop_after(error: ExperimentError) -> Stop {
    match error {
        ExperimentError::Interrupted => Stop::Interrupted,
        ExperimentError::TimeLimit => Stop::MaxTime,
        error => Stop::Executor(ExecutorError::Experiment(Box::new(error))),
    }
}

/// The error of a search that cannot go on; `None` if it was only stopped.
pub(super) fn error_of(stop: &Stop) -> Option<Error> {
    match stop {
        Stop::Interrupted => None,
        stop if stop.is_limit() => None,
        Stop::Executor(ExecutorError::Experiment(error)) => {
            Some(error.downcast_ref::<ExperimentError>().map_or_else(|| Error::from(stop), refuse))
        }
        stop => Some(Error::from(stop)),
    }
}
