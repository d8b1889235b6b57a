//! The tree of what a strategy may test: both what follows a decisive outcome and what follows another one.
//!
//! A node is a test that the strategy asks for if the tests above it have certain outcomes. The root is the test whose
//! turn it is. Each branch has a probability; the most probable branch that was not followed yet is at the front of a
//! queue. Branches that contradict a known outcome are dropped.

use super::in_flight::Pending;
use super::outcome_estimates::{Chances, RecentOutcomes};
use crate::digest::Digest;
use std::collections::{BinaryHeap, HashMap};
use wynot_core::{Likeness, Outcome, Outcomes, Strategy};

/// Probabilities are computed anew when outcomes of one node in this many are known: as many for each outcome.
const NODES_PER_UPDATE: usize = 64;

/// What follows a test: `None` if its outcome is not decisive, else the outcome.
pub(super) type Branch = Option<Outcome>;

const BRANCHES: [Branch; 4] =
    [None, Some(Outcome::Fail), Some(Outcome::Pass), Some(Outcome::Unresolved)];

fn index(branch: Branch) -> usize {
    BRANCHES.iter().position(|other| *other == branch).unwrap_or_default()
}

/// The probability of a branch of a test with these decisive outcomes.
fn chance(branch: Branch, decisive: Outcomes, chances: &Chances) -> f64 {
    let all = [Outcome::Pass, Outcome::Fail, Outcome::Unresolved];
    match branch {
        Some(outcome) if decisive.contains(outcome) => chances.of(outcome),
        Some(_) => 0.0,
        None => all.iter().filter(|o| !decisive.contains(**o)).map(|o| chances.of(*o)).sum(),
    }
}

/// A test that the strategy may ask for.
pub(super) struct Node<C, S> {
    /// The strategy after it has asked for the test.
    pub state: S,
    pub pending: Pending<C, ()>,
    pub likeness: Likeness,
    /// The outcomes on the way to the test.
    pub recent: RecentOutcomes,
    /// The outcome, where it is known.
    pub known: Option<Outcome>,
    /// The probability that the strategy asks for the test.
    probability: f64,
    children: [Child<S>; 4],
}

/// What is known about a branch.
enum Child<S> {
    /// It was not followed.
    Unknown,
    /// The strategy, which has a long computation before its next test.
    Computing(Box<S>),
    Node(usize),
    /// The strategy at its end.
    End(Box<S>),
}

/// A branch in the queue.
struct Queued {
    probability: f64,
    node: usize,
    /// Distinguishes nodes that have the same index one after the other.
    serial: u64,
    branch: Branch,
}

impl PartialEq for Queued {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Queued {}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Queued {
    /// The most probable branch is the greatest; among equals, that of the older node.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let by_probability = self.probability.total_cmp(&other.probability);
        by_probability.then(other.serial.cmp(&self.serial))
    }
}

/// A branch that was taken from the queue, to be followed.
pub(super) struct Followed<S> {
    pub parent: usize,
    pub branch: Branch,
    /// The strategy on this branch.
    pub state: S,
    pub probability: f64,
}

/// What follows the root.
pub(super) enum NextRoot<S> {
    /// The root is now the node behind the branch that was taken.
    Moved,
    /// The branch was not followed yet. This is the strategy on it.
    Unknown(S),
    /// The strategy is at its end.
    End(S),
}

/// The tests that a strategy may ask for, from the one whose turn it is.
pub(super) struct FutureTree<C, S> {
    nodes: Vec<Option<(u64, Node<C, S>)>>,
    free: Vec<usize>,
    root: usize,
    next_serial: u64,
    queue: BinaryHeap<Queued>,
    by_digest: HashMap<Digest, Vec<usize>>,
    /// The variants that were in the tree and are not any more.
    dropped: Vec<Digest>,
    /// The number of nodes whose outcomes became known since the probabilities were computed.
    outdated: usize,
}

impl<C, S> FutureTree<C, S> {
    /// A tree without nodes.
    pub(super) fn new() -> Self {
        Self {
            nodes: Vec::new(),
            free: Vec::new(),
            root: 0,
            next_serial: 0,
            queue: BinaryHeap::new(),
            by_digest: HashMap::new(),
            dropped: Vec::new(),
            outdated: 0,
        }
    }

