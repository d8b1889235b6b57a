//! Resolution of the words after `--` into a test command that does not depend on the current directory.

use super::convention::Convention;
use super::placeholder::VARIANT_PLACEHOLDER;
use super::test_command::{StandardInput, TestCommand, WorkDir};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};
use wynot_session::files::{UnsuitableFile, special_file};
use wynot_session::plain;
use wynot_subjects::Folder;

/// A test command that cannot be run.
#[derive(Debug, thiserror::Error)]
#[error("cannot run {}: {reason}", program.to_string_lossy())]
pub struct BadCommand {
    /// The program as the user wrote it.
    pub program: OsString,
    /// Why it cannot be run.
    pub reason: BadProgram,
}

/// Why a program cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum BadProgram {
    /// There is no such file or command.
    #[error("no such file or command")]
    Missing,
    /// The file is not executable.
    #[error("permission denied")]
    NotExecutable,
    /// The path is a directory.
    #[error("it is a directory")]
    Directory,
    /// The file is neither a binary nor a script whose first line names an interpreter.
    #[error("it is neither a binary nor a script whose first line names an interpreter")]
    NoInterpreter,
    /// The file cannot be examined.
    #[error("{}", plain(.0))]
    Unreadable(io::Error),
}

impl TestCommand {
    /// Resolves the words that the user wrote after `--`, for the given inputs.
    ///
    /// Tests do not run in the current directory of the user. Therefore the program is looked up, and an argument that
    /// names an existing file becomes an absolute path, or the placeholder of the variant if the file is the input. An
    /// argument that names a file within a varying directory stays relative, because the file has the same relative
    /// path in the directory of the test.
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
        let runs_by_sh = convention.is_some_and(Convention::runs_scripts_by_sh);
        match has_interpreter(&command.program) {
            Ok(true) => {}
            Ok(false) if runs_by_sh => {
                command.args.insert(0, command.program.into_os_string());
                command.program = PathBuf::from("/bin/sh");
            }
            Ok(false) => return Err(bad(BadProgram::NoInterpreter)),
            Err(error) => return Err(bad(BadProgram::Unreadable(error))),
        }
        Ok(command)
    }

    /// Resolves a test that runs in a folder. Programs and files of the folder, and programs that the build creates
    /// there, are used from the folder. If the folder is a version of the checkout at `root`, relative paths that lead
    /// into the checkout lead into the folder.
    pub fn in_folder(
        words: &[OsString],
        build: Option<&str>,
        folder: &Folder,
        root: Option<&Path>,
        here: &Path,
    ) -> Result<Self, BadCommand> {
        let (first, rest) = words.split_first().expect("the command line requires a test");
        let normalize = |word: &OsStr| -> PathBuf {
            let path = Path::new(word);
            let below = root.filter(|_| path.is_relative()).and_then(|root| {
                let whole = without_dots(&here.canonicalize().ok()?.join(path));
                whole.strip_prefix(root.canonicalize().ok()?).map(Path::to_owned).ok()
            });
            below.unwrap_or_else(|| {
                path.components().filter(|part| *part != Component::CurDir).collect()
            })
        };
        let is_in_folder =
            |word: &OsStr| !word.is_empty() && folder.get(&normalize(word)).is_some();
        let stays_inside = |path: &Path| {
            path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        };
        let is_relative_path = first.as_bytes().contains(&b'/')
            && (stays_inside(Path::new(first))
                || (Path::new(first).is_relative() && is_in_folder(first)));
        let find_here =
            || find(first, here).map_err(|reason| BadCommand { program: first.clone(), reason });
        let (program, fallback) = match is_relative_path {
            true if is_in_folder(first) => (normalize(first), None),
            // An earlier product of a build in the current directory belongs to another version.
            true if build.is_some() => (normalize(first), find_here().ok()),
            _ => (find_here()?, None),
        };
        let argument = |arg: &OsString| match is_in_folder(arg) {
            true => in_form_of(arg, &normalize(arg)),
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

/// A path without `.` and `..`. It need not exist: a version may have other directories than the checkout.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// A path in a folder, written as it was if it is the same path.
fn in_form_of(word: &OsStr, path: &Path) -> OsString {
    let parts = Path::new(word).components();
    let written: PathBuf = parts.filter(|part| *part != Component::CurDir).collect();
    if written == path { word.to_owned() } else { path.as_os_str().to_owned() }
}

/// The command of a Lithium condition. A condition is a Python module, which `lithium.py` calls as Lithium does.
fn lithium(words: &[OsString], inputs: &[PathBuf], here: &Path) -> Result<TestCommand, BadCommand> {
    let python = OsString::from("python3");
    let program = find(&python, here).map_err(|reason| BadCommand { program: python, reason })?;
    let mut args: Vec<OsString> = vec!["-c".into(), include_str!("lithium.py").into()];
    // A module of the user is named by its file, a module of Lithium by its name.
    let mut module = words[0].clone();
    module.push(".py");
    let files = [here.join(&words[0]), here.join(module)];
    let file = files.into_iter().find(|file| file.is_file());
    args.push(file.map_or_else(|| words[0].clone(), PathBuf::into_os_string));
    let is_input = |word: &OsString| inputs.iter().any(|input| is_same_file(word, input, here));
    args.extend(words[1..].iter().map(|word| match is_input(word) {
        true => OsStr::from_bytes(VARIANT_PLACEHOLDER).to_owned(),
        false => absolute(word, inputs, here),
    }));
    if args.last().is_none_or(|last| last.as_bytes() != VARIANT_PLACEHOLDER) {
        args.push(OsStr::from_bytes(VARIANT_PLACEHOLDER).to_owned());
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

/// The form of an argument that is valid in every directory.
fn absolute(arg: &OsStr, inputs: &[PathBuf], here: &Path) -> OsString {
    let looks_like_path = arg.as_bytes().iter().any(|&byte| byte == b'/' || byte == b'.');
    let path = resolve_dots(&here.join(arg));
    if !looks_like_path || !path.exists() || inputs.iter().any(|input| is_within(arg, input, here))
    {
        return arg.to_owned();
    }
    let Some(input) = inputs.iter().find(|input| is_same_file(arg, input, here)) else {
        return if path.is_file() { path.into_os_string() } else { arg.to_owned() };
    };
    // The argument is the input itself. The variant has the same file name, but another directory.
    match Some(arg) == input.file_name() || inputs.len() > 1 || path.is_dir() {
        true => arg.to_owned(),
        false => OsStr::from_bytes(VARIANT_PLACEHOLDER).to_owned(),
    }
}

/// Whether an argument names a file in a varying directory.
fn is_within(arg: &OsStr, input: &Path, here: &Path) -> bool {
    let input = resolve_dots(&here.join(input));
    let path = resolve_dots(&here.join(arg));
    input.is_dir() && !Path::new(arg).is_absolute() && path.starts_with(&input) && path != input
}

/// A path without `.`, and with `..` resolved through the file system, since a directory on the way may be a link.
fn resolve_dots(path: &Path) -> PathBuf {
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

/// Whether an argument and an input are the same file.
fn is_same_file(arg: &OsStr, input: &Path, here: &Path) -> bool {
    let canonical = |path: &Path| path.canonicalize().ok();
    canonical(&here.join(arg)).is_some_and(|path| Some(path) == canonical(&here.join(input)))
}

/// Finds a program as a shell does.
fn find(name: &OsStr, here: &Path) -> Result<PathBuf, BadProgram> {
    if name.as_bytes().contains(&b'/') {
        let path = resolve_dots(&here.join(name));
        return check_runnable(&path).map(|()| path);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let candidates = std::env::split_paths(&path).map(|dir| here.join(dir).join(name));
    let mut reason = BadProgram::Missing;
    for candidate in candidates {
        match check_runnable(&candidate) {
            Ok(()) => return Ok(candidate),
            Err(BadProgram::NotExecutable) => reason = BadProgram::NotExecutable,
            Err(_) => {}
        }
    }
    Err(reason)
}

/// Checks that a path is an executable file.
fn check_runnable(path: &Path) -> Result<(), BadProgram> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Err(BadProgram::Directory),
        Ok(metadata) if metadata.permissions().mode() & 0o111 == 0 => {
            Err(BadProgram::NotExecutable)
        }
        Ok(metadata) => match special_file(metadata.file_type()) {
            Some(noun) => Err(BadProgram::Unreadable(UnsuitableFile::Special(noun).into())),
            None => Ok(()),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(BadProgram::Missing),
        Err(error) => Err(BadProgram::Unreadable(error)),
    }
}

/// Whether the system can run the file: it is a binary, or a script whose first line names its interpreter.
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
    fn arguments_that_name_files_become_absolute_except_the_input() {
        let here = tempfile::tempdir().unwrap();
        let here = here.path().canonicalize().unwrap();
        fs::write(here.join("bug.c"), "").unwrap();
        fs::write(here.join("check.py"), "").unwrap();
        fs::write(here.join("word"), "").unwrap();
        let test_words = words("sh check.py bug.c word -I{} none.txt");
        let command = TestCommand::new(&test_words, None, &["bug.c".into()], &here).unwrap();
        assert!(command.program.is_absolute());
        let check = here.join("check.py").into_os_string();
        let expected = [check, "bug.c".into(), "word".into(), "-I{}".into(), "none.txt".into()];
        assert_eq!(command.args, expected);
        assert_eq!(command.stdin, StandardInput::Nothing);
        assert_eq!(command.args_for(Path::new("/tmp/v"))[3], "-I/tmp/v");
        let without_placeholder = TestCommand::new(&words("cat"), None, &["bug.c".into()], &here);
        assert_eq!(without_placeholder.unwrap().stdin, StandardInput::Variant);
    }

    #[test]
    fn programs_of_a_folder_are_run_in_the_folder() {
        let here = tempfile::tempdir().unwrap();
        fs::write(here.path().join("mine.txt"), "").unwrap();
        let script = wynot_subjects::FolderEntry::file(b"#!/bin/sh\n".to_vec(), 0o755);
        let folder: Folder = [(Path::new("tests/run.sh"), script)].into_iter().collect();
        let resolve = |text: &str, build| {
            TestCommand::in_folder(&words(text), build, &folder, None, here.path()).unwrap()
        };
        let plain = resolve("./tests/run.sh tests/run.sh mine.txt", None);
        assert_eq!(plain.program, Path::new("tests/run.sh"));
        let mine = here.path().join("mine.txt").into_os_string();
        assert_eq!(plain.args, ["tests/run.sh".into(), mine]);
        let built = resolve("./tests/run.sh", Some("make"));
        assert_eq!(built.program, plain.program);
        assert_eq!(built.build, Some("make".into()));
        let below = here.path().join("docs");
        fs::create_dir(&below).unwrap();
        let words = words("../tests/run.sh ../tests/run.sh ../mine.txt");
        let command =
            TestCommand::in_folder(&words, None, &folder, Some(here.path()), &below).unwrap();
        assert_eq!(command.program, plain.program);
        let mine = here.path().canonicalize().unwrap().join("mine.txt").into_os_string();
        assert_eq!(command.args, ["tests/run.sh".into(), mine]);
    }

    #[test]
    fn each_kind_of_unusable_program_has_its_own_error() {
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
        assert!(message("./no-first-line").ends_with("whose first line names an interpreter"));
        let by_sh = resolve("./no-first-line", Some(Convention::Creduce)).unwrap();
        assert_eq!(by_sh.program, Path::new("/bin/sh"));
    }
}
