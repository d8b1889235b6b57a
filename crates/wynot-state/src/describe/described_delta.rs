//! A delta in words: the variable that differs, and its values in the passing and the failing run.

use super::member_path::member_path;
use super::object_name::{expression, object_name};
use super::scalar_text::text;
use super::value_text::{pointer_target, summary, value};
use crate::compare::descriptor_delta::DescriptorDelta;
use crate::compare::outside_delta::OutsideDelta;
use crate::compare::state_delta::{NewValue, PartChange, StateDelta};
use crate::compare::state_differences::StateDifferences;
use crate::dwarf::Kind;
use crate::graph::leaf::{Leaf, LeafContent};
use crate::graph::memory_copy::MemoryCopy;
use crate::graph::memory_graph::MemoryGraph;
use crate::graph::memory_object::{FoundBy, ObjectId, ObjectOffset, VariableScope};
use crate::process::{OpenFile, SubstitutedFile};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The number of objects of a path that are described besides the variable; these are the last ones.
const MAX_OBJECTS_IN_PATH: usize = 8;

/// The number of bytes of a long text that are shown on either side of the first difference.
const EXCERPT_BYTES_PER_SIDE: usize = 20;

/// The number of bytes of a file that are read to describe it.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// A delta in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedDelta {
    /// The expression for the part that differs.
    pub expression: String,
    /// The scope of the variable that the expression starts with.
    pub scope: VariableScope,
    /// The value in the passing run.
    pub passing: String,
    /// The value in the failing run.
    pub failing: String,
    /// The value in the failing run in a form that does not depend on names, which change from place to place.
    pub value_key: String,
    /// The number of further changes that belong to the delta.
    pub more_changes: usize,
    /// The address in the passing run, which stays the same while the name of an object may change.
    pub address: u64,
    /// The function and the variable, if the part belongs to a local one: later calls reuse the address.
    pub owner: Option<(String, String)>,
    /// The objects from the variable to the part: the name of each, and its content.
    pub path: Vec<(String, String)>,
}

impl DescribedDelta {
    /// Describes what differs outside of memory.
    pub fn of_outside(delta: &OutsideDelta) -> Self {
        let open = |file: &Option<OpenFile>| match file {
            Some(OpenFile { name, position, .. }) => format!("{name:?} at byte {position}"),
            None => "closed".to_owned(),
        };
        let (expression, passing, failing) = match delta {
            OutsideDelta::Descriptor(DescriptorDelta { number, passing, failing }) => {
                (format!("descriptor {number}"), open(passing), open(failing))
            }
            OutsideDelta::File(_, SubstitutedFile { path, contents }) => {
                let [old, new] = [path, contents].map(|file| first_bytes(file));
                let first = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
                // The failing run was given the file with the contents, although it finds it under the name of the other.
                let name = contents.file_name().unwrap_or_default().to_string_lossy();
                (format!("file {name}"), excerpt(&old, first), excerpt(&new, first))
            }
        };
        Self {
            expression,
            scope: VariableScope::Process,
            value_key: failing.clone(),
            failing: if passing == failing { format!("another {failing}") } else { failing },
            passing,
            more_changes: 0,
            address: delta.address(),
            owner: None,
            path: Vec::new(),
        }
    }

    /// Describes a delta by its first change.
    pub fn of<M: MemoryCopy>(
        differences: &StateDifferences<'_, '_, M>,
        delta: &StateDelta,
    ) -> Self {
        let passing = differences.passing;
        let change @ PartChange { at, leaf, .. } = &delta.changes[0];
        let variable = passing.variable_of(at.object);
        let values = describe_values(differences, change);
        let value_key = match &change.value {
            NewValue::Existing(to) => format!("@{:x}", passing.address(*to)),
            // Bytes after the end of a text do not count.
            NewValue::Bytes(bytes) if leaf.content != LeafContent::Text => hexadecimal(bytes),
            _ => values.1.clone(),
        };
        Self {
            expression: match &change.value {
                NewValue::Freed => object_name(passing, at.object),
                _ if is_padding(passing, at.object, leaf) => {
                    let name = expression(passing, at.object, leaf);
                    format!("{name} (padding at byte {})", leaf.offset)
                }
                _ => expression(passing, at.object, leaf),
            },
            scope: passing.roots[variable as usize].scope.clone(),
            passing: values.0,
            failing: values.1,
            value_key,
            more_changes: delta.changes.len() - 1,
            address: passing.address(*at),
            owner: owner(passing, at.object),
            path: path(passing, at.object),
        }
    }
}

/// Whether a part is padding: bytes of a value that belong to none of its members.
fn is_padding<M: MemoryCopy>(graph: &MemoryGraph<'_, M>, id: ObjectId, leaf: &Leaf) -> bool {
    let object = graph.object(id);
    let typed = graph.types[object.of].size.saturating_mul(object.count);
    leaf.content == LeafContent::Opaque
        && object.entry_offset == 0
        && leaf.offset < typed
        && matches!(
            graph.types[member_path(graph, id, leaf).1].kind,
            Kind::Structure { .. } | Kind::Variants { .. }
        )
}

