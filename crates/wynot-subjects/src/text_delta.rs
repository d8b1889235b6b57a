//! One change of a text. It has a file of its own since both [`text`](crate::text) and
//! [`json`](crate::json) make such changes.

use std::ops::Range;

/// One change of a text: bytes of the original take the place of bytes of the baseline. Either range may
/// be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextDelta {
    /// The bytes of the baseline that are replaced.
    pub old: Range<u32>,
    /// The bytes of the original that replace them.
    pub new: Range<u32>,
}

/// One of the two texts that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextSide {
    /// The text that passes.
    Baseline,
    /// The text that fails.
    Original,
}
