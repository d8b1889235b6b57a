//! The directories of the packages in a lock file of npm, for a configuration of upgrades.
//!
//! Node finds a package in the nearest `node_modules` above the directory that asks for it. Where the place of a package
//! is taken by another version of it, it gets a place below the package that needs it, as npm does it.

use super::LockSide;
use super::package_lock::{directories, parent};
use super::selection::{Choice, EntryId};
use std::collections::{BTreeMap, HashMap, VecDeque};

impl Choice<'_> {
    /// The text of a lock file of npm. `text_of` gives the text of an entry.
    pub(crate) fn package_lock(&self, text_of: impl Fn(EntryId) -> Vec<u8>) -> Vec<u8> {
        let frame = self.pair.side(self.owners.side_of_rest(self.configuration));
        let mut places: Vec<(String, EntryId)> = self.places().into_iter().collect();
        let order = self.order_of_places();
        let rank = |place: &str| {
            let known = std::iter::successors(Some(place), |place| parent(place));
            known.filter_map(|place| order.get(place)).next().copied().unwrap_or_default()
        };
        places.sort_by(|(a, _), (b, _)| rank(a).cmp(&rank(b)).then_with(|| a.cmp(b)));
        let texts: Vec<Vec<u8>> = places
            .into_iter()
            .map(|(place, id)| {
                let (text, own) = (text_of(id), &self.entry(id).place);
                match *own == place {
                    true => text,
                    false => String::from_utf8_lossy(&text)
                        .replacen(&format!("\"{own}\""), &format!("\"{place}\""), 1)
                        .into_bytes(),
                }
            })
            .collect();
        let bad = &self.pair.bad;
        [&frame.text[..frame.head], &texts.join(&b","[..]), &bad.text[bad.tail..]].concat()
    }

    /// Where each package is.
    fn places(&self) -> BTreeMap<String, EntryId> {
        let mut placed: BTreeMap<String, EntryId> = BTreeMap::new();
        let mut pending: VecDeque<String> = VecDeque::new();
        for (index, root) in self.pair.bad.entries.iter().enumerate().filter(|(_, e)| e.is_root) {
            placed.insert(root.place.clone(), (LockSide::Bad, index));
            pending.push_back(root.place.clone());
        }
        while let Some(from) = pending.pop_front() {
            for (origin, need) in self.needs(placed[&from]) {
                let side = self.owners.side(&need.name, origin, self.pair, self.configuration);
                // What is not installed is optional.
                let Some(target) = self.find(side, &from, &need.name) else { continue };
                let visible = directories(&from, &need.name).find(|dir| placed.contains_key(dir));
                let is_found =
                    |place: &String| self.entry(placed[place]).is_same(self.entry(target));
                if visible.as_ref().is_some_and(is_found) {
                    continue;
                }
                let home = &self.entry(target).place;
                let is_reached = directories(&from, &need.name).any(|dir| dir == *home);
                let is_shadowed = visible.is_some_and(|place| place.len() >= home.len());
                let nearest = directories(&from, &need.name).next().unwrap_or_default();
                let place = match is_reached && !is_shadowed {
                    true => home.clone(),
                    false => nearest,
                };
                if !placed.contains_key(&place) {
                    placed.insert(place.clone(), target);
                    pending.push_back(place);
                }
            }
        }
        placed
    }

    /// The entry that a directory of one side sees, or else any of that name.
    fn find(&self, side: LockSide, from: &str, name: &str) -> Option<EntryId> {
        let lock = self.pair.side(side);
        let entries = lock.named(name);
        let is_at = |place: &str| entries.iter().find(|&&e| lock.entries[e].place == place);
        let seen = directories(from, name).find_map(|place| is_at(&place));
        seen.or_else(|| entries.first()).map(|&entry| (side, entry))
    }

    /// The order of the places of both sides. A place of the good side comes after the one before it there.
    fn order_of_places(&self) -> HashMap<&str, (usize, usize)> {
        let bad = self.pair.bad.entries.iter().enumerate();
        let mut order: HashMap<&str, (usize, usize)> =
            bad.map(|(index, entry)| (entry.place.as_str(), (index, 0))).collect();
        let mut last = (0, 0);
        for entry in &self.pair.good.entries {
            last = match order.get(entry.place.as_str()) {
                Some(&(index, _)) => (index, 0),
                None => (last.0, last.1 + 1),
            };
            order.entry(&entry.place).or_insert(last);
        }
        order
    }
}
