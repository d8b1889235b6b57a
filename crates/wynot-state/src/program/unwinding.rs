//! From the innermost frame to the outermost, by the tables that compilers write for exceptions.

use super::Program;
use super::attributes::Reader;
use super::error::ProgramError;
use super::expression::{self, Answers};
use super::frame::{Frame, Memory, REGISTERS, Registers};
use super::image::Image;
use super::mapping::Part;
use gimli::{
    BaseAddresses, CfaRule, DebugFrame, EhFrame, EhFrameHdr, Encoding, Format, LittleEndian,
    Register, RegisterRule, UnwindContext, UnwindSection, UnwindTableRow,
};
use std::path::Path;

/// How to get out of the functions of a program or library.
#[derive(Debug)]
pub struct CallFrames {
    image: Image,
    eh_frame: (u64, Part),
    eh_frame_header: (u64, Part),
    debug_frame: Part,
}

/// A program or library that a process has loaded.
#[derive(Clone, Copy, Debug)]
pub struct Loaded<'l> {
    /// How to get out of its functions.
    pub code: &'l CallFrames,
    /// How far from where the file says it lies.
    pub bias: u64,
}

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

impl CallFrames {
    /// Reads a program or library.
    pub fn read(path: &Path) -> Result<Self, ProgramError> {
        Image::open(path).map(Self::new)
    }

    pub(super) fn new(image: Image) -> Self {
        let section = |name| image.section(name).unwrap_or_default();
        let (eh_frame, eh_frame_header) = (section(".eh_frame"), section(".eh_frame_hdr"));
        let debug_frame = section(".debug_frame").1;
        Self { image, eh_frame, eh_frame_header, debug_frame }
    }

    pub(super) fn image(&self) -> &Image {
        &self.image
    }

    /// What to do at an address of the file, if that is known.
    fn with_row<T>(
        &self,
        address: u64,
        context: &mut UnwindContext<usize>,
        work: impl Fn(&dyn Expressions, &UnwindTableRow<usize>, bool) -> Option<T>,
    ) -> Option<T> {
        let bases = BaseAddresses::default()
            .set_eh_frame(self.eh_frame.0)
            .set_eh_frame_hdr(self.eh_frame_header.0);
        let eh_frame = EhFrame::new(&self.eh_frame.1, LittleEndian);
        if let Some(offset) = self.look_up(address, &bases) {
            let fde =
                eh_frame.fde_from_offset(&bases, offset.into(), EhFrame::cie_from_offset).ok()?;
            if fde.contains(address) {
                let row = fde.unwind_info_for_address(&eh_frame, &bases, context, address).ok()?;
                return work(&eh_frame, row, fde.is_signal_trampoline());
            }
        }
        let mut debug_frame = DebugFrame::new(&self.debug_frame, LittleEndian);
        debug_frame.set_address_size(8);
        if let Ok(fde) = debug_frame.fde_for_address(&bases, address, DebugFrame::cie_from_offset) {
            let row = fde.unwind_info_for_address(&debug_frame, &bases, context, address).ok()?;
            return work(&debug_frame, row, fde.is_signal_trampoline());
        }
        if !self.eh_frame_header.1.is_empty() {
            return None;
        }
        let fde = eh_frame.fde_for_address(&bases, address, EhFrame::cie_from_offset).ok()?;
        let row = fde.unwind_info_for_address(&eh_frame, &bases, context, address).ok()?;
        work(&eh_frame, row, fde.is_signal_trampoline())
    }

    /// Where in `.eh_frame` the entry for an address is, by the table that is sorted by addresses.
    fn look_up(&self, address: u64, bases: &BaseAddresses) -> Option<usize> {
        let header = EhFrameHdr::new(&self.eh_frame_header.1, LittleEndian);
        let header = header.parse(bases, 8).ok()?;
        let entry = header.table()?.lookup(address, bases).ok()?.direct().ok()?;
        usize::try_from(entry.checked_sub(self.eh_frame.0)?).ok()
    }
}

/// Expressions in a table, whichever table it is.
trait Expressions {
    fn code(&self, expression: gimli::UnwindExpression<usize>) -> Option<Reader<'_>>;
}

impl<'a> Expressions for EhFrame<Reader<'a>> {
    fn code(&self, expression: gimli::UnwindExpression<usize>) -> Option<Reader<'_>> {
        expression.get(self).ok().map(|expression| expression.0)
    }
}

