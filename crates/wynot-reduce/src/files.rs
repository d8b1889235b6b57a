//! Reducing a folder: which files, which contents, and what is in them.
//!
//! Whole subtrees and files go first, together with what names them elsewhere; then contents, leaving
//! empty files; then each file is reduced by its own syntax while the others stay. Each of these can make
//! the others possible, so all run again until nothing is gained. As long as much is gained the files are
//! only reduced coarsely: polishing what goes later would be a waste. At last ddmin shows that no single
//! file and no file's contents can go.

use crate::folder::{Change, FolderVariant, is_filled};
use crate::schedule::{Proved, Reduced, reduce, reduce_coarsely, refute};
use crate::{Assistant, Halving, Variant};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use wynot_core::{
    Attempt, Configuration, Grouping, Label, Mapped, Oracle, Outcomes, Stopped, ddmin,
    ddmin_by_levels, smaller_failing,
};
use wynot_subjects::{Folder, FolderEntry, Language};

/// Files are reduced coarsely while that takes off at least this part of all, in percent.
const WORTHWHILE: u64 = 10;

/// A reduced folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReducedFolder {
    /// The folder, which fails.
    pub folder: Folder,
    /// What is proved about every file in it; that no single file can go is proved in any case, unless a
    /// pass was skipped.
    pub proved: Proved,
}

/// Reduces a folder that fails to a smaller one that fails.
///
/// Where the oracle stops early, the error holds the smallest folder found until then.
pub fn reduce_folder<O: Oracle<FolderVariant>>(
    folder: Folder,
    assistant: &dyn Assistant,
    oracle: &mut O,
) -> Result<ReducedFolder, Stopped<Folder, O::Stop>> {
    let mut reduction = FolderReduction { folder: Arc::new(folder), assistant, oracle };
    match reduction.run() {
        Ok(proved) => Ok(ReducedFolder { folder: reduction.folder.as_ref().clone(), proved }),
        Err(cause) => Err(Stopped { best: reduction.folder.as_ref().clone(), cause }),
    }
}

/// Tries to refute what is said to be proved about a folder that fails.
pub fn refute_folder<O: Oracle<FolderVariant>>(
    folder: &Folder,
    proved: Proved,
    oracle: &mut O,
) -> Result<bool, O::Stop> {
    let base = Arc::new(folder.clone());
    let leaves = Configuration::full(base.leaves().count() as u32);
    let mut by_leaves = Mapped::new(&mut *oracle, |kept: &Configuration| FolderVariant {
        base: Arc::clone(&base),
        change: Change::Leaves(kept.clone()),
    });
    if leaves.len() > 1 && smaller_failing(&leaves, 1, &mut by_leaves)?.is_some() {
        return Ok(true);
    }
    for (path, text, language) in texts(&base) {
        let mut within = within(&base, &path, oracle);
        if refute(&text, language, proved, &mut within)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What a sweep takes from a folder.
#[derive(Clone, Copy)]
enum Loss {
    Files,
    Contents,
}

impl Loss {
    fn name(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Contents => "contents",
        }
    }

    fn of(self, paths: Arc<[Arc<Path>]>, range: Range<usize>) -> Change {
        match self {
            Self::Files => Change::Without(paths, range),
            Self::Contents => Change::Emptied(paths, range),
        }
    }

    /// How much would be lost; nothing of what is gone already.
    fn weight(self, entry: Option<&FolderEntry>) -> usize {
        match (self, entry) {
            (Self::Files, Some(entry)) => entry.size() as usize + 1,
            (Self::Contents, Some(entry)) if is_filled(entry) => entry.size() as usize,
            _ => 0,
        }
    }
}

/// A reduction under way.
struct FolderReduction<'a, O> {
    folder: Arc<Folder>,
    assistant: &'a dyn Assistant,
    oracle: &'a mut O,
}

