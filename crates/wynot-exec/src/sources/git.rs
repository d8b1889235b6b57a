//! Reading versions from a git repository, by the `git` program. Nothing in it is ever changed.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use wynot_session::plain;
use wynot_subjects::{FileContents, Folder, FolderEntry};

/// A git repository that versions are read from.
#[derive(Debug)]
pub struct Repository {
    dir: PathBuf,
    /// Whether the directory holds the objects themselves, and files of no version.
    bare: bool,
    objects: RefCell<Option<Objects>>,
    /// FileContents of files that were read, by their names in git: most are the same in many versions.
    known: RefCell<HashMap<String, Arc<FileContents>>>,
    /// The submodules that were met, by their places.
    pub(crate) submodules: RefCell<BTreeMap<PathBuf, Submodule>>,
}

/// What is known of a submodule.
#[derive(Debug, Default)]
pub(crate) struct Submodule {
    pub repository: Option<Arc<Repository>>,
    /// The versions of it that were asked for.
    pub wanted: BTreeSet<String>,
}

/// A version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its full name.
    pub id: String,
    /// Its parents.
    pub parents: Vec<String>,
    /// Who made it.
    pub author: String,
    /// When it was made, by its author.
    pub date: String,
    /// The first line of what was said about it.
    pub subject: String,
}

/// What went wrong with git.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// The program cannot be started.
    #[error("cannot run git: {}", plain(.0))]
    Missing(io::Error),
    /// It says no.
    #[error("git {command}: {message}")]
    Refused {
        /// What was asked.
        command: String,
        /// What it said.
        message: String,
    },
    /// A version of a submodule is not there.
    #[error(
        "the submodule {} is not here as it was at {}; git submodule update --init, or git fetch in it, may bring it",
        path.display(),
        &id[..id.len().min(12)]
    )]
    Submodule {
        /// Its place.
        path: PathBuf,
        /// The version.
        id: String,
    },
    /// Talking to it failed, or it said something odd.
    #[error("cannot read from git: {}", plain(.0))]
    Io(#[from] io::Error),
}

