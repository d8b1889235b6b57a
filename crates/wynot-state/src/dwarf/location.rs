//! Where variables are in a stopped program.

use super::debug_sections::{Reader, UnitBases};
use super::expression::{EvaluationContext, evaluate, evaluate_number, value_bytes};
use super::frame::Frame;
use super::function::{LocationDescription, Variable};
use super::program::Program;
use super::read::base_type;
use gimli::{Encoding, Location, LocationListsOffset};
use wynot_process::ReadMemory;

/// Where a variable is in a stopped program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VariableLocation {
    /// At an address of the process.
    Memory(u64),
    /// In a register of a frame.
    Register {
        /// The DWARF number. Numbers beyond those of
        /// [`Machine::register_names`](wynot_process::Machine::register_names) are other registers: 17 to 32 are
        /// xmm0 to xmm15 on x86-64.
        number: u16,
        /// The address at which its value is saved, if an inner function uses the register.
        saved: Option<u64>,
    },
    /// In several pieces, the lowest bytes first.
    Pieces(Vec<LocationPiece>),
    /// Nowhere, but it has these bytes. There may be more of them than the variable has. It cannot be changed.
    Value(Vec<u8>),
    /// Nowhere: the compiler has optimized it away, or its location is unknown.
    OptimizedOut,
}

/// A piece of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocationPiece {
    /// Where the piece is.
    pub location: VariableLocation,
    /// The number of bits of the location that belong to the piece; all remaining ones without a value.
    pub bits: Option<u64>,
    /// The first of the bits, counted from the lowest one.
    pub first: u64,
}

impl Variable {
    /// Where the variable is in a process whose addresses are `bias` away from those of the file. A variable of a
    /// function needs a frame of the function.
    pub fn location(
        &self,
        program: &Program,
        frame: Option<&Frame>,
        bias: u64,
        memory: &dyn ReadMemory,
    ) -> VariableLocation {
        match &self.description {
            LocationDescription::OptimizedOut => VariableLocation::OptimizedOut,
            LocationDescription::Address(address) => {
                VariableLocation::Memory(address.wrapping_add(bias))
            }
            LocationDescription::Constant(bytes) => VariableLocation::Value(bytes.to_vec()),
            description => {
                let finder = Finder { program, unit: self.unit, frame, bias, memory };
                finder.locate(description).unwrap_or(VariableLocation::OptimizedOut)
            }
        }
    }
}

/// Finds what debug information describes by expressions, for one unit and frame.
struct Finder<'f> {
    program: &'f Program,
    unit: u32,
    frame: Option<&'f Frame>,
    bias: u64,
    memory: &'f dyn ReadMemory,
}

impl<'f> Finder<'f> {
    fn locate(&self, description: &LocationDescription) -> Option<VariableLocation> {
        let code = self.code(description)?;
        let frame_base = || self.frame_base();
        let pieces = self.with_context(&frame_base, |encoding, context| {
            evaluate(code, encoding, None, context)
        })?;
        if let [piece] = pieces.as_slice()
            && piece.size_in_bits.is_none()
        {
            return Some(self.convert(&piece.location));
        }
        let pieces = pieces.iter().map(|piece| LocationPiece {
            location: self.convert(&piece.location),
            bits: piece.size_in_bits,
            first: piece.bit_offset.unwrap_or(0),
        });
        let pieces: Vec<LocationPiece> = pieces.collect();
        let is_missing = |piece: &LocationPiece| piece.location == VariableLocation::OptimizedOut;
        if pieces.iter().all(is_missing) {
            return Some(VariableLocation::OptimizedOut);
        }
        Some(VariableLocation::Pieces(pieces))
    }

    /// The location that an expression has resulted in.
    fn convert(&self, location: &Location<Reader<'f>>) -> VariableLocation {
        match location {
            Location::Address { address } => VariableLocation::Memory(*address),
            Location::Register { register } => self.register(register.0),
            Location::Value { value } => VariableLocation::Value(value_bytes(*value)),
            Location::Bytes { value } => VariableLocation::Value(value.slice().to_vec()),
            Location::Empty | Location::ImplicitPointer { .. } => VariableLocation::OptimizedOut,
        }
    }

    /// A register of the frame, if it still has its value.
    fn register(&self, number: u16) -> VariableLocation {
        let Some(frame) = self.frame else { return VariableLocation::OptimizedOut };
        let saved = frame.saved.get(usize::from(number)).copied().flatten();
        let is_known = frame.registers.get(number).is_some();
        // Other registers are not followed from frame to frame, and functions do not save them.
        let is_other = usize::from(number) >= frame.saved.len() && !frame.is_caller;
        match is_known || is_other {
            true => VariableLocation::Register { number, saved },
            false => VariableLocation::OptimizedOut,
        }
    }

    /// The address to which the locations of the function's variables are relative.
    fn frame_base(&self) -> Option<u64> {
        let function = &self.program[self.frame?.function?];
        let finder = Finder { unit: function.unit, ..*self };
        let code = finder.code(&function.frame_base)?;
        finder.with_context(&|| None, |encoding, context| {
            evaluate_number(code, encoding, None, context)
        })
    }

    /// The expression that is valid at the instruction of the frame.
    fn code(&self, description: &LocationDescription) -> Option<Reader<'f>> {
        match description {
            LocationDescription::Expression(range) => self.program.sections.info(range.clone()),
            LocationDescription::List(offset) => {
                let address = self.frame?.file_address();
                let dwarf = self.program.sections.dwarf();
                let bases = self.bases()?;
                let mut list = dwarf
                    .locations
                    .locations(
                        LocationListsOffset(*offset),
                        bases.encoding,
                        bases.low_pc,
                        &dwarf.debug_addr,
                        bases.addr_base,
                    )
                    .ok()?;
                while let Some(entry) = list.next().ok()? {
                    if (entry.range.begin..entry.range.end).contains(&address) {
                        return Some(entry.data.0);
                    }
                }
                None
            }
            LocationDescription::OptimizedOut
            | LocationDescription::Address(_)
            | LocationDescription::Constant(_) => None,
        }
    }

    fn bases(&self) -> Option<&UnitBases> {
        self.program.units.get(self.unit as usize)
    }

    /// Evaluates something in the context of this unit and frame.
    fn with_context<T>(
        &self,
        frame_base: &dyn Fn() -> Option<u64>,
        work: impl FnOnce(Encoding, &EvaluationContext<'_>) -> Option<T>,
    ) -> Option<T> {
        let bases = self.bases()?;
        let dwarf = || self.program.sections.dwarf();
        let indexed_address = |index| {
            let addresses = dwarf().debug_addr;
            addresses.get_address(bases.encoding.address_size, bases.addr_base, index).ok()
        };
        let context = EvaluationContext {
            registers: self.frame.map(|frame| &frame.registers),
            memory: self.memory,
            bias: self.bias,
            cfa: self.frame.map(|frame| frame.cfa),
            frame_base,
            indexed_address: &indexed_address,
            base_type: &|offset| base_type(&dwarf(), bases.start, offset),
        };
        work(bases.encoding, &context)
    }
}
