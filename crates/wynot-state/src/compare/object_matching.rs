//! Which objects of two states correspond to each other.
//!
//! Variables correspond by name. From there both graphs are walked in parallel: pointers at the same offset of
//! two corresponding objects should lead to corresponding objects. If the contents there differ, an object may
//! have been inserted or removed on one side: then an object with the same content is often near, and the
//! objects after it agree as well. Entries of maps correspond by key. The remaining objects are matched by content if the content is unique on
//! either side, and if they are few, by their largest common subgraph. Objects in the same block with mostly the same
//! bytes are the same.

use super::common_subgraph::largest_common_subgraph;
use super::content_hash::ContentHashes;
use super::matching_keys::{entries, unique, variables};
use super::object_set::ObjectSet;
use crate::graph::memory_copy::MemoryCopy;
use crate::graph::memory_graph::{MemoryGraph, PointerEdge};
use crate::graph::memory_object::ObjectId;
use std::collections::{HashMap, VecDeque};

/// The number of nearby objects among which one with the same content is searched.
const MAX_NEARBY_OBJECTS: usize = 64;

/// The number of pointers that are followed in one such search.
const MAX_POINTERS_FOLLOWED: usize = 1024;

/// The number of nearby objects with the same content that are scored.
const MAX_SCORED_PAIRS: usize = 8;

/// The number of pairs that a score compares.
const MAX_PAIRS_AHEAD: usize = 16;

/// The number of rounds in which unique contents are matched: each round may leave others unique.
const MAX_UNIQUE_ROUNDS: usize = 8;

/// Which objects of a passing and a failing state correspond.
#[derive(Clone, Debug, Default)]
pub struct ObjectMatching {
    failing: Vec<Option<ObjectId>>,
    passing: Vec<Option<ObjectId>>,
}

impl ObjectMatching {
    /// Matches the objects of two states.
    pub fn of<M: MemoryCopy>(passing: &MemoryGraph<'_, M>, failing: &MemoryGraph<'_, M>) -> Self {
        let hashes = (ContentHashes::of(passing), ContentHashes::of(failing));
        let matching = Self {
            failing: vec![None; passing.objects.len()],
            passing: vec![None; failing.objects.len()],
        };
        let seen = ObjectSet::new(passing.objects.len().max(failing.objects.len()));
        let pending = VecDeque::new();
        let mut search = MatchingSearch { passing, failing, hashes, matching, pending, seen };
        search.match_variables();
        search.match_entries();
        search.walk();
        search.match_same_blocks();
        search.match_unique();
        search.match_common_subgraph();
        search.matching
    }

    /// The object of the failing state that corresponds to one of the passing state.
    pub fn in_failing(&self, passing: ObjectId) -> Option<ObjectId> {
        self.failing[passing.0 as usize]
    }

    /// The object of the passing state that corresponds to one of the failing state.
    pub fn in_passing(&self, failing: ObjectId) -> Option<ObjectId> {
        self.passing[failing.0 as usize]
    }
}

struct MatchingSearch<'a, 'b, M> {
    passing: &'b MemoryGraph<'a, M>,
    failing: &'b MemoryGraph<'a, M>,
    /// The content hashes of the passing and the failing state.
    hashes: (ContentHashes, ContentHashes),
    matching: ObjectMatching,
    /// The matched pairs whose pointers have not been followed yet.
    pending: VecDeque<(ObjectId, ObjectId)>,
    seen: ObjectSet,
}

/// A pair with the same content near a pair with different contents.
struct NearbyPair {
    pair: (ObjectId, ObjectId),
    distance: usize,
    score: usize,
}

impl<M: MemoryCopy> MatchingSearch<'_, '_, M> {
    fn match_variables(&mut self) {
        let there: HashMap<_, _> = variables(self.failing).collect();
        for (key, id) in variables(self.passing) {
            let Some(other) = there.get(&key).copied() else { continue };
            let of = |graph: &MemoryGraph<'_, M>, id| graph.object(id).of;
            if self.is_unmatched(id, other) && of(self.passing, id) == of(self.failing, other) {
                self.set(id, other);
            }
        }
    }

