//! From the words after `--` to a test command that runs anywhere.

use super::convention::Convention;
use super::placeholder::VARIANT;
use super::test_command::{StandardInput, TestCommand, WorkDir};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};
use wynot_session::plain;
use wynot_subjects::Folder;

/// A test command that cannot be run.
#[derive(Debug, thiserror::Error)]
#[error("cannot run {}: {reason}", program.to_string_lossy())]
pub struct BadCommand {
    /// The program as it was written.
    pub program: OsString,
    /// What is wrong with it.
    pub reason: BadProgram,
}

/// What is wrong with a program.
#[derive(Debug, thiserror::Error)]
pub enum BadProgram {
    /// There is no such file or command.
    #[error("no such file or command")]
    Missing,
    /// The file must not be executed.
    #[error("permission denied")]
    NotExecutable,
    /// It is a directory.
    #[error("it is a directory")]
    Directory,
    /// It is neither a binary nor a script with a first line that names its interpreter.
    #[error("it does not say which program runs it")]
    NoInterpreter,
    /// It cannot be looked at.
    #[error("{}", plain(.0))]
    Unreadable(io::Error),
}

impl TestCommand {
    /// Resolves what the user wrote after `--`, for the given inputs.
    ///
    /// Tests run in other directories than the one the user is in. So the program is looked up, and an
    /// argument that names an existing file here becomes an absolute path, or the variant's if it is the
    /// input that it names. What lies within a directory that varies has its usual place in the test's
    /// directory and stays as it is.
    pub fn new(
        words: &[OsString],
        convention: Option<Convention>,
        inputs: &[PathBuf],
        here: &Path,
    ) -> Result<Self, BadCommand> {
        let (first, rest) = words.split_first().expect("the command line requires a test");
        if convention == Some(Convention::Lithium) {
            return lithium(words, inputs, here);
        }
        let bad = |reason| BadCommand { program: first.clone(), reason };
        let program = find(first, here).map_err(bad)?;
        let args: Vec<OsString> = rest.iter().map(|arg| absolute(arg, inputs, here)).collect();
        let mut command = Self {
            fallback: None,
            program,
            args,
            build: None,
            work_dir: WorkDir::Private,
            stdin: StandardInput::Nothing,
            env: Vec::new(),
            here: here.to_owned(),
        };
        match convention {
            Some(convention) => convention.apply(&mut command),
            None => {
                let is_file = matches!(inputs, [input] if !here.join(input).is_dir());
                if is_file && !command.mentions_variant() {
                    command.stdin = StandardInput::Variant;
                }
            }
        }
        let tolerant = convention.is_some_and(Convention::runs_scripts_by_sh);
        match has_interpreter(&command.program) {
            Ok(true) => {}
            Ok(false) if tolerant => {
                command.args.insert(0, command.program.into_os_string());
                command.program = PathBuf::from("/bin/sh");
            }
            Ok(false) => return Err(bad(BadProgram::NoInterpreter)),
            Err(error) => return Err(bad(BadProgram::Unreadable(error))),
        }
        Ok(command)
    }

    /// Resolves a test that runs in a folder: what lies in the folder, or what the build makes there, is run
    /// and read there.
    pub fn in_folder(
        words: &[OsString],
        build: Option<&str>,
        folder: &Folder,
        here: &Path,
    ) -> Result<Self, BadCommand> {
        let (first, rest) = words.split_first().expect("the command line requires a test");
        let normalized = |word: &OsStr| -> PathBuf {
            let parts = Path::new(word).components();
            parts.filter(|part| *part != Component::CurDir).collect()
        };
        let lies_there = |word: &OsStr| folder.get(&normalized(word)).is_some();
        let is_inside = |path: &Path| {
            path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        };
        let named = first.as_bytes().contains(&b'/') && is_inside(Path::new(first));
        let found =
            || find(first, here).map_err(|reason| BadCommand { program: first.clone(), reason });
        let (program, fallback) = match named {
            true if lies_there(first) => (normalized(first), None),
            // What a build has made here before is of another version.
            true if build.is_some() => (normalized(first), found().ok()),
            _ => (found()?, None),
        };
        let argument = |arg: &OsString| match lies_there(arg) {
            true => arg.clone(),
            false => absolute(arg, &[], here),
        };
        Ok(Self {
            program,
            fallback,
            args: rest.iter().map(argument).collect(),
            build: build.map(OsString::from),
            work_dir: WorkDir::Private,
            stdin: StandardInput::Nothing,
            env: Vec::new(),
            here: here.to_owned(),
        })
    }
}

