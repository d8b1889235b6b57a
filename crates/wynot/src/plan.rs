//! What will be done: everything that was typed, checked once and made definite.

use crate::failure::Failure;
use crate::matter::Matter;
use crate::results::{keeper, kept_original};
use crate::selections::{AlgorithmName, CrashTool, ExitCodes};
use crate::sessions::Typed;
use crate::versions::Versions;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use wynot_run::{
    BadCommand, BadProgram, Convention, Crashes, Digest, Fingerprint, Form, Keeper, Limits, Place,
    Quorum, Reading, Stdin, TestCommand, Wishes, plain,
};
use wynot_subjects::{Subject, Variant};

/// How many functions tell crashes apart that are only collected.
const COLLECTED: u8 = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Reduce,
    Isolate,
    Options,
    Changes,
}

impl Verb {
    pub fn name(self) -> &'static str {
        match self {
            Self::Reduce => "reduce",
            Self::Isolate => "isolate",
            Self::Options => "options",
            Self::Changes => "changes",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    Smart,
    Ddmin,
    Gather,
    Dd,
    Ddmax,
}

impl Algorithm {
    pub fn name(self) -> &'static str {
        match self {
            Self::Smart => "smart",
            Self::Ddmin => "ddmin",
            Self::Gather => "gather",
            Self::Dd => "dd",
            Self::Ddmax => "ddmax",
        }
    }

    /// Whether the result is a pair of sides instead of a single input.
    pub fn isolates(self) -> bool {
        matches!(self, Self::Dd | Self::Ddmax)
    }
}

/// A search, ready to run.
#[derive(Debug)]
pub struct Plan {
    pub verb: Verb,
    pub algorithm: Algorithm,
    pub matter: Matter,
    /// The versions, if these vary.
    pub versions: Option<Versions>,
    pub command: TestCommand,
    /// The project that tests run in a copy of.
    pub project: Option<PathBuf>,
    pub wishes: Wishes,
    pub quorum: Quorum,
    /// Whether the rate of failures is measured and kept.
    pub flaky: bool,
    pub limits: Limits,
    pub sandbox: bool,
    pub crashes: Option<Crashes>,
    pub timeout: Option<Duration>,
    pub jobs: usize,
    pub keeper: Keeper,
    pub session: PathBuf,
    /// Identifies everything that outcomes depend on.
    pub key: Digest,
    /// What wynot itself writes, besides results.
    written: Vec<PathBuf>,
}

