//! Executing simple instructions in place of the process.
//!
//! A process that goes on from a breakpoint has to execute the instruction that the breakpoint hides. That
//! takes a stop of its own, unless the instruction is so simple that it can be done from here; and those
//! that functions begin with are.

use super::Registers;

/// What an instruction does besides going on behind itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Push {
    /// Where on the stack.
    pub address: u64,
    /// What is written.
    pub value: u64,
}

/// Executes the instruction in the beginning of the bytes, if it is one that is known: registers are
/// changed, and what is to be written to memory is returned. `None` if the process has to do it.
pub(super) fn execute(code: &[u8], registers: &mut Registers) -> Option<Option<Push>> {
    let (length, pushed) = match code {
        // endbr64
        [0xf3, 0x0f, 0x1e, 0xfa, ..] => (4, None),
        // nop
        [0x90, ..] => (1, None),
        // push of a register, the upper half of them with a prefix
        [byte @ 0x50..=0x57, ..] => (1, Some(byte - 0x50)),
        [0x41, byte @ 0x50..=0x57, ..] => (2, Some(byte - 0x50 + 8)),
        // mov %rsp,%rbp in its two forms
        [0x48, 0x89, 0xe5, ..] | [0x48, 0x8b, 0xec, ..] => {
            registers.0.rbp = registers.0.rsp;
            (3, None)
        }
        _ => return None,
    };
    let push = pushed.map(|register| {
        let value = by_code(registers, register);
        registers.0.rsp = registers.0.rsp.wrapping_sub(8);
        Push { address: registers.0.rsp, value }
    });
    registers.0.rip += length;
    Some(push)
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
