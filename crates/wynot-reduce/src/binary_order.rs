//! The order of the passes over a binary text.
//!
//! A container is reduced as a view first: streams are opened, and parts and bytes go with the lengths, counts and
//! checksums that depend on them. Then come the same bytes as any other text: both ends, chunks, repeats, single bytes
//! and windows, which repair nothing. A round of both follows another one while it leaves a simpler text.
//!
//! A view may be longer than the text when it is opened. The text at the start of a round is kept until the view has
//! become simpler than that.

use crate::pass::run_pass::{PassResult, RunUntil};
use crate::pass::{AnyPass, Pass};
use crate::passes::{
    byte_windows, chunks, opening, parts, payloads, repeats, single_bytes, trimming,
};
use crate::text::parsed_text::ParsedText;
use crate::text::plainness::is_simpler;
use std::sync::Arc;

/// The parts of a container are tried again while a round removes at least this share of its view.
const MIN_ROUND_GAIN_PERCENT: usize = 10;

/// In views with fewer bytes than this, all windows that are affordable are tried.
const MAX_VIEW_WINDOWS_BYTES: usize = 4096;

/// In texts with fewer bytes than this, all windows that are affordable are tried at the end.
const MAX_WINDOWS_TEXT_BYTES: usize = 400;

/// Texts with fewer bytes than this go on to single bytes without a thorough run of chunks.
const MIN_THOROUGH_CHUNKS_BYTES: usize = 4096;

/// A pass in its place in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BinaryPlace {
    Opening,
    Parts,
    Payloads,
    ViewWindows,
    /// Both ends of the text.
    Trimming,
    Chunks {
        thorough: bool,
    },
    Repeats,
    Bytes,
    Windows,
}

/// Where the reduction of a binary text is in the order of its passes.
#[derive(Clone, Debug)]
pub struct BinaryOrder {
    /// Whether only the passes that remove much run.
    is_coarse: bool,
    place: BinaryPlace,
    /// The text at the start of the round, in which the container was not opened yet.
    round_start: Arc<Vec<u8>>,
    /// The text, or view, at the start of a smaller round.
    pass_start: Arc<Vec<u8>>,
    /// The text that single bytes have proved to be 1-minimal, and the result of that pass.
    proved: Option<(Arc<Vec<u8>>, PassResult)>,
}

impl BinaryOrder {
    /// The order for a text; the passes that remove much, or all.
    pub fn new(parsed: &ParsedText, is_coarse: bool) -> Self {
        let (round_start, pass_start) = (Arc::clone(&parsed.text), Arc::clone(&parsed.text));
        Self { is_coarse, place: BinaryPlace::Opening, round_start, pass_start, proved: None }
    }

    /// The simpler one of a text and the text at the start of the round.
    pub fn smaller_of(self, text: Vec<u8>) -> Vec<u8> {
        match is_simpler(&self.round_start, &text) {
            true => self.round_start.to_vec(),
            false => text,
        }
    }

