//! The hooks of the default reducer: the caller's requests to stop or to skip a pass, remarks about what is not
//! understood, and clang_delta, which rewrites C and C++.

use super::outside_proposals::OutsideProposals;
use crate::control::Control;
use crate::plan::Plan;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use wynot_exec::ClangDelta;
use wynot_reduce::{Alterations, Hooks};
use wynot_session::Lab;
use wynot_subjects::Language;

/// The caller's control, and the external tools of this machine.
pub(super) struct ExternalTools<'a> {
    pub control: &'a Control,
    /// clang_delta with the file extension of the language, if it is installed and used.
    pub clang: Option<(ClangDelta, &'static str)>,
    /// The programs that the user has named.
    outside: OutsideProposals,
}

/// The size from which clang_delta is used. In smaller texts, the reducer's own passes find what it could find.
const MIN_BYTES_TO_REWRITE: usize = 64;

impl<'a> ExternalTools<'a> {
    /// The tools for a language, with a directory for their temporary files; none without one.
    pub(super) fn new(
        control: &'a Control,
        language: &Language,
        directory: Option<&Path>,
        outside: OutsideProposals,
    ) -> Self {
        let extension = match language.name {
            "c" => Some("c"),
            "cpp" => Some("cpp"),
            _ => None,
        };
        let clang = directory
            .zip(extension)
            .and_then(|(directory, extension)| Some((ClangDelta::find(directory)?, extension)));
        Self { control, clang, outside }
    }
}

/// The hooks of a reduction: the control and the tools of the search, and its lab, which takes remarks.
pub(super) struct ReductionHooks<'a, 'l> {
    tools: &'a ExternalTools<'a>,
    lab: &'a Lab<'l>,
    /// What may change besides what is deleted.
    alterations: Alterations,
    /// The languages about which a remark was made.
    not_understood: RefCell<BTreeSet<&'static str>>,
}

impl<'a, 'l> ReductionHooks<'a, 'l> {
    pub(super) fn new(plan: &Plan, tools: &'a ExternalTools<'a>, lab: &'a Lab<'l>) -> Self {
        let alterations = plan.protection.alterations();
        Self { tools, lab, alterations, not_understood: RefCell::default() }
    }
}

impl Hooks for ReductionHooks<'_, '_> {
    fn is_stopped(&self) -> bool {
        self.tools.control.is_stopped()
    }

    fn not_understood(&self, language: &Language) {
        if self.not_understood.borrow_mut().insert(language.name) {
            let name = language.name;
            self.lab.remark(&format!(
                "the text is not understood as {name}: its brackets and lines are used instead"
            ));
        }
    }

    fn alterations(&self) -> Alterations {
        self.alterations
    }

    fn skip_pass(&self) -> bool {
        self.tools.control.take_skip()
    }

    fn outside_reducers(&self) -> usize {
        self.tools.outside.len()
    }

    fn outside_proposal(&self, reducer: usize, number: usize, text: &[u8]) -> Option<Vec<u8>> {
        let is_stopped = || self.is_stopped();
        self.tools.outside.proposal(reducer, number, text, self.lab, &is_stopped)
    }

    fn rewriting_rules(&self, _: &Language) -> usize {
        self.tools.clang.as_ref().map_or(0, |(clang, _)| clang.rules().len())
    }

    fn rewrite(&self, rule: usize, place: usize, text: &[u8]) -> Option<Vec<u8>> {
        let (clang, extension) = self.tools.clang.as_ref()?;
        if text.len() < MIN_BYTES_TO_REWRITE || self.is_stopped() {
            return None;
        }
        let rule = clang.rules().get(rule)?;
        clang.rewrite(rule, place, text, extension, &|| self.is_stopped())
    }
}
