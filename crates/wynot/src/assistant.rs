//! Who stands by while the default reducer works: the keyboard, and clang_delta for C and C++.

use crate::control::Control;
use std::sync::atomic::Ordering;
use wynot_reduce::Hooks;
use wynot_run::ClangDelta;
use wynot_subjects::Language;

/// The keyboard and the tools of this machine.
pub struct Aides<'a> {
    pub control: &'a Control,
    /// The tool that knows C and C++, if it is there and wanted, and the language's usual extension.
    pub clang: Option<(ClangDelta, &'static str)>,
}

/// Below this many bytes, what knowledge of types could find has been found without it.
const WORTH_ASKING: usize = 64;

impl<'a> Aides<'a> {
    /// Those who can help with a language.
    pub fn new(control: &'a Control, language: &Language, external: bool) -> Self {
        let extension = match language.name {
            "c" => Some("c"),
            "cpp" => Some("cpp"),
            _ => None,
        };
        let clang = extension.filter(|_| external).and_then(|e| Some((ClangDelta::find()?, e)));
        Self { control, clang }
    }
}

impl Hooks for Aides<'_> {
    fn skip_pass(&self) -> bool {
        self.control.take_skip()
    }

    fn rewriting_rules(&self, _: &Language) -> usize {
        self.clang.as_ref().map_or(0, |(clang, _)| clang.rules().len())
    }

    fn rewrite(&self, rule: usize, place: usize, text: &[u8]) -> Option<Vec<u8>> {
        let (clang, extension) = self.clang.as_ref()?;
        let stopping = self.control.interrupt().load(Ordering::Relaxed);
        if text.len() < WORTH_ASKING || stopping {
            return None;
        }
        clang.rewrite(clang.rules().get(rule)?, place, text, extension)
    }
}
