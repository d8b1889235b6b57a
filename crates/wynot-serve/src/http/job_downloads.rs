//! Files of jobs as responses. Whatever is in them, browsers run nothing of it.

use super::api_error::ApiError;
use super::request_guard::FILE_POLICY;
use crate::store::check_file_name;
use crate::store::job_files::open_inside;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use std::io::Read;
use std::path::PathBuf;

/// The most bytes of a file that are sent.
const MAX_FILE_BYTES: u64 = 1 << 30;

/// A file of a result, which a browser saves instead of showing it.
pub async fn file_response(directory: PathBuf, name: &str) -> Result<Response, ApiError> {
    check_file_name(name)?;
    let is_journal = name == "session" || name.starts_with("session/");
    if is_journal && directory.ends_with("out") {
        return Err(ApiError::not_found("file"));
    }
    let bytes = read_inside(directory, name, "file").await?;
    let last = name.rsplit('/').next().unwrap_or(name);
    let safe: String = last
        .chars()
        .map(|c| if c.is_ascii_graphic() && !"\"\\;".contains(c) { c } else { '_' })
        .collect();
    let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{safe}\""))
        .unwrap_or(HeaderValue::from_static("attachment"));
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(FILE_POLICY)),
        (header::CONTENT_DISPOSITION, disposition),
    ];
    Ok((headers, bytes).into_response())
}

/// A regular file of a job.
async fn read_inside(directory: PathBuf, name: &str, what: &str) -> Result<Vec<u8>, ApiError> {
    let name = name.to_owned();
    let read = tokio::task::spawn_blocking(move || {
        let mut bytes = Vec::new();
        open_inside(&directory, &name)?.take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
        Ok::<_, std::io::Error>(bytes)
    });
    match read.await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => Err(ApiError::not_found(what)),
        Err(_) => Err(ApiError::internal("the request was interrupted")),
    }
}

/// A report. Whatever is in it, browsers run no script of it.
pub async fn report_response(path: PathBuf) -> Result<Response, ApiError> {
    let directory = path.parent().map(PathBuf::from).unwrap_or_default();
    let bytes = read_inside(directory, "report.html", "report").await?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(FILE_POLICY)),
    ];
    Ok((headers, bytes).into_response())
}
