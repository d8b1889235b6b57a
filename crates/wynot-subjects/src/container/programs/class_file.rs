//! Class files of Java: constants, which all else refers to by number, and fields and methods with attributes.

use crate::container::byte_numbers::ByteOrder;
use crate::container::container_layout::{FieldValue, ListId};
use crate::container::flat_file::FlatFile;
use crate::container::layout_builder::LayoutBuilder;
use crate::container::programs::class_shapes::{ATTRIBUTES, Shape};
use std::ops::Range;

const MAGIC: &[u8] = b"\xca\xfe\xba\xbe";

/// Where the number of constants is; they follow.
const POOL: usize = 8;

/// The first version. Programs for several processors have the same signature, and a small number in this place.
const MIN_VERSION: usize = 45;

/// Attributes and elements nest at most this deep.
const MAX_DEPTH: usize = 24;

const FIELD_OR_METHOD: &[Shape] =
    &[Shape::Bytes(2), Shape::Constant, Shape::Constant, Shape::Attributes];

/// What follows the constants: flags, the class and the one above it, interfaces, fields, methods, attributes.
const CLASS: &[Shape] = &[
    Shape::Bytes(2),
    Shape::Constant,
    Shape::Constant,
    Shape::Table(2, &[Shape::Constant]),
    Shape::Table(2, FIELD_OR_METHOD),
    Shape::Table(2, FIELD_OR_METHOD),
    Shape::Attributes,
];

/// What reads a class. Constants are counted in slots; long ones have two.
pub(crate) struct ClassReader<'r, 'b> {
    pub(crate) builder: &'r mut LayoutBuilder,
    pub(crate) file: FlatFile<'b>,
    /// The list of slots, and the constant in each.
    list: ListId,
    slots: Vec<Range<usize>>,
    /// The instructions of the current method.
    pub(crate) code: Range<usize>,
    /// The list of bootstrap methods and their number.
    bootstraps: Option<(ListId, usize)>,
    depth: usize,
}

/// Reads a file whose constants are all there.
pub(crate) fn read_class(builder: &mut LayoutBuilder, bytes: &[u8]) -> Option<()> {
    let file = FlatFile::new(builder, bytes, ByteOrder::Big);
    let is_class = bytes.starts_with(MAGIC) && file.number(6, 2)? >= MIN_VERSION;
    let count = file.number(POOL, 2).filter(|_| is_class)?;
    let mut slots: Vec<Range<usize>> = Vec::new();
    let mut at = POOL + 2;
    while slots.len() + 1 < count {
        let tag = *bytes.get(at)?;
        let length = match tag {
            1 => 3 + file.number(at + 1, 2)?,
            7 | 8 | 16 | 19 | 20 => 3,
            15 => 4,
            3 | 4 | 9..=12 | 17 | 18 => 5,
            5 | 6 => 9,
            _ => return None,
        };
        let constant = at..at + length;
        at = Some(constant.end).filter(|end| *end <= bytes.len())?;
        let is_long = matches!(tag, 5 | 6);
        slots.extend(std::iter::repeat_n(constant, if is_long { 2 } else { 1 }));
    }
    let parts = slots.iter().map(|constant| vec![file.span(constant.clone())]).collect();
    let list = builder.counted_list(parts);
    let code = 0..0;
    let mut reader = ClassReader { builder, file, list, slots, code, bootstraps: None, depth: 0 };
    if reader.slots.len() + 1 == count {
        reader.file.add(POOL, 2, FieldValue::Count { list, times: 1, plus: 1 });
    }
    reader.read(CLASS, at..bytes.len());
    reader.read_constants();
    reader.file.append(reader.builder, POOL + 2);
    Some(())
}

impl ClassReader<'_, '_> {
    pub(crate) fn number(&self, at: usize, width: usize) -> Option<usize> {
        self.file.number(at, width)
    }

    /// Says that a number is that of a constant, if there is one. 0 stands for none.
    pub(crate) fn add_constant(&mut self, at: usize, width: usize) {
        let slot = self.number(at, width).and_then(|number| number.checked_sub(1));
        if let Some(slot) = slot.filter(|slot| *slot < self.slots.len()) {
            let value = FieldValue::Number { list: self.list, parts: vec![slot as u32] };
            self.file.add(at, width, value);
        }
    }

    /// Says that a number is a distance between instructions, if both are there.
    pub(crate) fn add_place(&mut self, at: usize, width: usize, of: Option<usize>, from: usize) {
        let is_there = |of: &usize| self.code.start <= *of && *of <= self.code.end;
        if let Some(of) = of.filter(is_there).filter(|_| is_there(&from)) {
            self.file.add_distance(at, width, of, from);
        }
    }

    /// Adds a list of parts, and the field that is their number.
    pub(crate) fn add_list(&mut self, at: usize, width: usize, parts: Vec<Range<usize>>) -> ListId {
        let list = self.builder.list(Vec::new());
        self.fill_counted((at, width), list, parts);
        list
    }

    fn fill_counted(
        &mut self,
        (at, width): (usize, usize),
        list: ListId,
        parts: Vec<Range<usize>>,
    ) {
        if self.number(at, width) == Some(parts.len()) {
            self.file.add(at, width, FieldValue::Count { list, times: 1, plus: 0 });
        }
        let spans = parts.into_iter().map(|part| vec![self.file.span(part)]).collect();
        self.builder.fill_list(list, spans);
    }

