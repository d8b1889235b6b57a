//! The page of a session: what was searched, how it went, and the result.
//!
//! [`session_summary`] collects the records, [`session_page`] is the page from top to bottom, and
//! [`headline`], [`sections`], [`tables`] and [`curve`] are its parts. The HTML document and its style sheet
//! are in [`document`], which the page of a chain uses too. How numbers and hostile text are written belongs
//! in `text`.

pub mod axis;
pub mod curve;
pub mod document;
pub mod headline;
pub mod sections;
pub mod session_page;
pub mod session_summary;
pub mod tables;
