//! The fields of small forms.

use super::page_error::PageError;
use super::page_visitor::{FORM_KEY_FIELD, PageVisitor};
use crate::http::api_error::ApiError;
use crate::http::uploads::bad_form;
use axum::extract::Multipart;
use axum::extract::multipart::MultipartRejection;

/// The texts of a form by name.
#[derive(Debug, Default)]
pub struct FormFields(Vec<(String, String)>);

impl FormFields {
    /// Reads a form without files, and checks that this visitor was given it.
    pub async fn read(
        visitor: &PageVisitor,
        form: Result<Multipart, MultipartRejection>,
    ) -> Result<Self, PageError> {
        let mut form =
            form.map_err(|error| ApiError::unreadable(error.status(), error.body_text()))?;
        let mut fields = Vec::new();
        while let Some(field) = form.next_field().await.map_err(bad_form)? {
            let name = field.name().unwrap_or_default().to_owned();
            fields.push((name, field.text().await.map_err(bad_form)?));
        }
        let fields = Self(fields);
        visitor.check_form(fields.get(FORM_KEY_FIELD))?;
        Ok(fields)
    }

    /// The first text with a name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(other, _)| other == name).map(|(_, text)| text.as_str())
    }

    /// The first text with a name, without blanks at its ends; empty if there is none.
    pub fn trimmed(&self, name: &str) -> &str {
        self.get(name).unwrap_or_default().trim()
    }

    /// All texts with a name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(other, _)| other == name).map(|(_, text)| text.as_str())
    }
}

/// The words of a command as a shell would split it.
pub fn words(text: &str) -> Result<Vec<String>, String> {
    let words = wynot_subjects::split_words(text.as_bytes())
        .map_err(|_| "a quotation mark is not closed".to_owned())?;
    Ok(words.into_iter().map(|word| String::from_utf8_lossy(&word).into_owned()).collect())
}
