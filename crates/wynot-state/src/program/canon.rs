//! Makes one type of all those that are the same.
//!
//! Every unit has its own `struct node`, and `struct node` has a pointer to itself: whether two are the same
//! depends on whether they are the same. So all types with equal names, sizes and members are taken for the
//! same at first, and then told apart, again and again, as long as something that they refer to is told
//! apart. What is left over is the same.

use super::attributes::EntryId;
use super::index::{HashedMap, Ranks};
use super::raw::{Form, Raw, Scopes, mix};

/// Types as they were written, with what they refer to.
pub(super) struct Written<'w, 'a> {
    pub(super) raws: &'w [Raw<'a>],
    pub(super) scopes: &'w Scopes<'a>,
    /// What each one looks like, apart from what it refers to.
    looks: &'w [u64],
    numbers: Ranks,
    /// For each, the one that it is another name of, or itself. Nothing is void.
    targets: Vec<Option<u32>>,
}

/// Names of names; so many at most.
const ALIASES: usize = 64;

/// So many references are looked at until types are told apart. In real programs, ten times are enough for
/// each; chains of pointers to pointers could take hours.
const WORK: usize = 1 << 29;

impl<'w, 'a> Written<'w, 'a> {
    /// `raws` must be in the order of their entries, of which `numbers` are.
    pub(super) fn new(
        raws: &'w [Raw<'a>],
        scopes: &'w Scopes<'a>,
        looks: &'w [u64],
        numbers: Ranks,
    ) -> Self {
        let mut written = Self { raws, scopes, looks, numbers, targets: Vec::new() };
        let definitions = written.definitions();
        let targets = (0..raws.len()).map(|number| written.follow(number, &definitions));
        written.targets = targets.collect();
        written
    }

    /// The type of an entry, other names looked through. Nothing is void, and what is not known.
    pub(super) fn target(&self, entry: Option<EntryId>) -> Option<usize> {
        self.targets[self.numbers.of(entry?)?].map(|number| number as usize)
    }

    /// The type that a type is another name of, or itself.
    pub(super) fn target_of(&self, number: usize) -> Option<usize> {
        self.targets[number].map(|number| number as usize)
    }

    /// Which of the types each entry is.
    pub(super) fn into_numbers(self) -> Ranks {
        self.numbers
    }

    /// Looks through other names, and finds what is declared only.
    fn follow(&self, number: usize, definitions: &HashedMap<Option<usize>>) -> Option<u32> {
        let mut number = number;
        for _ in 0..ALIASES {
            match &self.raws[number].form {
                Form::Alias { of, .. } => number = self.numbers.of((*of)?)?,
                Form::Declared => {
                    let name = self.raws[number].name_hash(self.scopes)?;
                    number = definitions.get(&name).copied().flatten().unwrap_or(number);
                    return u32::try_from(number).ok();
                }
                _ => return u32::try_from(number).ok(),
            }
        }
        None
    }

    /// Where types with names are defined, if all definitions of a name look the same.
    fn definitions(&self) -> HashedMap<Option<usize>> {
        let mut definitions: HashedMap<(u64, Option<usize>)> = HashedMap::default();
        for (number, raw) in self.raws.iter().enumerate() {
            let defines = matches!(
                raw.form,
                Form::Structure { .. } | Form::Union { .. } | Form::Enumeration { .. }
            );
            let Some(name) = raw.name_hash(self.scopes).filter(|_| defines) else { continue };
            let looks = self.looks[number];
            let known = definitions.entry(name).or_insert((looks, Some(number)));
            if known.0 != looks {
                known.1 = None;
            }
        }
        definitions.into_iter().map(|(name, (_, number))| (name, number)).collect()
    }

    /// For each type a number that it shares with those that are the same, and no others.
    pub(super) fn classes(&self) -> Vec<u32> {
        let (starts, references) = self.references();
        let mut hashes = self.looks.to_vec();
        let (mut classes, mut count) = number(&hashes);
        for _ in 0..WORK / (references.len() + hashes.len()).max(1) {
            for (hash, at) in hashes.iter_mut().zip(0..) {
                let refers = &references[starts[at] as usize..starts[at + 1] as usize];
                let class =
                    |to: &Option<u32>| to.map_or(0, |to| u64::from(classes[to as usize]) + 1);
                *hash = refers.iter().fold(u64::from(classes[at]), |hash, to| mix(hash, class(to)));
            }
            let (next, more) = number(&hashes);
            classes = next;
            if more == count {
                return classes;
            }
            count = more;
        }
        // No compiler has written that. Nothing that is different may be taken for the same.
        (0..).take(hashes.len()).collect()
    }

    /// What each type refers to, one after the other, and where in this list each one's begin.
    fn references(&self) -> (Vec<u32>, Vec<Option<u32>>) {
        let mut starts = vec![0];
        let mut references = Vec::new();
        for raw in self.raws {
            each_reference(&raw.form, &mut |to| {
                references.push(self.target(to).and_then(|to| u32::try_from(to).ok()));
            });
            starts.push(u32::try_from(references.len()).unwrap_or(u32::MAX));
        }
        (starts, references)
    }
}

/// Visits all types that a type is made of, or points to.
fn each_reference(form: &Form<'_>, visit: &mut impl FnMut(Option<EntryId>)) {
    match form {
        Form::Simple(_) | Form::Alias { .. } | Form::Declared => {}
        Form::Pointer { to: of } | Form::Array { of, .. } | Form::Enumeration { of, .. } => {
            visit(*of)
        }
        Form::Function { result, parameters, .. } => {
            visit(*result);
            parameters.iter().for_each(|parameter| visit(*parameter));
        }
        Form::Union { members } => members.iter().for_each(|member| visit(member.of)),
        Form::Structure { members, variants } => {
            members.iter().for_each(|member| visit(member.of));
            let Some(variants) = variants else { return };
            variants.tag.iter().for_each(|member| visit(member.of));
            let members = variants.variants.iter().flat_map(|variant| &variant.members);
            members.for_each(|member| visit(member.of));
        }
    }
}

/// Numbers hashes in the order of their first appearance, and says how many different ones there are.
fn number(hashes: &[u64]) -> (Vec<u32>, usize) {
    let mut numbers: HashedMap<u32> = HashedMap::default();
    let mut next = 0;
    let numbered = hashes.iter().map(|hash| {
        *numbers.entry(*hash).or_insert_with(|| {
            next += 1;
            next - 1
        })
    });
    let numbered = numbered.collect();
    (numbered, numbers.len())
}
