//! The largest part that two small graphs have in common.
//!
//! Pairs of objects that could be the same are the vertices of a third graph, and those that can be the same
//! together are its edges: each object in one of both only, and the same pointers between them on either
//! side. What fits together best is a clique of it (Barrow and Burstall 1976), found with the algorithm of
//! Bron and Kerbosch.

use crate::graph::{Graph, ObjectId};
use crate::memory::Memory;

/// How many objects there may be on either side.
const MOST: usize = 25;

/// How many pairs of pairs are looked at: there may be very many cliques, and the best one so far has to do.
const WORK: usize = 20_000_000;

type Pair = (ObjectId, ObjectId);

/// A graph, and which of its objects it is about.
type Part<'a, 'b, M> = (&'b Graph<'a, M>, &'b [ObjectId]);

/// The pairs of the largest common subgraph of some objects of either side, in order; none if there are too
/// many objects.
pub(crate) fn largest<M: Memory>(
    passing: Part<'_, '_, M>,
    failing: Part<'_, '_, M>,
    may_match: &dyn Fn(ObjectId, ObjectId) -> bool,
) -> Vec<Pair> {
    let ((here, ours), (there, theirs)) = (passing, failing);
    if ours.len() > MOST || theirs.len() > MOST {
        return Vec::new();
    }
    let all = ours.iter().flat_map(|one| theirs.iter().map(|other| (*one, *other)));
    let pairs: Vec<Pair> = all.filter(|(one, other)| may_match(*one, *other)).collect();
    let mut cliques = Cliques { together: Vec::new(), best: Vec::new(), score: 0, work: 0 };
    for one in &pairs {
        let row = pairs.iter().map(|other| together(here, there, *one, *other));
        cliques.together.push(row.collect());
    }
    let candidates = (0..pairs.len()).collect();
    cliques.search(&mut Vec::new(), candidates, Vec::new());
    cliques.best.sort_unstable();
    cliques.best.into_iter().map(|index| pairs[index]).collect()
}

/// How well two pairs go together: not at all, or with so many pointers between them.
fn together<M: Memory>(
    here: &Graph<'_, M>,
    there: &Graph<'_, M>,
    one: Pair,
    other: Pair,
) -> Option<usize> {
    if one.0 == other.0 || one.1 == other.1 {
        return None;
    }
    let between = |graph: &Graph<'_, M>, from: ObjectId, to: ObjectId| -> Vec<(u64, u64)> {
        let edges = graph.edges(from).iter().filter(|edge| edge.to.object == to);
        edges.map(|edge| (edge.offset, edge.to.offset)).collect()
    };
    let forth = between(here, one.0, other.0);
    let back = between(here, other.0, one.0);
    let same = forth == between(there, one.1, other.1) && back == between(there, other.1, one.1);
    same.then_some(forth.len() + back.len())
}

struct Cliques {
    /// Whether two pairs go together, and how well.
    together: Vec<Vec<Option<usize>>>,
    best: Vec<usize>,
    score: usize,
    work: usize,
}

impl Cliques {
    fn search(&mut self, clique: &mut Vec<usize>, candidates: Vec<usize>, excluded: Vec<usize>) {
        self.work += 1 + candidates.len() * (candidates.len() + excluded.len());
        if candidates.is_empty() && excluded.is_empty() {
            return self.consider(clique);
        }
        // Of all that go with the pivot, one or the pivot itself is in every largest clique.
        let degree =
            |pivot: &usize| candidates.iter().filter(|one| self.goes(*pivot, **one)).count();
        let all = candidates.iter().chain(&excluded).rev();
        let Some(pivot) = all.copied().max_by_key(degree) else { return };
        let (mut candidates, mut excluded) = (candidates, excluded);
        let tried = candidates.iter().filter(|one| !self.goes(pivot, **one));
        for one in tried.copied().collect::<Vec<_>>() {
            if self.work >= WORK {
                return;
            }
            let with = |others: &[usize]| -> Vec<usize> {
                others.iter().copied().filter(|other| self.goes(one, *other)).collect()
            };
            let (inside, outside) = (with(&candidates), with(&excluded));
            clique.push(one);
            self.search(clique, inside, outside);
            clique.pop();
            candidates.retain(|other| *other != one);
            excluded.push(one);
        }
    }

    fn goes(&self, one: usize, other: usize) -> bool {
        self.together[one][other].is_some()
    }

    /// Objects count, and pointers that stay as they are; the first one of those that are as good.
    fn consider(&mut self, clique: &[usize]) {
        let pointers = |one: &usize| {
            clique.iter().filter_map(|other| self.together[*one][*other]).sum::<usize>()
        };
        let score = 2 * clique.len() + clique.iter().map(pointers).sum::<usize>();
        if score > self.score {
            self.score = score;
            self.best = clique.to_vec();
        }
    }
}
