//! Making the types of a program from those that compilers declare.
//!
//! Each unit declares the types that it uses, so most types are declared many times ([`declared_type`], in a
//! [`scope`]). [`shape`] and [`type_graph`] find out which declarations are equal, using a [`stable_hash`]; this file
//! makes one type of them, with the name that [`type_name`] composes.

pub(super) mod declared_type;
pub(super) mod scope;
mod shape;
pub(super) mod stable_hash;
mod type_graph;
mod type_name;

use super::attributes::EntryId;
use super::entry_index::RankIndex;
use crate::dwarf::library_containers::open_containers;
use crate::dwarf::types::{EnumVariant, Kind, Member, Type, TypeId, Types};
use declared_type::{DeclaredKind, DeclaredMember, DeclaredType, DeclaredVariants};
use scope::Scopes;
use type_graph::TypeGraph;
use type_name::TypeName;

/// The types of a program, and the types of entries.
pub(super) struct MergedTypes {
    pub(super) types: Types,
    /// The positions of declared types by their entries.
    ranks: RankIndex,
    /// The types of declared types, by their positions.
    ids: Vec<TypeId>,
}

impl MergedTypes {
    /// The type that an entry declares.
    pub(super) fn of_entry(&self, entry: Option<EntryId>) -> TypeId {
        let number = entry.and_then(|entry| self.ranks.rank(entry));
        number.map_or(Types::VOID, |number| self.ids[number])
    }
}

/// The depth of types within types at which names and sizes are cut off.
const MAX_DEPTH: usize = 32;

/// Merges all declared types, which have to be sorted by entry. An address has `word_size` bytes.
pub(super) fn merge<'a>(
    mut declared: Vec<DeclaredType<'a>>,
    scopes: &Scopes<'a>,
    word_size: u64,
) -> MergedTypes {
    let ranks = RankIndex::new(declared.iter().map(|declared| declared.at));
    shape::name_after_aliases(&mut declared, &ranks);
    let shapes = shape::shapes(&declared, scopes);
    let graph = TypeGraph::new(&declared, scopes, &shapes, ranks);
    let mut merger = Merger::new(&graph, word_size);
    merger.types.push(Type { name: "void".to_owned(), size: 0, kind: Kind::Unknown });
    merger.names.push(Some(TypeName::simple("void")));
    for representative in merger.representatives.clone() {
        let merged = merger.merge(representative);
        merger.types.push(merged);
    }
    let ids = (0..declared.len()).map(|number| merger.id(number)).collect();
    let mut types = merger.types;
    open_containers(&mut types);
    let types = Types::new(types);
    MergedTypes { types, ranks: graph.into_ranks(), ids }
}

/// Makes types of classes of equal declared types.
struct Merger<'b, 'w, 'a> {
    word_size: u64,
    graph: &'b TypeGraph<'w, 'a>,
    /// The class of each declared type.
    classes: Vec<u32>,
    /// The identifiers by class; void for classes of aliases.
    ids: Vec<TypeId>,
    /// By identifier, without void, a declared type from which the type is made.
    representatives: Vec<usize>,
    types: Vec<Type>,
    /// The names by identifier, as far as they are known.
    names: Vec<Option<TypeName>>,
    /// The sizes by identifier, as far as they are known.
    sizes: Vec<Option<u64>>,
}

impl<'b, 'w, 'a> Merger<'b, 'w, 'a> {
    fn new(graph: &'b TypeGraph<'w, 'a>, word_size: u64) -> Self {
        let classes = graph.classes();
        let count = classes.iter().map(|class| class + 1).max().unwrap_or(0);
        let mut ids = vec![Types::VOID; count as usize];
        let mut representatives = Vec::new();
        for number in 0..graph.types.len() {
            let id = &mut ids[classes[number] as usize];
            let is_alias = graph.target_of(number) != Some(number);
            if *id == Types::VOID && !is_alias {
                representatives.push(number);
                *id = TypeId(u32::try_from(representatives.len()).unwrap_or(0));
            }
        }
        let (types, names) = (Vec::new(), Vec::new());
        let sizes = vec![None; representatives.len() + 1];
        Self { word_size, graph, classes, ids, representatives, types, names, sizes }
    }

    /// The identifier of a declared type.
    fn id(&self, number: usize) -> TypeId {
        let target = self.graph.target_of(number);
        target.map_or(Types::VOID, |target| self.ids[self.classes[target] as usize])
    }

    /// The identifier of the type of an entry.
    fn id_of(&self, entry: Option<EntryId>) -> TypeId {
        let target = self.graph.target(entry);
        target.map_or(Types::VOID, |target| self.ids[self.classes[target] as usize])
    }

    fn merge(&mut self, number: usize) -> Type {
        let declared = &self.graph.types[number];
        let kind = match &declared.kind {
            DeclaredKind::Simple(kind) => kind.clone(),
            DeclaredKind::Alias { .. } | DeclaredKind::Incomplete => Kind::Unknown,
            DeclaredKind::Pointer { to } => Kind::Pointer { to: self.id_of(*to) },
            DeclaredKind::Function { .. } => Kind::Function,
            DeclaredKind::Array { of, count } => Kind::Array { of: self.id_of(*of), count: *count },
            DeclaredKind::Enumeration { of, signed, names } => {
                let signed =
                    *signed || self.is_signed(*of) || names.iter().any(|(value, _)| *value < 0);
                let names = names.iter().map(|(value, name)| (*value, text(name)));
                Kind::Enumeration { signed, names: names.collect() }
            }
            DeclaredKind::Union { members } => Kind::Union { members: self.members(members, 0) },
            DeclaredKind::Structure { members, variants } => {
                let members = self.members(members, 0);
                match variants {
                    None => Kind::Structure { members },
                    Some(variants) => self.variants(variants, members),
                }
            }
        };
        Type { name: self.name(number, 0).whole(), size: self.size(number, 0), kind }
    }

