//! Errors of requests: a status, a message, and what to do.

use crate::store::{BadSubmission, StoreError};
use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::io;

/// Why a request was refused or failed.
#[derive(Clone, Debug)]
pub struct ApiError {
    /// The status of the response.
    pub status: StatusCode,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// After how many seconds to try again.
    pub retry_after: Option<u64>,
}

impl ApiError {
    /// An error with a status.
    pub fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), hint: None, retry_after: None }
    }

    /// A body that cannot be read. That it breaks off is the fault of the client, whatever the framework says.
    pub fn unreadable(status: StatusCode, message: impl Into<String>) -> Self {
        match status.is_server_error() {
            true => Self::new(StatusCode::BAD_REQUEST, message),
            false => Self::new(status, message),
        }
    }

    /// A request that is wrong.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// Something that does not exist.
    pub fn not_found(what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, format!("there is no such {what}"))
    }

    /// An error of the server.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    }

    /// The same with a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        Self::internal(error.to_string())
    }
}

impl From<io::Error> for ApiError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::new(StatusCode::INSUFFICIENT_STORAGE, "the disk of the server is full")
            }
            _ => Self::internal(format!("files of the server: {error}")),
        }
    }
}

impl From<BadSubmission> for ApiError {
    fn from(error: BadSubmission) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, error.to_string())
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = json!({"error": {
            "status": self.status.as_u16(), "message": self.message, "hint": self.hint,
        }});
        let mut response = (self.status, Json(body)).into_response();
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            let challenge = HeaderValue::from_static("Bearer");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
        }
        response
    }
}
