//! Passes: what a pass is, and what runs one.
//!
//! [`Pass`] is the trait, and [`run_pass`] turns its proposals into drafts to test, which [`likeness`] compares. Many passes know all their
//! proposals when they start; [`one_by_one`] and [`by_halves`] are the two ways to try these. The passes
//! themselves are in `passes`, their order is in `pass_order`.

pub mod by_halves;
mod likeness;
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

    /// Whether what must change with each proposal is changed: a header that counts what follows it, mentions of what goes.
    /// Passes that prove 1-minimality do without: they are about single deletions.
    fn repairs_text(&self) -> bool {
        true
    }

    /// Whether proposals may be longer than the text. What follows such a pass must end, and its gain is compared with the
    /// text before it.
    fn may_grow(&self) -> bool {
        false
    }

    /// Whether the next proposal comes from outside, and is asked for only when all outcomes before it are known.
    fn asks_outside(&self) -> bool {
        false
    }

    /// Names what was proposed last: proposals of the same kind tend to have the same outcome. The first name is of few
    /// kinds, the second one of more.
    fn kind_of_proposal<'p>(&self, parsed: &'p ParsedText) -> (&'static str, &'p str) {
        let _ = parsed;
        ("", "")
    }

    /// The edits to try next, all of them together.
    fn propose(&mut self, parsed: &ParsedText) -> Option<Vec<Edit>>;

    /// The edits proposed last were accepted and are now part of the text.
    fn accept(&mut self, parsed: &ParsedText) {
        let _ = parsed;
    }
}

/// A [`Pass`] of any type.
pub trait AnyPass {
    /// See [`Pass::name`].
    fn name(&self) -> &'static str;

    /// See [`Pass::checks_syntax`].
    fn checks_syntax(&self) -> bool;

    /// See [`Pass::repairs_text`].
    fn repairs_text(&self) -> bool;

    /// See [`Pass::may_grow`].
    fn may_grow(&self) -> bool;

    /// See [`Pass::asks_outside`].
    fn asks_outside(&self) -> bool;

    /// See [`Pass::kind_of_proposal`].
    fn kind_of_proposal<'p>(&self, parsed: &'p ParsedText) -> (&'static str, &'p str);

    /// See [`Pass::propose`].
    fn propose(&mut self, parsed: &ParsedText) -> Option<Vec<Edit>>;

    /// See [`Pass::accept`].
    fn accept(&mut self, parsed: &ParsedText);

    /// A copy, which can run ahead.
    fn boxed_clone<'h>(&self) -> Box<dyn AnyPass + 'h>
    where
        Self: 'h;
}

impl<P: Pass> AnyPass for P {
    fn name(&self) -> &'static str {
        Pass::name(self)
    }

    fn checks_syntax(&self) -> bool {
        Pass::checks_syntax(self)
    }

    fn repairs_text(&self) -> bool {
        Pass::repairs_text(self)
    }

    fn may_grow(&self) -> bool {
        Pass::may_grow(self)
    }

    fn asks_outside(&self) -> bool {
        Pass::asks_outside(self)
    }

    fn kind_of_proposal<'p>(&self, parsed: &'p ParsedText) -> (&'static str, &'p str) {
        Pass::kind_of_proposal(self, parsed)
    }

    fn propose(&mut self, parsed: &ParsedText) -> Option<Vec<Edit>> {
        Pass::propose(self, parsed)
    }

    fn accept(&mut self, parsed: &ParsedText) {
        Pass::accept(self, parsed);
    }

    fn boxed_clone<'h>(&self) -> Box<dyn AnyPass + 'h>
    where
        Self: 'h,
    {
        Box::new(self.clone())
    }
}

impl<'h> Clone for Box<dyn AnyPass + 'h> {
    fn clone(&self) -> Self {
        (**self).boxed_clone()
    }
}
