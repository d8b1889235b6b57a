//! The two runs that are compared, parsed from command lines.

use crate::error::Error;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use wynot_session::files::special_file;
use wynot_state::process::{
    InferiorLimits, Invocation, PrivateFiles, SubstitutedFile, pad_environments,
};
use wynot_subjects::{quote, split_words};

/// How long a run may take, unless the user says otherwise.
pub const MAX_RUN: Duration = Duration::from_secs(60);

/// The variable by which the C library knows how many heaps threads may have.
const HEAPS_VARIABLE: &str = "MALLOC_ARENA_MAX";

/// A passing and a failing run of one program.
#[derive(Clone, Debug)]
pub struct ComparedRuns {
    /// The program's file.
    pub program: PathBuf,
    /// The run that passes.
    pub passing: Invocation,
    /// The run that fails.
    pub failing: Invocation,
    /// Further runs that pass.
    pub others: Vec<Invocation>,
    /// The command lines of the passing and the failing run, as a user would type them.
    pub command_lines: (String, String),
    /// The command lines of the further runs that pass.
    pub other_lines: Vec<String>,
    /// The limits of a run.
    pub limits: InferiorLimits,
    /// What the user should know about the files that the runs use.
    pub remarks: Vec<String>,
}

impl ComparedRuns {
    /// The runs of two command lines in a directory, and of further ones that pass.
    pub fn parse(
        (pass, also_pass): (&str, &[String]),
        fail: &str,
        here: &Path,
        time: Duration,
    ) -> Result<Self, Error> {
        let mut passing = invocation("--pass", pass, here)?;
        let mut failing = invocation("--fail", fail, here)?;
        let others = also_pass.iter().map(|line| invocation("--pass", line, here));
        let mut others: Vec<Invocation> = others.collect::<Result<_, _>>()?;
        let command_lines = (format_command(&passing), format_command(&failing));
        let other_lines = others.iter().map(format_command).collect();
        let program = executable(&passing.program, here)?;
        refuse_other_program("--fail", &failing, &program, here)?;
        for other in &others {
            refuse_other_program("another --pass", other, &program, here)?;
        }
        for invocation in [&mut passing, &mut failing].into_iter().chain(&mut others) {
            invocation.program.clone_from(&program);
        }
        pad_environments([&mut passing, &mut failing].into_iter().chain(&mut others));
        let limits = InferiorLimits { time, ..InferiorLimits::default() };
        let remarks = Vec::new();
        Ok(Self { program, passing, failing, others, command_lines, other_lines, limits, remarks })
    }

    /// All runs: the one that passes, the one that fails, and the further ones that pass.
    fn all_mut(&mut self) -> impl Iterator<Item = &mut Invocation> {
        [&mut self.passing, &mut self.failing].into_iter().chain(&mut self.others)
    }

    /// The same runs in a private view of the directory: what they write there is gone at their end. A remark says if the
    /// system does not permit that.
    pub fn in_private_files(mut self, here: &Path) -> Self {
        let files = PrivateFiles { directory: here.to_owned() };
        match files.check() {
            Ok(()) => self.all_mut().for_each(|run| run.private_files = Some(files.clone())),
            Err(error) => self.remarks.push(format!(
                "the program writes into this directory, since it cannot have a private view of it: {error}"
            )),
        }
        self
    }

    /// The same runs, where they are given two files, with the name of one of them: the failing run finds its own file under
    /// the name of the other. `None` if their arguments do not differ in files alone.
    pub fn under_one_name(mut self, here: &Path) -> Option<Self> {
        let files = other_files(&self.passing, &self.failing, here);
        let files: Option<Vec<SubstitutedFile>> = files.into_iter().collect();
        let files = files.filter(|files| !files.is_empty())?;
        let here = here.canonicalize().ok()?;
        self.remarks.extend(files.iter().map(|SubstitutedFile { path, contents }| {
            let [path, contents] =
                [path, contents].map(|file| file.strip_prefix(&here).unwrap_or(file).display());
            format!("the failing run reads {contents} under the name {path}")
        }));
        let arguments = self.passing.arguments.clone();
        for other in &mut self.others {
            let files = other_files(&self.passing, other, &here);
            let files: Option<Vec<SubstitutedFile>> = files.into_iter().collect();
            if let Some(substituted) = files.filter(|files| !files.is_empty()) {
                (other.arguments, other.substituted) = (arguments.clone(), substituted);
            }
        }
        (self.failing.arguments, self.failing.substituted) = (arguments, files);
        pad_environments(self.all_mut());
        Some(self)
    }
}

