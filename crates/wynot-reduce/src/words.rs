//! Passes that make words shorter or plainer: literals and names.

use crate::choices::Choices;
use crate::{Draft, Edit, Halving, Pass};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use wynot_subjects::NodeId;

/// Below this many bytes, single uses of names are tried as numbers.
const SHORT: usize = 400;

/// Puts plainer literals in the place of literals: all equal ones together, then each by itself.
#[derive(Clone, Debug)]
pub struct Literals(Choices);

impl Literals {
    pub fn new(draft: &Draft) -> Self {
        let mut by_text: BTreeMap<Vec<u8>, Vec<NodeId>> = BTreeMap::new();
        for id in 0..draft.tree.nodes().len() as NodeId {
            let kind = draft.tree.kind(id);
            let is_literal = ["number", "integer", "float", "string", "literal", "char"]
                .iter()
                .any(|word| kind.contains(word));
            let is_atom =
                kind == "atom" && draft.text_of(id).first().is_some_and(u8::is_ascii_digit);
            // Parsers make up empty nodes for what they miss.
            let is_there = !draft.span(id).is_empty();
            if draft.tree.is_named(id) && is_there && (is_literal || is_atom) {
                by_text.entry(draft.text_of(id).to_vec()).or_default().push(id);
            }
        }
        let mut choices = zeros(draft);
        for (text, nodes) in by_text {
            for plainer in plainer(&text) {
                let edit = |&id: &NodeId| Edit::replace(draft.span(id), plainer.clone());
                if nodes.len() > 1 {
                    choices.push(nodes.iter().map(edit).collect());
                }
                choices.extend(nodes.iter().map(|id| vec![edit(id)]));
            }
        }
        Self(Choices::new(choices))
    }
}

/// Single uses of names that become 0, where a text is short.
fn zeros(draft: &Draft) -> Vec<Vec<Edit>> {
    let tree = &draft.tree;
    if draft.text.len() >= SHORT || !draft.language.expressions.contains(&"0") {
        return Vec::new();
    }
    let used = (0..tree.nodes().len() as NodeId).rev().filter(|&id| {
        tree.kind(id) == "identifier"
            && !matches!(tree.field(id), "declarator" | "name" | "function")
    });
    used.map(|id| vec![Edit::replace(draft.span(id), "0")]).collect()
}

/// What a literal may become, the plainest first.
fn plainer(text: &[u8]) -> Vec<Vec<u8>> {
    let quoted = text.len() > 1 && text[0] == text[text.len() - 1] && b"\"'`".contains(&text[0]);
    let mut found: Vec<Vec<u8>> = match quoted {
        true => vec![b"0".to_vec(), vec![text[0], text[0]], vec![text[0], b'a', text[0]]],
        false if text[0].is_ascii_digit() || text[0] == b'-' => {
            vec![b"0".to_vec(), b"1".to_vec(), b"2".to_vec()]
        }
        false => Vec::new(),
    };
    found.retain(|plain| (plain.len(), plain.as_slice()) < (text.len(), text));
    found
}

impl Pass for Literals {
    const NAME: &'static str = "literals";

    fn propose(&mut self, draft: &Draft) -> Option<Vec<Edit>> {
        self.0.next(draft)
    }
}

/// Gives names of one letter to whatever has a longer one: all at once, then halves.
#[derive(Clone, Debug)]
pub struct Names {
    renamings: Rc<Vec<Vec<Edit>>>,
    halving: Halving,
}

impl Names {
    pub fn new(draft: &Draft) -> Self {
        let mut uses: BTreeMap<&[u8], Vec<NodeId>> = BTreeMap::new();
        let mut taken: BTreeSet<Vec<u8>> = BTreeSet::new();
        for id in 0..draft.tree.nodes().len() as NodeId {
            let text = draft.text_of(id);
            if !draft.tree.is_leaf(id) || text.is_empty() {
                continue;
            }
            taken.insert(text.to_vec());
            let kind = draft.tree.kind(id);
            let is_name =
                kind.contains("identifier") || matches!(kind, "atom" | "variable_name" | "Name");
            if draft.tree.is_named(id) && is_name && text.len() > 1 && text[0].is_ascii_alphabetic()
            {
                uses.entry(text).or_default().push(id);
            }
        }
        let mut letters = (b'a'..=b'z').chain(b'A'..=b'Z').map(|letter| vec![letter]);
        let mut renamings = Vec::new();
        // Where a header counts what follows (DIMACS), names are numbers without gaps.
        if draft.language.header.is_some() {
            renamings.push(renumbered(draft));
        }
        // The most used first: they gain most by the letters there are.
        let mut by_gain: Vec<_> = uses.into_iter().collect();
        by_gain.sort_by_key(|(name, uses)| (std::cmp::Reverse(name.len() * uses.len()), *name));
        for (_, uses) in by_gain {
            let Some(letter) = letters.find(|letter| !taken.contains(letter)) else { break };
            let edit = |id: NodeId| Edit::replace(draft.span(id), letter.clone());
            renamings.push(uses.into_iter().map(edit).collect());
        }
        let halving = Halving::new(renamings.len());
        Self { renamings: Rc::new(renamings), halving }
    }
}

/// The variables of a formula, numbered anew in the order in which they come.
fn renumbered(draft: &Draft) -> Vec<Edit> {
    let mut numbers: BTreeMap<&[u8], usize> = BTreeMap::new();
    let mut edits = Vec::new();
    for id in 0..draft.tree.nodes().len() as NodeId {
        if !draft.tree.is_named(id) || draft.tree.kind(id) != "literal" {
            continue;
        }
        let text = draft.text_of(id);
        let (sign, variable) = text.split_at(usize::from(text[0] == b'-'));
        let next = numbers.len() + 1;
        let number = *numbers.entry(variable).or_insert(next);
        let literal = [sign, number.to_string().as_bytes()].concat();
        edits.push(Edit::replace(draft.span(id), literal));
    }
    edits
}

impl Pass for Names {
    const NAME: &'static str = "names";

    fn propose(&mut self, draft: &Draft) -> Option<Vec<Edit>> {
        let renamings = &self.renamings;
        let weight = |index: u32| {
            let edits = &renamings[index as usize];
            edits.iter().filter(|edit| !draft.edits.covers(&edit.span)).count()
        };
        let (from, to) = self.halving.next(weight)?;
        Some(renamings[from as usize..to as usize].concat())
    }

    fn accept(&mut self, _: &Draft) {
        self.halving.accept();
    }
}
