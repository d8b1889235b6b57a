//! What delta debugging can vary, and how a configuration becomes something to test.
//!
//! A [`Subject`] has two sides, a baseline that passes and an original that fails, and the deltas between
//! them. Every configuration of deltas composes to a [`Variant`]: no deltas give the baseline, all of them
//! the original, byte for byte.
//!
//! ```
//! use wynot_core::Configuration;
//! use wynot_subjects::{TextSubject, Units};
//!
//! let units: Units = "line,char".parse()?;
//! let subject = TextSubject::between(b"a = 1\nb = 2\n", b"a = 1\nb = 25\nc\n", &units)?;
//! let mut variant = Vec::new();
//! subject.compose(&Configuration::from([0]), &mut variant);
//! assert_eq!(variant, b"a = 1\nb = 25\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This crate knows formats. It runs nothing and touches no file.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

mod call;
mod container;
mod folder;
mod hunks;
mod json;
mod lock;
mod subject;
mod syntax;
mod text;
mod text_delta;
mod variant;

pub use call::environment::{Assignment, EnvironmentError, EnvironmentSubject, parse_environment};
pub use call::options::{OptionsError, OptionsSubject, split_words};
pub use call::quote;
pub use call::version_row::{VersionRow, VersionRowError};
pub use container::{Container, ContainerLayout, Opening, PartList, ViewEdit};
pub use folder::change::FileChange;
pub use folder::diff::FolderSubject;
pub use folder::entry::{FileContents, FolderEntry};
pub use folder::identifiers::ChangedIdentifiers;
pub use folder::levels::FolderLevel;
pub use folder::related_hunks::related_hunks;
pub use folder::{Folder, compare_paths};
pub use hunks::apply::{AppliedHunks, apply_hunks, carry_hunks};
pub use hunks::hunk::{Hunk, HunkChange, HunkFate, HunkPlace};
pub use hunks::hunk_diff::hunks_between;
pub use hunks::renames::renames_between;
pub use json::parse::JsonError;
pub use lock::owners::Upgrade;
pub use lock::upgrade::{UpgradeError, UpgradeSubject};
pub use lock::{LockError, LockKind};
pub use subject::Subject;
pub use syntax::language::{Declaring, Language};
pub use syntax::language_table::LANGUAGES;
pub use syntax::not_parsed::NotParsed;
pub use syntax::tree::{NodeId, SyntaxNode, SyntaxTree};
pub use text::TextSubject;
pub use text::cut::TextCut;
pub use text::error::TextError;
pub use text::header_inlining::{HeaderName, InlinedText, inline_headers};
pub use text::unit::{Unit, Units, UnitsError};
pub use text_delta::{TextDelta, TextSide};
pub use variant::Variant;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_send_and_sync<T: Send + Sync>() {}

    #[test]
    fn subjects_and_variants_travel_between_threads() {
        assert_send_and_sync::<Subject>();
        assert_send_and_sync::<Variant>();
        assert_send_and_sync::<Folder>();
        assert_send_and_sync::<SyntaxTree>();
        assert_send_and_sync::<TextError>();
    }
}