/// Refuses a run of another program.
fn refuse_other_program(
    option: &str,
    invocation: &Invocation,
    program: &Path,
    here: &Path,
) -> Result<(), Error> {
    let other = executable(&invocation.program, here)?;
    if other == program {
        return Ok(());
    }
    let message =
        format!("--pass runs {} and {option} runs {}", program.display(), other.display());
    Err(Error::usage(message)
        .hint("states can be compared of runs of one program; wynot changes compares programs"))
}

/// The files by which the arguments of two runs differ, each with the contents of the other; `None` for an argument that
/// differs in another way, or if the names end differently, since that may say what kind of file it is.
fn other_files(
    passing: &Invocation,
    failing: &Invocation,
    here: &Path,
) -> Vec<Option<SubstitutedFile>> {
    let (passing, failing) = (&passing.arguments, &failing.arguments);
    if passing.len() != failing.len() {
        return Vec::new();
    }
    let differ = passing.iter().zip(failing).filter(|(one, other)| one != other);
    let files = differ.map(|(one, other)| {
        let paths = [one, other].map(|word| here.join(word));
        let is_used_twice = passing.iter().filter(|word| *word == one).count() > 1;
        let is_same_kind = paths[0].extension() == paths[1].extension();
        match is_same_kind && !is_used_twice {
            true => SubstitutedFile::new(&paths[0], &paths[1]),
            false => None,
        }
    });
    files.collect()
}

/// Parses a command line; `option` names it in messages.
pub fn invocation(option: &str, line: &str, here: &Path) -> Result<Invocation, Error> {
    let words =
        split_words(line.as_bytes()).map_err(|error| Error::usage(format!("{option}: {error}")))?;
    let mut words = words.into_iter();
    let Some(program) = words.next() else {
        return Err(Error::usage(format!("{option} is empty"))
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
                return Err(Error::usage(format!(
                    "{option}: no shell reads the command line, so {word} does nothing"
                ))
                .hint(
                    "name the program itself and its arguments; < FILE gives it standard input",
                ));
            }
            None => arguments.push(OsString::from_vec(word)),
        }
    }
    if let Some(input) = &input {
        refuse_special(input, here)
            .map_err(|error| Error { message: format!("{option}: {}", error.message), ..error })?;
    }
    let directory = here.to_owned();
    let environment = environment();
    let (private_files, substituted) = (None, Vec::new());
    let program = path(program);
    Ok(Invocation { program, arguments, input, directory, environment, private_files, substituted })
}

/// The environment of this process, in which all threads of a program allocate from one heap unless it says otherwise: the
/// blocks of other heaps are not known.
fn environment() -> Vec<(OsString, OsString)> {
    let mut variables: Vec<(OsString, OsString)> = std::env::vars_os().collect();
    if !variables.iter().any(|(name, _)| name == HEAPS_VARIABLE) {
        variables.push((HEAPS_VARIABLE.into(), "1".into()));
    }
    variables
}

/// Refuses what can be read only once, since each run reads it from its beginning. Devices can be read again.
fn refuse_special(file: &Path, here: &Path) -> Result<(), Error> {
    let kind = std::fs::metadata(here.join(file)).map(|metadata| metadata.file_type()).ok();
    match kind.filter(|kind| !kind.is_char_device()).and_then(special_file) {
        Some(noun) => {
            let message = format!("{} is {noun}, not a file", file.display());
            Err(Error::usage(message).hint("write its contents to a file first"))
        }
        None => Ok(()),
    }
}

fn path(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes))
}

/// The file that a shell would execute for a name.
pub fn executable(named: &Path, here: &Path) -> Result<PathBuf, Error> {
    if named.components().count() > 1 {
        refuse_special(named, here)?;
        if !here.join(named).exists() {
            return Err(Error::usage(format!("there is no program {}", named.display())));
        }
        return std::path::absolute(here.join(named)).map_err(|error| Error::unexpected(&error));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|dir| dir.join(named)).find(|file| file.is_file());
    found.ok_or_else(|| {
        let name = named.display();
        let missing = Error::usage(format!("there is no program {name}"));
        match here.join(named).is_file() {
            true => missing.hint(format!("./{name} is one; without ./ it is looked for in PATH")),
            false => missing,
        }
    })
}

/// The command line of a run, quoted for a shell.
fn format_command(Invocation { program, arguments, input, .. }: &Invocation) -> String {
    let words =
        std::iter::once(program.as_os_str()).chain(arguments.iter().map(OsString::as_os_str));
    let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    match input {
        Some(input) => format!("{} < {}", quote::command(&words), input.display()),
        None => quote::command(&words),
    }
}
