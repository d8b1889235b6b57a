//! The deltas between two JSON texts: elements and members that were added, removed or changed.
//!
//! Elements are compared by what they mean, not by the blanks in them. An array or object that is still
//! one is entered, so only what differs inside becomes a delta, and each is a group of those on a coarser
//! level. A member that has moved is one delta: else it could be there twice. Whatever both sides share is
//! written as the original writes it.

use crate::elements::by_depth;
use crate::json::{Document, NotJson, WHOLE, behind_blanks};
use crate::mixture::{Source, Writer};
use crate::{Delta, Side};
use imara_diff::{Algorithm, Diff, InternedInput, TokenSource};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use wynot_core::{Configuration, Grouping};

/// What a variant consists of, in the order of the text.
#[derive(Clone, Copy, Debug)]
enum Item {
    /// Siblings of the original, the first and the last, that the baseline has too.
    Same(u32, u32),
    /// An element of the original if the delta is there, else one of the baseline.
    Change { delta: u32, old: Option<u32>, new: Option<u32> },
    /// An array or object begins.
    Enter { old: u32, new: u32 },
    /// It ends.
    Leave,
}

#[derive(Debug)]
pub(crate) struct Edits {
    old: Document,
    new: Document,
    items: Vec<Item>,
    deltas: Vec<Delta>,
    /// In how many entered containers each delta lies together with the one before.
    depths: Vec<u32>,
}

impl Edits {
    pub(crate) fn new(old: &[u8], new: &[u8]) -> Result<Self, (Side, NotJson)> {
        let old_document = Document::read(old).map_err(|error| (Side::Baseline, error))?;
        let new_document = Document::read(new).map_err(|error| (Side::Original, error))?;
        let comparison = Comparison {
            old: Reading::new(old, &old_document),
            new: Reading::new(new, &new_document),
        };
        let mut made = Made::default();
        comparison.compare(&mut made);
        let Made { items, mut deltas, mut depths, .. } = made;
        if deltas.is_empty() {
            // Only the blanks differ, and they do so together.
            deltas.push(Delta { old: 0..old.len() as u32, new: 0..new.len() as u32 });
            depths.push(0);
        }
        Ok(Self { old: old_document, new: new_document, items, deltas, depths })
    }

    pub(crate) fn deltas(&self) -> &[Delta] {
        &self.deltas
    }

    /// Groups from the outermost changes to single ones.
    pub(crate) fn levels(&self) -> Vec<Grouping> {
        by_depth(&self.depths, 1)
    }

    /// Adds the variant of a configuration to `variant`. Returns where what the delta `wanted` brings begins
    /// and ends in it.
    pub(crate) fn compose(
        &self,
        [old, new]: [&[u8]; 2],
        configuration: &Configuration,
        variant: &mut Vec<u8>,
        wanted: Option<u32>,
    ) -> Range<usize> {
        if configuration.is_empty() {
            variant.extend_from_slice(old);
            return 0..0;
        }
        if self.items.iter().all(|item| !matches!(item, Item::Change { .. })) {
            variant.extend_from_slice(new);
            return 0..new.len();
        }
        let [old, new] =
            [(old, &self.old), (new, &self.new)].map(|(text, document)| Source { text, document });
        let mut writer = Writer::new(old, new, variant);
        let mut found = 0..0;
        for item in &self.items {
            match *item {
                Item::Same(first, last) => {
                    writer.siblings(new, first, last);
                }
                Item::Enter { old, new } => writer.enter(old, new),
                Item::Leave => writer.leave(),
                Item::Change { delta, old: before, new: after } => {
                    let (source, node) = match configuration.contains(delta) {
                        true => (new, after),
                        false => (old, before),
                    };
                    let here = writer.here();
                    let place = node.map(|node| writer.siblings(source, node, node));
                    // Of a member that has moved, where it is now.
                    if wanted == Some(delta) && (place.is_some() || found.is_empty()) {
                        found = place.unwrap_or(here..here);
                    }
                }
            }
        }
        found
    }
}

/// One side while it is compared.
struct Reading<'a> {
    text: &'a [u8],
    document: &'a Document,
    /// What each value means, without its name and the blanks in it.
    meanings: Vec<u64>,
}

