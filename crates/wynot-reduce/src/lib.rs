//! The default reducer: edits proposed by syntax, decided by tests.
//!
//! Everything is a set of [`Edit`]s against a parsed text. A [`Pass`] proposes edits, each on the
//! assumption that the earlier ones fail; the oracle returns the first under which the failure
//! persists. So deleting lines, statements or tokens, putting a descendant in the place of a node or a
//! constant in the place of an expression all share one engine, one memory of outcomes and one way to
//! run tests ahead of time. Syntax only proposes: a text that does not parse costs tests, not results.
//!
//! ```
//! use wynot_core::Outcome;
//! use wynot_reduce::{Alone, Remember, reduce};
//! use wynot_subjects::Language;
//!
//! let text = b"int unused;\nint f(int x) { return x * 2 + 1; }\nint main(void) { return f(3); }\n";
//! let mut oracle = Remember::new(|text: &[u8]| {
//!     Outcome::fails_if(text.windows(2).any(|pair| pair == b"f(") && text.contains(&b'3'))
//! });
//! let language = Language::named("c").ok_or("no such language")?;
//! let small = reduce(text, language, &Alone, &mut oracle).map_err(|_| "never stops")?;
//! assert_eq!(small.text, b"f(3");
//! # Ok::<(), &str>(())
//! ```
//!
//! This crate is pure: no I/O, no clock, no threads, no random numbers.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

mod assistant;
mod category;
mod choices;
mod chunks;
mod coupling;
mod draft;
mod edit;
mod exchange;
mod files;
mod flattening;
mod folder;
mod group;
mod halving;
mod inlining;
mod listing;
mod mentions;
mod merging;
mod optional;
mod pass;
mod queue;
mod references;
mod remember;
mod rewriting;
mod schedule;
mod sequence;
mod signature;
mod substitution;
mod tokens;
mod words;

pub use assistant::{Alone, Assistant};
pub use chunks::{Chunks, Trim};
pub use draft::{Draft, Variant};
pub use edit::{Edit, Edits};
pub use files::{ReducedFolder, reduce_folder, refute_folder};
pub use folder::FolderVariant;
pub use group::Group;
pub use halving::Halving;
pub use pass::Pass;
pub use references::References;
pub use remember::Remember;
pub use schedule::{Proved, Reduced, reduce, refute};
