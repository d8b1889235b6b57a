//! The rules that the hints of a file give for the types of a program.

use super::hint_file::{Hint, HintError, HintFact, HintFile, TagCase, TagValues};
use crate::decode::{ReadBytes, bits_of, is_signed, number};
use crate::dwarf::{Bits, Kind, Member, TypeId, Types};
use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

/// The depth to which structures without names are searched for a member.
const MAX_UNNAMED_DEPTH: u32 = 16;

/// The word that says of a structure that it starts a pool.
const POOL_WORD: &str = "pool";

/// Rules about the types of a program beyond its debug information.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeRules {
    structures: HashMap<TypeId, Vec<MemberRule>>,
    unions: HashMap<TypeId, usize>,
    pools: HashSet<TypeId>,
}

/// A rule about a member of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
struct MemberRule {
    /// The index of the member.
    member: usize,
    /// The number in the same structure that the rule reads.
    by: NumberField,
    meaning: RuleMeaning,
}

/// What the number of a rule means.
#[derive(Clone, Debug, PartialEq, Eq)]
enum RuleMeaning {
    /// It selects a member of the union, by its index.
    MemberInUse { cases: Vec<(RangeInclusive<i128>, usize)>, other: Option<usize> },
    /// It counts the values that the pointer leads to.
    Count,
}

/// A number in a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NumberField {
    offset: u64,
    of: TypeId,
    bits: Option<Bits>,
}

impl TypeRules {
    /// The index of the only member of a union that is used.
    pub fn only_member(&self, union: TypeId) -> Option<usize> {
        if self.unions.is_empty() { None } else { self.unions.get(&union).copied() }
    }

    /// Whether blocks that start with a value of a type are pools.
    pub fn is_pool(&self, of: TypeId) -> bool {
        self.pools.contains(&of)
    }

    /// Whether there are rules about members of a structure.
    pub fn has_rules_for(&self, structure: TypeId) -> bool {
        !self.structures.is_empty() && self.structures.contains_key(&structure)
    }

    /// The index of the member that is in use of the union that is this member of a structure.
    pub fn member_in_use(
        &self,
        types: &Types,
        structure: TypeId,
        member: usize,
        read: &ReadBytes<'_>,
    ) -> Option<usize> {
        self.rules(structure, member).find_map(|rule| match &rule.meaning {
            RuleMeaning::MemberInUse { cases, other } => {
                let number = rule.by.read(types, read)?;
                let case = cases.iter().find(|(numbers, _)| numbers.contains(&number));
                case.map(|(_, member)| *member).or(*other)
            }
            RuleMeaning::Count => None,
        })
    }

    /// The number of values that a pointer leads to which is this member of a structure.
    pub fn count(
        &self,
        types: &Types,
        structure: TypeId,
        member: usize,
        read: &ReadBytes<'_>,
    ) -> Option<u64> {
        let mut rules = self.rules(structure, member);
        let rule = rules.find(|rule| rule.meaning == RuleMeaning::Count)?;
        u64::try_from(rule.by.read(types, read)?).ok()
    }

    fn rules(&self, structure: TypeId, member: usize) -> impl Iterator<Item = &MemberRule> {
        let rules = self.structures.get(&structure).into_iter().flatten();
        rules.filter(move |rule| rule.member == member)
    }
}

impl NumberField {
    fn read(&self, types: &Types, read: &ReadBytes<'_>) -> Option<i128> {
        match self.bits {
            Some(bits) => {
                let bytes = read(self.offset, bits.bytes() as u64)?;
                i128::try_from(bits_of(bits, bytes)).ok()
            }
            None => {
                let bytes = read(self.offset, types[self.of].size)?;
                Some(number(bytes, is_signed(types, self.of)))
            }
        }
    }
}

impl HintFile {
    /// The rules for a program with these types; an error if a type or member of a hint does not exist.
    pub fn resolve(&self, types: &Types) -> Result<TypeRules, HintError> {
        let mut rules = TypeRules::default();
        for (line, hint) in &self.hints {
            resolve(hint, types, &mut rules)
                .map_err(|problem| HintError { line: *line, problem })?;
        }
        Ok(rules)
    }
}

/// Adds the rules of a hint. Several types may have its name; it must fit at least one of them.
fn resolve(hint: &Hint, types: &Types, rules: &mut TypeRules) -> Result<(), String> {
    let mut problem = Some(format!("the program has no type \"{}\"", hint.of));
    let named = |name: &str| {
        let bare = |full: &'_ str| {
            ["struct ", "union ", "class "]
                .iter()
                .any(|kind| full.strip_prefix(kind) == Some(&hint.of))
        };
        name == hint.of || bare(name)
    };
    let all: Vec<_> = types.iter().filter(|(_, known)| named(&known.name)).collect();
    let mut fits = false;
    for (id, known) in all {
        match add(hint, types, id, &known.kind, rules) {
            Ok(()) => fits = true,
            Err(other) => problem = Some(other),
        }
    }
    match problem {
        Some(problem) if !fits => Err(problem),
        _ => Ok(()),
    }
}

