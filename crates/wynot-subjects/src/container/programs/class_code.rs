//! Instructions in class files of Java: those that refer to constants or to other instructions.

use crate::container::programs::class_file::ClassReader;
use crate::container::programs::class_shapes::Shape;
use std::ops::Range;

/// What follows instructions: handlers and attributes.
const AFTER_CODE: &[Shape] = &[
    Shape::Table(2, &[Shape::Place, Shape::Place, Shape::Place, Shape::Constant]),
    Shape::Attributes,
];

/// The bytes before instructions: two limits and the length.
const BEFORE_CODE: usize = 8;

const LDC: u8 = 18;
const TABLE_SWITCH: u8 = 170;
const LOOKUP_SWITCH: u8 = 171;
const WIDE: u8 = 196;

impl ClassReader<'_, '_> {
    /// Reads the attribute with the instructions of a method.
    pub(crate) fn read_code(&mut self, bytes: Range<usize>) -> Option<usize> {
        let length = self.number(bytes.start + 4, 4)?;
        let start = bytes.start + BEFORE_CODE;
        let code = start..start.checked_add(length).filter(|end| *end <= bytes.end)?;
        self.file.add_length(bytes.start + 4, 4, code.clone(), 1);
        let outer = std::mem::replace(&mut self.code, code.clone());
        let list = self.builder.list(Vec::new());
        let mut parts = Vec::new();
        let mut at = start;
        while at < code.end {
            let end = self.read_instruction(at).filter(|end| *end <= code.end);
            let end = end.unwrap_or(code.end);
            parts.push(vec![self.file.span(at..end)]);
            at = end;
        }
        self.builder.fill_list(list, parts);
        let end = self.read(AFTER_CODE, code.end..bytes.end);
        self.code = outer;
        end
    }

    /// Reads the instruction at a position, and returns where it ends.
    fn read_instruction(&mut self, at: usize) -> Option<usize> {
        let operation = self.number(at, 1)? as u8;
        let length = match operation {
            LDC | 16 | 21..=25 | 54..=58 | 169 | 188 => 2,
            17 | 19 | 20 | 132 | 153..=168 | 178..=184 | 187 | 189 | 192 | 193 | 198 | 199 => 3,
            197 => 4,
            185 | 186 | 200 | 201 => 5,
            TABLE_SWITCH | LOOKUP_SWITCH => return self.read_switch(at, operation),
            WIDE if self.number(at + 1, 1)? == 132 => 6,
            WIDE => 4,
            _ => 1,
        };
        match operation {
            LDC => self.add_constant(at + 1, 1),
            19 | 20 | 178..=187 | 189 | 192 | 193 | 197 => self.add_constant(at + 1, 2),
            153..=168 | 198 | 199 => self.add_jump(at + 1, 2, at),
            200 | 201 => self.add_jump(at + 1, 4, at),
            _ => {}
        }
        Some(at + length)
    }

    /// Says that a number is the distance of an instruction from another one, forwards or backwards.
    fn add_jump(&mut self, at: usize, width: usize, from: usize) {
        let distance = match width {
            2 => self.number(at, 2).map(|it| it as u16 as i16 as isize),
            _ => self.number(at, 4).map(|it| it as u32 as i32 as isize),
        };
        let of = distance.and_then(|distance| from.checked_add_signed(distance));
        self.add_place(at, width, of, from);
    }

    /// Reads a switch: padding, the default, and a target for each value.
    fn read_switch(&mut self, at: usize, operation: u8) -> Option<usize> {
        let offset = at + 1 - self.code.start;
        let first = self.code.start + offset.next_multiple_of(4);
        self.file.add_padding(at + 1..first, 0, self.code.start..at + 1, 4);
        self.add_jump(first, 4, at);
        let left = self.code.end.checked_sub(first)?;
        if operation == LOOKUP_SWITCH {
            let count = self.number(first + 4, 4).filter(|count| *count <= left / 8)?;
            let pairs = (0..count).map(|index| first + 8 + index * 8);
            pairs.clone().for_each(|pair| self.add_jump(pair + 4, 4, at));
            self.add_list(first + 4, 4, pairs.map(|pair| pair..pair + 8).collect());
            return Some(first + 8 + count * 8);
        }
        let low = self.number(first + 4, 4)? as u32 as i32;
        let high = self.number(first + 8, 4)? as u32 as i32;
        let last = usize::try_from(i64::from(high) - i64::from(low)).ok()?;
        let count = last.checked_add(1).filter(|count| *count <= left / 4)?;
        let targets = (0..count).map(|index| first + 12 + index * 4);
        targets.for_each(|target| self.add_jump(target, 4, at));
        Some(first + 12 + count * 4)
    }
}
