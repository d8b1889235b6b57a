//! The work horse: every node, the largest first, becomes a constant, one of its descendants, or
//! loses elements of its list.

use crate::{Draft, Edit, Group, Halving, Pass, References, category, references::Tally};
use std::collections::HashMap;
use std::rc::Rc;
use wynot_subjects::NodeId;

/// After so many failures without success a kind of edit is left for later.
const GATE: u8 = 4;

/// How many nodes of paths are walked for each node of the tree, on average.
const PATH_SHARE: usize = 8;

/// How far a path is followed in any case.
const SHORT_PATH: usize = 32;

/// Which kinds of edits have failed how often; emptied before the end.
type Gate = Rc<HashMap<(Operation, u64), u8>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Operation {
    Constant,
    Hoist,
}

/// How hard the queue tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// What pays.
    Quick,
    /// Everything.
    Thorough,
}

/// A pass over all nodes.
#[derive(Clone, Debug)]
pub struct Queue {
    nodes: Rc<Vec<NodeId>>,
    at: usize,
    stage: Stage,
    effort: Effort,
    gate: Gate,
    key: Option<(Operation, u64)>,
    references: Rc<References>,
    tally: Tally,
    /// How many more nodes of paths may be walked.
    budget: usize,
    /// What the last proposal would leave without use, were it accepted.
    orphans: Rc<Vec<Edit>>,
    /// What an accepted one has left without use.
    pending: Option<Rc<Vec<Edit>>>,
}

/// What is being tried on the present node.
#[derive(Clone, Debug)]
enum Stage {
    Constants(usize),
    Hoists(Rc<Vec<NodeId>>, usize),
    List(Rc<Group>, Halving, Coupling),
}

/// A deletion is first tried with what it leaves without use, then by itself.
#[derive(Clone, Debug)]
enum Coupling {
    Coupled,
    Plain((u32, u32)),
}

impl Queue {
    /// All nodes of a draft, by their present size.
    pub fn new(draft: &Draft, effort: Effort) -> Self {
        let mut nodes: Vec<NodeId> = (0..draft.tree.nodes().len() as NodeId)
            .filter(|&id| draft.tree.is_named(id) && draft.size(id) > 1)
            .collect();
        nodes.sort_by_key(|&id| (std::cmp::Reverse(draft.size(id)), id));
        let references = References::of(draft);
        let tally = references.tally(draft);
        Self {
            budget: nodes.len() * PATH_SHARE,
            nodes: Rc::new(nodes),
            at: 0,
            stage: Stage::Constants(0),
            effort,
            gate: Gate::default(),
            key: None,
            references: Rc::new(references),
            tally,
            orphans: Rc::default(),
            pending: None,
        }
    }

    /// The next edits for the present node; `None` when nothing is left to try on it.
    fn on_node(&mut self, draft: &Draft, node: NodeId) -> Option<Vec<Edit>> {
        loop {
            self.key = None;
            match &mut self.stage {
                Stage::Constants(index) => {
                    let constants = category::constants(draft, node);
                    let Some(constant) = constants.get(*index) else {
                        let hoists = hoists(draft, node, self.effort, &mut self.budget);
                        self.stage = Stage::Hoists(Rc::new(hoists), 0);
                        continue;
                    };
                    *index += 1;
                    let key = (Operation::Constant, hash(&[draft.tree.kind(node), constant]));
                    if constant.len() < draft.size(node) && self.passes_gate(key) {
                        return Some(vec![Edit::replace(draft.span(node), *constant)]);
                    }
                }
                Stage::Hoists(targets, index) => {
                    let Some(&target) = targets.get(*index) else {
                        let group = Group::of(draft, node)?;
                        let halving = Halving::new(group.len());
                        self.stage = Stage::List(Rc::new(group), halving, Coupling::Coupled);
                        continue;
                    };
                    *index += 1;
                    let kinds = [draft.tree.kind(node), draft.tree.kind(target)];
                    let key = (Operation::Hoist, hash(&kinds));
                    if self.passes_gate(key) {
                        let (outer, inner) = (draft.span(node), draft.span(target));
                        // Two deletions, so that earlier edits inside the descendant survive.
                        let mut edits = vec![
                            draft.cut(outer.start..inner.start),
                            draft.cut(inner.end..outer.end),
                        ];
                        if draft.language.is_layout_sensitive {
                            let columns = (draft.column(inner.start), draft.column(outer.start));
                            edits.extend(draft.indent(inner, columns.0, columns.1));
                        }
                        return Some(edits);
                    }
                }
                Stage::List(group, halving, coupling) => {
                    if let Coupling::Plain(stretch) = *coupling {
                        *coupling = Coupling::Coupled;
                        return Some(group.delete(draft, stretch));
                    }
                    let stretch = halving.next(|element| group.weight(draft, element))?;
                    let mut edits = group.delete(draft, stretch);
                    let orphans = self.references.orphans(draft, &self.tally, &edits);
                    if !orphans.is_empty() {
                        *coupling = Coupling::Plain(stretch);
                        edits.extend(orphans);
                    }
                    return Some(edits);
                }
            }
        }
    }

