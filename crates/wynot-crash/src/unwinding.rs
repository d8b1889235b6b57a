//! From the innermost frame to the outermost, by the tables that compilers write for exceptions.

use crate::mapping::Part;
use crate::maps::Maps;
use crate::memory::Memory;
use crate::tracee::Registers;
#[cfg(target_arch = "aarch64")]
use framehop::aarch64::{
    CacheAarch64 as Cache, UnwindRegsAarch64 as Frame, UnwinderAarch64 as Rules,
};
#[cfg(not(target_arch = "aarch64"))]
use framehop::x86_64::{CacheX86_64 as Cache, UnwindRegsX86_64 as Frame, UnwinderX86_64 as Rules};
use framehop::{
    ExplicitModuleSectionInfo, FrameAddress, MayAllocateDuringUnwind, Module, Unwinder as _,
};
use std::ops::Range;

/// What unwinding needs to know about a file of code.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tables {
    pub eh_frame: Option<(Range<u64>, Part)>,
    pub eh_frame_hdr: Option<(Range<u64>, Part)>,
    pub debug_frame: Option<Part>,
    pub text: Option<Range<u64>>,
}

/// Knows which code lies where in a process, and how to get out of it.
pub(crate) struct Unwinder {
    rules: Rules<Part, MayAllocateDuringUnwind>,
    cache: Cache<MayAllocateDuringUnwind>,
}

/// How a walk over a stack ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Walk {
    /// At the outermost frame.
    Complete,
    /// When enough had been seen.
    Enough,
    /// Where the place to return to is no code: something was written over it.
    Broken,
    /// Where no rule said how to go on.
    Lost,
}

impl Unwinder {
    pub(crate) fn new() -> Self {
        Self { rules: Rules::new(), cache: Cache::new() }
    }

    /// Adds code that lies at an address; `bias` is how far from where the file says.
    pub(crate) fn add(&mut self, at: Range<u64>, bias: u64, tables: &Tables) {
        let section = |section: &Option<(Range<u64>, Part)>| {
            section.clone().map_or((None, None), |(range, part)| (Some(range), Some(part)))
        };
        let (eh_frame_svma, eh_frame) = section(&tables.eh_frame);
        let (eh_frame_hdr_svma, eh_frame_hdr) = section(&tables.eh_frame_hdr);
        let info = ExplicitModuleSectionInfo {
            base_svma: 0,
            text_svma: tables.text.clone(),
            eh_frame_svma,
            eh_frame,
            eh_frame_hdr_svma,
            eh_frame_hdr,
            debug_frame: tables.debug_frame.clone(),
            ..Default::default()
        };
        self.rules.add_module(Module::new(String::new(), at, bias, info));
    }

    /// Visits the frames of a stack, innermost first: with the address of the instruction that is
    /// executed or that called. Stops when the visitor has seen enough.
    pub(crate) fn walk(
        &mut self,
        registers: &Registers,
        maps: &Maps,
        memory: &mut Memory,
        mut enough: impl FnMut(u64) -> bool,
    ) -> Walk {
        let mut registers = *registers;
        if enough(registers.ip) {
            return Walk::Enough;
        }
        let mut address = FrameAddress::from_instruction_pointer(registers.ip);
        if !maps.is_code(registers.ip) {
            // It has jumped to where no code is, most likely by calling: it can come back from there.
            let Some(caller) = registers.leave_call(|at| memory.word(at)) else {
                return Walk::Lost;
            };
            if !maps.is_code(caller) {
                return Walk::Broken;
            }
            let Some(from) = FrameAddress::from_return_address(caller) else { return Walk::Lost };
            if enough(caller - 1) {
                return Walk::Enough;
            }
            address = from;
        }
        let first = registers.link.unwrap_or(registers.ip);
        let mut frame = Frame::new(first, registers.sp, registers.fp);
        loop {
            let mut read = |at: u64| memory.word(at).ok_or(());
            let next = self.rules.unwind_frame(address, &mut frame, &mut self.cache, &mut read);
            let next = match next {
                Ok(None) | Ok(Some(0)) => return Walk::Complete,
                Ok(Some(next)) => next,
                Err(framehop::Error::ReturnAddressIsNull) => return Walk::Complete,
                Err(_) => return Walk::Lost,
            };
            if !maps.is_code(next) {
                return Walk::Broken;
            }
            let Some(from) = FrameAddress::from_return_address(next) else { return Walk::Lost };
            if enough(next - 1) {
                return Walk::Enough;
            }
            address = from;
        }
    }
}
