//! Submodules: repositories whose files are part of the commits of another repository.
//!
//! The objects of a submodule are read from where `git submodule update --init` stores them. A submodule without
//! objects is an empty directory in all commits, as after `git clone`.

use super::git::Repository;
use super::git_error::GitError;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use wynot_subjects::{Folder, FolderEntry};

/// A submodule whose objects are not available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OmittedSubmodule {
    /// The path of the submodule.
    pub path: PathBuf,
    /// Whether the commits read so far refer to different commits of the submodule.
    pub changes: bool,
}

impl Repository {
    /// The submodules, at any depth, that were left out of the commits read so far.
    pub fn omitted_submodules(&self) -> Vec<OmittedSubmodule> {
        let mut found = Vec::new();
        for (path, submodule) in self.submodules.borrow().iter() {
            match &submodule.repository {
                None => {
                    let changes = submodule.wanted.len() > 1;
                    found.push(OmittedSubmodule { path: path.clone(), changes });
                }
                Some(repository) => found.extend(
                    repository
                        .omitted_submodules()
                        .into_iter()
                        .map(|inner| OmittedSubmodule { path: path.join(inner.path), ..inner }),
                ),
            }
        }
        found
    }

    /// Reads the files of commit `id` of the submodule at `path`, with their paths in the outer repository.
    pub(crate) fn read_submodule(
        &self,
        revision: &str,
        path: &Path,
        id: &str,
    ) -> Result<Vec<(PathBuf, FolderEntry)>, GitError> {
        let mut entries = vec![(path.to_owned(), FolderEntry::Directory { mode: 0o755 })];
        let known = self.submodules.borrow().get(path).map(|known| known.repository.clone());
        let repository = known.unwrap_or_else(|| self.find_submodule(revision, path).map(Arc::new));
        let files = match &repository {
            None => Folder::default(),
            Some(repository) if repository.has_commit(id) => repository.tree(id)?,
            Some(_) => {
                return Err(GitError::Submodule { path: path.to_owned(), id: id.to_owned() });
            }
        };
        let mut submodules = self.submodules.borrow_mut();
        let submodule = submodules.entry(path.to_owned()).or_default();
        submodule.repository = repository;
        submodule.wanted.insert(id.to_owned());
        entries.extend(files.entries().map(|(inner, entry)| (path.join(inner), entry.clone())));
        Ok(entries)
    }

    /// Finds the repository of a submodule: in its checkout, or below the git directory of this repository.
    fn find_submodule(&self, revision: &str, path: &Path) -> Option<Self> {
        if let Ok(top) = self.git_text(&["rev-parse", "--show-toplevel"]) {
            let checkout = Path::new(&top).join(path);
            if !self.is_bare() && checkout.join(".git").exists() {
                return Some(Self::of(&checkout));
            }
        }
        let git_dir =
            self.git_text(&["rev-parse", "--path-format=absolute", "--git-common-dir"]).ok()?;
        let module = Path::new(&git_dir).join("modules").join(self.submodule_name(revision, path));
        module.join("HEAD").exists().then(|| Self::bare(&module))
    }

    /// The name of a submodule in `.gitmodules`; its path if it has none there.
    fn submodule_name(&self, revision: &str, path: &Path) -> PathBuf {
        let blob = format!("{revision}:.gitmodules");
        let query = ["config", "--blob", &blob, "--null", "--get-regexp", r"^submodule\..*\.path$"];
        let listed = self.git(&query).unwrap_or_default();
        let lines = listed.split(|&byte| byte == 0).filter_map(|line| {
            let end = line.iter().position(|&byte| byte == b'\n')?;
            let name = line[..end].strip_prefix(b"submodule.")?.strip_suffix(b".path")?;
            Some((name, PathBuf::from(OsString::from_vec(line[end + 1..].to_vec()))))
        });
        let named = lines.into_iter().find(|(_, known)| known == path);
        named.map_or_else(|| path.to_owned(), |(name, _)| OsString::from_vec(name.to_vec()).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn run(dir: &Path, line: &str) {
        let output = Command::new("sh").current_dir(dir).args(["-ec", line]).output().unwrap();
        assert!(output.status.success(), "{line}: {output:?}");
    }

    #[test]
    fn submodules_are_read_from_checkouts_and_from_the_git_directory() {
        let dir = tempfile::tempdir().unwrap();
        run(
            dir.path(),
            "export GIT_AUTHOR_NAME=n GIT_AUTHOR_EMAIL=e GIT_COMMITTER_NAME=n GIT_COMMITTER_EMAIL=e
             git() { command git -c protocol.file.allow=always -c init.defaultBranch=main \"$@\"; }
             git init -q deep; cd deep; echo d > d; git add -A; git commit -qm deep; cd ..
             git init -q sub; cd sub; echo 1 > s; git submodule --quiet add ../deep in
             git add -A; git commit -qm one; cd ..
             git init -q top; cd top; git submodule --quiet add --name other ../sub lib/sub
             git submodule --quiet update --init --recursive; echo t > t; git add -A; git commit -qm top
             git tag old; cd lib/sub; echo 2 > s; git commit -qam two; cd ../..; git commit -qam new
             cd ..; git clone -q top plain",
        );
        let text = |folder: &Folder, path: &str| {
            folder.get(Path::new(path)).and_then(FolderEntry::text).map(<[u8]>::to_vec)
        };
        let top = dir.path().join("top");
        let read = |dir: &Path| {
            let repository = Repository::of(dir);
            let trees = ["old", "main"].map(|revision| repository.tree(revision).unwrap());
            (trees, repository.omitted_submodules())
        };
        let ([old, new], omitted) = read(&top);
        assert_eq!(text(&old, "lib/sub/s"), Some(b"1\n".to_vec()));
        assert_eq!(text(&new, "lib/sub/s"), Some(b"2\n".to_vec()));
        assert_eq!(text(&new, "lib/sub/in/d"), Some(b"d\n".to_vec()));
        assert_eq!(omitted, []);
        // Without the checkout, the objects are still in the git directory.
        run(&top, "rm -rf lib");
        assert_eq!(read(&top), ([old, new], omitted));
        let ([old, new], omitted) = read(&dir.path().join("plain"));
        assert!(old.get(Path::new("lib/sub")).is_some_and(FolderEntry::is_directory));
        assert_eq!(old, new);
        assert_eq!(omitted, [OmittedSubmodule { path: "lib/sub".into(), changes: true }]);
        run(&top, "rm -rf .git/modules/other/objects/??");
        let missing = Repository::of(&top).tree("main").unwrap_err().to_string();
        assert!(missing.contains(" of the submodule lib/sub is not available"), "{missing}");
    }
}
