//! What begins with a tag in attributes of class files of Java: values of annotations, frames, types on the stack.

use crate::container::programs::class_file::ClassReader;
use crate::container::programs::class_shapes::{ANNOTATION, Shape};
use std::ops::Range;

use Shape::{Bytes, Constant, Element, Frame, Place, StackType, Table};

impl ClassReader<'_, '_> {
    /// Reads something that begins with a tag; returns where it ends.
    pub(crate) fn read_tagged(&mut self, shape: Shape, bytes: Range<usize>) -> Option<usize> {
        let tag = self.number(bytes.start, 1)? as u8;
        let added = [StackType; 3];
        let shapes: &[Shape] = match (shape, tag) {
            (Element, b'e') => &[Constant, Constant],
            (Element, b'@') => ANNOTATION,
            (Element, b'[') => &[Table(2, &[Element])],
            (Element, _) | (StackType, 7) => &[Constant],
            (StackType, 8) => &[Place],
            (Frame, 64..=127) => &[StackType],
            (Frame, 247) => &[Bytes(2), StackType],
            (Frame, 248..=251) => &[Bytes(2)],
            (Frame, 252..=254) => {
                let types = bytes.start + 3..bytes.end;
                return self.read(&added[..usize::from(tag) - 251], types);
            }
            (Frame, 255) => &[Bytes(2), Table(2, &[StackType]), Table(2, &[StackType])],
            _ => &[],
        };
        self.read(shapes, bytes.start + 1..bytes.end)
    }
}
