//! The types of a program.

/// One of the types of a program. Types that are declared in many places are one, if they are the same:
/// two identifiers are equal if and only if what lies behind them has the same shape and name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub(crate) u32);

/// A type. Other names for it and qualifiers such as `const` do not make another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    /// As a programmer writes it: `unsigned int`, `struct node`, `core::option::Option<u32>`.
    pub name: String,
    /// In bytes. Nothing has a size of 0, except for what is not known.
    pub size: u64,
    /// What its values look like.
    pub kind: Kind,
}

/// What values of a type look like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No values, or nothing is known about them: `void`, types that are declared only.
    Unknown,
    /// Yes or no.
    Boolean,
    /// A number.
    Integer {
        /// Whether it can be below 0.
        signed: bool,
    },
    /// A unit of text.
    Character {
        /// Whether its number can be below 0.
        signed: bool,
    },
    /// A number with a fraction.
    Float,
    /// Numbers with names.
    Enumeration {
        /// Whether they can be below 0.
        signed: bool,
        /// In the order of their declaration.
        names: Vec<(i128, String)>,
    },
    /// Also references and pointers to functions.
    Pointer {
        /// What is found there.
        to: TypeId,
    },
    /// Code.
    Function,
    /// Several at a time. Base classes are members that have their names.
    Structure {
        /// In the order of their declaration.
        members: Vec<Member>,
    },
    /// One of several, and nothing says which.
    Union {
        /// In the order of their declaration.
        members: Vec<Member>,
    },
    /// One of several, and a tag says which, as in Rust's enums.
    Variants {
        /// Says which. If there is none, there is one variant.
        tag: Option<Member>,
        /// Members of all.
        shared: Vec<Member>,
        /// In the order of their declaration.
        variants: Vec<Variant>,
    },
    /// One after the other. The number may be unknown, as in `char name[]`.
    Array {
        /// What each one is.
        of: TypeId,
        /// How many there are.
        count: Option<u64>,
    },
}

/// A part of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Empty if it has none: the members of such a structure or union are used like members of this one.
    pub name: String,
    /// In bytes, from the beginning of the whole.
    pub offset: u64,
    /// What it is.
    pub of: TypeId,
    /// If it is not made of whole bytes.
    pub bits: Option<Bits>,
}

/// Some bits of the bytes at a member's offset, the lowest one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits {
    /// One of the eight of the first byte.
    pub first: u8,
    /// How many there are.
    pub count: u8,
}

impl Bits {
    /// How many bytes, from the member's offset on, the bits are in; up to nine.
    pub fn bytes(self) -> usize {
        (usize::from(self.first) + usize::from(self.count)).div_ceil(8)
    }
}

/// One of the forms that a value can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// As it is written after the name of the type.
    pub name: String,
    /// The values of the tag, first and last, that stand for it; of the variant that stands for all
    /// others there are none.
    pub tags: Vec<(i128, i128)>,
    /// What belongs to this one only. Offsets are from the beginning of the whole.
    pub members: Vec<Member>,
}

/// All types of a program.
#[derive(Clone, Debug, Default)]
pub struct Types(Vec<Type>);

impl Types {
    /// The first one must be that of no values.
    pub(crate) fn new(types: Vec<Type>) -> Self {
        Self(types)
    }

    /// What there are no values of: what `void *` points to. It is also what nothing is known about.
    pub const VOID: TypeId = TypeId(0);

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All types with their identifiers.
    pub fn iter(&self) -> impl Iterator<Item = (TypeId, &Type)> {
        (0..).map(TypeId).zip(&self.0)
    }

    /// All types with a name. There may be several: files of a program can use a name in different ways.
    pub fn by_name(&self, name: &str) -> impl Iterator<Item = TypeId> {
        self.iter().filter(move |(_, known)| known.name == name).map(|(id, _)| id)
    }
}

impl std::ops::Index<TypeId> for Types {
    type Output = Type;

    fn index(&self, id: TypeId) -> &Type {
        &self.0[id.0 as usize]
    }
}
