//! Builds the types of a program from those that compilers write.

use super::attributes::EntryId;
use super::canon::Written;
use super::index::Ranks;
use super::looks;
use super::raw::{Form, RUST_ARRAY, Raw, RawMember, Scopes, Variants};
use super::types::{Kind, Member, Type, TypeId, Types, Variant};

/// The types of a program, and which one an entry stands for.
pub(super) struct Built {
    pub(super) types: Types,
    /// Which of the types that were written an entry is, and which type that is.
    numbers: Ranks,
    ids: Vec<TypeId>,
}

impl Built {
    /// The type of an entry.
    pub(super) fn of(&self, entry: Option<EntryId>) -> TypeId {
        let number = entry.and_then(|entry| self.numbers.of(entry));
        number.map_or(VOID, |number| self.ids[number])
    }
}

/// No values. It is the first of the types.
const VOID: TypeId = TypeId(0);

/// Names that are longer than this help nobody.
const LONG: usize = 10_000;

/// Builds all types. `raws` must be in the order of their entries; an address has `word` bytes.
pub(super) fn build<'a>(mut raws: Vec<Raw<'a>>, scopes: &Scopes<'a>, word: u64) -> Built {
    let numbers = Ranks::new(raws.iter().map(|raw| raw.at));
    looks::name_after_aliases(&mut raws, &numbers);
    let looks = looks::of_all(&raws, scopes);
    let written = Written::new(&raws, scopes, &looks, numbers);
    let mut builder = Builder::new(&written, word);
    builder.types.push(Type { name: "void".to_owned(), size: 0, kind: Kind::Unknown });
    builder.names.push(Some(Declarator::of("void")));
    for first in builder.firsts.clone() {
        let built = builder.build(first);
        builder.types.push(built);
    }
    let ids = (0..raws.len()).map(|number| builder.id(number)).collect();
    let types = Types::new(builder.types);
    Built { types, numbers: written.into_numbers(), ids }
}

/// A name in two halves: what is behind a pointer's star comes in between, as in `int (*)[3]`.
#[derive(Clone, Debug)]
struct Declarator {
    before: String,
    behind: String,
}

impl Declarator {
    fn of(name: impl Into<String>) -> Self {
        Self { before: name.into(), behind: String::new() }
    }

    fn whole(&self) -> String {
        format!("{}{}", self.before, self.behind)
    }
}

struct Builder<'b, 'w, 'a> {
    /// How many bytes an address has.
    word: u64,
    written: &'b Written<'w, 'a>,
    classes: Vec<u32>,
    /// By class, the identifier of its type, if it has one.
    ids: Vec<TypeId>,
    /// By identifier, without void, one that the type is built from.
    firsts: Vec<usize>,
    types: Vec<Type>,
    /// By identifier; none while a name is found out.
    names: Vec<Option<Declarator>>,
    sizes: Vec<Option<u64>>,
}

impl<'b, 'w, 'a> Builder<'b, 'w, 'a> {
    fn new(written: &'b Written<'w, 'a>, word: u64) -> Self {
        let classes = written.classes();
        let count = classes.iter().map(|class| class + 1).max().unwrap_or(0);
        let mut ids = vec![VOID; count as usize];
        let mut firsts = Vec::new();
        for number in 0..written.raws.len() {
            let id = &mut ids[classes[number] as usize];
            let other_name = written.target_of(number) != Some(number);
            if *id == VOID && !other_name {
                firsts.push(number);
                *id = TypeId(u32::try_from(firsts.len()).unwrap_or(0));
            }
        }
        let (names, sizes) = (Vec::new(), vec![None; firsts.len() + 1]);
        Self { word, written, classes, ids, firsts, types: Vec::new(), names, sizes }
    }

    /// The identifier of a type as it was written.
    fn id(&self, number: usize) -> TypeId {
        let target = self.written.target_of(number);
        target.map_or(VOID, |target| self.ids[self.classes[target] as usize])
    }

    fn id_of(&self, entry: Option<EntryId>) -> TypeId {
        let target = self.written.target(entry);
        target.map_or(VOID, |target| self.ids[self.classes[target] as usize])
    }

    fn build(&mut self, number: usize) -> Type {
        let raw = &self.written.raws[number];
        let kind = match &raw.form {
            Form::Simple(kind) => kind.clone(),
            Form::Alias { .. } | Form::Declared => Kind::Unknown,
            Form::Pointer { to } => Kind::Pointer { to: self.id_of(*to) },
            Form::Function { .. } => Kind::Function,
            Form::Array { of, count } => Kind::Array { of: self.id_of(*of), count: *count },
            Form::Enumeration { of, signed, names } => {
                let signed =
                    *signed || self.is_signed(*of) || names.iter().any(|(value, _)| *value < 0);
                let names = names.iter().map(|(value, name)| (*value, text(name)));
                Kind::Enumeration { signed, names: names.collect() }
            }
            Form::Union { members } => Kind::Union { members: self.members(members, 0) },
            Form::Structure { members, variants } => {
                let members = self.members(members, 0);
                match variants {
                    None => Kind::Structure { members },
                    Some(variants) => self.variants(variants, members),
                }
            }
        };
        Type { name: self.name(number, 0).whole(), size: self.size(number, 0), kind }
    }

