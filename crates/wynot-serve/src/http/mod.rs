//! The interface for programs, and what all requests have in common.
//!
//! Here: the routes ([`routes`]), rights ([`access`]), the requests for programs ([`api`], [`uploads`],
//! [`job_events`]), their description ([`openapi`]), and limits of requests. Not here: pages, which belong to `pages`.

pub mod access;
pub mod api;
pub mod api_administration;
pub mod api_error;
pub mod app;
pub mod job_downloads;
pub mod job_events;
pub mod job_json;
pub mod metrics;
pub mod openapi;
pub mod rate_limit;
pub mod request_guard;
pub mod routes;
pub mod time_text;
pub mod uploads;

pub use api_error::ApiError;
pub use app::App;