/// The first bytes of a file; none if it cannot be read.
fn first_bytes(file: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Ok(file) = File::open(file) {
        // What was read until then is described.
        let _ = file.take(MAX_FILE_BYTES).read_to_end(&mut bytes);
    }
    bytes
}

/// The passing and the failing value of a change.
fn describe_values<M: MemoryCopy>(
    differences: &StateDifferences<'_, '_, M>,
    PartChange { at, leaf, from, value: new }: &PartChange,
) -> (String, String) {
    let (here, there) = (differences.passing, differences.failing);
    let failing = match new {
        NewValue::Existing(to) => pointer_target(here, *to),
        NewValue::Created(to) if there.object(to.object).text.is_some() => {
            text(from_offset(there, *to))
        }
        NewValue::Created(to) => format!("a new {}", summary(there, to.object)),
        NewValue::Bytes(_) | NewValue::Bits(..) => value(there, *from, leaf),
        NewValue::Freed => return ("a block in use".to_owned(), "a freed block".to_owned()),
    };
    let own = own_leaf(here, at.object, leaf);
    let passing = value(here, at.object, &own);
    if passing == failing {
        // Long texts may differ only beyond the bytes that are shown.
        let texts = (raw_text(here, at.object, &own), raw_text(there, *from, leaf));
        if let (Some(old), Some(new)) = texts
            && old != new
        {
            let first = old.iter().zip(new).take_while(|(old, new)| old == new).count();
            return (excerpt(old, first), excerpt(new, first));
        }
        return match new {
            NewValue::Existing(_) | NewValue::Created(_) => (passing, format!("another {failing}")),
            NewValue::Bytes(_) | NewValue::Bits(..) | NewValue::Freed => {
                let bytes = |bytes: &[u8]| format!("{failing} (bytes {})", hexadecimal(bytes));
                (bytes(here.bytes(at.object, leaf)), bytes(there.bytes(*from, leaf)))
            }
        };
    }
    (passing, failing)
}

/// Bytes as numbers.
fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

/// The part of an object at the offset of another one's, which may be a text of another length.
fn own_leaf<M: MemoryCopy>(graph: &MemoryGraph<'_, M>, id: ObjectId, like: &Leaf) -> Leaf {
    let mut found = *like;
    graph.leaves(id, &mut |leaf| {
        if leaf.offset == like.offset && leaf.content == like.content {
            found = leaf;
        }
    });
    found
}

/// The objects from a variable to one that was found from it.
fn path<M: MemoryCopy>(graph: &MemoryGraph<'_, M>, mut id: ObjectId) -> Vec<(String, String)> {
    let mut path = Vec::new();
    loop {
        let found_by = graph.object(id).found_by;
        if path.len() < MAX_OBJECTS_IN_PATH || matches!(found_by, FoundBy::Variable(_)) {
            path.push((object_name(graph, id), summary(graph, id)));
        }
        match found_by {
            FoundBy::Variable(_) => break,
            FoundBy::Pointer { object, .. } => id = object,
        }
    }
    path.reverse();
    path
}

/// The function and the name of the local variable that an object is the content of.
pub(crate) fn owner<M: MemoryCopy>(
    graph: &MemoryGraph<'_, M>,
    id: ObjectId,
) -> Option<(String, String)> {
    let FoundBy::Variable(index) = graph.object(id).found_by else { return None };
    let root = &graph.roots[index as usize];
    match &root.scope {
        VariableScope::Frame { function, .. } => Some((function.clone(), root.name.clone())),
        VariableScope::Global | VariableScope::Process => None,
    }
}

/// The text that a part is or points to.
fn raw_text<'a, M: MemoryCopy>(
    graph: &MemoryGraph<'a, M>,
    id: ObjectId,
    leaf: &Leaf,
) -> Option<&'a [u8]> {
    if leaf.content == LeafContent::Text {
        return Some(graph.bytes(id, leaf));
    }
    let target = graph.target(id, leaf)?;
    graph.object(target.object).text.map(|_| from_offset(graph, target))
}

/// The content of an object from an offset on.
fn from_offset<'a, M: MemoryCopy>(
    graph: &MemoryGraph<'a, M>,
    ObjectOffset { object, offset }: ObjectOffset,
) -> &'a [u8] {
    let content = graph.content(object);
    content.get(offset as usize..).unwrap_or_default()
}

/// The bytes of a text around one of them.
fn excerpt(text: &[u8], byte: usize) -> String {
    let from = byte.saturating_sub(EXCERPT_BYTES_PER_SIDE);
    let to = text.len().min(byte + EXCERPT_BYTES_PER_SIDE);
    let before = if from > 0 { "..." } else { "" };
    let after = if to < text.len() { "..." } else { "" };
    format!("{before}\"{}\"{after}", text[from.min(to)..to].escape_ascii())
}
