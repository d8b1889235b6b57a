//! The registers of a stopped thread.

use crate::{Machine, program};
use libc::user_regs_struct;

/// The general registers of a stopped thread. Those of a program of 32 bits are the lower halves of those
/// with the longer names.
#[derive(Clone, Copy, Debug)]
pub struct Registers(pub user_regs_struct);

/// What the segment of code is called for programs of 32 bits.
const SHORT_CODE: u64 = 0x23;

impl Registers {
    /// How many registers have numbers in debug information, and are to be had here.
    pub const NUMBERED: usize = 17;

    /// What the program is made for.
    pub fn machine(&self) -> Machine {
        if self.0.cs == SHORT_CODE { Machine::I386 } else { Machine::X86_64 }
    }

    /// Where the next instruction is.
    pub fn ip(&self) -> u64 {
        self.0.rip
    }

    /// Where the stack ends.
    pub fn sp(&self) -> u64 {
        self.0.rsp
    }

    /// In the order in which debug information numbers them: [`Machine::registers`]. Those that the machine
    /// does not have are 0.
    pub fn numbered(&self) -> [u64; Self::NUMBERED] {
        let mut copy = *self;
        std::array::from_fn(|number| copy.at(number).map_or(0, |register| *register))
    }

    /// Those that the machine has, as they are needed to find frames and variables.
    pub fn known(&self) -> program::Registers {
        let (count, numbered) = (self.machine().registers().len(), self.numbered());
        let known = |number| Some(numbered[number]).filter(|_| number < count);
        program::Registers(std::array::from_fn(known))
    }

    /// The register that debug information gives this number.
    pub fn at(&mut self, number: usize) -> Option<&mut u64> {
        let machine = self.machine();
        let all = &mut self.0;
        let order = match machine {
            Machine::X86_64 => [
                &mut all.rax,
                &mut all.rdx,
                &mut all.rcx,
                &mut all.rbx,
                &mut all.rsi,
                &mut all.rdi,
                &mut all.rbp,
                &mut all.rsp,
            ],
            Machine::I386 => [
                &mut all.rax,
                &mut all.rcx,
                &mut all.rdx,
                &mut all.rbx,
                &mut all.rsp,
                &mut all.rbp,
                &mut all.rsi,
                &mut all.rdi,
            ],
        };
        match (machine, number) {
            (_, 0..8) => order.into_iter().nth(number),
            (Machine::I386, 8) | (Machine::X86_64, 16) => Some(&mut all.rip),
            (Machine::I386, _) => None,
            (Machine::X86_64, 8) => Some(&mut all.r8),
            (Machine::X86_64, 9) => Some(&mut all.r9),
            (Machine::X86_64, 10) => Some(&mut all.r10),
            (Machine::X86_64, 11) => Some(&mut all.r11),
            (Machine::X86_64, 12) => Some(&mut all.r12),
            (Machine::X86_64, 13) => Some(&mut all.r13),
            (Machine::X86_64, 14) => Some(&mut all.r14),
            (Machine::X86_64, 15) => Some(&mut all.r15),
            _ => None,
        }
    }

    /// The number of the system call that is being made.
    pub(super) fn system_call(&self) -> u64 {
        self.0.orig_rax
    }

    /// The arguments of a system call.
    pub(super) fn system_arguments(&self) -> [u64; 6] {
        let mut copy = *self;
        copy.system_places().map(|place| *place)
    }

    /// Sets one of the arguments of a system call.
    pub(super) fn set_system_argument(&mut self, number: usize, value: u64) {
        *self.system_places()[number] = value;
    }

    /// Where the arguments of a system call are.
    fn system_places(&mut self) -> [&mut u64; 6] {
        let machine = self.machine();
        let all = &mut self.0;
        match machine {
            Machine::X86_64 => {
                [&mut all.rdi, &mut all.rsi, &mut all.rdx, &mut all.r10, &mut all.r8, &mut all.r9]
            }
            Machine::I386 => {
                [&mut all.rbx, &mut all.rcx, &mut all.rdx, &mut all.rsi, &mut all.rdi, &mut all.rbp]
            }
        }
    }

    /// What a system call has returned: error numbers are negative.
    pub(super) fn system_result(&self) -> i64 {
        /// No more numbers than these are errors.
        const ERRORS: i32 = -4096;
        let short = self.0.rax as i32;
        match self.machine() {
            Machine::X86_64 => self.0.rax as i64,
            Machine::I386 if short > ERRORS && short < 0 => short.into(),
            Machine::I386 => (self.0.rax as u32).into(),
        }
    }

    /// What a function has returned.
    pub(super) fn returned(&self) -> u64 {
        match self.machine() {
            Machine::X86_64 => self.0.rax,
            Machine::I386 => u64::from(self.0.rax as u32),
        }
    }

    /// Forgets that a system call was being made: the system would make it again otherwise.
    pub(super) fn leave_system_call(&mut self) {
        self.0.orig_rax = u64::MAX;
    }
}
