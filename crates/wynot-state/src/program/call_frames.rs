//! How to get out of the functions of a program or library, by the tables that compilers write.

use super::attributes::Reader;
use super::error::ProgramError;
use super::image::Image;
use super::mapping::Part;
use crate::Machine;
use gimli::{
    BaseAddresses, DebugFrame, EhFrame, EhFrameHdr, LittleEndian, UnwindContext, UnwindSection,
    UnwindTableRow,
};
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

/// How to get out of the functions of a program or library.
#[derive(Debug)]
pub struct CallFrames {
    image: Image,
    eh_frame: (u64, Part),
    eh_frame_header: (u64, Part),
    debug_frame: Part,
    /// Functions by their symbols, read when somebody asks.
    functions: OnceLock<Vec<(Range<u64>, String)>>,
}

/// A program or library that a process has loaded.
#[derive(Clone, Copy, Debug)]
pub struct Loaded<'l> {
    /// How to get out of its functions.
    pub code: &'l CallFrames,
    /// How far from where the file says it lies.
    pub bias: u64,
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
        Self { image, eh_frame, eh_frame_header, debug_frame, functions: OnceLock::new() }
    }

    pub(super) fn image(&self) -> &Image {
        &self.image
    }

    /// Whether code is loaded at an address of the file.
    pub(super) fn is_code(&self, address: u64) -> bool {
        self.image.is_code(address)
    }

    /// What the program or library is made for.
    pub fn machine(&self) -> Machine {
        self.image.machine
    }

    /// The function at an address of the file, by its symbol.
    pub fn symbol_at(&self, address: u64) -> Option<&str> {
        let functions = self.functions.get_or_init(|| self.image.functions());
        let behind = functions.partition_point(|(range, _)| range.start <= address);
        let (range, name) = functions.get(behind.checked_sub(1)?)?;
        range.contains(&address).then_some(name)
    }

    /// What to do at an address of the file, if that is known.
    pub(super) fn with_row<T>(
        &self,
        address: u64,
        context: &mut UnwindContext<usize>,
        work: impl Fn(&dyn Expressions, &UnwindTableRow<usize>, bool) -> Option<T>,
    ) -> Option<T> {
        let bases = BaseAddresses::default()
            .set_eh_frame(self.eh_frame.0)
            .set_eh_frame_hdr(self.eh_frame_header.0);
        let word = self.machine().word() as u8;
        let mut eh_frame = EhFrame::new(&self.eh_frame.1, LittleEndian);
        eh_frame.set_address_size(word);
        if let Some(offset) = self.look_up(address, &bases) {
            let fde =
                eh_frame.fde_from_offset(&bases, offset.into(), EhFrame::cie_from_offset).ok()?;
            if fde.contains(address) {
                let row = fde.unwind_info_for_address(&eh_frame, &bases, context, address).ok()?;
                return work(&eh_frame, row, fde.is_signal_trampoline());
            }
        }
        let mut debug_frame = DebugFrame::new(&self.debug_frame, LittleEndian);
        debug_frame.set_address_size(word);
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
        let header = header.parse(bases, self.machine().word() as u8).ok()?;
        let entry = header.table()?.lookup(address, bases).ok()?.direct().ok()?;
        usize::try_from(entry.checked_sub(self.eh_frame.0)?).ok()
    }
}

/// Expressions in a table, whichever table it is.
pub(super) trait Expressions {
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
