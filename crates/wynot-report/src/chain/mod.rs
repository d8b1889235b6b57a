//! The page of a cause-effect chain, which `explain` finds.
//!
//! [`chain_summary`] is the data, [`chain_page`] the page from top to bottom, and [`drawing`] its drawings.

pub mod chain_page;
pub mod chain_summary;
pub mod drawing;