    /// The number of nodes.
    pub(super) fn len(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    pub(super) fn root(&self) -> &Node<C, S> {
        self.node(self.root)
    }

    pub(super) fn root_mut(&mut self) -> &mut Node<C, S> {
        let (_, node) = self.nodes[self.root].as_mut().expect("the tree has a root");
        node
    }

    pub(super) fn node(&self, at: usize) -> &Node<C, S> {
        let (_, node) = self.nodes[at].as_ref().expect("the node is in the tree");
        node
    }

    /// The outcomes on the way to the test that follows a node on a branch.
    pub(super) fn recent_after(&self, at: usize, branch: Branch) -> RecentOutcomes {
        let node = self.node(at);
        node.recent.after(node.likeness, branch.is_some())
    }

    /// Whether the test of a variant is in the tree.
    pub(super) fn contains(&self, digest: Digest) -> bool {
        self.by_digest.contains_key(&digest)
    }

    /// The variants that have left the tree since the last call.
    pub(super) fn take_dropped(&mut self) -> Vec<Digest> {
        let mut dropped = std::mem::take(&mut self.dropped);
        dropped.retain(|digest| !self.by_digest.contains_key(digest));
        dropped
    }

    /// Makes a test the root of an empty tree.
    pub(super) fn plant(&mut self, node: NewNode<C, S>, chances: Chances) {
        self.root = self.add(node, 1.0, chances);
    }

    fn add(&mut self, node: NewNode<C, S>, probability: f64, chances: Chances) -> usize {
        let NewNode { state, pending, likeness, recent, known } = node;
        let (decisive, digest) = (pending.attempt.decisive, pending.contents);
        let children = [Child::Unknown, Child::Unknown, Child::Unknown, Child::Unknown];
        let node = Node { state, pending, likeness, recent, known, probability, children };
        let serial = self.next_serial;
        self.next_serial += 1;
        let at = self.free.pop().unwrap_or_else(|| {
            self.nodes.push(None);
            self.nodes.len() - 1
        });
        self.nodes[at] = Some((serial, node));
        if let Some(digest) = digest {
            self.by_digest.entry(digest).or_default().push(at);
        }
        for branch in BRANCHES {
            let probability = probability * chance(branch, decisive, &chances);
            self.enqueue(Queued { probability, node: at, serial, branch });
        }
        at
    }

    fn enqueue(&mut self, queued: Queued) {
        if queued.probability > 0.0 {
            self.queue.push(queued);
        }
    }
}

/// A test to be added to the tree.
pub(super) struct NewNode<C, S> {
    pub state: S,
    pub pending: Pending<C, ()>,
    pub likeness: Likeness,
    pub recent: RecentOutcomes,
    pub known: Option<Outcome>,
}

impl<C, S: Strategy<C>> FutureTree<C, S> {
    /// Takes the most probable branch that was not followed yet.
    ///
    /// A long computation is only done ahead of its turn on a branch that is more probable than `min_probability`.
    pub(super) fn pop(&mut self, min_probability: f64) -> Option<Followed<S>> {
        let min_probability = self.root().probability * min_probability;
        while let Some(Queued { probability, node: parent, serial, branch }) = self.queue.pop() {
            let Some(Some((now, node))) = self.nodes.get_mut(parent) else { continue };
            if *now != serial {
                continue;
            }
            let child = &mut node.children[index(branch)];
            let state = match child {
                Child::Unknown => {
                    let mut state = node.state.clone();
                    if let Some(outcome) = branch {
                        state.accept(outcome);
                    }
                    state
                }
                Child::Computing(_) if probability <= min_probability => continue,
                Child::Computing(_) => match std::mem::replace(child, Child::Unknown) {
                    Child::Computing(state) => *state,
                    _ => continue,
                },
                Child::Node(_) | Child::End(_) => continue,
            };
            return Some(Followed { parent, branch, state, probability });
        }
        None
    }

    /// Adds the test that comes next on a branch.
    pub(super) fn grow(
        &mut self,
        (parent, branch, probability): (usize, Branch, f64),
        node: NewNode<C, S>,
        chances: Chances,
    ) -> usize {
        let at = self.add(node, probability, chances);
        self.set_child(parent, branch, Child::Node(at));
        at
    }

    /// Notes that the strategy has a long computation before its next test on a branch.
    pub(super) fn defer(&mut self, followed: Followed<S>) {
        let Followed { parent, branch, state, probability } = followed;
        self.set_child(parent, branch, Child::Computing(Box::new(state)));
        if let Some(Some((serial, _))) = self.nodes.get(parent) {
            let serial = *serial;
            self.enqueue(Queued { probability, node: parent, serial, branch });
        }
    }

    /// Notes that the strategy ends on a branch.
    pub(super) fn end(&mut self, followed: Followed<S>) {
        let Followed { parent, branch, state, .. } = followed;
        self.set_child(parent, branch, Child::End(Box::new(state)));
    }

