//! What will be done: everything that was typed, checked once and made definite.

use crate::args::{AlgorithmName, CrashTool, ExitCodes, SearchArgs};
use crate::failure::{Code, Failure};
use crate::results::{keeper, kept_original};
use crate::sessions::Typed;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use wynot_run::{
    BadCommand, BadProgram, Convention, Crashes, Digest, Fingerprint, Keeper, Limits, Place,
    Quorum, Reading, Stdin, TestCommand, Wishes, plain,
};
use wynot_subjects::{Language, Subject, Units};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Reduce,
    Isolate,
}

impl Verb {
    pub fn name(self) -> &'static str {
        match self {
            Self::Reduce => "reduce",
            Self::Isolate => "isolate",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    Smart,
    Ddmin,
    Dd,
    Ddmax,
}

impl Algorithm {
    pub fn name(self) -> &'static str {
        match self {
            Self::Smart => "smart",
            Self::Ddmin => "ddmin",
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
    pub subject: Subject,
    pub language: &'static Language,
    /// The input's file name, for people.
    pub name: OsString,
    pub command: TestCommand,
    /// Where the variant lies, seen from the test's directory.
    pub variant: PathBuf,
    pub mode: u32,
    pub project: Option<PathBuf>,
    pub wishes: Wishes,
    pub quorum: Quorum,
    pub limits: Limits,
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
    /// What is cut, in words.
    pub fn units(&self) -> String {
        match self.algorithm {
            Algorithm::Smart => "syntax".to_owned(),
            _ => self.subject.units().to_string(),
        }
    }

    pub fn new(typed: &Typed) -> Result<Self, Failure> {
        let Typed { verb, args, passing, .. } = typed;
        let (verb, passing) = (*verb, passing.as_deref());
        let here = std::env::current_dir().map_err(|error| Failure::unexpected(&error))?;
        let algorithm = algorithm(verb, args)?;
        if algorithm == Algorithm::Ddmax && args.algorithm.minimality > 1 {
            return Err(Failure::usage(
                "--minimality above 1 can be checked for ddmin and dd only",
            ));
        }
        let original = read(&typed.original())?;
        let baseline = passing.map(read).transpose()?.unwrap_or_default();
        if original == baseline {
            return Err(nothing_to_search(&args.input, passing));
        }
        let units = units(&args.algorithm.unit, algorithm)?;
        let subject = Subject::between(&baseline, &original, &units)
            .map_err(|error| Failure::usage(format!("{}: {error}", args.input.display())))?;
        let convention: Option<Convention> =
            args.outcome.convention.as_deref().and_then(|name| name.parse().ok());
        let command = TestCommand::new(&args.test, convention, &args.input, &here)
            .map_err(|error| bad_command(&error))?;
        let name = file_name(&args.input)?;
        let project = args.run.project.as_deref().map(project).transpose()?;
        let variant = place_in_project(&args.input, project.as_deref(), &name);
        let mode = fs::metadata(&args.input).map_or(0o644, |m| m.permissions().mode() & 0o777);
        let quorum = quorum(args.outcome.repeat, args.outcome.quorum)?;
        let mut limits = Limits::default();
        args.run.limit.iter().for_each(|limit| limits.set(*limit));
        let wishes = Wishes {
            reading: reading(args.outcome.exit_code, convention),
            fail_when: args.outcome.fail_when.clone(),
            pass_when: args.outcome.pass_when.clone(),
            same_output: args.outcome.same_output,
            same_crash: args.outcome.same_crash,
        };
        let mut plan = Self {
            verb,
            algorithm,
            keeper: keeper(args, verb, algorithm, &name, mode, passing)?,
            language: language(args.algorithm.language.as_deref(), &args.input, subject.original()),
            subject,
            name,
            command,
            variant,
            mode,
            project,
            wishes,
            quorum,
            limits,
            crashes: crashes(args)?,
            timeout: args.run.timeout,
            jobs: jobs(args.run.jobs),
            session: PathBuf::new(),
            key: Digest::of_bytes(b""),
            written: written(args, &here),
        };
        plan.key = plan.fingerprint();
        plan.keeper.tag = plan.key.to_string()[..8].to_owned();
        plan.session = match &args.run.session {
            Some(dir) => named_session(&here.join(dir), &plan.key.to_string()),
            None => state_dir(&plan.key.to_string()),
        };
        Ok(plan)
    }

    /// Everything that outcomes depend on, as far as it can be seen.
    fn fingerprint(&self) -> Digest {
        let mut print = Fingerprint::default();
        print.add("format", "2").add_file(&self.command.program);
        for arg in &self.command.args {
            match Path::new(arg) {
                path if path.is_absolute() && path.is_file() => print.add_file(path),
                _ => print.add("argument", arg.as_bytes()),
            };
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
            .add("variant", self.variant.as_os_str().as_bytes())
            .add("mode", self.mode.to_le_bytes())
            .add("original", self.subject.original())
            .add("passing", self.subject.baseline())
            .add("reading", format!("{:?} {}", wishes.reading, wishes.same_output))
            .add("fail", conditions(&wishes.fail_when))
            .add("pass", conditions(&wishes.pass_when))
            .add("timeout", format!("{:?}", self.timeout))
            .add("quorum", format!("{:?} {limits:?}", self.quorum));
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
fn crashes(args: &SearchArgs) -> Result<Option<Crashes>, Failure> {
    let by_gdb = args.outcome.crash_with == Some(CrashTool::Gdb);
    let path = std::env::var_os("PATH").unwrap_or_default();
    if by_gdb && !std::env::split_paths(&path).any(|dir| dir.join("gdb").is_file()) {
        return Err(Failure::usage("--crash-with gdb needs gdb, which is not in the PATH"));
    }
    Ok(args.outcome.same_crash.map(|functions| Crashes { functions, by_gdb }))
}

/// The algorithm, unless it does not go with the other options.
fn algorithm(verb: Verb, args: &SearchArgs) -> Result<Algorithm, Failure> {
    let options = &args.algorithm;
    let by_unit = options.unit != "auto" || options.minimality > 1 || options.assume_monotone;
    let algorithm = match (options.algorithm, verb) {
        (AlgorithmName::Smart, Verb::Isolate) => {
            return Err(Failure::usage(
                "--algorithm smart is for reduce; isolate uses dd or ddmax",
            ));
        }
        (AlgorithmName::Smart, Verb::Reduce) if by_unit => {
            let message = "--algorithm smart chooses its own units; --unit, --minimality and \
                           --assume-monotone are for ddmin, dd and ddmax";
            return Err(Failure::usage(message));
        }
        (AlgorithmName::Smart, Verb::Reduce) => Algorithm::Smart,
        (AlgorithmName::Auto, Verb::Reduce) if by_unit => Algorithm::Ddmin,
        (AlgorithmName::Auto, Verb::Reduce) => Algorithm::Smart,
        (AlgorithmName::Auto, Verb::Isolate) | (AlgorithmName::Dd, _) => Algorithm::Dd,
        (AlgorithmName::Ddmin, _) => Algorithm::Ddmin,
        (AlgorithmName::Ddmax, _) if options.minimality > 1 => {
            return Err(Failure::usage(
                "--minimality above 1 can be checked for ddmin and dd only",
            ));
        }
        (AlgorithmName::Ddmax, _) => Algorithm::Ddmax,
    };
    Ok(algorithm)
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    if path.is_dir() {
        let message = format!("{} is a directory; for now wynot takes one file", path.display());
        return Err(Failure::usage(message).hint(
            "reducing whole directories is planned; until then, reduce one file of it with --in DIR",
        ));
    }
    fs::read(path).map_err(|error| {
        Failure::usage(format!("cannot read {}: {}", path.display(), plain(&error)))
    })
}

fn nothing_to_search(input: &Path, passing: Option<&Path>) -> Failure {
    let message = match passing {
        Some(passing) => {
            format!(
                "{} and {} are the same: no difference to search",
                input.display(),
                passing.display()
            )
        }
        None => format!("{} is empty: nothing can be removed from it", input.display()),
    };
    Failure::new(Code::NoFailure, message)
}

fn language(name: Option<&str>, input: &Path, text: &[u8]) -> &'static Language {
    name.and_then(Language::named).unwrap_or_else(|| Language::guess(input, text))
}

fn units(text: &str, algorithm: Algorithm) -> Result<Units, Failure> {
    let chosen = match (text, algorithm) {
        // The default reducer cuts by syntax; the bytes are what it is measured in.
        ("auto", Algorithm::Smart) => "byte",
        ("auto", Algorithm::Ddmin) => "line,token,char",
        ("auto", Algorithm::Dd | Algorithm::Ddmax) => "line,char",
        (list, _) => list,
    };
    chosen.parse().map_err(Failure::usage)
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

fn file_name(input: &Path) -> Result<OsString, Failure> {
    let name = input.file_name().map(ToOwned::to_owned);
    name.ok_or_else(|| Failure::usage(format!("{} is no file", input.display())))
}

fn project(dir: &Path) -> Result<PathBuf, Failure> {
    match dir.canonicalize() {
        Ok(found) if found.is_dir() => Ok(found),
        Ok(_) => Err(Failure::usage(format!("--in {}: it is no directory", dir.display()))),
        Err(error) => Err(Failure::usage(format!("--in {}: {}", dir.display(), plain(&error)))),
    }
}

/// The input's own place if it is part of the project, else its name at the top.
fn place_in_project(input: &Path, project: Option<&Path>, name: &OsStr) -> PathBuf {
    // By its own directory, not by where it may lead as a link.
    let parent = input.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new(".")).canonicalize().ok();
    let inside = project.and_then(|dir| parent.as_ref()?.strip_prefix(dir).ok());
    inside.map_or_else(|| PathBuf::from(name), |dir| dir.join(name))
}

fn quorum(repeat: u32, needed: Option<u32>) -> Result<Quorum, Failure> {
    let needed = needed.unwrap_or(repeat / 2 + 1);
    if (1..=repeat).contains(&needed) {
        Ok(Quorum { repeat, needed })
    } else {
        Err(Failure::usage(format!(
            "--quorum {needed}: use a number from 1 to {repeat}, as --repeat is {repeat}"
        )))
    }
}

fn reading(exit_code: Option<ExitCodes>, convention: Option<Convention>) -> Option<Reading> {
    match exit_code {
        Some(ExitCodes::Reduce) => Some(Reading::Interesting),
        Some(ExitCodes::Bisect) => Some(Reading::Bisect),
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
        let _ = std::os::unix::fs::symlink(dir, usual.join(format!("{key}.link")));
    }
    dir.to_owned()
}

/// What wynot writes besides results.
fn written(args: &SearchArgs, here: &Path) -> Vec<PathBuf> {
    let kept = args.output.in_place.then(|| kept_original(&args.input));
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
