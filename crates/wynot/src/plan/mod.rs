//! A plan: a request that was checked and whose defaults are filled in, before the first test.
//!
//! Here: the subject (`input`, `folder_input`, `call_input`, `versions`, `version_list`, `history_input`,
//! `carried_files`, `lock_files`), the choice of the
//! algorithm, the paths of results and of the session, and the key of the session. Planning reads files, runs nothing but git,
//! and prints nothing. Not here: running tests, and conclusions from their outcomes.

mod algorithm;
mod call_input;
mod carried_files;
mod folder_input;
mod history_input;
mod input;
mod isolation;
mod kept_regions;
mod key;
mod lock_files;
mod outputs;
mod outside_commands;
mod project_directory;
mod project_headers;
mod protection;
mod result_names;
mod session_dir;
mod test_commands;
mod version_list;
mod versions;

use crate::error::Error;
use crate::notes::Notes;
use crate::remote_request::{RemoteRequest, USUAL_REMOTE_JOBS};
use crate::request::{Algorithm, ExitCodes, Request, Verb};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use test_commands::{bad_command, in_folder, not_with_versions, validity};
use wynot_core::Outcomes;
use wynot_crash::VariantFiles;
use wynot_exec::command::Convention;
use wynot_exec::{CrashDetection, Isolation, Limits, TestCommand, TestSpec, VariantForm};
use wynot_session::judge::{ExitMeaning, FailureCriteria, Quorum};
use wynot_session::{Digest, ResultFiles};
use wynot_subjects::Subject;

pub use carried_files::CarriedFiles;
pub use input::SearchInput;
pub use outputs::OutputPaths;
pub use outside_commands::OutsideCommand;
use project_directory::project_directory;
pub use protection::Protection;
pub use result_names::numbered;
pub(crate) use result_names::{backup_path, tag_file_name};
pub(crate) use session_dir::{default_session, state_dirs};
pub use versions::{VersionHistory, VersionPair};

/// The number of innermost functions that distinguish crashes which are only collected.
const FUNCTIONS_OF_COLLECTED_CRASHES: u8 = 5;

/// A search, ready to run.
#[derive(Debug)]
pub struct Plan {
    /// The verb of the search.
    pub verb: Verb,
    /// The algorithm of the search.
    pub algorithm: Algorithm,
    /// The subject, and how tests receive its variants.
    pub input: SearchInput,
    /// The two versions, if these are compared.
    pub versions: Option<VersionPair>,
    /// The command of the test.
    pub command: TestCommand,
    /// The command that must succeed on a variant, if there is one.
    pub validity: Option<TestCommand>,
    /// The outcomes of variants for which it must succeed.
    pub checked: Outcomes,
    /// The directory of the project; tests run in a copy of it.
    pub project: Option<PathBuf>,
    /// The user's criteria for outcomes.
    pub criteria: FailureCriteria,
    /// How often each variant is tested.
    pub quorum: Quorum,
    /// Whether the rate of failures is measured and kept.
    pub flaky: bool,
    /// The probability of the answer at which the bisection of a flaky row ends.
    pub confidence: f64,
    /// What a test may use.
    pub limits: Limits,
    /// How tests are kept apart from the rest of the system.
    pub isolation: Isolation,
    /// How crashes are detected; `None` if they are not.
    pub crashes: Option<CrashDetection>,
    /// How long a test may take; `None` to choose by the first runs.
    pub timeout: Option<Duration>,
    /// How many tests run at the same time.
    pub jobs: usize,
    /// The service whose workers run the tests, if it is not this machine.
    pub remote: Option<RemoteRequest>,
    /// The paths of the results, as the user wrote them.
    pub outputs: OutputPaths,
    /// What is left as it is on request.
    pub protection: Protection,
    /// Programs of the user that propose smaller texts.
    pub outside_commands: Vec<OutsideCommand>,
    /// The files of the results, with absolute paths.
    pub results: ResultFiles,
    /// The directory of the session.
    pub session: PathBuf,
    /// The digest of everything that outcomes depend on.
    pub key: Digest,
    /// The absolute paths of the files that are written besides results.
    written: Vec<PathBuf>,
}

