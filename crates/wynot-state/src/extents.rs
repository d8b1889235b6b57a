//! How far objects reach.

use crate::dwarf::{Kind, TypeId};
use crate::extraction::Search;
use crate::memory::Memory;
use crate::object::Text;
use crate::values::{is_text, pointer};
use std::ops::Range;

/// The longest text and the largest object outside of the heap.
const LONGEST_TEXT: u64 = 1 << 20;

/// The longest row of texts that is taken for one.
const LONGEST_ROW: u64 = 1 << 16;

/// How large an object is.
pub(crate) struct Extent {
    /// In bytes.
    pub size: u64,
    /// How many values there are.
    pub count: u64,
    /// It is text.
    pub text: Option<Text>,
}

impl<M: Memory> Search<'_, '_, M> {
    /// How large an object is, if there is room for so much.
    pub fn extent(
        &self,
        address: u64,
        of: TypeId,
        room: u64,
        begins: bool,
        count: Option<u64>,
    ) -> Extent {
        let size = self.types[of].size;
        let is_text = is_text(self.types, of);
        if let Some(count) = count.filter(|count| count.saturating_mul(size) <= room) {
            let text = is_text.then_some(Text { length: count, ended: false });
            return Extent { size: count * size, count, text };
        }
        if is_text && let Some(text) = self.memory.text(address, room) {
            let text = Text { length: text.len() as u64, ended: true };
            // What lies behind it may be text, too, that was cut off.
            let size = if begins { room } else { text.size() };
            return Extent { size, count: 1, text: Some(text) };
        }
        if begins {
            return Extent { size: room, count: self.rows(of, room), text: None };
        }
        match self.row_of_texts(address, of) {
            Some(count) => Extent { size: size * count, count, text: None },
            None => Extent { size: room.min(size), count: 1, text: None },
        }
    }

    /// How many values of a type have room.
    pub fn rows(&self, of: TypeId, room: u64) -> u64 {
        match self.layouts.open_end(of) {
            Some(_) => 1,
            None => room.checked_div(self.types[of].size).map_or(0, |rows| rows.max(1)),
        }
    }

    /// Pointers to text often come in rows that end with a null, as the arguments of a program. How many
    /// there are, with the null.
    fn row_of_texts(&self, address: u64, of: TypeId) -> Option<u64> {
        let Kind::Pointer { to } = self.types[of].kind else { return None };
        if !is_text(self.types, to) {
            return None;
        }
        let size = self.types[of].size;
        let element = |index: u64| {
            let at = address.checked_add(index * size)?;
            // What is known to be something else is no part of it.
            let free = self.spot(at, self.hints.heap.index(at)).is_none();
            self.memory.bytes(at, size).and_then(pointer).filter(|_| free)
        };
        let is_text = |text: u64| self.memory.text(text, LONGEST_TEXT).is_some();
        let mut count = 0;
        while count < LONGEST_ROW {
            match element(count)? {
                0 => return Some(count + 1),
                text if is_text(text) => count += 1,
                _ => return None,
            }
        }
        None
    }

    /// How much can be at an address at most.
    pub fn room(&self, address: u64, to: TypeId, block: Option<&Range<u64>>) -> Option<u64> {
        if matches!(self.types[to].kind, Kind::Function) {
            return None;
        }
        if let Some(block) = block {
            return Some(block.end - address);
        }
        let stretch = self.memory.stretch(address)?.end - address;
        Some(stretch.min(LONGEST_TEXT).min(self.hints.heap.until_block(address)))
    }
}
