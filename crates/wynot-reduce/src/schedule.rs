//! Which pass comes when. Decided by what is gained, never by a clock.

use crate::coupling::{Everywhere, Positions};
use crate::flattening::{Flattening, Unwrapping};
use crate::listing::{Blanks, Bodies, Comments, Orphans};
use crate::merging::Merging;
use crate::optional::Optional;
use crate::queue::{Effort, Queue};
use crate::substitution::Substitution;
use crate::tokens::{Singles, Windows};
use crate::words::{Literals, Names};
use crate::{Chunks, Draft, Pass, Trim, Variant, run};
use wynot_core::{Oracle, Stopped};
use wynot_subjects::Language;

/// The queue runs again while it takes off at least this part of the text, in percent.
const WORTHWHILE: usize = 10;

/// Below this many bytes every single byte is tried at the end.
const BYTES: usize = 400;

/// Below this many bytes, single bytes are tried instead of all stretches.
const BINARY_BYTES: usize = 4096;

/// What was proved about a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proved {
    /// No single token can go.
    Tokens,
    /// No single token and no single byte can go.
    Bytes,
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
    oracle: &mut O,
) -> Result<Reduced, Stopped<Vec<u8>, O::Stop>> {
    let mut draft = Draft::new(text.to_vec(), language);
    match passes(&mut draft, oracle) {
        Ok(proved) => Ok(Reduced { text: draft.now(), proved }),
        Err(cause) => Err(Stopped { best: draft.now(), cause }),
    }
}

fn passes<O: Oracle<Variant>>(draft: &mut Draft, oracle: &mut O) -> Result<Proved, O::Stop> {
    if is_binary(&draft.text) {
        return without_syntax(draft, oracle);
    }
    settled(Comments::new(draft), draft, oracle)?;
    for depth in Bodies::by_depth(draft) {
        run(depth, draft, oracle)?;
    }
    draft.settle();
    loop {
        let before = draft.now().len();
        settled(Orphans::new(draft, false), draft, oracle)?;
        settled(Queue::new(draft, Effort::Quick), draft, oracle)?;
        if (before - draft.text.len()) * 100 < before * WORTHWHILE {
            break;
        }
    }
    loop {
        let before = draft.now();
        settled(Blanks::new(draft), draft, oracle)?;
        settled(Names::new(draft), draft, oracle)?;
        settled(Positions::new(draft), draft, oracle)?;
        settled(Merging::new(draft), draft, oracle)?;
        settled(Substitution::new(draft), draft, oracle)?;
        settled(Flattening::new(draft), draft, oracle)?;
        settled(Unwrapping::new(draft), draft, oracle)?;
        settled(Optional::new(draft), draft, oracle)?;
        settled(Literals::new(draft), draft, oracle)?;
        settled(Windows::new(draft), draft, oracle)?;
        settled(Queue::new(draft, Effort::Thorough), draft, oracle)?;
        settled(Orphans::new(draft, true), draft, oracle)?;
        settled(Everywhere::new(draft), draft, oracle)?;
        if *draft.text != before {
            continue;
        }
        let mut gained = settled(Singles::tokens(draft), draft, oracle)?;
        let few = draft.text.len() < BYTES;
        if few {
            gained |= settled(Singles::bytes(draft), draft, oracle)?;
        }
        if !gained {
            return Ok(if few { Proved::Bytes } else { Proved::Tokens });
        }
    }
}

/// Runs a pass to its end and parses what it leaves; whether anything was gained.
fn settled<P: Pass, O: Oracle<Variant>>(
    pass: P,
    draft: &mut Draft,
    oracle: &mut O,
) -> Result<bool, O::Stop> {
    let gained = run(pass, draft, oracle)?;
    draft.settle();
    Ok(gained)
}

/// What has no syntax is trimmed, loses stretches, and at last single bytes.
fn without_syntax<O: Oracle<Variant>>(
    draft: &mut Draft,
    oracle: &mut O,
) -> Result<Proved, O::Stop> {
    settled(Trim::new(draft), draft, oracle)?;
    let mut thorough = false;
    loop {
        let before = draft.text.len();
        settled(Chunks::new(draft, thorough), draft, oracle)?;
        if draft.text.len() < before {
            continue;
        }
        if thorough || draft.text.len() < BINARY_BYTES {
            break;
        }
        thorough = true;
    }
    while settled(Singles::bytes(draft), draft, oracle)? {}
    Ok(Proved::Bytes)
}

/// Whether a text is none: it holds what no text holds.
fn is_binary(text: &[u8]) -> bool {
    let start = &text[..text.len().min(64 << 10)];
    let odd = start.iter().filter(|&&byte| byte < 9 || (14..32).contains(&byte)).count();
    odd * 200 > start.len()
        || std::str::from_utf8(start).is_err_and(|error| error.error_len().is_some())
}
