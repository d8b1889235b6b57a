//! Who asks for a page.

use crate::http::access::Visitor;
use crate::store::Right;

/// The name of the field with the form key.
pub const FORM_KEY_FIELD: &str = "form_key";

/// A visitor of a page.
#[derive(Clone, Debug)]
pub struct PageVisitor {
    /// The name and the rights.
    pub visitor: Visitor,
    /// What forms of this visitor contain; a page of another site cannot know it.
    pub form_key: String,
    /// The page to which a login leads back.
    pub address: String,
}

impl PageVisitor {
    /// Whether a right is there.
    pub fn has(&self, right: Right) -> bool {
        self.visitor.rights.has(right)
    }

    /// Whether everybody has all rights, because the server has no tokens.
    pub fn is_open(&self) -> bool {
        self.visitor.name.is_none() && self.has(Right::Read)
    }
}
