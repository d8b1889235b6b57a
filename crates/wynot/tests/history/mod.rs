//! Repositories whose history is known, made by the scripts in this folder; what is found in them, and by git.

#![allow(
    dead_code,
    unused_imports,
    clippy::allow_attributes,
    reason = "each test file uses its own part of this"
)]

pub mod answer;
pub mod bisected;
pub mod repository;

pub use answer::{Answer, Blocker, Expected, Oldest};
pub use bisected::Bisected;
pub use repository::Repository;
