//! Proposals of outside reducers as records: what a resumed search needs to propose the same.

use crate::digest::Digest;
use serde::{Deserialize, Serialize};

/// What an outside reducer has proposed for a text, as the part of the text that it replaces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposalRecord {
    /// The number of the reducer, counted from 0.
    pub reducer: usize,
    /// The digest of the text that it worked on.
    pub base: String,
    /// The bytes of the text before the part that is replaced.
    pub before: usize,
    /// The bytes of the text behind that part.
    pub behind: usize,
    /// What takes its place, with two hexadecimal digits for each byte.
    pub text: String,
}

impl ProposalRecord {
    /// The record of a proposal.
    pub fn new(reducer: usize, base: &[u8], proposal: &[u8]) -> Self {
        let before = base.iter().zip(proposal).take_while(|(a, b)| a == b).count();
        let rest = base[before..].iter().rev().zip(proposal[before..].iter().rev());
        let behind = rest.take_while(|(a, b)| a == b).count();
        let replacement = &proposal[before..proposal.len() - behind];
        Self {
            reducer,
            base: Digest::of_bytes(base).to_string(),
            before,
            behind,
            text: replacement.iter().map(|byte| format!("{byte:02x}")).collect(),
        }
    }

    /// The proposal, if this is a record about the text.
    pub fn proposal(&self, base: &[u8]) -> Option<Vec<u8>> {
        let behind = base.len().checked_sub(self.behind).filter(|at| *at >= self.before)?;
        let digit = |at: usize| u8::from_str_radix(self.text.get(at..at + 2)?, 16).ok();
        let text: Option<Vec<u8>> = (0..self.text.len()).step_by(2).map(digit).collect();
        Some([&base[..self.before], &text?, &base[behind..]].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_holds_what_is_replaced() {
        for (base, proposal) in [
            (&b"int a; int b;"[..], &b"int b;"[..]),
            (b"aaaa", b"aa"),
            (b"abc", b"xyz"),
            (b"\xff\x00", b""),
            (b"same", b"same"),
        ] {
            let record = ProposalRecord::new(1, base, proposal);
            assert_eq!(record.proposal(base).unwrap(), proposal);
        }
        assert_eq!(ProposalRecord::new(0, b"abcdef", b"abXef").text, "58");
        assert_eq!(ProposalRecord::new(0, b"abcdef", b"af").proposal(b""), None);
    }
}
