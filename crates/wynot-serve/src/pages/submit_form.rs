//! The form on which failures are submitted.
//!
//! Which fields a question needs is said in `data-for`; the style hides the others where browsers can do that, so it works
//! without script.

use super::page_error::sentence;
use super::page_layout::form_key;
use super::page_visitor::PageVisitor;
use super::submission_examples::{ExampleFile, SubmissionExample};
use super::visible_text::visible;
use crate::http::api_error::ApiError;
use crate::store::{Right, ServedVerb, TestEnvironment};
use maud::{Markup, html};

/// What is in the fields of the form.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the names are those of the fields")]
pub struct SubmitForm {
    pub verb: String,
    pub title: String,
    pub project: String,
    pub environment: String,
    pub test: String,
    pub pass: String,
    pub fail: String,
    pub options: String,
    pub pasted: String,
    pub pasted_name: String,
    pub pasted_passing: String,
    pub passing_name: String,
    /// The files that were chosen; browsers do not keep them when a form comes back.
    pub lost_files: Vec<String>,
    /// Files of an example that are chosen by hand.
    pub example_files: &'static [ExampleFile],
}

impl SubmitForm {
    /// The form with an example.
    pub fn of_example(example: &'static SubmissionExample) -> Self {
        let owned = |text: &str| text.to_owned();
        Self {
            verb: owned(example.verb.name()),
            title: owned(example.title),
            test: owned(example.test),
            pass: owned(example.pass),
            fail: owned(example.fail),
            options: owned(example.options),
            pasted: owned(example.pasted),
            pasted_name: owned(example.pasted_name),
            pasted_passing: owned(example.pasted_passing),
            passing_name: owned(example.passing_name),
            example_files: example.files,
            ..Self::default()
        }
    }

    /// The form as it was sent.
    pub fn of_fields(fields: &[(String, String)]) -> Self {
        let text = |name: &str| {
            let found = fields.iter().find(|(other, _)| other == name);
            found.map(|(_, text)| text.clone()).unwrap_or_default()
        };
        Self {
            verb: text("verb"),
            title: text("title"),
            project: text("project"),
            environment: text("environment"),
            test: text("test"),
            pass: text("pass"),
            fail: text("fail"),
            options: text("options"),
            pasted: text("pasted"),
            pasted_name: text("pasted_name"),
            pasted_passing: text("pasted_passing"),
            passing_name: text("passing_name"),
            lost_files: Vec::new(),
            example_files: &[],
        }
    }

    /// Whether the question is about inputs.
    pub fn uses_inputs(&self) -> bool {
        matches!(self.verb.as_str(), "reduce" | "isolate" | "explain")
    }
}

/// The form, with an error if it came back.
pub fn form_body(
    form: &SubmitForm,
    visitor: &PageVisitor,
    environments: &[(TestEnvironment, i64)],
    projects: &[String],
    error: Option<&ApiError>,
) -> Markup {
    html! {
        h1 { "Submit a failure" }
        p.lead { "wynot runs your test many times, and finds what the failure depends on." }
        (examples())
        @if let Some(error) = error { (error_note(error, form)) }
        form.submit.stacked id="submit" method="post" action="/submit" enctype="multipart/form-data" {
            (form_key(visitor))
            (questions(form))
            (inputs(form))
            (archives())
            (example_files(form))
            (test(form, visitor, environments))
            (names(form, projects))
            button type="submit" { "Submit" }
        }
    }
}

fn examples() -> Markup {
    html! {
        p.examples {
            "Examples that work: "
            @for verb in ServedVerb::ALL {
                a href={ "/submit?example=" (verb.name()) } { (verb.name()) } " "
            }
        }
    }
}

fn error_note(error: &ApiError, form: &SubmitForm) -> Markup {
    html! {
        div.error role="alert" id="error" tabindex="-1" {
            p { strong { (sentence(&error.message)) } }
            @if let Some(hint) = &error.hint { p { (sentence(hint)) } }
            @if !form.lost_files.is_empty() {
                p {
                    "Nothing was submitted. Please choose the files again: "
                    @for (index, name) in form.lost_files.iter().enumerate() { @if index > 0 { ", " } (visible(name)) }
                }
            }
        }
    }
}

fn questions(form: &SubmitForm) -> Markup {
    let chosen = if form.verb.is_empty() { ServedVerb::Reduce.name() } else { &form.verb };
    html! {
        fieldset.verbs {
            legend { "What do you want to know?" }
            @for verb in ServedVerb::ALL {
                label.verb-choice {
                    input type="radio" name="verb" value=(verb.name()) checked[verb.name() == chosen];
                    span { strong { (verb.name()) } " " span.note { (verb.description()) } }
                }
            }
        }
    }
}