    /// The constants as parts, after all that may go with what refers to them.
    fn read_constants(&mut self) {
        let mut constants = self.slots.clone();
        constants.dedup();
        for constant in &constants {
            let at = constant.start;
            match self.file.bytes[at] {
                1 => {
                    let text = at + 3..constant.end;
                    self.file.add_length(at + 1, 2, text.clone(), 1);
                    self.builder.is_payload(self.file.span(text));
                }
                7 | 8 | 16 | 19 | 20 => self.add_constant(at + 1, 2),
                9..=12 => {
                    self.add_constant(at + 1, 2);
                    self.add_constant(at + 3, 2);
                }
                15 => self.add_constant(at + 2, 2),
                17 | 18 => {
                    self.add_constant(at + 3, 2);
                    let method = self.number(at + 1, 2);
                    if let (Some((list, count)), Some(part)) = (self.bootstraps, method)
                        && part < count
                    {
                        let part = part as u32;
                        self.file.add(at + 1, 2, FieldValue::Index { list, part });
                    }
                }
                _ => {}
            }
        }
        let parts = constants.into_iter().map(|it| vec![self.file.span(it)]).collect();
        self.builder.list(parts);
    }

    /// Reads what some shapes describe at the start of some bytes; returns where it ends, or `None` if something is
    /// missing.
    pub(crate) fn read(&mut self, shapes: &[Shape], bytes: Range<usize>) -> Option<usize> {
        let mut at = bytes.start;
        for shape in shapes {
            self.depth += 1;
            let end = match self.depth <= MAX_DEPTH {
                true => self.read_shape(*shape, at..bytes.end),
                false => None,
            };
            self.depth -= 1;
            at = end.filter(|end| *end <= bytes.end)?;
        }
        Some(at)
    }

    fn read_shape(&mut self, shape: Shape, bytes: Range<usize>) -> Option<usize> {
        let at = bytes.start;
        match shape {
            Shape::Bytes(count) => Some(at + count),
            Shape::Constant => {
                self.add_constant(at, 2);
                Some(at + 2)
            }
            Shape::Place => {
                let of = self.number(at, 2)? + self.code.start;
                self.add_place(at, 2, Some(of), self.code.start);
                Some(at + 2)
            }
            Shape::Stretch => {
                let start = self.code.start + self.number(at, 2)?;
                let end = start + self.number(at + 2, 2)?;
                self.add_place(at, 2, Some(start), self.code.start);
                self.add_place(at + 2, 2, Some(end), start);
                Some(at + 4)
            }
            Shape::Table(width, entry) => self.read_table(width, entry, bytes),
            Shape::Attributes => self.read_attributes(bytes),
            Shape::Code => self.read_code(bytes),
            Shape::Element | Shape::Frame | Shape::StackType => self.read_tagged(shape, bytes),
        }
    }

    fn read_table(&mut self, width: usize, entry: &[Shape], bytes: Range<usize>) -> Option<usize> {
        let count = self.number(bytes.start, width)?;
        let list = self.builder.list(Vec::new());
        let mut parts = Vec::new();
        let mut at = bytes.start + width;
        while parts.len() < count {
            let Some(end) = self.read(entry, at..bytes.end).filter(|end| *end > at) else { break };
            parts.push(at..end);
            at = end;
        }
        let is_whole = parts.len() == count;
        self.fill_counted((bytes.start, width), list, parts);
        is_whole.then_some(at)
    }

    /// Reads attributes, each of which has a name and a length. What is in an unknown one has no structure.
    fn read_attributes(&mut self, bytes: Range<usize>) -> Option<usize> {
        let count = self.number(bytes.start, 2)?;
        let list = self.builder.list(Vec::new());
        let mut parts = Vec::new();
        let mut at = bytes.start + 2;
        while parts.len() < count {
            let data =
                at + 6..(at + 6).saturating_add(self.number(at + 2, 4).unwrap_or(usize::MAX));
            if data.end > bytes.end {
                break;
            }
            self.add_constant(at, 2);
            self.file.add_length(at + 2, 4, data.clone(), 1);
            let name = self.name_at(at);
            let known = ATTRIBUTES.iter().find(|(known, _)| known.as_bytes() == name);
            let first = self.builder.next_list();
            let end = known.and_then(|(_, shapes)| self.read(shapes, data.clone()));
            if known.is_some_and(|(name, _)| *name == "BootstrapMethods") && end.is_some() {
                self.bootstraps = self.number(data.start, 2).map(|count| (first, count));
            }
            let rest = end.unwrap_or(data.start)..data.end;
            self.builder.is_payload(self.file.span(rest));
            parts.push(at..data.end);
            at = data.end;
        }
        let is_whole = parts.len() == count;
        self.fill_counted((bytes.start, 2), list, parts);
        is_whole.then_some(at)
    }

    /// The text of the constant whose number is at a position.
    fn name_at(&self, at: usize) -> &[u8] {
        let slot = self.number(at, 2).and_then(|number| number.checked_sub(1));
        let constant = slot.and_then(|slot| self.slots.get(slot)).cloned().unwrap_or_default();
        match self.file.bytes.get(constant.start) {
            Some(1) => &self.file.bytes[constant.start + 3..constant.end],
            _ => &[],
        }
    }
}
