//! What objects and their parts hold, in words.

use crate::dwarf::{Kind, TypeId, Types};
use crate::graph::{Found, Graph, ObjectId, Spot};
use crate::layout::{Content, Leaf};
use crate::memory::Memory;
use crate::naming::{inside, whole};
use crate::values::{self, number};

/// The longest text that is told whole.
const LONGEST: usize = 60;

/// What a part holds, in words.
pub fn value<M: Memory>(graph: &Graph<'_, M>, id: ObjectId, leaf: &Leaf) -> String {
    let bytes = graph.bytes(id, leaf);
    match leaf.content {
        Content::Scalar(of) => scalar(graph.types, of, bytes),
        Content::Bits(of, bits) => {
            let value = values::bits_of(bits, bytes);
            let sign = bits.count > 0 && value >> (bits.count - 1) & 1 == 1;
            match values::is_signed(graph.types, of) && sign {
                true => (value as i128 - (1 << bits.count)).to_string(),
                false => value.to_string(),
            }
        }
        Content::Text => text(bytes),
        Content::Tag(of) => variant(graph, of, leaf, id),
        Content::Pointer(_) | Content::Union(..) | Content::Opaque => {
            match graph.target(id, leaf) {
                // What is named after this very pointer has no other name.
                Some(spot) if spot.offset == 0 && is_found_by(graph, spot.object, id, leaf) => {
                    summary(graph, spot.object)
                }
                Some(spot) => destination(graph, spot),
                None => no_object(graph, id, leaf),
            }
        }
    }
}

/// Something that may be a pointer, and leads nowhere: the number that it is in a union, or an address.
fn no_object<M: Memory>(graph: &Graph<'_, M>, id: ObjectId, leaf: &Leaf) -> String {
    let bytes = graph.bytes(id, leaf);
    let pointer = match leaf.content {
        Content::Union(..) => {
            let (_, of) = inside(graph, id, leaf);
            let known = &graph.types[of];
            let own = bytes.get(..known.size as usize);
            match (&known.kind, own) {
                (Kind::Pointer { .. }, _) => true,
                (Kind::Unknown | Kind::Function | Kind::Union { .. }, _) | (_, None) => false,
                (Kind::Structure { .. } | Kind::Variants { .. } | Kind::Array { .. }, _) => false,
                (_, Some(own)) => return scalar(graph.types, of, own),
            }
        }
        content => matches!(content, Content::Pointer(_)),
    };
    match (number(bytes, false), pointer) {
        (0, true) => "NULL".to_owned(),
        (address, _) => format!("{address:#x}"),
    }
}

fn is_found_by<M: Memory>(graph: &Graph<'_, M>, found: ObjectId, id: ObjectId, by: &Leaf) -> bool {
    graph.object(found).found == Found::Pointer { object: id, offset: by.offset }
}

/// What a pointer leads to, in words.
pub fn destination<M: Memory>(graph: &Graph<'_, M>, spot: Spot) -> String {
    let object = graph.object(spot.object);
    if object.text.is_some() && spot.offset == 0 {
        return text(graph.content(spot.object));
    }
    let name = whole(graph, spot.object);
    let name = match object.found {
        Found::Variable(_) => format!("&{name}"),
        Found::Pointer { .. } => name,
    };
    match spot.offset {
        0 => name,
        offset => format!("{name} + {offset} bytes"),
    }
}

/// The type and some of the numbers and texts of an object.
pub fn summary<M: Memory>(graph: &Graph<'_, M>, id: ObjectId) -> String {
    let object = graph.object(id);
    if object.text.is_some() {
        return text(graph.content(id));
    }
    let mut parts = Vec::new();
    graph.leaves(id, &mut |leaf| {
        if matches!(leaf.content, Content::Opaque | Content::Union(..)) || parts.len() > 4 {
            return;
        }
        if matches!(leaf.content, Content::Pointer(_)) {
            return;
        }
        let value = value(graph, id, &leaf);
        parts.push(format!(
            "{}{value}",
            match inside(graph, id, &leaf).0.strip_prefix('.') {
                Some(name) => format!("{name} = "),
                None => String::new(),
            }
        ));
    });
    if parts.len() > 4 {
        parts.truncate(4);
        parts.push("...".to_owned());
    }
    let name = &graph.types[object.of].name;
    let count = if object.count > 1 { format!("[{}]", object.count) } else { String::new() };
    format!("{name}{count} {{{}}}", parts.join(", "))
}

fn variant<M: Memory>(graph: &Graph<'_, M>, of: TypeId, leaf: &Leaf, id: ObjectId) -> String {
    let bytes = graph.bytes(id, leaf);
    let Kind::Variants { tag: Some(tag), variants, .. } = &graph.types[of].kind else {
        return String::new();
    };
    match values::active(graph.types, tag.of, variants, bytes) {
        Some(variant) => variant.name.clone(),
        None => number(bytes, false).to_string(),
    }
}

/// A number, a truth value or a name.
fn scalar(types: &Types, of: TypeId, bytes: &[u8]) -> String {
    let value = number(bytes, values::is_signed(types, of));
    match &types[of].kind {
        Kind::Boolean => match value {
            0 => "false".to_owned(),
            1 => "true".to_owned(),
            other => other.to_string(),
        },
        Kind::Float => float(bytes),
        Kind::Character { signed } => {
            let unit = u32::try_from(value).ok().and_then(char::from_u32);
            match unit.filter(|unit| matches!(unit, ' '..='~') || bytes.len() > 1) {
                // Bytes without sign are as often numbers.
                Some(unit) if !signed && bytes.len() == 1 => format!("{value} {unit:?}"),
                Some(unit) => format!("{unit:?}"),
                None => value.to_string(),
            }
        }
        Kind::Enumeration { names, .. } => {
            let named = names.iter().find(|(number, _)| *number == value);
            named.map_or_else(|| value.to_string(), |(_, name)| name.clone())
        }
        _ => value.to_string(),
    }
}

fn float(bytes: &[u8]) -> String {
    if let Ok(bytes) = bytes.try_into() {
        return format!("{:?}", f32::from_le_bytes(bytes));
    }
    if let Ok(bytes) = bytes.try_into() {
        return format!("{:?}", f64::from_le_bytes(bytes));
    }
    let digits: String = bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect();
    format!("0x{digits}")
}

/// Text in quotes, up to the first zero.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let shown = &bytes[..end.min(LONGEST)];
    let dots = if end > LONGEST { "..." } else { "" };
    // Between double quotation marks, single ones mean nothing.
    let shown = shown.escape_ascii().to_string().replace("\\'", "'");
    format!("\"{shown}\"{dots}")
}
