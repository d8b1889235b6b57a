//! Logging in with a token, and logging out.

use super::form_fields::FormFields;
use super::page_error::{PageError, sentence};
use super::page_layout::{PageFrame, form_key, page};
use super::page_visitor::{PageVisitor, local_address};
use crate::http::access::{LOGIN_COOKIE, login_cookie};
use crate::http::api_error::ApiError;
use crate::http::app::App;
use axum::extract::multipart::MultipartRejection;
use axum::extract::{Multipart, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use maud::html;
use serde::Deserialize;

/// The seconds that a browser keeps the cookie: as long as a login lasts.
const COOKIE_SECONDS: u32 = 7 * 24 * 3600;

/// Where a login leads.
#[derive(Debug, Deserialize)]
pub struct LoginQuery {
    next: Option<String>,
}

/// `GET /login`
pub async fn show(visitor: PageVisitor, Query(query): Query<LoginQuery>) -> Html<String> {
    login_form(&visitor, &local_address(query.next.as_deref()), None)
}

fn login_form(visitor: &PageVisitor, next: &str, error: Option<&str>) -> Html<String> {
    let body = html! {
        h1 { "Log in" }
        @if visitor.is_open() {
            p.lead { "This server has no tokens: everybody who reaches it may do everything." }
            p { a href=(next) { "Go on" } }
        } @else {
            p.lead { "Paste your token. An administrator makes one with " code { "wynot serve token add NAME" } "." }
            @if let Some(error) = error { div.error role="alert" { p { strong { (sentence(error)) } } } }
            form.stacked.narrow method="post" action="/login" enctype="multipart/form-data" {
                (form_key(visitor))
                input type="hidden" name="next" value=(next);
                label { span { "Token" }
                    input.code type="password" name="token" required autocomplete="current-password" placeholder="wynot_…"; }
                button type="submit" { "Log in" }
            }
        }
    };
    page(&PageFrame::plain("Log in"), Some(visitor), &body)
}

/// `POST /login`
pub async fn log_in(
    State(app): State<App>,
    visitor: PageVisitor,
    form: Result<Multipart, MultipartRejection>,
) -> Result<Response, PageError> {
    let fields = FormFields::read(&visitor, form).await?;
    let next = local_address(fields.get("next"));
    let token = fields.trimmed("token").to_owned();
    let found = app.ask(move |store| store.token(&token)).await?;
    let Some(row) = found else {
        let shown = login_form(&visitor, &next, Some("the token is not known here"));
        return Ok((StatusCode::UNPROCESSABLE_ENTITY, shown).into_response());
    };
    let cookie = app.ask(move |store| store.add_login(&row.name)).await?;
    redirect(&app, &next, &cookie, COOKIE_SECONDS)
}

/// `POST /logout`
pub async fn log_out(
    State(app): State<App>,
    visitor: PageVisitor,
    headers: HeaderMap,
    form: Result<Multipart, MultipartRejection>,
) -> Result<Response, PageError> {
    FormFields::read(&visitor, form).await?;
    if let Some(cookie) = login_cookie(&headers) {
        app.ask(move |store| store.remove_login(&cookie)).await?;
    }
    redirect(&app, "/login", "", 0)
}

/// Leads to another page with another cookie.
fn redirect(app: &App, next: &str, cookie: &str, seconds: u32) -> Result<Response, PageError> {
    let public = app.context.config.public_url.as_deref().unwrap_or_default();
    let secure = if public.starts_with("https://") { "; Secure" } else { "" };
    let cookie = format!(
        "{LOGIN_COOKIE}={cookie}; HttpOnly; SameSite=Strict; Path=/; Max-Age={seconds}{secure}"
    );
    let cookie = HeaderValue::from_str(&cookie)
        .map_err(|_| ApiError::internal("the cookie cannot be a header"))?;
    let mut response = Redirect::to(next).into_response();
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    Ok(response)
}
