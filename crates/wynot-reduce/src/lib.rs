//! The default reducer: syntax proposes edits, tests decide.
//!
//! A *pass* proposes sets of edits against a parsed text, each on the assumption that the earlier ones
//! fail; the oracle returns the first under which the failure persists. Deleting lines, statements or
//! tokens, hoisting a descendant of a node and replacing an expression by a constant therefore share one
//! engine, one memory of outcomes and one way to run tests ahead of time. Syntax only proposes: a text
//! that does not parse costs tests, never correctness.
//!
//! | to … | see |
//! |---|---|
//! | change the order of passes, or when a reduction ends | `pass_order` |
//! | change the order of passes over binary texts | `binary_order` |
//! | add a pass | a file in `passes`, and a line in `pass_order` |
//! | change how one pass is run | `pass::run_pass` |
//! | change when the next pass begins | `reduction` |
//! | reduce directories | `folder` |
//!
//! ```
//! use wynot_core::Outcome;
//! use wynot_reduce::{NoHooks, oracle_over_texts, reduce};
//! use wynot_subjects::Language;
//!
//! let text = b"int unused;\nint f(int x) { return x * 2 + 1; }\nint main(void) { return f(3); }\n";
//! let mut oracle = oracle_over_texts(|text: &[u8]| {
//!     Outcome::fails_if(text.windows(2).any(|pair| pair == b"f(") && text.contains(&b'3'))
//! });
//! let language = Language::named("c").ok_or("no such language")?;
//! let small = reduce(text, language, &NoHooks, &mut oracle).map_err(|_| "never stops")?;
//! assert_eq!(small.text, b"f(3");
//! # Ok::<(), &str>(())
//! ```
//!
//! This crate is pure: no I/O, no clock, no threads, no random numbers.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

mod alterations;
mod binary_order;
mod fine_pass;
mod folder;
mod halving;
mod hooks;
mod pass;
mod pass_order;
mod passes;
mod reduce;
mod reduction;
mod swept_atoms;
mod text;

pub use alterations::Alterations;
pub use folder::draft::FolderDraft;
pub use folder::reduce_folder::{ReducedFolder, reduce_folder, refute_folder};
pub use hooks::{Hooks, NoHooks};
pub use reduce::{ReducedText, reduce, refute};
pub use swept_atoms::{Atom, SweptAtoms};
pub use text::draft::{TextDraft, oracle_over_texts};