impl<'a> Reading<'a> {
    fn new(text: &'a [u8], document: &'a Document) -> Self {
        let mut reading = Self { text, document, meanings: vec![0; document.len() as usize] };
        // From the inside to the outside: what is inside a node follows it.
        for node in (1..document.len()).rev() {
            let mut hasher = DefaultHasher::new();
            match document.open(node) {
                Some(open) => {
                    text[open].hash(&mut hasher);
                    for child in document.children(node) {
                        reading.name(child).hash(&mut hasher);
                        reading.meanings[child as usize].hash(&mut hasher);
                    }
                }
                None => {
                    let name = reading.name(node).len();
                    let value = &text[document.start(node) + name..document.end(node)];
                    let colon = if name > 0 { behind_blanks(value, 0) + 1 } else { 0 };
                    value[behind_blanks(value, colon)..].hash(&mut hasher);
                }
            }
            reading.meanings[node as usize] = hasher.finish();
        }
        reading
    }

    /// The name of a member, in its quotes; nothing for other values.
    fn name(&self, node: u32) -> &'a [u8] {
        let open = self.document.open(self.document.parent(node));
        if open.is_none_or(|open| self.text[open] != b'{') {
            return b"";
        }
        let text = &self.text[self.document.start(node)..];
        let (mut at, mut escaped) = (1, false);
        while escaped || text[at] != b'"' {
            escaped = !escaped && text[at] == b'\\';
            at += 1;
        }
        &text[..=at]
    }

    fn bracket(&self, node: u32) -> Option<u8> {
        self.document.open(node).map(|open| self.text[open])
    }

    fn meaning(&self, node: u32) -> u64 {
        self.meanings[node as usize]
    }

    fn bytes(&self, node: u32) -> Range<u32> {
        self.document.start(node) as u32..self.document.end(node) as u32
    }
}

/// What a comparison has found.
#[derive(Default)]
struct Made {
    items: Vec<Item>,
    deltas: Vec<Delta>,
    depths: Vec<u32>,
    depth: u32,
    /// The lowest depth since the last delta.
    lowest: u32,
}

impl Made {
    fn delta(&mut self, delta: Delta) -> u32 {
        self.deltas.push(delta);
        self.depths.push(self.lowest);
        self.lowest = self.depth;
        self.deltas.len() as u32 - 1
    }
}

/// What is left to do.
#[derive(Clone, Copy)]
enum Task {
    /// An element on both sides, perhaps with something else in it.
    Pair(u32, u32),
    Removed(u32),
    Inserted(u32),
    /// Where a member was that is elsewhere in its object now.
    MovedAway(u32, u32),
    /// Where it is now.
    MovedHere(u32, u32),
    Leave,
}

struct Comparison<'a> {
    old: Reading<'a>,
    new: Reading<'a>,
}

