//! The page of environments: named descriptions of how tests run.

use super::form_fields::{FormFields, words};
use super::page_error::{PageError, sentence};
use super::page_layout::{PageFrame, form_key, page};
use super::page_visitor::PageVisitor;
use super::visible_text::{preformatted, visible};
use crate::http::app::App;
use crate::http::job_json::percent_encoded;
use crate::store::{Right, ServedVerb, TestEnvironment};
use axum::extract::multipart::MultipartRejection;
use axum::extract::{Multipart, Query, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};
use maud::{Markup, html};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use wynot_subjects::quote;

/// Which environment the form is filled with.
#[derive(Debug, Deserialize)]
pub struct EnvironmentQuery {
    change: Option<String>,
}

/// What is in the fields of the form.
#[derive(Debug, Default)]
struct EnvironmentForm {
    name: String,
    description: String,
    verbs: Vec<ServedVerb>,
    command: String,
    directory: String,
    shown: String,
    options: String,
}

impl EnvironmentForm {
    fn of(environment: &TestEnvironment) -> Self {
        let text = |path: &PathBuf| path.display().to_string();
        Self {
            name: environment.name.clone(),
            description: environment.description.clone(),
            verbs: environment.verbs.clone(),
            command: quote::command(&environment.command),
            directory: environment.directory.as_ref().map(text).unwrap_or_default(),
            shown: environment.shown.iter().map(text).collect::<Vec<_>>().join("\n"),
            options: quote::command(&environment.options),
        }
    }

    fn of_fields(fields: &FormFields) -> Self {
        Self {
            name: fields.trimmed("name").to_owned(),
            description: fields.trimmed("description").to_owned(),
            verbs: fields.all("verb").filter_map(ServedVerb::of_name).collect(),
            command: fields.trimmed("command").to_owned(),
            directory: fields.trimmed("directory").to_owned(),
            shown: fields.trimmed("shown").to_owned(),
            options: fields.trimmed("options").to_owned(),
        }
    }

    /// The environment that the form describes.
    fn environment(&self) -> Result<TestEnvironment, String> {
        let split =
            |what: &str, text: &str| words(text).map_err(|error| format!("{what}: {error}"));
        let shown = self.shown.lines().map(str::trim).filter(|line| !line.is_empty());
        let environment = TestEnvironment {
            name: self.name.clone(),
            description: self.description.clone(),
            verbs: self.verbs.clone(),
            command: split("the command", &self.command)?,
            directory: Some(PathBuf::from(&self.directory)).filter(|path| path != Path::new("")),
            shown: shown.map(PathBuf::from).collect(),
            options: split("the options", &self.options)?,
        };
        environment.check().map_err(|error| error.to_string())?;
        Ok(environment)
    }
}

/// `GET /environments`
pub async fn show(
    State(app): State<App>,
    visitor: PageVisitor,
    Query(query): Query<EnvironmentQuery>,
) -> Result<Html<String>, PageError> {
    visitor.require(Right::Read)?;
    let found = match query.change {
        Some(name) => app.ask(move |store| store.environment(&name, None)).await?,
        None => None,
    };
    let form = found.map(|(environment, _)| EnvironmentForm::of(&environment)).unwrap_or_default();
    environments_page(&app, &visitor, &form, None).await
}

/// `POST /environments`
pub async fn save(
    State(app): State<App>,
    visitor: PageVisitor,
    form: Result<Multipart, MultipartRejection>,
) -> Result<Response, PageError> {
    visitor.require(Right::Administer)?;
    let form = EnvironmentForm::of_fields(&FormFields::read(&visitor, form).await?);
    match form.environment() {
        Ok(environment) => {
            let (name, author) = (environment.name.clone(), visitor.visitor.name.clone());
            app.ask(move |store| store.add_environment(&environment, author.as_deref())).await?;
            let address = format!("/environments#{}", percent_encoded(&name));
            Ok(Redirect::to(&address).into_response())
        }
        Err(message) => {
            let shown = environments_page(&app, &visitor, &form, Some(&message)).await?;
            Ok((StatusCode::UNPROCESSABLE_ENTITY, shown).into_response())
        }
    }
}

