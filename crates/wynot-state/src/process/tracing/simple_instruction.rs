//! Simple instructions that are executed here, in place of the process.
//!
//! A process that continues from a breakpoint has to execute the instruction that the breakpoint hides. That
//! costs an additional stop, unless the instruction is so simple that its effect can be computed here. The
//! instructions with which functions begin are.

use wynot_process::{Machine, Registers};

/// The length of the longest simple instruction.
pub(crate) const MAX_INSTRUCTION_BYTES: usize = 7;

/// An instruction whose effect can be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SimpleInstruction {
    length: u8,
    effect: Effect,
}

/// The effect of an instruction, apart from advancing the instruction pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// No effect: `nop`, `endbr64`.
    None,
    /// Pushes a register, by its number in machine code.
    Push(u8),
    /// Sets the frame pointer: `mov %rsp,%rbp`.
    SetFramePointer,
    /// Lowers the stack pointer: `sub $8,%rsp`.
    LowerStackPointer(i32),
}

/// A word that the instruction writes to the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StackWrite {
    pub(crate) address: u64,
    pub(crate) value: u64,
}

impl SimpleInstruction {
    /// The instruction at the beginning of the code, if it is simple.
    pub(crate) fn decode(machine: Machine, code: &[u8]) -> Option<Self> {
        let (length, effect) = match machine {
            Machine::X86_64 => decode_64_bit(code),
            Machine::I386 => decode_32_bit(code),
        }?;
        Some(Self { length, effect })
    }

    /// Executes the instruction on the registers. Returns what it writes to memory.
    pub(crate) fn execute(self, registers: &mut Registers) -> Option<StackWrite> {
        registers.0.rip += u64::from(self.length);
        match self.effect {
            Effect::None => None,
            Effect::Push(register) => {
                let value = registers.by_encoding(register);
                let word = registers.machine().word_size();
                registers.0.rsp = registers.0.rsp.wrapping_sub(word);
                Some(StackWrite { address: registers.0.rsp, value })
            }
            Effect::SetFramePointer => {
                registers.0.rbp = registers.0.rsp;
                None
            }
            Effect::LowerStackPointer(size) => {
                let (from, by) = (registers.0.rsp, i64::from(size) as u64);
                let bits = registers.machine().word_size() * 8;
                registers.0.rsp = from.wrapping_sub(by) & (u64::MAX >> (64 - bits));
                let flags = subtraction_flags(from, by, bits);
                registers.0.eflags = registers.0.eflags & !ARITHMETIC_FLAGS | flags;
                None
            }
        }
    }
}

/// The length and effect of an instruction for x86-64.
fn decode_64_bit(code: &[u8]) -> Option<(u8, Effect)> {
    Some(match code {
        [0xf3, 0x0f, 0x1e, 0xfa, ..] => (4, Effect::None),
        [0x90, ..] => (1, Effect::None),
        [byte @ 0x50..=0x57, ..] => (1, Effect::Push(byte - 0x50)),
        [0x41, byte @ 0x50..=0x57, ..] => (2, Effect::Push(byte - 0x50 + 8)),
        [0x48, 0x89, 0xe5, ..] | [0x48, 0x8b, 0xec, ..] => (3, Effect::SetFramePointer),
        [0x48, 0x83, 0xec, size, ..] => (4, Effect::LowerStackPointer(i32::from(*size as i8))),
        [0x48, 0x81, 0xec, a, b, c, d, ..] => {
            (7, Effect::LowerStackPointer(i32::from_le_bytes([*a, *b, *c, *d])))
        }
        _ => return None,
    })
}

/// The length and effect of an instruction for 32-bit x86.
fn decode_32_bit(code: &[u8]) -> Option<(u8, Effect)> {
    Some(match code {
        [0xf3, 0x0f, 0x1e, 0xfb, ..] => (4, Effect::None),
        [0x90, ..] => (1, Effect::None),
        [byte @ 0x50..=0x57, ..] => (1, Effect::Push(byte - 0x50)),
        [0x89, 0xe5, ..] | [0x8b, 0xec, ..] => (2, Effect::SetFramePointer),
        [0x83, 0xec, size, ..] => (3, Effect::LowerStackPointer(i32::from(*size as i8))),
        [0x81, 0xec, a, b, c, d, ..] => {
            (6, Effect::LowerStackPointer(i32::from_le_bytes([*a, *b, *c, *d])))
        }
        _ => return None,
    })
}

/// All flags that arithmetic instructions set.
const ARITHMETIC_FLAGS: u64 = 0x8d5;

/// The flags that a subtraction of numbers with this many bits sets.
fn subtraction_flags(from: u64, by: u64, bits: u64) -> u64 {
    let mask = u64::MAX >> (64 - bits);
    let (from, by) = (from & mask, by & mask);
    let result = from.wrapping_sub(by) & mask;
    let carry = u64::from(from < by);
    let parity = u64::from((result as u8).count_ones().is_multiple_of(2));
    let half_carry = ((from ^ by ^ result) >> 4) & 1;
    let zero = u64::from(result == 0);
    let sign = result >> (bits - 1);
    let overflow = ((from ^ by) & (from ^ result)) >> (bits - 1);
    carry | (parity << 2) | (half_carry << 4) | (zero << 6) | (sign << 7) | (overflow << 11)
}
