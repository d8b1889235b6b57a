//! Reading commits from a git repository, by the `git` program. The repository is never changed.

use super::git_error::GitError;
use super::object_reader::ObjectReader;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use wynot_process::death_signal::kill_with_parent;
use wynot_subjects::{FileContents, Folder, FolderEntry};

/// The number of files whose contents are known before those that no version uses are forgotten.
const MAX_KNOWN_CONTENTS: usize = 1 << 16;

/// A git repository from which commits are read.
#[derive(Debug)]
pub struct Repository {
    dir: PathBuf,
    /// Whether `dir` is the git directory itself, without a checkout.
    bare: bool,
    objects: RefCell<Option<ObjectReader>>,
    /// The contents of the files read so far, by object name: most files are equal in many commits.
    known_contents: RefCell<HashMap<String, Arc<FileContents>>>,
    /// Files that are added to every commit that does not have them.
    added: Folder,
    /// The submodules found so far, by path.
    pub(crate) submodules: RefCell<BTreeMap<PathBuf, Submodule>>,
}

/// A submodule.
#[derive(Debug, Default)]
pub(crate) struct Submodule {
    /// The repository of the submodule; `None` if its objects are not available.
    pub repository: Option<Arc<Repository>>,
    /// The commits of the submodule that were requested.
    pub wanted: BTreeSet<String>,
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The full object name.
    pub id: String,
    /// The full object names of the parents.
    pub parents: Vec<String>,
    /// The name of the author.
    pub author: String,
    /// The author date in ISO 8601 format.
    pub date: String,
    /// The first line of the commit message.
    pub subject: String,
}

