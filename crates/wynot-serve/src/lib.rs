//! A debugging server: people, fuzzers and CI jobs submit failures, and each gets a page with its cause.
//!
//! Here: everything behind `wynot serve`. A submission becomes a job in a [`store`], which is one SQLite database and one
//! directory for each job. A number of slots run jobs, oldest first ([`jobs`]); a job is a process of `wynot`
//! with `--json --events`, contained and limited, and resumed by replay if the server dies. [`http`] is the interface for
//! programs, [`pages`] the one for people. Not here: searches, which are those of the command line.
//!
//! This crate and the one for remote execution are the only ones with asynchronous code. Requests are served on a runtime;
//! each running job has a thread of its own, because a process that must not survive the server is tied to a thread.

pub mod http;
pub mod jobs;
pub mod pages;
pub mod server;
pub mod server_config;
pub mod store;

pub use server::{ServeError, Started, open_store, serve};
pub use server_config::{JobLimits, ServerConfig, ServerLog};
