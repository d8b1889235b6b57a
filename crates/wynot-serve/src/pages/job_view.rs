//! The contents of the page of a job.

use super::answer_view::{ShownFile, answer};
use super::page_error::sentence;
use super::page_layout::form_key;
use super::page_visitor::PageVisitor;
use super::progress_view::progress;
use super::repeat_command::{SubmittedFile, repeat_section};
use super::state_mark::{job_title, state_mark};
use super::visible_text::visible;
use crate::http::job_json::{JobDetails, percent_encoded};
use crate::http::time_text::{ago, rfc3339};
use crate::store::served_options::check_options;
use crate::store::{BadSubmission, Feedback, JobState, Right, ServedJob, ServedVerb, now};
use maud::{Markup, html};
use serde_json::Value;

/// Everything that the page of a job shows.
#[derive(Debug)]
pub struct JobContents {
    /// The job.
    pub job: ServedJob,
    /// What is known besides.
    pub details: JobDetails,
    /// The starts of the files of its result.
    pub files: Vec<ShownFile>,
    /// The files that were submitted.
    pub submitted: Vec<SubmittedFile>,
    /// The last messages of its process.
    pub messages: Vec<String>,
    /// Whether there is a report.
    pub has_report: bool,
    /// What people have said about the answer.
    pub feedback: Vec<Feedback>,
}

/// The page of a job.
pub fn job_body(contents: &JobContents, visitor: &PageVisitor) -> Markup {
    let job = &contents.job;
    html! {
        (heading(job))
        (actions(job, visitor))
        @if job.state.is_ended() {
            (end_note(contents))
            (answer(job, &contents.details, &contents.files, contents.has_report))
        } @else {
            (progress(job, &contents.details, &contents.messages))
        }
        (duplicates(contents))
        (repeat_section(job, &contents.details, &contents.submitted))
        @if job.state.is_ended() { (feedback(contents, visitor)) }
    }
}

fn heading(job: &ServedJob) -> Markup {
    let submission = &job.submission;
    let time =
        |at: i64| html! { time datetime=(rfc3339(at)) title=(rfc3339(at)) { (ago(at, now())) } };
    html! {
        h1 { (job_title(job)) }
        dl.facts {
            div { dt { "State" } dd data-live="mark" { (state_mark(job.state)) } }
            div { dt { "Question" } dd { (submission.verb.name()) ": " (submission.verb.description()) } }
            @if !submission.project.is_empty() {
                div { dt { "Project" } dd { a href={ "/?project=" (percent_encoded(&submission.project)) } { (visible(&submission.project)) } } }
            }
            @if let Some(environment) = &submission.environment {
                div { dt { "Environment" } dd {
                    a href={ "/environments#" (percent_encoded(environment)) } { (visible(environment)) }
                    @if let Some(version) = job.environment_version { " version " (version) }
                } }
            }
            div { dt { "Submitted" } dd {
                (time(job.submitted))
                @if let Some(submitter) = &job.submitter { " by " (visible(submitter)) }
            } }
            @if let Some(ended) = job.ended {
                div { dt { "Ended" } dd {
                    (time(ended))
                    @if let Some(started) = job.started { ", after " (elapsed(ended - started)) }
                } }
            }
            @if job.attempts > 1 { div { dt { "Attempts" } dd { (job.attempts) } } }
            div { dt { "Code" } dd { code { (job.code) } } }
        }
    }
}

