//! The frames of a stopped program.

use super::function::FunctionId;
use wynot_process::Registers;

/// The largest number of registers that are followed from frame to frame: the general ones and the instruction
/// pointer.
pub const MAX_REGISTERS: usize = Registers::NUMBERED;

/// The values of registers in a frame, by their DWARF numbers, as
/// [`Machine::register_names`](wynot_process::Machine::register_names) orders them. `None` stands for an unknown
/// value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameRegisters(pub [Option<u64>; MAX_REGISTERS]);

impl FrameRegisters {
    /// The value of a register.
    pub fn get(&self, number: u16) -> Option<u64> {
        self.0.get(usize::from(number)).copied().flatten()
    }

    /// Sets the value of a register. Does nothing for a register that is not followed.
    pub fn set(&mut self, number: u16, value: Option<u64>) {
        if let Some(register) = self.0.get_mut(usize::from(number)) {
            *register = value;
        }
    }
}

impl From<&Registers> for FrameRegisters {
    /// The registers of the innermost frame: all that the machine has.
    fn from(registers: &Registers) -> Self {
        let count = registers.machine().register_names().len();
        let values = registers.by_dwarf_number();
        Self(std::array::from_fn(|number| Some(values[number]).filter(|_| number < count)))
    }
}

/// A function that is being executed: the innermost one, or one that waits for a call to return.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The address of the instruction to be executed next, or to be returned to.
    pub address: u64,
    /// Whether the frame waits for a call to return. Then the instruction before `address` is the one that
    /// counts, and may be the last one of its function.
    pub is_caller: bool,
    /// The canonical frame address: the stack pointer before the function was called.
    pub cfa: u64,
    /// The registers as they are, or as they will be after the return.
    pub registers: FrameRegisters,
    /// The addresses at which values of registers are saved until they are restored. A register without an
    /// address still holds its value.
    pub saved: [Option<u64>; MAX_REGISTERS],
    /// The function of the program; `None` for frames in libraries.
    pub function: Option<FunctionId>,
    /// The distance between the addresses of the process and those of the file.
    pub bias: u64,
}

impl Frame {
    /// The address in the file by which lines and variables of the frame are found.
    pub fn file_address(&self) -> u64 {
        self.address.wrapping_sub(u64::from(self.is_caller)).wrapping_sub(self.bias)
    }
}