    /// The current passes, and when each ends.
    pub fn passes<'h>(&self, parsed: &ParsedText) -> (Vec<Box<dyn AnyPass + 'h>>, RunUntil) {
        let one = |pass: Box<dyn AnyPass + 'h>| (vec![pass], RunUntil::Exhausted);
        match self.place {
            BinaryPlace::Opening => one(boxed(opening(parsed))),
            BinaryPlace::Parts => {
                let lists = parts(parsed).into_iter().map(boxed);
                (lists.collect(), RunUntil::Exhausted)
            }
            BinaryPlace::Payloads => one(boxed(payloads(parsed))),
            BinaryPlace::ViewWindows => one(boxed(byte_windows(parsed, 1))),
            BinaryPlace::Trimming => one(boxed(trimming(parsed))),
            BinaryPlace::Chunks { thorough } => one(boxed(chunks(parsed, thorough))),
            BinaryPlace::Repeats => one(boxed(repeats(parsed))),
            BinaryPlace::Bytes => one(boxed(single_bytes(parsed))),
            BinaryPlace::Windows => one(boxed(byte_windows(parsed, 2))),
        }
    }

    /// Goes on to the next pass. At the end, the result is that of the pass over single bytes.
    pub fn go_on(&mut self, result: PassResult, parsed: &mut ParsedText) -> Option<PassResult> {
        self.place = match self.place {
            BinaryPlace::Opening => {
                parsed.open();
                match parsed.layout.is_some() {
                    true => self.round_of_parts(parsed),
                    false => return self.close(parsed),
                }
            }
            _ if self.is_view_lost(parsed) => return self.close(parsed),
            BinaryPlace::Parts => BinaryPlace::Payloads,
            BinaryPlace::Payloads => {
                let before = self.pass_start.len();
                let removed = before.saturating_sub(parsed.text.len());
                if removed * 100 >= before * MIN_ROUND_GAIN_PERCENT {
                    self.reopen(parsed)
                } else if parsed.text.len() <= MAX_VIEW_WINDOWS_BYTES && !self.is_coarse {
                    BinaryPlace::ViewWindows
                } else {
                    return self.close(parsed);
                }
            }
            BinaryPlace::ViewWindows if result.gained && result.complete => self.reopen(parsed),
            BinaryPlace::ViewWindows => return self.close(parsed),
            BinaryPlace::Trimming if self.is_coarse => return Some(NOT_RUN),
            BinaryPlace::Trimming => self.round_of_chunks(false, parsed),
            BinaryPlace::Chunks { thorough } => self.after_chunks(thorough, parsed),
            BinaryPlace::Repeats if result.gained => self.round_of_chunks(false, parsed),
            BinaryPlace::Repeats => BinaryPlace::Bytes,
            BinaryPlace::Bytes if result.gained && result.complete => BinaryPlace::Bytes,
            BinaryPlace::Bytes => {
                self.proved = Some((Arc::clone(&parsed.text), result));
                match parsed.text.len() < MAX_WINDOWS_TEXT_BYTES {
                    true => BinaryPlace::Windows,
                    false => return self.end_round(parsed),
                }
            }
            BinaryPlace::Windows if result.gained && result.complete => BinaryPlace::Bytes,
            BinaryPlace::Windows => return self.end_round(parsed),
        };
        None
    }

    /// Whether the view at work has become something that cannot be read any more.
    fn is_view_lost(&self, parsed: &ParsedText) -> bool {
        let is_view_pass = matches!(
            self.place,
            BinaryPlace::Parts | BinaryPlace::Payloads | BinaryPlace::ViewWindows
        );
        is_view_pass && parsed.layout.is_none()
    }

    fn round_of_parts(&mut self, parsed: &ParsedText) -> BinaryPlace {
        self.pass_start = Arc::clone(&parsed.text);
        BinaryPlace::Parts
    }

    /// Opens the container anew: what is left may be written in a shorter way. A structure that could not be recognised
    /// again is kept.
    fn reopen(&mut self, parsed: &mut ParsedText) -> BinaryPlace {
        if parsed.is_structure_kept {
            return self.round_of_parts(parsed);
        }
        parsed.close();
        BinaryPlace::Opening
    }

    /// Goes on from the view to its text; back to the text before the round, if that is simpler. Ends if nothing has
    /// changed since single bytes were tried.
    fn close(&mut self, parsed: &mut ParsedText) -> Option<PassResult> {
        parsed.close();
        if is_simpler(&self.round_start, &parsed.text) {
            *parsed = ParsedText::binary(self.round_start.to_vec(), parsed.language);
        }
        self.place = BinaryPlace::Trimming;
        let proved = self.proved.as_ref().filter(|(text, _)| *text == parsed.text);
        proved.map(|(_, result)| *result)
    }

    /// Another round, if this one has left a simpler text and single bytes were tried in vain; else the end.
    fn end_round(&mut self, parsed: &ParsedText) -> Option<PassResult> {
        let proved = self.proved.as_ref().filter(|(text, _)| *text == parsed.text);
        let proved = proved.map_or(NOT_RUN, |(_, result)| *result);
        if !proved.complete || !is_simpler(&parsed.text, &self.round_start) {
            return Some(proved);
        }
        self.round_start = Arc::clone(&parsed.text);
        self.place = BinaryPlace::Opening;
        None
    }

    fn round_of_chunks(&mut self, thorough: bool, parsed: &ParsedText) -> BinaryPlace {
        self.pass_start = Arc::clone(&parsed.text);
        BinaryPlace::Chunks { thorough }
    }

    /// Chunks again while they gain, then thoroughly, then what they leave.
    fn after_chunks(&mut self, thorough: bool, parsed: &ParsedText) -> BinaryPlace {
        let before = self.pass_start.len();
        if parsed.text.len() < before {
            self.round_of_chunks(thorough, parsed)
        } else if thorough || before < MIN_THOROUGH_CHUNKS_BYTES {
            BinaryPlace::Repeats
        } else {
            self.round_of_chunks(true, parsed)
        }
    }
}

/// The result of a pass that did not run.
const NOT_RUN: PassResult = PassResult { gained: false, complete: false };

fn boxed<'h>(pass: impl Pass + 'h) -> Box<dyn AnyPass + 'h> {
    Box::new(pass)
}
