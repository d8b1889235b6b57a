//! Where variables are in a stopped program.

use super::Program;
use super::attributes::{Attributes, Reader};
use super::expression::{self, Answers};
use super::frame::{Frame, Memory};
use super::function::{Location, Variable};
use gimli::{DebugAddrBase, DebugInfoOffset, Encoding, LocationListsOffset, UnitOffset, ValueType};

/// Where a variable is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// At an address of the process.
    Memory(u64),
    /// In a register of a frame.
    Register {
        /// Numbers behind those of [`Machine::registers`](crate::Machine::registers) are registers for other
        /// things: 17 to 32 are xmm0 to xmm15 on x86-64.
        number: u16,
        /// Where in memory its value is, if another function uses the register meanwhile.
        saved: Option<u64>,
    },
    /// In several places, one after the other, the lowest bytes first.
    Pieces(Vec<Piece>),
    /// Nowhere, but its bytes can be computed. There may be more of them than it has. It cannot be changed.
    Value(Vec<u8>),
    /// The compiler has removed it, or nobody can know where it is.
    Gone,
}

/// A part of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Where it is.
    pub place: Place,
    /// How many bits of the place belong to it; none means all that are left.
    pub bits: Option<u64>,
    /// The first of the bits, counted from the lowest one.
    pub first: u64,
}

/// What is needed of a unit to find its variables.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnitBases {
    /// Where it begins.
    pub(super) start: usize,
    pub(super) encoding: Encoding,
    pub(super) low: u64,
    pub(super) addresses: DebugAddrBase<usize>,
}

impl Variable {
    /// Where the variable is in a process, in which the program lies `bias` away from where the file says.
    /// Variables of functions need a frame of their function.
    pub fn place(
        &self,
        program: &Program,
        frame: Option<&Frame>,
        bias: u64,
        memory: &dyn Memory,
    ) -> Place {
        match &self.location {
            Location::Nowhere => Place::Gone,
            Location::Address(address) => Place::Memory(address.wrapping_add(bias)),
            Location::Constant(bytes) => Place::Value(bytes.to_vec()),
            location => {
                let finder = Finder { program, unit: self.unit, frame, bias, memory };
                finder.place(location).unwrap_or(Place::Gone)
            }
        }
    }
}

/// Finds out where things are that debug information has expressions for.
struct Finder<'f> {
    program: &'f Program,
    unit: u32,
    frame: Option<&'f Frame>,
    bias: u64,
    memory: &'f dyn Memory,
}

impl<'f> Finder<'f> {
    fn place(&self, location: &Location) -> Option<Place> {
        let code = self.code(location)?;
        let base = || self.frame_base();
        let pieces = self.answering(&base, |encoding, answers| {
            expression::evaluate(code, encoding, None, answers)
        })?;
        if let [piece] = pieces.as_slice()
            && piece.size_in_bits.is_none()
        {
            return Some(self.piece(&piece.location));
        }
        let pieces = pieces.iter().map(|piece| Piece {
            place: self.piece(&piece.location),
            bits: piece.size_in_bits,
            first: piece.bit_offset.unwrap_or(0),
        });
        let pieces: Vec<Piece> = pieces.collect();
        let gone = pieces.iter().all(|piece| piece.place == Place::Gone);
        Some(if gone { Place::Gone } else { Place::Pieces(pieces) })
    }

    fn piece(&self, location: &gimli::Location<Reader<'f>>) -> Place {
        match location {
            gimli::Location::Address { address } => Place::Memory(*address),
            gimli::Location::Register { register } => self.register(register.0),
            gimli::Location::Value { value } => Place::Value(expression::bytes(*value)),
            gimli::Location::Bytes { value } => Place::Value(value.slice().to_vec()),
            gimli::Location::Empty | gimli::Location::ImplicitPointer { .. } => Place::Gone,
        }
    }

    /// A register of the frame, if it still has its value.
    fn register(&self, number: u16) -> Place {
        let Some(frame) = self.frame else { return Place::Gone };
        let saved = frame.saved.get(usize::from(number)).copied().flatten();
        let known = frame.registers.get(number).is_some();
        // Registers for other things are not followed through calls, and no function saves them.
        let other = usize::from(number) >= frame.saved.len() && !frame.called;
        if known || other { Place::Register { number, saved } } else { Place::Gone }
    }

    /// The address from which the function's variables are counted.
    fn frame_base(&self) -> Option<u64> {
        let function = &self.program.functions[self.frame?.function?.0 as usize];
        let finder = Finder { unit: function.unit, ..*self };
        let code = finder.code(&function.frame_base)?;
        finder.answering(&|| None, |encoding, answers| {
            expression::number(code, encoding, None, answers)
        })
    }

    /// The expression that is true where the frame is.
    fn code(&self, location: &Location) -> Option<Reader<'f>> {
        match location {
            Location::Expression(range) => self.program.sections.info(range.clone()),
            Location::List(offset) => {
                let address = self.frame?.file_address();
                let dwarf = self.program.sections.dwarf();
                let bases = self.bases()?;
                let mut list = dwarf
                    .locations
                    .locations(
                        LocationListsOffset(*offset),
                        bases.encoding,
                        bases.low,
                        &dwarf.debug_addr,
                        bases.addresses,
                    )
                    .ok()?;
                while let Some(entry) = list.next().ok()? {
                    if (entry.range.begin..entry.range.end).contains(&address) {
                        return Some(entry.data.0);
                    }
                }
                None
            }
            Location::Nowhere | Location::Address(_) | Location::Constant(_) => None,
        }
    }

    fn bases(&self) -> Option<&UnitBases> {
        self.program.units.get(self.unit as usize)
    }

    /// Works something out, with answers for what expressions of this unit and frame ask for.
    fn answering<T>(
        &self,
        frame_base: &dyn Fn() -> Option<u64>,
        work: impl FnOnce(Encoding, &Answers<'_>) -> Option<T>,
    ) -> Option<T> {
        let bases = self.bases()?;
        let address = |index| {
            let addresses = self.program.sections.dwarf().debug_addr;
            addresses.get_address(bases.encoding.address_size, bases.addresses, index).ok()
        };
        let base_type = |offset| self.base_type(bases, offset);
        let answers = Answers {
            registers: self.frame.map(|frame| &frame.registers),
            memory: self.memory,
            bias: self.bias,
            cfa: self.frame.map(|frame| frame.cfa),
            frame_base,
            address: &address,
            base_type: &base_type,
        };
        work(bases.encoding, &answers)
    }

    /// The type that an expression converts to, by its entry.
    fn base_type(&self, bases: &UnitBases, offset: UnitOffset<usize>) -> Option<ValueType> {
        let dwarf = self.program.sections.dwarf();
        let header = dwarf.unit_header(DebugInfoOffset(bases.start)).ok()?;
        let abbreviations = dwarf.abbreviations(&header).ok()?;
        let mut entries = header.entries_raw(&abbreviations, Some(offset)).ok()?;
        let abbreviation = entries.read_abbreviation().ok()??;
        let mut read = Attributes::default();
        read.read(&mut entries, abbreviation, bases.start, &Default::default()).ok()?;
        let encoding = gimli::DwAte(u8::try_from(read.encoding?).ok()?);
        ValueType::from_encoding(encoding, read.size?)
    }
}
