//! The executor on this machine, as seen from the main process.
//!
//! Each slot has a supervisor process and private directories. The executor writes the variant into a private directory
//! and sends the supervisor a request to run the test, so it needs no threads. If tests are very short, a slot accepts
//! a second test while one runs.
//!
//! The slots and their directories belong here; the code of the supervisor process does not (see `supervisor`).

mod local_executor;
mod local_options;
mod sandbox_files;
mod slot;
mod test_dir;

pub use local_executor::Local;
pub use local_options::LocalOptions;
pub use sandbox_files::{directories_of_programs, hidden_directories};
pub use slot::test_dir_setup;
