//! From the innermost frame to the outermost, by the tables that compilers write for exceptions.

use super::Program;
use super::call_frames::{Expressions, Loaded};
use super::expression::{self, Answers};
use super::frame::{Frame, Memory, REGISTERS, Registers};
use crate::Machine;
use gimli::{CfaRule, Encoding, Format, Register, RegisterRule, UnwindContext, UnwindTableRow};

/// How a walk over a stack ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// At `main`: what is around it belongs to no program.
    Main,
    /// At the outermost frame.
    Outermost,
    /// When there were as many frames as wanted.
    Limit,
    /// In code of no file, or without a rule how to go on; or where the stack cannot be read, or goes
    /// backwards.
    Stuck,
}

/// A stack.
#[derive(Clone, Debug)]
pub struct Stack {
    /// Innermost first.
    pub frames: Vec<Frame>,
    /// Why there are no more.
    pub ended: Ended,
}

/// Walks over the stack of a stopped process, innermost frame first, up to `main` or as far as it goes.
/// `bias` is how far from where the file says the program lies; `libraries` are the others.
pub fn unwind(
    program: &Program,
    bias: u64,
    libraries: &[Loaded<'_>],
    registers: &Registers,
    memory: &dyn Memory,
    limit: usize,
) -> Stack {
    let own = Loaded { code: &program.call_frames, bias };
    let files = std::iter::once(own).chain(libraries.iter().copied()).collect();
    let mut walk = Walk::new(program.machine(), files, memory);
    walk.program = Some(program);
    walk.run(registers, limit)
}

/// What functions are being executed, by their symbols, innermost first, and whether these are all up to
/// `main`. `?` stands for code without a symbol. All files of the process are given, the program among them.
pub fn name_frames(
    files: &[Loaded<'_>],
    machine: Machine,
    registers: &Registers,
    memory: &dyn Memory,
    limit: usize,
) -> (Vec<String>, bool) {
    let mut walk = Walk::new(machine, files.to_vec(), memory);
    let stack = walk.run(registers, limit);
    let names = stack.frames.iter().map(|frame| walk.symbol(frame).unwrap_or("?").to_owned());
    (names.collect(), matches!(stack.ended, Ended::Main | Ended::Outermost))
}

/// The registers of a frame, before it is known where it ends.
#[derive(Clone, Copy)]
struct State {
    machine: Machine,
    registers: Registers,
    saved: [Option<u64>; REGISTERS],
    called: bool,
}

impl State {
    fn frame(&self, cfa: u64, bias: u64) -> Frame {
        let State { machine, registers, saved, called } = *self;
        let address = registers.get(machine.instruction()).unwrap_or(0);
        Frame { address, called, cfa, registers, saved, function: None, bias }
    }
}

/// A frame, and what is around it.
struct Step {
    frame: Frame,
    /// Whether it was a signal that began it.
    signal: bool,
    caller: Result<State, Ended>,
}

struct Walk<'u> {
    machine: Machine,
    /// What the first file is, if that is known.
    program: Option<&'u Program>,
    files: Vec<Loaded<'u>>,
    memory: &'u dyn Memory,
    context: UnwindContext<usize>,
}

impl<'u> Walk<'u> {
    fn new(machine: Machine, files: Vec<Loaded<'u>>, memory: &'u dyn Memory) -> Self {
        Self { machine, program: None, files, memory, context: UnwindContext::new() }
    }

    fn run(&mut self, registers: &Registers, limit: usize) -> Stack {
        let mut frames: Vec<Frame> = Vec::new();
        let mut state = State {
            machine: self.machine,
            registers: *registers,
            saved: [None; REGISTERS],
            called: false,
        };
        // What a signal interrupts may have another stack.
        let mut interrupted = false;
        let ended = loop {
            if frames.len() >= limit {
                break Ended::Limit;
            }
            let step = match self.step(&state) {
                Some(step) => step,
                None if frames.is_empty() => self.step_out_of_nothing(&state),
                None => break Ended::Stuck,
            };
            let cfa = step.frame.cfa;
            if frames.last().is_some_and(|last| cfa <= last.cfa && !interrupted) {
                break Ended::Stuck;
            }
            let main = self.is_main(&step.frame);
            frames.push(step.frame);
            if main {
                break Ended::Main;
            }
            interrupted = step.signal;
            match step.caller {
                Ok(caller) => state = caller,
                Err(ended) => break ended,
            }
        };
        Stack { frames, ended }
    }

    /// Goes from a frame to the one around it.
    fn step(&mut self, state: &State) -> Option<Step> {
        let address = state.registers.get(self.machine.instruction())?;
        let address = address.wrapping_sub(u64::from(state.called));
        let is_there = |file: &Loaded<'_>| file.code.is_code(address.wrapping_sub(file.bias));
        let number = self.files.iter().position(is_there)?;
        let file = self.files[number];
        let memory = self.memory;
        let file_address = address.wrapping_sub(file.bias);
        let mut step =
            file.code.with_row(file_address, &mut self.context, |table, row, signal| {
                let cfa = cfa(table, row, state, memory)?;
                let caller = caller(table, row, cfa, state, memory, !signal);
                Some(Step { frame: state.frame(cfa, file.bias), signal, caller })
            })?;
        let program = self.program.filter(|_| number == 0);
        step.frame.function = program.and_then(|program| program.function_at(file_address));
        Some(step)
    }

    /// Where no code is, it has most likely been called: it has done nothing yet.
    fn step_out_of_nothing(&self, state: &State) -> Step {
        let (machine, instruction) = (self.machine, self.machine.instruction());
        let stack = state.registers.get(machine.stack()).unwrap_or(0);
        let cfa = stack.wrapping_add(machine.word());
        let mut caller = State { called: true, ..*state };
        let address = word(machine, self.memory, stack);
        caller.registers.set(instruction, address);
        caller.registers.set(machine.stack(), Some(cfa));
        caller.saved[usize::from(instruction)] = Some(stack);
        let caller = if address.is_some() { Ok(caller) } else { Err(Ended::Stuck) };
        Step { frame: state.frame(cfa, 0), signal: false, caller }
    }

    fn is_main(&self, frame: &Frame) -> bool {
        let name = match self.program {
            Some(program) => frame.function.map(|id| program[id].name.as_str()),
            None => self.symbol(frame),
        };
        name == Some("main")
    }

    /// The symbol of the function of a frame.
    fn symbol(&self, frame: &Frame) -> Option<&'u str> {
        let address = frame.file_address();
        let file =
            self.files.iter().find(|file| file.bias == frame.bias && file.code.is_code(address))?;
        file.code.symbol_at(address)
    }
}

