//! The answer of a job: what was found, as text and as files.

use super::answer_text::{caveat, commit, headline};
use super::visible_text::{preformatted, visible};
use crate::http::job_json::{JobDetails, percent_encoded};
use crate::store::job_files::open_inside;
use crate::store::{ServedJob, ServedVerb};
use maud::{Markup, html};
use serde_json::Value;
use std::io::Read;
use std::path::Path;
use wynot_report::number::{count, grouped};

/// The most bytes of a file that are shown in the page.
const MAX_SHOWN_BYTES: u64 = 20_000;

/// The most files that are shown in the page; the others have links.
const MAX_SHOWN_FILES: usize = 3;

/// The most steps of an explanation in the page; the report has all.
const MAX_STEPS: usize = 8;

/// The most differences in the page.
const MAX_DIFFERENCES: usize = 12;

/// The start of a file of a result.
#[derive(Debug)]
pub struct ShownFile {
    name: String,
    /// The start of it; `None` if it is not text.
    text: Option<String>,
    bytes: u64,
}

/// Reads what a page shows of the files of a result.
pub fn shown_files(directory: &Path, details: &JobDetails) -> Vec<ShownFile> {
    let read = |name: &str| -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let file = open_inside(directory, name).ok()?;
        file.take(MAX_SHOWN_BYTES).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    };
    let shown = details.outputs.iter().take(MAX_SHOWN_FILES);
    let file = shown.filter_map(|file| {
        let bytes = read(&file.name)?;
        let text = (!bytes.contains(&0)).then(|| String::from_utf8_lossy(&bytes).into_owned());
        Some(ShownFile { name: file.name.clone(), text, bytes: file.bytes })
    });
    file.collect()
}

/// The answer, if there is one.
pub fn answer(
    job: &ServedJob,
    details: &JobDetails,
    files: &[ShownFile],
    has_report: bool,
) -> Markup {
    let Some(headline) = headline(job) else { return html! {} };
    let result = job.result.as_ref().unwrap_or(&Value::Null);
    html! {
        section.answer aria-labelledby="answer" {
            h2 id="answer" { (headline) }
            @if let Some(caveat) = caveat(job) { p.caveat { (caveat) } }
            (findings(job, result))
            @if has_report {
                p { a.button href={ "/jobs/" (job.code) "/report" } { "Read the full report" } }
            }
            @for file in files { (shown_file(job, file)) }
            @if details.outputs.len() > files.len() {
                h3 { "All files of the result" }
                ul.files {
                    @for file in &details.outputs {
                        li { (file_link(job, &file.name)) " " span.note { (count(file.bytes, "byte")) } }
                    }
                }
            }
            (failure(result))
        }
    }
}

/// What was found, apart from files.
fn findings(job: &ServedJob, result: &Value) -> Markup {
    match job.submission.verb {
        ServedVerb::Reduce => html! {},
        ServedVerb::Isolate => differences(result),
        ServedVerb::Options => causes(result),
        ServedVerb::Changes | ServedVerb::History => html! {
            (commits(result))
            (differences(result))
        },
        ServedVerb::Explain => steps(result),
    }
}

fn differences(result: &Value) -> Markup {
    let Some(changes) = result["difference"]["changes"].as_array() else { return html! {} };
    let more = changes.len().saturating_sub(MAX_DIFFERENCES);
    html! {
        ul.findings {
            @for change in changes.iter().take(MAX_DIFFERENCES).filter_map(Value::as_str) { li { (visible(change)) } }
            @if more > 0 { li.note { "and " (grouped(more as u64)) " more, in the report" } }
        }
    }
}

fn causes(result: &Value) -> Markup {
    let causes = result["causes"].as_array().map(Vec::as_slice).unwrap_or_default();
    html! {
        @for line in causes.iter().filter_map(|cause| cause["line"].as_str()) {
            pre.command { (preformatted(line)) }
        }
    }
}

fn commits(result: &Value) -> Markup {
    let commits = result["commits"].as_array().map(Vec::as_slice).unwrap_or_default();
    html! {
        @if !commits.is_empty() {
            ul.findings {
                @for found in commits {
                    li {
                        (commit(found))
                        @if let Some(author) = found["author"].as_str() { ", " (visible(author)) }
                        @if let Some(date) = found["date"].as_str() { ", " (visible(date)) }
                    }
                }
            }
        }
    }
}

/// The first steps of a chain of causes.
fn steps(result: &Value) -> Markup {
    let chain = result["chain"].as_array().map(Vec::as_slice).unwrap_or_default();
    let ends = &result["ends"]["failing"];
    html! {
        ol.steps {
            @for step in chain.iter().take(MAX_STEPS) {
                li {
                    "In " code { (place(&step["place"])) } ": "
                    @for (index, cause) in step["causes"].as_array().into_iter().flatten().enumerate() {
                        @if index > 0 { ", " }
                        code { (text(&cause["variable"])) } " was " code { (text(&cause["failing"])) }
                        " instead of " code { (text(&cause["passing"])) }
                    }
                }
            }
            @if let Some(end) = ends.as_str() { li { "The program ended: " (visible(end)) } }
        }
        @if chain.len() > MAX_STEPS { p.note { "The report has all " (chain.len()) " steps." } }
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| "nothing".to_owned(), visible)
}

/// A place in a program, with the name of its file alone.
fn place(place: &Value) -> String {
    let file = place["file"].as_str().unwrap_or_default();
    let file = file.rsplit('/').next().unwrap_or(file);
    let function = place["function"].as_str().unwrap_or_default();
    visible(&match place["line"].as_u64() {
        Some(line) => format!("{function} ({file}:{line})"),
        None => function.to_owned(),
    })
}

fn shown_file(job: &ServedJob, file: &ShownFile) -> Markup {
    html! {
        figure.file {
            figcaption {
                (file_link(job, &file.name)) " " span.note { (count(file.bytes, "byte")) }
                @if file.bytes > MAX_SHOWN_BYTES && file.text.is_some() {
                    " " span.note { "(the first " (grouped(MAX_SHOWN_BYTES)) " are shown)" }
                }
            }
            @match &file.text {
                Some(text) => pre role="region" tabindex="0" aria-label={ "Contents of " (visible(&file.name)) } { (preformatted(text)) },
                None => p.note { "It is not text." },
            }
        }
    }
}

/// A link by which a file of a result is downloaded.
fn file_link(job: &ServedJob, name: &str) -> Markup {
    html! {
        a href={ "/jobs/" (job.code) "/files/" (percent_encoded(name)) } download { "Download " (visible(name)) }
    }
}

/// How the failure shows itself.
fn failure(result: &Value) -> Markup {
    let failure = &result["failure"];
    let Some(ending) = failure["ending"].as_str() else { return html! {} };
    html! {
        p.note {
            "The failure: " (visible(ending))
            @if let Some(message) = failure["message"].as_str() { " with “" (visible(message)) "”" }
            "."
        }
    }
}
