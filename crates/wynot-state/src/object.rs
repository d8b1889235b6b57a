//! What graphs of states are made of.

use crate::dwarf::TypeId;

/// Where variables live.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// Of a function that has been called: how many calls are inside of it, and its name.
    Frame {
        /// 0 for the outermost.
        level: u32,
        /// Its name.
        function: String,
    },
    /// As long as the program runs.
    Global,
}

/// A variable, and where it lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// As it is written in the program.
    pub name: String,
    /// What it is.
    pub of: TypeId,
    /// Where it begins.
    pub address: u64,
    /// Whose it is.
    pub scope: Scope,
}

/// One of the objects of a graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

/// Values of a type, one after the other, and maybe something behind them that nothing is known about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Where it begins.
    pub address: u64,
    /// In bytes, with what lies behind its values.
    pub size: u64,
    /// What each of its values is.
    pub of: TypeId,
    /// How many values there are.
    pub count: u64,
    /// In bytes: how large it could be, where it lies.
    pub room: u64,
    /// It is on the heap, where another one of its size could take its place.
    pub allocated: bool,
    /// It is text, and how long that is.
    pub text: Option<Text>,
    /// What it is named after.
    pub found: Found,
    /// It has turned out to be part of another one.
    pub(crate) absorbed: bool,
}

impl Object {
    /// Whether a pointer so far from its begin belongs to it. On the heap that is all of its block and its
    /// end, where pointers behind the last value lead.
    pub fn reaches(&self, offset: u64) -> bool {
        offset < self.size || (self.allocated && offset <= self.room)
    }
}

/// How long text is, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    /// Without what ends it.
    pub length: u64,
    /// Whether a zero ends it, and nobody knows its length otherwise.
    pub ended: bool,
}

impl Text {
    /// With what ends it.
    pub fn size(&self) -> u64 {
        self.length + u64::from(self.ended)
    }
}

/// How an object was found first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// It is what a variable holds.
    Variable(u32),
    /// A pointer at this offset of another one leads to it.
    Pointer {
        /// What the pointer is a part of.
        object: ObjectId,
        /// Where in it, in bytes.
        offset: u64,
    },
}

/// A place in an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spot {
    /// Which one.
    pub object: ObjectId,
    /// From its begin, in bytes.
    pub offset: u64,
}
