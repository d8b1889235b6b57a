//! The order of the passes, as a value: which pass follows a pass, given what it gained.
//!
//! The order depends on what is gained, never on a clock. Passes that remove much run first and as long as
//! they pay; then all passes run in rounds until a round gains nothing; last, single tokens and bytes prove
//! that the result is 1-minimal.

use crate::binary_order::BinaryOrder;
use crate::fine_pass::{FINE_PASSES, boxed, next_fine_pass};
use crate::hooks::Hooks;
use crate::pass::AnyPass;
use crate::pass::run_pass::{PassResult, RunUntil};
use crate::passes::{
    Effort, bodies_by_depth, comments, definitions, line_markers, modifiers, naming, normal_names,
    normal_order, orphans, outside, reachable, rewriting, single_bytes, single_tokens, syntax,
    trivial,
};
use crate::swept_atoms::{Atom, SweptAtoms};
use crate::text::binary_text::is_binary;
use crate::text::parsed_text::ParsedText;
use std::sync::Arc;

/// The coarse passes run again while a round removes at least this share of the text.
const MIN_ROUND_GAIN_PERCENT: usize = 10;

/// In texts with fewer bytes than this, every single byte is tried at the end.
const MAX_BYTE_SWEEP_TEXT_BYTES: usize = 400;

/// How much a reduction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All passes, until the result is proved to be 1-minimal.
    Full,
    /// Only the passes that remove much.
    Coarse,
}

/// A pass in its place in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Naming,
    Comments,
    Modifiers,
    FirstBodies,
    Trivial,
    Bodies,
    Reachable,
    Orphans,
    Definitions,
    QuickSyntax,
    /// A pass that makes a text small and plain, by its index in [`FINE_PASSES`].
    Fine(usize),
    Rewriting,
    /// What programs of the user propose, before the rounds that make a text small and plain, and at their end.
    Outside {
        is_last: bool,
    },
    /// Names and order, in texts that are as short as they can be.
    Normal,
    Tokens,
    Bytes,
    /// A pass over a binary text, which has an order of its own.
    Binary,
}

/// Where a reduction is in the order of its passes.
#[derive(Clone, Debug)]
pub struct PassOrder {
    extent: Extent,
    /// The current pass; `None` at the end.
    place: Option<Place>,
    /// The text at the start of the current round.
    round_start: Arc<Vec<u8>>,
    /// Whether all bodies were tried.
    emptied: bool,
    /// The size of the text when it was last searched for what names reach. It is worth another search when less is left.
    reached_bytes: usize,
    /// Whether bodies were tried.
    is_begun: bool,
    /// Whether bodies of a long text are at work, so that small ones wait.
    is_coarse: bool,
    /// The result of the last pass over single tokens.
    tokens: PassResult,
    /// What is proved.
    swept: SweptAtoms,
    /// The order for a binary text.
    binary: BinaryOrder,
}

/// The result of a pass that did not run.
const NOT_RUN: PassResult = PassResult { gained: false, complete: false };

impl PassOrder {
    /// The order for a text.
    pub fn new(parsed: &ParsedText, is_binary: bool, extent: Extent) -> Self {
        Self {
            extent,
            place: Some(if is_binary { Place::Binary } else { Place::Naming }),
            round_start: Arc::clone(&parsed.text),
            emptied: false,
            reached_bytes: parsed.text.len(),
            is_begun: false,
            is_coarse: false,
            tokens: NOT_RUN,
            swept: SweptAtoms::default(),
            binary: BinaryOrder::new(parsed, extent == Extent::Coarse),
        }
    }

    /// Whether there is no further pass.
    pub fn is_at_end(&self) -> bool {
        self.place.is_none()
    }

    /// The result, of which the current text is the last: a view may have grown before it shrinks. With what is proved.
    pub fn finish(self, current: Vec<u8>) -> (Vec<u8>, SweptAtoms) {
        match self.place {
            Some(Place::Binary) => (self.binary.smaller_of(current), self.swept),
            _ => (current, self.swept),
        }
    }

