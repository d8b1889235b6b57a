//! Runs the tests of a delta debugger on any service that speaks the Remote Execution API, version 2.
//!
//! [`Remote`] is an executor like that on this machine: the session that submits jobs cannot tell them apart, and ends with
//! the same result. A test becomes an action: its input root holds a small static program, the [runner], with a request, the
//! variant and the files that the test needs; its output is a record of what the runner observed. Actions with the same
//! inputs are the same for every user, so the cache of a service answers tests that anybody has run before.
//!
//! What a run means does not belong here, nor does the runner itself ([`wynot_supervisor::runner`]).
//!
//! [runner]: wynot_supervisor::runner

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

mod actions;
mod blob;
mod connection;
mod execution;
mod merkle_tree;
mod needed_files;
mod remote_error;
mod remote_executor;
mod remote_options;
mod runner_program;
mod service;
mod service_address;
mod shared_results;
mod storage;
mod test_action;

pub use remote_executor::{Remote, RemoteCounts};
pub use remote_options::{Header, NeededFile, RemoteOptions, TlsFiles};
pub use service_address::{BadServiceAddress, ServiceAddress};
pub use shared_results::SharedResults;
