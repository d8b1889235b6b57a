//! Which objects of two states are the same one.
//!
//! Variables are the same by name. From there both states are walked in parallel: where pointers of two
//! objects that are the same lead, there the same object is expected. If what is there looks different, it
//! may be that something was inserted or taken out on one side: then the one that looks the same is often
//! near, and what follows looks the same, too. What is left over is matched by its looks if there is only
//! one on either side, and if there are few, by the largest part that both have in common.

use crate::graph::{Edge, Graph, ObjectId, Root, Scope};
use crate::looks::Looks;
use crate::memory::Memory;
use crate::subgraph;
use std::collections::{HashMap, VecDeque};

/// How many objects are looked at to find one that looks the same.
const NEAR: usize = 64;

/// How many pointers are looked at for that.
const POINTERS: usize = 1024;

/// How many of those that look the same are looked at more closely.
const ALIKE: usize = 8;

/// How many objects are compared to see whether what follows is the same.
const AHEAD: usize = 16;

/// How often looks are compared: what has been found may leave others that are the only ones.
const ROUNDS: usize = 8;

/// Which objects of a passing and a failing state are the same.
#[derive(Clone, Debug, Default)]
pub struct Matching {
    failing: Vec<Option<ObjectId>>,
    passing: Vec<Option<ObjectId>>,
}

impl Matching {
    /// Walks two states.
    pub fn of<M: Memory>(passing: &Graph<'_, M>, failing: &Graph<'_, M>) -> Self {
        let looks = (Looks::of(passing), Looks::of(failing));
        let matching = Self {
            failing: vec![None; passing.objects.len()],
            passing: vec![None; failing.objects.len()],
        };
        let seen = Seen::new(passing.objects.len().max(failing.objects.len()));
        let pending = VecDeque::new();
        let mut search = Search { passing, failing, looks, matching, pending, seen };
        search.match_variables();
        search.walk();
        search.match_left_over();
        search.match_subgraphs();
        search.matching
    }

    /// What an object of the passing state is in the failing one.
    pub fn in_failing(&self, passing: ObjectId) -> Option<ObjectId> {
        self.failing[passing.0 as usize]
    }

    /// What an object of the failing state is in the passing one.
    pub fn in_passing(&self, failing: ObjectId) -> Option<ObjectId> {
        self.passing[failing.0 as usize]
    }
}

struct Search<'a, 'b, M> {
    passing: &'b Graph<'a, M>,
    failing: &'b Graph<'a, M>,
    looks: (Looks, Looks),
    matching: Matching,
    pending: VecDeque<(ObjectId, ObjectId)>,
    seen: Seen,
}

/// A pair that looks the same near one that does not.
struct Nearby {
    pair: (ObjectId, ObjectId),
    distance: usize,
    score: usize,
}

impl<M: Memory> Search<'_, '_, M> {
    fn match_variables(&mut self) {
        let there: HashMap<_, _> = variables(self.failing).collect();
        for (key, id) in variables(self.passing) {
            let Some(other) = there.get(&key).copied() else { continue };
            let of = |graph: &Graph<'_, M>, id| graph.object(id).of;
            if self.is_unmatched(id, other) && of(self.passing, id) == of(self.failing, other) {
                self.set(id, other);
            }
        }
    }

    fn walk(&mut self) {
        while let Some((passing, failing)) = self.pending.pop_front() {
            let (here, there) = (self.passing.edges(passing), self.failing.edges(failing));
            for (one, other) in parallel(here, there) {
                if let (Some(one), Some(other)) = (one, other)
                    && one.to.offset == other.to.offset
                {
                    self.offer(one.to.object, other.to.object);
                }
            }
        }
    }

    /// Both are found in the same place.
    fn offer(&mut self, passing: ObjectId, failing: ObjectId) {
        if !self.is_free(passing, failing) {
            return;
        }
        if self.looks.0.same(passing, &self.looks.1, failing) {
            return self.set_if_it_fits(passing, failing);
        }
        let mut nearby = self.inserted(passing, failing);
        nearby.extend(self.removed(passing, failing));
        let best = nearby.into_iter().min_by_key(|nearby| {
            // What follows counts most, and then how near it is.
            (usize::MAX - nearby.score, nearby.distance)
        });
        // It has another value, and what follows is the same.
        let changed = best.as_ref().map_or(0, |_| self.score(passing, failing));
        match best.filter(|best| best.score > changed) {
            Some(Nearby { pair: (passing, failing), .. }) => self.set_if_it_fits(passing, failing),
            None => self.set_if_it_fits(passing, failing),
        }
    }

