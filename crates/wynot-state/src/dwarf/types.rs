//! The types of a program.

/// The identifier of a type of a program. Equal types that are declared in many places have one identifier: two
/// identifiers are equal if and only if the types have the same name and structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub(crate) u32);

/// A type. Other names for it (`typedef`) and qualifiers such as `const` do not make another type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    /// The name as programmers write it: `unsigned int`, `struct node`, `core::option::Option<u32>`.
    pub name: String,
    /// The size in bytes; 0 if it is unknown.
    pub size: u64,
    /// The structure of its values.
    pub kind: Kind,
}

/// The structure of the values of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No values, or values of unknown structure: `void`, and types that are only declared.
    Unknown,
    /// A truth value.
    Boolean,
    /// An integer.
    Integer {
        /// Whether it can be negative.
        signed: bool,
    },
    /// A character.
    Character {
        /// Whether its code can be negative.
        signed: bool,
    },
    /// A floating-point number.
    Float,
    /// An integer whose values have names.
    Enumeration {
        /// Whether the values can be negative.
        signed: bool,
        /// The values and their names, in the order of their declaration.
        names: Vec<(i128, String)>,
    },
    /// A pointer or reference, also to a function.
    Pointer {
        /// The type of the object that it points to.
        to: TypeId,
    },
    /// A function. Only pointers lead to it.
    Function,
    /// A structure or class. Base classes are members with their names.
    Structure {
        /// The members in the order of their declaration.
        members: Vec<Member>,
    },
    /// A union: one of several members, and nothing says which.
    Union {
        /// The members in the order of their declaration.
        members: Vec<Member>,
    },
    /// A tagged union, as the enums of Rust.
    Variants {
        /// The member that says which variant it is. Without one there is a single variant.
        tag: Option<Member>,
        /// The members of all variants.
        shared: Vec<Member>,
        /// The variants in the order of their declaration.
        variants: Vec<EnumVariant>,
    },
    /// An array.
    Array {
        /// The type of the elements.
        of: TypeId,
        /// The number of elements; unknown in `char name[]`.
        count: Option<u64>,
    },
}

/// A member of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The name; empty for an anonymous structure or union, whose members are used like members of this one.
    pub name: String,
    /// The offset in bytes from the beginning of the structure.
    pub offset: u64,
    /// The type of the member.
    pub of: TypeId,
    /// The bits of a bit field.
    pub bits: Option<Bits>,
}

/// The bits of a bit field, in the bytes at its offset, counted from the lowest one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits {
    /// The first bit, from 0 to 7.
    pub first: u8,
    /// The number of bits.
    pub count: u8,
}

impl Bits {
    /// The number of bytes from the offset of the member on that contain the bits; up to nine.
    pub fn bytes(self) -> usize {
        (usize::from(self.first) + usize::from(self.count)).div_ceil(8)
    }
}

/// A variant of a tagged union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumVariant {
    /// The name without that of the type.
    pub name: String,
    /// The ranges of tags, first and last, that select the variant; none for the variant that all other tags
    /// select.
    pub tags: Vec<(i128, i128)>,
    /// The members of this variant only. Offsets are from the beginning of the whole value.
    pub members: Vec<Member>,
}

/// All types of a program.
#[derive(Clone, Debug, Default)]
pub struct Types(Vec<Type>);

impl Types {
    /// The first type has to be [`Types::VOID`].
    pub(crate) fn new(types: Vec<Type>) -> Self {
        Self(types)
    }

    /// The type without values, to which `void *` points. It also stands for unknown types.
    pub const VOID: TypeId = TypeId(0);

    /// The number of types.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no types.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All types with their identifiers.
    pub fn iter(&self) -> impl Iterator<Item = (TypeId, &Type)> {
        (0..).map(TypeId).zip(&self.0)
    }

    /// All types with a name. Several source files can use one name for different types.
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