fn word(machine: Machine, memory: &dyn Memory, address: u64) -> Option<u64> {
    let mut bytes = [0; 8];
    let read = &mut bytes[..machine.word() as usize];
    memory.read(address, read).then(|| machine.number(read))?
}

/// The address or number that an expression of a table results in.
fn work_out(
    table: &dyn Expressions,
    expression: gimli::UnwindExpression<usize>,
    initial: Option<u64>,
    state: &State,
    memory: &dyn Memory,
) -> Option<u64> {
    let answers = Answers {
        registers: Some(&state.registers),
        memory,
        bias: 0,
        cfa: None,
        frame_base: &|| None,
        address: &|_| None,
        base_type: &|_| None,
    };
    let address_size = state.machine.word() as u8;
    let encoding = Encoding { address_size, format: Format::Dwarf32, version: 4 };
    expression::number(table.code(expression)?, encoding, initial, &answers)
}

/// Where the stack ended before the function was called.
fn cfa(
    table: &dyn Expressions,
    row: &UnwindTableRow<usize>,
    state: &State,
    memory: &dyn Memory,
) -> Option<u64> {
    match row.cfa() {
        CfaRule::RegisterAndOffset { register, offset } => {
            Some(state.registers.get(register.0)?.wrapping_add_signed(*offset))
        }
        CfaRule::Expression(expression) => work_out(table, *expression, None, state, memory),
    }
}

/// The registers after the return.
fn caller(
    table: &dyn Expressions,
    row: &UnwindTableRow<usize>,
    cfa: u64,
    state: &State,
    memory: &dyn Memory,
    called: bool,
) -> Result<State, Ended> {
    let (machine, registers) = (state.machine, Registers::default());
    let mut caller = State { machine, registers, saved: [None; REGISTERS], called };
    for number in 0..machine.registers().len() as u16 {
        let (value, saved) = restored(number, table, row, cfa, state, memory);
        caller.registers.set(number, value);
        caller.saved[usize::from(number)] = saved;
    }
    let rule = row.register(Register(machine.instruction()));
    match caller.registers.get(machine.instruction()) {
        Some(0) => Err(Ended::Outermost),
        None if matches!(rule, None | Some(RegisterRule::Undefined)) => Err(Ended::Outermost),
        None => Err(Ended::Stuck),
        Some(_) => Ok(caller),
    }
}

/// The value of a register after the return, and where in memory it is until then.
fn restored(
    number: u16,
    table: &dyn Expressions,
    row: &UnwindTableRow<usize>,
    cfa: u64,
    state: &State,
    memory: &dyn Memory,
) -> (Option<u64>, Option<u64>) {
    let stored =
        |address: Option<u64>| (address.and_then(|at| word(state.machine, memory, at)), address);
    let kept = |number: u16| {
        let saved = state.saved.get(usize::from(number)).copied().flatten();
        (state.registers.get(number), saved)
    };
    let result = |expression| work_out(table, expression, Some(cfa), state, memory);
    match row.register(Register(number)) {
        Some(RegisterRule::SameValue) => kept(number),
        Some(RegisterRule::Offset(offset)) => stored(Some(cfa.wrapping_add_signed(offset))),
        Some(RegisterRule::ValOffset(offset)) => (Some(cfa.wrapping_add_signed(offset)), None),
        Some(RegisterRule::Register(other)) => kept(other.0),
        Some(RegisterRule::Expression(expression)) => stored(result(expression)),
        Some(RegisterRule::ValExpression(expression)) => (result(expression), None),
        Some(RegisterRule::Constant(value)) => (Some(value), None),
        None if number == state.machine.stack() => (Some(cfa), None),
        None if state.machine.preserved().contains(&number) => kept(number),
        _ => (None, None),
    }
}
