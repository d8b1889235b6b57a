//! The command that repeats a job on another machine.

use super::visible_text::{preformatted, visible};
use crate::http::job_json::{JobDetails, percent_encoded};
use crate::jobs::job_command::repeated_command;
use crate::store::{FileRole, ServedJob};
use maud::{Markup, html};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use wynot_report::number::count;
use wynot_subjects::quote::quoted;

/// The directory into which a git bundle is cloned.
const REPOSITORY: &str = "repository";

/// The most files that have a link of their own.
const MAX_LINKS: usize = 50;

/// A file that was submitted.
#[derive(Debug)]
pub struct SubmittedFile {
    name: String,
    role: FileRole,
    bytes: u64,
    is_program: bool,
}

/// The files of a submission, as they are on the disk.
pub fn submitted_files(work: &Path, job: &ServedJob) -> Vec<SubmittedFile> {
    let is_program = |name: &str| {
        let metadata = std::fs::symlink_metadata(work.join(name));
        metadata
            .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
    };
    let file = |file: &crate::store::UploadedFile| SubmittedFile {
        name: file.name.clone(),
        role: file.role,
        bytes: file.bytes,
        is_program: is_program(&file.name),
    };
    job.submission.files.iter().map(file).collect()
}

/// The commands to type, one on each line.
fn commands(job: &ServedJob, details: &JobDetails, files: &[SubmittedFile]) -> String {
    let mut lines = Vec::new();
    let programs: Vec<String> =
        files.iter().filter(|file| file.is_program).map(|file| quoted(&file.name)).collect();
    if !programs.is_empty() {
        // Browsers save files without the permission to run them.
        lines.push(format!("chmod +x {}", programs.join(" ")));
    }
    if let Some(bundle) = files.iter().find(|file| file.role == FileRole::Repository) {
        lines.push(format!("git clone {} {REPOSITORY}", quoted(&bundle.name)));
        lines.push(format!("cd {REPOSITORY}"));
    }
    lines.push(repeated_command(job, details.environment.as_ref()));
    lines.join("\n")
}

/// The command line, and links to the files that it needs.
pub fn repeat_section(job: &ServedJob, details: &JobDetails, files: &[SubmittedFile]) -> Markup {
    let environment = details.environment.as_ref();
    html! {
        section aria-labelledby="repeat" {
            h2 id="repeat" { "Repeat it on your machine" }
            @if files.is_empty() {
                p { "Nothing but the command is needed:" }
            } @else {
                p { "Save what was submitted in an empty directory, and run there:" }
            }
            @if let Some(directory) = environment.and_then(|known| known.directory.as_ref()) {
                p.note { "On the server it runs in " code { (visible(&directory.display().to_string())) } "." }
            }
            pre.command id="command" role="region" tabindex="0" aria-label="Commands" { (preformatted(&commands(job, details, files))) }
            button.copy type="button" data-copy="command" hidden { "Copy" }
            @if !files.is_empty() {
                h3 { "What was submitted" }
                ul.files {
                    @for file in files.iter().take(MAX_LINKS) {
                        li {
                            a.submitted href={ "/jobs/" (job.code) "/submitted/" (percent_encoded(&file.name)) } download=(last_part(&file.name)) { (visible(&file.name)) }
                            " " span.note { (role_words(file.role)) ", " (count(file.bytes, "byte")) }
                        }
                    }
                }
                @if files.len() > MAX_LINKS { p.note { "and " (files.len() - MAX_LINKS) " more files" } }
            }
        }
    }
}

fn last_part(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

fn role_words(role: FileRole) -> &'static str {
    match role {
        FileRole::Input => "input that fails",
        FileRole::Passing => "input that passes",
        FileRole::Good => "version that works",
        FileRole::Bad => "version that fails",
        FileRole::Repository => "history",
        FileRole::File => "needed by the test",
    }
}
