//! The memory of a stopped program, as GDB has written it into a file.

use object::{Object, ObjectSegment};
use std::path::Path;
use wynot_process::ReadMemory;

/// Parts of memory, by address.
pub struct Dump(pub Vec<(u64, Vec<u8>)>);

impl ReadMemory for Dump {
    fn read_memory(&self, address: u64, into: &mut [u8]) -> bool {
        self.0.iter().any(|(start, bytes)| {
            let from = address.checked_sub(*start).and_then(|from| usize::try_from(from).ok());
            let part = from.and_then(|from| bytes.get(from..from.checked_add(into.len())?));
            part.is_some_and(|part| {
                into.copy_from_slice(part);
                true
            })
        })
    }
}

impl Dump {
    pub fn open(path: &Path) -> Self {
        let bytes = std::fs::read(path).expect("a dump");
        let file = object::File::parse(&*bytes).expect("a dump");
        let part = |segment: object::Segment<'_, '_>| {
            (segment.address(), segment.data().expect("data").to_vec())
        };
        Self(file.segments().map(part).collect())
    }
}
