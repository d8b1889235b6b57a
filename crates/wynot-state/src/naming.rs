//! What objects and their values are called, as a programmer would write it.

use crate::graph::{Found, Graph, ObjectId, Spot};
use crate::layout::{self, Content, Leaf};
use crate::memory::Memory;
use crate::program::{Kind, Member, TypeId, Types};
use crate::values::{self, number};

/// The longest text that is told whole.
const LONGEST: usize = 60;

/// The expression for a part of an object: `list->next->value`.
pub fn expression<M: Memory>(graph: &Graph<'_, M>, id: ObjectId, leaf: &Leaf) -> String {
    let object = graph.object(id);
    let content = graph.content(id);
    let inside = |of: TypeId, offset: u64, base: u64| {
        let read = |at: u64, length: u64| {
            let at = (base + at) as usize;
            content.get(at..at + length as usize)
        };
        path(graph.types, of, offset, leaf, &read)
    };
    let whole = whole(graph, id);
    match object.found {
        Found::Variable(_) => format!("{whole}{}", inside(object.of, leaf.offset, 0)),
        Found::Pointer { .. } => {
            let size = graph.types[object.of].size;
            if object.text.is_some() {
                return match leaf.content {
                    Content::Text => whole,
                    _ => format!("bytes {} to {} of {whole}", leaf.offset, leaf.offset + leaf.size),
                };
            }
            if size == 0 || leaf.offset >= size * object.count {
                return format!("word {} of *{whole}", leaf.offset / 8);
            }
            let (index, offset) = (leaf.offset / size, leaf.offset % size);
            let rest = inside(object.of, offset, index * size);
            match (object.count, rest.strip_prefix('.')) {
                (1, Some(member)) => format!("{whole}->{member}"),
                (1, None) if rest.is_empty() => format!("*{whole}"),
                (1, None) => format!("(*{whole}){rest}"),
                _ => format!("{whole}[{index}]{rest}"),
            }
        }
    }
}

/// The variable, or the pointer that leads to an object.
pub fn whole<M: Memory>(graph: &Graph<'_, M>, id: ObjectId) -> String {
    match graph.object(id).found {
        Found::Variable(index) => graph.roots[index as usize].name.clone(),
        Found::Pointer { object, offset } => {
            let mut pointer = None;
            graph.leaves(object, &mut |leaf| {
                if leaf.offset == offset {
                    pointer = Some(leaf);
                }
            });
            match pointer {
                Some(leaf) => expression(graph, object, &leaf),
                None => format!("*{}", whole(graph, object)),
            }
        }
    }
}

/// The variable that an object was found from, by its number.
pub fn variable<M: Memory>(graph: &Graph<'_, M>, mut id: ObjectId) -> u32 {
    loop {
        match graph.object(id).found {
            Found::Variable(index) => return index,
            Found::Pointer { object, .. } => id = object,
        }
    }
}

/// From a value to one of its parts: `.fld[1].rtx`.
fn path<'a>(
    types: &Types,
    of: TypeId,
    offset: u64,
    leaf: &Leaf,
    read: &layout::Read<'a>,
) -> String {
    let mut text = String::new();
    let (mut of, mut offset, mut base) = (of, offset, 0);
    loop {
        let member = match &types[of].kind {
            Kind::Array { of: element, .. } => {
                let size = types[*element].size;
                if matches!(leaf.content, Content::Text) || size == 0 {
                    return text;
                }
                text.push_str(&format!("[{}]", offset / size));
                base += offset / size * size;
                (of, offset) = (*element, offset % size);
                continue;
            }
            Kind::Structure { members } | Kind::Union { members } => {
                member(types, members, offset, leaf)
            }
            Kind::Variants { tag, shared, variants } => {
                let active = match tag {
                    Some(tag) => read(base + tag.offset, types[tag.of].size)
                        .and_then(|value| values::active(types, tag.of, variants, value)),
                    None => variants.first(),
                };
                if matches!(leaf.content, Content::Tag(of_leaf) if of_leaf == of) {
                    return text;
                }
                let inside = active.map_or(&[][..], |variant| &variant.members);
                member(types, shared, offset, leaf).or_else(|| member(types, inside, offset, leaf))
            }
            _ => return text,
        };
        let Some(Member { name, offset: begin, of: inner, .. }) = member else { return text };
        // Members of base classes need not be told apart.
        if !name.is_empty() && *name != types[*inner].name && !is_plumbing(types, of, name) {
            text.push('.');
            text.push_str(name);
        }
        base += begin;
        (of, offset) = (*inner, offset - begin);
    }
}

/// Whether a member is how a library keeps what it is asked to keep, and no name that people use.
fn is_plumbing(types: &Types, of: TypeId, member: &str) -> bool {
    const RUST: [&str; 8] = [
        "alloc::vec::",
        "alloc::raw_vec::",
        "alloc::string::",
        "alloc::boxed::",
        "core::ptr::",
        "core::num::",
        "std::ffi::",
        "std::sys::",
    ];
    const NAMES: [&str; 5] = ["data_ptr", "_M_impl", "_M_start", "_M_dataplus", "_M_p"];
    let owner = &types[of].name;
    NAMES.contains(&member)
        || (RUST.iter().any(|library| owner.starts_with(library))
            && !matches!(member, "len" | "cap"))
}

/// The member that a part belongs to.
fn member<'m>(
    types: &Types,
    members: &'m [Member],
    offset: u64,
    leaf: &Leaf,
) -> Option<&'m Member> {
    members.iter().find(|member| {
        // Empty bases lie where something else lies.
        let end = member.offset + types[member.of].size;
        let within = offset >= member.offset && offset + leaf.size <= end;
        let bits = match leaf.content {
            Content::Bits(_, bits) => member.bits.is_none_or(|own| own == bits),
            _ => member.bits.is_none(),
        };
        within && bits
    })
}

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
                None => match (number(bytes, false), leaf.content) {
                    (0, Content::Pointer(_)) => "NULL".to_owned(),
                    (address, _) => format!("{address:#x}"),
                },
            }
        }
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
        if matches!(leaf.content, Content::Opaque) || parts.len() > 4 {
            return;
        }
        let size = graph.types[object.of].size.max(1);
        let content = graph.content(id);
        let read = |at: u64, length: u64| content.get(at as usize..(at + length) as usize);
        let path = path(graph.types, object.of, leaf.offset % size, &leaf, &read);
        if matches!(leaf.content, Content::Pointer(_)) {
            return;
        }
        let value = value(graph, id, &leaf);
        parts.push(format!(
            "{}{value}",
            match path.strip_prefix('.') {
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
        Kind::Character { .. } => match u8::try_from(value) {
            Ok(byte @ 0x20..0x7f) => format!("{value} '{}'", char::from(byte)),
            _ => value.to_string(),
        },
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
    format!("\"{}\"{dots}", shown.escape_ascii())
}
