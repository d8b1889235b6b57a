//! The types of the values in Rust's vectors and hash tables, whose own pointers lead to bytes.

use super::hash_table::TABLE;
use crate::dwarf::{Type, TypeId, Types};
use std::collections::HashMap;

/// The element types of the Rust vectors and hash tables among types, which are the first type arguments in their names.
pub(crate) fn element_types(types: &Types) -> HashMap<TypeId, TypeId> {
    let element_name = |of: &Type| {
        let inside =
            ["alloc::vec::Vec<", TABLE].iter().find_map(|start| of.name.strip_prefix(start))?;
        let mut depth = 0;
        let end = inside.find(|c: char| {
            depth += i32::from("<([".contains(c)) - i32::from(">)]".contains(c));
            depth < 0 || (depth == 0 && c == ',')
        })?;
        Some(inside[..end].to_owned())
    };
    let vectors: Vec<(TypeId, String)> =
        types.iter().filter_map(|(id, of)| Some((id, element_name(of)?))).collect();
    if vectors.is_empty() {
        return HashMap::new();
    }
    let names: HashMap<&str, TypeId> =
        types.iter().map(|(id, of)| (of.name.as_str(), id)).collect();
    vectors.into_iter().filter_map(|(id, name)| Some((id, *names.get(name.as_str())?))).collect()
}
