//! The supervisor: a small process that runs the tests of one slot.
//!
//! Everything that happens in the supervisor process, and in the guard that starts it, belongs here: the process tree of a
//! test, its private directory, its output, its time, the build before it, the sandbox and the detection of crashes, and
//! the protocol between supervisor and executor. The executor's end of the socket does not belong here (see `wynot-exec`), nor does the choice of variants,
//! which is the task of the session.

mod build;
mod build_products;
mod capture;
mod contained_process;
mod crash_tracer;
mod descendants;
mod guard;
mod launch;
mod process_namespace;
mod process_tree;
mod project_copy;
pub mod protocol;
mod reaped_child;
mod sandbox;
pub mod setup;
mod supervise;
mod temporary_directory;
mod test_time;

pub use contained_process::{CONTAIN, Contained, ContainedSandbox, run_contained};
pub use guard::supervise;
pub use supervise::COPY;
pub use supervise::own_cpu;
pub use test_time::Overrun;
