//! Works through the syntax tree: every node, the largest first, becomes a constant or one of its
//! descendants, or loses elements of its list. This pass removes most of a typical text.

use crate::halving::Halving;
use crate::pass::Pass;
use crate::text::edit::Edit;
use crate::text::kinds;
use crate::text::list::List;
use crate::text::parsed_text::ParsedText;
use crate::text::references::{References, UseCounts};
use std::collections::HashMap;
use std::rc::Rc;
use wynot_subjects::NodeId;

/// The number of failures in a row after which a quick run leaves out a kind of edit.
const MAX_FAILURES_IN_A_ROW: u8 = 4;

/// The number of deletions that fail with and without what they leave unused after which a quick run tries only the former.
const MAX_PLAIN_FAILURES_IN_A_ROW: u8 = 4;

/// The number of nodes on heaviest paths that are visited for each node of the tree, on average.
const PATH_NODES_PER_NODE: usize = 8;

/// The number of nodes for which a heaviest path is followed in any case.
const MIN_PATH_NODES: usize = 32;

/// The number of descendants that a quick run tries in the place of a node.
const MAX_QUICK_HOISTS: usize = 3;

/// The number of descendants that a thorough run tries in the place of a node.
const MAX_THOROUGH_HOISTS: usize = 16;

/// How much the pass tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Few descendants for each node, and no kinds of edits that keep failing.
    Quick,
    /// Everything.
    Thorough,
}

/// Works through all nodes by their current size.
pub fn syntax(parsed: &ParsedText, effort: Effort) -> SyntaxPass {
    let mut nodes: Vec<NodeId> =
        parsed.node_ids().filter(|&id| parsed.tree.is_named(id) && parsed.size(id) > 1).collect();
    nodes.sort_by_key(|&id| (std::cmp::Reverse(parsed.size(id)), id));
    let references = References::of(parsed);
    let use_counts = references.count_uses(parsed);
    SyntaxPass {
        path_budget: nodes.len() * PATH_NODES_PER_NODE,
        nodes: Rc::new(nodes),
        at: 0,
        stage: Stage::Constants(0),
        effort,
        failures: Rc::default(),
        last_kind: None,
        references: Rc::new(references),
        use_counts,
        orphans: Rc::default(),
        pending_orphans: None,
        proposes_orphans: false,
        plain_failures: 0,
        is_plain: false,
    }
}

/// A kind of edit that tends to fail or succeed as a whole: the operation, and a hash of the kinds of nodes.
type EditKind = (Operation, u64);

/// What an edit does to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Operation {
    Constant,
    Hoist,
}

/// The nodes that remain to be tried, and what was learned so far.
#[derive(Clone, Debug)]
pub struct SyntaxPass {
    nodes: Rc<Vec<NodeId>>,
    /// The index of the current node.
    at: usize,
    stage: Stage,
    effort: Effort,
    /// The number of failures in a row of each kind of edit.
    failures: Rc<HashMap<EditKind, u8>>,
    /// The kind of the last proposal, if failures of it are counted.
    last_kind: Option<EditKind>,
    references: Rc<References>,
    use_counts: UseCounts,
    /// The number of nodes on heaviest paths that may still be visited.
    path_budget: usize,
    /// The deletion of what becomes unused if the last proposal is accepted.
    orphans: Rc<Vec<Edit>>,
    /// The deletion of what has become unused by the last accepted proposal; proposed next.
    pending_orphans: Option<Rc<Vec<Edit>>>,
    /// Whether such a deletion was proposed last.
    proposes_orphans: bool,
    /// The number of deletions in a row that failed both with and without what they leave unused.
    plain_failures: u8,
    /// Whether a deletion without what it leaves unused was proposed last.
    is_plain: bool,
}

/// What is tried on the current node.
#[derive(Clone, Debug)]
enum Stage {
    /// Constants in the place of the node, from this index on.
    Constants(usize),
    /// Descendants in the place of the node, from this index on.
    Hoists(Rc<Vec<NodeId>>, usize),
    /// Deletions from its list.
    List(Rc<List>, Halving, Coupling),
}

