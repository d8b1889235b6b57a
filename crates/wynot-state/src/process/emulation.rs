//! Executing simple instructions in place of the process.
//!
//! A process that goes on from a breakpoint has to execute the instruction that the breakpoint hides. That
//! takes a stop of its own, unless the instruction is so simple that it can be done from here; and those
//! that functions begin with are.

use super::Registers;
use crate::Machine;

/// The most bytes of an instruction that are looked at.
pub(super) const LONGEST: usize = 7;

/// An instruction that can be executed from here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Simple {
    length: u8,
    effect: Effect,
}

/// What an instruction does besides going on behind itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// Nothing, as `nop` and `endbr64`.
    None,
    /// Puts a register on the stack, by the number that instructions give it.
    Push(u8),
    /// Begins a frame: `mov %rsp,%rbp`.
    Frame,
    /// Makes room on the stack: `sub $8,%rsp`.
    Room(i32),
}

/// What is to be written to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Push {
    /// Where on the stack.
    pub address: u64,
    /// What is written.
    pub value: u64,
}

impl Simple {
    /// The instruction in the beginning of the bytes, if it is simple.
    pub(super) fn read(machine: Machine, code: &[u8]) -> Option<Self> {
        let (length, effect) = match machine {
            Machine::X86_64 => long(code),
            Machine::I386 => short(code),
        }?;
        Some(Self { length, effect })
    }

    /// Executes it: changes registers, and returns what is to be written to memory.
    pub(super) fn execute(self, registers: &mut Registers) -> Option<Push> {
        registers.0.rip += u64::from(self.length);
        match self.effect {
            Effect::None => None,
            Effect::Push(register) => {
                let value = by_code(registers, register);
                registers.0.rsp = registers.0.rsp.wrapping_sub(registers.machine().word());
                Some(Push { address: registers.0.rsp, value })
            }
            Effect::Frame => {
                registers.0.rbp = registers.0.rsp;
                None
            }
            Effect::Room(size) => {
                let (from, by) = (registers.0.rsp, i64::from(size) as u64);
                let bits = registers.machine().word() * 8;
                registers.0.rsp = from.wrapping_sub(by) & (u64::MAX >> (64 - bits));
                registers.0.eflags = registers.0.eflags & !ARITHMETIC | flags(from, by, bits);
                None
            }
        }
    }
}

/// An instruction for x86-64: how long it is, and what it does.
fn long(code: &[u8]) -> Option<(u8, Effect)> {
    Some(match code {
        [0xf3, 0x0f, 0x1e, 0xfa, ..] => (4, Effect::None),
        [0x90, ..] => (1, Effect::None),
        [byte @ 0x50..=0x57, ..] => (1, Effect::Push(byte - 0x50)),
        [0x41, byte @ 0x50..=0x57, ..] => (2, Effect::Push(byte - 0x50 + 8)),
        [0x48, 0x89, 0xe5, ..] | [0x48, 0x8b, 0xec, ..] => (3, Effect::Frame),
        [0x48, 0x83, 0xec, size, ..] => (4, Effect::Room(i32::from(*size as i8))),
        [0x48, 0x81, 0xec, a, b, c, d, ..] => {
            (7, Effect::Room(i32::from_le_bytes([*a, *b, *c, *d])))
        }
        _ => return None,
    })
}

/// The same for x86 of 32 bits.
fn short(code: &[u8]) -> Option<(u8, Effect)> {
    Some(match code {
        [0xf3, 0x0f, 0x1e, 0xfb, ..] => (4, Effect::None),
        [0x90, ..] => (1, Effect::None),
        [byte @ 0x50..=0x57, ..] => (1, Effect::Push(byte - 0x50)),
        [0x89, 0xe5, ..] | [0x8b, 0xec, ..] => (2, Effect::Frame),
        [0x83, 0xec, size, ..] => (3, Effect::Room(i32::from(*size as i8))),
        [0x81, 0xec, a, b, c, d, ..] => (6, Effect::Room(i32::from_le_bytes([*a, *b, *c, *d]))),
        _ => return None,
    })
}

/// The register that instructions give this number, which is not the one of debug information.
fn by_code(registers: &Registers, code: u8) -> u64 {
    let all = &registers.0;
    let lower = [all.rax, all.rcx, all.rdx, all.rbx, all.rsp, all.rbp, all.rsi, all.rdi];
    let upper = [all.r8, all.r9, all.r10, all.r11, all.r12, all.r13, all.r14, all.r15];
    match code {
        0..8 => lower[usize::from(code)],
        _ => upper[usize::from(code & 7)],
    }
}

/// All flags that calculations set.
const ARITHMETIC: u64 = 0x8d5;

/// The flags that a subtraction of so many bits sets.
fn flags(from: u64, by: u64, bits: u64) -> u64 {
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
