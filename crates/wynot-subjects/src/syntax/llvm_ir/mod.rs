//! LLVM IR as text: functions with blocks and instructions, globals, types, attributes and metadata.
//!
//! [`ir_tokens`] cuts a text into tokens, [`module_reader`] finds the top-level elements, [`function_reader`] the blocks
//! and instructions, and [`operand_reader`] what instructions and headers consist of. [`value_names`] gives names to what
//! is numbered by its position. Every text is accepted, in linear time.
//!
//! Elements of lists are what can go: functions, instructions, modifiers such as `nsw`, attachments such as
//! `, !dbg !5`. Operands are parts of an instruction, which can only be replaced.

mod function_reader;
mod ir_tokens;
mod module_reader;
mod operand_reader;
mod value_names;

pub(crate) use module_reader::parse;
pub(crate) use value_names::names_of_numbered;