async fn environments_page(
    app: &App,
    visitor: &PageVisitor,
    form: &EnvironmentForm,
    error: Option<&str>,
) -> Result<Html<String>, PageError> {
    let environments = app.ask(|store| store.environments()).await?;
    let is_administrator = visitor.has(Right::Administer);
    let body = html! {
        h1 { "Environments" }
        p.lead { "An environment says how tests run, so that submitters need no command of their own." }
        @if environments.is_empty() { p.empty { "There are no environments yet." } }
        @for (environment, version) in &environments { (one(environment, *version, is_administrator)) }
        @if is_administrator { (edit_form(form, visitor, error)) }
    };
    Ok(page(&PageFrame::plain("Environments").at("/environments"), Some(visitor), &body))
}

fn one(environment: &TestEnvironment, version: i64, is_administrator: bool) -> Markup {
    let verbs: Vec<&str> = environment.verbs.iter().map(|verb| verb.name()).collect();
    let path = |path: &PathBuf| visible(&path.display().to_string());
    html! {
        section.environment id=(environment.name) {
            h2 { (visible(&environment.name)) " " small { "version " (version) } }
            @if !environment.description.is_empty() { p { (visible(&environment.description)) } }
            pre.command { (preformatted(&quote::command(&environment.command))) }
            dl.facts {
                div { dt { "Questions" } dd { (if verbs.is_empty() { "all".to_owned() } else { verbs.join(", ") }) } }
                @if let Some(directory) = &environment.directory { div { dt { "Directory" } dd { code { (path(directory)) } } } }
                @if !environment.shown.is_empty() {
                    div { dt { "May read" } dd { @for shown in &environment.shown { code { (path(shown)) } " " } } }
                }
                @if !environment.options.is_empty() {
                    div { dt { "Options" } dd { code { (visible(&quote::command(&environment.options))) } } }
                }
            }
            @if is_administrator {
                p { a href={ "/environments?change=" (percent_encoded(&environment.name)) "#edit" } { "Change " (visible(&environment.name)) } }
            }
        }
    }
}

fn edit_form(form: &EnvironmentForm, visitor: &PageVisitor, error: Option<&str>) -> Markup {
    html! {
        section aria-labelledby="edit" {
            h2 id="edit" { (if form.name.is_empty() { "Add an environment" } else { "Change an environment" }) }
            @if let Some(error) = error { div.error role="alert" { p { strong { (sentence(error)) } } } }
            form.stacked method="post" action="/environments" enctype="multipart/form-data" {
                (form_key(visitor))
                label { span { "Name" }
                    input type="text" name="name" value=(form.name) required maxlength="60" placeholder="gcc-14"; }
                label { span { "Description" }
                    input type="text" name="description" value=(form.description); }
                fieldset.choice {
                    legend { "Questions " span.note { "(all if none is chosen)" } }
                    @for verb in ServedVerb::ALL {
                        label { input type="checkbox" name="verb" value=(verb.name()) checked[form.verbs.contains(&verb)]; " " (verb.name()) }
                    }
                }
                label { span { "Command " span.note { "{} is the input" } }
                    textarea.code name="command" rows="2" spellcheck="false" { "\n" (form.command) } }
                label { span { "Directory on the server " span.note { "in which jobs start, such as a repository" } }
                    input.code type="text" name="directory" value=(form.directory) spellcheck="false"; }
                label { span { "Further directories that tests may read " span.note { "one on each line" } }
                    textarea.code name="shown" rows="2" spellcheck="false" { "\n" (form.shown) } }
                label { span { "Options of every job" }
                    input.code type="text" name="options" value=(form.options) spellcheck="false"; }
                p.note { "A change makes a new version; jobs keep the version with which they were submitted." }
                button type="submit" { "Save" }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_describes_the_environment_that_filled_it() {
        let environment = TestEnvironment {
            name: "gcc".to_owned(),
            description: "a \"compiler\"".to_owned(),
            verbs: vec![ServedVerb::Reduce],
            command: vec!["sh".to_owned(), "-c".to_owned(), "it's \\ {}".to_owned()],
            directory: Some(PathBuf::from("/")),
            shown: vec![PathBuf::from("/usr"), PathBuf::from("/etc")],
            options: vec!["--build=make all".to_owned()],
        };
        assert_eq!(EnvironmentForm::of(&environment).environment(), Ok(environment));
        let unnamed = EnvironmentForm::default().environment().unwrap_err();
        assert!(unnamed.contains("the name of an environment"), "{unnamed}");
    }
}
