//! Test commands in which a version varies.

use super::placeholder::{mentions_version, with_version};
use super::resolve::BadCommand;
use super::test_command::TestCommand;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

impl TestCommand {
    /// Resolves a test whose words, or whose build, contain the placeholder of a version.
    ///
    /// The words are resolved as they are for the version `bad`. Where that gives a path of the current directory or of
    /// the search path, the paths of the other versions differ in the version alone.
    pub fn for_versions(
        words: &[OsString],
        build: Option<&str>,
        bad: &str,
        here: &Path,
    ) -> Result<Self, BadCommand> {
        let words_for_bad: Vec<OsString> =
            words.iter().map(|word| with_version(word, bad)).collect();
        let command = Self::new(&words_for_bad, None, &[], here)?;
        let program = match &words[0] {
            program if !mentions_version(program) => command.program,
            program if program.as_bytes().contains(&b'/') => joined(here, program),
            program => joined(command.program.parent().unwrap_or(here), program),
        };
        let args = words.iter().zip(&words_for_bad).skip(1).zip(command.args);
        let args = args.map(|((word, for_bad), resolved)| match mentions_version(word) {
            true if resolved == *for_bad => word.clone(),
            true => joined(here, word).into_os_string(),
            false => resolved,
        });
        let args = args.collect();
        Ok(Self { program, args, build: build.map(OsString::from), ..command })
    }
}

/// A path without its components `.`.
fn joined(directory: &Path, word: &OsStr) -> PathBuf {
    directory.join(word).components().collect()
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
        let plain = resolve(&["sh", "-c", "{version}"]).unwrap();
        assert!(plain.program.is_absolute() && plain.args == ["-c", "{version}"]);
    }
}
