//! The page on which failures are submitted.

use super::form_fields::words;
use super::page_error::PageError;
use super::page_layout::{PageFrame, page};
use super::page_visitor::{FORM_KEY_FIELD, PageVisitor};
use super::submission_examples::SubmissionExample;
use super::submit_form::{SubmitForm, form_body};
use crate::http::api_error::ApiError;
use crate::http::app::App;
use crate::http::uploads::{Upload, accept, check_submitter, receive};
use crate::store::check_file_name;
use crate::store::{FileRole, Right, ServedVerb, Submission, TestEnvironment, UploadedFile};
use axum::extract::multipart::MultipartRejection;
use axum::extract::{Multipart, Query, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};
use serde::Deserialize;
use std::os::unix::fs::PermissionsExt;
use tokio::io::AsyncWriteExt;

/// What the form is filled with at first.
#[derive(Debug, Deserialize)]
pub struct SubmitQuery {
    /// The verb of an example.
    example: Option<String>,
    /// A project.
    project: Option<String>,
}

/// `GET /submit`
pub async fn show(
    State(app): State<App>,
    visitor: PageVisitor,
    Query(query): Query<SubmitQuery>,
) -> Result<Html<String>, PageError> {
    visitor.require(Right::Submit)?;
    let example = query.example.as_deref().and_then(ServedVerb::of_name).map(SubmissionExample::of);
    let mut form = example.map(SubmitForm::of_example).unwrap_or_default();
    form.project = query.project.unwrap_or_default();
    form_page(&app, &visitor, &form, None).await
}

async fn form_page(
    app: &App,
    visitor: &PageVisitor,
    form: &SubmitForm,
    error: Option<&ApiError>,
) -> Result<Html<String>, PageError> {
    let (environments, projects): (Vec<(TestEnvironment, i64)>, Vec<String>) =
        app.ask(|store| Ok((store.environments()?, store.projects()?))).await?;
    let frame = PageFrame::plain("Submit a failure").at("/submit");
    let body = form_body(form, visitor, &environments, &projects, error);
    Ok(page(&frame, Some(visitor), &body))
}

/// `POST /submit`
pub async fn submit(
    State(app): State<App>,
    visitor: PageVisitor,
    form: Result<Multipart, MultipartRejection>,
) -> Result<Response, PageError> {
    visitor.require(Right::Submit)?;
    check_submitter(&app, &visitor.visitor).await?;
    let form = form.map_err(|error| ApiError::new(error.status(), error.body_text()))?;
    let mut upload = receive(&app, form).await.map_err(|error| match error.hint {
        Some(_) => error,
        None => error.hint("go back and change the form"),
    })?;
    visitor.check_form(upload.text(FORM_KEY_FIELD))?;
    let mut filled = SubmitForm::of_fields(&upload.fields);
    filled.lost_files = upload.files.iter().map(|file| file.name.clone()).collect();
    let accepted = match prepare(&app, &mut upload, &filled).await {
        Ok(submission) => accept(&app, &visitor.visitor, upload, submission, None).await,
        Err(error) => Err(error),
    };
    match accepted {
        Ok(code) => Ok(Redirect::to(&format!("/jobs/{code}")).into_response()),
        Err(error) if is_about_the_form(error.status) => {
            let shown = form_page(&app, &visitor, &filled, Some(&error)).await?;
            Ok((StatusCode::UNPROCESSABLE_ENTITY, shown).into_response())
        }
        Err(error) => Err(error.into()),
    }
}

/// Whether a visitor can correct the form.
fn is_about_the_form(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::UNPROCESSABLE_ENTITY | StatusCode::BAD_REQUEST | StatusCode::FORBIDDEN
    )
}

/// Makes files of what was pasted, and a submission of the fields.
async fn prepare(
    app: &App,
    upload: &mut Upload,
    form: &SubmitForm,
) -> Result<Submission, ApiError> {
    let invalid = |message: String| ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, message);
    let verb = ServedVerb::of_name(&form.verb)
        .ok_or_else(|| invalid("choose what you want to know".to_owned()))?;
    let split =
        |what: &str, text: &str| words(text).map_err(|error| invalid(format!("{what}: {error}")));
    if form.uses_inputs() {
        add_pasted(app, upload, FileRole::Input, &form.pasted_name, &form.pasted).await?;
        add_pasted(app, upload, FileRole::Passing, &form.passing_name, &form.pasted_passing)
            .await?;
    }
    let is_explain = verb == ServedVerb::Explain;
    let given =
        |text: &str| Some(text.trim().to_owned()).filter(|text| is_explain && !text.is_empty());
    let environment = Some(form.environment.clone()).filter(|name| !name.is_empty());
    let test = match is_explain {
        true => Vec::new(),
        false => split("the command", &form.test)?,
    };
    Ok(Submission {
        verb,
        project: form.project.trim().to_owned(),
        title: form.title.trim().to_owned(),
        options: split("the options", &form.options)?,
        test,
        pass: given(&form.pass),
        fail: given(&form.fail),
        environment,
        directory: common_directory(&upload.files),
        files: Vec::new(),
    })
}

/// The directory that is the input, if all files of the input are in one: that is how browsers send a directory.
fn common_directory(files: &[UploadedFile]) -> Option<String> {
    let inputs = files.iter().filter(|file| file.role == FileRole::Input);
    let mut directories = inputs.map(|file| file.name.split_once('/').map(|(first, _)| first));
    let first = directories.next()??;
    directories.all(|other| other == Some(first)).then(|| first.to_owned())
}

/// Makes a file of a text that was pasted, unless there is none. Browsers send lines with carriage returns.
async fn add_pasted(
    app: &App,
    upload: &mut Upload,
    role: FileRole,
    name: &str,
    text: &str,
) -> Result<(), ApiError> {
    if text.is_empty() {
        return Ok(());
    }
    let name = if name.trim().is_empty() { default_name(role) } else { name.trim() };
    check_file_name(name)?;
    let mut file = upload.create_file(app, name).await?;
    let text = text.replace("\r\n", "\n");
    file.write_all(text.as_bytes()).await?;
    file.flush().await?;
    file.set_permissions(std::fs::Permissions::from_mode(0o644)).await?;
    let bytes = text.len() as u64;
    upload.files.push(UploadedFile { role, name: name.to_owned(), bytes });
    Ok(())
}

/// The name of a pasted file without one.
fn default_name(role: FileRole) -> &'static str {
    match role {
        FileRole::Passing => "passing.txt",
        _ => "input.txt",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_in_one_directory_are_a_directory() {
        let directory = |names: &[&str]| {
            let file = |name: &&str| UploadedFile {
                role: FileRole::Input,
                name: (*name).to_owned(),
                bytes: 1,
            };
            common_directory(&names.iter().map(file).collect::<Vec<_>>())
        };
        assert_eq!(directory(&["src/a.c", "src/lib/b.c"]).as_deref(), Some("src"));
        assert_eq!(directory(&["src/a.c", "b.c"]), None);
        assert_eq!(directory(&["a.c"]), None);
        assert_eq!(directory(&[]), None);
    }
}
