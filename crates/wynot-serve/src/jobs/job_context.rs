//! What all jobs of a server have in common.

use super::control_groups::ControlGroups;
use crate::server_config::{ServerConfig, ServerLog};
use crate::store::{DataDirectory, Store};
use std::sync::atomic::AtomicBool;

/// What all jobs of a server have in common.
pub struct JobContext {
    /// The settings of the server.
    pub config: ServerConfig,
    /// The data directory.
    pub data: DataDirectory,
    /// The database.
    pub store: Store,
    /// The control groups.
    pub groups: ControlGroups,
    /// Where the server reports what happens.
    pub log: ServerLog,
    /// Whether the server is about to stop.
    pub is_stopping: AtomicBool,
}
