//! Reduces a text: the order of the passes, and what is proved at the end.
//!
//! The order depends on what is gained, never on a clock. Passes that remove much run first and as long as
//! they pay; then all passes run in rounds until a round gains nothing; last, single tokens and bytes prove
//! that the result is 1-minimal.

use crate::hooks::{Hooks, NoHooks};
use crate::pass::Pass;
use crate::pass::run_pass::{PassResult, PassStep, RunUntil, next_accepted, run_pass};
use crate::passes::{
    Effort, blanks, bodies_by_depth, chunks, comments, everywhere, exchange, flattening, inlining,
    literals, merging, moving, names, optional, orphans, positions, returns, rewriting,
    single_bytes, single_tokens, substitution, syntax, trimming, trivial, unwrapping, windows,
};
use crate::swept_atoms::{Atom, SweptAtoms};
use crate::text::draft::TextDraft;
use crate::text::parsed_text::ParsedText;
use std::sync::Arc;
use wynot_core::{Oracle, Stopped};
use wynot_subjects::Language;

/// The coarse passes run again while a round removes at least this share of the text.
const MIN_ROUND_GAIN_PERCENT: usize = 10;

/// In texts with fewer bytes than this, every single byte is tried at the end.
const MAX_BYTE_SWEEP_TEXT_BYTES: usize = 400;

/// Texts without syntax with fewer bytes than this go on to single bytes without a thorough run of chunks.
const MIN_THOROUGH_CHUNKS_BYTES: usize = 4096;

/// The number of bytes at the start of a text that decide whether it is binary.
const BINARY_SAMPLE_BYTES: usize = 64 << 10;

/// A text is binary if more than one byte in this many is a control character.
const BYTES_PER_CONTROL_CHARACTER: usize = 200;

/// A reduced text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReducedText {
    /// The text, which fails.
    pub text: Vec<u8>,
    /// The kinds of atoms in which it is 1-minimal.
    pub swept: SweptAtoms,
}

/// Reduces a text that fails to a smaller one that fails.
///
/// If the oracle stops early, the error holds the smallest failing text that was found until then.
pub fn reduce<O: Oracle<TextDraft>>(
    text: &[u8],
    language: &'static Language,
    hooks: &dyn Hooks,
    oracle: &mut O,
) -> Result<ReducedText, Stopped<Vec<u8>, O::Stop>> {
    reduce_by(text, language, hooks, oracle, |reduction| match is_binary(text) {
        true => reduction.without_syntax(),
        false => reduction.with_syntax(),
    })
}

/// Runs only the passes that remove much, and proves nothing: for one text among others that may go later.
pub fn reduce_coarsely<O: Oracle<TextDraft>>(
    text: &[u8],
    language: &'static Language,
    hooks: &dyn Hooks,
    oracle: &mut O,
) -> Result<ReducedText, Stopped<Vec<u8>, O::Stop>> {
    reduce_by(text, language, hooks, oracle, |reduction| {
        match is_binary(text) {
            true => reduction.run(trimming).map(|_| ()),
            false => reduction.coarse_passes(),
        }?;
        Ok(SweptAtoms::default())
    })
}

/// Runs some passes on a text, and keeps the best text when the oracle stops.
fn reduce_by<'a, O: Oracle<TextDraft>>(
    text: &[u8],
    language: &'static Language,
    hooks: &'a dyn Hooks,
    oracle: &'a mut O,
    run_passes: impl FnOnce(&mut Reduction<'a, O>) -> Result<SweptAtoms, O::Stop>,
) -> Result<ReducedText, Stopped<Vec<u8>, O::Stop>> {
    let parsed = match is_binary(text) {
        true => ParsedText::binary(text.to_vec(), language),
        false => ParsedText::new(text.to_vec(), language, hooks),
    };
    let mut reduction = Reduction { parsed, hooks, oracle };
    let result = run_passes(&mut reduction);
    let text = reduction.parsed.current_text();
    match result {
        Ok(swept) => Ok(ReducedText { text, swept }),
        Err(cause) => Err(Stopped { best: text, cause }),
    }
}

/// Tries to refute that a failing text is 1-minimal in some atoms: a smaller text that fails too.
pub fn refute<O: Oracle<TextDraft>>(
    text: &[u8],
    language: &'static Language,
    swept: &SweptAtoms,
    oracle: &mut O,
) -> Result<Option<Vec<u8>>, O::Stop> {
    let parsed = ParsedText::new(text.to_vec(), language, &NoHooks);
    let tokens = swept.contains(Atom::Token).then(|| single_tokens(&parsed));
    let bytes = swept.contains(Atom::Byte).then(|| single_bytes(&parsed));
    for singles in tokens.into_iter().chain(bytes) {
        let step = next_accepted(&singles, &parsed, usize::MAX, &NoHooks, oracle)?;
        if let PassStep::Accepted { edits, .. } = step {
            return Ok(Some(edits.apply(&parsed.text)));
        }
    }
    Ok(None)
}

/// A reduction in progress.
struct Reduction<'a, O> {
    parsed: ParsedText,
    hooks: &'a dyn Hooks,
    oracle: &'a mut O,
}