    /// Matches the entries of maps that have the same key, wherever they lie in their maps.
    fn match_entries(&mut self) {
        let there = entries(self.failing);
        let mut pairs: Vec<(ObjectId, ObjectId)> = entries(self.passing)
            .into_iter()
            .filter_map(|(key, id)| Some((id?, there.get(&key).copied().flatten()?)))
            .collect();
        pairs.sort_unstable();
        for (passing, failing) in pairs {
            if self.is_free(passing, failing) {
                self.match_if_it_fits(passing, failing);
            }
        }
    }

    /// Follows the pointers of matched pairs. Pairs with the same content come first, so that an object that
    /// a pointer of one state leads to by mistake is not taken for a changed one.
    fn walk(&mut self) {
        let mut different = VecDeque::new();
        loop {
            while let Some((passing, failing)) = self.pending.pop_front() {
                let (here, there) = (self.passing.edges(passing), self.failing.edges(failing));
                for (one, other) in zip_by_offset(here, there) {
                    if let (Some(one), Some(other)) = (one, other)
                        && one.to.offset == other.to.offset
                    {
                        let (one, other) = (one.to.object, other.to.object);
                        match self.is_free(one, other) && !self.is_same_content(one, other) {
                            true => different.push_back((one, other)),
                            false => self.offer(one, other),
                        }
                    }
                }
            }
            let Some((one, other)) = different.pop_front() else { return };
            self.offer(one, other);
        }
    }

    /// Matches two objects that corresponding pointers lead to, or a better pair nearby.
    fn offer(&mut self, passing: ObjectId, failing: ObjectId) {
        if !self.is_free(passing, failing) {
            return;
        }
        if self.is_same_content(passing, failing) {
            return self.match_if_it_fits(passing, failing);
        }
        let mut nearby = self.find_after_insertion(passing, failing);
        nearby.extend(self.find_after_removal(passing, failing));
        let best = nearby.into_iter().min_by_key(|nearby| {
            // The score counts first, then the distance.
            (usize::MAX - nearby.score, nearby.distance)
        });
        // The value may have changed, and the objects after it agree.
        let changed = best.as_ref().map_or(0, |_| self.score(passing, failing));
        let (passing, failing) =
            best.filter(|best| best.score > changed).map_or((passing, failing), |best| best.pair);
        self.match_if_it_fits(passing, failing);
    }

    /// Pairs of the passing object with later objects of the failing state, as after an insertion.
    fn find_after_insertion(&mut self, passing: ObjectId, failing: ObjectId) -> Vec<NearbyPair> {
        let matched = |id: ObjectId| self.matching.in_passing(id).is_some();
        let near = find_nearby(self.failing, failing, &mut self.seen, &matched);
        self.score_pairs(near.into_iter().map(|near| (passing, near)))
    }

    /// Pairs of later objects of the passing state with the failing object, as after a removal.
    fn find_after_removal(&mut self, passing: ObjectId, failing: ObjectId) -> Vec<NearbyPair> {
        let matched = |id: ObjectId| self.matching.in_failing(id).is_some();
        let near = find_nearby(self.passing, passing, &mut self.seen, &matched);
        self.score_pairs(near.into_iter().map(|near| (near, failing)))
    }

    /// The first few pairs with the same content, with their scores.
    fn score_pairs(
        &mut self,
        pairs: impl Iterator<Item = (ObjectId, ObjectId)>,
    ) -> Vec<NearbyPair> {
        let numbered = pairs.enumerate();
        let similar = numbered.filter(|(_, (one, other))| self.is_candidate(*one, *other));
        let similar: Vec<_> = similar.take(MAX_SCORED_PAIRS).collect();
        let nearby = similar.into_iter().map(|(distance, pair)| {
            let score = self.score(pair.0, pair.1);
            NearbyPair { pair, distance, score }
        });
        nearby.collect()
    }

