//! Why a text has no syntax tree of its language.

/// Why a text has no syntax tree of its language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotParsed {
    /// The grammar does not understand the text: parsing takes many times the work that its size warrants.
    TooCostly,
    /// The caller asked for an end.
    Stopped,
}
