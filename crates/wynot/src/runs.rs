//! The two runs that are compared: from what was typed to programs that can be started.

use crate::args::ExplainArgs;
use crate::failure::{Code, Failure};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use wynot_core::Outcome;
use wynot_run::quotation::command;
use wynot_run::{Cause, Condition, Crash, Identity, Observation, Output};
use wynot_state::EndingComparison;
use wynot_state::process::{ExitStatus, InferiorLimits, Invocation, RunEnd, pad_environments};

/// How long a run may take when nobody has said how long.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A passing and a failing run of one program.
#[derive(Debug)]
pub struct Runs {
    /// The program's file.
    pub program: PathBuf,
    pub passing: Invocation,
    pub failing: Invocation,
    /// As they would be typed.
    pub typed: (String, String),
    pub limits: InferiorLimits,
}

impl Runs {
    /// Two command lines.
    pub fn of(pass: &str, fail: &str, time: Duration) -> Result<Self, Failure> {
        let (passing, failing) = (invocation("--pass", pass)?, invocation("--fail", fail)?);
        let program = executable(&passing.program)?;
        let other = executable(&failing.program)?;
        if program != other {
            let message =
                format!("--pass runs {} and --fail runs {}", program.display(), other.display());
            return Err(Failure::usage(message).hint(
                "states can be compared of runs of one program; wynot changes compares programs",
            ));
        }
        let typed = (spelled(&passing), spelled(&failing));
        let [passing, failing] = [passing, failing]
            .map(|invocation| Invocation { program: program.clone(), ..invocation });
        let (passing, failing) = pad_environments(passing, failing);
        let limits = InferiorLimits { time, ..InferiorLimits::default() };
        Ok(Self { program, passing, failing, typed, limits })
    }
}

/// A command line, and what it reads.
pub fn invocation(option: &str, line: &str) -> Result<Invocation, Failure> {
    let words = wynot_subjects::words(line.as_bytes())
        .map_err(|error| Failure::usage(format!("{option}: {error}")))?;
    let mut words = words.into_iter();
    let Some(program) = words.next() else {
        return Err(Failure::usage(format!("{option} is empty"))
            .hint("it takes a command line, such as --fail './program bad.txt'"));
    };
    let mut arguments = Vec::new();
    let mut input = None;
    while let Some(word) = words.next() {
        match word.strip_prefix(b"<") {
            Some(b"") => input = words.next().map(path),
            Some(file) => input = Some(path(file.to_vec())),
            None if matches!(
                word.as_slice(),
                b"|" | b"||" | b"&&" | b">" | b">>" | b";" | b"&"
            ) =>
            {
                let word = String::from_utf8_lossy(&word).into_owned();
                return Err(Failure::usage(format!(
                    "{option}: no shell reads the command line, so {word} does nothing"
                ))
                .hint(
                    "name the program itself and its arguments; < FILE gives it standard input",
                ));
            }
            None => arguments.push(OsString::from_vec(word)),
        }
    }
    let directory = std::env::current_dir().map_err(|error| Failure::unexpected(&error))?;
    let environment = std::env::vars_os().collect();
    Ok(Invocation { program: path(program), arguments, input, directory, environment })
}

fn path(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes))
}

/// The file that a command line runs.
pub fn program_of(invocation: &Invocation) -> Result<PathBuf, Failure> {
    executable(&invocation.program)
}

/// The file that a shell would execute.
fn executable(named: &Path) -> Result<PathBuf, Failure> {
    if named.components().count() > 1 {
        return std::path::absolute(named).map_err(|error| Failure::unexpected(&error));
    }
    let places = std::env::var_os("PATH").unwrap_or_default();
    let found =
        std::env::split_paths(&places).map(|place| place.join(named)).find(|it| it.is_file());
    found.ok_or_else(|| {
        let name = named.display();
        let failure = Failure::usage(format!("there is no program {name}"));
        match named.is_file() {
            true => failure.hint(format!("./{name} is one; without ./ it is looked for in PATH")),
            false => failure,
        }
    })
}

fn spelled(Invocation { program, arguments, input, .. }: &Invocation) -> String {
    let words =
        std::iter::once(program.as_os_str()).chain(arguments.iter().map(OsString::as_os_str));
    let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    match input {
        Some(input) => format!("{} < {}", command(&words), input.display()),
        None => command(&words),
    }
}

