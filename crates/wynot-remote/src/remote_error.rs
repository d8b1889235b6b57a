//! What can go wrong between this machine and an observation of a worker, and what follows from it.

use std::error::Error;
use tonic::{Code, Status};

/// Why an action has no observation yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RemoteError {
    /// The service does not answer, or asks for patience. The request is repeated.
    Transient(String),
    /// The service refuses the request. Repeating it would not help.
    Refused(String),
    /// The storage has lost inputs of the action. They are uploaded again.
    MissingBlobs(String),
    /// The action has ended without a valid record: a worker is broken, not the test.
    NoObservation(String),
}

impl RemoteError {
    /// The error that a status of the service stands for.
    pub(crate) fn of_status(status: &Status) -> Self {
        let reason = reason_of(status);
        match status.code() {
            _ if is_about_certificates(&reason) => Self::Refused(reason),
            Code::Unauthenticated | Code::PermissionDenied => {
                Self::Refused(format!("it does not accept these credentials: {reason}"))
            }
            Code::InvalidArgument
            | Code::NotFound
            | Code::Unimplemented
            | Code::OutOfRange
            | Code::AlreadyExists => Self::Refused(reason),
            Code::FailedPrecondition | Code::DataLoss => Self::MissingBlobs(reason),
            Code::ResourceExhausted => Self::Transient(format!("it has no space: {reason}")),
            _ => Self::Transient(reason),
        }
    }
}

/// The message of a status. Errors of the connection are in its sources.
pub(crate) fn reason_of(status: &Status) -> String {
    let mut reason = match status.message() {
        "" => format!("{:?}", status.code()),
        message => message.to_owned(),
    };
    let mut source = status.source();
    while let Some(error) = source {
        let text = error.to_string();
        if !reason.contains(&text) {
            reason = format!("{reason}: {text}");
        }
        source = error.source();
    }
    reason
}

/// Whether an error of the connection is about the certificates of one of the two ends.
fn is_about_certificates(reason: &str) -> bool {
    ["certificate", "UnknownIssuer", "NotValidForName", "HandshakeFailure", "alert: "]
        .iter()
        .any(|word| reason.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_go_away_is_repeated() {
        let of = |code| RemoteError::of_status(&Status::new(code, "text"));
        assert_eq!(of(Code::Unavailable), RemoteError::Transient("text".into()));
        assert!(matches!(of(Code::ResourceExhausted), RemoteError::Transient(_)));
        assert!(matches!(of(Code::Unauthenticated), RemoteError::Refused(_)));
        assert!(matches!(of(Code::InvalidArgument), RemoteError::Refused(_)));
        assert!(matches!(of(Code::FailedPrecondition), RemoteError::MissingBlobs(_)));
        let status = Status::unavailable("invalid peer certificate: UnknownIssuer");
        assert!(matches!(RemoteError::of_status(&status), RemoteError::Refused(_)));
    }
}
