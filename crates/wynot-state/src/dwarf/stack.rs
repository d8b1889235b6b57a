//! Unwinding a stack, from the innermost frame to the outermost, with call frame information.

use super::call_frames::{ExpressionSource, LoadedFile};
use super::expression::{EvaluationContext, evaluate_number};
use super::frame::{Frame, FrameRegisters, MAX_REGISTERS};
use super::program::Program;
use gimli::{
    CfaRule, Encoding, Format, Register, RegisterRule, UnwindContext, UnwindExpression,
    UnwindTableRow,
};
use wynot_process::{Machine, ReadMemory};

/// Where unwinding has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackEnd {
    /// At `main`. Its callers do not belong to the program.
    Main,
    /// At the outermost frame.
    Outermost,
    /// At the largest number of frames that were wanted.
    Limit,
    /// At code that belongs to no file or has no rules, or where the stack cannot be read or goes backwards.
    Stuck,
}

/// The frames of a stack.
#[derive(Clone, Debug)]
pub struct Stack {
    /// The frames, innermost first.
    pub frames: Vec<Frame>,
    /// The reason why there are no more frames.
    pub end: StackEnd,
}

/// Unwinds the stack of a stopped process up to `main`, or as far as possible. `bias` is the distance between the
/// addresses of the process and those of the program's file; `libraries` are the other loaded files.
pub fn unwind(
    program: &Program,
    bias: u64,
    libraries: &[LoadedFile<'_>],
    registers: &FrameRegisters,
    memory: &dyn ReadMemory,
    limit: usize,
) -> Stack {
    let own = LoadedFile { call_frames: program.call_frames(), bias };
    let files = std::iter::once(own).chain(libraries.iter().copied()).collect();
    let mut unwinder = Unwinder::new(program.machine(), files, memory);
    unwinder.program = Some(program);
    unwinder.run(registers, limit)
}

/// The functions on a stack by their symbols, innermost first, and whether these are all of them up to `main`.
/// `?` stands for code without a symbol. `files` are all loaded files, the program among them.
pub(super) fn name_functions(
    files: &[LoadedFile<'_>],
    machine: Machine,
    registers: &FrameRegisters,
    memory: &dyn ReadMemory,
    limit: usize,
) -> (Vec<String>, bool) {
    let mut unwinder = Unwinder::new(machine, files.to_vec(), memory);
    let stack = unwinder.run(registers, limit);
    let name = |frame| unwinder.symbol(frame).unwrap_or_else(|| "?".to_owned());
    let names = stack.frames.iter().map(name).collect();
    (names, matches!(stack.end, StackEnd::Main | StackEnd::Outermost))
}

/// The registers of a frame whose canonical frame address is not known yet.
#[derive(Clone, Copy)]
struct RegisterState {
    machine: Machine,
    registers: FrameRegisters,
    saved: [Option<u64>; MAX_REGISTERS],
    is_caller: bool,
}

impl RegisterState {
    fn frame(&self, cfa: u64, bias: u64) -> Frame {
        let RegisterState { machine, registers, saved, is_caller } = *self;
        let address = registers.get(machine.instruction_pointer()).unwrap_or(0);
        Frame { address, is_caller, cfa, registers, saved, function: None, bias }
    }
}

/// A frame and its caller.
struct UnwoundFrame {
    frame: Frame,
    /// Whether the system has called the function to handle a signal.
    is_signal_handler: bool,
    caller: Result<RegisterState, StackEnd>,
}

struct Unwinder<'u> {
    machine: Machine,
    /// The debug information of the first file, if it is known.
    program: Option<&'u Program>,
    files: Vec<LoadedFile<'u>>,
    memory: &'u dyn ReadMemory,
    context: UnwindContext<usize>,
}

impl<'u> Unwinder<'u> {
    fn new(machine: Machine, files: Vec<LoadedFile<'u>>, memory: &'u dyn ReadMemory) -> Self {
        Self { machine, program: None, files, memory, context: UnwindContext::new() }
    }

    fn run(&mut self, registers: &FrameRegisters, limit: usize) -> Stack {
        let mut frames: Vec<Frame> = Vec::new();
        let mut state = RegisterState {
            machine: self.machine,
            registers: *registers,
            saved: [None; MAX_REGISTERS],
            is_caller: false,
        };
        // The code that a signal has interrupted may use another stack.
        let mut was_interrupted = false;
        let end = loop {
            if frames.len() >= limit {
                break StackEnd::Limit;
            }
            let unwound = match self.unwind_frame(&state) {
                Some(unwound) => unwound,
                None if frames.is_empty() => self.unwind_call_of_no_code(&state),
                None => break StackEnd::Stuck,
            };
            let cfa = unwound.frame.cfa;
            if frames.last().is_some_and(|last| cfa <= last.cfa && !was_interrupted) {
                break StackEnd::Stuck;
            }
            let is_main = self.is_main(&unwound.frame);
            frames.push(unwound.frame);
            if is_main {
                break StackEnd::Main;
            }
            was_interrupted = unwound.is_signal_handler;
            match unwound.caller {
                Ok(caller) => state = caller,
                Err(end) => break end,
            }
        };
        Stack { frames, end }
    }

    /// Finds the frame and its caller by the rules for the instruction.
    fn unwind_frame(&mut self, state: &RegisterState) -> Option<UnwoundFrame> {
        let address = state.registers.get(self.machine.instruction_pointer())?;
        let address = address.wrapping_sub(u64::from(state.is_caller));
        let contains =
            |file: &LoadedFile<'_>| file.call_frames.is_code(address.wrapping_sub(file.bias));
        let number = self.files.iter().position(contains)?;
        let file = self.files[number];
        let memory = self.memory;
        let file_address = address.wrapping_sub(file.bias);
        let context = &mut self.context;
        let work = |table: &dyn ExpressionSource, row: &_, is_signal_handler: bool| {
            let rules = Rules { table, row, state, memory };
            let cfa = rules.cfa()?;
            let caller = rules.caller(cfa, !is_signal_handler);
            Some(UnwoundFrame { frame: state.frame(cfa, file.bias), is_signal_handler, caller })
        };
        let mut unwound = file.call_frames.with_row(file_address, context, work)?;
        let program = self.program.filter(|_| number == 0);
        unwound.frame.function = program.and_then(|program| program.function_at(file_address));
        Some(unwound)
    }

    /// An address without code has most likely been called, so only the return address is on the stack.
    fn unwind_call_of_no_code(&self, state: &RegisterState) -> UnwoundFrame {
        let (machine, ip) = (self.machine, self.machine.instruction_pointer());
        let stack = state.registers.get(machine.stack_pointer()).unwrap_or(0);
        let cfa = stack.wrapping_add(machine.word_size());
        let mut caller = RegisterState { is_caller: true, ..*state };
        let address = read_word(machine, self.memory, stack);
        caller.registers.set(ip, address);
        caller.registers.set(machine.stack_pointer(), Some(cfa));
        caller.saved[usize::from(ip)] = Some(stack);
        let caller = if address.is_some() { Ok(caller) } else { Err(StackEnd::Stuck) };
        UnwoundFrame { frame: state.frame(cfa, 0), is_signal_handler: false, caller }
    }

    fn is_main(&self, frame: &Frame) -> bool {
        match self.program {
            Some(program) => frame.function.is_some_and(|id| program[id].name == "main"),
            None => self.symbol(frame).as_deref() == Some("main"),
        }
    }

    /// The symbol of the function of a frame.
    fn symbol(&self, frame: &Frame) -> Option<String> {
        let address = frame.file_address();
        let contains =
            |file: &&LoadedFile<'_>| file.bias == frame.bias && file.call_frames.is_code(address);
        self.files.iter().find(contains)?.call_frames.symbol_at(address)
    }
}

fn read_word(machine: Machine, memory: &dyn ReadMemory, address: u64) -> Option<u64> {
    let mut bytes = [0; 8];
    let word = &mut bytes[..machine.word_size() as usize];
    memory.read_memory(address, word).then(|| machine.read_word(word))?
}

/// The rules for one instruction, and the registers that they are applied to.
struct Rules<'r> {
    table: &'r dyn ExpressionSource,
    row: &'r UnwindTableRow<usize>,
    state: &'r RegisterState,
    memory: &'r dyn ReadMemory,
}

