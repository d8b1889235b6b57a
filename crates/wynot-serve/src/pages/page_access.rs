//! What visitors of pages may do, and whether a form is theirs.

use super::page_error::PageError;
use super::page_visitor::{PageVisitor, local_address};
use crate::http::access::{login_cookie, visitor_of_page};
use crate::http::app::App;
use crate::store::Right;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};

impl FromRequestParts<App> for PageVisitor {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, PageError> {
        let visitor = visitor_of_page(app, &parts.headers).await?;
        let is_open = visitor.name.is_none() && visitor.rights.has(Right::Read);
        let form_key = match is_open {
            true => String::new(),
            false => form_key(&app.form_secret, login_cookie(&parts.headers).as_deref()),
        };
        let address = match (&parts.method, parts.uri.path_and_query()) {
            (&Method::GET, Some(address)) => local_address(Some(address.as_str())),
            _ => page_of_form(parts.uri.path()),
        };
        let is_from_elsewhere =
            parts.headers.get("sec-fetch-site").is_some_and(|site| site == "cross-site");
        Ok(Self { visitor, form_key, address, is_from_elsewhere })
    }
}

impl PageVisitor {
    /// Checks that a right is there. Without a login, the visitor is led to it.
    pub fn require(&self, right: Right) -> Result<(), PageError> {
        if self.has(right) {
            return Ok(());
        }
        match &self.visitor.name {
            None if self.is_from_elsewhere => Err(PageError::Again(self.address.clone())),
            None => Err(PageError::Login(self.address.clone())),
            Some(_) => Err(self.visitor.require(right).err().map_or_else(
                || PageError::new(StatusCode::FORBIDDEN, "this is not allowed"),
                PageError::from,
            )),
        }
    }

    /// Checks the key of a form.
    pub fn check_form(&self, key: Option<&str>) -> Result<(), PageError> {
        let is_same = blake3::hash(key.unwrap_or_default().as_bytes())
            == blake3::hash(self.form_key.as_bytes());
        match is_same {
            true => Ok(()),
            false => Err(PageError::new(StatusCode::FORBIDDEN, "the form is not of this visit")
                .hint("go back, load the page again, and send the form once more")),
        }
    }
}

/// The key for the forms of a login.
fn form_key(secret: &[u8; 32], cookie: Option<&str>) -> String {
    blake3::keyed_hash(secret, cookie.unwrap_or_default().as_bytes()).to_hex().to_string()
}

/// The page with the form that is sent to an address.
fn page_of_form(path: &str) -> String {
    let mut parts = path.split('/').skip(1);
    match (parts.next(), parts.next()) {
        (Some("jobs"), Some(code)) => format!("/jobs/{code}"),
        (Some(first), _) => format!("/{first}"),
        (None, _) => "/".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::access::Visitor;
    use crate::store::AccessRights;

    #[test]
    fn forms_lead_back_to_their_pages() {
        assert_eq!(page_of_form("/jobs/abc/cancel"), "/jobs/abc");
        assert_eq!(page_of_form("/environments"), "/environments");
        assert_eq!(page_of_form("/"), "/");
    }

    #[test]
    fn a_form_of_another_login_is_refused() {
        let visitor = Visitor { name: Some("a".to_owned()), rights: AccessRights::all() };
        let form_key = form_key(&[7; 32], Some("cookie"));
        let visitor = PageVisitor {
            visitor,
            form_key: form_key.clone(),
            address: "/".to_owned(),
            is_from_elsewhere: false,
        };
        assert!(visitor.check_form(Some(&form_key)).is_ok());
        let other = super::form_key(&[7; 32], Some("other"));
        for wrong in [None, Some(""), Some("x"), Some(other.as_str())] {
            assert!(visitor.check_form(wrong).is_err(), "{wrong:?}");
        }
    }
}
