//! How a candidate was made, for display.

use std::fmt;

/// How a strategy made a candidate: a name, and possibly a number.
///
/// Strategies choose the names; this crate keeps no list of them.
///
/// ```
/// use wynot_core::Label;
///
/// assert_eq!(Label::new("blanks").to_string(), "blanks");
/// assert_eq!(Label::new("subset").numbered(1, 2).to_string(), "subset 1/2");
/// assert_eq!(Label::new("without").count(2).to_string(), "without 2");
/// assert_eq!(Label::new("with").count_more(2).to_string(), "with 2 more");
/// assert_eq!(Label::new("needed").count_first(3).to_string(), "3 needed");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Label {
    name: &'static str,
    number: Number,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Number {
    None,
    OutOf { index: usize, of: usize },
    Count(usize),
    CountMore(usize),
    CountFirst(usize),
}

impl Label {
    /// A label without a number.
    pub const fn new(name: &'static str) -> Self {
        Self { name, number: Number::None }
    }

    /// The label of one among several candidates: number `index`, counted from 1, out of `of`.
    #[must_use]
    pub const fn numbered(self, index: usize, of: usize) -> Self {
        Self { number: Number::OutOf { index, of }, ..self }
    }

    /// The label with a number after its name.
    #[must_use]
    pub const fn count(self, count: usize) -> Self {
        Self { number: Number::Count(count), ..self }
    }

    /// The label of a candidate with `count` deltas more than another one.
    #[must_use]
    pub const fn count_more(self, count: usize) -> Self {
        Self { number: Number::CountMore(count), ..self }
    }

    /// The label with a number before its name.
    #[must_use]
    pub const fn count_first(self, count: usize) -> Self {
        Self { number: Number::CountFirst(count), ..self }
    }

    /// The name without any number.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Whether the label has a number.
    pub const fn is_numbered(self) -> bool {
        !matches!(self.number, Number::None)
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name;
        match self.number {
            Number::None => f.write_str(name),
            Number::OutOf { index, of } => write!(f, "{name} {index}/{of}"),
            Number::Count(count) => write!(f, "{name} {count}"),
            Number::CountMore(count) => write!(f, "{name} {count} more"),
            Number::CountFirst(count) => write!(f, "{count} {name}"),
        }
    }
}
