//! The interface for programs: submit, look, follow, cancel, retry.

use super::access::{Visitor, visitor_of_api};
use super::api_error::ApiError;
use super::app::App;
use super::job_downloads::{file_response, report_response};
use super::job_events::{job_events, last_event_id};
use super::job_json::{JobDetails, job_object, job_summary, output_files};
use super::uploads::{accept, check_submitter, receive};
use crate::store::{Feedback, JobCode, JobFilter, JobState, Right, ServedJob, now};
use axum::Json;
use axum::extract::multipart::MultipartRejection;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{Multipart, Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// The number of jobs in a list, unless more or fewer are requested.
const DEFAULT_LIST_LENGTH: usize = 50;

/// The most jobs in a list.
const MAX_LIST_LENGTH: usize = 500;

/// The most other jobs about the same failure that are shown.
pub const MAX_DUPLICATES: usize = 20;

/// The most characters of a comment.
const MAX_COMMENT_LENGTH: usize = 10_000;

/// Which jobs to list.
#[derive(Debug, Default, Deserialize)]
pub struct ListQuery {
    /// Those of a project.
    pub project: Option<String>,
    /// Those in a state.
    pub state: Option<String>,
    /// Those about a failure.
    pub failure: Option<String>,
    /// Those with a text.
    pub q: Option<String>,
    /// Those before a number.
    pub before: Option<i64>,
    /// At most so many.
    pub limit: Option<usize>,
}

impl ListQuery {
    /// The filter of a query. Parameters that are empty, as forms send them, are not there.
    pub fn filter(&self) -> Result<JobFilter, ApiError> {
        let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        let state = match given(&self.state) {
            None => None,
            Some(name) => Some(JobState::of_name(&name).ok_or_else(|| {
                ApiError::bad_request(format!("{name:?} is not a state"))
                    .hint("the states are queued, running, done, failed and cancelled")
            })?),
        };
        let limit = self.limit.unwrap_or(DEFAULT_LIST_LENGTH);
        if !(1..=MAX_LIST_LENGTH).contains(&limit) {
            let message = format!("limit is {limit}, and can be from 1 to {MAX_LIST_LENGTH}");
            return Err(ApiError::bad_request(message));
        }
        Ok(JobFilter {
            project: given(&self.project),
            state,
            failure: given(&self.failure),
            text: given(&self.q),
            before: self.before,
            limit,
        })
    }
}

/// A job that exists.
pub async fn find_job(app: &App, code: &str) -> Result<ServedJob, ApiError> {
    let code: JobCode = code.parse().map_err(|()| ApiError::not_found("job"))?;
    let found = app.ask(move |store| store.job(&code)).await?;
    found.ok_or_else(|| ApiError::not_found("job"))
}

/// Everything about a job.
pub async fn details(app: &App, job: &ServedJob) -> Result<JobDetails, ApiError> {
    let (context, job) = (Arc::clone(&app.context), job.clone());
    let live = app.live.view(&job.code).filter(|view| view.attempt > 0);
    app.blocking(move || {
        let store = &context.store;
        let environment = match &job.submission.environment {
            Some(name) => store.environment(name, job.environment_version)?.map(|found| found.0),
            None => None,
        };
        Ok(JobDetails {
            environment,
            live,
            position: match job.state {
                JobState::Queued => Some(store.count_before(job.number)?),
                _ => None,
            },
            duplicates: store.duplicates(&job, MAX_DUPLICATES)?,
            outputs: output_files(&context.data.job(&job.code)),
        })
    })
    .await
}

async fn reader(app: &App, headers: &HeaderMap) -> Result<Visitor, ApiError> {
    let visitor = visitor_of_api(app, headers).await?;
    visitor.require(Right::Read)?;
    Ok(visitor)
}

/// `GET /api/v1/jobs`
pub async fn list_jobs(
    State(app): State<App>,
    headers: HeaderMap,
    query: Result<Query<ListQuery>, QueryRejection>,
) -> Result<Json<Value>, ApiError> {
    reader(&app, &headers).await?;
    let Query(query) = query.map_err(|error| ApiError::bad_request(error.body_text()))?;
    let filter = query.filter()?;
    let jobs = app.ask(move |store| store.jobs(&filter)).await?;
    Ok(Json(json!({"jobs": jobs.iter().map(job_summary).collect::<Vec<_>>()})))
}

/// `POST /api/v1/jobs`
pub async fn submit_job(
    State(app): State<App>,
    headers: HeaderMap,
    form: Result<Multipart, MultipartRejection>,
) -> Result<Response, ApiError> {
    let visitor = visitor_of_api(&app, &headers).await?;
    check_submitter(&app, &visitor).await?;
    let form = form.map_err(|error| {
        ApiError::unreadable(error.status(), error.body_text())
            .hint("a submission is multipart/form-data with a part `request` in JSON, and files")
    })?;
    let upload = receive(&app, form).await?;
    let request = upload.text("request").ok_or_else(|| {
        ApiError::bad_request("the part `request` is missing")
            .hint("it is a JSON object with a verb")
    })?;
    let submission = serde_json::from_str(request)
        .map_err(|error| ApiError::bad_request(format!("the part `request`: {error}")))?;
    let key = headers.get("idempotency-key").and_then(|key| key.to_str().ok());
    let code = accept(&app, &visitor, upload, submission, key.map(str::to_owned)).await?;
    let job = find_job(&app, code.as_str()).await?;
    let location = format!("/api/v1/jobs/{code}");
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(job_summary(&job)))
        .into_response())
}

