//! Programs: object files, executables, libraries, and the classes of Java.

pub(super) mod class_code;
pub(super) mod class_file;
pub(super) mod class_shapes;
pub(super) mod class_tags;
pub(super) mod elf_file;
pub(super) mod elf_tables;
pub(super) mod pe_file;
pub(super) mod wasm;
