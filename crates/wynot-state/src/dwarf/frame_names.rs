//! The names of the functions on a stack, for programs about which nothing else is known.

use super::frame::FrameRegisters;
use super::libraries::Libraries;
use super::stack::name_functions;
use std::cell::RefCell;
use wynot_process::{MemoryMap, ProcessMemory, Registers};

/// The number of frames that are named.
const MAX_NAMED_FRAMES: usize = 1000;

thread_local! {
    /// Keeps what it has read about files, since the programs that run here are mostly the same.
    static LIBRARIES: RefCell<Libraries> = RefCell::default();
}

/// The functions on the stack of a stopped thread, by their symbols, innermost first, and whether these are all
/// of them up to `main`. `?` stands for code without a symbol.
pub fn name_frames(
    map: &MemoryMap,
    registers: &Registers,
    memory: &ProcessMemory,
) -> (Vec<String>, bool) {
    LIBRARIES.with(|libraries| {
        let mut libraries = libraries.borrow_mut();
        let files = libraries.loaded(map);
        let machine = registers.machine();
        let registers = FrameRegisters::from(registers);
        name_functions(&files, machine, &registers, memory, MAX_NAMED_FRAMES)
    })
}