    /// The number of pairs with the same content, from a pair on along pointers to the same type.
    fn score(&mut self, passing: ObjectId, failing: ObjectId) -> usize {
        let mut score = usize::from(self.is_same_content(passing, failing));
        let of = self.passing.object(passing).of;
        let mut pairs = vec![(passing, failing)];
        self.seen.clear();
        self.seen.insert(passing);
        let mut next = 0;
        while next < pairs.len() && pairs.len() < MAX_PAIRS_AHEAD {
            let (passing, failing) = pairs[next];
            next += 1;
            let (here, there) = (self.passing.edges(passing), self.failing.edges(failing));
            for pair in zip_by_offset(here, there).take(MAX_POINTERS_FOLLOWED) {
                let (Some(one), Some(other)) = pair else { continue };
                let (one, other) = (one.to.object, other.to.object);
                let same = self.is_free(one, other)
                    && self.passing.object(one).of == of
                    && self.is_same_content(one, other);
                if same && self.seen.insert(one) {
                    score += 1;
                    pairs.push((one, other));
                }
            }
        }
        score
    }

    fn is_same_content(&self, passing: ObjectId, failing: ObjectId) -> bool {
        self.hashes.0.is_same(passing, &self.hashes.1, failing)
    }

    /// Whether two objects can be matched because of their content alone.
    fn is_candidate(&self, passing: ObjectId, failing: ObjectId) -> bool {
        self.hashes.0.is_nonzero(passing)
            && self.is_same_content(passing, failing)
            && self.is_free(passing, failing)
    }

    fn is_unmatched(&self, passing: ObjectId, failing: ObjectId) -> bool {
        self.matching.in_failing(passing).is_none() && self.matching.in_passing(failing).is_none()
    }

    fn is_free(&self, passing: ObjectId, failing: ObjectId) -> bool {
        let (here, there) = (self.passing.object(passing), self.failing.object(failing));
        self.is_unmatched(passing, failing)
            && here.text.is_some() == there.text.is_some()
            && here.of == there.of
    }

    fn match_if_it_fits(&mut self, passing: ObjectId, failing: ObjectId) {
        if self.fits(passing, failing) {
            self.set(passing, failing);
        }
    }

    /// Whether the content of the failing object fits into the memory of the passing one.
    fn fits(&self, passing: ObjectId, failing: ObjectId) -> bool {
        let (needed, there) = (self.failing.object(failing), self.passing.object(passing));
        // What a program knows about the size of a block must stay true. A piece of a pool has no size of its own.
        let are_blocks = [needed, there].iter().all(|object| {
            object.on_heap && !object.ends_pool && object.required_size == object.size
        });
        if are_blocks && needed.capacity > there.capacity {
            return false;
        }
        match needed.text {
            // A text whose length is stored elsewhere must keep that length.
            Some(text) if !text.ended => Some(text) == there.text,
            Some(text) => text.size() <= there.size,
            None => needed.required_size <= there.capacity,
        }
    }

    fn set(&mut self, passing: ObjectId, failing: ObjectId) {
        self.matching.failing[passing.0 as usize] = Some(failing);
        self.matching.passing[failing.0 as usize] = Some(passing);
        self.pending.push_back((passing, failing));
    }

    /// Matches objects in the same heap block with mostly the same bytes, whatever their types: which pointer to a
    /// block is found first, and says what it is, may differ.
    fn match_same_blocks(&mut self) {
        for passing in self.unmatched().0 {
            let here = self.passing.object(passing);
            let Some(position) = self.failing.position(here.address) else { continue };
            let there = self.failing.object(position.object);
            let is_same_block = here.on_heap
                && there.on_heap
                && (here.address, here.capacity) == (there.address, there.capacity)
                && here.text.is_some() == there.text.is_some();
            if is_same_block
                && self.is_unmatched(passing, position.object)
                && self.is_mostly_equal(passing, position.object)
            {
                self.match_if_it_fits(passing, position.object);
            }
        }
        self.walk();
    }

