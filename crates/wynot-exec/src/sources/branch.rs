//! A new branch with one commit, made without touching the checkout or the index of the user.

use super::git::{Repository, output_of};
use super::git_error::GitError;
use std::ffi::OsStr;
use std::path::Path;

impl Repository {
    /// An error if a branch with this name cannot be made.
    pub fn check_new_branch(&self, name: &str) -> Result<(), GitError> {
        self.git(&["check-ref-format", "--branch", name])?;
        match self.git(&["show-ref", "--verify", "--quiet", &format!("refs/heads/{name}")]) {
            Ok(_) => Err(GitError::Refused {
                command: "branch".to_owned(),
                message: "there is such a branch already".to_owned(),
            }),
            Err(_) => Ok(()),
        }
    }

    /// Makes a branch with one commit after `parent`, which applies a patch. Temporary files are in `scratch`. Returns the
    /// object name of the commit.
    pub fn commit_patch(
        &self,
        branch: &str,
        parent: &str,
        patch: &[u8],
        message: &str,
        scratch: &Path,
    ) -> Result<String, GitError> {
        let dir = tempfile::tempdir_in(scratch)?;
        let (index, file) = (dir.path().join("index"), dir.path().join("patch"));
        std::fs::write(&file, patch)?;
        let git = |args: &[&OsStr]| {
            let mut command = self.command();
            command.env("GIT_INDEX_FILE", &index).args(args);
            let name = args.first().map(|name| name.to_string_lossy()).unwrap_or_default();
            let output = output_of(&mut command, &name)?;
            Ok::<_, GitError>(String::from_utf8_lossy(&output).trim().to_owned())
        };
        git(&["read-tree".as_ref(), parent.as_ref()])?;
        let options = ["apply", "--cached", "--whitespace=nowarn"].map(OsStr::new);
        git(&[&options[..], &[file.as_os_str()]].concat())?;
        let tree = git(&["write-tree".as_ref()])?;
        let words = ["commit-tree", &tree, "-p", parent, "-m", message].map(OsStr::new);
        let commit = git(&words)?;
        let reference = format!("refs/heads/{branch}");
        // The zeros mean that the branch must not exist.
        let zeros = "0".repeat(commit.len());
        git(&["update-ref", &reference, &commit, &zeros].map(OsStr::new))?;
        Ok(commit)
    }
}
