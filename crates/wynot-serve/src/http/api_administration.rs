//! The interface for programs that administer a server: environments and webhooks.

use super::access::visitor_of_api;
use super::api_error::ApiError;
use super::app::App;
use crate::store::{Right, TestEnvironment};
use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};

/// `GET /api/v1/environments`
pub async fn list_environments(
    State(app): State<App>,
    headers: HeaderMap,
) -> Result<Json<Value>, ApiError> {
    visitor_of_api(&app, &headers).await?.require(Right::Read)?;
    let environments = app.ask(|store| store.environments()).await?;
    let objects = environments
        .iter()
        .map(|(environment, version)| json!({"version": version, "environment": environment}));
    Ok(Json(json!({"environments": objects.collect::<Vec<_>>()})))
}

/// `PUT /api/v1/environments/{name}`
pub async fn put_environment(
    State(app): State<App>,
    headers: HeaderMap,
    Path(name): Path<String>,
    body: Result<Json<TestEnvironment>, JsonRejection>,
) -> Result<Json<Value>, ApiError> {
    let visitor = visitor_of_api(&app, &headers).await?;
    visitor.require(Right::Administer)?;
    let Json(environment) =
        body.map_err(|error| ApiError::unreadable(error.status(), error.body_text()))?;
    if environment.name != name {
        return Err(ApiError::bad_request(
            "the name in the address and the one in the object differ",
        ));
    }
    environment
        .check()
        .map_err(|error| ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, error.to_string()))?;
    let version =
        app.ask(move |store| store.add_environment(&environment, visitor.name.as_deref())).await?;
    Ok(Json(json!({"name": name, "version": version})))
}

/// The webhook of a project.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WebhookBody {
    /// The address; none to remove it.
    pub url: Option<String>,
}

/// `PUT /api/v1/projects/{project}/webhook`
pub async fn put_webhook(
    State(app): State<App>,
    headers: HeaderMap,
    Path(project): Path<String>,
    body: Result<Json<WebhookBody>, JsonRejection>,
) -> Result<StatusCode, ApiError> {
    visitor_of_api(&app, &headers).await?.require(Right::Administer)?;
    let Json(body) =
        body.map_err(|error| ApiError::unreadable(error.status(), error.body_text()))?;
    let is_http = |url: &String| url.starts_with("http://") || url.starts_with("https://");
    if !body.url.as_ref().is_none_or(is_http) {
        return Err(ApiError::bad_request("a webhook is an address with http:// or https://"));
    }
    app.ask(move |store| store.set_webhook(&project, body.url.as_deref())).await?;
    Ok(StatusCode::NO_CONTENT)
}
