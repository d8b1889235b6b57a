//! The frames of a stopped program.

use super::function::FunctionId;

/// The memory of a stopped program.
pub trait Memory {
    /// Reads as many bytes as there is room for. If it cannot read all of them, it says no.
    fn read(&self, address: u64, into: &mut [u8]) -> bool;
}

/// How many registers are known at most: those for numbers and addresses, and that of the instruction.
pub const REGISTERS: usize = 17;

/// Values of registers, by their numbers in debug information, as
/// [`Machine::registers`](crate::Machine::registers) names them. Some may not be known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Registers(pub [Option<u64>; REGISTERS]);

impl Registers {
    /// The value of a register.
    pub fn get(&self, number: u16) -> Option<u64> {
        self.0.get(usize::from(number)).copied().flatten()
    }

    /// Sets the value of a register; of those that are not known it does nothing.
    pub fn set(&mut self, number: u16, value: Option<u64>) {
        if let Some(register) = self.0.get_mut(usize::from(number)) {
            *register = value;
        }
    }
}

/// A function that is being executed: the innermost one, or one that has called another one.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The instruction that is executed next, or that is returned to.
    pub address: u64,
    /// Whether the instruction before that address is the one that counts, because it is a call. It may be
    /// the last one of its function.
    pub called: bool,
    /// Where the stack ended before the function was called.
    pub cfa: u64,
    /// The registers as they are, or will be after the return.
    pub registers: Registers,
    /// Where in memory the values of registers are until they are restored. Those that are nowhere are
    /// still in the registers.
    pub saved: [Option<u64>; REGISTERS],
    /// The function of the program; of frames in libraries there is none.
    pub function: Option<FunctionId>,
    /// How far from where the file says the code lies.
    pub bias: u64,
}

impl Frame {
    /// The address in the file by which to look up what belongs to the frame.
    pub fn file_address(&self) -> u64 {
        self.address.wrapping_sub(u64::from(self.called)).wrapping_sub(self.bias)
    }
}