    /// What looks the same may come later in the failing state.
    fn inserted(&mut self, passing: ObjectId, failing: ObjectId) -> Vec<Nearby> {
        let matched = |id: ObjectId| self.matching.in_passing(id).is_some();
        let near = near(self.failing, failing, &mut self.seen, &matched);
        self.alike(near.into_iter().map(|near| (passing, near)))
    }

    /// What looks the same may come later in the passing state.
    fn removed(&mut self, passing: ObjectId, failing: ObjectId) -> Vec<Nearby> {
        let matched = |id: ObjectId| self.matching.in_failing(id).is_some();
        let near = near(self.passing, passing, &mut self.seen, &matched);
        self.alike(near.into_iter().map(|near| (near, failing)))
    }

    /// The first few pairs that look the same, and how well they do.
    fn alike(&mut self, pairs: impl Iterator<Item = (ObjectId, ObjectId)>) -> Vec<Nearby> {
        let numbered = pairs.enumerate();
        let alike = numbered.filter(|(_, (one, other))| self.looks_like(*one, *other));
        let alike: Vec<_> = alike.take(ALIKE).collect();
        let nearby = alike.into_iter().map(|(distance, pair)| {
            let score = self.score(pair.0, pair.1);
            Nearby { pair, distance, score }
        });
        nearby.collect()
    }

    /// How many pairs look the same from a pair on, if pointers to the same type are followed in parallel.
    fn score(&mut self, passing: ObjectId, failing: ObjectId) -> usize {
        let mut score = usize::from(self.looks.0.same(passing, &self.looks.1, failing));
        let of = self.passing.object(passing).of;
        let mut pairs = vec![(passing, failing)];
        self.seen.clear();
        self.seen.insert(passing);
        let mut next = 0;
        while next < pairs.len() && pairs.len() < AHEAD {
            let (passing, failing) = pairs[next];
            next += 1;
            let (here, there) = (self.passing.edges(passing), self.failing.edges(failing));
            for pair in parallel(here, there).take(POINTERS) {
                let (Some(one), Some(other)) = pair else { continue };
                let (one, other) = (one.to.object, other.to.object);
                let same = self.is_free(one, other)
                    && self.passing.object(one).of == of
                    && self.looks.0.same(one, &self.looks.1, other);
                if same && self.seen.insert(one) {
                    score += 1;
                    pairs.push((one, other));
                }
            }
        }
        score
    }

