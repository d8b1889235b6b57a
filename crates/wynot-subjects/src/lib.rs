//! What can be varied, and how a configuration becomes something to test.
//!
//! A [`Subject`] knows two sides, a baseline that passes and an original that fails, and the deltas
//! between them. Any configuration of deltas composes to the bytes of a variant: no deltas give the
//! baseline back, all of them the original, byte for byte.
//!
//! ```
//! use wynot_core::Configuration;
//! use wynot_subjects::{Subject, Unit, Units};
//!
//! let units: Units = "line,char".parse()?;
//! let subject = Subject::between(b"a = 1\nb = 2\n", b"a = 1\nb = 25\nc\n", &units)?;
//! let mut variant = Vec::new();
//! subject.compose(&Configuration::from_deltas([0]), &mut variant);
//! assert_eq!(variant, b"a = 1\nb = 25\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This crate knows formats. It never runs anything and touches no file.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

mod artefact;
mod circumstances;
mod cut;
mod difference;
mod dimacs;
mod edits;
mod elements;
mod environment;
mod folder;
mod folders;
mod grammar;
mod json;
mod language;
mod mixture;
mod options;
mod reader;
mod scopes;
mod subject;
mod tree;
mod unit;

pub use artefact::Artefact;
pub use circumstances::Circumstances;
pub use cut::Cut;
pub use environment::{Assignment, BadEnvironment, Environment};
pub use folder::{Contents, Entry, Folder, order};
pub use folders::{FileChange, Folders};
pub use json::NotJson;
pub use language::{ALL as LANGUAGES, Language};
pub use options::{BadOptions, Options, words};
pub use scopes::Level;
pub use subject::{Delta, Side, Subject, Unfit};
pub use tree::{Node, NodeId, Tree};
pub use unit::{BadUnits, Unit, Units};