/// A Lithium condition is a Python module; a few lines of Python call it as Lithium does.
fn lithium(words: &[OsString], inputs: &[PathBuf], here: &Path) -> Result<TestCommand, BadCommand> {
    let python = OsString::from("python3");
    let program = find(&python, here).map_err(|reason| BadCommand { program: python, reason })?;
    let mut args: Vec<OsString> = vec!["-c".into(), include_str!("lithium.py").into()];
    // A module of the user's is named as a file, one of Lithium's own by its name.
    let mut module = words[0].clone();
    module.push(".py");
    let files = [here.join(&words[0]), here.join(module)];
    let file = files.into_iter().find(|file| file.is_file());
    args.push(file.map_or_else(|| words[0].clone(), PathBuf::into_os_string));
    let is_input = |word: &OsString| inputs.iter().any(|input| names(word, input, here));
    args.extend(words[1..].iter().map(|word| match is_input(word) {
        true => OsStr::from_bytes(VARIANT).to_owned(),
        false => absolute(word, inputs, here),
    }));
    if args.last().is_none_or(|last| last.as_bytes() != VARIANT) {
        args.push(OsStr::from_bytes(VARIANT).to_owned());
    }
    Ok(TestCommand {
        fallback: None,
        program,
        args,
        build: None,
        work_dir: WorkDir::Here,
        stdin: StandardInput::Nothing,
        env: Vec::new(),
        here: here.to_owned(),
    })
}

/// An argument as it has to be written elsewhere.
fn absolute(arg: &OsStr, inputs: &[PathBuf], here: &Path) -> OsString {
    let looks_like_path = arg.as_bytes().iter().any(|&byte| byte == b'/' || byte == b'.');
    let path = direct(&here.join(arg));
    if !looks_like_path || !path.exists() || inputs.iter().any(|input| within(arg, input, here)) {
        return arg.to_owned();
    }
    let Some(input) = inputs.iter().find(|input| names(arg, input, here)) else {
        return if path.is_file() { path.into_os_string() } else { arg.to_owned() };
    };
    // The input itself: the variant has its name, but not its directory.
    match Some(arg) == input.file_name() || inputs.len() > 1 || path.is_dir() {
        true => arg.to_owned(),
        false => OsStr::from_bytes(VARIANT).to_owned(),
    }
}

/// Whether an argument names something in a directory that varies.
fn within(arg: &OsStr, input: &Path, here: &Path) -> bool {
    let input = direct(&here.join(input));
    let path = direct(&here.join(arg));
    input.is_dir() && !Path::new(arg).is_absolute() && path.starts_with(&input) && path != input
}

/// A path without . and, as links may be on the way, with the real directory where it had `..`.
fn direct(path: &Path) -> PathBuf {
    let plain: PathBuf = path.components().collect();
    if !plain.components().any(|component| component == Component::ParentDir) {
        return plain;
    }
    let parent = plain.parent().and_then(|parent| parent.canonicalize().ok());
    match (parent, plain.file_name()) {
        (Some(parent), Some(name)) => parent.join(name),
        _ => plain,
    }
}

fn names(arg: &OsStr, input: &Path, here: &Path) -> bool {
    let same = |path: &Path| path.canonicalize().ok();
    same(&here.join(arg)).is_some_and(|path| Some(path) == same(&here.join(input)))
}

