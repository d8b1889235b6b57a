//! Debug information of freshly compiled programs.

mod built;
mod dump;
mod hostile;
mod reading;
mod stopped;

/// Lists, bits, recursion and callbacks, in C.
const LISTS: &str = include_str!("lists.c");
/// Classes with bases, statics and templates, in C++.
const CLASSES: &str = include_str!("classes.cc");
/// Enums with members, modules and generics, in Rust.
const SHAPES: &str = include_str!("shapes.rs");
