//! The prologue of a function: the code before its body, which makes room for its variables.
//!
//! The rules are those of GDB, so that a breakpoint on a function is at the same address in both.

use crate::dwarf::lines::{LineRow, LineTable};
use std::ops::Range;
use wynot_process::Machine;

/// The compiler of a function, as far as it matters for the prologue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compiler {
    /// A compiler that describes the locations of variables from the first instruction on.
    Exact,
    /// A compiler that marks the end of a prologue in the line table.
    Llvm,
    /// Any other compiler.
    Other,
}

impl Compiler {
    /// `has_location_lists` says whether the unit describes locations that change from instruction to
    /// instruction.
    pub(super) fn new(producer: &[u8], has_location_lists: bool) -> Self {
        match producer {
            producer if producer.starts_with(b"clang ") => Self::Llvm,
            producer if producer.starts_with(b"GNU ") && has_location_lists => Self::Exact,
            _ => Self::Other,
        }
    }
}

/// The address at which the body of a function begins. The first `frame_setup` bytes of its code set up the frame.
pub(super) fn body_start(
    entry: u64,
    range: &Range<u64>,
    frame_setup: u64,
    compiler: Compiler,
    lines: &LineTable,
) -> u64 {
    let start = match compiler {
        Compiler::Exact => return entry,
        Compiler::Llvm => end_by_lines(entry, range, lines),
        Compiler::Other => None,
    };
    let start = start.unwrap_or_else(|| entry.saturating_add(frame_setup));
    // A line that begins before this address belongs to the prologue as a whole.
    let Some(row) = lines.row_at(start) else { return start };
    let end = lines.row_end(start).filter(|end| range.contains(end));
    if row.address == start { start } else { end.unwrap_or(start) }
}

/// The number of bytes at the beginning of the code that set up the frame: `push %rbp; mov %rsp,%rbp`, maybe after
/// `endbr64` and, in 32-bit programs, after `lea 4(%esp),%ecx; and $-16,%esp; push -4(%ecx)`.
pub(super) fn frame_setup_bytes(machine: Machine, code: &[u8]) -> u64 {
    let parts: [&[&[u8]]; 4] = match machine {
        Machine::X86_64 => [
            &[&[0xf3, 0x0f, 0x1e, 0xfa], &[]],
            &[&[]],
            &[&[0x55], &[0x40, 0x55]],
            &[&[0x48, 0x89, 0xe5], &[0x48, 0x8b, 0xec]],
        ],
        Machine::I386 => [
            &[&[0xf3, 0x0f, 0x1e, 0xfb], &[]],
            &[&[0x8d, 0x4c, 0x24, 0x04, 0x83, 0xe4, 0xf0, 0xff, 0x71, 0xfc], &[]],
            &[&[0x55]],
            &[&[0x89, 0xe5], &[0x8b, 0xec]],
        ],
    };
    let mut rest = code;
    for choices in parts {
        let Some(next) = choices.iter().find_map(|choice| rest.strip_prefix(*choice)) else {
            return 0;
        };
        rest = next;
    }
    (code.len() - rest.len()) as u64
}

/// The address of the row that is marked as the end of the prologue; without one, that of the second line. Lines
/// with smaller numbers than the first are skipped, because there the compiler has moved code.
fn end_by_lines(entry: u64, range: &Range<u64>, lines: &LineTable) -> Option<u64> {
    let mut row = lines.row_at(entry).filter(|row| row.line != 0)?;
    let is_in_file = |other: &&LineRow| !other.is_sequence_end && row.file == other.file;
    let mut inside = lines.rows_in(range).iter().filter(is_in_file);
    if let Some(marked) = inside.find(|other| other.is_prologue_end) {
        return Some(marked.address);
    }
    let at_entry = lines.rows_in(&(row.address..row.address.saturating_add(1))).iter();
    if at_entry.filter(is_in_file).count() > 1 {
        // Two rows for one instruction mean that there is no prologue.
        return Some(row.address);
    }
    let end_of = |address| lines.row_end(address).filter(|end| range.contains(end));
    let mut end = end_of(row.address)?;
    while let Some(next) = lines.row_at(end) {
        if next.line == 0 || next.line >= row.line || row.file != next.file {
            break;
        }
        let Some(next_end) = end_of(end) else { break };
        (row, end) = (next, next_end);
    }
    Some(end)
}
