//! Texts and numbers as pages show them.
//!
//! [`number`] writes counts and times, [`escape`] makes hostile text harmless, and [`char_diff`] marks where
//! two texts differ; [`shortened`] cuts long texts, [`changed_line`] knows what in the description of a change is code, and
//! [`sentence`] makes sentences. Nothing here knows records or pages.

pub mod changed_line;
pub mod char_diff;
pub mod escape;
pub mod number;
pub mod sentence;
pub mod shortened;