    /// Members of a structure that is itself at an offset.
    fn members(&mut self, members: &[DeclaredMember<'a>], offset: u64) -> Vec<Member> {
        members.iter().map(|member| self.member(member, offset)).collect()
    }

    fn member(&mut self, member: &DeclaredMember<'a>, offset: u64) -> Member {
        let name = match self.graph.target(member.of) {
            Some(base) if member.base => self.name(base, 0).whole(),
            _ => text(member.name),
        };
        let offset = member.offset.saturating_add(offset);
        Member { name, offset, of: self.id_of(member.of), bits: member.bits }
    }

    /// The variants of a tagged union. Each is declared as a single member, whose type has the real members.
    fn variants(&mut self, declared: &DeclaredVariants<'a>, shared: Vec<Member>) -> Kind {
        let tag = declared.tag.as_ref().map(|tag| self.member(tag, 0));
        let tag_type = declared.tag.and_then(|tag| self.graph.target(tag.of));
        let bits = tag_type.map_or(0, |of| self.size(of, 0).saturating_mul(8));
        let is_signed = declared.tag.is_some_and(|tag| self.is_signed(tag.of));
        let tag_value = |tag: i128| match bits {
            // Compilers write tags without a sign, in the size of the tag.
            8 | 16 | 32 | 64 if is_signed => tag << (128 - bits) >> (128 - bits),
            _ => tag,
        };
        let mut variants = Vec::new();
        for variant in &declared.variants {
            let tags = variant.tag.map(|tag| (tag_value(tag), tag_value(tag)));
            let inner = variant.members.first().filter(|_| variant.members.len() == 1);
            let inner_type = inner.and_then(|inner| self.graph.target(inner.of));
            let inner_kind = inner_type.map(|inner| &self.graph.types[inner].kind);
            let members = match (inner, inner_kind) {
                (Some(inner), Some(DeclaredKind::Structure { members, variants: None })) => {
                    self.members(members, inner.offset)
                }
                _ => self.members(&variant.members, 0),
            };
            let name = inner.map_or_else(String::new, |inner| text(inner.name));
            variants.push(EnumVariant { name, tags: tags.into_iter().collect(), members });
        }
        Kind::Variants { tag, shared, variants }
    }

    fn is_signed(&self, entry: Option<EntryId>) -> bool {
        let kind = self.graph.target(entry).map(|number| &self.graph.types[number].kind);
        matches!(
            kind,
            Some(DeclaredKind::Simple(
                Kind::Integer { signed: true } | Kind::Character { signed: true }
            ))
        )
    }

    /// The size in bytes. Types that contain themselves, which damaged files may declare, have none.
    fn size(&mut self, number: usize, depth: usize) -> u64 {
        let declared = &self.graph.types[number];
        let id = self.id(number).0 as usize;
        if let Some(size) = declared.size.or(self.sizes[id]) {
            return size;
        }
        let size = match &declared.kind {
            DeclaredKind::Pointer { .. } => self.word_size,
            DeclaredKind::Array { of, count } if depth < MAX_DEPTH => {
                let of = self.graph.target(*of);
                let each = of.map_or(0, |of| self.size(of, depth + 1));
                each.saturating_mul(count.unwrap_or(0))
            }
            DeclaredKind::Enumeration { of, .. } if depth < MAX_DEPTH => {
                self.graph.target(*of).map_or(0, |of| self.size(of, depth + 1))
            }
            _ => 0,
        };
        self.sizes[id] = Some(size);
        size
    }

    /// The name of a declared type.
    fn name(&mut self, number: usize, depth: usize) -> TypeName {
        let declared = &self.graph.types[number];
        let id = self.id(number).0 as usize;
        if let Some(Some(name)) = self.names.get(id) {
            return name.clone();
        }
        let name = match declared.name.name {
            Some(_) => {
                let name = self.graph.scopes.qualified(declared.name);
                match declared.keyword {
                    keyword @ ("struct" | "union" | "enum") => {
                        TypeName::simple(format!("{keyword} {name}"))
                    }
                    _ => TypeName::simple(name),
                }
            }
            None if depth >= MAX_DEPTH => TypeName::elided(),
            None => self.derived_name(declared, depth + 1).elided_if_long(),
        };
        if self.names.len() <= id {
            self.names.resize(id + 1, None);
        }
        self.names[id] = Some(name.clone());
        name
    }

    /// The name of a type that is composed of the names of others.
    fn derived_name(&mut self, declared: &DeclaredType<'a>, depth: usize) -> TypeName {
        match &declared.kind {
            DeclaredKind::Pointer { to } => {
                self.name_of(*to, depth).pointer_to_it(declared.keyword)
            }
            DeclaredKind::Array { of, count } => {
                let element = self.name_of(*of, depth);
                element.array_of_it(*count, declared.keyword == declared_type::RUST_ARRAY)
            }
            DeclaredKind::Function { result, parameters, variadic } => {
                let result = self.name_of(*result, depth);
                let mut names: Vec<String> = Vec::new();
                for parameter in parameters {
                    names.push(self.name_of(*parameter, depth).whole());
                }
                result.function_returning_it(names, *variadic)
            }
            DeclaredKind::Structure { .. }
            | DeclaredKind::Union { .. }
            | DeclaredKind::Enumeration { .. } => {
                TypeName::simple(format!("{} {{...}}", declared.keyword))
            }
            _ => TypeName::simple("?"),
        }
    }

    fn name_of(&mut self, entry: Option<EntryId>, depth: usize) -> TypeName {
        match self.graph.target(entry) {
            None => TypeName::simple("void"),
            Some(number) => self.name(number, depth),
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