impl<O: Oracle<FolderVariant>> FolderReduction<'_, O> {
    fn run(&mut self) -> Result<Proved, O::Stop> {
        let mut coarse = true;
        loop {
            let before = Arc::clone(&self.folder);
            self.sweep(Loss::Files)?;
            self.sweep(Loss::Contents)?;
            if !coarse {
                self.leaves()?;
                self.contents()?;
            }
            let proved = self.texts(coarse)?;
            if coarse {
                let gone = before.size().saturating_sub(self.folder.size());
                coarse = gone * 100 >= before.size() * WORTHWHILE;
            } else if self.folder == before {
                return Ok(proved);
            }
        }
    }

    /// Tries a loss on all files, on halves of them, and so on: later ones first.
    fn sweep(&mut self, loss: Loss) -> Result<(), O::Stop> {
        let paths: Arc<[Arc<Path>]> = by_kind(&self.folder).into();
        let mut halving = Halving::new(paths.len());
        loop {
            let base = Arc::clone(&self.folder);
            let weight = |index: u32| loss.weight(base.get(&paths[index as usize]));
            let mut ahead = halving.clone();
            let attempts = std::iter::from_fn(|| {
                let (from, to) = ahead.next(weight)?;
                let range = from as usize..to as usize;
                let change = loss.of(Arc::clone(&paths), range);
                Some(Attempt {
                    candidate: FolderVariant { base: Arc::clone(&base), change },
                    label: Label::new(loss.name()),
                    decisive: Outcomes::FAIL,
                    next: ahead.clone(),
                })
            });
            let Some(decision) = self.oracle.first(attempts)? else { return Ok(()) };
            self.folder = Arc::new(decision.candidate.folder());
            halving = decision.next;
            halving.accept();
        }
    }

    /// Subtrees and files go.
    fn leaves(&mut self) -> Result<(), O::Stop> {
        let base = Arc::clone(&self.folder);
        let levels = by_depth(&base);
        let mut oracle = Mapped::new(&mut *self.oracle, |kept: &Configuration| FolderVariant {
            base: Arc::clone(&base),
            change: Change::Leaves(kept.clone()),
        })
        .without_levels();
        let all = Configuration::full(base.leaves().count() as u32);
        let (kept, cause) = told(ddmin_by_levels(&levels, all, &mut oracle));
        self.folder = Arc::new(base.with_leaves(|leaf| kept.contains(leaf as u32)));
        cause.map_or(Ok(()), Err)
    }

    /// Files lose their contents.
    fn contents(&mut self) -> Result<(), O::Stop> {
        let base = Arc::clone(&self.folder);
        let filled = base.leaves().enumerate().filter(|(_, (_, entry))| is_filled(entry));
        let filled = Configuration::from_deltas(filled.map(|(leaf, _)| leaf as u32));
        let made = |kept: &Configuration| FolderVariant {
            base: Arc::clone(&base),
            change: Change::Contents(kept.clone()),
        };
        if filled.is_empty() {
            return Ok(());
        }
        let mut oracle = Mapped::new(&mut *self.oracle, made);
        let all_empty = Attempt {
            candidate: Configuration::empty(),
            label: Label::new("contents"),
            decisive: Outcomes::FAIL,
            next: (),
        };
        let (kept, cause) = match oracle.first(std::iter::once(all_empty))? {
            Some(_) => (Configuration::empty(), None),
            None => told(ddmin(filled, &mut oracle)),
        };
        self.folder = Arc::new(made(&kept).folder());
        cause.map_or(Ok(()), Err)
    }

    /// Texts are reduced one after the other, the largest first; what is proved about all of them.
    fn texts(&mut self, coarsely: bool) -> Result<Proved, O::Stop> {
        let mut all = Proved { tokens: true, bytes: true };
        for (path, text, language) in texts(&self.folder) {
            let base = Arc::clone(&self.folder);
            let mut within = within(&base, &path, self.oracle);
            let reduced = match coarsely {
                true => reduce_coarsely(&text, language, self.assistant, &mut within),
                false => reduce(&text, language, self.assistant, &mut within),
            };
            let (text, cause) = match reduced {
                Ok(Reduced { text, proved }) => {
                    all.tokens &= proved.tokens;
                    all.bytes &= proved.bytes;
                    (text, None)
                }
                Err(Stopped { best, cause }) => (best, Some(cause)),
            };
            self.folder = Arc::new(base.with_contents(&path, text));
            if let Some(cause) = cause {
                return Err(cause);
            }
        }
        Ok(all)
    }
}

/// A result or the best so far, and why it is only that.
fn told<B, S>(result: Result<B, Stopped<B, S>>) -> (B, Option<S>) {
    match result {
        Ok(found) => (found, None),
        Err(Stopped { best, cause }) => (best, Some(cause)),
    }
}

/// An oracle about the text of one file while the others stay.
fn within<'a, O: Oracle<FolderVariant>>(
    base: &'a Arc<Folder>,
    path: &'a Arc<Path>,
    oracle: &'a mut O,
) -> impl Oracle<Variant, Stop = O::Stop> + 'a {
    Mapped::new(oracle, move |variant: &Variant| FolderVariant {
        base: Arc::clone(base),
        change: Change::Text(Arc::clone(path), variant.clone()),
    })
}

/// The files that are not empty, the largest first, and their languages.
fn texts(folder: &Folder) -> Vec<(Arc<Path>, Vec<u8>, &'static Language)> {
    let mut texts: Vec<_> = folder
        .entries()
        .filter_map(|(path, entry)| match entry {
            FolderEntry::File { contents, .. } if is_filled(entry) => {
                let language = Language::guess(path, contents.bytes());
                Some((Arc::clone(path), contents.bytes().to_vec(), language))
            }
            _ => None,
        })
        .collect();
    // The sort keeps the order of the paths among equals.
    texts.sort_by_key(|(_, text, _)| std::cmp::Reverse(text.len()));
    texts
}

