//! Renames identifiers to single letters.

use crate::halving::Halving;
use crate::pass::Pass;
use crate::text::edit::Edit;
use crate::text::name_keys::spelled_name;
use crate::text::parsed_text::ParsedText;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use wynot_subjects::NodeId;

/// Renames all identifiers of more than one letter at once, then halves of them.
pub fn names(parsed: &ParsedText) -> Names {
    // Without a grammar, every word may be a name.
    let has_words = parsed.language.has_lexical_definitions && parsed.is_short();
    let mut uses: BTreeMap<Cow<'_, [u8]>, Vec<NodeId>> = BTreeMap::new();
    let mut taken: BTreeSet<Vec<u8>> = BTreeSet::new();
    for id in parsed.node_ids() {
        let text = parsed.text_of(id);
        if !parsed.tree.is_leaf(id) || text.is_empty() {
            continue;
        }
        let name = spelled_name(parsed, id);
        taken.insert(name.to_vec());
        let kind = parsed.tree.kind(id);
        let is_name = kind.contains("identifier")
            || matches!(kind, "atom" | "variable_name" | "Name")
            || kind == "word" && has_words;
        let letters = &name[sigil(parsed, &name).len()..];
        let is_long = letters.len() > 1 && (letters[0].is_ascii_alphabetic() || letters[0] == b'_');
        if parsed.tree.is_named(id) && is_name && is_long {
            uses.entry(name).or_default().push(id);
        }
    }
    uses.retain(|_, uses| !has_words || uses.len() > 1);
    let mut renamings = Vec::new();
    // In a language whose header counts what follows (DIMACS), names are numbers without gaps.
    if parsed.language.header.is_some() {
        renamings.push(renumber_variables(parsed));
    }
    // Letters are few, so the names that take up most bytes get them first.
    let mut by_gain: Vec<_> = uses.into_iter().collect();
    by_gain.sort_by(|(a, a_uses), (b, b_uses)| {
        (b.len() * b_uses.len()).cmp(&(a.len() * a_uses.len())).then_with(|| a.cmp(b))
    });
    for (name, uses) in by_gain {
        let sigil = sigil(parsed, &name);
        let mut letters = (b'a'..=b'z').chain(b'A'..=b'Z');
        let free = letters.find(|&letter| !taken.contains(&[sigil, &[letter]].concat()));
        let Some(letter) = free else { continue };
        let renamed = [sigil, &[letter]].concat();
        let edit = |id: NodeId| {
            let has_sigil = parsed.text_of(id).starts_with(sigil);
            let name = if has_sigil { renamed.clone() } else { vec![letter] };
            Edit::replace(parsed.span(id), name)
        };
        renamings.push(uses.into_iter().map(edit).collect());
        taken.insert(renamed);
    }
    let halving = Halving::new(renamings.len());
    Names { renamings: Rc::new(renamings), halving }
}

/// The sign with which a name begins, in languages that have such signs.
fn sigil<'n>(parsed: &ParsedText, name: &'n [u8]) -> &'n [u8] {
    let has_sigil = parsed.language.local_sigil.is_some()
        && name.first().is_some_and(|byte| parsed.language.sigils.contains(byte));
    &name[..usize::from(has_sigil)]
}

/// The edits that number the variables of a formula anew, in the order in which they occur.
fn renumber_variables(parsed: &ParsedText) -> Vec<Edit> {
    let mut numbers: BTreeMap<&[u8], usize> = BTreeMap::new();
    let mut edits = Vec::new();
    for id in parsed.node_ids() {
        if !parsed.tree.is_named(id) || parsed.tree.kind(id) != "literal" {
            continue;
        }
        let text = parsed.text_of(id);
        let (sign, variable) = text.split_at(usize::from(text[0] == b'-'));
        let next = numbers.len() + 1;
        let number = *numbers.entry(variable).or_insert(next);
        let literal = [sign, number.to_string().as_bytes()].concat();
        edits.push(Edit::replace(parsed.span(id), literal));
    }
    edits
}

/// The renamings that remain to be tried.
#[derive(Clone, Debug)]
pub struct Names {
    /// For each name, the edits of all its uses.
    renamings: Rc<Vec<Vec<Edit>>>,
    halving: Halving,
}

impl Pass for Names {
    fn name(&self) -> &'static str {
        "names"
    }

    fn propose(&mut self, parsed: &ParsedText) -> Option<Vec<Edit>> {
        let renamings = &self.renamings;
        let weight = |index: u32| {
            let edits = &renamings[index as usize];
            edits.iter().filter(|edit| !parsed.edits.covers(&edit.span)).count()
        };
        let (from, to) = self.halving.next(weight)?;
        Some(renamings[from as usize..to as usize].concat())
    }

    fn accept(&mut self, _: &ParsedText) {
        self.halving.accept();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::{parse, proposals};

    #[test]
    fn a_block_and_the_jumps_to_it_keep_one_name() {
        let text = "define void @f() {\nbr label %loop.end\nloop.end:\nret void\n}\n";
        let parsed = parse("llvm", text);
        let tried = proposals(names(&parsed), &parsed);
        assert!(tried.contains(&text.replace("loop.end", "a")), "{tried:?}");
    }
}