fn add(
    hint: &Hint,
    types: &Types,
    of: TypeId,
    kind: &Kind,
    rules: &mut TypeRules,
) -> Result<(), String> {
    match (&hint.fact, kind) {
        (HintFact::OnlyMember(member), Kind::Union { members }) => {
            rules.unions.insert(of, position(members, member, &hint.of)?);
        }
        (HintFact::OnlyMember(word), Kind::Structure { .. }) if word == POOL_WORD => {
            rules.pools.insert(of);
        }
        (HintFact::UnionByTag { union, tag, cases }, Kind::Structure { members }) => {
            let member = position(members, union, &hint.of)?;
            let Kind::Union { members: inside } = &types[members[member].of].kind else {
                return Err(format!("\"{union}\" of \"{}\" is not a union", hint.of));
            };
            let by = find_number(types, members, tag, &hint.of)?;
            let meaning = member_by_tag(inside, cases, union)?;
            rules.structures.entry(of).or_default().push(MemberRule { member, by, meaning });
        }
        (HintFact::CountedPointer { pointer, count }, Kind::Structure { members }) => {
            let member = position(members, pointer, &hint.of)?;
            if !matches!(types[members[member].of].kind, Kind::Pointer { .. }) {
                return Err(format!("\"{pointer}\" of \"{}\" is not a pointer", hint.of));
            }
            let by = find_number(types, members, count, &hint.of)?;
            let rule = MemberRule { member, by, meaning: RuleMeaning::Count };
            rules.structures.entry(of).or_default().push(rule);
        }
        (HintFact::OnlyMember(_), _) => return Err(format!("\"{}\" is not a union", hint.of)),
        _ => return Err(format!("\"{}\" is not a structure", hint.of)),
    }
    Ok(())
}

fn member_by_tag(
    members: &[Member],
    cases: &[TagCase],
    union: &str,
) -> Result<RuleMeaning, String> {
    let (mut known, mut other) = (Vec::new(), None);
    for TagCase { tags, member } in cases {
        let member = position(members, member, union)?;
        match tags {
            TagValues::Range(tags) => known.push((tags.clone(), member)),
            TagValues::Else => other = Some(member),
        }
    }
    Ok(RuleMeaning::MemberInUse { cases: known, other })
}

fn position(members: &[Member], name: &str, of: &str) -> Result<usize, String> {
    let missing = || match name {
        "" => format!("\"{of}\" has no union without a name"),
        _ => format!("\"{of}\" has no member \"{name}\""),
    };
    members.iter().position(|member| member.name == name).ok_or_else(missing)
}

/// The number at a path such as `header.kind`, which leaves out structures without names.
fn find_number(
    types: &Types,
    members: &[Member],
    path: &str,
    of: &str,
) -> Result<NumberField, String> {
    let missing = || format!("\"{of}\" has no member \"{path}\"");
    let mut number = NumberField { offset: 0, of: Types::VOID, bits: None };
    let mut members = members;
    for name in path.split('.') {
        let (offset, member) = find_member(types, members, name, 0).ok_or_else(missing)?;
        number.offset += offset;
        (number.of, number.bits) = (member.of, member.bits);
        members = match &types[member.of].kind {
            Kind::Structure { members } | Kind::Union { members } => members,
            _ => &[],
        };
    }
    let kind = &types[number.of].kind;
    let is_number = matches!(
        kind,
        Kind::Boolean | Kind::Integer { .. } | Kind::Character { .. } | Kind::Enumeration { .. }
    );
    if is_number { Ok(number) } else { Err(format!("\"{path}\" of \"{of}\" is not a number")) }
}

fn find_member<'m>(
    types: &'m Types,
    members: &'m [Member],
    name: &str,
    depth: u32,
) -> Option<(u64, &'m Member)> {
    members.iter().find_map(|member| match &types[member.of].kind {
        _ if member.name == name => Some((member.offset, member)),
        Kind::Structure { members } | Kind::Union { members }
            if member.name.is_empty() && depth < MAX_UNNAMED_DEPTH =>
        {
            let (offset, found) = find_member(types, members, name, depth + 1)?;
            Some((member.offset + offset, found))
        }
        _ => None,
    })
}
