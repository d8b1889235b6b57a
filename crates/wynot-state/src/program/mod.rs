//! What a program is made of, as its debug information tells.

mod types;

pub use types::{Bits, Kind, Member, Type, TypeId, Types, Variant};