    fn set_child(&mut self, at: usize, branch: Branch, child: Child<S>) {
        if let Some(Some((_, node))) = self.nodes.get_mut(at) {
            node.children[index(branch)] = child;
        }
    }

    /// Takes a branch of the root, and drops the root and its other branches.
    pub(super) fn follow(&mut self, branch: Branch) -> NextRoot<S> {
        let (_, mut root) = self.nodes[self.root].take().expect("the tree has a root");
        self.forget(self.root, root.pending.contents);
        let taken = std::mem::replace(&mut root.children[index(branch)], Child::Unknown);
        for child in root.children {
            self.drop_child(child);
        }
        match taken {
            Child::Node(at) => {
                self.root = at;
                NextRoot::Moved
            }
            Child::End(state) => NextRoot::End(*state),
            Child::Computing(state) => NextRoot::Unknown(*state),
            Child::Unknown => {
                let mut state = root.state;
                if let Some(outcome) = branch {
                    state.accept(outcome);
                }
                NextRoot::Unknown(state)
            }
        }
    }

    /// Takes the strategy out of the root, and drops all nodes.
    pub(super) fn uproot(&mut self) -> S {
        let (_, root) = self.nodes[self.root].take().expect("the tree has a root");
        self.forget(self.root, root.pending.contents);
        for child in root.children {
            self.drop_child(child);
        }
        root.state
    }

    /// Notes the outcome of a variant: branches that contradict it are dropped.
    pub(super) fn resolve(&mut self, digest: Digest, outcome: Outcome) {
        let nodes = self.by_digest.get(&digest).cloned().unwrap_or_default();
        for at in nodes {
            // The node may be below a branch that was dropped for an earlier one of these.
            let Some(Some((serial, node))) = self.nodes.get_mut(at) else { continue };
            if node.known.replace(outcome).is_some() {
                continue;
            }
            let (serial, probability) = (*serial, node.probability);
            let decisive = node.pending.attempt.decisive;
            let branch = decisive.contains(outcome).then_some(outcome);
            let mut impossible = Vec::new();
            for other in BRANCHES.into_iter().filter(|other| *other != branch) {
                impossible
                    .push(std::mem::replace(&mut node.children[index(other)], Child::Unknown));
            }
            self.outdated += 1;
            if matches!(node.children[index(branch)], Child::Unknown | Child::Computing(_)) {
                self.enqueue(Queued { probability, node: at, serial, branch });
            }
            for child in impossible {
                self.drop_child(child);
            }
        }
    }

    /// Computes the probabilities anew, if outcomes of many tests became known since the last time.
    pub(super) fn update(&mut self, chances: impl Fn(&Node<C, S>) -> Chances) {
        if self.outdated == 0 || self.outdated * NODES_PER_UPDATE < self.len() {
            return;
        }
        self.outdated = 0;
        self.queue.clear();
        let mut remaining = vec![(self.root, 1.0)];
        while let Some((at, probability)) = remaining.pop() {
            let Some(Some((serial, node))) = self.nodes.get_mut(at) else { continue };
            node.probability = probability;
            let chances = node.known.map_or_else(|| chances(node), Chances::certain);
            let decisive = node.pending.attempt.decisive;
            for branch in BRANCHES {
                let probability = probability * chance(branch, decisive, &chances);
                match &node.children[index(branch)] {
                    Child::Node(child) => remaining.push((*child, probability)),
                    Child::Unknown | Child::Computing(_) if probability > 0.0 => {
                        self.queue.push(Queued { probability, node: at, serial: *serial, branch });
                    }
                    _ => {}
                }
            }
        }
    }

    /// Drops all nodes behind a branch.
    fn drop_child(&mut self, child: Child<S>) {
        let mut remaining = vec![child];
        while let Some(child) = remaining.pop() {
            if let Child::Node(at) = child
                && let Some((_, node)) = self.nodes[at].take()
            {
                self.forget(at, node.pending.contents);
                remaining.extend(node.children);
            }
        }
    }

    /// Removes a node from the list of those with a variant, and frees its index.
    fn forget(&mut self, at: usize, digest: Option<Digest>) {
        self.free.push(at);
        let Some(digest) = digest else { return };
        if let Some(nodes) = self.by_digest.get_mut(&digest) {
            nodes.retain(|other| *other != at);
            if nodes.is_empty() {
                self.by_digest.remove(&digest);
                self.dropped.push(digest);
            }
        }
    }
}
