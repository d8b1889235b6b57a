//! Runs tests on this machine.
//!
//! Each slot has a supervisor process and private directories. wynot itself writes the variant into a private
//! directory and asks the supervisor to run the test, so it needs no threads. Where tests are so short that waiting for
//! the next request would count, a slot takes a second test while one runs.
//!
//! Here: the slots, and this process's view of their directories. Not here: the supervisor process (`supervisor`).

mod local_executor;
mod local_options;
mod scratch;
mod slot;
mod test_dir;

pub use local_executor::Local;
pub use local_options::LocalOptions;
