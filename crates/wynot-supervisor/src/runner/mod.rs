//! The runner: a program that runs one test on a worker of a remote execution service.
//!
//! The working directory of the runner is the input root of an action. It holds a [request](worker_request), the variant,
//! and the files that the test needs. The runner copies them to private directories, starts a supervisor as an executor on
//! this machine would, and writes a [record](worker_record) of what the supervisor replies. The test then shows on a worker what
//! it shows here. Talking to the service does not belong here, nor does the meaning of an observation.

mod staging;
pub mod worker_facts;
pub mod worker_record;
pub mod worker_request;
mod worker_run;

pub use worker_run::run_on_worker;
