//! Which objects of two states are the same one.
//!
//! Variables are the same by name. From there both states are walked in parallel: where pointers of two
//! objects that are the same lead, there the same object is expected. If what is there looks different, it
//! may be that something was inserted or taken out on one side: then the one that looks the same is often
//! near. What is left over is matched by its looks if there is only one on either side.

use crate::graph::{Graph, ObjectId, Root, Scope};
use crate::layout::{Content, Leaf};
use crate::memory::Memory;
use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hasher};

/// How many objects are looked at to find one that looks the same.
const NEAR: usize = 64;

/// Which objects of a passing and a failing state are the same.
#[derive(Clone, Debug, Default)]
pub struct Matching {
    failing: HashMap<ObjectId, ObjectId>,
    passing: HashMap<ObjectId, ObjectId>,
}

impl Matching {
    /// Walks two states.
    pub fn of<M: Memory>(passing: &Graph<'_, M>, failing: &Graph<'_, M>) -> Self {
        let (matching, pending) = Default::default();
        let looks = (Looks::of(passing), Looks::of(failing));
        let mut search = Search { passing, failing, looks, matching, pending };
        search.match_variables();
        search.walk();
        search.match_left_over();
        search.matching
    }

    /// What an object of the passing state is in the failing one.
    pub fn in_failing(&self, passing: ObjectId) -> Option<ObjectId> {
        self.failing.get(&passing).copied()
    }

    /// What an object of the failing state is in the passing one.
    pub fn in_passing(&self, failing: ObjectId) -> Option<ObjectId> {
        self.passing.get(&failing).copied()
    }
}

struct Search<'a, 'b, M> {
    passing: &'b Graph<'a, M>,
    failing: &'b Graph<'a, M>,
    looks: (Looks, Looks),
    matching: Matching,
    pending: VecDeque<(ObjectId, ObjectId)>,
}

impl<M: Memory> Search<'_, '_, M> {
    fn match_variables(&mut self) {
        let mut there = HashMap::new();
        for (key, id) in variables(self.failing) {
            there.insert(key, id);
        }
        for (key, id) in variables(self.passing) {
            if let Some(other) = there.get(&key) {
                self.set(id, *other);
            }
        }
    }

