//! The path of calls that leads to a stop, followed from stop to stop.
//!
//! A frame is known by its canonical frame address, which does not change while its function runs. Frames below that of a
//! stop have returned. So no stack has to be unwound; functions at which a run does not stop are no part of a path.

use crate::dwarf::Program;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use wynot_process::Registers;

/// The active calls of a run.
pub(crate) struct CallPaths<'p> {
    program: &'p Program,
    frames: Vec<ActiveCall>,
    /// For each address the function, and the register and the offset that give the frame address.
    known: HashMap<u64, (u64, Option<(u16, i64)>)>,
}

/// A call that has not returned.
#[derive(Clone, Copy)]
struct ActiveCall {
    /// The canonical frame address.
    frame: u64,
    /// The address of the function.
    function: u64,
    path: CallPath,
}

/// A path of calls, as numbers that are equal for equal paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CallPath {
    /// The number of the whole path.
    pub exact: u64,
    /// The number of the path without recursion: each function counts once.
    pub collapsed: u64,
}

impl<'p> CallPaths<'p> {
    pub fn new(program: &'p Program) -> Self {
        Self { program, frames: Vec::new(), known: HashMap::new() }
    }

    /// The path to a stop at an address of the file, with these registers.
    pub fn at(&mut self, address: u64, registers: &Registers) -> CallPath {
        let program = self.program;
        let (function, rule) = *self.known.entry(address).or_insert_with(|| {
            let function = program.function_at(address).map_or(address, |id| program[id].entry);
            (function, program.frame_address_rule(address))
        });
        let by_rule = rule.and_then(|(register, offset)| {
            let value = registers.by_dwarf_number().get(usize::from(register)).copied()?;
            Some(value.wrapping_add_signed(offset))
        });
        let frame = by_rule.unwrap_or_else(|| registers.sp());
        self.enter(frame, function)
    }

    /// The path to a function with a frame.
    fn enter(&mut self, frame: u64, function: u64) -> CallPath {
        let has_returned = |call: &ActiveCall| {
            call.frame < frame || (call.frame == frame && call.function != function)
        };
        while self.frames.last().is_some_and(has_returned) {
            self.frames.pop();
        }
        if let Some(call) = self.frames.last().filter(|call| call.frame == frame) {
            return call.path;
        }
        let caller = self.frames.last().map(|call| call.path).unwrap_or_default();
        let same = self.frames.iter().find(|call| call.function == function);
        let collapsed = match same {
            Some(call) => call.path.collapsed,
            None => number(caller.collapsed, function),
        };
        let path = CallPath { exact: number(caller.exact, function), collapsed };
        self.frames.push(ActiveCall { frame, function, path });
        path
    }
}

/// The number of a path with one more call.
fn number(caller: u64, function: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (caller, function).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paths of calls, each given by its frame address and its function.
    fn paths(calls: &[(u64, u64)]) -> Vec<CallPath> {
        let path = std::env::current_exe().unwrap();
        let program = Program::read(&path).unwrap();
        let mut paths = CallPaths::new(&program);
        calls.iter().map(|(frame, function)| paths.enter(*frame, *function)).collect()
    }

    #[test]
    fn calls_of_one_function_from_another_have_one_path() {
        let found = paths(&[(100, 1), (80, 2), (80, 3), (80, 2), (60, 3)]);
        assert_eq!(found[1], found[3]);
        assert_ne!(found[2], found[4]);
    }

    #[test]
    fn recursion_counts_in_the_exact_path_only() {
        let found = paths(&[(100, 1), (80, 2), (60, 2), (40, 2)]);
        assert_ne!(found[1].exact, found[3].exact);
        assert_eq!(found[1].collapsed, found[3].collapsed);
        // What a function calls on another level of its recursion is the same but for that.
        let inner = paths(&[(100, 1), (80, 2), (60, 3)])[2];
        let deeper = paths(&[(100, 1), (80, 2), (60, 2), (40, 3)])[3];
        assert_eq!(inner.collapsed, deeper.collapsed);
    }
}
