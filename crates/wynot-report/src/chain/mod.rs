//! The page of a cause-effect chain, which `explain` finds.
//!
//! [`chain_page`] is the page from top to bottom, [`drawing`] has its drawings, and [`cause_words`] the words for causes,
//! which the body of an issue uses too. The data is a record of the session.

pub mod cause_words;
pub mod chain_page;
pub mod drawing;
