//! The style, the script and the other files that pages load.

use super::page_error::PageError;
use super::submission_examples::SubmissionExample;
use crate::http::api_error::ApiError;
use crate::http::request_guard::FILE_POLICY;
use axum::extract::Path;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

const STYLE: &str = include_str!("static_files/style.css");
const SCRIPT: &str = include_str!("static_files/live.js");
const ICON: &str = include_str!("static_files/favicon.svg");

/// How long browsers keep these files without asking again; a new server may have others.
const CACHE: &str = "max-age=300";

/// `GET /static/{name}`
pub async fn show(Path(name): Path<String>) -> Result<Response, PageError> {
    let (kind, text) = match name.as_str() {
        "style.css" => ("text/css; charset=utf-8", STYLE),
        "live.js" => ("text/javascript; charset=utf-8", SCRIPT),
        "favicon.svg" => ("image/svg+xml", ICON),
        _ => return Err(ApiError::not_found("file").into()),
    };
    let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, CACHE)];
    Ok((headers, text).into_response())
}

/// `GET /static/examples/{name}`
pub async fn show_example(Path(name): Path<String>) -> Result<Response, PageError> {
    let bytes = SubmissionExample::file(&name).ok_or_else(|| ApiError::not_found("file"))?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(FILE_POLICY)),
        (header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment")),
    ];
    Ok((headers, bytes).into_response())
}
