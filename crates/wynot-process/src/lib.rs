//! Looking into other processes, and at the files that they execute.
//!
//! This crate holds what a debugger needs from the operating system, and nothing that a debugger does with
//! it: both the crash backtraces (`wynot-crash`) and the controlled runs (`wynot-state`) are built on it.
//!
//! - [`ptrace`] traces threads: the raw calls, and what `wait` reports about a traced thread;
//! - [`maps`] and [`memory`] read `/proc/PID/maps` and `/proc/PID/mem`; [`auxv`] reads `/proc/PID/auxv`;
//! - [`process_stat`] reads what processes do and how much time they use;
//! - [`registers`] and [`machine`] describe the processor;
//! - [`elf`], [`symbols`] and [`mapped_file`] read programs and libraries without loading them;
//! - [`demangle`] and [`signal`] give functions and signals the names that programmers use.
//!
//! Unsafe code is confined to `ptrace.rs` and `mapped_file.rs`, types of the `object` crate to `elf.rs`, and
//! types of the demanglers to `demangle.rs`.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

pub mod auxv;
pub mod death_signal;
pub mod demangle;
pub mod elf;
pub mod machine;
pub mod mapped_file;
pub mod maps;
pub mod memory;
pub mod process_stat;
pub mod ptrace;
#[cfg(target_arch = "x86_64")]
pub mod registers;
pub mod signal;
pub mod symbols;
mod touched_pages;

pub use elf::{ElfError, ElfFile, ElfKind};
pub use machine::{Machine, OtherMachine};
pub use maps::{MemoryMap, MemoryRegion};
pub use memory::{ProcessMemory, ReadMemory};
#[cfg(target_arch = "x86_64")]
pub use registers::Registers;
pub use touched_pages::touched_parts;
