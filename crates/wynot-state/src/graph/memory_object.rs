//! Variables and objects: the roots and the vertices of a memory graph.

use crate::dwarf::TypeId;

/// The scope that a variable belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VariableScope {
    /// A call that has not returned.
    Frame {
        /// The depth of the call on the stack; 0 is the outermost one, the greatest number the innermost one.
        level: u32,
        /// The name of the function, with its thread if that is not the one that has stopped.
        function: String,
    },
    /// The whole run of the program.
    Global,
    /// The process: what differs is no variable, but an open file.
    Process,
}

/// The level of the innermost frame, which is the same in both runs, however deep their stacks are.
pub const INNERMOST_LEVEL: u32 = u32::MAX;

impl VariableScope {
    /// The function of a frame that is not the innermost one.
    pub fn outer_function(&self) -> Option<&str> {
        match self {
            Self::Frame { level, function } if *level != INNERMOST_LEVEL => Some(function),
            Self::Frame { .. } | Self::Global | Self::Process => None,
        }
    }
}

/// A variable from which objects are found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootVariable {
    /// The variable's name in the source.
    pub name: String,
    /// The type of the variable.
    pub of: TypeId,
    /// The address of its first byte.
    pub address: u64,
    /// The scope that it belongs to.
    pub scope: VariableScope,
    /// Whether it certainly has been set. A local variable may still hold what its memory held before.
    pub is_set: bool,
}

/// The number of an object in its graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

/// Consecutive values of one type, possibly followed by bytes of unknown type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryObject {
    /// The address of its first byte.
    pub address: u64,
    /// Its size in bytes, including those of unknown type.
    pub size: u64,
    /// The type of each value.
    pub of: TypeId,
    /// The number of values.
    pub count: u64,
    /// The size in bytes that it could grow to where it lies.
    pub capacity: u64,
    /// The number of bytes that another object must have to take its content; the rest is unused memory.
    pub required_size: u64,
    /// Whether the number of values follows from the size of the block only.
    pub count_is_guess: bool,
    /// Whether it is the last piece of a pool, whose unused memory follows.
    pub ends_pool: bool,
    /// Whether it fills a heap block, so that another object of that size could take its place.
    pub on_heap: bool,
    /// The length of its text, if it is text.
    pub text: Option<TextLength>,
    /// The variable or pointer that it is named after.
    pub found_by: FoundBy,
    /// Whether it is a block that was freed.
    pub is_free: bool,
    /// The offset that the pointer which it was found by leads to. In a hash table, the values come before that.
    pub entry_offset: u64,
    /// Whether it turned out to be a part of another object, which replaces it.
    pub(crate) absorbed: bool,
}

impl MemoryObject {
    /// Whether a pointer to this offset belongs to the object. On the heap that holds for the whole block
    /// and its end, since pointers often lead just past the last value.
    pub fn reaches(&self, offset: u64) -> bool {
        offset < self.size || (self.on_heap && offset <= self.capacity)
    }
}

impl MemoryObject {
    /// The offset of the first value of a hash table whose values have this size; `None` if it is no hash table.
    pub(crate) fn first_value(&self, size: u64) -> Option<u64> {
        let is_table = self.entry_offset > 0;
        is_table.then(|| self.entry_offset.saturating_sub(size.saturating_mul(self.count)))
    }
}

/// The length of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextLength {
    /// The number of bytes without the terminating zero.
    pub length: u64,
    /// Whether a terminating zero marks the end, rather than a length that is stored elsewhere.
    pub ended: bool,
}

impl TextLength {
    /// The number of bytes with the terminating zero.
    pub fn size(&self) -> u64 {
        self.length + u64::from(self.ended)
    }
}

/// The variable or pointer that an object was found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundBy {
    /// The object is the content of this variable, by its index among the roots.
    Variable(u32),
    /// A pointer in another object leads to it.
    Pointer {
        /// The object that contains the pointer.
        object: ObjectId,
        /// The offset of the pointer in that object, in bytes.
        offset: u64,
    },
}

/// A byte of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ObjectOffset {
    /// The object.
    pub object: ObjectId,
    /// The offset from the start of the object, in bytes.
    pub offset: u64,
}

/// The shortest path from a variable to an object.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ObjectPath {
    /// The index of the variable among the roots.
    pub variable: u32,
    /// The number of pointers on the path.
    pub depth: u32,
    /// How many of the last pointers are the same member of the same type, as in a list.
    pub run: u32,
    /// The object that contains the first pointer of that run.
    pub start: ObjectId,
}
