//! The general registers of a stopped thread on x86-64, by the roles that they play.

use crate::machine::Machine;
use libc::user_regs_struct;

/// The general registers of a stopped thread. Those of a 32-bit program are the lower halves of the registers
/// with the longer names.
#[derive(Clone, Copy, Debug)]
pub struct Registers(pub user_regs_struct);

/// The code segment selector of 32-bit programs.
const CODE_SEGMENT_32_BIT: u64 = 0x23;

/// A result of a system call is an error number if it lies between this one and 0, both excluded.
const ERROR_RESULTS_ABOVE: i32 = -4096;

impl Registers {
    /// How many registers have a DWARF number and are known here.
    pub const NUMBERED: usize = 17;

    /// The processor that the program is compiled for.
    pub fn machine(&self) -> Machine {
        if self.0.cs == CODE_SEGMENT_32_BIT { Machine::I386 } else { Machine::X86_64 }
    }

    /// The instruction pointer: the address of the next instruction.
    pub fn ip(&self) -> u64 {
        self.0.rip
    }

    /// The stack pointer.
    pub fn sp(&self) -> u64 {
        self.0.rsp
    }

    /// The values by DWARF number, as [`Machine::register_names`] orders them. Registers that the machine does
    /// not have are 0.
    pub fn by_dwarf_number(&self) -> [u64; Self::NUMBERED] {
        let mut copy = *self;
        std::array::from_fn(|number| copy.at_dwarf_number(number).map_or(0, |register| *register))
    }

    /// The register with a DWARF number.
    pub fn at_dwarf_number(&mut self, number: usize) -> Option<&mut u64> {
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

    /// The value of the register with a number in machine code, which is not its DWARF number.
    pub fn by_encoding(&self, number: u8) -> u64 {
        let all = &self.0;
        let lower = [all.rax, all.rcx, all.rdx, all.rbx, all.rsp, all.rbp, all.rsi, all.rdi];
        let upper = [all.r8, all.r9, all.r10, all.r11, all.r12, all.r13, all.r14, all.r15];
        match number {
            0..8 => lower[usize::from(number)],
            _ => upper[usize::from(number & 7)],
        }
    }
}

/// System calls and function calls.
impl Registers {
    /// The number of the system call that is being made.
    pub fn syscall_number(&self) -> u64 {
        self.0.orig_rax
    }

    /// The arguments of a system call.
    pub fn syscall_arguments(&self) -> [u64; 6] {
        let mut copy = *self;
        copy.syscall_argument_registers().map(|register| *register)
    }

    /// Sets one of the arguments of a system call, counted from 0.
    pub fn set_syscall_argument(&mut self, index: usize, value: u64) {
        *self.syscall_argument_registers()[index] = value;
    }

    fn syscall_argument_registers(&mut self) -> [&mut u64; 6] {
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

    /// The result of a system call; error numbers are negative.
    pub fn syscall_result(&self) -> i64 {
        let lower = self.0.rax as i32;
        match self.machine() {
            Machine::X86_64 => self.0.rax as i64,
            Machine::I386 if lower > ERROR_RESULTS_ABOVE && lower < 0 => lower.into(),
            Machine::I386 => (self.0.rax as u32).into(),
        }
    }

    /// Makes the system forget the system call that is being made; otherwise it may restart the call.
    pub fn cancel_syscall(&mut self) {
        self.0.orig_rax = u64::MAX;
    }

    /// The result of a function that has just returned.
    pub fn function_result(&self) -> u64 {
        match self.machine() {
            Machine::X86_64 => self.0.rax,
            Machine::I386 => u64::from(self.0.rax as u32),
        }
    }
}
