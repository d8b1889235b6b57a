//! What the tests of wynot need from the machine, and how they are skipped without it.
//!
//! A test that needs a program besides Rust, gcc, git and the basic commands of a Unix system says so first:
//!
//! ```ignore
//! #[test]
//! fn frames_are_those_of_gdb() {
//!     require!(Tool::Gdb);
//!     // ...
//! }
//! ```
//!
//! Without gdb the test ends there and passes. One line on standard error names the test and the package to
//! install, and the last test target of the workspace (`xtask/tests/skipped.rs`) prints how many tests were
//! skipped in the whole run. With `WYNOT_REQUIRE_ALL_TOOLS=1`, as `cargo xtask test` sets it, the test fails.
//!
//! [`HostileText`] makes texts that no grammar understands; [`records_reads`] says whether reads leave a trace.

mod hostile_text;
mod read_recording;
mod skip;
mod tool;

pub use hostile_text::HostileText;
pub use read_recording::records_reads;
pub use skip::{REQUIRE_ALL_TOOLS, are_available, skipped_in_this_run};
pub use tool::{Tool, buildbox, buildbox_directory, mcp_client_directory};

/// Returns from the test unless all of these tools are available.
#[macro_export]
macro_rules! require {
    ($($tool:expr),+ $(,)?) => {
        if !$crate::has!($($tool),+) {
            return;
        }
    };
}

/// Whether all of these tools are available; if not, this part of the test is reported as skipped.
#[macro_export]
macro_rules! has {
    ($($tool:expr),+ $(,)?) => {{
        fn here() {}
        let test = ::std::any::type_name_of_val(&here).trim_end_matches("::here");
        $crate::are_available(&[$($tool),+], ::core::env!("CARGO_PKG_NAME"), test)
    }};
}