    fn members(&mut self, members: &[RawMember<'a>], from: u64) -> Vec<Member> {
        members.iter().map(|member| self.member(member, from)).collect()
    }

    fn member(&mut self, member: &RawMember<'a>, from: u64) -> Member {
        let name = match self.written.target(member.of) {
            Some(base) if member.base => self.name(base, 0).whole(),
            _ => text(member.name),
        };
        let offset = member.offset.saturating_add(from);
        Member { name, offset, of: self.id_of(member.of), bits: member.bits }
    }

    /// The forms that a value can have. Each is written as one member that has the members.
    fn variants(&mut self, written: &Variants<'a>, shared: Vec<Member>) -> Kind {
        let tag = written.tag.as_ref().map(|tag| self.member(tag, 0));
        let of_tag = written.tag.and_then(|tag| self.written.target(tag.of));
        let bits = of_tag.map_or(0, |of| self.size(of, 0).saturating_mul(8));
        let signed = written.tag.is_some_and(|tag| self.is_signed(tag.of));
        let value = |tag: i128| match bits {
            // What is written is cut off to the size of the tag, without its sign.
            8 | 16 | 32 | 64 if signed => tag << (128 - bits) >> (128 - bits),
            _ => tag,
        };
        let mut variants = Vec::new();
        for variant in &written.variants {
            let tags = variant.tag.map(|tag| (value(tag), value(tag))).into_iter().collect();
            let inner = variant.members.first().filter(|_| variant.members.len() == 1);
            let inside = inner.and_then(|inner| self.written.target(inner.of));
            let inside = inside.map(|inside| &self.written.raws[inside].form);
            let members = match (inner, inside) {
                (Some(inner), Some(Form::Structure { members, variants: None })) => {
                    self.members(members, inner.offset)
                }
                _ => self.members(&variant.members, 0),
            };
            let name = inner.map_or_else(String::new, |inner| text(inner.name));
            variants.push(Variant { name, tags, members });
        }
        Kind::Variants { tag, shared, variants }
    }

    fn is_signed(&self, entry: Option<EntryId>) -> bool {
        let of = self.written.target(entry).map(|number| &self.written.raws[number].form);
        matches!(
            of,
            Some(Form::Simple(Kind::Integer { signed: true } | Kind::Character { signed: true }))
        )
    }

    /// In bytes. Types that are part of themselves, which do not exist, have no size.
    fn size(&mut self, number: usize, depth: usize) -> u64 {
        let raw = &self.written.raws[number];
        let id = self.id(number).0 as usize;
        if let Some(size) = raw.size.or(self.sizes[id]) {
            return size;
        }
        let size = match &raw.form {
            Form::Pointer { .. } => self.word,
            Form::Array { of, count } if depth < DEPTH => {
                let of = self.written.target(*of);
                let each = of.map_or(0, |of| self.size(of, depth + 1));
                each.saturating_mul(count.unwrap_or(0))
            }
            Form::Enumeration { of, .. } if depth < DEPTH => {
                self.written.target(*of).map_or(0, |of| self.size(of, depth + 1))
            }
            _ => 0,
        };
        self.sizes[id] = Some(size);
        size
    }

    fn name(&mut self, number: usize, depth: usize) -> Declarator {
        let raw = &self.written.raws[number];
        let id = self.id(number).0 as usize;
        if let Some(Some(name)) = self.names.get(id) {
            return name.clone();
        }
        let mut name = match raw.named.name {
            Some(_) => {
                let name = self.written.scopes.qualified(raw.named);
                match raw.keyword {
                    keyword @ ("struct" | "union" | "enum") => {
                        Declarator::of(format!("{keyword} {name}"))
                    }
                    _ => Declarator::of(name),
                }
            }
            None if depth >= DEPTH => Declarator::of("..."),
            None => self.derived_name(raw, depth + 1),
        };
        // Only types of types of types get there, again and again.
        if raw.named.name.is_none() && name.before.len() + name.behind.len() > LONG {
            name = Declarator::of("...");
        }
        if self.names.len() <= id {
            self.names.resize(id + 1, None);
        }
        self.names[id] = Some(name.clone());
        name
    }

    /// The name of a type that is written by others.
    fn derived_name(&mut self, raw: &Raw<'a>, depth: usize) -> Declarator {
        match &raw.form {
            Form::Pointer { to } => {
                let Declarator { before, behind } = self.name_of(*to, depth);
                let sign = raw.keyword;
                let blank = if before.ends_with(['*', '&']) { "" } else { " " };
                if behind.is_empty() {
                    return Declarator::of(format!("{before}{blank}{sign}"));
                }
                let before = format!("{before}{blank}({sign}");
                Declarator { before, behind: format!("){}", behind.trim_start()) }
            }
            Form::Array { of, count: Some(count) } if raw.keyword == RUST_ARRAY => {
                Declarator::of(format!("[{}; {count}]", self.name_of(*of, depth).whole()))
            }
            Form::Array { of, count } => {
                let Declarator { before, behind } = self.name_of(*of, depth);
                let count = count.map_or_else(String::new, |count| count.to_string());
                let behind = format!(" [{count}]{}", behind.trim_start());
                Declarator { before, behind }
            }
            Form::Function { result, parameters, open } => {
                let Declarator { before, behind } = self.name_of(*result, depth);
                let mut names: Vec<String> = Vec::new();
                for parameter in parameters {
                    names.push(self.name_of(*parameter, depth).whole());
                }
                match (names.is_empty(), open) {
                    (true, true) => {}
                    (true, false) => names.push("void".to_owned()),
                    (false, true) => names.push("...".to_owned()),
                    (false, false) => {}
                }
                Declarator { before, behind: format!(" ({}){behind}", names.join(", ")) }
            }
            Form::Structure { .. } | Form::Union { .. } | Form::Enumeration { .. } => {
                Declarator::of(format!("{} {{...}}", raw.keyword))
            }
            _ => Declarator::of("?"),
        }
    }

    fn name_of(&mut self, entry: Option<EntryId>, depth: usize) -> Declarator {
        match self.written.target(entry) {
            None => Declarator::of("void"),
            Some(number) => self.name(number, depth),
        }
    }
}

/// Types of types of types; so many at most.
const DEPTH: usize = 32;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
