//! Texts that cannot be cut into deltas.

use crate::json::parse::JsonError;
use crate::text_delta::TextSide;

/// Why a text has no deltas.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// The text is larger than 4 GiB.
    #[error("{bytes} bytes are too many: the limit is 4,294,967,295")]
    TooLarge {
        /// The text that is too large.
        side: TextSide,
        /// The size of the text.
        bytes: usize,
    },
    /// The text is not JSON, which the unit requires.
    #[error("not JSON: {error}")]
    NotJson {
        /// The text that is not JSON.
        side: TextSide,
        /// The first position that is not JSON.
        error: JsonError,
    },
}

impl TextError {
    /// The text that the error is about.
    pub fn side(&self) -> TextSide {
        match self {
            Self::TooLarge { side, .. } | Self::NotJson { side, .. } => *side,
        }
    }
}