/// The leaves, those of a kind together within their directories: what is alike goes alike.
fn by_kind(folder: &Folder) -> Vec<Arc<Path>> {
    let mut paths: Vec<Arc<Path>> = folder.leaves().map(|(path, _)| Arc::clone(path)).collect();
    paths.sort_by(|a, b| {
        let key = |path: &'_ Path| {
            let owned = |part: Option<&std::ffi::OsStr>| part.map(std::ffi::OsStr::to_owned);
            (path.parent().map(Path::to_owned), owned(path.extension()), owned(path.file_name()))
        };
        key(a).cmp(&key(b))
    });
    paths
}

/// The leaves in groups: by the first step of their paths, the first two, and so on.
fn by_depth(folder: &Folder) -> Vec<Grouping> {
    let paths: Vec<&Arc<Path>> = folder.leaves().map(|(path, _)| path).collect();
    let deepest = paths.iter().map(|path| path.components().count()).max().unwrap_or(0);
    let mut levels: Vec<Grouping> = Vec::new();
    for depth in 1..=deepest {
        let begins = |at: &usize| {
            *at == 0 || {
                let one =
                    |path: &'_ Path| path.components().take(depth).collect::<std::path::PathBuf>();
                one(paths[*at]) != one(paths[*at - 1])
            }
        };
        let starts = (0..paths.len()).filter(begins).map(|at| at as u32).collect();
        let grouping = Grouping::new(starts, paths.len() as u32);
        // A step that all share, or that tells nothing more apart, is no level.
        let finer = levels.last().map_or(1, Grouping::len) < grouping.len();
        if finer {
            levels.push(grouping);
        }
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Alone;
    use wynot_core::{Decision, Outcome};

    /// Asks a closure about folders.
    struct Ask<F>(F, usize);

    impl<F: Fn(&Folder) -> bool> Oracle<FolderVariant> for Ask<F> {
        type Stop = std::convert::Infallible;

        fn first<N>(
            &mut self,
            mut attempts: impl Iterator<Item = Attempt<FolderVariant, N>>,
        ) -> Result<Option<Decision<FolderVariant, N>>, Self::Stop> {
            Ok(attempts.find_map(|attempt| {
                self.1 += 1;
                let outcome = Outcome::fails_if((self.0)(&attempt.candidate.folder()));
                let Attempt { candidate, decisive, next, .. } = attempt;
                decisive.contains(outcome).then_some(Decision { candidate, outcome, next })
            }))
        }

        fn each(
            &mut self,
            candidates: impl Iterator<Item = FolderVariant>,
        ) -> Result<Vec<Outcome>, Self::Stop> {
            Ok(candidates.map(|c| Outcome::fails_if((self.0)(&c.folder()))).collect())
        }

        fn enter(&mut self, _level: usize, _deltas: usize) {}
    }

    fn text<'a>(folder: &'a Folder, path: &str) -> Option<&'a str> {
        std::str::from_utf8(folder.get(Path::new(path))?.text()?).ok()
    }

    fn project() -> Folder {
        let file = |n: usize| {
            let text = format!("#include \"all.h\"\nint f{n}(int x) {{ return x + {n}; }}\n");
            (
                Path::new(&format!("src/part{}/f{n}.c", n % 4)).to_owned(),
                FolderEntry::file(text.into(), 0o644),
            )
        };
        let mut folder: Folder = (0..20).map(file).collect();
        folder.insert(
            Path::new("include/all.h"),
            FolderEntry::file(b"int f7(int);\n".to_vec(), 0o644),
        );
        folder.insert(Path::new("empty"), FolderEntry::Directory { mode: 0o755 });
        folder.insert(Path::new("note"), FolderEntry::Link("README".into()));
        folder
    }

    #[test]
    fn files_contents_and_texts_shrink_to_what_is_needed() {
        let mut oracle = Ask(
            |folder: &Folder| {
                let includes = text(folder, "include/all.h").is_some_and(|h| h.contains("f7"));
                let defines = text(folder, "src/part3/f7.c").is_some_and(|c| c.contains("x + 7"));
                includes && defines && text(folder, "src/part1/f5.c").is_some()
            },
            0,
        );
        let reduced = reduce_folder(project(), &Alone, &mut oracle).unwrap();
        let expected: Folder = [
            (Path::new("include/all.h"), FolderEntry::file(b"f7".to_vec(), 0o644)),
            (Path::new("src/part1/f5.c"), FolderEntry::file(Vec::new(), 0o644)),
            (Path::new("src/part3/f7.c"), FolderEntry::file(b"x + 7".to_vec(), 0o644)),
        ]
        .into_iter()
        .collect();
        assert_eq!(reduced.folder, expected);
        assert!(!refute_folder(&expected, reduced.proved, &mut oracle).unwrap());
        let larger = expected.overlay(
            &[(Path::new("x"), FolderEntry::file(Vec::new(), 0o644))].into_iter().collect(),
        );
        assert!(refute_folder(&larger, reduced.proved, &mut oracle).unwrap());
    }

    #[test]
    fn directories_are_levels() {
        let sizes: Vec<u32> = by_depth(&project()).iter().map(Grouping::len).collect();
        assert_eq!(sizes, [4, 7, 23]);
    }
}
