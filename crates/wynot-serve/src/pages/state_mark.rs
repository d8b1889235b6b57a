//! How the state and the title of a job are shown.

use super::visible_text::visible;
use crate::store::{FileRole, JobState, ServedJob};
use maud::{Markup, html};

/// A state as a word with a colour.
pub fn state_mark(state: JobState) -> Markup {
    html! { span class={ "state " (state.name()) } { (state.name()) } }
}

/// The title of a job; without one, its input or its test.
pub fn job_title(job: &ServedJob) -> String {
    let submission = &job.submission;
    let roles = [FileRole::Input, FileRole::Bad, FileRole::Repository, FileRole::File];
    let file =
        roles.iter().find_map(|role| submission.files.iter().find(|file| file.role == *role));
    let words = wynot_subjects::quote::command(&submission.test);
    let title = match (submission.title.trim(), file, &submission.fail) {
        ("", Some(file), _) => file.name.as_str(),
        ("", None, Some(run)) => run,
        ("", None, None) => &words,
        (title, ..) => title,
    };
    let title = visible(title);
    let mut short: String = title.chars().take(MAX_TITLE_LENGTH).collect();
    if short.len() < title.len() {
        short.push('…');
    }
    match short.is_empty() {
        true => job.code.to_string(),
        false => short,
    }
}

/// The most characters of a title.
const MAX_TITLE_LENGTH: usize = 100;
