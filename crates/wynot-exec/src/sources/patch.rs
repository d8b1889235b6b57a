//! Patches: the difference between two folders in the format of git.

use super::git::{Repository, git_command};
use super::git_error::GitError;
use std::io::Write;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::process::Stdio;
use wynot_subjects::{Folder, FolderEntry};

/// The difference between two folders as a patch for `git apply`, including binary files, modes and links. It is made in
/// a temporary directory in `parent`.
pub fn patch(old: &Folder, new: &Folder, parent: &Path) -> Result<Vec<u8>, GitError> {
    difference(old, new, "--no-renames", parent)
}

/// The same, where a file that was renamed is one, and not a file that is gone and a new one.
pub fn patch_with_renames(old: &Folder, new: &Folder, parent: &Path) -> Result<Vec<u8>, GitError> {
    difference(old, new, "--find-renames", parent)
}

fn difference(
    old: &Folder,
    new: &Folder,
    renames: &str,
    parent: &Path,
) -> Result<Vec<u8>, GitError> {
    let dir = tempfile::tempdir_in(parent)?;
    let repository = import(dir.path(), &[("old", old), ("new", new)])?;
    // The options override the user's configuration, so that every git can apply the patch.
    let diff =
        ["diff-tree", "-p", "--binary", renames, "--no-ext-diff", "--no-textconv", "old", "new"];
    let configuration =
        ["-c", "diff.noprefix=false", "-c", "diff.mnemonicPrefix=false", "-c", "diff.context=3"];
    repository.git(&[&configuration[..], &diff].concat())
}

/// A folder with a patch applied to it, as `git apply` does; `None` if the patch does not apply.
pub fn apply(patch: &[u8], folder: &Folder, parent: &Path) -> Result<Option<Folder>, GitError> {
    let dir = tempfile::tempdir_in(parent)?;
    let repository = import(dir.path(), &[("old", folder)])?;
    repository.git(&["read-tree", "old"])?;
    let mut process = git_command()
        .arg("-C")
        .arg(dir.path())
        .args(["apply", "--cached", "--whitespace=nowarn", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(GitError::Missing)?;
    if let Some(mut input) = process.stdin.take() {
        // A process that refuses the patch early closes its input.
        let _ = input.write_all(patch);
    }
    if !process.wait()?.success() {
        return Ok(None);
    }
    let tree = String::from_utf8_lossy(&repository.git(&["write-tree"])?).trim().to_owned();
    repository.tree(&tree).map(Some)
}

/// A new repository in a directory, with a branch for each of some folders.
fn import(dir: &Path, branches: &[(&str, &Folder)]) -> Result<Repository, GitError> {
    let repository = Repository::of(dir);
    repository.git(&["init", "--quiet", "--bare", "."])?;
    let mut process = git_command()
        .arg("-C")
        .arg(dir)
        .args(["fast-import", "--quiet", "--force"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(GitError::Missing)?;
    if let Some(mut stream) = process.stdin.take() {
        for (branch, folder) in branches {
            stream.write_all(&fast_import_stream(branch, folder))?;
        }
    }
    process.wait()?;
    Ok(repository)
}

/// The input of `git fast-import` that creates a branch with the files of a folder.
fn fast_import_stream(branch: &str, folder: &Folder) -> Vec<u8> {
    let header = format!("commit refs/heads/{branch}\ncommitter wynot <> 0 +0000\ndata 0\n\n");
    let mut bytes = header.into_bytes();
    for (path, entry) in folder.entries() {
        let (mode, contents) = match entry {
            FolderEntry::File { contents, mode, .. } => {
                let mode = if mode & 0o111 == 0 { "100644" } else { "100755" };
                (mode, contents.bytes().to_vec())
            }
            FolderEntry::Link(target) => ("120000", target.clone().into_os_string().into_vec()),
            // Git does not record directories.
            FolderEntry::Directory { .. } => continue,
        };
        bytes.extend_from_slice(format!("M {mode} inline ").as_bytes());
        bytes.push(b'"');
        for &byte in std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()) {
            match byte {
                b'"' | b'\\' => bytes.extend_from_slice(&[b'\\', byte]),
                b'\n' => bytes.extend_from_slice(b"\\n"),
                byte => bytes.push(byte),
            }
        }
        bytes.extend_from_slice(b"\"\n");
        bytes.extend_from_slice(format!("data {}\n", contents.len()).as_bytes());
        bytes.extend_from_slice(&contents);
        bytes.push(b'\n');
    }
    bytes.push(b'\n');
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Path, PathBuf};
    use std::process::Command;
    use wynot_session::files::{read_tree, write_folder};

    fn run(dir: &Path, line: &str) {
        let output = Command::new("sh").current_dir(dir).args(["-c", line]).output().unwrap();
        assert!(output.status.success(), "{line}: {output:?}");
    }

    #[test]
    fn a_patch_turns_the_old_folder_into_the_new_one() {
        let entry = |path: &str, bytes: &[u8], mode| {
            (PathBuf::from(path), FolderEntry::file(bytes.to_vec(), mode))
        };
        let mut old: Folder = [
            entry("x \"y", b"1\n2\n", 0o644),
            entry("bin", &[0, 1, 2], 0o644),
            entry("gone", b"g", 0o644),
        ]
        .into_iter()
        .collect();
        let mut new: Folder = [
            entry("x \"y", b"1\n3", 0o755),
            entry("bin", &[0, 255, 7, 8], 0o644),
            entry("d/new", b"n\r\n", 0o644),
        ]
        .into_iter()
        .collect();
        old.insert(Path::new("l"), FolderEntry::Link("a".into()));
        new.insert(Path::new("l"), FolderEntry::Link("b".into()));
        let dir = tempfile::tempdir().unwrap();
        let patch = patch(&old, &new, dir.path()).unwrap();
        let tree = dir.path().join("tree");
        write_folder(&tree, &old).unwrap();
        std::fs::write(dir.path().join("p"), patch).unwrap();
        run(&tree, "git init -q . && git apply ../p && rm -rf .git");
        assert_eq!(read_tree(&tree, Path::new(""), &[]).unwrap(), new);
    }
}
