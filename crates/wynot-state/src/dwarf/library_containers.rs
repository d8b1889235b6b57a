//! Containers of standard libraries whose debug information hides what they hold.
//!
//! The nodes of trees, lists and hash tables in the C++ library point to a base class without a value, and keep the
//! value in an array of bytes. This is the one table of such types. The types of a program are changed so that
//! the pointers lead to whole nodes, and the bytes have the type of the value; all that reads states knows
//! nothing of it.

use super::types::{Kind, Member, Type, TypeId};
use std::collections::HashMap;

/// A kind of container, or of a pointer into one, with the nodes that it leads to.
struct ContainerKind {
    /// How the name of the container's type begins, up to its type arguments.
    container: &'static str,
    /// Which of the type arguments is the type of the values.
    argument: usize,
    /// How the name of the nodes' type begins; its first type argument is the type of the values.
    node: &'static str,
    /// The name of the nodes' base class.
    base: &'static str,
}

const fn tree(container: &'static str, argument: usize) -> ContainerKind {
    let (node, base) = ("std::_Rb_tree_node<", "std::_Rb_tree_node_base");
    ContainerKind { container, argument, node, base }
}

const fn list(container: &'static str) -> ContainerKind {
    let (node, base) = ("std::_List_node<", "std::__detail::_List_node_base");
    ContainerKind { container, argument: 0, node, base }
}

const fn hash(container: &'static str, argument: usize) -> ContainerKind {
    let (node, base) = ("std::__detail::_Hash_node<", "std::__detail::_Hash_node_base");
    ContainerKind { container, argument, node, base }
}

const CONTAINER_KINDS: [ContainerKind; 9] = [
    tree("std::_Rb_tree<", 1),
    tree("std::_Rb_tree_iterator<", 0),
    tree("std::_Rb_tree_const_iterator<", 0),
    list("std::__cxx11::_List_base<"),
    list("std::_List_base<"),
    list("std::_List_iterator<"),
    list("std::_List_const_iterator<"),
    hash("std::_Hashtable<", 1),
    hash("std::__detail::_Node_iterator_base<", 0),
];

/// Types that hold a value of their first type argument in an array of bytes.
const STORAGE: [&str; 2] = ["__gnu_cxx::__aligned_membuf<", "__gnu_cxx::__aligned_buffer<"];

/// The depth of structures in a container at which the search for nodes ends.
const MAX_DEPTH: u32 = 16;

/// Whether a type is the node of a container.
pub(crate) fn is_container_node(name: &str) -> bool {
    // Pointers and references to nodes have names that end differently.
    name.ends_with('>') && CONTAINER_KINDS.iter().any(|kind| name.starts_with(kind.node))
}