    /// Whether at least half of the bytes of two objects are equal.
    fn is_mostly_equal(&self, passing: ObjectId, failing: ObjectId) -> bool {
        let (here, there) = (self.passing.content(passing), self.failing.content(failing));
        let equal = here.iter().zip(there).filter(|(one, other)| one == other).count();
        2 * equal >= here.len().max(there.len())
    }

    /// Matches objects whose content is unique among the unmatched ones.
    fn match_unique(&mut self) {
        for _ in 0..MAX_UNIQUE_ROUNDS {
            let (here, there) = self.unmatched();
            let there = unique(&self.hashes.1, &there);
            let mut pairs: Vec<_> = unique(&self.hashes.0, &here)
                .into_iter()
                .filter_map(|(hash, id)| Some((id, *there.get(&hash)?)))
                .filter(|(passing, failing)| self.is_candidate(*passing, *failing))
                .collect();
            pairs.sort_unstable();
            for (passing, failing) in pairs {
                if self.is_free(passing, failing) {
                    self.match_if_it_fits(passing, failing);
                }
            }
            if self.pending.is_empty() {
                return;
            }
            self.walk();
        }
    }

    /// The objects of either state that are not matched.
    fn unmatched(&self) -> (Vec<ObjectId>, Vec<ObjectId>) {
        let here = self.passing.ids().filter(|id| self.matching.in_failing(*id).is_none());
        let there = self.failing.ids().filter(|id| self.matching.in_passing(*id).is_none());
        (here.collect(), there.collect())
    }

    /// Matches the largest common subgraph of the unmatched objects.
    fn match_common_subgraph(&mut self) {
        let (here, there) = self.unmatched();
        let may_match = |passing: ObjectId, failing: ObjectId| {
            self.is_candidate(passing, failing) && self.fits(passing, failing)
        };
        let (here, there) = ((self.passing, &here[..]), (self.failing, &there[..]));
        let pairs = largest_common_subgraph(here, there, &may_match);
        for (passing, failing) in pairs {
            self.set(passing, failing);
        }
        self.walk();
    }
}

/// The pointers of two objects, paired by offset.
fn zip_by_offset<'e>(
    here: &'e [PointerEdge],
    there: &'e [PointerEdge],
) -> impl Iterator<Item = (Option<&'e PointerEdge>, Option<&'e PointerEdge>)> {
    let (mut here, mut there) = (here.iter().peekable(), there.iter().peekable());
    std::iter::from_fn(move || {
        let offset = |edge: Option<&&PointerEdge>| edge.map_or(u64::MAX, |edge| edge.offset);
        match offset(here.peek()).cmp(&offset(there.peek())) {
            std::cmp::Ordering::Less => Some((here.next(), None)),
            std::cmp::Ordering::Greater => Some((None, there.next())),
            std::cmp::Ordering::Equal => {
                let both = (here.next(), there.next());
                both.0.is_some().then_some(both)
            }
        }
    })
}

/// The unmatched objects of the same type that pointers lead to from an object, nearer ones first.
fn find_nearby<M: MemoryCopy>(
    graph: &MemoryGraph<'_, M>,
    id: ObjectId,
    seen: &mut ObjectSet,
    is_matched: &dyn Fn(ObjectId) -> bool,
) -> Vec<ObjectId> {
    let of = graph.object(id).of;
    let mut found = vec![id];
    seen.clear();
    seen.insert(id);
    let (mut next, mut pointers) = (0, 0);
    while next < found.len() && found.len() < MAX_NEARBY_OBJECTS && pointers < MAX_POINTERS_FOLLOWED
    {
        let edges = graph.edges(found[next]);
        pointers += edges.len();
        for PointerEdge { to, .. } in edges.iter().take(MAX_POINTERS_FOLLOWED) {
            let fits = graph.object(to.object).of == of && !is_matched(to.object);
            if fits && seen.insert(to.object) {
                found.push(to.object);
            }
        }
        next += 1;
    }
    found.split_off(1)
}