/// A time span in a few words.
fn elapsed(milliseconds: i64) -> String {
    let seconds = milliseconds.max(0) / 1000;
    match seconds {
        0..10 => format!("{}.{} s", seconds, milliseconds.max(0) / 100 % 10),
        10..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

/// The buttons that change the state of a job.
fn actions(job: &ServedJob, visitor: &PageVisitor) -> Markup {
    if !visitor.has(Right::Submit) {
        return html! {};
    }
    let (action, name) = match job.state.is_ended() {
        true => ("retry", "Run it again"),
        false if job.is_cancelled => return html! {},
        false => ("cancel", "Cancel"),
    };
    html! {
        form.actions method="post" action={ "/jobs/" (job.code) "/" (action) } enctype="multipart/form-data" {
            (form_key(visitor))
            button.quiet type="submit" { (name) }
        }
    }
}

/// Why a job has no answer or not all of it, and what to do.
fn end_note(contents: &JobContents) -> Markup {
    let job = &contents.job;
    let list = |name: &str| -> Vec<&str> {
        let all = job.result.as_ref().and_then(|result| result[name].as_array());
        all.into_iter().flatten().filter_map(Value::as_str).collect()
    };
    let message = job.message.as_deref().map(sentence);
    match job.state {
        JobState::Failed => html! {
            section.no-answer aria-labelledby="failed" {
                h2 id="failed" { "There is no answer" }
                p.lead { (message.unwrap_or_else(|| "The process of the job ended without a result.".to_owned())) }
                @if !list("details").is_empty() {
                    ul.findings { @for detail in list("details") { li { (visible(detail)) } } }
                }
                h3 { "What to do" }
                ul.findings {
                    @for hint in list("hints").into_iter().filter(|hint| is_possible(job.submission.verb, hint)) {
                        li { (sentence(hint)) }
                    }
                    li { (general_hint(job)) }
                }
                @if !contents.messages.is_empty() {
                    details {
                        summary { "Messages of the job" }
                        ol.log { @for line in &contents.messages { li { (visible(line)) } } }
                    }
                }
            }
        },
        JobState::Cancelled => html! {
            p.caveat {
                "It was cancelled. “Run it again” goes on from where it was."
            }
        },
        _ => html! {
            @if let Some(message) = message { p.caveat { (message) } }
        },
    }
}

/// Whether a submitter can do what a hint of the command line says: some of its options belong to the server.
fn is_possible(verb: ServedVerb, hint: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let mut options = hint.split(|letter| !is_letter(letter)).filter(|word| word.starts_with("--"));
    options.all(|option| {
        let checked = check_options(verb, &[option.to_owned()]);
        !matches!(checked, Err(BadSubmission::UnknownOption { .. }))
    })
}

/// What to do about the end of a process.
fn general_hint(job: &ServedJob) -> &'static str {
    match job.exit {
        Some(2) => "Correct the submission, and submit it again.",
        Some(3) => {
            "Check that the command fails on the submitted input in a directory with the submitted files alone."
        }
        Some(4) => "If the failure comes and goes, submit it again with the option --flaky.",
        _ => {
            "Run it again. If it fails in the same way, an administrator finds more in the log of the server."
        }
    }
}

/// The other jobs about the same failure.
fn duplicates(contents: &JobContents) -> Markup {
    let (job, duplicates) = (&contents.job, &contents.details.duplicates);
    let is_first = duplicates.iter().all(|other| other.number > job.number);
    html! {
        @if !duplicates.is_empty() {
            section aria-labelledby="duplicates" {
                h2 id="duplicates" {
                    @if is_first { "The same failure was seen again in" } @else { "The same failure was seen before in" }
                }
                ul.findings {
                    @for other in duplicates {
                        li {
                            a.duplicate href={ "/jobs/" (other.code) } { (job_title(other)) }
                            " " span.note { (other.state.name()) ", " (ago(other.submitted, now())) }
                        }
                    }
                }
                @if let Some(failure) = &job.failure {
                    p { a href={ "/?failure=" (percent_encoded(failure)) } { "All jobs about this failure" } }
                }
            }
        }
    }
}

/// What people say about the answer, and a form to say more.
fn feedback(contents: &JobContents, visitor: &PageVisitor) -> Markup {
    html! {
        section aria-labelledby="feedback" {
            h2 id="feedback" { "Did this help?" }
            @for given in &contents.feedback {
                article.feedback {
                    p {
                        strong { (if given.helped { "Yes, it helped" } else { "No, it did not help" }) }
                        span.note {
                            ", " (ago(given.given, now()))
                            @if let Some(author) = &given.author { ", " (visible(author)) }
                        }
                    }
                    @for line in given.comment.lines() { p { (visible(line)) } }
                }
            }
            @if visitor.has(Right::Submit) {
                form.stacked method="post" action={ "/jobs/" (contents.job.code) "/feedback" } enctype="multipart/form-data" {
                    (form_key(visitor))
                    fieldset.choice {
                        legend { "Your answer" }
                        label { input type="radio" name="helped" value="yes" required; " yes" }
                        label { input type="radio" name="helped" value="no" required; " no" }
                    }
                    label { span { "Comment" }
                        textarea name="comment" rows="3" maxlength="10000" {} }
                    button type="submit" { "Send" }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_about_options_of_the_server_are_left_out() {
        let possible = |hint| is_possible(ServedVerb::Reduce, hint);
        assert!(possible("say what the failure is, for instance --fail-when 'stderr~TEXT'"));
        assert!(possible("add --flaky, or a test"));
        assert!(!possible("if yours needs the files beside it, use --in ."));
        assert!(!possible("--sandbox-read PATH shows what the test needs"));
    }

    #[test]
    fn times_are_short() {
        assert_eq!(elapsed(8140), "8.1 s");
        assert_eq!(elapsed(100_000), "100 s");
        assert_eq!(elapsed(600_000), "10 min");
        assert_eq!(elapsed(7_260_000), "2 h 1 min");
    }
}
