//! Making a program do what it would not do by itself.

use super::control::Halt;
use super::{Inferior, ProcessError, Registers, Service, Status};
use crate::Machine;
use wynot_crash::{is_crash, tracee};

/// The instruction that makes a system call: `syscall`, and `int $0x80`.
fn instruction(machine: Machine) -> [u8; 2] {
    match machine {
        Machine::X86_64 => [0x0f, 0x05],
        Machine::I386 => [0xcd, 0x80],
    }
}

/// What lies below the stack pointer and still belongs to the function that runs.
const RED_ZONE: u64 = 128;

/// Room for six arguments on the stack, and a multiple of sixteen.
const ARGUMENTS: u64 = 32;

/// Where functions that are called return to: no program has anything there.
const NOWHERE: u64 = 0x10;

/// The flag that makes instructions for strings go backwards. No function expects it.
const BACKWARDS: u64 = 1 << 10;

impl Inferior {
    /// Makes the program call the system. Returns what the system does: an error number is negative.
    pub fn system_call(
        &mut self,
        service: Service,
        arguments: [u64; 6],
    ) -> Result<i64, ProcessError> {
        let gate = self.gate()?;
        let before = self.registers;
        let mut registers = before;
        registers.leave_system_call();
        (registers.0.rip, registers.0.rax) = (gate, service.number(self.machine()));
        for (number, argument) in arguments.into_iter().enumerate() {
            registers.set_system_argument(number, argument);
        }
        self.set_registers(registers);
        let halt = self.step_alone()?;
        let result = self.registers.system_result();
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
        (all.rip, all.rax) = (function, 0);
        all.eflags &= !BACKWARDS;
        all.rsp = (all.rsp - RED_ZONE) & !15;
        self.pass(&mut registers, arguments)?;
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
            (libc::SIGSEGV, NOWHERE) => Ok(after.returned()),
            _ => Err(ProcessError::Call(signal)),
        }
    }

    /// Puts arguments where a function expects them, and the address to return to below a multiple of
    /// sixteen on the stack, as a call does.
    fn pass(&self, registers: &mut Registers, arguments: &[u64]) -> Result<(), ProcessError> {
        let machine = registers.machine();
        let all = &mut registers.0;
        let mut pushed = machine.bytes(NOWHERE);
        match machine {
            Machine::X86_64 => {
                let places = [
                    &mut all.rdi,
                    &mut all.rsi,
                    &mut all.rdx,
                    &mut all.rcx,
                    &mut all.r8,
                    &mut all.r9,
                ];
                for (place, argument) in places.into_iter().zip(arguments) {
                    *place = *argument;
                }
            }
            Machine::I386 => {
                all.rsp -= ARGUMENTS;
                pushed.extend(arguments.iter().flat_map(|argument| machine.bytes(*argument)));
            }
        }
        all.rsp -= machine.word();
        Ok(self.memory.write(all.rsp, &pushed)?)
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
        let wanted = instruction(self.machine());
        let areas = self.areas()?;
        let lent = areas.iter().filter(|area| area.path == "[vdso]");
        for area in lent.chain(areas.modules()) {
            let mut code = vec![0; (area.range.end - area.range.start) as usize];
            let is_read = self.memory.read(area.range.start, &mut code).is_ok();
            let mut pairs = code.windows(2);
            if is_read && let Some(at) = pairs.position(|pair| pair == wanted) {
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
