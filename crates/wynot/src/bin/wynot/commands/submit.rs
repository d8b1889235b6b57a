//! `wynot submit`: as a verb of this program, but on a server.

use super::submit_client::{ServerClient, UploadPart};
use super::submit_files::{SubmittedFiles, is_reached};
use super::usage_errors::usage_error;
use super::{Cli, command_line};
use crate::exit_code::Code;
use clap::{ArgAction, ArgMatches, Args, CommandFactory, ValueHint};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use wynot::{Error, ErrorKind};
use wynot_session::plain;

/// The arguments of `wynot submit`.
#[derive(Debug, Args)]
pub struct SubmitArgs {
    /// The server [default: $WYNOT_SERVER, or http://127.0.0.1:8411]
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    server: Option<String>,

    /// A file with the token [default: the token in $WYNOT_TOKEN]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    token_file: Option<PathBuf>,

    /// The project that the failure belongs to
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    project: String,

    /// What people call the failure [default: the command]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,

    /// An environment of the server that says how tests run; no test is given then
    #[arg(long, value_name = "NAME")]
    environment: Option<String>,

    /// Print the address of the job's page and do not wait
    #[arg(long)]
    detach: bool,

    /// The verb with its options, inputs and test, as without submit
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "COMMAND"
    )]
    command: Vec<OsString>,
}

/// The verbs of servers.
const VERBS: [&str; 6] = ["reduce", "isolate", "options", "changes", "history", "explain"];

/// The options that concern this machine, not the search.
const LOCAL_OPTIONS: [&str; 6] = ["output", "json", "quiet", "verbose", "report", "jobs"];

/// What stands for a test that the environment has.
const NO_TEST: &str = "of-the-environment";

/// Submits a job, waits for it, and writes its result.
pub fn run(args: &SubmitArgs, here: &Path) -> Result<ExitCode, Error> {
    let (verb, matches) = parse(args)?;
    let client = ServerClient::new(args.server.as_deref(), token(args)?);
    let (request, files) = submission(args, &verb, &matches, here)?;
    let mut parts = vec![UploadPart::text("request", request.to_string())];
    parts.extend(files.parts);
    let job = client.submit(&parts)?;
    let code = job["id"].as_str().unwrap_or_default().to_owned();
    let page = client.address(&format!("/jobs/{code}"));
    if args.detach {
        print_line!("{page}");
        return Ok(ExitCode::SUCCESS);
    }
    let is_quiet = matches.get_flag("quiet");
    if !is_quiet {
        print_error_line!("wynot: {page} (Ctrl-C leaves the job running there)");
    }
    client.follow(&code, |line| {
        if !is_quiet {
            print_error_line!("wynot: {line}");
        }
    })?;
    let job = client.job(&code)?;
    finish(&client, &job, &matches, &verb, here)
}

/// The verb and its arguments, as the command line of this program reads them.
fn parse(args: &SubmitArgs) -> Result<(String, ArgMatches), Error> {
    let verb = args.command.first().and_then(|verb| verb.to_str()).unwrap_or_default();
    if !VERBS.contains(&verb) {
        let message = format!("{verb:?} cannot be submitted");
        let hint = format!(
            "the verbs are {}; as in: wynot submit reduce bug.c -- gcc -c {{}}",
            VERBS.join(", ")
        );
        return Err(Error::usage(message).hint(hint));
    }
    let mut words = vec![OsString::from("wynot")];
    words.extend(args.command.iter().cloned());
    if args.environment.is_some() && verb != "explain" && !words.iter().any(|word| word == "--") {
        words.extend(["--".into(), NO_TEST.into()]);
    }
    let mut matches =
        Cli::command().try_get_matches_from(words).map_err(|error| match error.use_stderr() {
            true => bad_command_line(&error, args, verb),
            false => error.exit(),
        })?;
    match matches.remove_subcommand() {
        Some(found) => Ok(found),
        None => Err(Error::usage("there is no verb")),
    }
}

