//! The page of a session: what was searched, how it went, and the result.
//!
//! [`session_summary`] collects the records, [`session_page`] is the page from top to bottom, and
//! [`headline`], [`sections`], [`answer_section`], [`tables`] and [`curve`] are its parts. Charts are drawn
//! in the widths of [`chart_width`]. A walk back through a history has
//! [`history_sections`] instead of a curve: its plot is in [`history_plot`] and [`blocker_bars`], both by
//! the same [`version_axis`]; [`history_tables`] and [`verdict_words`] say the rest. The HTML document and
//! its style sheet are in [`document`], which the page of a chain uses too. How numbers and hostile text are
//! written belongs in `text`.

pub mod answer_section;
pub mod axis;
pub mod blocker_bars;
pub mod chart_width;
pub mod curve;
#[cfg(test)]
mod curve_tests;
pub mod document;
pub mod headline;
#[cfg(test)]
mod history_page_tests;
pub mod history_plot;
pub mod history_sections;
pub mod history_tables;
pub mod sections;
pub mod session_page;
pub mod session_summary;
pub mod tables;
pub mod verdict_words;
pub mod version_axis;