/// A deletion is first tried together with what it leaves unused, then by itself.
#[derive(Clone, Debug)]
enum Coupling {
    /// The next deletion takes along what it leaves unused.
    Coupled,
    /// The same elements are deleted once more, without what that leaves unused.
    Plain((u32, u32)),
}

impl SyntaxPass {
    /// The next edits for the current node; `None` when nothing remains to be tried on it.
    fn propose_for(&mut self, parsed: &ParsedText, node: NodeId) -> Option<Vec<Edit>> {
        loop {
            self.last_kind = None;
            self.is_plain = false;
            match &mut self.stage {
                Stage::Constants(index) => {
                    let constants = kinds::constants(parsed, node);
                    let Some(constant) = constants.get(*index) else {
                        let budget = &mut self.path_budget;
                        let targets = hoist_targets(parsed, node, self.effort, budget);
                        self.stage = Stage::Hoists(Rc::new(targets), 0);
                        continue;
                    };
                    *index += 1;
                    let kind = (Operation::Constant, hash(&[parsed.tree.kind(node), constant]));
                    if constant.len() < parsed.size(node) && self.is_promising(kind) {
                        return Some(vec![Edit::replace(parsed.span(node), *constant)]);
                    }
                }
                Stage::Hoists(targets, index) => {
                    let Some(&target) = targets.get(*index) else {
                        let list = List::of(parsed, node)?;
                        let halving = Halving::new(list.len());
                        self.stage = Stage::List(Rc::new(list), halving, Coupling::Coupled);
                        continue;
                    };
                    *index += 1;
                    let kinds = [parsed.tree.kind(node), parsed.tree.kind(target)];
                    if self.is_promising((Operation::Hoist, hash(&kinds))) {
                        return Some(hoist(parsed, node, target));
                    }
                }
                Stage::List(list, halving, coupling) => {
                    if let Coupling::Plain(range) = *coupling {
                        // It counts as failed until it is accepted.
                        self.plain_failures = self.plain_failures.saturating_add(1);
                        self.is_plain = true;
                        *coupling = Coupling::Coupled;
                        return Some(list.delete(parsed, range));
                    }
                    let range = halving.next(|element| list.weight(parsed, element))?;
                    let mut edits = list.delete(parsed, range);
                    let orphans = self.references.orphans(parsed, &self.use_counts, &edits);
                    if !orphans.is_empty() {
                        edits.extend(orphans);
                        let gives_up = self.plain_failures >= MAX_PLAIN_FAILURES_IN_A_ROW;
                        if self.effort == Effort::Thorough || !gives_up {
                            *coupling = Coupling::Plain(range);
                        }
                    }
                    return Some(edits);
                }
            }
        }
    }

    /// Whether a kind of edit is worth a test. It counts as failed until it is accepted.
    fn is_promising(&mut self, kind: EditKind) -> bool {
        if self.effort == Effort::Thorough {
            return true;
        }
        let failures = self.failures.get(&kind).copied().unwrap_or_default();
        if failures >= MAX_FAILURES_IN_A_ROW {
            return false;
        }
        Rc::make_mut(&mut self.failures).insert(kind, failures + 1);
        self.last_kind = Some(kind);
        true
    }

    /// Goes on to the next node.
    fn advance(&mut self) {
        self.at += 1;
        self.stage = Stage::Constants(0);
    }
}

