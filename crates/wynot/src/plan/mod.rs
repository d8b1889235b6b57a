//! A plan: everything that was asked for, checked once and made definite, before the first test.
//!
//! Here: the subject (`input`, `versions`), the algorithm, where results and the session go, and the key of the session.
//! Planning reads files, runs nothing but git and archive tools, and prints nothing.

mod algorithm;
mod call_input;
mod folder_input;
mod input;
mod key;
mod outputs;
mod result_names;
mod session_dir;
mod versions;

use crate::error::Error;
use crate::notes::Notes;
use crate::request::{Algorithm, ExitCodes, Request, Verb};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use wynot_exec::command::{BadCommand, BadProgram, Convention};
use wynot_exec::{CrashDetection, Limits, TestCommand, TestSpec, VariantForm};
use wynot_session::judge::{ExitMeaning, FailureCriteria, Quorum};
use wynot_session::{Digest, ResultFiles, plain};
use wynot_subjects::Subject;

pub use input::SearchInput;
pub use outputs::OutputPaths;
pub use result_names::numbered;
pub(crate) use result_names::{kept_original, tagged};
pub(crate) use session_dir::{default_session, state_dirs};
pub use versions::{VersionHistory, VersionPair};

/// How many functions distinguish crashes that are only collected.
const FUNCTIONS_OF_COLLECTED_CRASHES: u8 = 5;

/// A search, ready to run.
#[derive(Debug)]
pub struct Plan {
    /// What is to be done.
    pub verb: Verb,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// What varies.
    pub input: SearchInput,
    /// The versions, if these vary.
    pub versions: Option<VersionPair>,
    /// The command of the test.
    pub command: TestCommand,
    /// The project; tests run in a copy of it.
    pub project: Option<PathBuf>,
    /// What the user says about outcomes.
    pub criteria: FailureCriteria,
    /// How often each variant is tested.
    pub quorum: Quorum,
    /// Whether the rate of failures is measured and kept.
    pub flaky: bool,
    /// What a test may use.
    pub limits: Limits,
    /// Whether tests run in a sandbox.
    pub sandbox: bool,
    /// How crashes are detected, if they are.
    pub crashes: Option<CrashDetection>,
    /// How long a test may take; `None` to choose by the first runs.
    pub timeout: Option<Duration>,
    /// How many tests run at the same time.
    pub jobs: usize,
    /// Where results go, as the user wrote it.
    pub outputs: OutputPaths,
    /// The files of the results.
    pub results: ResultFiles,
    /// The directory of the session.
    pub session: PathBuf,
    /// The digest of everything that outcomes depend on.
    pub key: Digest,
    /// What is written besides results, as absolute paths.
    written: Vec<PathBuf>,
}

impl Plan {
    /// Checks a request and makes it definite.
    pub fn new(request: &Request, notes: &mut dyn Notes) -> Result<Self, Error> {
        let here = &request.directory;
        let algorithm = algorithm::choose(request)?;
        let project = request.run.project.as_deref();
        let project = project.map(|dir| project_directory(dir, here)).transpose()?;
        let (command, input, versions) = match &request.versions {
            Some(wanted) => {
                let versions = VersionPair::read(wanted, here, notes)?;
                let build = wanted.build.as_deref();
                let command = TestCommand::in_folder(&request.test, build, &versions.bad, here)
                    .map_err(|error| bad_command(&error, here))?;
                let input = SearchInput::from_versions(&versions, wanted.group)?;
                (command, input, Some(versions))
            }
            None => {
                let convention = request.outcome.convention;
                let command = TestCommand::new(&request.test, convention, &request.inputs, here)
                    .map_err(|error| bad_command(&error, here))?;
                let project = project.as_deref();
                let input = match (&request.vary, request.inputs.as_slice()) {
                    (Some(_), _) => call_input::read_call(request, &command)?,
                    (None, [input]) if !request.at(input).is_dir() => {
                        SearchInput::from_file(request, input, algorithm, project)?
                    }
                    (None, _) => folder_input::read(request, algorithm, &command, project, notes)?,
                };
                (command, input, None)
            }
        };
        let mut limits = Limits::default();
        request.run.limits.iter().for_each(|limit| limits.set(*limit));
        let outputs = OutputPaths::choose(request, algorithm, &input)?;
        let mut plan = Self {
            verb: request.verb,
            algorithm,
            results: outputs.files(here, &input),
            outputs,
            command,
            // A folder is all that is in the private directory, the project included.
            project: project.filter(|_| input.form != VariantForm::Folder),
            input,
            versions,
            criteria: criteria(request),
            quorum: quorum(request.outcome.repeat, request.outcome.quorum)?,
            flaky: request.outcome.flaky,
            limits,
            sandbox: request.run.sandbox,
            crashes: crash_detection(request)?,
            timeout: request.run.timeout,
            jobs: jobs(request.run.jobs),
            session: PathBuf::new(),
            key: Digest::of_bytes(b""),
            written: written(request),
        };
        plan.key = plan.key();
        let key = plan.key.to_string();
        plan.results.tag = key[..8].to_owned();
        plan.session = match &request.run.session {
            Some(dir) => session_dir::named_session(&here.join(dir), &key),
            None => default_session(&key),
        };
        // The answer about versions is a patch at the end; trees on the way are of no use.
        if plan.outputs.failing.as_os_str().is_empty() && plan.verb != Verb::Changes {
            plan.outputs.failing = plan.session.join("result");
            plan.outputs.passing = algorithm.isolates().then(|| plan.session.join("passing"));
            plan.results.failing = plan.outputs.failing.clone();
            plan.results.passing = plan.outputs.passing.clone();
        }
        Ok(plan)
    }