/// Looks a program up as a shell does.
fn find(name: &OsStr, here: &Path) -> Result<PathBuf, BadProgram> {
    if name.as_bytes().contains(&b'/') {
        let path = direct(&here.join(name));
        return runnable(&path).map(|()| path);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let candidates = std::env::split_paths(&path).map(|dir| here.join(dir).join(name));
    let mut refused = BadProgram::Missing;
    for candidate in candidates {
        match runnable(&candidate) {
            Ok(()) => return Ok(candidate),
            Err(BadProgram::NotExecutable) => refused = BadProgram::NotExecutable,
            Err(_) => {}
        }
    }
    Err(refused)
}

fn runnable(path: &Path) -> Result<(), BadProgram> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Err(BadProgram::Directory),
        Ok(metadata) if metadata.permissions().mode() & 0o111 == 0 => {
            Err(BadProgram::NotExecutable)
        }
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(BadProgram::Missing),
        Err(error) => Err(BadProgram::Unreadable(error)),
    }
}

/// Whether the system knows how to run the file: a binary, or a script that names its interpreter.
fn has_interpreter(program: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    match fs::File::open(program) {
        Ok(file) => file.take(4).read_to_end(&mut start)?,
        // Programs may be executable and not readable.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(true),
        Err(error) => return Err(error),
    };
    Ok(start.starts_with(b"#!") || start.starts_with(b"\x7fELF"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn files_named_here_become_absolute_but_the_input_does_not() {
        let here = tempfile::tempdir().unwrap();
        let here = here.path().canonicalize().unwrap();
        fs::write(here.join("bug.c"), "").unwrap();
        fs::write(here.join("check.py"), "").unwrap();
        fs::write(here.join("word"), "").unwrap();
        let typed = words("sh check.py bug.c word -I{} none.txt");
        let command = TestCommand::new(&typed, None, &["bug.c".into()], &here).unwrap();
        assert!(command.program.is_absolute());
        let check = here.join("check.py").into_os_string();
        let expected = [check, "bug.c".into(), "word".into(), "-I{}".into(), "none.txt".into()];
        assert_eq!(command.args, expected);
        assert_eq!(command.stdin, StandardInput::Nothing);
        assert_eq!(command.args_for(Path::new("/tmp/v"))[3], "-I/tmp/v");
        let without_marker = TestCommand::new(&words("cat"), None, &["bug.c".into()], &here);
        assert_eq!(without_marker.unwrap().stdin, StandardInput::Variant);
    }

    #[test]
    fn what_lies_in_a_folder_is_run_there() {
        let here = tempfile::tempdir().unwrap();
        fs::write(here.path().join("mine.txt"), "").unwrap();
        let script = wynot_subjects::FolderEntry::file(b"#!/bin/sh\n".to_vec(), 0o755);
        let folder: Folder = [(Path::new("tests/run.sh"), script)].into_iter().collect();
        let resolve = |text: &str, build| {
            TestCommand::in_folder(&words(text), build, &folder, here.path()).unwrap()
        };
        let plain = resolve("./tests/run.sh tests/run.sh mine.txt", None);
        assert_eq!(plain.program, Path::new("tests/run.sh"));
        let mine = here.path().join("mine.txt").into_os_string();
        assert_eq!(plain.args, ["tests/run.sh".into(), mine]);
        let built = resolve("./tests/run.sh", Some("make"));
        assert_eq!(built.program, plain.program);
        assert_eq!(built.build, Some("make".into()));
    }

    #[test]
    fn programs_that_cannot_run_are_told_apart() {
        let here = tempfile::tempdir().unwrap();
        let write = |name: &str, mode: u32| {
            fs::write(here.path().join(name), "exit 0\n").unwrap();
            fs::set_permissions(here.path().join(name), fs::Permissions::from_mode(mode)).unwrap();
        };
        write("plain.sh", 0o644);
        write("no-first-line", 0o755);
        let resolve = |text: &str, convention: Option<Convention>| {
            TestCommand::new(&words(text), convention, &["x".into()], here.path())
        };
        let message = |text: &str| resolve(text, None).unwrap_err().to_string();
        assert_eq!(message("./gone.sh"), "cannot run ./gone.sh: no such file or command");
        assert_eq!(message("./plain.sh"), "cannot run ./plain.sh: permission denied");
        assert_eq!(message("./"), "cannot run ./: it is a directory");
        assert!(message("./no-first-line").ends_with("does not say which program runs it"));
        let by_sh = resolve("./no-first-line", Some(Convention::Creduce)).unwrap();
        assert_eq!(by_sh.program, Path::new("/bin/sh"));
    }
}
