//! Test commands in which a version varies.

use super::placeholder::{mentions_version, with_version};
use super::resolve::BadCommand;
use super::test_command::TestCommand;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use wynot_subjects::Folder;

impl TestCommand {
    /// Resolves a test whose words, or whose build, contain the placeholder of a version.
    ///
    /// The words are resolved as they are for the version `bad`. Where that gives a path of the current directory or of
    /// the search path, the paths of the other versions differ in the version alone. A program that the build creates in
    /// the directory of the test is used from there.
    pub fn for_versions(
        words: &[OsString],
        build: Option<&str>,
        bad: &str,
        here: &Path,
    ) -> Result<Self, BadCommand> {
        let words_for_bad: Vec<OsString> =
            words.iter().map(|word| with_version(word, bad)).collect();
        let command = match build {
            Some(_) => Self::in_folder(&words_for_bad, build, &Folder::default(), None, here)?,
            None => Self::new(&words_for_bad, None, &[], here)?,
        };
        let first = &words[0];
        let program = match command.program {
            program if !mentions_version(first) => program,
            program if program.is_relative() => joined(Path::new(""), first),
            _ if first.as_bytes().contains(&b'/') => joined(here, first),
            program => joined(program.parent().unwrap_or(here), first),
        };
        let fallback = command.fallback.map(|path| match mentions_version(first) {
            true => joined(here, first),
            false => path,
        });
        let args = words.iter().zip(&words_for_bad).skip(1).zip(command.args);
        let args = args.map(|((word, for_bad), resolved)| match mentions_version(word) {
            true if resolved == *for_bad => word.clone(),
            true => joined(here, word).into_os_string(),
            false => resolved,
        });
        let args = args.collect();
        let build = build.map(OsString::from);
        Ok(Self { program, fallback, args, build, ..command })
    }
}

/// A path without its components `.`.
fn joined(directory: &Path, word: &OsStr) -> PathBuf {
    let joined = directory.join(word);
    joined.components().filter(|part| *part != Component::CurDir).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_version_may_be_a_part_of_any_word() {
        let here = tempfile::tempdir().unwrap();
        let here = here.path().canonicalize().unwrap();
        fs::create_dir_all(here.join("tools/2.0")).unwrap();
        fs::write(here.join("tools/2.0/run"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(here.join("tools/2.0/run"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(here.join("2.0.txt"), "").unwrap();
        let resolve = |words: &[&str]| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            TestCommand::for_versions(&words, None, "2.0", &here)
        };
        let command =
            resolve(&["./tools/{version}/run", "{version}.txt", "--x={version}"]).unwrap();
        assert_eq!(command.program, here.join("tools/{version}/run"));
        let file = here.join("{version}.txt").into_os_string();
        assert_eq!(command.args, [file, "--x={version}".into()]);
        let missing = resolve(&["./tools/{version}/walk"]).unwrap_err();
        assert_eq!(missing.to_string(), "cannot run ./tools/2.0/walk: no such file or command");
        let words = ["./tools/{version}/run", "x"].map(OsString::from);
        let built = TestCommand::for_versions(&words, Some("make"), "2.0", &here).unwrap();
        assert_eq!(built.program, Path::new("tools/{version}/run"));
        assert_eq!(built.fallback, Some(here.join("tools/{version}/run")));
        let plain = resolve(&["sh", "-c", "{version}"]).unwrap();
        assert!(plain.program.is_absolute() && plain.args == ["-c", "{version}"]);
    }
}