/// Decides about endings.
#[derive(Debug)]
pub struct Decision {
    fail_when: Vec<Condition>,
    pass_when: Vec<Condition>,
    /// How the passing run has ended.
    passing: ExitStatus,
    by_comparison: Option<EndingComparison>,
}

impl Decision {
    /// By what was typed, and else by how the two runs end. Both must end as they should.
    pub fn new(args: &ExplainArgs, passing: &RunEnd, failing: &RunEnd) -> Result<Self, Failure> {
        let by_comparison =
            EndingComparison::new(passing.clone(), failing.clone(), args.same_output).ok();
        let (fail_when, pass_when) = (args.fail_when.clone(), args.pass_when.clone());
        if by_comparison.is_none() && fail_when.is_empty() {
            let message = "both runs end in the same way and print the same";
            let hint = match passing.asked_for_terminal || failing.asked_for_terminal {
                true => "the program asks for a terminal, and there is none here",
                false => "is --fail really a run that fails? Input comes from < FILE only",
            };
            return Err(Failure::new(Code::NoFailure, message)
                .detail(format!("passing: {}", told(passing)))
                .detail(format!("failing: {}", told(failing)))
                .hint(hint));
        }
        let crashes = |ending: &RunEnd| matches!(ending.status, ExitStatus::Signal(_));
        if fail_when.is_empty() && pass_when.is_empty() && crashes(passing) && !crashes(failing) {
            return Err(Failure::new(
                Code::NoFailure,
                "the run of --pass crashes, that of --fail does not",
            )
            .detail(format!("passing: {}", told(passing)))
            .detail(format!("failing: {}", told(failing)))
            .hint("are they the other way round? --fail-when says what counts otherwise"));
        }
        let decision = Self { fail_when, pass_when, passing: passing.status, by_comparison };
        let expected = [(passing, Outcome::Pass, "--pass"), (failing, Outcome::Fail, "--fail")];
        for (ending, wanted, option) in expected {
            let outcome = decision.of(ending);
            if outcome != wanted {
                let should = if wanted == Outcome::Pass { "pass" } else { "fail" };
                let message = format!("the run of {option} does not {should}");
                return Err(Failure::new(Code::NoFailure, message)
                    .detail(told(ending))
                    .hint("--fail-when and --pass-when say what counts"));
            }
        }
        Ok(decision)
    }

    /// What an ending means.
    pub fn of(&self, ending: &RunEnd) -> Outcome {
        let observation = observation(ending);
        let all = |conditions: &[Condition]| {
            conditions.iter().all(|condition| condition.holds(&observation))
        };
        let compared = || {
            self.by_comparison
                .as_ref()
                .map_or(Outcome::Unresolved, |verdict| verdict.outcome(ending))
        };
        match (self.fail_when.is_empty(), self.pass_when.is_empty()) {
            (true, true) => compared(),
            (false, _) if all(&self.fail_when) => Outcome::Fail,
            (false, true) if ending.status == self.passing => Outcome::Pass,
            (_, false) if all(&self.pass_when) => Outcome::Pass,
            (true, false) if compared() == Outcome::Fail => Outcome::Fail,
            _ => Outcome::Unresolved,
        }
    }
}

fn observation(ending: &RunEnd) -> Observation {
    let output = |bytes: &[u8]| Output { kept: bytes.to_vec(), total: bytes.len() as u64 };
    Observation {
        ending: match ending.status {
            ExitStatus::Exit(code) => wynot_run::Ending::Exit(code),
            ExitStatus::Signal(number) => wynot_run::Ending::Signal(number),
            ExitStatus::TimedOut => wynot_run::Ending::Timeout,
        },
        stdout: output(&ending.stdout),
        stderr: output(&ending.stderr),
        elapsed: Duration::ZERO,
        crash: ending.crash.clone(),
    }
}

/// How a run has ended, in words.
pub fn told(ending: &RunEnd) -> String {
    let observation = observation(ending);
    let place = ending.crash.as_ref().and_then(Identity::culprit);
    let mut words = observation.ending.to_string();
    if let Some(place) = place {
        words.push_str(&format!(" in {place}"));
    }
    let last = |output: &Output| output.last_lines(1).pop().filter(|line| !line.trim().is_empty());
    if let Some(Crash { cause: Cause::Report(report), .. }) = &ending.crash {
        return format!("{words}: {report}");
    }
    let said = last(&observation.stderr).or_else(|| last(&observation.stdout));
    match said {
        Some(line) => format!("{words}, after \"{}\"", line.trim()),
        None => words,
    }
}