    fn looks_like(&self, passing: ObjectId, failing: ObjectId) -> bool {
        self.looks.0.is_special(passing)
            && self.looks.0.same(passing, &self.looks.1, failing)
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

    fn set_if_it_fits(&mut self, passing: ObjectId, failing: ObjectId) {
        if self.fits(passing, failing) {
            self.set(passing, failing);
        }
    }

    /// What has grown cannot stay where it is.
    fn fits(&self, passing: ObjectId, failing: ObjectId) -> bool {
        let (needed, there) = (self.failing.object(failing), self.passing.object(passing));
        match needed.text {
            // Whoever counts the bytes of a text has another count with another one.
            Some(text) if !text.ended => Some(text) == there.text,
            Some(text) => text.size() <= there.size,
            None => needed.size <= there.room,
        }
    }

    fn set(&mut self, passing: ObjectId, failing: ObjectId) {
        self.matching.failing[passing.0 as usize] = Some(failing);
        self.matching.passing[failing.0 as usize] = Some(passing);
        self.pending.push_back((passing, failing));
    }

    /// Objects that nothing else looks like.
    fn match_left_over(&mut self) {
        for _ in 0..ROUNDS {
            let (here, there) = self.left_over();
            let there = unique(&self.looks.1, &there);
            let mut pairs: Vec<_> = unique(&self.looks.0, &here)
                .into_iter()
                .filter_map(|(looks, id)| Some((id, *there.get(&looks)?)))
                .filter(|(passing, failing)| self.looks_like(*passing, *failing))
                .collect();
            pairs.sort_unstable();
            for (passing, failing) in pairs {
                if self.is_free(passing, failing) {
                    self.set_if_it_fits(passing, failing);
                }
            }
            if self.pending.is_empty() {
                return;
            }
            self.walk();
        }
    }

    /// What is not matched, on either side.
    fn left_over(&self) -> (Vec<ObjectId>, Vec<ObjectId>) {
        let here = self.passing.ids().filter(|id| self.matching.in_failing(*id).is_none());
        let there = self.failing.ids().filter(|id| self.matching.in_passing(*id).is_none());
        (here.collect(), there.collect())
    }

    /// The largest part that what is left over has in common.
    fn match_subgraphs(&mut self) {
        let (here, there) = self.left_over();
        let may_match = |passing: ObjectId, failing: ObjectId| {
            self.looks_like(passing, failing) && self.fits(passing, failing)
        };
        let pairs = subgraph::largest((self.passing, &here), (self.failing, &there), &may_match);
        for (passing, failing) in pairs {
            self.set(passing, failing);
        }
        self.walk();
    }
}

/// Those that look like no other one.
fn unique(looks: &Looks, ids: &[ObjectId]) -> HashMap<u64, ObjectId> {
    let mut found: HashMap<u64, Option<ObjectId>> = HashMap::new();
    for id in ids {
        found.entry(looks.hash(*id)).and_modify(|seen| *seen = None).or_insert(Some(*id));
    }
    found.into_iter().filter_map(|(looks, id)| Some((looks, id?))).collect()
}

/// The variables of a state: where they live, their names, and which of those with the same name.
fn variables<'g, M: Memory>(
    graph: &'g Graph<'_, M>,
) -> impl Iterator<Item = ((&'g Scope, &'g str, u32), ObjectId)> {
    let mut seen: HashMap<(&Scope, &str), u32> = HashMap::new();
    graph.roots.iter().filter_map(move |Root { name, address, scope, .. }| {
        let number = seen.entry((scope, name.as_str())).or_default();
        *number += 1;
        let spot = graph.spot(*address).filter(|spot| spot.offset == 0)?;
        Some(((scope, name.as_str(), *number), spot.object))
    })
}

/// Pointers of two objects side by side, by offset.
fn parallel<'e>(
    here: &'e [Edge],
    there: &'e [Edge],
) -> impl Iterator<Item = (Option<&'e Edge>, Option<&'e Edge>)> {
    let (mut here, mut there) = (here.iter().peekable(), there.iter().peekable());
    std::iter::from_fn(move || {
        let offset = |edge: Option<&&Edge>| edge.map_or(u64::MAX, |edge| edge.offset);
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

/// Objects of the same type that pointers lead to, the nearer ones first; not beyond what is matched.
fn near<M: Memory>(
    graph: &Graph<'_, M>,
    id: ObjectId,
    seen: &mut Seen,
    is_matched: &dyn Fn(ObjectId) -> bool,
) -> Vec<ObjectId> {
    let of = graph.object(id).of;
    let mut found = vec![id];
    seen.clear();
    seen.insert(id);
    let (mut next, mut pointers) = (0, 0);
    while next < found.len() && found.len() < NEAR && pointers < POINTERS {
        let edges = graph.edges(found[next]);
        pointers += edges.len();
        for Edge { to, .. } in edges.iter().take(POINTERS) {
            let fits = graph.object(to.object).of == of && !is_matched(to.object);
            if fits && seen.insert(to.object) {
                found.push(to.object);
            }
        }
        next += 1;
    }
    found.split_off(1)
}

/// A set of objects that is emptied in no time.
struct Seen {
    marks: Vec<u32>,
    mark: u32,
}

impl Seen {
    fn new(count: usize) -> Self {
        Self { marks: vec![0; count], mark: 0 }
    }

    fn clear(&mut self) {
        self.mark = self.mark.wrapping_add(1);
        if self.mark == 0 {
            self.marks.fill(0);
            self.mark = 1;
        }
    }

    /// Whether it was not there yet.
    fn insert(&mut self, id: ObjectId) -> bool {
        std::mem::replace(&mut self.marks[id.0 as usize], self.mark) != self.mark
    }
}
