//! What proposals have in common, by which their outcomes are estimated.

use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;
use std::ops::Range;
use wynot_core::Likeness;

/// The number of bytes on both sides of an edit that belong to the change.
const CONTEXT_BYTES: usize = 4;

/// How much the odds of a proposal rise when it removes half as much.
const ODDS_PER_DOUBLING: f64 = 1.3;

/// The likeness of a proposal to others of its kind. The change is the bytes that go, the bytes that take their place,
/// and a few bytes around them; properties are what is changed, and how many bytes go of how many.
pub fn likeness(
    (pass, operation, node): (&str, &str, &str),
    edits: &[Edit],
    sizes: Range<usize>,
    parsed: &ParsedText,
) -> Likeness {
    let text = &parsed.text;
    let mut change = Hash::new().with(pass.as_bytes());
    for edit in edits {
        let (start, end) = (edit.span.start as usize, edit.span.end as usize);
        let from = start.saturating_sub(CONTEXT_BYTES);
        let to = (end + CONTEXT_BYTES).min(text.len());
        change = change.with(&text[from..to]).with(&edit.text);
    }
    let magnitude = |number: usize| number.max(1).ilog2() as u8;
    let removed = sizes.len();
    let property = |name: &str, value: &[u8]| Hash::new().with(name.as_bytes()).with(value).0;
    let kind = Hash::new().with(pass.as_bytes()).with(operation.as_bytes());
    let properties = [
        kind.with(node.as_bytes()).0,
        property("removed", &[magnitude(removed)]),
        property("share", &[magnitude(sizes.end / removed.max(1))]),
        property("size", &[magnitude(sizes.end)]),
    ];
    let failing_percent = match pass {
        "syntax" => adjusted_percent(failing_percent(pass, operation), sizes.end / removed.max(1)),
        _ => failing_percent(pass, operation),
    };
    Likeness { change: change.0, kind: kind.0, properties, failing_percent }
}

/// How many of a hundred proposals keep the failure, on average over reductions of sources in several languages.
fn failing_percent(pass: &str, operation: &str) -> u8 {
    match (pass, operation) {
        ("blanks" | "comments" | "names" | "orphans", _) | ("syntax", "orphans") => 65,
        ("bodies" | "flattening" | "inlining" | "reachable", _) => 45,
        ("syntax", "constant") => 17,
        ("syntax", "list") => 15,
        ("syntax", _) | ("everywhere" | "literals" | "merging" | "moving" | "unwrapping", _) => 10,
        ("windows" | "byte_windows", _) => 2,
        ("exchange" | "optional" | "positions" | "singles" | "substitution", _) => 6,
        _ => 20,
    }
}

/// Adjusts a percentage to the part of the text that goes, one in `share`: the larger it is, the more proposals are in
/// vain. One in 32 is usual.
fn adjusted_percent(percent: u8, share: usize) -> u8 {
    let distance = share.clamp(1, 1024).ilog2() as i32 - 5;
    let odds = f64::from(percent) / f64::from(100 - percent) * ODDS_PER_DOUBLING.powi(distance);
    ((100.0 * odds / (1.0 + odds)).round() as u8).clamp(1, 99)
}

/// The FNV-1a hash of some bytes, which is the same in every run.
#[derive(Clone, Copy)]
struct Hash(u64);

impl Hash {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn with(self, bytes: &[u8]) -> Self {
        // The length separates what follows from these bytes.
        let length = (bytes.len() as u64).to_le_bytes();
        Self(
            bytes.iter().chain(&length).fold(self.0, |hash, &byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            }),
        )
    }
}