impl Comparison<'_> {
    fn compare(&self, made: &mut Made) {
        // The next one is at the end.
        let mut tasks = self.children(WHOLE, WHOLE);
        // The deltas of members whose other place comes later.
        let mut moved = HashMap::new();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Pair(old, new) if self.old.meaning(old) == self.new.meaning(new) => {
                    match made.items.last_mut() {
                        Some(Item::Same(_, last)) if self.new.document.next(*last) == new => {
                            *last = new;
                        }
                        _ => made.items.push(Item::Same(new, new)),
                    }
                }
                Task::Pair(old, new) if self.can_enter(old, new) => {
                    made.items.push(Item::Enter { old, new });
                    made.depth += 1;
                    tasks.push(Task::Leave);
                    tasks.extend(self.children(old, new));
                }
                Task::Leave => {
                    made.items.push(Item::Leave);
                    made.depth -= 1;
                    made.lowest = made.lowest.min(made.depth);
                }
                Task::Pair(old, new) => self.change(Some(old), Some(new), made),
                Task::Removed(old) => self.change(Some(old), None, made),
                Task::Inserted(new) => self.change(None, Some(new), made),
                Task::MovedAway(old, new) | Task::MovedHere(old, new) => {
                    let both = Delta { old: self.old.bytes(old), new: self.new.bytes(new) };
                    let delta = *moved.entry(new).or_insert_with(|| made.delta(both));
                    made.items.push(match task {
                        Task::MovedAway(..) => Item::Change { delta, old: Some(old), new: None },
                        _ => Item::Change { delta, old: None, new: Some(new) },
                    });
                }
            }
        }
    }

    fn can_enter(&self, old: u32, new: u32) -> bool {
        let bracket = self.old.bracket(old);
        bracket.is_some() && bracket == self.new.bracket(new)
    }

    fn change(&self, old: Option<u32>, new: Option<u32>, made: &mut Made) {
        let bytes = |reading: &Reading<'_>, node: Option<u32>| match node {
            Some(node) => reading.bytes(node),
            None => 0..0,
        };
        let delta = made.delta(Delta { old: bytes(&self.old, old), new: bytes(&self.new, new) });
        made.items.push(Item::Change { delta, old, new });
    }

    /// What to do for the elements of two containers, the last one first.
    fn children(&self, old: u32, new: u32) -> Vec<Task> {
        let before: Vec<u32> = self.old.document.children(old).collect();
        let after: Vec<u32> = self.new.document.children(new).collect();
        let members = self.new.bracket(new) == Some(b'{');
        let tokens = |reading: &Reading<'_>, nodes: &[u32]| {
            let token = |&node: &u32| match members {
                true => hash(reading.name(node)),
                false => reading.meaning(node),
            };
            Tokens(nodes.iter().map(token).collect())
        };
        let (old_tokens, new_tokens) = (tokens(&self.old, &before), tokens(&self.new, &after));
        let input = InternedInput::new(&old_tokens, &new_tokens);
        let diff = Diff::compute(Algorithm::Histogram, &input);
        let mut tasks = Vec::with_capacity(before.len().max(after.len()));
        let mut done = 0..0;
        let end = before.len() as u32..before.len() as u32;
        let hunks = diff.hunks().map(|hunk| (hunk.before, hunk.after));
        for (gone, come) in hunks.chain([(end, after.len() as u32..after.len() as u32)]) {
            let [same_old, same_new] = [done.start..gone.start, done.end..come.start]
                .map(|range: Range<u32>| range.start as usize..range.end as usize);
            let same = before[same_old].iter().zip(&after[same_new]);
            tasks.extend(same.map(|(&old, &new)| Task::Pair(old, new)));
            done = gone.end..come.end;
            let gone = &before[gone.start as usize..gone.end as usize];
            let come = &after[come.start as usize..come.end as usize];
            let pairs = if members { 0 } else { gone.len().min(come.len()) };
            tasks.extend((0..pairs).map(|nth| Task::Pair(gone[nth], come[nth])));
            tasks.extend(gone[pairs..].iter().map(|&old| Task::Removed(old)));
            tasks.extend(come[pairs..].iter().map(|&new| Task::Inserted(new)));
        }
        if members {
            self.join_moves(&mut tasks);
        }
        tasks.reverse();
        tasks
    }

    /// Members of the same name that were removed and inserted have moved.
    fn join_moves(&self, tasks: &mut [Task]) {
        let mut removed: HashMap<&[u8], Vec<usize>> = HashMap::new();
        for (place, task) in tasks.iter().enumerate().rev() {
            if let Task::Removed(old) = task {
                removed.entry(self.old.name(*old)).or_default().push(place);
            }
        }
        for place in 0..tasks.len() {
            let Task::Inserted(new) = tasks[place] else { continue };
            let from = removed.get_mut(self.new.name(new)).and_then(Vec::pop);
            if let Some((from, Task::Removed(old))) = from.map(|from| (from, tasks[from])) {
                tasks[from] = Task::MovedAway(old, new);
                tasks[place] = Task::MovedHere(old, new);
            }
        }
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

struct Tokens(Vec<u64>);

impl<'a> TokenSource for &'a Tokens {
    type Token = u64;
    type Tokenizer = std::iter::Copied<std::slice::Iter<'a, u64>>;

    fn tokenize(&self) -> Self::Tokenizer {
        self.0.iter().copied()
    }

    fn estimate_tokens(&self) -> u32 {
        self.0.len() as u32
    }
}
