//! Finding sessions, and doing again what was done in them.

use crate::args::{
    ChangesArgs, Cli, CommonArgs, InputArgs, OptionsArgs, SearchArgs, VaryArgs, Verb, VersionArgs,
};
use crate::failure::Failure;
use crate::plan;
use crate::results::kept_original;
use clap::Parser;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use wynot_run::{Again, Journal, Record};

/// A search as it was typed.
pub struct Typed {
    pub verb: plan::Verb,
    pub inputs: Vec<PathBuf>,
    pub input: InputArgs,
    pub passing: Option<PathBuf>,
    /// What varies in the call, if it is not the input.
    pub vary: Option<VaryArgs>,
    /// The versions, if these vary.
    pub versions: Option<VersionArgs>,
    pub args: CommonArgs,
    /// All the words, if they are Unicode.
    words: Option<Vec<String>>,
    /// Whether it was typed for an earlier run.
    pub resumed: bool,
}

impl Typed {
    /// The search that a command line asks for, if it asks for one.
    pub fn of(verb: Verb, words: Option<Vec<String>>) -> Option<Self> {
        let (verb, search, passing) = match verb {
            Verb::Reduce(args) => (plan::Verb::Reduce, args, None),
            Verb::Isolate(args) => (plan::Verb::Isolate, args.search, args.passing),
            Verb::Options(OptionsArgs { vary, common }) => {
                return Some(Self {
                    verb: plan::Verb::Options,
                    inputs: Vec::new(),
                    input: InputArgs::default(),
                    passing: None,
                    vary: Some(vary),
                    versions: None,
                    args: common,
                    words,
                    resumed: false,
                });
            }
            Verb::Changes(ChangesArgs { versions, common }) => {
                return Some(Self {
                    verb: plan::Verb::Changes,
                    inputs: Vec::new(),
                    input: InputArgs::default(),
                    passing: None,
                    vary: None,
                    versions: Some(versions),
                    args: common,
                    words,
                    resumed: false,
                });
            }
            _ => return None,
        };
        let SearchArgs { inputs, mut input, common } = search;
        // Both are names for what happens without the option.
        input.unit = input.unit.filter(|unit| unit != "auto" && unit != "syntax");
        Some(Self {
            verb,
            inputs,
            input,
            passing,
            vary: None,
            versions: None,
            args: common,
            words,
            resumed: false,
        })
    }

    /// Where the original of a single file is.
    pub fn original(&self) -> PathBuf {
        let input = &self.inputs[0];
        if self.resumed && self.input.in_place { kept_original(input) } else { input.clone() }
    }

    /// Whether to go on with what is left when a cause is found.
    pub fn goes_on(&self) -> bool {
        self.input.all_causes || self.vary.as_ref().is_some_and(|vary| vary.all)
    }

    /// Whether to look for what prevents the failure.
    pub fn prevents(&self) -> bool {
        self.vary.as_ref().is_some_and(|vary| vary.prevent)
    }

    /// How to do the same again, with the result going to `output`.
    pub fn again(&self, output: &Path) -> Option<Again> {
        let here = std::env::current_dir().ok()?;
        let output = here.join(output);
        let output = output.canonicalize().unwrap_or(output);
        Some(Again {
            arguments: self.words.clone()?,
            directory: here.into_os_string().into_string().ok()?,
            output: output.into_os_string().into_string().ok()?,
        })
    }
}

/// The directory of a session, by that directory, by a result, or else the newest one that was started
/// from the current directory.
pub fn find(named: Option<&Path>) -> Result<PathBuf, Failure> {
    match named {
        Some(named) => {
            let whole = named.canonicalize().map_err(|_| {
                Failure::usage(format!("there is no session and no result {}", named.display()))
            })?;
            if whole.is_dir() && Journal::changed(&whole).is_some() {
                return Ok(whole);
            }
            let made = |again: &Again| Path::new(&again.output) == whole;
            newest(made).ok_or_else(|| {
                let shown = named.display();
                let message = match whole.is_dir() {
                    true => format!("there is no session in {shown}, and none has written it"),
                    false => format!("no session has written {shown}"),
                };
                Failure::usage(message).hint("give the session's directory; -v prints it")
            })
        }
        None => {
            let here = std::env::current_dir().map_err(|error| Failure::unexpected(&error))?;
            newest(|again| Path::new(&again.directory) == here).ok_or_else(|| {
                Failure::usage("no session was started from this directory")
                    .hint("give a session's directory, or a result of it")
            })
        }
    }
}

/// The session among all in the usual place that changed last.
fn newest(wanted: impl Fn(&Again) -> bool) -> Option<PathBuf> {
    let dirs = plan::state_dirs().into_iter().filter_map(|dir| fs::read_dir(dir).ok());
    let sessions = dirs.flatten().flatten().filter_map(|entry| {
        let dir = entry.path().canonicalize().ok()?;
        Some((Journal::changed(&dir)?, dir))
    });
    let mut sessions: Vec<(SystemTime, PathBuf)> = sessions.collect();
    sessions.sort();
    let made = |dir: &PathBuf| {
        let mut runs = Journal::runs(dir).into_iter();
        runs.any(|run| run.again.is_some_and(|again| wanted(&again)))
    };
    sessions.into_iter().rev().map(|(_, dir)| dir).find(made)
}

/// The last search of a session as it was typed, to be gone on with, and where its result is. The
/// process goes to the directory where that was typed.
pub fn typed(session: &Path, records: &[Record]) -> Result<(Typed, PathBuf), Failure> {
    let last = records.iter().rev().find_map(|record| match record {
        Record::Run(run) => Some(run),
        _ => None,
    });
    let again = last.and_then(|run| run.again.as_ref()).ok_or_else(|| {
        let message = format!("{} does not tell how it was started", session.display());
        Failure::usage(message).hint("run the same command again instead")
    })?;
    std::env::set_current_dir(&again.directory).map_err(|error| {
        let message = format!("cannot go to {}: {}", again.directory, wynot_run::plain(&error));
        Failure::usage(message).hint("the session was started there")
    })?;
    let words = std::iter::once("wynot").chain(again.arguments.iter().map(String::as_str));
    let cli = Cli::try_parse_from(words).map_err(|error| Failure::unexpected(&error))?;
    let words = Some(again.arguments.clone());
    let mut typed = Typed::of(cli.verb, words)
        .ok_or_else(|| Failure::usage(format!("{} holds no search", session.display())))?;
    typed.resumed = true;
    typed.args.run.session = Some(session.to_owned());
    typed.args.run.fresh = false;
    Ok((typed, PathBuf::from(&again.output)))
}

/// What was typed to start this process, if it is Unicode.
pub fn words() -> Option<Vec<String>> {
    std::env::args_os().skip(1).map(|word| word.into_string().ok()).collect()
}
