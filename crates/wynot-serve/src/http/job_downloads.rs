//! Files of jobs as responses. Whatever is in them, browsers run nothing of it.

use super::api_error::ApiError;
use super::request_guard::FILE_POLICY;
use crate::store::check_file_name;
use crate::store::job_files::open_inside;
use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use std::io::Read;
use std::path::PathBuf;
use tokio_stream::wrappers::ReceiverStream;

/// The bytes of a file that are read at once, and the number of such pieces that wait for a slow client.
const CHUNK_BYTES: u64 = 64 << 10;
const BUFFERED_CHUNKS: usize = 4;

/// A file of a result, which a browser saves instead of showing it.
pub async fn file_response(directory: PathBuf, name: &str) -> Result<Response, ApiError> {
    check_file_name(name)?;
    let is_journal = name == "session" || name.starts_with("session/");
    if is_journal && directory.ends_with("out") {
        return Err(ApiError::not_found("file"));
    }
    let file = stream_inside(directory, name, "file").await?;
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
    Ok((headers, file).into_response())
}

/// A regular file of a job, which is read while it is sent.
async fn stream_inside(directory: PathBuf, name: &str, what: &str) -> Result<Body, ApiError> {
    let name = name.to_owned();
    let opened = tokio::task::spawn_blocking(move || open_inside(&directory, &name)).await;
    let Ok(Ok(mut file)) = opened else { return Err(ApiError::not_found(what)) };
    let (sender, receiver) = tokio::sync::mpsc::channel(BUFFERED_CHUNKS);
    tokio::task::spawn_blocking(move || {
        loop {
            let mut chunk = Vec::new();
            let read = (&mut file).take(CHUNK_BYTES).read_to_end(&mut chunk);
            let is_end = !matches!(read, Ok(bytes) if bytes > 0);
            let sent = match read {
                Ok(0) => return,
                Ok(_) => sender.blocking_send(Ok(chunk)),
                Err(error) => sender.blocking_send(Err(error)),
            };
            // An error means that the client is gone.
            if is_end || sent.is_err() {
                return;
            }
        }
    });
    Ok(Body::from_stream(ReceiverStream::new(receiver)))
}

/// A report. Whatever is in it, browsers run no script of it.
pub async fn report_response(path: PathBuf) -> Result<Response, ApiError> {
    let directory = path.parent().map(PathBuf::from).unwrap_or_default();
    let report = stream_inside(directory, "report.html", "report").await?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(FILE_POLICY)),
    ];
    Ok((headers, report).into_response())
}
