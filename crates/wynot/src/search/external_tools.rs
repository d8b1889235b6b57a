//! What the default reducer gets from outside: requests to skip a pass, and rewritings by clang_delta for C and C++.

use crate::control::Control;
use wynot_exec::ClangDelta;
use wynot_reduce::Hooks;
use wynot_subjects::Language;

/// The control of the caller, and the tools of this machine.
pub(super) struct ExternalTools<'a> {
    pub control: &'a Control,
    /// The tool that knows C and C++, if it is there and wanted, and the language's usual extension.
    pub clang: Option<(ClangDelta, &'static str)>,
}

/// Below this many bytes, what knowledge of types could find has been found without it.
const MIN_BYTES: usize = 64;

impl<'a> ExternalTools<'a> {
    /// The tools for a language.
    pub(super) fn new(control: &'a Control, language: &Language, external: bool) -> Self {
        let extension = match language.name {
            "c" => Some("c"),
            "cpp" => Some("cpp"),
            _ => None,
        };
        let clang = extension.filter(|_| external).and_then(|e| Some((ClangDelta::find()?, e)));
        Self { control, clang }
    }
}

impl Hooks for ExternalTools<'_> {
    fn skip_pass(&self) -> bool {
        self.control.take_skip()
    }

    fn rewriting_rules(&self, _: &Language) -> usize {
        self.clang.as_ref().map_or(0, |(clang, _)| clang.rules().len())
    }

    fn rewrite(&self, rule: usize, place: usize, text: &[u8]) -> Option<Vec<u8>> {
        let (clang, extension) = self.clang.as_ref()?;
        if text.len() < MIN_BYTES || self.control.is_stopped() {
            return None;
        }
        clang.rewrite(clang.rules().get(rule)?, place, text, extension)
    }
}
