//! Which pass comes when. Decided by what is gained, never by a clock.

use crate::coupling::{Everywhere, Positions};
use crate::exchange::{Exchange, Moving};
use crate::flattening::{Flattening, Unwrapping};
use crate::inlining::Inlining;
use crate::listing::{Blanks, Bodies, Comments, Orphans, Trivial};
use crate::merging::Merging;
use crate::optional::Optional;
use crate::pass::{Patience, Ran, Step, run, step};
use crate::queue::{Effort, Queue};
use crate::rewriting::Rewriting;
use crate::signature::Returns;
use crate::substitution::Substitution;
use crate::tokens::{Singles, Windows};
use crate::words::{Literals, Names};
use crate::{Alone, Assistant, Chunks, Draft, Pass, Trim, Variant};
use std::rc::Rc;
use wynot_core::{Oracle, Stopped};
use wynot_subjects::Language;

/// The queue runs again while it takes off at least this part of the text, in percent.
const WORTHWHILE: usize = 10;

/// Below this many bytes every single byte is tried at the end.
const BYTES: usize = 400;

/// Below this many bytes, single bytes are tried instead of all stretches.
const BINARY_BYTES: usize = 4096;

/// What was proved about a result: which single pieces were tried, all in vain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Proved {
    /// No single token can go.
    pub tokens: bool,
    /// No single byte can go.
    pub bytes: bool,
}

/// A reduced text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduced {
    /// The text, which fails.
    pub text: Vec<u8>,
    /// What is proved about it.
    pub proved: Proved,
}

/// Reduces a text that fails to a smaller one that fails.
///
/// Where the oracle stops early, the error holds the smallest text found until then.
pub fn reduce<O: Oracle<Variant>>(
    text: &[u8],
    language: &'static Language,
    assistant: &dyn Assistant,
    oracle: &mut O,
) -> Result<Reduced, Stopped<Vec<u8>, O::Stop>> {
    carried_out(text, language, assistant, oracle, |reduction| match is_binary(text) {
        true => reduction.without_syntax(),
        false => reduction.with_syntax(),
    })
}

/// Takes off what goes easily, and proves nothing: for texts among others that may go later.
pub(crate) fn reduce_coarsely<O: Oracle<Variant>>(
    text: &[u8],
    language: &'static Language,
    assistant: &dyn Assistant,
    oracle: &mut O,
) -> Result<Reduced, Stopped<Vec<u8>, O::Stop>> {
    carried_out(text, language, assistant, oracle, |reduction| {
        match is_binary(text) {
            true => reduction.settled(Trim::new(&reduction.draft)).map(|_| ()),
            false => reduction.coarsely(),
        }?;
        Ok(Proved::default())
    })
}

/// Works on a text, and keeps what has come of it when the oracle stops.
fn carried_out<'a, O: Oracle<Variant>>(
    text: &[u8],
    language: &'static Language,
    assistant: &'a dyn Assistant,
    oracle: &'a mut O,
    work: impl FnOnce(&mut Reduction<'a, O>) -> Result<Proved, O::Stop>,
) -> Result<Reduced, Stopped<Vec<u8>, O::Stop>> {
    let mut reduction = Reduction::new(text, language, assistant, oracle);
    let result = work(&mut reduction);
    let text = reduction.draft.now();
    match result {
        Ok(proved) => Ok(Reduced { text, proved }),
        Err(cause) => Err(Stopped { best: text, cause }),
    }
}

/// Tries to refute what is said to be proved about a text that fails: a smaller one that fails too.
pub fn refute<O: Oracle<Variant>>(
    text: &[u8],
    language: &'static Language,
    proved: Proved,
    oracle: &mut O,
) -> Result<Option<Vec<u8>>, O::Stop> {
    let draft = Draft::new(text.to_vec(), language);
    let tokens = proved.tokens.then(|| Singles::tokens(&draft));
    let bytes = proved.bytes.then(|| Singles::bytes(&draft));
    for singles in tokens.into_iter().chain(bytes) {
        if let Step::Accepted { edits, .. } = step(&singles, &draft, usize::MAX, &Alone, oracle)? {
            return Ok(Some(edits.apply(&draft.text)));
        }
    }
    Ok(None)
}

/// A reduction under way.
struct Reduction<'a, O> {
    draft: Draft,
    assistant: &'a dyn Assistant,
    oracle: &'a mut O,
}

impl<'a, O: Oracle<Variant>> Reduction<'a, O> {
    fn new(
        text: &[u8],
        language: &'static Language,
        assistant: &'a dyn Assistant,
        oracle: &'a mut O,
    ) -> Self {
        Self { draft: Draft::new(text.to_vec(), language), assistant, oracle }
    }