impl Rules<'_> {
    /// The canonical frame address: the stack pointer before the function was called.
    fn cfa(&self) -> Option<u64> {
        match self.row.cfa() {
            CfaRule::RegisterAndOffset { register, offset } => {
                Some(self.state.registers.get(register.0)?.wrapping_add_signed(*offset))
            }
            CfaRule::Expression(expression) => self.evaluate(*expression, None),
        }
    }

    /// The registers after the return.
    fn caller(&self, cfa: u64, is_caller: bool) -> Result<RegisterState, StackEnd> {
        let (machine, registers) = (self.state.machine, FrameRegisters::default());
        let saved = [None; MAX_REGISTERS];
        let mut caller = RegisterState { machine, registers, saved, is_caller };
        for number in 0..machine.register_names().len() as u16 {
            let (value, saved) = self.restore(number, cfa);
            caller.registers.set(number, value);
            caller.saved[usize::from(number)] = saved;
        }
        let ip = machine.instruction_pointer();
        let rule = self.row.register(Register(ip));
        match caller.registers.get(ip) {
            Some(0) => Err(StackEnd::Outermost),
            None if matches!(rule, None | Some(RegisterRule::Undefined)) => {
                Err(StackEnd::Outermost)
            }
            None => Err(StackEnd::Stuck),
            Some(_) => Ok(caller),
        }
    }

    /// The value of a register after the return, and the address at which it is saved until then.
    fn restore(&self, number: u16, cfa: u64) -> (Option<u64>, Option<u64>) {
        let machine = self.state.machine;
        let saved_at = |address: Option<u64>| {
            (address.and_then(|at| read_word(machine, self.memory, at)), address)
        };
        let unchanged = |number: u16| {
            let saved = self.state.saved.get(usize::from(number)).copied().flatten();
            (self.state.registers.get(number), saved)
        };
        match self.row.register(Register(number)) {
            Some(RegisterRule::SameValue) => unchanged(number),
            Some(RegisterRule::Offset(offset)) => saved_at(Some(cfa.wrapping_add_signed(offset))),
            Some(RegisterRule::ValOffset(offset)) => (Some(cfa.wrapping_add_signed(offset)), None),
            Some(RegisterRule::Register(other)) => unchanged(other.0),
            Some(RegisterRule::Expression(expression)) => {
                saved_at(self.evaluate(expression, Some(cfa)))
            }
            Some(RegisterRule::ValExpression(expression)) => {
                (self.evaluate(expression, Some(cfa)), None)
            }
            Some(RegisterRule::Constant(value)) => (Some(value), None),
            None if number == machine.stack_pointer() => (Some(cfa), None),
            None if machine.callee_saved().contains(&number) => unchanged(number),
            _ => (None, None),
        }
    }

    /// The result of an expression of the table.
    fn evaluate(&self, expression: UnwindExpression<usize>, initial: Option<u64>) -> Option<u64> {
        let context = EvaluationContext {
            registers: Some(&self.state.registers),
            memory: self.memory,
            bias: 0,
            cfa: None,
            frame_base: &|| None,
            indexed_address: &|_| None,
            base_type: &|_| None,
        };
        let address_size = self.state.machine.word_size() as u8;
        let encoding = Encoding { address_size, format: Format::Dwarf32, version: 4 };
        evaluate_number(self.table.code(expression)?, encoding, initial, &context)
    }
}