/// The error of a verb whose arguments cannot be parsed.
fn bad_command_line(error: &clap::Error, args: &SubmitArgs, verb: &str) -> Error {
    let words = args.command.iter().map(|word| word.to_string_lossy().into_owned());
    let error = usage_error(error, &words.collect::<Vec<_>>(), &command_line());
    let [local, submitted] = [format!("wynot {verb} "), format!("wynot submit {verb} ")];
    let replaced = |text: String| text.replace(&local, &submitted);
    Error {
        message: replaced(error.message),
        hints: error.hints.into_iter().map(replaced).collect(),
        next_command: error.next_command.map(replaced),
        ..error
    }
}

fn token(args: &SubmitArgs) -> Result<Option<String>, Error> {
    match &args.token_file {
        None => Ok(std::env::var("WYNOT_TOKEN").ok().filter(|token| !token.is_empty())),
        Some(file) => {
            let text = std::fs::read_to_string(file).map_err(|error| {
                Error::usage(format!("cannot read {}: {error}", file.display()))
            })?;
            Ok(Some(text.trim().to_owned()))
        }
    }
}

/// The submission of a verb, and the files that go with it.
fn submission(
    args: &SubmitArgs,
    verb: &str,
    matches: &ArgMatches,
    here: &Path,
) -> Result<(Value, SubmittedFiles), Error> {
    let mut files = SubmittedFiles::new(here);
    let test = texts(matches, "test").unwrap_or_default();
    let has_own_test = test.first().is_some_and(|word| word != NO_TEST);
    let test = if has_own_test { test } else { Vec::new() };
    for input in texts(matches, "inputs").unwrap_or_default() {
        files.add_input(&input)?;
    }
    if let Some(passing) = texts(matches, "passing").and_then(|all| all.into_iter().next()) {
        files.add("passing", &passing)?;
    }
    let mut options = options(verb, matches);
    if let Some(paths) = texts(matches, "with").filter(|_| !has_versions(verb)) {
        options.retain(|word| !word.starts_with("--with="));
        for path in paths {
            files.add_needed(&path)?;
        }
    }
    if let Some(file) = texts(matches, "vary_file").and_then(|all| all.into_iter().next()) {
        options.retain(|word| !word.starts_with("--vary-file="));
        options.push(format!("--vary={}", options_of_file(&file, here)?));
    }
    if has_versions(verb) {
        add_versions(verb, matches, &mut options, &mut files)?;
    }
    let run = |name| texts(matches, name).and_then(|all| all.into_iter().next());
    let (pass, fail) = match verb {
        "explain" => (run("pass"), run("fail")),
        _ => (None, None),
    };
    options.retain(|word| {
        !(verb == "explain" && ["--pass=", "--fail="].iter().any(|name| word.starts_with(name)))
    });
    let words = test.iter().cloned().chain(
        [&pass, &fail]
            .into_iter()
            .flatten()
            .flat_map(|run| run.split_whitespace().map(str::to_owned).collect::<Vec<_>>()),
    );
    for word in words {
        files.add_named(&word)?;
    }
    let default_title = || {
        let words: Vec<String> =
            args.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        wynot_subjects::quote::command(&words).chars().take(120).collect()
    };
    let request = json!({
        "verb": verb,
        "project": args.project,
        "title": args.title.clone().unwrap_or_else(default_title),
        "environment": args.environment,
        "options": options,
        "test": test,
        "pass": pass,
        "fail": fail,
        "directory": files.directory,
    });
    Ok((request, files))
}

/// The options in a file as one text, which goes to a server instead of the file.
fn options_of_file(file: &str, here: &Path) -> Result<String, Error> {
    let text = std::fs::read_to_string(here.join(file))
        .map_err(|error| Error::usage(format!("cannot read {file}: {}", plain(&error))))?;
    let begins = |word: &str| word.starts_with(['-', '+']);
    let is_option = |line: &&str| {
        let mut words = line.split_whitespace();
        words.next().is_none_or(begins) && !words.any(begins)
    };
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    match lines.iter().find(|line| !is_option(line)) {
        None => Ok(lines.join(" ")),
        Some(line) => {
            Err(Error::usage(format!("--vary-file on a server: {line:?} is not one option"))
                .hint("each line has to begin with - and to have no other word that does"))
        }
    }
}

/// Whether a verb searches versions of a program.
fn has_versions(verb: &str) -> bool {
    verb == "changes" || verb == "history"
}

