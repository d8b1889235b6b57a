//! Call frame information: the tables by which the functions of a program or library are unwound.

use super::debug_sections::Reader;
use super::error::ProgramError;
use gimli::{
    BaseAddresses, CfaRule, DebugFrame, EhFrame, EhFrameHdr, LittleEndian, UnwindContext,
    UnwindExpression, UnwindSection, UnwindTableRow,
};
use std::path::Path;
use std::sync::OnceLock;
use wynot_process::Machine;
use wynot_process::elf::{ElfFile, ElfKind, ElfSection};
use wynot_process::symbols::FunctionTable;

/// The call frame information of a program or library.
#[derive(Debug)]
pub struct CallFrames {
    elf: ElfFile,
    machine: Machine,
    eh_frame: ElfSection,
    eh_frame_hdr: ElfSection,
    debug_frame: ElfSection,
    /// Functions by their symbols, read when they are first needed.
    functions: OnceLock<FunctionTable>,
}

/// A program or library that a process has loaded.
#[derive(Clone, Copy, Debug)]
pub struct LoadedFile<'l> {
    /// The tables for unwinding its functions.
    pub call_frames: &'l CallFrames,
    /// The distance between the addresses of the process and those of the file.
    pub bias: u64,
}

impl CallFrames {
    /// Reads a program or library.
    pub fn read(path: &Path) -> Result<Self, ProgramError> {
        let elf = ElfFile::open(path).map_err(|error| ProgramError::from_elf(path, error))?;
        let machine =
            elf.machine().map_err(|other| ProgramError::Architecture(path.to_owned(), other.0))?;
        let other_kind = match elf.kind() {
            ElfKind::FixedProgram | ElfKind::PositionIndependent => None,
            ElfKind::Object => Some("an object file that is not linked"),
            ElfKind::Core => Some("a memory dump"),
            ElfKind::Unknown => Some("an ELF file of an unknown kind"),
        };
        if let Some(kind) = other_kind {
            return Err(ProgramError::NotExecutable(path.to_owned(), kind));
        }
        let section = |name| elf.section(name).unwrap_or_default();
        Ok(Self {
            machine,
            eh_frame: section(".eh_frame"),
            eh_frame_hdr: section(".eh_frame_hdr"),
            debug_frame: section(".debug_frame"),
            functions: OnceLock::new(),
            elf,
        })
    }

    /// The file.
    pub(super) fn elf(&self) -> &ElfFile {
        &self.elf
    }

    /// Whether code is loaded at an address of the file.
    pub(super) fn is_code(&self, address: u64) -> bool {
        self.elf.is_code(address)
    }

    /// The processor that the program or library is compiled for.
    pub fn machine(&self) -> Machine {
        self.machine
    }

    /// The name of the function at an address of the file, by its symbol.
    pub fn symbol_at(&self, address: u64) -> Option<String> {
        self.functions.get_or_init(|| self.elf.functions()).name_at(address)
    }

    /// Applies `work` to the rules for an address of the file, if there are any. The last argument of `work` says
    /// whether the function at the address was called by the system to handle a signal.
    pub(super) fn with_row<T>(
        &self,
        address: u64,
        context: &mut UnwindContext<usize>,
        work: impl Fn(&dyn ExpressionSource, &UnwindTableRow<usize>, bool) -> Option<T>,
    ) -> Option<T> {
        let bases = BaseAddresses::default()
            .set_eh_frame(self.eh_frame.addresses.start)
            .set_eh_frame_hdr(self.eh_frame_hdr.addresses.start);
        let word_size = self.machine.word_size() as u8;
        let mut eh_frame = EhFrame::new(&self.eh_frame.contents, LittleEndian);
        eh_frame.set_address_size(word_size);
        if let Some(offset) = self.look_up(address, &bases) {
            let fde =
                eh_frame.fde_from_offset(&bases, offset.into(), EhFrame::cie_from_offset).ok()?;
            if fde.contains(address) {
                let row = fde.unwind_info_for_address(&eh_frame, &bases, context, address).ok()?;
                return work(&eh_frame, row, fde.is_signal_trampoline());
            }
        }
        let mut debug_frame = DebugFrame::new(&self.debug_frame.contents, LittleEndian);
        debug_frame.set_address_size(word_size);
        if let Ok(fde) = debug_frame.fde_for_address(&bases, address, DebugFrame::cie_from_offset) {
            let row = fde.unwind_info_for_address(&debug_frame, &bases, context, address).ok()?;
            return work(&debug_frame, row, fde.is_signal_trampoline());
        }
        if !self.eh_frame_hdr.contents.is_empty() {
            return None;
        }
        let fde = eh_frame.fde_for_address(&bases, address, EhFrame::cie_from_offset).ok()?;
        let row = fde.unwind_info_for_address(&eh_frame, &bases, context, address).ok()?;
        work(&eh_frame, row, fde.is_signal_trampoline())
    }

    /// The register and the offset that give the canonical frame address, if it follows from a register.
    pub(super) fn frame_address_rule(&self, address: u64) -> Option<(u16, i64)> {
        self.with_row(address, &mut UnwindContext::new(), |_, row, _| match row.cfa() {
            CfaRule::RegisterAndOffset { register, offset } => Some((register.0, *offset)),
            CfaRule::Expression(_) => None,
        })
    }

    /// The offset in `.eh_frame` of the entry for an address, by the sorted table of `.eh_frame_hdr`.
    fn look_up(&self, address: u64, bases: &BaseAddresses) -> Option<usize> {
        let header = EhFrameHdr::new(&self.eh_frame_hdr.contents, LittleEndian);
        let header = header.parse(bases, self.machine.word_size() as u8).ok()?;
        let entry = header.table()?.lookup(address, bases).ok()?.direct().ok()?;
        usize::try_from(entry.checked_sub(self.eh_frame.addresses.start)?).ok()
    }
}

/// A table that contains the expressions of its rules.
pub(super) trait ExpressionSource {
    /// The code of an expression.
    fn code(&self, expression: UnwindExpression<usize>) -> Option<Reader<'_>>;
}

impl<'a> ExpressionSource for EhFrame<Reader<'a>> {
    fn code(&self, expression: UnwindExpression<usize>) -> Option<Reader<'_>> {
        expression.get(self).ok().map(|expression| expression.0)
    }
}

impl<'a> ExpressionSource for DebugFrame<Reader<'a>> {
    fn code(&self, expression: UnwindExpression<usize>) -> Option<Reader<'_>> {
        expression.get(self).ok().map(|expression| expression.0)
    }
}
