//! The small process that starts and watches the tests of one slot, and what it does there.
//!
//! Here: the process tree of a test, its private directory, its output, the build before it, the sandbox around it and the
//! crashes in it. Not here: which variants are tested (the session), and the other end of the socket (`local`).

mod build;
mod build_products;
mod capture;
mod crash_tracer;
mod launch;
mod process_tree;
mod project_copy;
pub(crate) mod protocol;
mod sandbox;
mod supervise;

pub(crate) use supervise::{COPY, SANDBOX};
pub use supervise::{own_cpu, supervise};