impl Repository {
    /// Opens the repository to which a directory belongs.
    pub fn of(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
            bare: false,
            objects: RefCell::default(),
            known_contents: RefCell::default(),
            added: Folder::default(),
            submodules: RefCell::default(),
        }
    }

    /// The same repository, with files that are added to every commit that does not have them.
    #[must_use]
    pub fn adding(self, added: Folder) -> Self {
        Self { added, ..self }
    }

    /// The directory of the checkout; `None` if there is none.
    pub fn top_level(&self) -> Option<PathBuf> {
        let top = self.git_text(&["rev-parse", "--show-toplevel"]).ok()?;
        (!top.is_empty()).then(|| PathBuf::from(top))
    }

    /// The files of the checkout that are not part of any commit, with paths relative to its directory. Ignored files
    /// come last.
    pub fn untracked(&self) -> Vec<PathBuf> {
        let list = |ignored: &[&str]| {
            let args = ["ls-files", "-z", "--full-name", "--others", "--directory"];
            let args = [&args[..], ignored, &[":/"]].concat();
            let listed = self.git(&args).unwrap_or_default();
            let paths = listed.split(|&byte| byte == 0).filter(|path| !path.is_empty());
            paths.map(|path| PathBuf::from(OsString::from_vec(path.to_vec()))).collect::<Vec<_>>()
        };
        let mut all = list(&["--exclude-standard"]);
        all.extend(list(&["--exclude-standard", "--ignored"]));
        all
    }

    /// The short names of all branches and tags.
    pub fn ref_names(&self) -> Vec<String> {
        let listed = self.git(&["for-each-ref", "--format=%(refname:short)"]).unwrap_or_default();
        String::from_utf8_lossy(&listed).lines().map(str::to_owned).collect()
    }

    /// Opens the repository whose git directory is `dir`.
    pub(crate) fn bare(dir: &Path) -> Self {
        Self { bare: true, ..Self::of(dir) }
    }

    /// Whether the repository has no known checkout.
    pub(crate) fn is_bare(&self) -> bool {
        self.bare
    }

    /// A git command for this repository, without arguments.
    pub(super) fn command(&self) -> Command {
        let mut command = git_command();
        match self.bare {
            // The configuration may name a checkout that no longer exists.
            true => command.arg("--git-dir").arg(&self.dir).arg("--work-tree").arg(&self.dir),
            false => command.arg("-C").arg(&self.dir),
        };
        command
    }

    /// Runs a git command and returns its output.
    pub(crate) fn git<A: AsRef<OsStr>>(&self, args: &[A]) -> Result<Vec<u8>, GitError> {
        let mut command = self.command();
        let first = args.first().map(|arg| arg.as_ref().to_string_lossy().into_owned());
        output_of(command.args(args), &first.unwrap_or_default())
    }

    /// Runs a git command and returns its output as trimmed text.
    pub(crate) fn git_text<A: AsRef<OsStr>>(&self, args: &[A]) -> Result<String, GitError> {
        Ok(String::from_utf8_lossy(&self.git(args)?).trim().to_owned())
    }

    /// The commit that a revision names.
    pub fn commit(&self, revision: &str) -> Result<Commit, GitError> {
        let id = self.git_text(&[
            "rev-parse",
            "--verify",
            "--quiet",
            &format!("{revision}^{{commit}}"),
        ])?;
        let format = "--format=%H%x00%P%x00%an%x00%aI%x00%s";
        let shown = self.git_text(&["show", "-s", "--no-show-signature", format, &id])?;
        let mut fields = shown.split('\0').map(ToOwned::to_owned);
        let mut next = || fields.next().unwrap_or_default();
        let (id, parents) = (next(), next());
        Ok(Commit {
            id,
            parents: parents.split_whitespace().map(ToOwned::to_owned).collect(),
            author: next(),
            date: next(),
            subject: next(),
        })
    }

    /// Whether the objects of a commit are available.
    pub(crate) fn has_commit(&self, id: &str) -> bool {
        self.git(&["cat-file", "-e", &format!("{id}^{{tree}}")]).is_ok()
    }

    /// Whether commit `old` is `new` or an ancestor of it.
    pub fn is_ancestor(&self, old: &str, new: &str) -> bool {
        self.git(&["merge-base", "--is-ancestor", old, new]).is_ok()
    }

    /// The best common ancestor of two commits.
    pub fn merge_base(&self, one: &str, other: &str) -> Result<String, GitError> {
        self.git_text(&["merge-base", one, other])
    }

    /// Whether the repository is a shallow clone, which lacks old commits.
    pub fn is_shallow(&self) -> bool {
        self.git_text(&["rev-parse", "--is-shallow-repository"]).is_ok_and(|text| text == "true")
    }

    /// The commits after `old` up to its descendant `new`, the oldest first; both are full object names.
    ///
    /// Each commit of the path is a child of the one before it, so all of them descend from `old`. Where several
    /// parents do, the first one is taken.
    pub fn path(&self, old: &str, new: &str) -> Result<Vec<String>, GitError> {
        let between = format!("{old}..{new}");
        let listed = self.git_text(&["rev-list", "--ancestry-path", "--parents", &between])?;
        let parents: HashMap<&str, Vec<&str>> = listed
            .lines()
            .filter_map(|line| line.split_once(' '))
            .map(|(commit, parents)| (commit, parents.split(' ').collect()))
            .collect();
        let mut path = Vec::new();
        let mut next = parents.get_key_value(new);
        while let Some((commit, commit_parents)) = next {
            path.push((*commit).to_owned());
            let descends_from_old =
                |parent: &&&str| **parent == old || parents.contains_key(*parent);
            next = commit_parents
                .iter()
                .find(descends_from_old)
                .and_then(|parent| parents.get_key_value(parent));
        }
        path.reverse();
        Ok(path)
    }

    /// The files of a commit, including those of its submodules.
    pub fn tree(&self, revision: &str) -> Result<Folder, GitError> {
        let listed = self.git(&["ls-tree", "-r", "-z", "--full-tree", revision])?;
        let mut entries: Vec<(PathBuf, FolderEntry)> = Vec::new();
        for line in listed.split(|&byte| byte == 0).filter(|line| !line.is_empty()) {
            let malformed = || io::Error::from(io::ErrorKind::InvalidData);
            let tab = line.iter().position(|&byte| byte == b'\t').ok_or_else(malformed)?;
            let fields = String::from_utf8_lossy(&line[..tab]).into_owned();
            let mut fields = fields.split_whitespace();
            let (mode, _, id) =
                (fields.next(), fields.next(), fields.next().ok_or_else(malformed)?);
            let path = PathBuf::from(OsString::from_vec(line[tab + 1..].to_vec()));
            let entry = match mode.unwrap_or_default() {
                "120000" => {
                    let target = self.read_contents(id)?.bytes().to_vec();
                    FolderEntry::Link(PathBuf::from(OsString::from_vec(target)))
                }
                "160000" => {
                    entries.extend(self.read_submodule(revision, &path, id)?);
                    continue;
                }
                mode => {
                    let mode = if mode == "100755" { 0o755 } else { 0o644 };
                    FolderEntry::File { contents: self.read_contents(id)?, mode, modified: None }
                }
            };
            entries.push((path, entry));
        }
        let tree: Folder = entries.into_iter().collect();
        Ok(if self.added.is_empty() { tree } else { self.added.overlay(&tree) })
    }

    /// Reads the contents of a file by its object name.
    fn read_contents(&self, id: &str) -> Result<Arc<FileContents>, GitError> {
        if let Some(known) = self.known_contents.borrow().get(id) {
            return Ok(Arc::clone(known));
        }
        let mut objects = self.objects.borrow_mut();
        let objects = match &mut *objects {
            Some(objects) => objects,
            none => none.insert(ObjectReader::start(self.command())?),
        };
        let contents: Arc<FileContents> = Arc::new(objects.read(id)?.into());
        let mut known = self.known_contents.borrow_mut();
        if known.len() >= MAX_KNOWN_CONTENTS {
            known.retain(|_, contents| Arc::strong_count(contents) > 1);
        }
        known.insert(id.to_owned(), Arc::clone(&contents));
        Ok(contents)
    }
}

