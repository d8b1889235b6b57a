//! Deletes declarations that nothing uses.

use crate::pass::by_halves::ByHalves;
use crate::text::parsed_text::ParsedText;
use crate::text::references::References;

/// Deletes all unused declarations and those that only they use, then halves of them; `with_bodies`
/// includes functions whose body could not be emptied.
pub fn orphans(parsed: &ParsedText, with_bodies: bool) -> ByHalves {
    ByHalves::new("orphans", References::of(parsed).unused(parsed, with_bodies))
}
