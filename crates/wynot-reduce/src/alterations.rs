//! What a reduction may change besides deleting.

/// What passes may change besides deleting and exchanging. Passes that do nothing else are left out where it must stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alterations {
    /// Names become shorter.
    pub names: bool,
    /// Blanks and line ends go; below a certain size, so do single bytes.
    pub layout: bool,
    /// Literals become plainer.
    pub literals: bool,
}

impl Alterations {
    /// Everything may change.
    pub const ALL: Self = Self { names: true, layout: true, literals: true };
}
