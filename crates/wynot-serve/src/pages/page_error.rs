//! Errors as pages, with what to do about them.

use super::page_layout::{PageFrame, page};
use super::visible_text::visible;
use crate::http::api_error::ApiError;
use crate::http::job_json::percent_encoded;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use maud::{DOCTYPE, html};

/// Why a page cannot be shown.
#[derive(Debug)]
pub enum PageError {
    /// An error with a message.
    Failed(ApiError),
    /// A login is needed first; it leads back to an address.
    Login(String),
    /// The browser has to ask for an address once more, by itself. The cookie of a login is not sent with a request to which
    /// a link of another site has led, such as one in a bug tracker.
    Again(String),
}

impl PageError {
    /// An error with a status.
    pub fn new(status: StatusCode, message: &str) -> Self {
        Self::Failed(ApiError::new(status, message))
    }

    /// The same with a hint.
    #[must_use]
    pub fn hint(self, hint: &str) -> Self {
        match self {
            Self::Failed(error) => Self::Failed(error.hint(hint)),
            other => other,
        }
    }
}

impl From<ApiError> for PageError {
    fn from(error: ApiError) -> Self {
        Self::Failed(error)
    }
}

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        match self {
            Self::Failed(error) => error_page(&error),
            Self::Login(address) => {
                Redirect::to(&format!("/login?next={}", percent_encoded(&address))).into_response()
            }
            Self::Again(address) => again_page(&address),
        }
    }
}

/// A page that leads to an address at once.
fn again_page(address: &str) -> Response {
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                title { "wynot" }
                meta http-equiv="refresh" content={ "0; url=" (address) };
            }
            body { p { a href=(address) { "Go on" } } }
        }
    };
    Html(document.into_string()).into_response()
}

/// The page of an error.
fn error_page(error: &ApiError) -> Response {
    let title = match error.status {
        StatusCode::NOT_FOUND => "Not found",
        StatusCode::FORBIDDEN | StatusCode::UNAUTHORIZED => "Not allowed",
        StatusCode::TOO_MANY_REQUESTS => "Too many submissions",
        status if status.is_client_error() => "This did not work",
        _ => "The server has a problem",
    };
    let body = html! {
        h1 { (title) }
        p.lead { (sentence(&error.message)) }
        @if let Some(hint) = &error.hint {
            p { (sentence(hint)) }
        }
        @if let Some(seconds) = error.retry_after {
            p { "Try again after " (seconds) " s." }
        }
        @if matches!(error.status, StatusCode::FORBIDDEN | StatusCode::UNAUTHORIZED) {
            p { a href="/login" { "Log in with another token" } }
        }
        p { a href="/" { "All jobs" } " · " a href="/submit" { "Submit a failure" } }
    };
    let mut response = (error.status, page(&PageFrame::plain(title), None, &body)).into_response();
    if let Some(seconds) = error.retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// A message as a sentence: with a capital letter and a full stop.
pub fn sentence(message: &str) -> String {
    let message = visible(message.trim());
    let mut letters = message.chars();
    let mut result: String = match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    };
    if result.ends_with(|last: char| last.is_alphanumeric() || last == '"' || last == ')') {
        result.push('.');
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_become_sentences() {
        assert_eq!(sentence("there is no such job"), "There is no such job.");
        assert_eq!(sentence("Why?"), "Why?");
        assert_eq!(sentence(" \u{202e}x"), "\\u{202e}x.");
        assert_eq!(sentence(""), "");
    }
}
