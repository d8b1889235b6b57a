//! Reduces a folder: which files, which contents, and what is in them.
//!
//! Whole subtrees and files go first, together with the references to them in other files; then contents,
//! which leaves empty files; then each file is reduced by its own syntax while the others stay. Each of these
//! can make the others possible, so all run again until nothing is gained. As long as a round removes much,
//! the files are only reduced coarsely, because they may go as a whole later. Last, ddmin proves that no
//! single file and no file's contents can go.

use crate::folder::draft::{FolderChange, FolderDraft, SharedPath, has_contents};
use crate::folder::file_order::{leaves_by_extension, levels_of_directories, texts_by_size};
use crate::halving::Halving;
use crate::hooks::Hooks;
use crate::reduce::{ReducedText, reduce, reduce_coarsely, refute};
use crate::swept_atoms::{Atom, SweptAtoms};
use crate::text::draft::TextDraft;
use std::ops::Range;
use std::sync::Arc;
use wynot_core::{
    Attempt, Configuration, Label, Mapped, Oracle, Outcomes, Stopped, ddmin, ddmin_by_levels,
    smaller_failing,
};
use wynot_subjects::{Folder, FolderEntry};

/// Files are reduced coarsely while a round removes at least this share of the folder.
const MIN_ROUND_GAIN_PERCENT: u64 = 10;

/// A reduced folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReducedFolder {
    /// The folder, which fails.
    pub folder: Folder,
    /// The kinds of atoms in which it is 1-minimal: files, and those that were swept in every text.
    pub swept: SweptAtoms,
}

/// Reduces a folder that fails to a smaller one that fails.
///
/// If the oracle stops early, the error holds the smallest failing folder that was found until then.
pub fn reduce_folder<O: Oracle<FolderDraft>>(
    folder: Folder,
    hooks: &dyn Hooks,
    oracle: &mut O,
) -> Result<ReducedFolder, Stopped<Folder, O::Stop>> {
    let mut reduction = FolderReduction { folder: Arc::new(folder), hooks, oracle };
    let result = reduction.run();
    let folder = reduction.folder.as_ref().clone();
    match result {
        Ok(swept) => Ok(ReducedFolder { folder, swept }),
        Err(cause) => Err(Stopped { best: folder, cause }),
    }
}

/// Tries to refute that a failing folder is 1-minimal in some atoms; whether a smaller folder fails too. Every
/// reduced folder is 1-minimal in files, so files are always tried.
pub fn refute_folder<O: Oracle<FolderDraft>>(
    folder: &Folder,
    swept: &SweptAtoms,
    oracle: &mut O,
) -> Result<bool, O::Stop> {
    let base = Arc::new(folder.clone());
    let leaves = Configuration::full(base.leaves().count() as u32);
    let mut by_leaves = Mapped::new(&mut *oracle, |kept: &Configuration| {
        FolderDraft::new(&base, FolderChange::KeepLeaves(kept.clone()))
    });
    if leaves.len() > 1 && smaller_failing(&leaves, 1, &mut by_leaves)?.is_some() {
        return Ok(true);
    }
    for (path, text, language) in texts_by_size(&base) {
        let mut text_oracle = oracle_for_text(&base, &path, oracle);
        if refute(&text, language, swept, &mut text_oracle)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A pass over all files of a folder.
#[derive(Clone, Copy)]
enum FilePass {
    /// Files go, with the references to them.
    Files,
    /// Files become empty.
    Contents,
}

impl FilePass {
    /// The name of the pass in reports.
    fn name(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Contents => "contents",
        }
    }

    /// The change that removes the files, or their contents, of a range of paths.
    fn change(self, paths: Arc<[SharedPath]>, range: Range<usize>) -> FolderChange {
        match self {
            Self::Files => FolderChange::DeleteFiles(paths, range),
            Self::Contents => FolderChange::EmptyFiles(paths, range),
        }
    }

    /// The weight of what would be removed of an entry; 0 for what is gone already.
    fn weight(self, entry: Option<&FolderEntry>) -> usize {
        match (self, entry) {
            (Self::Files, Some(entry)) => entry.size() as usize + 1,
            (Self::Contents, Some(entry)) if has_contents(entry) => entry.size() as usize,
            _ => 0,
        }
    }
}

/// A reduction in progress.
struct FolderReduction<'a, O> {
    folder: Arc<Folder>,
    hooks: &'a dyn Hooks,
    oracle: &'a mut O,
}

