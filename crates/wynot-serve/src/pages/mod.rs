//! Pages for people: the queue, the form to submit, the page of each job, environments, and the login.
//!
//! Pages are complete without script; `live.js` only makes them follow what happens. All text of submitters is escaped by the
//! templates, and what cannot be seen is made visible ([`visible_text`]). Every form that changes something has a key of its
//! visitor ([`page_access`]). Not here: what requests mean, which is shared with the interface for programs in `http`.

pub mod answer_text;
pub mod answer_view;
pub mod environments_page;
pub mod form_fields;
pub mod job_page;
pub mod job_view;
pub mod login_page;
pub mod page_access;
pub mod page_error;
pub mod page_layout;
pub mod page_visitor;
pub mod progress_view;
pub mod queue_page;
pub mod repeat_command;
pub mod state_mark;
pub mod static_assets;
pub mod submission_examples;
pub mod submit_form;
pub mod submit_page;
pub mod visible_text;

use crate::http::api_error::ApiError;
use crate::http::app::App;
use axum::Router;
use axum::http::Uri;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use page_error::PageError;

/// The routes of pages, apart from the one to submit.
pub fn routes() -> Router<App> {
    Router::new()
        .route("/", get(queue_page::show))
        .route("/jobs/{id}", get(job_page::show))
        .route("/jobs/{id}/events", get(job_page::show_events))
        .route("/jobs/{id}/files/{*name}", get(job_page::show_file))
        .route("/jobs/{id}/submitted/{*name}", get(job_page::show_submitted))
        .route("/jobs/{id}/report", get(job_page::show_report))
        .route("/jobs/{id}/cancel", post(job_page::cancel_job))
        .route("/jobs/{id}/retry", post(job_page::retry_job))
        .route("/jobs/{id}/feedback", post(job_page::give_feedback))
        .route("/environments", get(environments_page::show).post(environments_page::save))
        .route("/login", get(login_page::show).post(login_page::log_in))
        .route("/logout", post(login_page::log_out))
        .route("/static/{name}", get(static_assets::show))
        .route("/static/examples/{name}", get(static_assets::show_example))
}

/// What is shown where nothing is: an object for programs, a page for people.
pub async fn not_found(uri: Uri) -> Response {
    match uri.path().starts_with("/api/") {
        true => ApiError::not_found("address").into_response(),
        false => PageError::from(ApiError::not_found("page")).into_response(),
    }
}