/// `GET /api/v1/jobs/{id}`
pub async fn show_job(
    State(app): State<App>,
    headers: HeaderMap,
    Path(code): Path<String>,
) -> Result<Json<Value>, ApiError> {
    reader(&app, &headers).await?;
    let job = find_job(&app, &code).await?;
    Ok(Json(job_object(&job, &details(&app, &job).await?)))
}

/// The place from which events are wanted.
#[derive(Debug, Deserialize)]
pub struct EventsQuery {
    /// The id of the last event that was seen.
    pub from: Option<String>,
}

/// `GET /api/v1/jobs/{id}/events`
pub async fn show_events(
    State(app): State<App>,
    headers: HeaderMap,
    Path(code): Path<String>,
    Query(query): Query<EventsQuery>,
) -> Result<Response, ApiError> {
    reader(&app, &headers).await?;
    let job = find_job(&app, &code).await?;
    let from = last_event_id(&headers, query.from.as_deref());
    Ok(job_events(&app, job.code, from).into_response())
}

/// `GET /api/v1/jobs/{id}/result`
pub async fn show_result(
    State(app): State<App>,
    headers: HeaderMap,
    Path(code): Path<String>,
) -> Result<Response, ApiError> {
    reader(&app, &headers).await?;
    let job = find_job(&app, &code).await?;
    match job.result {
        Some(result) => Ok(Json(result).into_response()),
        None if job.state.is_ended() => {
            let message = job.message.unwrap_or_else(|| "the job has no result".to_owned());
            Err(ApiError::new(StatusCode::NOT_FOUND, message))
        }
        None => Err(ApiError::new(StatusCode::CONFLICT, "the job has not ended")
            .hint("GET …/events follows it to its end")),
    }
}

/// `GET /api/v1/jobs/{id}/files/{name}`
pub async fn show_file(
    State(app): State<App>,
    headers: HeaderMap,
    Path((code, name)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    reader(&app, &headers).await?;
    let job = find_job(&app, &code).await?;
    file_response(app.context.data.job(&job.code).out(), &name).await
}

/// `GET /api/v1/jobs/{id}/report`
pub async fn show_report(
    State(app): State<App>,
    headers: HeaderMap,
    Path(code): Path<String>,
) -> Result<Response, ApiError> {
    reader(&app, &headers).await?;
    let job = find_job(&app, &code).await?;
    report_response(app.context.data.job(&job.code).report()).await
}

/// Cancels a job, and returns its state.
pub async fn cancel(app: &App, code: &str) -> Result<JobState, ApiError> {
    let job = find_job(app, code).await?;
    let code = job.code.clone();
    let state = app.ask(move |store| store.cancel(&code)).await?;
    let state = state.ok_or_else(|| ApiError::not_found("job"))?;
    app.live.notify(&job.code);
    Ok(state)
}

/// Retries a job.
pub async fn retry(app: &App, code: &str) -> Result<(), ApiError> {
    let job = find_job(app, code).await?;
    let code = job.code.clone();
    if !app.ask(move |store| store.retry(&code)).await? {
        return Err(ApiError::new(StatusCode::CONFLICT, "the job has not ended"));
    }
    app.bell.ring();
    Ok(())
}

/// `POST /api/v1/jobs/{id}/cancel`
pub async fn cancel_job(
    State(app): State<App>,
    headers: HeaderMap,
    Path(code): Path<String>,
) -> Result<Json<Value>, ApiError> {
    visitor_of_api(&app, &headers).await?.require(Right::Submit)?;
    Ok(Json(json!({"state": cancel(&app, &code).await?})))
}

/// `POST /api/v1/jobs/{id}/retry`
pub async fn retry_job(
    State(app): State<App>,
    headers: HeaderMap,
    Path(code): Path<String>,
) -> Result<Json<Value>, ApiError> {
    visitor_of_api(&app, &headers).await?.require(Right::Submit)?;
    retry(&app, &code).await?;
    Ok(Json(json!({"state": JobState::Queued})))
}

/// Feedback on an answer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeedbackBody {
    /// Whether it helped.
    pub helped: bool,
    /// A comment.
    #[serde(default)]
    pub comment: String,
}

/// Adds feedback to a job.
pub async fn add_feedback(
    app: &App,
    visitor: &Visitor,
    code: &str,
    body: FeedbackBody,
) -> Result<(), ApiError> {
    if body.comment.chars().count() > MAX_COMMENT_LENGTH {
        let message = format!("a comment has at most {MAX_COMMENT_LENGTH} characters");
        return Err(ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, message));
    }
    let job = find_job(app, code).await?;
    let FeedbackBody { helped, comment } = body;
    let feedback = Feedback { helped, comment, author: visitor.name.clone(), given: now() };
    app.ask(move |store| store.add_feedback(&job.code, &feedback)).await
}

/// `POST /api/v1/jobs/{id}/feedback`
pub async fn give_feedback(
    State(app): State<App>,
    headers: HeaderMap,
    Path(code): Path<String>,
    body: Result<Json<FeedbackBody>, JsonRejection>,
) -> Result<StatusCode, ApiError> {
    let visitor = visitor_of_api(&app, &headers).await?;
    visitor.require(Right::Submit)?;
    let Json(body) =
        body.map_err(|error| ApiError::unreadable(error.status(), error.body_text()))?;
    add_feedback(&app, &visitor, &code, body).await?;
    Ok(StatusCode::NO_CONTENT)
}