impl Pass for SyntaxPass {
    fn name(&self) -> &'static str {
        "syntax"
    }

    fn checks_syntax(&self) -> bool {
        !matches!(self.stage, Stage::List(..))
    }

    fn kind_of_proposal<'p>(&self, parsed: &'p ParsedText) -> (&'static str, &'p str) {
        let operation = match &self.stage {
            _ if self.proposes_orphans => "orphans",
            Stage::Constants(_) => "constant",
            Stage::Hoists(_, 1) => "first hoist",
            Stage::Hoists(..) => "hoist",
            Stage::List(_, _, Coupling::Plain(_)) => "list with orphans",
            Stage::List(..) => "list",
        };
        let node = self.nodes.get(self.at);
        (operation, node.map_or("", |&node| parsed.tree.kind(node)))
    }

    fn propose(&mut self, parsed: &ParsedText) -> Option<Vec<Edit>> {
        self.proposes_orphans = self.pending_orphans.is_some();
        self.orphans = Rc::default();
        if let Some(orphans) = self.pending_orphans.take() {
            self.last_kind = None;
            return Some(orphans.to_vec());
        }
        while let Some(&node) = self.nodes.get(self.at) {
            if parsed.size(node) > 1
                && let Some(edits) = self.propose_for(parsed, node)
            {
                if !matches!(self.stage, Stage::List(..)) {
                    let orphans = self.references.orphans(parsed, &self.use_counts, &edits);
                    self.orphans = Rc::new(orphans);
                }
                return Some(edits);
            }
            self.advance();
        }
        None
    }

    fn accept(&mut self, parsed: &ParsedText) {
        if let Some(kind) = self.last_kind.take() {
            Rc::make_mut(&mut self.failures).remove(&kind);
        }
        if std::mem::take(&mut self.is_plain) {
            self.plain_failures = 0;
        }
        self.use_counts = self.references.count_uses(parsed);
        if !self.orphans.is_empty() {
            self.pending_orphans = Some(std::mem::take(&mut self.orphans));
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

/// The edits that put a descendant in the place of a node: two deletions, so that earlier edits inside the
/// descendant survive.
fn hoist(parsed: &ParsedText, node: NodeId, target: NodeId) -> Vec<Edit> {
    let (outer, inner) = (parsed.span(node), parsed.span(target));
    let mut edits =
        vec![parsed.delete(outer.start..inner.start), parsed.delete(inner.end..outer.end)];
    if parsed.language.is_layout_sensitive {
        let (from, to) = (parsed.column(inner.start), parsed.column(outer.start));
        edits.extend(parsed.reindent(inner, from, to));
    }
    edits
}

/// Descendants that may take the place of a node: along the heaviest path those of a half, three
/// quarters and a quarter of its size, then its children and their children.
fn hoist_targets(
    parsed: &ParsedText,
    node: NodeId,
    effort: Effort,
    budget: &mut usize,
) -> Vec<NodeId> {
    if !parsed.language.has_hoists {
        return Vec::new();
    }
    let tree = &parsed.tree;
    let size = parsed.size(node);
    let path = heaviest_path(parsed, node, budget);
    let nearest = |share: usize| {
        path.iter().copied().min_by_key(|&id| (parsed.size(id) * 4).abs_diff(size * share))
    };
    let mut found: Vec<NodeId> = [2, 3, 1].into_iter().filter_map(nearest).collect();
    let kind = tree.kind(node);
    let near =
        tree.children(node).flat_map(|child| std::iter::once(child).chain(tree.children(child)));
    let mut near: Vec<NodeId> = near
        .filter(|&id| tree.is_named(id) && parsed.is_present(id) && parsed.size(id) < size)
        .collect();
    near.sort_by_key(|&id| (tree.kind(id) != kind, std::cmp::Reverse(parsed.size(id)), id));
    found.extend(near);
    let mut seen = std::collections::HashSet::new();
    found.retain(|&id| seen.insert(id) && kinds::can_replace(parsed, id, node));
    found.truncate(match effort {
        Effort::Quick => MAX_QUICK_HOISTS,
        Effort::Thorough => MAX_THOROUGH_HOISTS,
    });
    found
}

/// The path from a node to a leaf that follows the largest child each time, without nodes that are as large
/// as the first one.
fn heaviest_path(parsed: &ParsedText, node: NodeId, budget: &mut usize) -> Vec<NodeId> {
    let tree = &parsed.tree;
    let size = parsed.size(node);
    let mut path = Vec::new();
    let mut steps = 0;
    let mut next = Some(node);
    while let Some(here) = next {
        let named =
            tree.children(here).filter(|&child| tree.is_named(child) && parsed.is_present(child));
        next = named.max_by_key(|&child| (parsed.size(child), std::cmp::Reverse(child)));
        path.extend(next.filter(|&child| parsed.size(child) < size));
        // Paths can be a million nodes long; all of them together must not take longer than the tree.
        *budget = budget.saturating_sub(1);
        steps += 1;
        if *budget == 0 && steps >= MIN_PATH_NODES {
            break;
        }
    }
    path
}

/// The FNV-1a hash of some texts, which is the same in every run.
fn hash(texts: &[&str]) -> u64 {
    let bytes = texts.iter().flat_map(|text| text.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
