//! What hints come to for the types of a program.

use super::{Case, Hint, HintError, HintFile, Numbers, Says};
use crate::dwarf::{Bits, Kind, Member, TypeId, Types};
use crate::layout::Read;
use crate::values::{bits_of, is_signed, number};
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// What is known about the types of a program beyond what the compiler has written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    structures: HashMap<TypeId, Vec<Rule>>,
    unions: HashMap<TypeId, usize>,
}

/// What is known about a member of a structure, by its number.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    member: usize,
    by: Number,
    says: RuleSays,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum RuleSays {
    /// Which member of the union, by number.
    InUse { cases: Vec<(RangeInclusive<i128>, usize)>, other: Option<usize> },
    /// How many values the pointer leads to.
    Count,
}

/// Where in a structure a number is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Number {
    offset: u64,
    of: TypeId,
    bits: Option<Bits>,
}

impl Rules {
    /// The only member of a union that matters.
    pub fn fixed(&self, union: TypeId) -> Option<usize> {
        if self.unions.is_empty() { None } else { self.unions.get(&union).copied() }
    }

    /// Whether anything is known about members of a structure.
    pub fn is_unit(&self, structure: TypeId) -> bool {
        !self.structures.is_empty() && self.structures.contains_key(&structure)
    }

    /// Which member of the union is in use that is this member of a structure.
    pub fn chosen(
        &self,
        types: &Types,
        structure: TypeId,
        member: usize,
        read: &Read<'_>,
    ) -> Option<usize> {
        self.rules(structure, member).find_map(|rule| match &rule.says {
            RuleSays::InUse { cases, other } => {
                let number = rule.by.read(types, read)?;
                let case = cases.iter().find(|(numbers, _)| numbers.contains(&number));
                case.map(|(_, member)| *member).or(*other)
            }
            RuleSays::Count => None,
        })
    }

    /// How many values the pointer leads to that is this member of a structure.
    pub fn count(
        &self,
        types: &Types,
        structure: TypeId,
        member: usize,
        read: &Read<'_>,
    ) -> Option<u64> {
        let mut counts = self.rules(structure, member).filter(|rule| rule.says == RuleSays::Count);
        u64::try_from(counts.next()?.by.read(types, read)?).ok()
    }

    fn rules(&self, structure: TypeId, member: usize) -> impl Iterator<Item = &Rule> {
        let rules = self.structures.get(&structure).into_iter().flatten();
        rules.filter(move |rule| rule.member == member)
    }
}

impl Number {
    fn read(&self, types: &Types, read: &Read<'_>) -> Option<i128> {
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
    /// What the hints come to in a program with these types. Fails if there is no such type or member.
    pub fn resolve(&self, types: &Types) -> Result<Rules, HintError> {
        let mut rules = Rules::default();
        for (line, hint) in &self.hints {
            resolve(hint, types, &mut rules)
                .map_err(|problem| HintError { line: *line, problem })?;
        }
        Ok(rules)
    }
}

/// Several types may have the same name: the hint is about those that it fits, at least one.
fn resolve(hint: &Hint, types: &Types, rules: &mut Rules) -> Result<(), String> {
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
    rules: &mut Rules,
) -> Result<(), String> {
    match (&hint.says, kind) {
        (Says::Is(member), Kind::Union { members }) => {
            rules.unions.insert(of, position(members, member, &hint.of)?);
        }
        (Says::By { union, tag, cases }, Kind::Structure { members }) => {
            let member = position(members, union, &hint.of)?;
            let Kind::Union { members: inside } = &types[members[member].of].kind else {
                return Err(format!("\"{union}\" of \"{}\" is no union", hint.of));
            };
            let by = find_number(types, members, tag, &hint.of)?;
            let says = in_use(inside, cases, union)?;
            rules.structures.entry(of).or_default().push(Rule { member, by, says });
        }
        (Says::Counted { pointer, count }, Kind::Structure { members }) => {
            let member = position(members, pointer, &hint.of)?;
            if !matches!(types[members[member].of].kind, Kind::Pointer { .. }) {
                return Err(format!("\"{pointer}\" of \"{}\" is no pointer", hint.of));
            }
            let by = find_number(types, members, count, &hint.of)?;
            let rule = Rule { member, by, says: RuleSays::Count };
            rules.structures.entry(of).or_default().push(rule);
        }
        (Says::Is(_), _) => return Err(format!("\"{}\" is no union", hint.of)),
        _ => return Err(format!("\"{}\" is no structure", hint.of)),
    }
    Ok(())
}

fn in_use(members: &[Member], cases: &[Case], union: &str) -> Result<RuleSays, String> {
    let (mut known, mut other) = (Vec::new(), None);
    for Case { numbers, member } in cases {
        let member = position(members, member, union)?;
        match numbers {
            Numbers::These(numbers) => known.push((numbers.clone(), member)),
            Numbers::Others => other = Some(member),
        }
    }
    Ok(RuleSays::InUse { cases: known, other })
}

fn position(members: &[Member], name: &str, of: &str) -> Result<usize, String> {
    let missing = || match name {
        "" => format!("\"{of}\" has no union without a name"),
        _ => format!("\"{of}\" has no member \"{name}\""),
    };
    members.iter().position(|member| member.name == name).ok_or_else(missing)
}

/// A number by its path, as in `header.kind`. Structures without names are looked into.
fn find_number(types: &Types, members: &[Member], path: &str, of: &str) -> Result<Number, String> {
    let missing = || format!("\"{of}\" has no member \"{path}\"");
    let mut number = Number { offset: 0, of: Types::VOID, bits: None };
    let mut members = members;
    for name in path.split('.') {
        let (offset, member) = find(types, members, name, 0).ok_or_else(missing)?;
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
    if is_number { Ok(number) } else { Err(format!("\"{path}\" of \"{of}\" is no number")) }
}

fn find<'m>(
    types: &'m Types,
    members: &'m [Member],
    name: &str,
    depth: u32,
) -> Option<(u64, &'m Member)> {
    members.iter().find_map(|member| match &types[member.of].kind {
        _ if member.name == name => Some((member.offset, member)),
        Kind::Structure { members } | Kind::Union { members }
            if member.name.is_empty() && depth < 16 =>
        {
            let (offset, found) = find(types, members, name, depth + 1)?;
            Some((member.offset + offset, found))
        }
        _ => None,
    })
}
