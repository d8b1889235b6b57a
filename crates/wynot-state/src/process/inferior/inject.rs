//! Injecting system calls and function calls into a stopped program.

use super::Inferior;
use super::stops::ThreadStop;
use super::system_call::SystemCall;
use crate::process::error::ProcessError;
use crate::process::run_end::ExitStatus;
use wynot_process::signal::is_crash;
use wynot_process::{Machine, Registers, ptrace};

/// The instruction that makes a system call: `syscall`, or `int $0x80`.
fn syscall_instruction(machine: Machine) -> [u8; 2] {
    match machine {
        Machine::X86_64 => [0x0f, 0x05],
        Machine::I386 => [0xcd, 0x80],
    }
}

/// The bytes below the stack pointer that belong to the function that runs.
const RED_ZONE_BYTES: u64 = 128;

/// The space for six arguments on the stack, as a multiple of sixteen.
const ARGUMENT_BYTES: u64 = 32;

/// The address to which injected functions return. No program has memory there.
const RETURN_ADDRESS: u64 = 0x10;

/// The direction flag, which makes string instructions go backwards. Functions expect it to be clear.
const DIRECTION_FLAG: u64 = 1 << 10;

impl Inferior {
    /// Makes the program make a system call. Returns its result; error numbers are negative.
    pub fn system_call(
        &mut self,
        call: SystemCall,
        arguments: [u64; 6],
    ) -> Result<i64, ProcessError> {
        let instruction = self.find_syscall_instruction()?;
        let before = self.registers;
        let mut registers = before;
        registers.cancel_syscall();
        (registers.0.rip, registers.0.rax) = (instruction, call.number(self.machine()));
        for (index, argument) in arguments.into_iter().enumerate() {
            registers.set_syscall_argument(index, argument);
        }
        self.set_registers(registers);
        let stop = self.step_alone()?;
        let result = self.registers.syscall_result();
        self.set_registers(before);
        match stop {
            ThreadStop::Signal(libc::SIGTRAP) => Ok(result),
            ThreadStop::Signal(signal) => Err(ProcessError::Call(signal)),
            ThreadStop::Ended(status) => Err(ended(status)),
        }
    }

    /// Calls a function in the program with up to six integers or pointers, and returns its result. Breakpoints
    /// in the function are ignored. Afterwards all registers are as before.
    pub fn call(&mut self, function: u64, arguments: &[u64]) -> Result<u64, ProcessError> {
        let before = self.registers;
        let extended = ptrace::extended_registers(self.thread)?;
        let mut registers = before;
        registers.cancel_syscall();
        let all = &mut registers.0;
        (all.rip, all.rax) = (function, 0);
        all.eflags &= !DIRECTION_FLAG;
        all.rsp = (all.rsp - RED_ZONE_BYTES) & !15;
        self.pass_arguments(&mut registers, arguments)?;
        self.set_registers(registers);
        let stop = self.run_to_crash()?;
        let after = self.registers;
        self.set_registers(before);
        let signal = match stop {
            ThreadStop::Ended(status) => return Err(ended(status)),
            ThreadStop::Signal(signal) => signal,
        };
        ptrace::set_extended_registers(self.thread, &extended)?;
        match (signal, after.ip()) {
            (libc::SIGSEGV, RETURN_ADDRESS) => Ok(after.function_result()),
            _ => Err(ProcessError::Call(signal)),
        }
    }

    /// Puts the arguments where a function expects them, and the return address below a multiple of sixteen on
    /// the stack, as a call instruction does.
    fn pass_arguments(
        &self,
        registers: &mut Registers,
        arguments: &[u64],
    ) -> Result<(), ProcessError> {
        let machine = registers.machine();
        let all = &mut registers.0;
        let mut pushed = machine.word_bytes(RETURN_ADDRESS);
        match machine {
            Machine::X86_64 => {
                let argument_registers = [
                    &mut all.rdi,
                    &mut all.rsi,
                    &mut all.rdx,
                    &mut all.rcx,
                    &mut all.r8,
                    &mut all.r9,
                ];
                for (register, argument) in argument_registers.into_iter().zip(arguments) {
                    *register = *argument;
                }
            }
            Machine::I386 => {
                all.rsp -= ARGUMENT_BYTES;
                pushed.extend(arguments.iter().flat_map(|argument| machine.word_bytes(*argument)));
            }
        }
        all.rsp -= machine.word_size();
        Ok(self.memory.write(all.rsp, &pushed)?)
    }

    /// Runs an injected function until it crashes, which it also does when it returns.
    fn run_to_crash(&mut self) -> Result<ThreadStop, ProcessError> {
        let mut signal = 0;
        loop {
            match self.run_to_signal(signal)? {
                ThreadStop::Signal(next) if !is_crash(next) => signal = next,
                stop => return Ok(stop),
            }
        }
    }

    /// The address of an instruction that makes a system call. The vDSO, which the system puts into all
    /// programs, contains one.
    fn find_syscall_instruction(&mut self) -> Result<u64, ProcessError> {
        if let Some(address) = self.syscall_instruction {
            return Ok(address);
        }
        let wanted = syscall_instruction(self.machine());
        let map = self.memory_map()?;
        let vdso = map.regions().filter(|region| region.path == "[vdso]");
        for region in vdso.chain(map.code_regions()) {
            let mut code = vec![0; (region.range.end - region.range.start) as usize];
            let is_read = self.memory.read(region.range.start, &mut code).is_ok();
            let mut pairs = code.windows(2);
            if is_read && let Some(at) = pairs.position(|pair| pair == wanted) {
                let address = region.range.start + at as u64;
                self.syscall_instruction = Some(address);
                return Ok(address);
            }
        }
        Err(ProcessError::NoSystemCall)
    }
}

fn ended(status: ExitStatus) -> ProcessError {
    match status {
        ExitStatus::TimedOut => ProcessError::TimedOut,
        _ => ProcessError::Ended,
    }
}
