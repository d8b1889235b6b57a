//! The types of a program.

/// One of the types of a program. Types that are declared in many places are one, if they are the same:
/// two identifiers are equal if and only if what lies behind them has the same shape and name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub(crate) u32);

/// A type. Other names for it and qualifiers such as `const` do not make another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    /// As a programmer writes it: `unsigned int`, `struct node`, `Option<u32>`.
    pub name: String,
    /// In bytes. Nothing has a size of 0, except for what is not known.
    pub size: u64,
    pub kind: Kind,
}

/// What values of a type look like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No values, or nothing is known about them: `void`, types that are declared only.
    Unknown,
    Boolean,
    Integer {
        signed: bool,
    },
    /// A unit of text.
    Character {
        signed: bool,
    },
    Float,
    /// Numbers with names.
    Enumeration {
        signed: bool,
        names: Vec<(i128, String)>,
    },
    /// Also references and pointers to functions.
    Pointer {
        to: TypeId,
    },
    /// Code.
    Function,
    /// Several at a time. Base classes are members that have their names.
    Structure {
        members: Vec<Member>,
    },
    /// One of several, and nothing says which.
    Union {
        members: Vec<Member>,
    },
    /// One of several, and a tag says which, as in Rust's enums. `shared` are members of all.
    Variants {
        tag: Option<Member>,
        shared: Vec<Member>,
        variants: Vec<Variant>,
    },
    /// One after the other. The number may be unknown, as in `char name[]`.
    Array {
        of: TypeId,
        count: Option<u64>,
    },
}

/// A part of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub name: String,
    pub offset: u64,
    pub of: TypeId,
    /// If it is not made of whole bytes.
    pub bits: Option<Bits>,
}

/// Some bits of the integer at a member's offset, the lowest one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits {
    pub first: u8,
    pub count: u8,
}

/// One of the forms that a value can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    pub name: String,
    /// The values of the tag, first and last, that stand for it; of the variant that stands for all
    /// others there are none.
    pub tags: Vec<(i128, i128)>,
    pub members: Vec<Member>,
}

/// All types of a program.
#[derive(Clone, Debug, Default)]
pub struct Types(Vec<Type>);

impl Types {
    /// The type of things that nothing is known about.
    pub fn nothing(&self) -> Option<TypeId> {
        let is_it = |of: &Type| matches!(of.kind, Kind::Unknown) && of.size == 0;
        Some(TypeId(self.0.iter().position(is_it)? as u32))
    }

    #[cfg(test)]
    pub(crate) fn from_list(types: Vec<Type>) -> Self {
        Self(types)
    }
}

impl std::ops::Index<TypeId> for Types {
    type Output = Type;

    fn index(&self, id: TypeId) -> &Type {
        &self.0[id.0 as usize]
    }
}