    /// Whether a kind of edit is worth a test; counts it as failed until it is accepted.
    fn passes_gate(&mut self, key: (Operation, u64)) -> bool {
        if self.effort == Effort::Thorough {
            return true;
        }
        let failures = self.gate.get(&key).copied().unwrap_or_default();
        if failures >= GATE {
            return false;
        }
        Rc::make_mut(&mut self.gate).insert(key, failures + 1);
        self.key = Some(key);
        true
    }

    fn advance(&mut self) {
        self.at += 1;
        self.stage = Stage::Constants(0);
    }
}

impl Pass for Queue {
    const NAME: &'static str = "syntax";

    fn is_doubtful(&self) -> bool {
        !matches!(self.stage, Stage::List(..))
    }

    fn propose(&mut self, draft: &Draft) -> Option<Vec<Edit>> {
        self.orphans = Rc::default();
        if let Some(orphans) = self.pending.take() {
            self.key = None;
            return Some(orphans.to_vec());
        }
        while let Some(&node) = self.nodes.get(self.at) {
            if draft.size(node) > 1
                && let Some(edits) = self.on_node(draft, node)
            {
                if !matches!(self.stage, Stage::List(..)) {
                    self.orphans = Rc::new(self.references.orphans(draft, &self.tally, &edits));
                }
                return Some(edits);
            }
            self.advance();
        }
        None
    }

    fn accept(&mut self, draft: &Draft) {
        if let Some(key) = self.key.take() {
            Rc::make_mut(&mut self.gate).remove(&key);
        }
        self.tally = self.references.tally(draft);
        if !self.orphans.is_empty() {
            self.pending = Some(std::mem::take(&mut self.orphans));
        }
        match &mut self.stage {
            Stage::List(_, halving, coupling) => {
                halving.accept();
                *coupling = Coupling::Coupled;
            }
            _ => self.advance(),
        }
    }
}

/// Descendants that may take the place of a node: along the heaviest path those of a half, three
/// quarters and a quarter of its size, then near ones.
fn hoists(draft: &Draft, node: NodeId, effort: Effort, budget: &mut usize) -> Vec<NodeId> {
    let tree = &draft.tree;
    let size = draft.size(node);
    let mut path = Vec::new();
    let mut steps = 0;
    let mut next = Some(node);
    while let Some(here) = next {
        let named =
            tree.children(here).filter(|&child| tree.is_named(child) && draft.is_alive(child));
        next = named.max_by_key(|&child| (draft.size(child), std::cmp::Reverse(child)));
        path.extend(next.filter(|&child| draft.size(child) < size));
        // Paths can be a million nodes long; all of them together must not be longer than the text.
        *budget = budget.saturating_sub(1);
        steps += 1;
        if *budget == 0 && steps >= SHORT_PATH {
            break;
        }
    }
    let nearest = |share: usize| {
        path.iter().copied().min_by_key(|&id| (draft.size(id) * 4).abs_diff(size * share))
    };
    let mut found: Vec<NodeId> = [2, 3, 1].into_iter().filter_map(nearest).collect();
    let kind = tree.kind(node);
    let near =
        tree.children(node).flat_map(|child| std::iter::once(child).chain(tree.children(child)));
    let mut near: Vec<NodeId> = near
        .filter(|&id| tree.is_named(id) && draft.is_alive(id) && draft.size(id) < size)
        .collect();
    near.sort_by_key(|&id| (tree.kind(id) != kind, std::cmp::Reverse(draft.size(id)), id));
    found.extend(near);
    let mut seen = std::collections::HashSet::new();
    found.retain(|&id| seen.insert(id) && category::fits(draft, id, node));
    let limit = match effort {
        Effort::Quick => 3,
        Effort::Thorough => 16,
    };
    found.truncate(limit);
    found
}

/// A number for some texts that is the same in every run.
fn hash(texts: &[&str]) -> u64 {
    let bytes = texts.iter().flat_map(|text| text.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
