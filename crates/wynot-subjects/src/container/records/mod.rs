//! Data: databases, captured packets, and messages of records.

pub(super) mod der;
pub(super) mod pcapng;
pub(super) mod protobuf;
pub(super) mod sqlite_cells;
pub(super) mod sqlite_file;
pub(super) mod sqlite_pages;
pub(super) mod sqlite_shrinking;