impl Plan {
    pub fn new(typed: &Typed) -> Result<Self, Failure> {
        let args = &typed.args;
        let here = std::env::current_dir().map_err(|error| Failure::unexpected(&error))?;
        let algorithm = algorithm(typed)?;
        let convention: Option<Convention> =
            args.outcome.convention.as_deref().and_then(|name| name.parse().ok());
        let project = args.run.project.as_deref().map(project).transpose()?;
        let (command, matter, versions) = match &typed.versions {
            Some(wanted) => {
                let versions = Versions::read(wanted, &here)?;
                let build = wanted.build.as_deref();
                let command = TestCommand::in_folder(&args.test, build, &versions.bad, &here)
                    .map_err(|error| bad_command(&error))?;
                (command, Matter::of_versions(&versions, wanted.group)?, Some(versions))
            }
            None => {
                let command = TestCommand::new(&args.test, convention, &typed.inputs, &here)
                    .map_err(|error| bad_command(&error))?;
                let matter = Matter::new(typed, algorithm, &command, project.as_deref())?;
                (command, matter, None)
            }
        };
        let quorum = quorum(args.outcome.repeat, args.outcome.quorum)?;
        let mut limits = Limits::default();
        args.run.limit.iter().for_each(|limit| limits.set(*limit));
        let wishes = Wishes {
            reading: reading(typed, convention),
            fail_when: args.outcome.fail_when.clone(),
            pass_when: args.outcome.pass_when.clone(),
            same_output: args.outcome.same_output,
            same_crash: args.outcome.same_crash,
            prevent: typed.prevents(),
            same_failure: typed.versions.as_ref().is_some_and(|versions| !versions.any_failure),
        };
        let mut plan = Self {
            verb: typed.verb,
            algorithm,
            keeper: keeper(typed, algorithm, &matter)?,
            command,
            // A folder is all that is in the room, the project included.
            project: project.filter(|_| matter.form != Form::Folder),
            matter,
            versions,
            wishes,
            quorum,
            flaky: args.outcome.flaky,
            limits,
            sandbox: args.run.sandbox,
            crashes: crashes(typed)?,
            timeout: args.run.timeout,
            jobs: jobs(args.run.jobs),
            session: PathBuf::new(),
            key: Digest::of_bytes(b""),
            written: written(typed, &here),
        };
        plan.key = plan.fingerprint();
        let key = plan.key.to_string();
        plan.keeper.tag = key[..8].to_owned();
        plan.session = match &args.run.session {
            Some(dir) => named_session(&here.join(dir), &key),
            None => state_dir(&key),
        };
        // Of versions a patch is told at the end; trees on the way are of no use.
        if plan.keeper.failing.as_os_str().is_empty() && plan.verb != Verb::Changes {
            plan.keeper.failing = plan.session.join("result");
            plan.keeper.passing = algorithm.isolates().then(|| plan.session.join("passing"));
        }
        Ok(plan)
    }

    /// Whether results are told instead of being left in a file beside the input.
    pub fn is_silent(&self) -> bool {
        matches!(self.verb, Verb::Options | Verb::Changes)
    }

    /// How far the two sides are apart: by versions, if there is a history, else by deltas.
    pub fn distance(&self) -> u64 {
        match self.versions.as_ref().and_then(|versions| versions.history.as_ref()) {
            Some(history) => history.row.len() as u64 - 1,
            None => u64::from(self.subject().deltas()),
        }
    }

    /// What is varied.
    pub fn subject(&self) -> &Subject {
        &self.matter.circumstances
    }

    /// What is cut, in words.
    pub fn units(&self) -> String {
        match self.algorithm {
            Algorithm::Smart if self.matter.form == Form::Folder => "file,syntax".to_owned(),
            Algorithm::Smart => "syntax".to_owned(),
            _ => {
                let mut names = self.subject().level_names();
                // JSON has as many levels as it needs.
                names.dedup();
                names.join(",")
            }
        }
    }

    /// Everything that outcomes depend on, as far as it can be seen.
    fn fingerprint(&self) -> Digest {
        let mut print = Fingerprint::default();
        print.add("format", "3").add_file(&self.command.program);
        for arg in &self.command.args {
            match Path::new(arg) {
                path if path.is_absolute() && path.is_file() => print.add_file(path),
                _ => print.add("argument", arg.as_bytes()),
            };
        }
        if let Some(build) = &self.command.build {
            print.add("build", build.as_bytes());
        }
        let place = match self.command.place {
            Place::Private => OsStr::new(""),
            Place::Here => self.command.here.as_os_str(),
        };
        let reads = self.command.stdin == Stdin::Variant;
        let limits = self.limits;
        let wishes = &self.wishes;
        let conditions = |conditions: &[wynot_run::Condition]| {
            conditions.iter().map(|condition| format!("{condition}\n")).collect::<String>()
        };
        print
            .add("place", place.as_bytes())
            .add("stdin", [u8::from(reads)])
            .add("variant", self.matter.variant.as_os_str().as_bytes())
            .add("mode", self.matter.mode.to_le_bytes())
            .add("original", Digest::of(&self.subject().original()).to_string())
            .add("passing", Digest::of(&self.subject().baseline()).to_string())
            .add("fixed", Digest::of(&Variant::Folder(self.matter.fixed.clone())).to_string())
            .add(
                "reading",
                format!(
                    "{:?} {} {} {}",
                    wishes.reading, wishes.same_output, wishes.prevent, wishes.same_failure
                ),
            )
            .add("fail", conditions(&wishes.fail_when))
            .add("pass", conditions(&wishes.pass_when))
            .add("timeout", format!("{:?}", self.timeout))
            .add("quorum", format!("{:?} {} {limits:?} {}", self.quorum, self.flaky, self.sandbox));
        if let Some(crashes) = &self.crashes {
            print.add("crashes", format!("{crashes:?}"));
        }
        if let Some(project) = &self.project {
            // Results may go into the project; they do not make it another one.
            let results = [Some(&self.keeper.failing), self.keeper.passing.as_ref()];
            let results = results.into_iter().flatten().chain(&self.written);
            let whole = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
            let results: Vec<PathBuf> = results.map(whole).collect();
            let results: Vec<&Path> = results.iter().map(PathBuf::as_path).collect();
            print.add("project", project.as_os_str().as_bytes()).add_tree(project, &results);
        }
        print.digest()
    }
}