impl Plan {
    /// Checks a request and fills in its defaults.
    pub fn new(request: &Request, notes: &mut dyn Notes) -> Result<Self, Error> {
        let here = &request.directory;
        let algorithm = algorithm::choose(request)?;
        let project = request.run.project.as_deref();
        let project = project.map(|dir| project_directory(dir, here)).transpose()?;
        let (command, input, versions) = read_input(request, algorithm, project.as_deref(), notes)?;
        let mut limits = Limits::default();
        request.run.limits.iter().for_each(|limit| limits.set(*limit));
        let outputs = OutputPaths::choose(request, algorithm, &input)?;
        let criteria = criteria(request, &input);
        let mut plan = Self {
            verb: request.verb,
            algorithm,
            results: outputs.files(here, &input),
            outputs,
            validity: validity(request, versions.as_ref())?,
            checked: match request.outcome.guard {
                Some(_) => Outcomes::RESOLVED,
                None => Outcomes::FAIL,
            },
            protection: Protection::of(request, algorithm, &input)?,
            outside_commands: outside_commands::read(request, algorithm, input.form)?,
            command,
            // A folder variant fills the whole private directory, including the files of the project.
            project: project.filter(|_| input.form != VariantForm::Folder),
            input,
            versions,
            criteria,
            quorum: quorum(request.outcome.repeat, request.outcome.quorum)?,
            flaky: request.outcome.flaky,
            confidence: request.algorithm.confidence,
            limits,
            isolation: isolation::isolation(request)?,
            crashes: crash_detection(request)?,
            timeout: request.run.timeout,
            jobs: match &request.run.remote {
                Some(remote) if !remote.cache_only => {
                    usize::from(request.run.jobs.unwrap_or(USUAL_REMOTE_JOBS))
                }
                _ => jobs(request.run.jobs),
            },
            remote: request.run.remote.clone(),
            session: PathBuf::new(),
            key: Digest::of_bytes(b""),
            written: other_written_files(request),
        };
        plan.key = plan.key();
        let key = plan.key.to_string();
        plan.results.tag = key[..8].to_owned();
        plan.session = match &request.run.session {
            Some(dir) => session_dir::named_session(&here.join(dir), &key),
            None => default_session(&key)?,
        };
        // The result of comparing two versions is a patch, written at the end; intermediate trees are not kept.
        if plan.outputs.failing.as_os_str().is_empty() && plan.versions.is_none() {
            plan.outputs.failing = plan.session.join("result");
            plan.outputs.passing = algorithm.isolates().then(|| plan.session.join("passing"));
            plan.results.failing = plan.outputs.failing.clone();
            plan.results.passing = plan.outputs.passing.clone();
        }
        Ok(plan)
    }

    /// The test, for an executor. With `keeps_products`, build products stay from one test to the next.
    pub fn test_spec(&self, keeps_products: bool) -> Arc<TestSpec> {
        Arc::new(TestSpec {
            command: self.command.clone(),
            form: self.input.form,
            name: self.input.variant.clone(),
            mode: self.input.mode,
            project: self.project.clone(),
            keeps_products,
            records_reads: false,
            limits: self.limits,
            isolation: self.isolation.clone(),
            crashes: self.crashes,
            variant_size: self.subject().size(),
        })
    }

    /// The specifications of the test and of the command that checks validity.
    pub(crate) fn specs(&self, keeps_products: bool) -> TestSpecs {
        let test = self.test_spec(keeps_products);
        let validity = self.validity.as_ref().map(|command| {
            let command = command.clone();
            let keeps_products = keeps_products && command.build.is_some();
            Arc::new(TestSpec { command, keeps_products, crashes: None, ..(*test).clone() })
        });
        TestSpecs { test, validity, checked: self.checked }
    }

    /// The test with crash detection, for an original that dies by a signal without any report.
    pub(crate) fn traced_spec(&self, spec: &TestSpec) -> Arc<TestSpec> {
        let functions = FUNCTIONS_OF_COLLECTED_CRASHES;
        let crashes = Some(CrashDetection { functions, by_gdb: false });
        Arc::new(TestSpec { crashes, ..spec.clone() })
    }

    /// Whether the result is printed instead of being left in a file beside the input.
    pub fn is_printed(&self) -> bool {
        matches!(self.verb, Verb::Options | Verb::Changes | Verb::History)
    }

    /// The distance between the two sides: in versions if there is a history, else in deltas.
    pub fn distance(&self) -> u64 {
        match self.versions.as_ref().and_then(|versions| versions.history.as_ref()) {
            Some(history) => history.row.len() as u64 - 1,
            None => u64::from(self.subject().deltas()),
        }
    }

    /// The names of the good and the bad version, if the search is about versions.
    pub fn version_names(&self) -> Option<(&str, &str)> {
        match (self.subject(), &self.versions) {
            (Subject::Versions(row), _) => {
                Some((row.names().first()?.as_str(), row.names().last()?.as_str()))
            }
            (_, Some(VersionPair { names: (good, bad), .. })) => Some((good, bad)),
            _ => None,
        }
    }

    /// The name of the algorithm.
    pub fn algorithm_name(&self) -> &'static str {
        match self.subject() {
            Subject::Versions(_) => "bisect",
            _ => self.algorithm.name(),
        }
    }

    /// The subject of the search.
    pub fn subject(&self) -> &Subject {
        &self.input.subject
    }

    /// The names of the units of deltas, separated by commas.
    pub fn units(&self) -> String {
        match self.algorithm {
            Algorithm::Smart if self.input.form == VariantForm::Folder => "file,syntax".to_owned(),
            Algorithm::Smart => "syntax".to_owned(),
            _ => {
                let mut names = self.subject().level_names();
                // JSON has a level for each depth of nesting, all with the same name.
                names.dedup();
                names.join(",")
            }
        }
    }
}