impl<'a> Expressions for DebugFrame<Reader<'a>> {
    fn code(&self, expression: gimli::UnwindExpression<usize>) -> Option<Reader<'_>> {
        expression.get(self).ok().map(|expression| expression.0)
    }
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
    let mut walk = Walk { program, bias, libraries, memory, context: UnwindContext::new() };
    let mut frames: Vec<Frame> = Vec::new();
    let mut state = State { registers: *registers, saved: [None; REGISTERS], called: false };
    // What a signal interrupts may have another stack.
    let mut interrupted = false;
    let ended = loop {
        if frames.len() >= limit {
            break Ended::Limit;
        }
        let step = match walk.step(&state) {
            Some(step) => step,
            None if frames.is_empty() => walk.step_out_of_nothing(&state),
            None => break Ended::Stuck,
        };
        let cfa = step.frame.cfa;
        if frames.last().is_some_and(|last| cfa <= last.cfa && !interrupted) {
            break Ended::Stuck;
        }
        let main = walk.is_main(&step.frame);
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

/// The registers of a frame, before it is known where it ends.
#[derive(Clone, Copy)]
struct State {
    registers: Registers,
    saved: [Option<u64>; REGISTERS],
    called: bool,
}

impl State {
    fn frame(&self, cfa: u64, bias: u64) -> Frame {
        let State { registers, saved, called } = *self;
        let address = registers.get(Registers::INSTRUCTION).unwrap_or(0);
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
    program: &'u Program,
    bias: u64,
    libraries: &'u [Loaded<'u>],
    memory: &'u dyn Memory,
    context: UnwindContext<usize>,
}

/// Registers that functions leave as they are: rbx, rbp, and r12 to r15.
const PRESERVED: [u16; 6] = [3, 6, 12, 13, 14, 15];

/// How expressions in these tables are written.
const ENCODING: Encoding = Encoding { address_size: 8, format: Format::Dwarf32, version: 4 };

impl Walk<'_> {
    /// Goes from a frame to the one around it.
    fn step(&mut self, state: &State) -> Option<Step> {
        let address = state.registers.get(Registers::INSTRUCTION)?;
        let address = address.wrapping_sub(u64::from(state.called));
        let program = Loaded { code: &self.program.call_frames, bias: self.bias };
        let is_there =
            |file: &&Loaded<'_>| file.code.image.is_code(address.wrapping_sub(file.bias));
        let inside = is_there(&&program);
        let file = if inside { program } else { *self.libraries.iter().find(is_there)? };
        let memory = self.memory;
        let file_address = address.wrapping_sub(file.bias);
        let mut step =
            file.code.with_row(file_address, &mut self.context, |table, row, signal| {
                let cfa = cfa(table, row, state, memory)?;
                let caller = caller(table, row, cfa, state, memory, !signal);
                Some(Step { frame: state.frame(cfa, file.bias), signal, caller })
            })?;
        if inside {
            step.frame.function = self.program.function_at(file_address);
        }
        Some(step)
    }

    /// Where no code is, it has most likely been called: it has done nothing yet.
    fn step_out_of_nothing(&self, state: &State) -> Step {
        let stack = state.registers.get(Registers::STACK).unwrap_or(0);
        let cfa = stack.wrapping_add(8);
        let mut caller = State { called: true, ..*state };
        let address = word(self.memory, stack);
        caller.registers.set(Registers::INSTRUCTION, address);
        caller.registers.set(Registers::STACK, Some(cfa));
        caller.saved[usize::from(Registers::INSTRUCTION)] = Some(stack);
        let caller = if address.is_some() { Ok(caller) } else { Err(Ended::Stuck) };
        Step { frame: state.frame(cfa, 0), signal: false, caller }
    }

    fn is_main(&self, frame: &Frame) -> bool {
        let function = frame.function.map(|id| &self.program.functions[id.0 as usize]);
        function.is_some_and(|function| function.name == "main")
    }
}

fn word(memory: &dyn Memory, address: u64) -> Option<u64> {
    let mut bytes = [0; 8];
    memory.read(address, &mut bytes).then(|| u64::from_le_bytes(bytes))
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
    expression::number(table.code(expression)?, ENCODING, initial, &answers)
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
    let mut caller = State { registers: Registers::default(), saved: [None; REGISTERS], called };
    for number in 0..REGISTERS as u16 {
        let (value, saved) = restored(number, table, row, cfa, state, memory);
        caller.registers.set(number, value);
        caller.saved[usize::from(number)] = saved;
    }
    let rule = row.register(Register(Registers::INSTRUCTION));
    match caller.registers.get(Registers::INSTRUCTION) {
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
    let stored = |address: Option<u64>| (address.and_then(|at| word(memory, at)), address);
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
        None if number == Registers::STACK => (Some(cfa), None),
        None if PRESERVED.contains(&number) => kept(number),
        _ => (None, None),
    }
}