    /// The current passes, which run one after the other without parsing in between, and when each ends.
    pub fn passes<'h>(
        &self,
        parsed: &ParsedText,
        hooks: &'h dyn Hooks,
    ) -> (Vec<Box<dyn AnyPass + 'h>>, RunUntil) {
        let one = |pass: Box<dyn AnyPass + 'h>| (vec![pass], RunUntil::Exhausted);
        let permitted = hooks.alterations();
        // A single byte says nothing but itself.
        let is_normal = permitted.names && permitted.layout && parsed.text.len() >= 2;
        match self.place {
            None => (Vec::new(), RunUntil::Exhausted),
            Some(Place::Naming) if !permitted.names => (Vec::new(), RunUntil::Exhausted),
            Some(Place::Naming) => one(boxed(naming(parsed))),
            Some(Place::Comments) => {
                let without_notes = [boxed(line_markers(parsed)), boxed(comments(parsed))];
                let passes = without_notes.into_iter().chain([boxed(reachable(parsed))]);
                (passes.collect(), RunUntil::Unprofitable)
            }
            Some(Place::Modifiers) => (vec![boxed(modifiers(parsed))], RunUntil::Unprofitable),
            Some(Place::FirstBodies | Place::Bodies) => {
                let bodies = bodies_by_depth(parsed).into_iter().map(boxed);
                (bodies.collect(), RunUntil::Unprofitable)
            }
            Some(Place::Trivial) => one(boxed(trivial(parsed))),
            Some(Place::Reachable) => (vec![boxed(reachable(parsed))], RunUntil::Unprofitable),
            Some(Place::Orphans) => (vec![boxed(orphans(parsed, false))], RunUntil::Unprofitable),
            Some(Place::Definitions) => (vec![boxed(definitions(parsed))], RunUntil::Unprofitable),
            Some(Place::QuickSyntax) => one(boxed(syntax(parsed, Effort::Quick))),
            Some(Place::Fine(index)) => one(FINE_PASSES[index].pass(parsed, permitted)),
            Some(Place::Rewriting) => one(boxed(rewriting(parsed, hooks))),
            Some(Place::Outside { .. }) => one(boxed(outside(hooks))),
            Some(Place::Normal) if !is_normal => (Vec::new(), RunUntil::Exhausted),
            Some(Place::Normal) => {
                let passes = vec![boxed(normal_names(parsed)), boxed(normal_order(parsed))];
                (passes, RunUntil::Exhausted)
            }
            Some(Place::Tokens) => one(boxed(single_tokens(parsed))),
            Some(Place::Bytes) => one(boxed(single_bytes(parsed))),
            Some(Place::Binary) => self.binary.passes(parsed),
        }
    }

    /// Goes on to the next pass. `parsed` is the text that the current passes leave, parsed, and `result` what they have
    /// achieved together.
    pub fn go_on(&mut self, result: PassResult, parsed: &mut ParsedText, hooks: &dyn Hooks) {
        let is_changed = |order: &Self| parsed.text != order.round_start;
        self.place = match self.place {
            None => None,
            Some(Place::Naming) => Some(Place::Comments),
            Some(Place::Comments) if self.pays(parsed) => Some(self.coarse_round(parsed)),
            Some(Place::Comments) => Some(Place::Modifiers),
            Some(Place::Modifiers) => {
                self.is_begun = true;
                self.is_coarse = parsed.is_long();
                Some(Place::FirstBodies)
            }
            Some(Place::FirstBodies) => {
                self.emptied = result.complete && !self.is_coarse;
                Some(Place::Trivial)
            }
            Some(Place::Trivial) => Some(self.coarse_round(parsed)),
            Some(Place::Bodies) => {
                self.emptied = result.complete && !self.is_coarse;
                Some(Place::Orphans)
            }
            Some(Place::Reachable) if self.pays(parsed) => Some(self.coarse_round(parsed)),
            Some(Place::Reachable) => Some(self.after_reachable(parsed)),
            Some(Place::Orphans) => Some(Place::Definitions),
            Some(Place::Definitions) => Some(Place::QuickSyntax),
            Some(Place::QuickSyntax) => match (self.pays(parsed), self.extent) {
                (true, _) => Some(self.coarse_round(parsed)),
                (false, Extent::Full) => Some(Place::Outside { is_last: false }),
                (false, Extent::Coarse) => None,
            },
            Some(Place::Fine(index)) => match next_fine_pass(index, result) {
                Some(next) => Some(Place::Fine(next)),
                None if is_changed(self) => Some(self.fine_round(parsed)),
                None => Some(Place::Rewriting),
            },
            Some(Place::Outside { is_last: false }) => Some(self.fine_round(parsed)),
            Some(Place::Rewriting | Place::Outside { .. }) if is_changed(self) => {
                Some(self.fine_round(parsed))
            }
            Some(Place::Rewriting) => Some(Place::Outside { is_last: true }),
            Some(Place::Outside { is_last: true }) => Some(Place::Normal),
            Some(Place::Normal) if result.gained => Some(Place::Normal),
            Some(Place::Normal) => {
                parsed.retry_grammar(hooks);
                Some(Place::Tokens)
            }
            Some(Place::Tokens) => {
                self.tokens = result;
                let is_short = parsed.text.len() < MAX_BYTE_SWEEP_TEXT_BYTES;
                match is_short && hooks.alterations().layout {
                    true => Some(Place::Bytes),
                    false => self.after_sweeps(NOT_RUN, parsed),
                }
            }
            Some(Place::Bytes) => self.after_sweeps(result, parsed),
            Some(Place::Binary) => match self.binary.go_on(result, parsed) {
                None => Some(Place::Binary),
                Some(bytes) => self.after_binary(bytes, parsed, hooks),
            },
        };
    }

    /// A binary text of which a short text is left, such as the trailer of a PDF file, is reduced as a text; else the end.
    fn after_binary(
        &mut self,
        bytes: PassResult,
        parsed: &mut ParsedText,
        hooks: &dyn Hooks,
    ) -> Option<Place> {
        let text = self.binary.clone().smaller_of(parsed.current_text());
        let is_short = (2..MAX_BYTE_SWEEP_TEXT_BYTES).contains(&text.len());
        if self.extent == Extent::Coarse || !is_short || is_binary(&text) {
            self.swept = swept_atoms(NOT_RUN, bytes);
            return None;
        }
        *parsed = ParsedText::new(text, parsed.language, hooks);
        Some(Place::Naming)
    }

    /// Whether the current round has removed enough for another one.
    fn pays(&self, parsed: &ParsedText) -> bool {
        let before = self.round_start.len();
        let removed = before.saturating_sub(parsed.text.len());
        removed * 100 >= before * MIN_ROUND_GAIN_PERCENT
    }

    /// Begins a round of the passes that remove much.
    fn coarse_round(&mut self, parsed: &ParsedText) -> Place {
        self.round_start = Arc::clone(&parsed.text);
        if parsed.text.len() * 4 <= self.reached_bytes * 3 {
            self.reached_bytes = parsed.text.len();
            return Place::Reachable;
        }
        self.after_reachable(parsed)
    }

    /// What comes next when what is reached by names is known.
    fn after_reachable(&mut self, parsed: &ParsedText) -> Place {
        self.is_coarse = parsed.is_long();
        match (self.is_begun, self.emptied) {
            (false, _) => Place::Modifiers,
            (true, true) => Place::Orphans,
            (true, false) => Place::Bodies,
        }
    }

    /// Begins a round of the passes that make a text small and plain.
    fn fine_round(&mut self, parsed: &ParsedText) -> Place {
        self.round_start = Arc::clone(&parsed.text);
        Place::Fine(0)
    }

    /// Another round, if single tokens or bytes could go; else the end.
    fn after_sweeps(&mut self, bytes: PassResult, parsed: &ParsedText) -> Option<Place> {
        if self.tokens.gained || bytes.gained {
            return Some(self.fine_round(parsed));
        }
        self.swept = swept_atoms(self.tokens, bytes);
        None
    }
}

/// What is proved by the passes over single tokens and bytes.
fn swept_atoms(tokens: PassResult, bytes: PassResult) -> SweptAtoms {
    let tokens = tokens.complete.then_some(Atom::Token);
    let bytes = bytes.complete.then_some(Atom::Byte);
    tokens.into_iter().chain(bytes).collect()
}
