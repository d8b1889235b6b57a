//! The largest common subgraph of two small graphs.
//!
//! In the correspondence graph, a vertex is a pair of objects that may correspond, and an edge joins two pairs
//! that are compatible: they share no object, and the same pointers lie between their objects on either
//! side. The largest common subgraph is a clique of it (Barrow and Burstall 1976), found with the algorithm
//! of Bron and Kerbosch.

use crate::graph::memory_copy::MemoryCopy;
use crate::graph::memory_graph::MemoryGraph;
use crate::graph::memory_object::ObjectId;

/// The number of objects on either side up to which the search is made.
const MAX_OBJECTS_PER_SIDE: usize = 25;

/// The number of compatibility checks after which the best clique so far is taken.
const MAX_PAIR_CHECKS: usize = 20_000_000;

type Pair = (ObjectId, ObjectId);

/// A graph, and some of its objects.
type GraphPart<'a, 'b, M> = (&'b MemoryGraph<'a, M>, &'b [ObjectId]);

/// The pairs of the largest common subgraph of some objects of either side, in order; none if there are too
/// many objects.
pub(crate) fn largest_common_subgraph<M: MemoryCopy>(
    passing: GraphPart<'_, '_, M>,
    failing: GraphPart<'_, '_, M>,
    may_match: &dyn Fn(ObjectId, ObjectId) -> bool,
) -> Vec<Pair> {
    let ((here, ours), (there, theirs)) = (passing, failing);
    if ours.len().max(theirs.len()) > MAX_OBJECTS_PER_SIDE {
        return Vec::new();
    }
    let all = ours.iter().flat_map(|one| theirs.iter().map(|other| (*one, *other)));
    let pairs: Vec<Pair> = all.filter(|(one, other)| may_match(*one, *other)).collect();
    let mut cliques = CliqueSearch { shared: Vec::new(), best: Vec::new(), score: 0, checks: 0 };
    for one in &pairs {
        let row = pairs.iter().map(|other| shared_pointers(here, there, *one, *other));
        cliques.shared.push(row.collect());
    }
    let candidates = (0..pairs.len()).collect();
    cliques.search(&mut Vec::new(), candidates, Vec::new());
    cliques.best.sort_unstable();
    cliques.best.into_iter().map(|index| pairs[index]).collect()
}

/// The number of pointers between the objects of two pairs; `None` if the pairs are not compatible.
fn shared_pointers<M: MemoryCopy>(
    here: &MemoryGraph<'_, M>,
    there: &MemoryGraph<'_, M>,
    one: Pair,
    other: Pair,
) -> Option<usize> {
    if one.0 == other.0 || one.1 == other.1 {
        return None;
    }
    let between = |graph: &MemoryGraph<'_, M>, from: ObjectId, to: ObjectId| -> Vec<(u64, u64)> {
        let edges = graph.edges(from).iter().filter(|edge| edge.to.object == to);
        edges.map(|edge| (edge.offset, edge.to.offset)).collect()
    };
    let forth = between(here, one.0, other.0);
    let back = between(here, other.0, one.0);
    let same = forth == between(there, one.1, other.1) && back == between(there, other.1, one.1);
    same.then_some(forth.len() + back.len())
}

struct CliqueSearch {
    /// For each two pairs the number of shared pointers; `None` if they are not compatible.
    shared: Vec<Vec<Option<usize>>>,
    best: Vec<usize>,
    score: usize,
    checks: usize,
}

impl CliqueSearch {
    fn search(&mut self, clique: &mut Vec<usize>, candidates: Vec<usize>, excluded: Vec<usize>) {
        self.checks += 1 + candidates.len() * (candidates.len() + excluded.len());
        if candidates.is_empty() && excluded.is_empty() {
            return self.consider(clique);
        }
        // Each maximal clique has the pivot or a candidate that is not compatible with it.
        let degree = |pivot: &usize| {
            candidates.iter().filter(|one| self.is_compatible(*pivot, **one)).count()
        };
        let all = candidates.iter().chain(&excluded).rev();
        let Some(pivot) = all.copied().max_by_key(degree) else { return };
        let (mut candidates, mut excluded) = (candidates, excluded);
        let tried = candidates.iter().filter(|one| !self.is_compatible(pivot, **one));
        for one in tried.copied().collect::<Vec<_>>() {
            if self.checks >= MAX_PAIR_CHECKS {
                return;
            }
            let with = |others: &[usize]| -> Vec<usize> {
                others.iter().copied().filter(|other| self.is_compatible(one, *other)).collect()
            };
            let (inside, outside) = (with(&candidates), with(&excluded));
            clique.push(one);
            self.search(clique, inside, outside);
            clique.pop();
            candidates.retain(|other| *other != one);
            excluded.push(one);
        }
    }

    fn is_compatible(&self, one: usize, other: usize) -> bool {
        self.shared[one][other].is_some()
    }

    /// Keeps a clique if it has more objects and unchanged pointers than the best one so far.
    fn consider(&mut self, clique: &[usize]) {
        let pointers = |one: &usize| {
            clique.iter().filter_map(|other| self.shared[*one][*other]).sum::<usize>()
        };
        let score = 2 * clique.len() + clique.iter().map(pointers).sum::<usize>();
        if score > self.score {
            self.score = score;
            self.best = clique.to_vec();
        }
    }
}
