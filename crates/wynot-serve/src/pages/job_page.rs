//! The page of a job, and what can be done on it.

use super::answer_view::shown_files;
use super::form_fields::FormFields;
use super::job_view::{JobContents, job_body};
use super::page_error::PageError;
use super::page_layout::{PageFrame, page};
use super::page_visitor::PageVisitor;
use super::repeat_command::{SubmittedFile, submitted_files};
use super::state_mark::job_title;
use crate::http::api::{EventsQuery, FeedbackBody, add_feedback, cancel, details, find_job, retry};
use crate::http::api_error::ApiError;
use crate::http::app::App;
use crate::http::job_downloads::{file_response, report_response};
use crate::http::job_events::{job_events, last_event_id};
use crate::http::job_json::JobDetails;
use crate::store::job_files::open_plain;
use crate::store::{Feedback, JobDirectory, Right, ServedJob};
use axum::extract::multipart::MultipartRejection;
use axum::extract::{Multipart, Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Html, IntoResponse, Redirect, Response};
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

/// The seconds after which the page of a job that has not ended is loaded again without script.
const REFRESH_SECONDS: u32 = 3;

/// The most lines of messages in a page.
const MAX_MESSAGES: usize = 30;

/// The most bytes at the end of the messages that are read.
const MAX_MESSAGE_BYTES: u64 = 20_000;

/// The form of a page, which may not be one.
type Form = Result<Multipart, MultipartRejection>;

/// `GET /jobs/{id}`
pub async fn show(
    State(app): State<App>,
    visitor: PageVisitor,
    Path(code): Path<String>,
) -> Result<Html<String>, PageError> {
    visitor.require(Right::Read)?;
    let job = find_job(&app, &code).await?;
    let details = details(&app, &job).await?;
    let contents = read_contents(&app, job, details).await?;
    let frame = PageFrame::plain(&job_title(&contents.job))
        .refreshed((!contents.job.state.is_ended()).then_some(REFRESH_SECONDS));
    Ok(page(&frame, Some(&visitor), &job_body(&contents, &visitor)))
}

/// Reads what a page shows besides the row of the job.
async fn read_contents(
    app: &App,
    job: ServedJob,
    details: JobDetails,
) -> Result<JobContents, PageError> {
    let context = Arc::clone(&app.context);
    let contents = app.blocking(move || {
        let directory = context.data.job(&job.code);
        let feedback: Vec<Feedback> = context.store.feedback(&job.code)?;
        let submitted: Vec<SubmittedFile> = submitted_files(&directory.work(), &job);
        Ok(JobContents {
            files: shown_files(&directory.out(), &details),
            messages: last_messages(&directory, job.attempts),
            has_report: open_plain(&directory.report()).is_ok(),
            feedback,
            submitted,
            job,
            details,
        })
    });
    Ok(contents.await?)
}

/// The last lines of the messages of a job.
fn last_messages(directory: &JobDirectory, attempt: i64) -> Vec<String> {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = open_plain(&directory.messages(attempt))?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(MAX_MESSAGE_BYTES)))?;
        let mut bytes = Vec::new();
        file.take(MAX_MESSAGE_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let first = lines.len().saturating_sub(MAX_MESSAGES);
    lines[first..]
        .iter()
        .map(|line| line.strip_prefix("wynot: ").unwrap_or(line).to_owned())
        .collect()
}

/// `GET /jobs/{id}/events`
pub async fn show_events(
    State(app): State<App>,
    visitor: PageVisitor,
    headers: HeaderMap,
    Path(code): Path<String>,
    Query(query): Query<EventsQuery>,
) -> Result<Response, PageError> {
    visitor.require(Right::Read)?;
    let job = find_job(&app, &code).await?;
    let from = last_event_id(&headers, query.from.as_deref());
    Ok(job_events(&app, job.code, from).into_response())
}

/// `GET /jobs/{id}/files/{name}`
pub async fn show_file(
    State(app): State<App>,
    visitor: PageVisitor,
    Path((code, name)): Path<(String, String)>,
) -> Result<Response, PageError> {
    visitor.require(Right::Read)?;
    let job = find_job(&app, &code).await?;
    Ok(file_response(app.context.data.job(&job.code).out(), &name).await?)
}

/// `GET /jobs/{id}/submitted/{name}`
pub async fn show_submitted(
    State(app): State<App>,
    visitor: PageVisitor,
    Path((code, name)): Path<(String, String)>,
) -> Result<Response, PageError> {
    visitor.require(Right::Read)?;
    let job = find_job(&app, &code).await?;
    // What the job itself has written there is not what was submitted.
    if !job.submission.files.iter().any(|file| file.name == name) {
        return Err(ApiError::not_found("file").into());
    }
    Ok(file_response(app.context.data.job(&job.code).work(), &name).await?)
}

/// `GET /jobs/{id}/report`
pub async fn show_report(
    State(app): State<App>,
    visitor: PageVisitor,
    Path(code): Path<String>,
) -> Result<Response, PageError> {
    visitor.require(Right::Read)?;
    let job = find_job(&app, &code).await?;
    Ok(report_response(app.context.data.job(&job.code).report()).await?)
}

/// `POST /jobs/{id}/cancel`
pub async fn cancel_job(
    State(app): State<App>,
    visitor: PageVisitor,
    Path(code): Path<String>,
    form: Form,
) -> Result<Redirect, PageError> {
    visitor.require(Right::Submit)?;
    FormFields::read(&visitor, form).await?;
    cancel(&app, &code).await?;
    Ok(Redirect::to(&format!("/jobs/{code}")))
}

/// `POST /jobs/{id}/retry`
pub async fn retry_job(
    State(app): State<App>,
    visitor: PageVisitor,
    Path(code): Path<String>,
    form: Form,
) -> Result<Redirect, PageError> {
    visitor.require(Right::Submit)?;
    FormFields::read(&visitor, form).await?;
    retry(&app, &code).await?;
    Ok(Redirect::to(&format!("/jobs/{code}")))
}

/// `POST /jobs/{id}/feedback`
pub async fn give_feedback(
    State(app): State<App>,
    visitor: PageVisitor,
    Path(code): Path<String>,
    form: Form,
) -> Result<Redirect, PageError> {
    visitor.require(Right::Submit)?;
    let fields = FormFields::read(&visitor, form).await?;
    let helped = match fields.trimmed("helped") {
        "yes" => true,
        "no" => false,
        _ => {
            let message = "the feedback does not say whether the answer helped";
            return Err(PageError::new(StatusCode::UNPROCESSABLE_ENTITY, message)
                .hint("go back and choose yes or no"));
        }
    };
    let comment = fields.trimmed("comment").to_owned();
    add_feedback(&app, &visitor.visitor, &code, FeedbackBody { helped, comment }).await?;
    Ok(Redirect::to(&format!("/jobs/{code}#feedback")))
}
