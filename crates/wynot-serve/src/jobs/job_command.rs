//! The command line of a job.

use crate::server_config::ServerConfig;
use crate::store::served_options::check_options;
use crate::store::{
    BadSubmission, FileRole, JobDirectory, ServedJob, ServedVerb, Submission, TestEnvironment,
    UploadedFile,
};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The name of the directory with the repository of a job.
const REPOSITORY: &str = "repository";

/// The name of a patch.
const PATCH: &str = "changes.patch";

/// How the process of a job is started.
#[derive(Debug, PartialEq, Eq)]
pub struct JobCommand {
    /// The working directory.
    pub directory: PathBuf,
    /// The arguments of `wynot`.
    pub args: Vec<OsString>,
    /// Whether the process as a whole is in a sandbox, because its tests have none of their own.
    pub is_in_sandbox: bool,
    /// The git bundle that must be unpacked before, and where to.
    pub bundle: Option<(PathBuf, PathBuf)>,
}

/// The command of a job.
pub fn job_command(
    job: &ServedJob,
    environment: Option<&TestEnvironment>,
    directory: &JobDirectory,
    data: &Path,
    config: &ServerConfig,
) -> Result<JobCommand, BadSubmission> {
    let submission = &job.submission;
    let bundle = file(submission, FileRole::Repository)
        .map(|name| (directory.work().join(name), directory.work().join(REPOSITORY)));
    let own_directory = environment.and_then(|environment| environment.directory.clone());
    let here = match (&bundle, own_directory) {
        (Some((_, repository)), _) => repository.clone(),
        (None, Some(directory)) => directory,
        (None, None) => directory.work(),
    };
    let mut args: Vec<OsString> = vec![submission.verb.name().into()];
    let mut add = |word: String| args.push(word.into());
    add(format!("--jobs={}", config.tests_per_job));
    add("--json".to_owned());
    add(format!("--events={}", directory.events(job.attempts).display()));
    add(format!("--report={}", directory.report().display()));
    add(format!("--session={}", directory.session().display()));
    if let Some(name) = output_name(submission) {
        add(format!("--output={}", directory.out().join(name).display()));
    }
    let mut options = check_options(submission.verb, &submission.options)?.words;
    options.splice(0..0, environment.into_iter().flat_map(|known| known.options.clone()));
    let is_remote = options.iter().any(|word| word.starts_with("--executor"));
    let is_explain = submission.verb == ServedVerb::Explain;
    if !is_explain && !is_remote {
        add("--sandbox".to_owned());
        add(format!("--sandbox-hide={}", data.display()));
        for shown in environment.into_iter().flat_map(|known| &known.shown) {
            add(format!("--sandbox-read={}", shown.display()));
        }
        if config.is_partial {
            add("--sandbox-partial".to_owned());
        }
        add(format!("--limit=processes={}", config.limits.processes));
        add(format!("--limit=resident={}", config.limits.memory));
        add(format!("--limit=file={}", config.limits.disk));
    }
    options.into_iter().for_each(&mut add);
    match is_explain {
        true => add_runs(&mut args, submission, environment, directory),
        false => add_parts(&mut args, submission, environment, directory, &here),
    }
    Ok(JobCommand { directory: here, args, is_in_sandbox: is_explain, bundle })
}

/// Adds the inputs or versions, and the test.
fn add_parts(
    args: &mut Vec<OsString>,
    submission: &Submission,
    environment: Option<&TestEnvironment>,
    directory: &JobDirectory,
    here: &Path,
) {
    // Results name their inputs, and should not show where the data of the server is.
    let path = |name: &str| {
        let path = directory.work().join(name);
        path.strip_prefix(here).map(Path::to_owned).unwrap_or(path)
    };
    let option = |name: &str, role| {
        let name_of = file(submission, role)?;
        Some(OsString::from(format!("--{name}={}", path(name_of).display())))
    };
    match submission.verb {
        ServedVerb::Reduce | ServedVerb::Isolate => {
            args.extend(option("passing", FileRole::Passing));
            let inputs = inputs(submission);
            args.extend(inputs.map(|name| path(name).into_os_string()));
        }
        ServedVerb::Changes => {
            args.extend(option("good", FileRole::Good));
            args.extend(option("bad", FileRole::Bad));
        }
        ServedVerb::Options | ServedVerb::History | ServedVerb::Explain => {}
    }
    args.push("--".into());
    let of_environment = environment.map(|known| &known.command).filter(|words| !words.is_empty());
    args.extend(of_environment.unwrap_or(&submission.test).iter().map(OsString::from));
}