/// How crashes are told apart, if they are to be.
fn crashes(typed: &Typed) -> Result<Option<Crashes>, Failure> {
    let args = &typed.args;
    let by_gdb = args.outcome.crash_with == Some(CrashTool::Gdb);
    let path = std::env::var_os("PATH").unwrap_or_default();
    if by_gdb && !std::env::split_paths(&path).any(|dir| dir.join("gdb").is_file()) {
        return Err(Failure::usage("--crash-with gdb needs gdb, which is not in the PATH"));
    }
    let collected = typed.input.all_causes.then_some(COLLECTED);
    let functions = args.outcome.same_crash.or(collected);
    Ok(functions.map(|functions| Crashes { functions, by_gdb }))
}

/// The algorithm, unless it does not go with the other options.
fn algorithm(typed: &Typed) -> Result<Algorithm, Failure> {
    let options = &typed.args.algorithm;
    let unit = typed.input.unit.is_some();
    let by_delta = unit || options.minimality > 1 || options.assume_monotone;
    let algorithm = match (options.algorithm, typed.verb) {
        (AlgorithmName::Smart, Verb::Isolate) => {
            return Err(Failure::usage(
                "--algorithm smart is for reduce; isolate uses dd or ddmax",
            ));
        }
        (AlgorithmName::Smart, Verb::Options | Verb::Changes) => {
            let verb = typed.verb.name();
            let message =
                format!("--algorithm smart is for reduce; {verb} uses gather, ddmin or dd");
            return Err(Failure::usage(message));
        }
        (AlgorithmName::Smart, Verb::Reduce) if by_delta => {
            let message = "--algorithm smart chooses its own units; --unit, --minimality and \
                           --assume-monotone are for ddmin, dd and ddmax";
            return Err(Failure::usage(message));
        }
        (AlgorithmName::Auto, Verb::Reduce) if by_delta => Algorithm::Ddmin,
        (AlgorithmName::Auto | AlgorithmName::Smart, Verb::Reduce) => Algorithm::Smart,
        (AlgorithmName::Auto, Verb::Options) | (AlgorithmName::Gather, _) => Algorithm::Gather,
        (AlgorithmName::Auto, Verb::Isolate | Verb::Changes) | (AlgorithmName::Dd, _) => {
            Algorithm::Dd
        }
        (AlgorithmName::Ddmin, _) => Algorithm::Ddmin,
        (AlgorithmName::Ddmax, _) if options.minimality > 1 => {
            return Err(Failure::usage(
                "--minimality above 1 can be checked for ddmin and dd only",
            ));
        }
        (AlgorithmName::Ddmax, _) => Algorithm::Ddmax,
    };
    if typed.goes_on() && algorithm.isolates() {
        let message = "all causes can be found with smart, gather and ddmin only";
        return Err(Failure::usage(message));
    }
    Ok(algorithm)
}

