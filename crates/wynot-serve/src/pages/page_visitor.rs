//! The visitor of a page, and the rights that come with the request.

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
    /// Whether a link of another site has led here; browsers do not send the cookie of a login then.
    pub is_from_elsewhere: bool,
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

/// An address on this server; the first page, if it is another one.
pub fn local_address(next: Option<&str>) -> String {
    let is_local = |address: &&str| {
        address.starts_with('/')
            && !address.starts_with("//")
            && address.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
    };
    next.filter(is_local).unwrap_or("/").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_other_servers_are_refused() {
        for (next, expected) in [
            (Some("/jobs/abc?x=1"), "/jobs/abc?x=1"),
            (Some("//evil.example"), "/"),
            (Some("/\\evil.example"), "/"),
            (Some("https://evil.example"), "/"),
            (Some("javascript:alert(1)"), "/"),
            (Some("/\tx"), "/"),
            (Some(""), "/"),
            (None, "/"),
        ] {
            assert_eq!(local_address(next), expected, "{next:?}");
        }
    }
}
