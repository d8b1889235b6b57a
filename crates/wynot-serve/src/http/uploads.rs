//! Submissions as they arrive: a form of several parts, whose files are written to disk as they come.

use super::access::Visitor;
use super::api_error::ApiError;
use super::app::App;
use crate::store::check_file_name;
use crate::store::{
    BadSubmission, FileRole, IncomingDirectory, JobCode, Right, Submission, TestEnvironment,
    UploadedFile,
};
use axum::extract::Multipart;
use axum::extract::multipart::{Field, MultipartError};
use axum::http::StatusCode;
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use tokio::io::AsyncWriteExt;

/// The most bytes of a part that is not a file.
const MAX_FIELD_BYTES: usize = 1 << 20;

/// The most files of a submission.
const MAX_FILES: usize = 2000;

/// The first bytes of programs.
const PROGRAM_STARTS: [&[u8]; 2] = [b"#!", b"\x7fELF"];

/// The parts of a form: texts by name, and files in a directory.
#[derive(Debug)]
pub struct Upload {
    /// The directory with the files.
    pub directory: Arc<IncomingDirectory>,
    /// The code that the job will have.
    pub code: JobCode,
    /// The texts, in their order.
    pub fields: Vec<(String, String)>,
    /// The files.
    pub files: Vec<UploadedFile>,
}

impl Upload {
    /// The first text with a name, unless it is empty.
    pub fn text(&self, name: &str) -> Option<&str> {
        let mut texts = self.fields.iter().filter(|(other, _)| other == name);
        texts.next().map(|(_, text)| text.as_str()).filter(|text| !text.is_empty())
    }

    /// Makes a file with a name that was checked.
    pub async fn create_file(&self, app: &App, name: &str) -> Result<tokio::fs::File, ApiError> {
        let (directory, name) = (Arc::clone(&self.directory), name.to_owned());
        let create = move || match directory.create_file(&name) {
            Ok(file) => Ok(tokio::fs::File::from_std(file)),
            Err(error) if is_taken(&error) => Err(BadSubmission::SameName(name).into()),
            Err(error) => Err(error.into()),
        };
        app.blocking(create).await
    }
}

/// Whether a file cannot be made because another one has its name or the name of its directory.
fn is_taken(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::AlreadyExists | ErrorKind::NotADirectory | ErrorKind::IsADirectory
    )
}

/// Checks that a visitor may submit now.
pub async fn check_submitter(app: &App, visitor: &Visitor) -> Result<(), ApiError> {
    visitor.require(Right::Submit)?;
    if let Err(seconds) = app.rate_limit.take(visitor.submitter(), Instant::now()) {
        let mut error =
            ApiError::new(StatusCode::TOO_MANY_REQUESTS, "there are too many submissions at once");
        error.retry_after = Some(seconds);
        return Err(error);
    }
    let (name, max) = (visitor.name.clone(), app.context.config.max_queued);
    let queued = app.ask(move |store| store.count_queued(name.as_deref())).await?;
    if queued >= max {
        let message = format!("{queued} jobs of this submitter wait already, the most allowed");
        let mut error = ApiError::new(StatusCode::TOO_MANY_REQUESTS, message);
        error.retry_after = Some(60);
        return Err(error);
    }
    Ok(())
}

/// Reads a form.
pub async fn receive(app: &App, mut form: Multipart) -> Result<Upload, ApiError> {
    let code = JobCode::random();
    let data = Arc::clone(&app.context);
    let incoming = code.clone();
    let directory = app.blocking(move || Ok(data.data.new_incoming(&incoming)?)).await?;
    let directory = Arc::new(directory);
    let mut upload = Upload { directory, code, fields: Vec::new(), files: Vec::new() };
    let mut left = app.context.config.max_upload_bytes;
    while let Some(field) = form.next_field().await.map_err(bad_form)? {
        let name = field.name().unwrap_or_default().to_owned();
        match (field.file_name().map(str::to_owned), FileRole::of_name(&name)) {
            // Browsers send a file without a name and without contents where none was chosen.
            (Some(file_name), Some(_)) if file_name.is_empty() => {}
            (Some(file_name), Some(role)) => {
                receive_file(app, &mut upload, field, role, &file_name, &mut left).await?;
            }
            (Some(_), None) => {
                let message = format!("{name:?} is not the name of a part with a file");
                return Err(ApiError::bad_request(message)
                    .hint("the names are input, passing, good, bad, repository and file"));
            }
            (None, _) => {
                let text = receive_text(field, &name, &mut left, app).await?;
                upload.fields.push((name, text));
            }
        }
    }
    Ok(upload)
}