/// Adds the two runs of `explain`.
fn add_runs(
    args: &mut Vec<OsString>,
    submission: &Submission,
    environment: Option<&TestEnvironment>,
    directory: &JobDirectory,
) {
    let from_template = |role| {
        let input = directory.work().join(file(submission, role)?).display().to_string();
        let words = environment?.command.iter().map(|word| word.replace("{}", &input));
        Some(wynot_subjects::quote::command(&words.collect::<Vec<_>>()))
    };
    let pass = submission.pass.clone().or_else(|| from_template(FileRole::Passing));
    let fail = submission.fail.clone().or_else(|| from_template(FileRole::Input));
    args.push(format!("--pass={}", pass.unwrap_or_default()).into());
    args.push(format!("--fail={}", fail.unwrap_or_default()).into());
}

/// The names of the inputs: files, or a directory.
fn inputs(submission: &Submission) -> impl Iterator<Item = &str> {
    let is_input = |file: &&UploadedFile| file.role == FileRole::Input;
    let files = submission.files.iter().filter(is_input).map(|file| file.name.as_str());
    let directory = submission.directory.as_deref();
    directory.into_iter().chain(files.filter(move |_| directory.is_none()))
}

/// The name of the first file in a role.
fn file(submission: &Submission, role: FileRole) -> Option<&str> {
    submission.files.iter().find(|file| file.role == role).map(|file| file.name.as_str())
}

/// The name of the result.
fn output_name(submission: &Submission) -> Option<String> {
    match submission.verb {
        ServedVerb::Reduce | ServedVerb::Isolate => {
            match inputs(submission).collect::<Vec<_>>().as_slice() {
                [one] => one.rsplit('/').next().map(str::to_owned),
                _ => Some("result".to_owned()),
            }
        }
        ServedVerb::Changes | ServedVerb::History => Some(PATCH.to_owned()),
        ServedVerb::Options | ServedVerb::Explain => None,
    }
}

/// The command line that repeats a job on another machine.
pub fn repeated_command(job: &ServedJob, environment: Option<&TestEnvironment>) -> String {
    let submission = &job.submission;
    let mut words = vec!["wynot".to_owned(), submission.verb.name().to_owned()];
    words.extend(environment.into_iter().flat_map(|known| known.options.clone()));
    words.extend(submission.options.clone());
    let named = |name: &str, role| file(submission, role).map(|file| format!("--{name}={file}"));
    if matches!(submission.verb, ServedVerb::Changes | ServedVerb::History) {
        words.push(format!("--output={PATCH}"));
    }
    words.extend(named("passing", FileRole::Passing));
    words.extend(named("good", FileRole::Good));
    words.extend(named("bad", FileRole::Bad));
    let run = |name: &str, run: &Option<String>| run.as_ref().map(|run| format!("--{name}={run}"));
    words.extend(run("pass", &submission.pass));
    words.extend(run("fail", &submission.fail));
    if submission.verb != ServedVerb::Explain {
        words.extend(inputs(submission).map(str::to_owned));
        words.push("--".to_owned());
        let of_environment =
            environment.map(|known| &known.command).filter(|words| !words.is_empty());
        words.extend(of_environment.unwrap_or(&submission.test).iter().cloned());
    }
    wynot_subjects::quote::command(&words)
}
