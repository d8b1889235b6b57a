//! Rights of requests.
//!
//! Programs send a token with each request (`Authorization: Bearer`). Browsers send the cookie of a login, which is not a
//! token and is accepted by pages alone. A server without tokens gives all rights to everybody who reaches it, and
//! therefore listens on this machine only.

use super::api_error::ApiError;
use super::app::App;
use crate::store::{AccessRights, Right};
use axum::http::{HeaderMap, StatusCode, header};

/// The name of the cookie of a login.
pub const LOGIN_COOKIE: &str = "wynot_login";

/// Where a request comes from, and its rights.
#[derive(Clone, Debug)]
pub struct Visitor {
    /// The name of the token; `None` if the server has no tokens.
    pub name: Option<String>,
    /// What is allowed.
    pub rights: AccessRights,
}

impl Visitor {
    /// Checks that a right is there.
    pub fn require(&self, right: Right) -> Result<(), ApiError> {
        if self.rights.has(right) {
            return Ok(());
        }
        let message = format!("this needs the right `{}`", right.name());
        Err(match &self.name {
            Some(name) => ApiError::new(StatusCode::FORBIDDEN, message)
                .hint(format!("token {name} has: {}", self.rights)),
            None => ApiError::new(StatusCode::UNAUTHORIZED, message)
                .hint("send a token: Authorization: Bearer wynot_..."),
        })
    }

    /// The name under which submissions are counted.
    pub fn submitter(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }
}

/// The visitor that a request to the interface for programs comes from.
pub async fn visitor_of_api(app: &App, headers: &HeaderMap) -> Result<Visitor, ApiError> {
    let Some(value) = headers.get(header::AUTHORIZATION) else {
        return anonymous(app).await;
    };
    let token = value
        .to_str()
        .ok()
        .and_then(|text| text.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, token)| token.trim().to_owned());
    let Some(token) = token else {
        let message = "the header Authorization has another form than: Bearer TOKEN";
        return Err(ApiError::new(StatusCode::UNAUTHORIZED, message));
    };
    match app.ask(move |store| store.token(&token)).await? {
        Some(row) => Ok(Visitor { name: Some(row.name), rights: row.rights }),
        None => Err(ApiError::new(StatusCode::UNAUTHORIZED, "the token is not known here")
            .hint("an administrator makes tokens: wynot serve token add NAME")),
    }
}

/// The visitor that a request for a page comes from.
pub async fn visitor_of_page(app: &App, headers: &HeaderMap) -> Result<Visitor, ApiError> {
    let Some(cookie) = login_cookie(headers) else { return anonymous(app).await };
    match app.ask(move |store| store.login(&cookie)).await? {
        Some(row) => Ok(Visitor { name: Some(row.name), rights: row.rights }),
        None => anonymous(app).await,
    }
}

/// The text of the login cookie of a request.
pub fn login_cookie(headers: &HeaderMap) -> Option<String> {
    let cookies = headers.get_all(header::COOKIE).into_iter().filter_map(|all| all.to_str().ok());
    let mut pairs =
        cookies.flat_map(|all| all.split(';')).filter_map(|one| one.trim().split_once('='));
    pairs.find(|(name, _)| *name == LOGIN_COOKIE).map(|(_, value)| value.to_owned())
}

/// What a request without a token may do.
async fn anonymous(app: &App) -> Result<Visitor, ApiError> {
    let has_tokens = app.ask(|store| Ok(!store.tokens()?.is_empty())).await?;
    let rights = if has_tokens { AccessRights::default() } else { AccessRights::all() };
    Ok(Visitor { name: None, rights })
}