    /// The test, for an executor. With `keeps_products`, what builds make stays from one test to the next.
    pub fn test_spec(&self, keeps_products: bool) -> Arc<TestSpec> {
        Arc::new(TestSpec {
            command: self.command.clone(),
            form: self.input.form,
            name: self.input.variant.clone(),
            mode: self.input.mode,
            project: self.project.clone(),
            keeps_products,
            limits: self.limits,
            sandbox: self.sandbox,
            crashes: self.crashes,
            variant_size: self.subject().size(),
        })
    }

    /// Whether the result is printed instead of being left in a file beside the input.
    pub fn is_printed(&self) -> bool {
        matches!(self.verb, Verb::Options | Verb::Changes)
    }

    /// How far the two sides are apart: in versions, if there is a history, else in deltas.
    pub fn distance(&self) -> u64 {
        match self.versions.as_ref().and_then(|versions| versions.history.as_ref()) {
            Some(history) => history.row.len() as u64 - 1,
            None => u64::from(self.subject().deltas()),
        }
    }

    /// What varies.
    pub fn subject(&self) -> &Subject {
        &self.input.subject
    }

    /// The units of deltas, in words.
    pub fn units(&self) -> String {
        match self.algorithm {
            Algorithm::Smart if self.input.form == VariantForm::Folder => "file,syntax".to_owned(),
            Algorithm::Smart => "syntax".to_owned(),
            _ => {
                let mut names = self.subject().level_names();
                // JSON has as many levels as it needs.
                names.dedup();
                names.join(",")
            }
        }
    }
}

/// What the user says about outcomes.
fn criteria(request: &Request) -> FailureCriteria {
    let outcome = &request.outcome;
    let exit_meaning = match outcome.exit_codes {
        Some(ExitCodes::Reduce) => Some(ExitMeaning::Interesting),
        Some(ExitCodes::Bisect) => Some(ExitMeaning::Bisect),
        None if request.versions.is_some() && outcome.convention.is_none() => {
            Some(ExitMeaning::Bisect)
        }
        None => outcome.convention.map(Convention::exit_meaning),
    };
    FailureCriteria {
        exit_meaning,
        fail_when: outcome.fail_when.clone(),
        pass_when: outcome.pass_when.clone(),
        same_output: outcome.same_output,
        same_crash: outcome.same_crash,
        prevent: request.prevents(),
        same_failure: request.versions.as_ref().is_some_and(|versions| !versions.any_failure),
    }
}

/// How crashes are detected, if they are.
fn crash_detection(request: &Request) -> Result<Option<CrashDetection>, Error> {
    let by_gdb = request.outcome.crash_with_gdb;
    let path = std::env::var_os("PATH").unwrap_or_default();
    if by_gdb && !std::env::split_paths(&path).any(|dir| dir.join("gdb").is_file()) {
        return Err(Error::usage("--crash-with gdb needs gdb, which is not in the PATH"));
    }
    let collected = request.input.all_causes.then_some(FUNCTIONS_OF_COLLECTED_CRASHES);
    let functions = request.outcome.same_crash.or(collected);
    Ok(functions.map(|functions| CrashDetection { functions, by_gdb }))
}

fn bad_command(error: &BadCommand, here: &Path) -> Error {
    let program = error.program.to_string_lossy();
    let refused = Error::usage(error);
    match &error.reason {
        BadProgram::Missing if here.join(&error.program).is_file() => refused
            .hint(format!("commands are looked up in PATH; for the file here, write ./{program}")),
        BadProgram::Missing if program.contains(' ') => refused.hint(format!(
            "write the words of the command without quotes around them all, or use sh -c '{program}'"
        )),
        BadProgram::NotExecutable => refused.hint(format!("chmod +x {program}")),
        BadProgram::NoInterpreter => {
            refused.hint(format!("begin {program} with a line such as #!/bin/sh"))
        }
        _ => refused,
    }
}

fn project_directory(dir: &Path, here: &Path) -> Result<PathBuf, Error> {
    match here.join(dir).canonicalize() {
        Ok(found) if found.is_dir() => Ok(found),
        Ok(_) => Err(Error::usage(format!("--in {}: it is no directory", dir.display()))),
        Err(error) => Err(Error::usage(format!("--in {}: {}", dir.display(), plain(&error)))),
    }
}

fn quorum(repeat: u32, needed: Option<u32>) -> Result<Quorum, Error> {
    let needed = needed.unwrap_or(repeat / 2 + 1);
    if (1..=repeat).contains(&needed) {
        Ok(Quorum::Count { repeat, needed })
    } else {
        Err(Error::usage(format!(
            "--quorum {needed}: use a number from 1 to {repeat}, as --repeat is {repeat}"
        )))
    }
}

/// What is written besides results, as absolute paths.
fn written(request: &Request) -> Vec<PathBuf> {
    let original = request.input.in_place.then(|| kept_original(&request.inputs[0]));
    let named = request.written_by_caller.iter().chain(&request.run.session).cloned();
    named.chain(original).map(|path| request.at(&path)).collect()
}

fn jobs(wanted: Option<u16>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    wanted.map_or_else(cores, usize::from)
}
