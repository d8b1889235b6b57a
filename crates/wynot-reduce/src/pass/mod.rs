//! Passes: what a pass is, and what runs one.
//!
//! [`Pass`] is the trait, and [`run_pass`] runs a pass against an oracle. Many passes know all their
//! proposals when they start; [`one_by_one`] and [`by_halves`] are the two ways to try these. The passes
//! themselves are in `passes`, their order is in `reduce`.

pub mod by_halves;
pub mod one_by_one;
pub mod run_pass;

use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;

/// Proposes edits, one set after the other.
///
/// Each proposal is made on the assumption that all since the last accepted one have failed. A copy of a
/// pass can therefore run ahead, and its proposals are a stream of attempts.
pub trait Pass: Clone {
    /// The name of the pass in reports.
    fn name(&self) -> &'static str;

    /// Whether the edits proposed last are dropped without a test if the grammar reports more errors
    /// after them than before. Deleting elements of lists hardly ever breaks a text, and grammars err.
    fn checks_syntax(&self) -> bool {
        false
    }

    /// Whether a header that counts what follows it is edited along with each proposal. Passes that prove
    /// 1-minimality do without: they are about single deletions.
    fn repairs_header(&self) -> bool {
        true
    }

    /// The edits to try next, all of them together.
    fn propose(&mut self, parsed: &ParsedText) -> Option<Vec<Edit>>;

    /// The edits proposed last were accepted and are now part of the text.
    fn accept(&mut self, parsed: &ParsedText) {
        let _ = parsed;
    }
}
