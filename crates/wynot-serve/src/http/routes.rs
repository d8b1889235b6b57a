//! Which request leads where.

use super::access::visitor_of_api;
use super::api;
use super::api_administration;
use super::api_error::ApiError;
use super::app::App;
use super::openapi::OPENAPI;
use super::request_guard::guard;
use crate::pages;
use crate::store::Right;
use axum::Router;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The routes of the interface for programs, as its description names them.
pub const API_ROUTES: [&str; 14] = [
    "/api/v1/jobs",
    "/api/v1/jobs/{id}",
    "/api/v1/jobs/{id}/events",
    "/api/v1/jobs/{id}/result",
    "/api/v1/jobs/{id}/report",
    "/api/v1/jobs/{id}/files/{name}",
    "/api/v1/jobs/{id}/cancel",
    "/api/v1/jobs/{id}/retry",
    "/api/v1/jobs/{id}/feedback",
    "/api/v1/environments",
    "/api/v1/environments/{name}",
    "/api/v1/projects/{project}/webhook",
    "/healthz",
    "/readyz",
];

/// The most bytes of a request that is not a submission.
const MAX_BODY_BYTES: usize = 1 << 20;

/// All routes.
pub fn routes(app: &App) -> Router {
    // Submissions are limited while they are read, because a browser should get a message.
    let uploads = Router::new()
        .route("/api/v1/jobs", get(api::list_jobs).post(api::submit_job))
        .route("/submit", get(pages::submit_page::show).post(pages::submit_page::submit))
        .layer(DefaultBodyLimit::disable());
    let others = Router::new()
        .route("/api/v1/jobs/{id}", get(api::show_job))
        .route("/api/v1/jobs/{id}/events", get(api::show_events))
        .route("/api/v1/jobs/{id}/result", get(api::show_result))
        .route("/api/v1/jobs/{id}/report", get(api::show_report))
        .route("/api/v1/jobs/{id}/files/{*name}", get(api::show_file))
        .route("/api/v1/jobs/{id}/cancel", post(api::cancel_job))
        .route("/api/v1/jobs/{id}/retry", post(api::retry_job))
        .route("/api/v1/jobs/{id}/feedback", post(api::give_feedback))
        .route("/api/v1/environments", get(api_administration::list_environments))
        .route("/api/v1/environments/{name}", put(api_administration::put_environment))
        .route("/api/v1/projects/{project}/webhook", put(api_administration::put_webhook))
        .route("/api/v1/openapi.json", get(show_description))
        .route("/healthz", get(show_health))
        .route("/readyz", get(show_readiness))
        .route("/metrics", get(show_metrics))
        .merge(pages::routes())
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES));
    uploads
        .merge(others)
        .fallback(pages::not_found)
        .layer(from_fn_with_state(app.clone(), guard))
        .with_state(app.clone())
}

async fn show_description() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], OPENAPI).into_response()
}

/// The server is alive.
async fn show_health() -> &'static str {
    "ok\n"
}

/// The server accepts jobs: its database answers, and it does not stop.
async fn show_readiness(State(app): State<App>) -> Result<&'static str, ApiError> {
    if app.context.is_stopping.load(Ordering::Relaxed) {
        return Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "the server stops"));
    }
    app.ask(|store| store.count_states()).await?;
    Ok("ready\n")
}

async fn show_metrics(State(app): State<App>, headers: HeaderMap) -> Result<Response, ApiError> {
    visitor_of_api(&app, &headers).await?.require(Right::Administer)?;
    let (context, metrics) = (Arc::clone(&app.context), Arc::clone(&app.metrics));
    let text = app.blocking(move || metrics.text(&context)).await?;
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response())
}
