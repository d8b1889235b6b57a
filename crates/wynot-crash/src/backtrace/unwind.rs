//! Walking over a stack, from the innermost frame to the outermost, with the unwind tables that compilers
//! write for exceptions.
//!
//! The only file with types of framehop.

use super::unwind_registers::UnwindRegisters;
#[cfg(target_arch = "aarch64")]
use framehop::aarch64::{
    CacheAarch64 as Cache, UnwindRegsAarch64 as FrameRegs, UnwinderAarch64 as Rules,
};
#[cfg(not(target_arch = "aarch64"))]
use framehop::x86_64::{
    CacheX86_64 as Cache, UnwindRegsX86_64 as FrameRegs, UnwinderX86_64 as Rules,
};
use framehop::{
    ExplicitModuleSectionInfo, FrameAddress, MayAllocateDuringUnwind, Module, Unwinder as _,
};
use std::ops::Range;
use wynot_process::elf::ElfSection;
use wynot_process::mapped_file::FileSlice;
use wynot_process::maps::MemoryMap;
use wynot_process::memory::StackReader;

/// The sections of a file from which its functions can be unwound.
#[derive(Clone, Debug, Default)]
pub(super) struct UnwindTables {
    pub(super) eh_frame: Option<ElfSection>,
    pub(super) eh_frame_hdr: Option<ElfSection>,
    pub(super) debug_frame: Option<ElfSection>,
    /// The addresses of the code.
    pub(super) text: Option<Range<u64>>,
}

/// Unwinds the stacks of one process.
pub(super) struct Unwinder {
    rules: Rules<FileSlice, MayAllocateDuringUnwind>,
    cache: Cache<MayAllocateDuringUnwind>,
}

/// How a walk over a stack has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WalkEnd {
    /// At the outermost frame.
    Outermost,
    /// When the visitor had seen enough.
    Enough,
    /// At a return address that is no code: something has written over the stack.
    Overwritten,
    /// At a frame that the tables do not describe.
    NoRule,
}

impl Unwinder {
    pub(super) fn new() -> Self {
        Self { rules: Rules::new(), cache: Cache::new() }
    }

    /// Adds code that the process has loaded at some addresses; `bias` is their distance from the addresses in
    /// the file.
    pub(super) fn add(&mut self, addresses: Range<u64>, bias: u64, tables: &UnwindTables) {
        let split = |section: &Option<ElfSection>| {
            let section = section.clone();
            section.map_or((None, None), |found| (Some(found.addresses), Some(found.contents)))
        };
        let (eh_frame_svma, eh_frame) = split(&tables.eh_frame);
        let (eh_frame_hdr_svma, eh_frame_hdr) = split(&tables.eh_frame_hdr);
        let info = ExplicitModuleSectionInfo {
            base_svma: 0,
            text_svma: tables.text.clone(),
            eh_frame_svma,
            eh_frame,
            eh_frame_hdr_svma,
            eh_frame_hdr,
            debug_frame: split(&tables.debug_frame).1,
            ..Default::default()
        };
        self.rules.add_module(Module::new(String::new(), addresses, bias, info));
    }

    /// Visits the frames of a stack, innermost first, with the address of the instruction that is being
    /// executed or that has made the call. Ends when the visitor returns true.
    pub(super) fn walk(
        &mut self,
        registers: &UnwindRegisters,
        map: &MemoryMap,
        stack: &mut StackReader,
        mut is_enough: impl FnMut(u64) -> bool,
    ) -> WalkEnd {
        let mut registers = *registers;
        if is_enough(registers.ip) {
            return WalkEnd::Enough;
        }
        let mut address = FrameAddress::from_instruction_pointer(registers.ip);
        if !map.is_code(registers.ip) {
            // Most likely the program has called an address without code, so it can return from there.
            let Some(caller) = registers.return_at_entry(|at| stack.word(at)) else {
                return WalkEnd::NoRule;
            };
            match visit_caller(caller, map, &mut is_enough) {
                Ok(next) => address = next,
                Err(end) => return end,
            }
        }
        let first = registers.link.unwrap_or(registers.ip);
        let mut frame = FrameRegs::new(first, registers.sp, registers.fp);
        loop {
            let mut read = |at: u64| stack.word(at).ok_or(());
            let caller = self.rules.unwind_frame(address, &mut frame, &mut self.cache, &mut read);
            let caller = match caller {
                Ok(None | Some(0)) | Err(framehop::Error::ReturnAddressIsNull) => {
                    return WalkEnd::Outermost;
                }
                Ok(Some(caller)) => caller,
                Err(_) => return WalkEnd::NoRule,
            };
            match visit_caller(caller, map, &mut is_enough) {
                Ok(next) => address = next,
                Err(end) => return end,
            }
        }
    }
}

/// Visits the frame that a function returns to, unless the walk ends there.
fn visit_caller(
    return_address: u64,
    map: &MemoryMap,
    is_enough: &mut impl FnMut(u64) -> bool,
) -> Result<FrameAddress, WalkEnd> {
    if !map.is_code(return_address) {
        return Err(WalkEnd::Overwritten);
    }
    let Some(address) = FrameAddress::from_return_address(return_address) else {
        return Err(WalkEnd::NoRule);
    };
    if is_enough(return_address - 1) { Err(WalkEnd::Enough) } else { Ok(address) }
}