impl<O: Oracle<TextDraft>> Reduction<'_, O> {
    /// Deletes comments, bodies, declarations and statements, as long as rounds remove much.
    fn coarse_passes(&mut self) -> Result<(), O::Stop> {
        self.run(comments)?;
        let mut emptied = self.run_bodies()?;
        self.run(trivial)?;
        loop {
            let before = self.parsed.text.len();
            if !emptied {
                emptied = self.run_bodies()?;
            }
            self.run_until(RunUntil::Unprofitable, |parsed| orphans(parsed, false))?;
            self.run(|parsed| syntax(parsed, Effort::Quick))?;
            let removed = before - self.parsed.text.len();
            if removed * 100 < before * MIN_ROUND_GAIN_PERCENT {
                return Ok(());
            }
        }
    }

    /// The order of passes for texts with syntax.
    fn with_syntax(&mut self) -> Result<SweptAtoms, O::Stop> {
        self.coarse_passes()?;
        loop {
            let before = Arc::clone(&self.parsed.text);
            self.fine_passes()?;
            if self.parsed.text != before {
                continue;
            }
            let hooks = self.hooks;
            self.run(|parsed| rewriting(parsed, hooks))?;
            if self.parsed.text != before {
                continue;
            }
            self.parsed.retry_grammar(self.hooks);
            let tokens = self.run(single_tokens)?;
            let bytes = match self.parsed.text.len() < MAX_BYTE_SWEEP_TEXT_BYTES {
                true => self.run(single_bytes)?,
                false => PassResult { gained: false, complete: false },
            };
            if !tokens.gained && !bytes.gained {
                return Ok(swept_atoms(tokens, bytes));
            }
        }
    }

    /// One round of the passes that make a text small and plain, before anything is proved.
    fn fine_passes(&mut self) -> Result<(), O::Stop> {
        self.run(blanks)?;
        self.run(names)?;
        self.run(positions)?;
        self.run(merging)?;
        self.run(substitution)?;
        self.run(inlining)?;
        while self.run(moving)?.gained || self.run(exchange)?.gained {}
        self.run(returns)?;
        self.run(flattening)?;
        self.run(unwrapping)?;
        self.run(optional)?;
        self.run(literals)?;
        self.run(windows)?;
        self.run(|parsed| syntax(parsed, Effort::Thorough))?;
        self.run(|parsed| orphans(parsed, true))?;
        self.run(everywhere)?;
        Ok(())
    }

    /// The order of passes for binary texts: both ends, chunks, and last single bytes.
    fn without_syntax(&mut self) -> Result<SweptAtoms, O::Stop> {
        self.run(trimming)?;
        let mut thorough = false;
        loop {
            let before = self.parsed.text.len();
            self.run(|parsed| chunks(parsed, thorough))?;
            if self.parsed.text.len() < before {
                continue;
            }
            if thorough || before < MIN_THOROUGH_CHUNKS_BYTES {
                break;
            }
            thorough = true;
        }
        loop {
            let bytes = self.run(single_bytes)?;
            if !bytes.gained || !bytes.complete {
                return Ok(swept_atoms(PassResult { gained: false, complete: false }, bytes));
            }
        }
    }

    /// Empties the bodies of functions, as long as that pays; whether all were tried.
    fn run_bodies(&mut self) -> Result<bool, O::Stop> {
        let mut complete = true;
        for pass in bodies_by_depth(&self.parsed) {
            let until = RunUntil::Unprofitable;
            let result = run_pass(pass, &mut self.parsed, until, self.hooks, self.oracle)?;
            complete &= result.complete;
        }
        self.parsed.reparse(self.hooks);
        Ok(complete)
    }

    /// Runs a pass until it has nothing more to propose, and parses the text that it leaves.
    fn run<P: Pass>(&mut self, pass: impl FnOnce(&ParsedText) -> P) -> Result<PassResult, O::Stop> {
        self.run_until(RunUntil::Exhausted, pass)
    }

    /// Runs a pass, and parses the text that it leaves.
    fn run_until<P: Pass>(
        &mut self,
        until: RunUntil,
        pass: impl FnOnce(&ParsedText) -> P,
    ) -> Result<PassResult, O::Stop> {
        let pass = pass(&self.parsed);
        let result = run_pass(pass, &mut self.parsed, until, self.hooks, self.oracle)?;
        self.parsed.reparse(self.hooks);
        Ok(result)
    }
}

/// What is proved by the passes over single tokens and bytes.
fn swept_atoms(tokens: PassResult, bytes: PassResult) -> SweptAtoms {
    let tokens = tokens.complete.then_some(Atom::Token);
    let bytes = bytes.complete.then_some(Atom::Byte);
    tokens.into_iter().chain(bytes).collect()
}

/// Whether the start of a text has many control characters or is not UTF-8.
fn is_binary(text: &[u8]) -> bool {
    let start = &text[..text.len().min(BINARY_SAMPLE_BYTES)];
    let is_control = |byte: &&u8| **byte < 9 || (14..32).contains(*byte);
    let control_characters = start.iter().filter(is_control).count();
    control_characters * BYTES_PER_CONTROL_CHARACTER > start.len()
        || std::str::from_utf8(start).is_err_and(|error| error.error_len().is_some())
}