/// The command of the test, the input, and the versions that are compared.
fn read_input(
    request: &Request,
    algorithm: Algorithm,
    project: Option<&Path>,
    notes: &mut dyn Notes,
) -> Result<(TestCommand, SearchInput, Option<VersionPair>), Error> {
    let here = &request.directory;
    Ok(match (&request.version_list, &request.versions) {
        (Some(options), _) => {
            let (command, input) = version_list::read(options, request)?;
            (command, input, None)
        }
        (None, Some(options)) => {
            if let Some(dir) = &request.run.project {
                return Err(not_with_versions(dir));
            }
            let versions = VersionPair::read(options, here, notes)?;
            let build = options.build.as_deref();
            let command = in_folder(&request.test, build, &versions, here)
                .map_err(|error| bad_command(&error, here))?;
            let input = SearchInput::from_versions(&versions, options.group)?;
            (command, input, Some(versions))
        }
        (None, None) if request.history.is_some() => history_input::read(request, notes)?,
        (None, None) => {
            let convention = request.outcome.convention;
            let command = TestCommand::new(&request.test, convention, &request.inputs, here)
                .map_err(|error| bad_command(&error, here))?;
            let input = match (&request.vary, request.inputs.as_slice()) {
                (Some(_), _) => call_input::read_call(request, &command)?,
                (None, [input]) if !request.at(input).is_dir() => {
                    let read = SearchInput::from_file(request, input, algorithm, project, notes)?;
                    read.remark_on_unit(request).iter().for_each(|remark| notes.warn(remark));
                    read
                }
                (None, _) if request.input.inline_includes => {
                    return Err(Error::usage("--inline-includes is for a single input file"));
                }
                (None, _) => folder_input::read(request, algorithm, &command, project, notes)?,
            };
            (command, input, None)
        }
    })
}

/// The specifications of the commands that run on a variant.
#[derive(Clone, Debug)]
pub(crate) struct TestSpecs {
    /// The test.
    pub test: Arc<TestSpec>,
    /// The command that must succeed on a variant, if there is one.
    pub validity: Option<Arc<TestSpec>>,
    /// The outcomes of variants for which it must succeed.
    pub checked: Outcomes,
}

/// The user's criteria for outcomes.
fn criteria(request: &Request, input: &SearchInput) -> FailureCriteria {
    let outcome = &request.outcome;
    let compares_versions = request.compares_versions();
    let exit_meaning = match outcome.exit_codes {
        Some(ExitCodes::Reduce) => Some(ExitMeaning::Interesting),
        Some(ExitCodes::Bisect) => Some(ExitMeaning::Bisect),
        None if compares_versions && outcome.convention.is_none() => Some(ExitMeaning::Bisect),
        None => outcome.convention.map(Convention::exit_meaning),
    };
    // Conditions, and scripts that decide by their exit code, say what the failure is.
    let is_decided = outcome.any_failure
        || outcome.same_output
        || outcome.same_crash.is_some()
        || !outcome.fail_when.is_empty()
        || (exit_meaning.is_some() && !compares_versions);
    FailureCriteria {
        exit_meaning,
        fail_when: outcome.fail_when.clone(),
        pass_when: outcome.pass_when.clone(),
        same_output: outcome.same_output,
        same_crash: outcome.same_crash,
        prevent: request.prevents(),
        same_failure: !is_decided,
        no_new_errors: outcome.no_new_errors,
        variant_files: variant_files(input, compares_versions),
        program_varies: compares_versions,
    }
}

/// The files that vary from test to test.
fn variant_files(input: &SearchInput, compares_versions: bool) -> VariantFiles {
    match input.form {
        VariantForm::Call => VariantFiles::default(),
        VariantForm::Folder if compares_versions => VariantFiles::whole_directory().of_versions(),
        VariantForm::Folder => {
            let paths = input.varied.leaves().map(|(path, _)| path.to_string_lossy().into_owned());
            VariantFiles::named(paths)
        }
        VariantForm::File => VariantFiles::named([input.variant.to_string_lossy().into_owned()]),
    }
}

/// How crashes are detected; `None` if they are not.
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

/// The absolute paths of the files that are written besides results.
fn other_written_files(request: &Request) -> Vec<PathBuf> {
    let backup = request.input.in_place.then(|| backup_path(&request.inputs[0]));
    let named = request.written_by_caller.iter().chain(&request.run.session).cloned();
    named.chain(backup).map(|path| request.at(&path)).collect()
}

/// The number of jobs that was requested, or the number of cores.
pub(crate) fn jobs(requested: Option<u16>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    requested.map_or_else(cores, usize::from)
}