fn inputs(form: &SubmitForm) -> Markup {
    html! {
        fieldset.drop data-for="reduce isolate explain" data-drop="input" {
            legend { "The input that fails" }
            label { span { "Choose files " span.drop-hint hidden { "or drop them here" } }
                input type="file" name="input" multiple; }
            label data-for="reduce" { span { "or a directory" }
                input type="file" name="input" webkitdirectory; }
            div.paste {
                label { span { "or paste it here" }
                    textarea name="pasted" rows="5" spellcheck="false" { "\n" (form.pasted) } }
                label.short { span { "File name" }
                    input type="text" name="pasted_name" value=(form.pasted_name) placeholder="input.txt"; }
            }
        }
        fieldset.drop data-for="isolate explain" data-drop="passing" {
            legend { "A similar input that passes" }
            p.note { "Without one, isolate compares with an empty input. To explain, both inputs are needed if an environment has the command." }
            label { span { "Choose a file " span.drop-hint hidden { "or drop it here" } }
                input type="file" name="passing"; }
            div.paste {
                label { span { "or paste it here" }
                    textarea name="pasted_passing" rows="3" spellcheck="false" { "\n" (form.pasted_passing) } }
                label.short { span { "File name" }
                    input type="text" name="passing_name" value=(form.passing_name) placeholder="passing.txt"; }
            }
        }
    }
}

fn archives() -> Markup {
    html! {
        fieldset.drop data-for="changes" data-drop="good bad" {
            legend { "Two versions" }
            p.note { "Archives (tar, zip) of the version that works and of the one that fails; or a git bundle below, with the options --good and --bad." }
            label { span { "The version that works" } input type="file" name="good"; }
            label { span { "The version that fails" } input type="file" name="bad"; }
        }
        fieldset.drop data-for="changes history" data-drop="repository" {
            legend { "A history" }
            p.note { "Made with: " code { "git bundle create project.bundle --all" } }
            label { span { "The git bundle " span.drop-hint hidden { "(or drop it here)" } } input type="file" name="repository"; }
        }
    }
}

/// Files of an example that a visitor saves and chooses; the script does it at once.
fn example_files(form: &SubmitForm) -> Markup {
    html! {
        @if !form.example_files.is_empty() {
            div.example-files {
                p { "Files of this example: save them, and choose them in this form." }
                ul {
                    @for file in form.example_files {
                        li {
                            a href={ "/static/examples/" (file.name) } download data-role=(file.role) { (file.name) }
                            ", " (file.note)
                        }
                    }
                }
            }
        }
    }
}

fn test(
    form: &SubmitForm,
    visitor: &PageVisitor,
    environments: &[(TestEnvironment, i64)],
) -> Markup {
    let has_commands = visitor.has(Right::Commands);
    html! {
        fieldset {
            legend { "How does it run?" }
            @if !environments.is_empty() || !has_commands {
                label { span { "Environment" }
                    select name="environment" {
                        option value="" { (if has_commands { "none: a command of my own" } else { "choose one" }) }
                        @for (environment, _) in environments {
                            option value=(environment.name) selected[environment.name == form.environment] {
                                (visible(&environment.name))
                                @if !environment.description.is_empty() { ": " (visible(&environment.description)) }
                            }
                        }
                    }
                }
            }
            @if environments.is_empty() && !has_commands {
                p.note { "There are no environments yet, and commands of your own need the right “commands”: ask an administrator." }
            }
            @if has_commands { (commands(form)) }
            label { span { "Options " span.note { "such as --timeout 10 or --fail-when 'stderr~TEXT'" } }
                input.code type="text" name="options" value=(form.options) spellcheck="false"; }
        }
    }
}

/// The command of a visitor.
fn commands(form: &SubmitForm) -> Markup {
    html! {
        label data-for="reduce isolate options changes history" {
            span { "Command " span.note { "{} is the input, {options} the options that vary" } }
            textarea.code name="test" rows="2" spellcheck="false" { "\n" (form.test) }
        }
        label data-for="explain" { span { "Command of the run that passes" }
            input.code type="text" name="pass" value=(form.pass) placeholder="./program 10" spellcheck="false"; }
        label data-for="explain" { span { "Command of the run that fails" }
            input.code type="text" name="fail" value=(form.fail) placeholder="./program 5" spellcheck="false"; }
        div.drop data-drop="file" {
            label { span { "Files that the command needs " span.drop-hint hidden { "(or drop them here)" } }
                input type="file" name="file" multiple; }
        }
    }
}

fn names(form: &SubmitForm, projects: &[String]) -> Markup {
    html! {
        fieldset.names {
            legend { "What is it called?" }
            label { span { "Title" }
                input type="text" name="title" value=(form.title) maxlength="200" placeholder="crash when printing a page"; }
            label { span { "Project" }
                input type="text" name="project" value=(form.project) maxlength="200" list="projects"; }
            datalist id="projects" { @for project in projects { option value=(project) {} } }
        }
    }
}
