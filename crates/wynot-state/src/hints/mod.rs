//! Hints: facts about a program's types that compilers do not write down, from a file that the user provides.
//!
//! - [`hint_file`] reads the file: which member of a union is in use, and how many values a pointer leads to.
//! - [`type_rules`] is what the hints mean for the types of one program.
//!
//! Nothing here knows graphs; the layout of values asks for the rules.

pub mod hint_file;
pub mod type_rules;