async fn receive_text(
    mut field: Field<'_>,
    name: &str,
    left: &mut u64,
    app: &App,
) -> Result<String, ApiError> {
    let mut text = Vec::new();
    while let Some(chunk) = field.chunk().await.map_err(bad_form)? {
        spend(left, chunk.len(), app)?;
        text.extend_from_slice(&chunk);
        if text.len() > MAX_FIELD_BYTES {
            let message = format!("part {name:?} has more than {MAX_FIELD_BYTES} bytes");
            return Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, message));
        }
    }
    String::from_utf8(text)
        .map_err(|_| ApiError::bad_request(format!("part {name:?} is not UTF-8")))
}

async fn receive_file(
    app: &App,
    upload: &mut Upload,
    mut field: Field<'_>,
    role: FileRole,
    name: &str,
    left: &mut u64,
) -> Result<(), ApiError> {
    check_file_name(name)?;
    let has_prefix =
        |other: &str| other.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'));
    if upload.files.iter().any(|file| file.name == name || has_prefix(&file.name)) {
        return Err(BadSubmission::SameName(name.to_owned()).into());
    }
    if upload.files.len() >= MAX_FILES {
        let message = format!("there are more than {MAX_FILES} files");
        return Err(
            ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, message).hint("put them into an archive")
        );
    }
    let path = upload.directory.work().join(name);
    let mut file = upload.create_file(app, name).await?;
    let (mut bytes, mut start) = (0, Vec::new());
    while let Some(chunk) = field.chunk().await.map_err(bad_form)? {
        spend(left, chunk.len(), app)?;
        let first_bytes = 4_usize.saturating_sub(start.len()).min(chunk.len());
        start.extend_from_slice(&chunk[..first_bytes]);
        bytes += chunk.len() as u64;
        file.write_all(&chunk).await?;
    }
    file.flush().await?;
    set_mode(&path, PROGRAM_STARTS.iter().any(|first| start.starts_with(first))).await?;
    upload.files.push(UploadedFile { role, name: name.to_owned(), bytes });
    Ok(())
}

/// Programs can be run; everything else cannot.
async fn set_mode(path: &Path, is_program: bool) -> Result<(), ApiError> {
    let mode = if is_program { 0o755 } else { 0o644 };
    Ok(tokio::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).await?)
}

fn spend(left: &mut u64, bytes: usize, app: &App) -> Result<(), ApiError> {
    match left.checked_sub(bytes as u64) {
        Some(rest) => {
            *left = rest;
            Ok(())
        }
        None => {
            let max = app.context.config.max_upload_bytes;
            let message = format!("the submission has more than {max} bytes, the most allowed");
            Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, message))
        }
    }
}

/// The error about a form that cannot be read.
pub fn bad_form(error: MultipartError) -> ApiError {
    ApiError::unreadable(error.status(), error.body_text())
}

/// Checks a complete submission and makes it a job. Returns its code.
pub async fn accept(
    app: &App,
    visitor: &Visitor,
    upload: Upload,
    mut submission: Submission,
    key: Option<String>,
) -> Result<JobCode, ApiError> {
    submission.files = upload.files.clone();
    let environment: Option<(TestEnvironment, i64)> = match submission.environment.clone() {
        Some(name) => app.ask(move |store| store.environment(&name, None)).await?,
        None => None,
    };
    let needs_commands = submission.check(environment.as_ref().map(|(known, _)| known))?;
    if needs_commands {
        visitor.require(Right::Commands)?;
    }
    let (context, code) = (Arc::clone(&app.context), upload.code.clone());
    let incoming = Arc::clone(&upload.directory);
    let submitter = visitor.name.clone();
    let accepted = app
        .blocking(move || {
            // The files come first: a job in the database always has its files.
            context.data.accept_incoming(&incoming, &code)?;
            let version = environment.map(|(_, version)| version);
            let added = context.store.add_job(
                &code,
                &submission,
                version,
                submitter.as_deref(),
                key.as_deref(),
            );
            if !added.as_ref().is_ok_and(|known| *known == code) {
                context.data.remove_job(&code)?;
            }
            Ok(added?)
        })
        .await?;
    app.metrics.count_submission();
    app.bell.ring();
    Ok(accepted)
}
