//! States and their differences in words, as a programmer would write them.
//!
//! - [`object_name`] makes expressions such as `list->next->value`, with the help of [`member_path`],
//!   [`value_part`] and [`union_member`]; [`value_text`] shows what objects and their parts contain,
//!   [`scalar_text`] numbers and texts.
//! - [`described_delta`] is a delta in words, [`state_dump`] a whole state or a difference between two.
//! - [`equal_values`] are those that do not differ where the failure is near.
//! - [`gdb_commands`] makes the same experiment in GDB, so that anyone can check it.
//!
//! Nothing here decides anything, and nothing needs a process.

pub mod described_delta;
pub mod equal_values;
pub mod gdb_commands;
pub(crate) mod inner_text;
pub mod member_path;
pub mod object_name;
mod scalar_text;
pub mod state_dump;
mod table_entry;
pub mod union_member;
pub mod value_part;
pub mod value_text;
