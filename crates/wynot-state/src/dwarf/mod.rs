//! Debug information: what a program is made of.
//!
//! A [`Program`] is read from its file once. It knows types, functions, variables and lines, all with the
//! addresses of the file; a process adds its own [bias](Program::bias) to them. With the registers and the
//! memory of a stopped process, [`unwind`] finds the [`Frame`]s of its stack, and [`Variable::location`] finds
//! a variable. Nothing here runs a program.
//!
//! - `program`, `types`, `function`, `lines`: what is known about a program after reading;
//! - `frame`, `call_frames`, `stack`, `libraries`, `frame_names`: unwinding stacks;
//! - `location`, `expression`: finding variables;
//! - `library_containers`: the table of container types whose debug information hides what they hold;
//! - `debug_sections` and `read`: reading the DWARF sections, for which all other files are too high-level. A new kind
//!   of type begins in `types.rs`, `read/type_entries.rs` and `read/types/`.

mod call_frames;
mod debug_sections;
mod error;
mod expression;
mod frame;
mod frame_names;
mod function;
mod libraries;
mod library_containers;
mod lines;
mod location;
mod program;
mod read;
mod stack;
mod types;

pub use call_frames::{CallFrames, LoadedFile};
pub use error::ProgramError;
pub use frame::{Frame, FrameRegisters, MAX_REGISTERS};
pub use frame_names::name_frames;
pub use function::{Function, FunctionId, Ranges, Variable};
pub use libraries::Libraries;
pub(crate) use library_containers::is_container_node;
pub use lines::SourcePlace;
pub use location::{LocationPiece, VariableLocation};
pub use program::{Program, without_type_arguments};
pub use stack::{Stack, StackEnd, unwind};
pub use types::{Bits, EnumVariant, Kind, Member, Type, TypeId, Types};
