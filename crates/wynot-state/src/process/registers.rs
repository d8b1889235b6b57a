//! The registers of a stopped thread.

use libc::user_regs_struct;

/// The general registers of a stopped thread.
#[derive(Clone, Copy, Debug)]
pub struct Registers(pub user_regs_struct);

impl Registers {
    /// How many registers have numbers in debug information, and are to be had here.
    pub const NUMBERED: usize = 17;

    /// Where the next instruction is.
    pub fn ip(&self) -> u64 {
        self.0.rip
    }

    /// Where the stack ends.
    pub fn sp(&self) -> u64 {
        self.0.rsp
    }

    /// In the order in which debug information numbers them: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to
    /// r15 and rip.
    pub fn numbered(&self) -> [u64; Self::NUMBERED] {
        let mut copy = *self;
        std::array::from_fn(|number| copy.at(number).map_or(0, |register| *register))
    }

    /// The register that debug information gives this number.
    pub fn at(&mut self, number: usize) -> Option<&mut u64> {
        let all = &mut self.0;
        Some(match number {
            0 => &mut all.rax,
            1 => &mut all.rdx,
            2 => &mut all.rcx,
            3 => &mut all.rbx,
            4 => &mut all.rsi,
            5 => &mut all.rdi,
            6 => &mut all.rbp,
            7 => &mut all.rsp,
            8 => &mut all.r8,
            9 => &mut all.r9,
            10 => &mut all.r10,
            11 => &mut all.r11,
            12 => &mut all.r12,
            13 => &mut all.r13,
            14 => &mut all.r14,
            15 => &mut all.r15,
            16 => &mut all.rip,
            _ => return None,
        })
    }

    /// Forgets that a system call was being made: the system would make it again otherwise.
    pub(super) fn leave_system_call(&mut self) {
        self.0.orig_rax = u64::MAX;
    }
}