/// A process that hands out objects.
#[derive(Debug)]
struct Objects {
    process: Child,
    asked: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Drop for Objects {
    fn drop(&mut self) {
        // It ends when nobody asks any more; one that does not is none of our business.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Repository {
    /// The repository that a directory belongs to.
    pub fn of(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
            bare: false,
            objects: RefCell::default(),
            known: RefCell::default(),
            submodules: RefCell::default(),
        }
    }

    /// The repository whose objects are in a directory.
    pub(crate) fn bare(dir: &Path) -> Self {
        Self { bare: true, ..Self::of(dir) }
    }

    /// Whether it has no checkout that anybody knows of.
    pub(crate) fn is_bare(&self) -> bool {
        self.bare
    }

    /// git, to be told what to do here.
    fn command(&self) -> Command {
        let mut command = git_command();
        match self.bare {
            // Its configuration may name a checkout that is gone.
            true => command.arg("--git-dir").arg(&self.dir).arg("--work-tree").arg(&self.dir),
            false => command.arg("-C").arg(&self.dir),
        };
        command
    }

    pub(crate) fn git<A: AsRef<OsStr>>(&self, args: &[A]) -> Result<Vec<u8>, GitError> {
        let mut command = self.command();
        let output = command.args(args).stdin(Stdio::null()).output().map_err(GitError::Missing)?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let first = args.first().map(|arg| arg.as_ref().to_string_lossy().into_owned());
        let said = String::from_utf8_lossy(&output.stderr);
        let message = said.lines().next().unwrap_or("it failed").trim_start_matches("fatal: ");
        Err(GitError::Refused { command: first.unwrap_or_default(), message: message.to_owned() })
    }

    pub(crate) fn line<A: AsRef<OsStr>>(&self, args: &[A]) -> Result<String, GitError> {
        Ok(String::from_utf8_lossy(&self.git(args)?).trim().to_owned())
    }

    /// The version that a revision names.
    pub fn commit(&self, revision: &str) -> Result<Commit, GitError> {
        let id =
            self.line(&["rev-parse", "--verify", "--quiet", &format!("{revision}^{{commit}}")])?;
        let format = "--format=%H%x00%P%x00%an%x00%aI%x00%s";
        let shown = self.line(&["show", "-s", "--no-show-signature", format, &id])?;
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

    /// Whether a version is there.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.git(&["cat-file", "-e", &format!("{id}^{{tree}}")]).is_ok()
    }

    /// Whether one version is the other or an ancestor of it.
    pub fn is_ancestor(&self, old: &str, new: &str) -> bool {
        self.git(&["merge-base", "--is-ancestor", old, new]).is_ok()
    }

    /// The last version that two versions share.
    pub fn merge_base(&self, one: &str, other: &str) -> Result<String, GitError> {
        self.line(&["merge-base", one, other])
    }

    /// Whether old versions are missing.
    pub fn is_shallow(&self) -> bool {
        self.line(&["rev-parse", "--is-shallow-repository"]).is_ok_and(|answer| answer == "true")
    }

    /// The versions from after an old one up to a new one that was made from it, oldest first. Each is made
    /// from the one before it, so all have what the old one has; where several parents do, the first is taken.
    /// Both are full names.
    pub fn path(&self, old: &str, new: &str) -> Result<Vec<String>, GitError> {
        let between = format!("{old}..{new}");
        let listed = self.line(&["rev-list", "--ancestry-path", "--parents", &between])?;
        let parents: HashMap<&str, Vec<&str>> = listed
            .lines()
            .filter_map(|line| line.split_once(' '))
            .map(|(version, parents)| (version, parents.split(' ').collect()))
            .collect();
        let mut path = Vec::new();
        let mut next = parents.get_key_value(new);
        while let Some((version, made_from)) = next {
            path.push((*version).to_owned());
            let has_old = |parent: &&&str| **parent == old || parents.contains_key(*parent);
            next = made_from.iter().find(has_old).and_then(|parent| parents.get_key_value(parent));
        }
        path.reverse();
        Ok(path)
    }

    /// The files of a version, those of its submodules included.
    pub fn tree(&self, revision: &str) -> Result<Folder, GitError> {
        let listed = self.git(&["ls-tree", "-r", "-z", "--full-tree", revision])?;
        let mut entries: Vec<(PathBuf, FolderEntry)> = Vec::new();
        for line in listed.split(|&byte| byte == 0).filter(|line| !line.is_empty()) {
            let odd = || io::Error::from(io::ErrorKind::InvalidData);
            let tab = line.iter().position(|&byte| byte == b'\t').ok_or_else(odd)?;
            let facts = String::from_utf8_lossy(&line[..tab]).into_owned();
            let mut facts = facts.split_whitespace();
            let (mode, _, id) = (facts.next(), facts.next(), facts.next().ok_or_else(odd)?);
            let path = PathBuf::from(OsString::from_vec(line[tab + 1..].to_vec()));
            let entry = match mode.unwrap_or_default() {
                "120000" => {
                    let target = self.contents(id)?.bytes().to_vec();
                    FolderEntry::Link(PathBuf::from(OsString::from_vec(target)))
                }
                "160000" => {
                    entries.extend(self.submodule(revision, &path, id)?);
                    continue;
                }
                mode => {
                    let mode = if mode == "100755" { 0o755 } else { 0o644 };
                    FolderEntry::File { contents: self.contents(id)?, mode, modified: None }
                }
            };
            entries.push((path, entry));
        }
        Ok(entries.into_iter().collect())
    }

    fn contents(&self, id: &str) -> Result<Arc<FileContents>, GitError> {
        if let Some(known) = self.known.borrow().get(id) {
            return Ok(Arc::clone(known));
        }
        let mut objects = self.objects.borrow_mut();
        let objects = match &mut *objects {
            Some(objects) => objects,
            none => none.insert(self.start()?),
        };
        let contents: Arc<FileContents> = Arc::new(objects.read(id)?.into());
        self.known.borrow_mut().insert(id.to_owned(), Arc::clone(&contents));
        Ok(contents)
    }

    fn start(&self) -> Result<Objects, GitError> {
        let mut process = self
            .command()
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(GitError::Missing)?;
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        let asked = process.stdin.take().ok_or_else(gone)?;
        let answers = BufReader::new(process.stdout.take().ok_or_else(gone)?);
        Ok(Objects { process, asked, answers })
    }
}

impl Objects {
    fn read(&mut self, id: &str) -> io::Result<Vec<u8>> {
        writeln!(self.asked, "{id}")?;
        self.asked.flush()?;
        let mut header = String::new();
        self.answers.read_line(&mut header)?;
        // "ID KIND SIZE"; else the object is missing, as in a partial clone without network.
        let size = header.split_whitespace().nth(2).and_then(|size| size.parse::<usize>().ok());
        let size = size.ok_or_else(|| io::Error::other(header.trim().to_owned()))?;
        let mut bytes = vec![0; size + 1];
        self.answers.read_exact(&mut bytes)?;
        bytes.pop();
        Ok(bytes)
    }
}

/// A git that finds its repository by where it runs. Hooks and aliases say otherwise in their environment, and
/// mean another one.
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
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(dir: &Path, line: &str) {
        let ran = Command::new("sh").current_dir(dir).args(["-c", line]).output().unwrap();
        assert!(ran.status.success(), "{line}: {ran:?}");
    }

    #[test]
    fn versions_are_read_with_modes_links_and_odd_names() {
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