    /// Comments, bodies, declarations and statements, as long as much goes.
    fn coarsely(&mut self) -> Result<(), O::Stop> {
        self.settled(Comments::new(&self.draft))?;
        let mut emptied = self.bodies()?;
        self.settled(Trivial::new(&self.draft))?;
        loop {
            let before = self.draft.text.len();
            if !emptied {
                emptied = self.bodies()?;
            }
            self.while_it_pays(Orphans::new(&self.draft, false))?;
            self.settled(Queue::new(&self.draft, Effort::Quick))?;
            if (before - self.draft.text.len()) * 100 < before * WORTHWHILE {
                return Ok(());
            }
        }
    }

    fn with_syntax(&mut self) -> Result<Proved, O::Stop> {
        self.coarsely()?;
        loop {
            let before = Rc::clone(&self.draft.text);
            self.settled(Blanks::new(&self.draft))?;
            self.settled(Names::new(&self.draft))?;
            self.settled(Positions::new(&self.draft))?;
            self.settled(Merging::new(&self.draft))?;
            self.settled(Substitution::new(&self.draft))?;
            self.settled(Inlining::new(&self.draft))?;
            while self.settled(Moving::new(&self.draft))?.gained
                || self.settled(Exchange::new(&self.draft))?.gained
            {}
            self.settled(Returns::new(&self.draft))?;
            self.settled(Flattening::new(&self.draft))?;
            self.settled(Unwrapping::new(&self.draft))?;
            self.settled(Optional::new(&self.draft))?;
            self.settled(Literals::new(&self.draft))?;
            self.settled(Windows::new(&self.draft))?;
            self.settled(Queue::new(&self.draft, Effort::Thorough))?;
            self.settled(Orphans::new(&self.draft, true))?;
            self.settled(Everywhere::new(&self.draft))?;
            if self.draft.text != before {
                continue;
            }
            self.settled(Rewriting::new(&self.draft, self.assistant))?;
            if self.draft.text != before {
                continue;
            }
            let tokens = self.settled(Singles::tokens(&self.draft))?;
            let few = self.draft.text.len() < BYTES;
            let bytes = match few {
                true => self.settled(Singles::bytes(&self.draft))?,
                false => Ran { gained: false, whole: false },
            };
            if !tokens.gained && !bytes.gained {
                return Ok(Proved { tokens: tokens.whole, bytes: bytes.whole });
            }
        }
    }

    /// What has no syntax is trimmed, loses stretches, and at last single bytes.
    fn without_syntax(&mut self) -> Result<Proved, O::Stop> {
        self.settled(Trim::new(&self.draft))?;
        let mut thorough = false;
        loop {
            let before = self.draft.text.len();
            self.settled(Chunks::new(&self.draft, thorough))?;
            if self.draft.text.len() < before {
                continue;
            }
            if thorough || before < BINARY_BYTES {
                break;
            }
            thorough = true;
        }
        loop {
            let bytes = self.settled(Singles::bytes(&self.draft))?;
            if !bytes.gained || !bytes.whole {
                return Ok(Proved { tokens: false, bytes: bytes.whole });
            }
        }
    }

    /// Empties the bodies of functions, as long as that pays; whether all were tried.
    fn bodies(&mut self) -> Result<bool, O::Stop> {
        let mut whole = true;
        for depth in Bodies::by_depth(&self.draft) {
            let patience = Patience::WhileItPays;
            let ran = run(depth, &mut self.draft, patience, self.assistant, self.oracle)?;
            whole &= ran.whole;
        }
        self.draft.settle();
        Ok(whole)
    }

    /// Runs a pass to its end and parses what it leaves.
    fn settled<P: Pass>(&mut self, pass: P) -> Result<Ran, O::Stop> {
        self.run(pass, Patience::Endless)
    }

    /// Runs a pass as long as it pays and parses what it leaves.
    fn while_it_pays<P: Pass>(&mut self, pass: P) -> Result<Ran, O::Stop> {
        self.run(pass, Patience::WhileItPays)
    }

    fn run<P: Pass>(&mut self, pass: P, patience: Patience) -> Result<Ran, O::Stop> {
        let ran = run(pass, &mut self.draft, patience, self.assistant, self.oracle)?;
        self.draft.settle();
        Ok(ran)
    }
}

/// Whether a text is none: it holds what no text holds.
fn is_binary(text: &[u8]) -> bool {
    let start = &text[..text.len().min(64 << 10)];
    let odd = start.iter().filter(|&&byte| byte < 9 || (14..32).contains(&byte)).count();
    odd * 200 > start.len()
        || std::str::from_utf8(start).is_err_and(|error| error.error_len().is_some())
}
