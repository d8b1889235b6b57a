//! The hooks of the default reducer: the caller's requests to skip a pass, and clang_delta, which rewrites C and C++.

use crate::control::Control;
use wynot_exec::ClangDelta;
use wynot_reduce::Hooks;
use wynot_subjects::Language;

/// The caller's control, and the external tools of this machine.
pub(super) struct ExternalTools<'a> {
    pub control: &'a Control,
    /// clang_delta with the file extension of the language, if it is installed and used.
    pub clang: Option<(ClangDelta, &'static str)>,
}

/// The size from which clang_delta is used. In smaller texts, the reducer's own passes find what it could find.
const MIN_BYTES_TO_REWRITE: usize = 64;

impl<'a> ExternalTools<'a> {
    /// The tools for a language; none unless `is_used`.
    pub(super) fn new(control: &'a Control, language: &Language, is_used: bool) -> Self {
        let extension = match language.name {
            "c" => Some("c"),
            "cpp" => Some("cpp"),
            _ => None,
        };
        let clang = extension.filter(|_| is_used).and_then(|e| Some((ClangDelta::find()?, e)));
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
        if text.len() < MIN_BYTES_TO_REWRITE || self.control.is_stopped() {
            return None;
        }
        clang.rewrite(clang.rules().get(rule)?, place, text, extension)
    }
}
