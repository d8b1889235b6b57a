//! Naming the functions on a stack, for the programs whose stacks `wynot-crash` cannot unwind.

use wynot_process::{MemoryMap, ProcessMemory, Registers};

/// A function that names the functions on the stack of a stopped 32-bit thread, innermost first, and says
/// whether these are all of them.
///
/// Unwinding needs the tables of debug information, which this module knows nothing about. So the function is
/// handed in when an [`Inferior`](super::Inferior) is started.
pub type FrameNamer = fn(&MemoryMap, &Registers, &ProcessMemory) -> (Vec<String>, bool);
