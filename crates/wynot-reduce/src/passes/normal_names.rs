//! Gives names of one letter their places in the alphabet: the first one is `a`.

use crate::pass::one_by_one::OneByOne;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;
use std::collections::{BTreeMap, BTreeSet};
use wynot_subjects::NodeId;

/// The number of names that are tried in the place of each type.
const MAX_NAMES: usize = 4;

/// The names of a text that have one letter, each with its uses, in the order in which they occur first.
struct ShortNames<'p> {
    parsed: &'p ParsedText,
    names: Vec<(u8, Vec<NodeId>)>,
    /// Words of one letter that are no names.
    taken: BTreeSet<u8>,
}

/// Renames all names in the order of their first occurrence; then each one to an earlier letter, alone, in exchange for
/// the name that has it, or together with that; and types become names.
pub fn normal_names(parsed: &ParsedText) -> OneByOne {
    if !parsed.is_short() {
        return OneByOne::empty("normal names");
    }
    let names = ShortNames::of(parsed);
    let mut proposals = vec![names.in_order()];
    for (index, (name, _)) in names.names.iter().enumerate() {
        for letter in (b'a'..=b'z').take(names.names.len()).take_while(|letter| letter != name) {
            let other = names.names.iter().position(|(other, _)| *other == letter);
            proposals.push(names.rename(index, letter));
            if let Some(other) = other {
                proposals.push([names.rename(index, letter), names.rename(other, *name)].concat());
            }
        }
    }
    proposals.extend(names.instead_of_types());
    OneByOne::new("normal names", proposals)
}

impl<'p> ShortNames<'p> {
    fn of(parsed: &'p ParsedText) -> Self {
        let tree = &parsed.tree;
        let (mut names, mut taken): (Vec<(u8, Vec<NodeId>)>, _) = (Vec::new(), BTreeSet::new());
        let leaves = parsed.node_ids().filter(|&id| tree.is_leaf(id));
        for id in leaves {
            let &[letter] = parsed.text_of(id) else { continue };
            let kind = tree.kind(id);
            let is_name = kind.contains("identifier")
                || matches!(kind, "atom" | "variable_name" | "Name" | "word");
            if !letter.is_ascii_alphabetic() {
                continue;
            }
            if !tree.is_named(id) || !is_name {
                taken.insert(letter);
                continue;
            }
            match names.iter_mut().find(|(name, _)| *name == letter) {
                Some((_, uses)) => uses.push(id),
                None => names.push((letter, vec![id])),
            }
        }
        Self { parsed, names, taken }
    }

    /// The edits that give all names their places.
    fn in_order(&self) -> Vec<Edit> {
        let letters = (b'a'..=b'z').filter(|letter| !self.taken.contains(letter));
        let places: BTreeMap<usize, u8> = (0..self.names.len()).zip(letters).collect();
        let changed = places.iter().filter(|(index, letter)| self.names[**index].0 != **letter);
        changed.flat_map(|(index, letter)| self.rename(*index, *letter)).collect()
    }

    /// The replacements of types that have longer names by one of the short ones.
    fn instead_of_types(&self) -> Vec<Vec<Edit>> {
        let tree = &self.parsed.tree;
        let is_type = |id: &NodeId| {
            tree.is_leaf(*id)
                && tree.is_named(*id)
                && tree.kind(*id).contains("type")
                && self.parsed.text_of(*id).len() > 1
        };
        let types = self.parsed.node_ids().filter(is_type);
        let names = || self.names.iter().map(|(name, _)| *name).take(MAX_NAMES);
        let replace = |id: NodeId, name: u8| vec![Edit::replace(self.parsed.span(id), vec![name])];
        types.flat_map(|id| names().map(move |name| replace(id, name))).collect()
    }

    fn rename(&self, index: usize, letter: u8) -> Vec<Edit> {
        let uses = self.names[index].1.iter();
        uses.map(|&id| Edit::replace(self.parsed.span(id), vec![letter])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::{parse, proposals};

    #[test]
    fn names_are_in_the_order_of_the_alphabet_or_equal() {
        let parsed = parse("rust", "fn c<T>(b:T){b}");
        let tried = proposals(normal_names(&parsed), &parsed);
        assert_eq!(tried[0], "fn a<b>(c:b){c}");
        assert!(tried.contains(&"fn c<a>(b:a){b}".to_owned()), "{tried:?}");
        let ordered = parse("rust", "fn a<b>(c:b){c}");
        let tried = proposals(normal_names(&ordered), &ordered);
        assert!(tried.contains(&"fn a<a>(c:a){c}".to_owned()), "{tried:?}");
    }
}