/// Changes the types of containers, of their nodes and of the storage in those.
pub(crate) fn open_containers(types: &mut Vec<Type>) {
    if !types.iter().any(|of| is_container_node(&of.name)) {
        return;
    }
    // The first type of several with one name.
    let named = (0..).map(TypeId).zip(&*types).map(|(id, of)| (of.name.clone(), id));
    let mut by_name: HashMap<String, TypeId> = HashMap::new();
    named.for_each(|(name, id)| {
        by_name.entry(name).or_insert(id);
    });
    let known = types.len();
    for number in 0..known {
        if let Some(of) = stored_type(types, &by_name, number) {
            let member = Member { name: String::new(), offset: 0, of, bits: None };
            types[number].kind = Kind::Structure { members: vec![member] };
        }
    }
    let mut nodes: HashMap<(&'static str, String), TypeId> = HashMap::new();
    let mut opened = OpenedTypes { types, by_node: HashMap::new() };
    for number in 0..known {
        for kind in &CONTAINER_KINDS {
            let Type { name, kind: Kind::Structure { .. }, .. } = &opened.types[number] else {
                break;
            };
            let name = if is_container_node(name) { name } else { break };
            let value = name.strip_prefix(kind.node).and_then(|inside| argument(inside, 0));
            let (Some(value), Some(base)) = (value, by_name.get(kind.base)) else { continue };
            let (key, node) = ((kind.node, value.to_owned()), TypeId(number as u32));
            if nodes.insert(key, node).is_none() {
                opened.open(node, *base, node);
            }
        }
    }
    for number in 0..known {
        for kind in &CONTAINER_KINDS {
            let inside = opened.types[number].name.strip_prefix(kind.container);
            let value = inside.and_then(|inside| argument(inside, kind.argument));
            let node = value.and_then(|value| nodes.get(&(kind.node, value.to_owned())));
            if let (Some(node), Some(base)) = (node, by_name.get(kind.base)) {
                opened.open(TypeId(number as u32), *base, *node);
            }
        }
    }
}

/// The type of the value that a storage type holds.
fn stored_type(types: &[Type], by_name: &HashMap<String, TypeId>, number: usize) -> Option<TypeId> {
    let Type { name, size, kind } = &types[number];
    let inside = STORAGE.iter().find_map(|storage| name.strip_prefix(storage))?;
    let of = *by_name.get(argument(inside, 0)?)?;
    let fits = matches!(kind, Kind::Structure { .. }) && types[of.0 as usize].size == *size;
    fits.then_some(of)
}

/// A type argument, in what follows the bracket that opens the list of them.
fn argument(inside: &str, number: usize) -> Option<&str> {
    let (mut depth, mut start, mut seen) = (0, 0, 0);
    for (at, sign) in inside.char_indices() {
        let ends = depth == 0 && matches!(sign, ',' | '>');
        if ends && seen == number {
            return Some(inside[start..at].trim());
        }
        match sign {
            _ if ends && sign == '>' => return None,
            _ if ends => (seen, start) = (seen + 1, at + 1),
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Types in which pointers to a base class lead to nodes.
struct OpenedTypes<'t> {
    types: &'t mut Vec<Type>,
    /// What a type becomes if pointers to a base class lead to a node.
    by_node: HashMap<(TypeId, TypeId), TypeId>,
}

impl OpenedTypes<'_> {
    /// Makes the pointers to a base class within a structure lead to a node. The structure keeps its identifier.
    fn open(&mut self, of: TypeId, base: TypeId, node: TypeId) {
        let Kind::Structure { members } = self.types[of.0 as usize].kind.clone() else { return };
        let members = self.opened_members(members, base, node, 0);
        self.types[of.0 as usize].kind = Kind::Structure { members };
    }

    fn opened_members(
        &mut self,
        mut members: Vec<Member>,
        base: TypeId,
        node: TypeId,
        depth: u32,
    ) -> Vec<Member> {
        for member in &mut members {
            member.of = self.opened(member.of, base, node, depth + 1);
        }
        members
    }

    /// A type like this one, in which pointers to a base class lead to a node; itself if it has none.
    fn opened(&mut self, of: TypeId, base: TypeId, node: TypeId, depth: u32) -> TypeId {
        if let Some(known) = self.by_node.get(&(of, node)) {
            return *known;
        }
        let Type { name, size, kind } = self.types[of.0 as usize].clone();
        let (name, kind) = match kind {
            _ if depth > MAX_DEPTH => return of,
            Kind::Pointer { to } => {
                let is_pointer = matches!(self.types[to.0 as usize].kind, Kind::Pointer { .. });
                let target = match to {
                    _ if to == base => node,
                    _ if is_pointer => self.opened(to, base, node, depth + 1),
                    _ => to,
                };
                if target == to {
                    return of;
                }
                let name = format!("{} *", self.types[target.0 as usize].name);
                (name, Kind::Pointer { to: target })
            }
            Kind::Structure { members } => {
                let opened = self.opened_members(members.clone(), base, node, depth);
                if opened == members {
                    return of;
                }
                (name, Kind::Structure { members: opened })
            }
            _ => return of,
        };
        let opened = TypeId(self.types.len() as u32);
        self.types.push(Type { name, size, kind });
        self.by_node.insert((of, node), opened);
        opened
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_separated_outside_of_brackets() {
        let inside = "std::pair<int const, int>, f(a, b), int[3]>::inner<x>";
        assert_eq!(argument(inside, 0), Some("std::pair<int const, int>"));
        assert_eq!(argument(inside, 1), Some("f(a, b)"));
        assert_eq!(argument(inside, 2), Some("int[3]"));
        assert_eq!(argument(inside, 3), None);
        assert_eq!(argument("std::vector<int> >", 0), Some("std::vector<int>"));
    }
}
