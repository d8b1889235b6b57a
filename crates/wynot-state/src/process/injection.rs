//! Making a program do what it would not do by itself.

use super::control::Halt;
use super::{Inferior, ProcessError, Status};
use wynot_crash::{is_crash, tracee};

/// The instruction that makes a system call.
const SYSTEM_CALL: [u8; 2] = [0x0f, 0x05];

/// What lies below the stack pointer and still belongs to the function that runs.
const RED_ZONE: u64 = 128;

/// Where functions that are called return to: no program has anything there.
const NOWHERE: u64 = 0x10;

/// The flag that makes instructions for strings go backwards. No function expects it.
const BACKWARDS: u64 = 1 << 10;

impl Inferior {
    /// Makes the program call the system. Returns what the system does: an error number is negative.
    pub fn system_call(&mut self, number: i64, arguments: [u64; 6]) -> Result<i64, ProcessError> {
        let gate = self.gate()?;
        let before = self.registers;
        let mut registers = before;
        registers.leave_system_call();
        let all = &mut registers.0;
        (all.rip, all.rax) = (gate, number as u64);
        [all.rdi, all.rsi, all.rdx, all.r10, all.r8, all.r9] = arguments;
        self.set_registers(registers);
        let halt = self.step_alone()?;
        let result = self.registers.0.rax as i64;
        self.set_registers(before);
        match halt {
            Halt::Signal(libc::SIGTRAP) => Ok(result),
            Halt::Signal(signal) => Err(ProcessError::Call(signal)),
            Halt::Ended(status) => Err(ended(status)),
        }
    }

    /// Calls a function in the program with up to six numbers or pointers, and returns what it returns.
    /// Breakpoints in it do not count. All registers are as before then.
    pub fn call(&mut self, function: u64, arguments: &[u64]) -> Result<u64, ProcessError> {
        let before = self.registers;
        let extended = tracee::extended_registers(self.thread)?;
        let mut registers = before;
        registers.leave_system_call();
        let all = &mut registers.0;
        // As after a call: the address to return to lies below a multiple of sixteen.
        all.rsp = ((all.rsp - RED_ZONE) & !15) - 8;
        (all.rip, all.rax) = (function, 0);
        all.eflags &= !BACKWARDS;
        let places =
            [&mut all.rdi, &mut all.rsi, &mut all.rdx, &mut all.rcx, &mut all.r8, &mut all.r9];
        for (place, argument) in places.into_iter().zip(arguments) {
            *place = *argument;
        }
        self.memory.write(all.rsp, &NOWHERE.to_ne_bytes())?;
        self.set_registers(registers);
        let halt = self.run_to_nowhere()?;
        let after = self.registers;
        self.set_registers(before);
        let signal = match halt {
            Halt::Ended(status) => return Err(ended(status)),
            Halt::Signal(signal) => signal,
        };
        tracee::set_extended_registers(self.thread, &extended)?;
        match (signal, after.ip()) {
            (libc::SIGSEGV, NOWHERE) => Ok(after.0.rax),
            _ => Err(ProcessError::Call(signal)),
        }
    }

    /// Lets a function run until it returns, or crashes.
    fn run_to_nowhere(&mut self) -> Result<Halt, ProcessError> {
        let mut signal = 0;
        loop {
            match self.proceed_far(signal)? {
                Halt::Signal(next) if !is_crash(next) => signal = next,
                halt => return Ok(halt),
            }
        }
    }

    /// Where there is an instruction that makes a system call. The system itself puts one into all programs.
    fn gate(&mut self) -> Result<u64, ProcessError> {
        if let Some(gate) = self.gate {
            return Ok(gate);
        }
        let areas = self.areas()?;
        let lent = areas.iter().filter(|area| area.path == "[vdso]");
        for area in lent.chain(areas.modules()) {
            let mut code = vec![0; (area.range.end - area.range.start) as usize];
            let is_read = self.memory.read(area.range.start, &mut code).is_ok();
            let mut pairs = code.windows(SYSTEM_CALL.len());
            if is_read && let Some(at) = pairs.position(|pair| pair == SYSTEM_CALL) {
                let gate = area.range.start + at as u64;
                self.gate = Some(gate);
                return Ok(gate);
            }
        }
        Err(ProcessError::NoSystemCall)
    }
}

fn ended(status: Status) -> ProcessError {
    match status {
        Status::TimedOut => ProcessError::TimedOut,
        _ => ProcessError::Ended,
    }
}
