//! What holds for every request: which addresses it may name, which pages may have sent it, and what browsers may do with the
//! response.

use super::api_error::ApiError;
use super::app::App;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::IpAddr;

/// What pages may load: their own style, script and images, and nothing from elsewhere.
pub const PAGE_POLICY: &str = "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; img-src 'self' data:; \
     connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// What reports and files of jobs may do: show themselves.
pub const FILE_POLICY: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'";

/// Checks a request, and adds headers to the response.
pub async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    let checked = check_host(&app, request.headers())
        .and_then(|()| check_origin(request.method(), request.headers()));
    let has_body = !matches!(*request.method(), Method::GET | Method::HEAD);
    let mut response = match checked {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    };
    app.metrics.count_response(response.status().as_u16());
    let is_refused = response.status().is_client_error();
    let headers = response.headers_mut();
    if has_body && is_refused {
        // What is left of the body is not read, so the connection ends, and clients should know.
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    let mut add = |name: header::HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    add(header::CONTENT_SECURITY_POLICY, PAGE_POLICY);
    add(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    add(header::X_FRAME_OPTIONS, "DENY");
    add(header::REFERRER_POLICY, "same-origin");
    add(header::CACHE_CONTROL, "no-store");
    response
}

/// A page elsewhere can let its own name point to this machine, and would then be of the same origin. So only names that
/// belong to this server are answered.
fn check_host(app: &App, headers: &HeaderMap) -> Result<(), ApiError> {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host_name(host);
    let is_literal = name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
    let public = app.context.config.public_url.as_deref().and_then(|url| url.split("://").nth(1));
    let is_public = public.is_some_and(|public| {
        host_name(public.split('/').next().unwrap_or_default()).eq_ignore_ascii_case(name)
    });
    if is_literal || is_public || name.eq_ignore_ascii_case("localhost") {
        return Ok(());
    }
    let message = format!("this server is not called {name:?}");
    Err(ApiError::new(StatusCode::MISDIRECTED_REQUEST, message)
        .hint("wynot serve --public-url https://NAME says what it is called"))
}

/// The name in `NAME:PORT`.
fn host_name(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

/// Refuses changes that a page of another origin has sent.
fn check_origin(method: &Method, headers: &HeaderMap) -> Result<(), ApiError> {
    if matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) {
        return Ok(());
    }
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let is_foreign = match (text("sec-fetch-site"), text("origin"), text("host")) {
        (Some(site), ..) => !matches!(site, "same-origin" | "none"),
        (None, Some(origin), Some(host)) => origin.split("://").nth(1) != Some(host),
        (None, Some(_), None) => true,
        (None, None, _) => false,
    };
    match is_foreign {
        true => Err(ApiError::new(StatusCode::FORBIDDEN, "the request comes from another site")),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_from_other_sites_are_refused() {
        let check = |pairs: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.insert(*name, HeaderValue::from_static(value));
            }
            check_origin(&Method::POST, &headers).is_ok()
        };
        assert!(check(&[("host", "localhost:1")]));
        assert!(check(&[("host", "localhost:1"), ("origin", "http://localhost:1")]));
        assert!(check(&[("sec-fetch-site", "same-origin")]));
        assert!(!check(&[("host", "localhost:1"), ("origin", "http://evil.example")]));
        assert!(!check(&[("host", "localhost:1"), ("origin", "null")]));
        assert!(!check(&[("sec-fetch-site", "cross-site"), ("host", "x")]));
    }

    #[test]
    fn names_are_told_from_ports() {
        assert_eq!(host_name("localhost:8411"), "localhost");
        assert_eq!(host_name("[::1]:80"), "[::1]");
        assert_eq!(host_name("name"), "name");
    }
}