impl<O: Oracle<FolderDraft>> FolderReduction<'_, O> {
    fn run(&mut self) -> Result<SweptAtoms, O::Stop> {
        let mut coarse = true;
        loop {
            let before = Arc::clone(&self.folder);
            self.halve(FilePass::Files)?;
            self.halve(FilePass::Contents)?;
            if !coarse {
                self.minimize_leaves()?;
                self.minimize_contents()?;
            }
            let swept = self.reduce_texts(coarse)?;
            if coarse {
                let removed = before.size().saturating_sub(self.folder.size());
                coarse = removed > 0 && removed * 100 >= before.size() * MIN_ROUND_GAIN_PERCENT;
            } else if self.folder == before {
                return Ok(swept.with(Atom::File));
            }
        }
    }

    /// Runs a pass on all files, on halves of them, and so on: later ones first.
    fn halve(&mut self, pass: FilePass) -> Result<(), O::Stop> {
        let paths: Arc<[SharedPath]> = leaves_by_extension(&self.folder).into();
        let mut halving = Halving::new(paths.len());
        loop {
            let base = Arc::clone(&self.folder);
            let weight = |index: u32| pass.weight(base.get(&paths[index as usize]));
            let mut ahead = halving.clone();
            let attempts = std::iter::from_fn(|| {
                let (from, to) = ahead.next(weight)?;
                let change = pass.change(Arc::clone(&paths), from as usize..to as usize);
                Some(Attempt {
                    candidate: FolderDraft::new(&base, change),
                    label: Label::new(pass.name()),
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

    /// Deletes subtrees and files by ddmin.
    fn minimize_leaves(&mut self) -> Result<(), O::Stop> {
        let base = Arc::clone(&self.folder);
        let levels = levels_of_directories(&base);
        let mut oracle = Mapped::new(&mut *self.oracle, |kept: &Configuration| {
            FolderDraft::new(&base, FolderChange::KeepLeaves(kept.clone()))
        })
        .without_levels();
        let all = Configuration::full(base.leaves().count() as u32);
        let (kept, cause) = best_and_cause(ddmin_by_levels(&levels, all, &mut oracle));
        self.folder = Arc::new(base.with_leaves(|leaf| kept.contains(leaf as u32)));
        cause.map_or(Ok(()), Err)
    }

    /// Empties files by ddmin.
    fn minimize_contents(&mut self) -> Result<(), O::Stop> {
        let base = Arc::clone(&self.folder);
        let filled = base.leaves().enumerate().filter(|(_, (_, entry))| has_contents(entry));
        let filled = Configuration::from_deltas(filled.map(|(leaf, _)| leaf as u32));
        if filled.is_empty() {
            return Ok(());
        }
        let draft = |kept: &Configuration| {
            FolderDraft::new(&base, FolderChange::KeepContents(kept.clone()))
        };
        let mut oracle = Mapped::new(&mut *self.oracle, draft);
        let all_empty = Attempt {
            candidate: Configuration::empty(),
            label: Label::new(FilePass::Contents.name()),
            decisive: Outcomes::FAIL,
            next: (),
        };
        let (kept, cause) = match oracle.first(std::iter::once(all_empty))? {
            Some(_) => (Configuration::empty(), None),
            None => best_and_cause(ddmin(filled, &mut oracle)),
        };
        self.folder = Arc::new(draft(&kept).folder());
        cause.map_or(Ok(()), Err)
    }

    /// Reduces one text after the other, the largest first; the kinds of atoms that were swept in all of them.
    fn reduce_texts(&mut self, coarsely: bool) -> Result<SweptAtoms, O::Stop> {
        let mut swept_in_all: SweptAtoms = [Atom::Token, Atom::Byte].into_iter().collect();
        for (path, text, language) in texts_by_size(&self.folder) {
            let base = Arc::clone(&self.folder);
            let mut oracle = oracle_for_text(&base, &path, self.oracle);
            let reduced = match coarsely {
                true => reduce_coarsely(&text, language, self.hooks, &mut oracle),
                false => reduce(&text, language, self.hooks, &mut oracle),
            };
            let (text, cause) = match reduced {
                Ok(ReducedText { text, swept }) => {
                    swept_in_all = swept_in_all.intersection(&swept);
                    (text, None)
                }
                Err(Stopped { best, cause }) => (best, Some(cause)),
            };
            self.folder = Arc::new(base.with_contents(&path, text));
            if let Some(cause) = cause {
                return Err(cause);
            }
        }
        Ok(swept_in_all)
    }
}

/// A result, or the best until the oracle stopped and why it stopped.
fn best_and_cause<B, S>(result: Result<B, Stopped<B, S>>) -> (B, Option<S>) {
    match result {
        Ok(found) => (found, None),
        Err(Stopped { best, cause }) => (best, Some(cause)),
    }
}

/// An oracle about the text of one file, while the other files stay.
fn oracle_for_text<'a, O: Oracle<FolderDraft>>(
    base: &'a Arc<Folder>,
    path: &'a SharedPath,
    oracle: &'a mut O,
) -> impl Oracle<TextDraft, Stop = O::Stop> + 'a {
    Mapped::new(oracle, move |draft: &TextDraft| {
        FolderDraft::new(base, FolderChange::Text(path.clone(), draft.clone()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::file_order::levels_of_directories;
    use crate::hooks::NoHooks;
    use std::path::Path;
    use wynot_core::{Decision, Grouping, Outcome};
    use wynot_subjects::FolderEntry;

    /// An oracle that answers by a closure over folders.
    struct FolderOracle<F>(F);

    impl<F: Fn(&Folder) -> bool> Oracle<FolderDraft> for FolderOracle<F> {
        type Stop = std::convert::Infallible;

        fn first<N>(
            &mut self,
            mut attempts: impl Iterator<Item = Attempt<FolderDraft, N>>,
        ) -> Result<Option<Decision<FolderDraft, N>>, Self::Stop> {
            Ok(attempts.find_map(|attempt| {
                let outcome = Outcome::fails_if((self.0)(&attempt.candidate.folder()));
                let Attempt { candidate, decisive, next, .. } = attempt;
                decisive.contains(outcome).then_some(Decision { candidate, outcome, next })
            }))
        }

        fn each(
            &mut self,
            candidates: impl Iterator<Item = FolderDraft>,
        ) -> Result<Vec<Outcome>, Self::Stop> {
            Ok(candidates.map(|c| Outcome::fails_if((self.0)(&c.folder()))).collect())
        }

        fn enter(&mut self, _: usize, _: usize) {}
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
        let mut oracle = FolderOracle(|folder: &Folder| {
            let includes = text(folder, "include/all.h").is_some_and(|h| h.contains("f7"));
            let defines = text(folder, "src/part3/f7.c").is_some_and(|c| c.contains("x + 7"));
            includes && defines && text(folder, "src/part1/f5.c").is_some()
        });
        let reduced = reduce_folder(project(), &NoHooks, &mut oracle).unwrap();
        let expected: Folder = [
            (Path::new("include/all.h"), FolderEntry::file(b"f7".to_vec(), 0o644)),
            (Path::new("src/part1/f5.c"), FolderEntry::file(Vec::new(), 0o644)),
            (Path::new("src/part3/f7.c"), FolderEntry::file(b"x + 7".to_vec(), 0o644)),
        ]
        .into_iter()
        .collect();
        assert_eq!(reduced.folder, expected);
        assert!(!refute_folder(&expected, &reduced.swept, &mut oracle).unwrap());
        let larger = expected.overlay(
            &[(Path::new("x"), FolderEntry::file(Vec::new(), 0o644))].into_iter().collect(),
        );
        assert!(refute_folder(&larger, &reduced.swept, &mut oracle).unwrap());
    }

    #[test]
    fn files_of_which_only_the_presence_matters_become_empty() {
        let mut oracle =
            FolderOracle(|folder: &Folder| folder.get(Path::new("src/part3/f7.c")).is_some());
        let reduced = reduce_folder(project(), &NoHooks, &mut oracle).unwrap();
        let empty = FolderEntry::file(Vec::new(), 0o644);
        assert_eq!(reduced.folder, [(Path::new("src/part3/f7.c"), empty)].into_iter().collect());
    }

    #[test]
    fn directories_are_levels() {
        let sizes: Vec<u32> = levels_of_directories(&project()).iter().map(Grouping::len).collect();
        assert_eq!(sizes, [4, 7, 23]);
    }
}