/// Adds two versions as archives, or the repository in which they are.
fn add_versions(
    verb: &str,
    matches: &ArgMatches,
    options: &mut Vec<String>,
    files: &mut SubmittedFiles,
) -> Result<(), Error> {
    let mut has_archive = false;
    for side in ["good", "bad"].into_iter().filter(|_| verb == "changes") {
        let version = texts(matches, side).and_then(|all| all.into_iter().next());
        if let Some(path) = version.filter(|version| is_reached(version, files.here())) {
            files.add(side, &path)?;
            options.retain(|word| *word != format!("--{side}={path}"));
            has_archive = true;
        }
    }
    if has_archive { Ok(()) } else { files.add_repository() }
}

/// All values of an argument, as texts.
fn texts(matches: &ArgMatches, id: &str) -> Option<Vec<String>> {
    let values = matches.try_get_raw(id).ok().flatten()?;
    Some(values.map(|value| value.to_string_lossy().into_owned()).collect())
}

/// The options of the search that were given, one word each.
fn options(verb: &str, matches: &ArgMatches) -> Vec<String> {
    let cli = Cli::command();
    let Some(command) = cli.find_subcommand(verb) else { return Vec::new() };
    let mut words = Vec::new();
    for argument in command.get_arguments() {
        let (id, Some(name)) = (argument.get_id().as_str(), argument.get_long()) else { continue };
        let is_given = matches.value_source(id) == Some(clap::parser::ValueSource::CommandLine);
        if !is_given || LOCAL_OPTIONS.contains(&name) || name == "passing" {
            continue;
        }
        match argument.get_action() {
            ArgAction::SetTrue => words.push(format!("--{name}")),
            _ => {
                let values = texts(matches, id).unwrap_or_default();
                words.extend(values.into_iter().map(|value| format!("--{name}={value}")));
            }
        }
    }
    words
}

/// The error of a job without a result, which is that of its search if it had one.
fn failure(job: &Value, message: &str) -> Error {
    let kind = match job["exit"].as_i64() {
        Some(2) => ErrorKind::Usage,
        Some(3) => ErrorKind::NoFailure,
        Some(4) => ErrorKind::Indeterminate,
        _ => ErrorKind::Unexpected,
    };
    let what = if job["state"] == "cancelled" { "was cancelled" } else { "has failed" };
    let mut error = Error::new(kind, format!("the job {what}: {message}"));
    for line in job["result"]["details"].as_array().into_iter().flatten() {
        error = error.detail(line.as_str().unwrap_or_default());
    }
    match kind {
        ErrorKind::NoFailure => {
            error.hint("if the test needs other files, name them: --with FILE before the --")
        }
        _ => error,
    }
}

/// Writes what the job has found, and returns the exit code of the search.
fn finish(
    client: &ServerClient,
    job: &Value,
    matches: &ArgMatches,
    verb: &str,
    here: &Path,
) -> Result<ExitCode, Error> {
    let message = job["message"].as_str().unwrap_or("it has no result");
    let page = client.address(job["page"].as_str().unwrap_or_default());
    if job["state"] != "done" {
        if matches.get_flag("json") && job["result"].is_object() {
            print_line!("{}", job["result"]);
        }
        return Err(failure(job, message).hint(format!("{page} has its messages")));
    }
    let written = super::submit_files::write_outputs(client, job, matches, verb, here)?;
    if let Some(path) = texts(matches, "report").and_then(|all| all.into_iter().next()) {
        let code = job["id"].as_str().unwrap_or_default();
        let report = client.download(&format!("/api/v1/jobs/{code}/report"))?;
        let path = here.join(path);
        std::fs::write(&path, report).map_err(|error| Error::cannot_write(&path, &error))?;
    }
    if matches.get_flag("json") {
        print_line!("{}", job["result"]);
    } else {
        print_line!("{verb}: {}", job["answer"].as_str().unwrap_or(message));
        for path in &written {
            print_line!("{}", path.display());
        }
        print_line!("{page}");
    }
    let exit = job["exit"].as_i64().and_then(|code| u8::try_from(code).ok());
    Ok(exit.map_or(ExitCode::from(Code::Unexpected as u8), ExitCode::from))
}