/// The output of a git command, which messages call by this name.
pub(super) fn output_of(command: &mut Command, name: &str) -> Result<Vec<u8>, GitError> {
    let output = command.stdin(Stdio::null()).output().map_err(GitError::Missing)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let message = stderr.lines().next().unwrap_or("it failed").trim_start_matches("fatal: ");
    Err(GitError::Refused { command: name.to_owned(), message: message.to_owned() })
}

/// A git command without the environment variables that select a repository. Git sets them for hooks and aliases, where
/// they name another repository.
pub(super) fn git_command() -> Command {
    let mut command = Command::new("git");
    for name in [
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_NAMESPACE",
        "GIT_PREFIX",
    ] {
        command.env_remove(name);
    }
    // Else it could still write temporary files when everything of a killed search is being removed.
    kill_with_parent(&mut command);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(dir: &Path, line: &str) {
        let output = Command::new("sh").current_dir(dir).args(["-c", line]).output().unwrap();
        assert!(output.status.success(), "{line}: {output:?}");
    }

    #[test]
    fn commits_are_read_with_modes_links_and_unusual_names() {
        let dir = tempfile::tempdir().unwrap();
        run(
            dir.path(),
            "git init -q -b main . && git config user.name n && git config user.email e &&
             mkdir -p 'a b' && echo one > 'a b/x' && echo run > run && chmod +x run && ln -s run link &&
             git add -A && git commit -qm first && git tag good &&
             echo two > 'a b/x' && git commit -qam 'second one' &&
             git checkout -qb side good && echo s > s && git add s && git commit -qm side &&
             git checkout -q main && git merge -qm merge side",
        );
        let repository = Repository::of(dir.path());
        let first = repository.tree("good").unwrap();
        assert_eq!(first.get(Path::new("a b/x")).unwrap().text(), Some(b"one\n".as_slice()));
        assert!(matches!(first.get(Path::new("run")), Some(FolderEntry::File { mode: 0o755, .. })));
        assert_eq!(first.get(Path::new("link")), Some(&FolderEntry::Link("run".into())));
        let id = |revision: &str| repository.commit(revision).unwrap().id;
        let row = repository.path(&id("good"), &id("main")).unwrap();
        assert_eq!(row, [id("main^"), id("main")]);
        assert_eq!(repository.path(&id("side"), &id("main")).unwrap(), [id("main")]);
        let (second, merge) =
            (repository.commit(&row[0]).unwrap(), repository.commit("main").unwrap());
        assert_eq!((second.subject.as_str(), second.author.as_str()), ("second one", "n"));
        assert_eq!(merge.parents.len(), 2);
        assert!(repository.is_ancestor("good", "main") && !repository.is_ancestor("main", "good"));
        assert!(!repository.is_shallow());
        let missing = repository.commit("nothing").unwrap_err();
        assert!(missing.to_string().starts_with("git rev-parse"), "{missing}");
    }
}