    fn walk(&mut self) {
        while let Some((passing, failing)) = self.pending.pop_front() {
            let there: HashMap<u64, Leaf> =
                pointers(self.failing, failing).map(|leaf| (leaf.offset, leaf)).collect();
            for leaf in pointers(self.passing, passing) {
                let Some(other) = there.get(&leaf.offset) else { continue };
                let Some(from) = self.passing.target(passing, &leaf) else { continue };
                let Some(to) = self.failing.target(failing, other) else { continue };
                if from.offset == to.offset {
                    self.offer(from.object, to.object);
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
        let inserted = near(self.failing, failing)
            .into_iter()
            .find(|near| self.is_free(passing, *near) && self.looks_like(passing, *near));
        if let Some(failing) = inserted {
            return self.set_if_it_fits(passing, failing);
        }
        let removed = near(self.passing, passing)
            .into_iter()
            .find(|near| self.is_free(*near, failing) && self.looks_like(*near, failing));
        match removed {
            Some(passing) => self.set_if_it_fits(passing, failing),
            None => self.set_if_it_fits(passing, failing),
        }
    }

    fn looks_like(&self, passing: ObjectId, failing: ObjectId) -> bool {
        self.looks.0.is_special(passing) && self.looks.0.same(passing, &self.looks.1, failing)
    }

    fn is_free(&self, passing: ObjectId, failing: ObjectId) -> bool {
        !self.matching.failing.contains_key(&passing)
            && !self.matching.passing.contains_key(&failing)
            && self.passing.object(passing).text.is_some()
                == self.failing.object(failing).text.is_some()
            && self.passing.object(passing).of == self.failing.object(failing).of
    }

    /// What has grown cannot stay where it is.
    fn set_if_it_fits(&mut self, passing: ObjectId, failing: ObjectId) {
        let (needed, there) = (self.failing.object(failing), self.passing.object(passing));
        let fits = match needed.text {
            // Whoever counts the bytes of a text has another count with another one.
            Some(text) if !text.ended => Some(text) == there.text,
            Some(text) => text.size() <= there.size,
            None => needed.size <= there.size,
        };
        if fits {
            self.set(passing, failing);
        }
    }

    fn set(&mut self, passing: ObjectId, failing: ObjectId) {
        self.matching.failing.insert(passing, failing);
        self.matching.passing.insert(failing, passing);
        self.pending.push_back((passing, failing));
    }

    /// Objects that nothing else looks like.
    fn match_left_over(&mut self) {
        loop {
            let free = |id: &ObjectId| self.matching.in_failing(*id).is_none();
            let here = self.looks.0.unique(self.passing.ids().filter(free));
            let free = |id: &ObjectId| self.matching.in_passing(*id).is_none();
            let there = self.looks.1.unique(self.failing.ids().filter(free));
            let mut pairs: Vec<_> = here
                .iter()
                .filter_map(|(looks, id)| Some((*id, *there.get(looks)?)))
                .filter(|(passing, failing)| {
                    self.looks.0.is_special(*passing) && self.is_free(*passing, *failing)
                })
                .collect();
            if pairs.is_empty() {
                return;
            }
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

fn pointers<M: Memory>(graph: &Graph<'_, M>, id: ObjectId) -> impl Iterator<Item = Leaf> + use<M> {
    let mut found = Vec::new();
    graph.leaves(id, &mut |leaf| {
        if matches!(leaf.content, Content::Pointer(_) | Content::Opaque) {
            found.push(leaf);
        }
    });
    found.into_iter()
}

/// Objects of the same type that pointers lead to, the nearer ones first.
fn near<M: Memory>(graph: &Graph<'_, M>, id: ObjectId) -> Vec<ObjectId> {
    let of = graph.object(id).of;
    let mut found = vec![id];
    let mut seen = HashSet::from([id]);
    let mut next = 0;
    while next < found.len() && found.len() < NEAR {
        let object = found[next];
        for leaf in pointers(graph, object) {
            let Some(spot) = graph.target(object, &leaf) else { continue };
            if graph.object(spot.object).of == of && seen.insert(spot.object) {
                found.push(spot.object);
            }
        }
        next += 1;
    }
    found.split_off(1)
}

/// What objects look like: their numbers and texts, and those of what they point to of other types.
struct Looks(HashMap<ObjectId, (u64, bool)>);

impl Looks {
    fn of<M: Memory>(graph: &Graph<'_, M>) -> Self {
        let looks = graph.ids().map(|id| {
            let mut hasher = DefaultHasher::new();
            let mut special = own_looks(graph, id, &mut hasher);
            for leaf in pointers(graph, id) {
                let Some(spot) = graph.target(id, &leaf) else { continue };
                if graph.object(spot.object).of != graph.object(id).of {
                    special |= own_looks(graph, spot.object, &mut hasher);
                }
            }
            (id, (hasher.finish(), special))
        });
        Self(looks.collect())
    }

    fn same(&self, one: ObjectId, others: &Self, other: ObjectId) -> bool {
        let looks = |looks: &Self, id| looks.0.get(&id).map(|(hash, _)| *hash);
        looks(self, one).is_some_and(|one| looks(others, other) == Some(one))
    }

    /// Whether there is anything but zeros to tell it from others.
    fn is_special(&self, id: ObjectId) -> bool {
        self.0.get(&id).is_some_and(|(_, special)| *special)
    }

    fn unique(&self, ids: impl Iterator<Item = ObjectId>) -> HashMap<u64, ObjectId> {
        let mut found: HashMap<u64, Option<ObjectId>> = HashMap::new();
        for id in ids {
            let Some((hash, _)) = self.0.get(&id) else { continue };
            found.entry(*hash).and_modify(|seen| *seen = None).or_insert(Some(id));
        }
        found.into_iter().filter_map(|(looks, id)| Some((looks, id?))).collect()
    }
}

/// Numbers and texts of an object. Whether there are any.
fn own_looks<M: Memory>(graph: &Graph<'_, M>, id: ObjectId, hasher: &mut DefaultHasher) -> bool {
    let mut special = false;
    hasher.write_u32(graph.object(id).of.0);
    graph.leaves(id, &mut |leaf| {
        if !matches!(leaf.content, Content::Pointer(_) | Content::Opaque) {
            let bytes = graph.bytes(id, &leaf);
            special |= bytes.iter().any(|byte| *byte != 0);
            hasher.write_u64(leaf.offset);
            hasher.write(bytes);
        }
    });
    special
}