fn bad_command(error: &BadCommand) -> Failure {
    let program = error.program.to_string_lossy();
    let failure = Failure::usage(error);
    match &error.reason {
        BadProgram::Missing if Path::new(&error.program).is_file() => failure
            .hint(format!("commands are looked up in PATH; for the file here, write ./{program}")),
        BadProgram::Missing if program.contains(' ') => failure.hint(format!(
            "write the words of the command without quotes around them all, or use sh -c '{program}'"
        )),
        BadProgram::NotExecutable => failure.hint(format!("chmod +x {program}")),
        BadProgram::NoInterpreter => {
            failure.hint(format!("begin {program} with a line such as #!/bin/sh"))
        }
        _ => failure,
    }
}

fn project(dir: &Path) -> Result<PathBuf, Failure> {
    match dir.canonicalize() {
        Ok(found) if found.is_dir() => Ok(found),
        Ok(_) => Err(Failure::usage(format!("--in {}: it is no directory", dir.display()))),
        Err(error) => Err(Failure::usage(format!("--in {}: {}", dir.display(), plain(&error)))),
    }
}

fn quorum(repeat: u32, needed: Option<u32>) -> Result<Quorum, Failure> {
    let needed = needed.unwrap_or(repeat / 2 + 1);
    if (1..=repeat).contains(&needed) {
        Ok(Quorum::Count { repeat, needed })
    } else {
        Err(Failure::usage(format!(
            "--quorum {needed}: use a number from 1 to {repeat}, as --repeat is {repeat}"
        )))
    }
}

fn reading(typed: &Typed, convention: Option<Convention>) -> Option<Reading> {
    match typed.args.outcome.exit_code {
        Some(ExitCodes::Reduce) => Some(Reading::Interesting),
        Some(ExitCodes::Bisect) => Some(Reading::Bisect),
        None if typed.versions.is_some() && convention.is_none() => Some(Reading::Bisect),
        None => convention.map(Convention::reading),
    }
}

fn jobs(wanted: Option<u16>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    wanted.map_or_else(cores, usize::from)
}

/// Where sessions are kept: with the user's other state, else with temporary files.
pub fn state_dirs() -> Vec<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").filter(|dir| Path::new(dir).is_absolute());
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".local/state"));
    let usual = state.map(PathBuf::from).or_else(home).map(|dir| dir.join("wynot"));
    // Containers often have no home that can be written to.
    usual.into_iter().chain([std::env::temp_dir().join("wynot-sessions")]).collect()
}

/// A session in a place of its own, which leaves a link to it where sessions are usually found.
fn named_session(dir: &Path, key: &str) -> PathBuf {
    if let Some(usual) = state_dirs().first().filter(|usual| !dir.starts_with(usual)) {
        // Without the link it is only found by its own name.
        let _ = fs::create_dir_all(usual);
        let link = usual.join(format!("{key}.link"));
        let _ = fs::remove_file(&link);
        let _ = std::os::unix::fs::symlink(dir, link);
    }
    dir.to_owned()
}

/// What wynot writes besides results.
fn written(typed: &Typed, here: &Path) -> Vec<PathBuf> {
    let args = &typed.args;
    let kept = typed.input.in_place.then(|| kept_original(&typed.inputs[0]));
    let named = [&args.output.report, &args.output.events, &args.run.session];
    let named = named.into_iter().filter_map(|path| path.clone());
    named.chain(kept).map(|path| here.join(path)).collect()
}

/// The first of those places that can be used.
fn state_dir(session: &str) -> PathBuf {
    let mut dirs: Vec<PathBuf> = state_dirs().iter().map(|dir| dir.join(session)).collect();
    let usable = dirs.iter().position(|dir| fs::create_dir_all(dir).is_ok());
    dirs.swap_remove(usable.unwrap_or(dirs.len() - 1))
}
