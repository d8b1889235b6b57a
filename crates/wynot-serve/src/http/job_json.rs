//! Jobs as JSON objects.

use super::time_text::rfc3339;
use crate::jobs::LiveView;
use crate::jobs::job_command::repeated_command;
use crate::pages::answer_text::headline;
use crate::store::{JobDirectory, ServedJob, TestEnvironment};
use serde_json::{Value, json};
use std::path::Path;

/// What is known about a job besides its row.
#[derive(Debug, Default)]
pub struct JobDetails {
    /// Its environment.
    pub environment: Option<TestEnvironment>,
    /// Its present state, if it runs.
    pub live: Option<LiveView>,
    /// The number of jobs before it, if it waits.
    pub position: Option<u64>,
    /// Other jobs about the same failure.
    pub duplicates: Vec<ServedJob>,
    /// The files of its result.
    pub outputs: Vec<OutputFile>,
}

/// A file of a result.
#[derive(Clone, Debug)]
pub struct OutputFile {
    /// Its name, relative to the directory with the results.
    pub name: String,
    /// Its size.
    pub bytes: u64,
}

/// A job as a line of a list.
pub fn job_summary(job: &ServedJob) -> Value {
    let result = job.result.as_ref();
    let number = |name: &str, part: &str| result.map(|result| result[name][part].clone());
    json!({
        "id": job.code.as_str(),
        "number": job.number,
        "page": format!("/jobs/{}", job.code),
        "state": job.state,
        "verb": job.submission.verb,
        "project": job.submission.project,
        "title": job.submission.title,
        "environment": job.submission.environment,
        "environment_version": job.environment_version,
        "submitter": job.submitter,
        "submitted": rfc3339(job.submitted),
        "started": job.started.map(rfc3339),
        "ended": job.ended.map(rfc3339),
        "attempts": job.attempts,
        "exit": job.exit,
        "message": job.message,
        "failure": job.failure,
        "answer": headline(job),
        "status": result.map(|result| result["status"].clone()),
        "bytes_before": number("bytes", "before"),
        "bytes_after": number("bytes", "after"),
        "tests": number("tests", "executed"),
    })
}

/// A job with everything about it.
pub fn job_object(job: &ServedJob, details: &JobDetails) -> Value {
    let mut object = job_summary(job);
    let duplicates: Vec<&str> = details.duplicates.iter().map(|job| job.code.as_str()).collect();
    let outputs: Vec<Value> = details
        .outputs
        .iter()
        .map(|file| {
            let url = format!("/api/v1/jobs/{}/files/{}", job.code, percent_encoded(&file.name));
            json!({"name": file.name, "bytes": file.bytes, "url": url})
        })
        .collect();
    let more = json!({
        "options": job.submission.options,
        "test": job.submission.test,
        "files": job.submission.files,
        "position": details.position,
        "progress": details.live,
        "result": job.result,
        "duplicates": duplicates,
        "outputs": outputs,
        "command": repeated_command(job, details.environment.as_ref()),
    });
    if let (Value::Object(object), Value::Object(more)) = (&mut object, more) {
        object.extend(more);
    }
    object
}

/// The files of a result, without the journal and the report.
pub fn output_files(directory: &JobDirectory) -> Vec<OutputFile> {
    let mut files = Vec::new();
    collect(&directory.out(), "", &mut files);
    files.sort_by(|a, b| a.name.cmp(&b.name));
    files
}

/// The most files of a result that are listed.
const MAX_OUTPUTS: usize = 1000;

fn collect(directory: &Path, prefix: &str, files: &mut Vec<OutputFile>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else {
            continue;
        };
        let is_own = prefix.is_empty() && matches!(name.as_str(), "session" | "report.html");
        if is_own || files.len() >= MAX_OUTPUTS {
            continue;
        }
        let path = format!("{prefix}{name}");
        if kind.is_dir() {
            collect(&entry.path(), &format!("{path}/"), files);
        } else if kind.is_file() {
            let bytes = entry.metadata().map(|metadata| metadata.len()).unwrap_or_default();
            files.push(OutputFile { name: path, bytes });
        }
    }
}

/// A path as part of a URL.
pub fn percent_encoded(path: &str) -> String {
    let mut text = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                text.push(char::from(byte));
            }
            _ => text += &format!("%{byte:02X}"),
        }
    }
    text
}
