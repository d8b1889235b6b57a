//! The deltas between two JSON texts: elements and members that were added, removed or changed.
//!
//! Elements are compared by value, regardless of blanks. Two arrays or two objects are compared inside, so
//! only what differs there becomes a delta, and the container is a group of its deltas on a coarser level.
//! A member that has moved is a single delta, so that no variant contains it twice. What both sides share
//! is written as in the original.

use crate::json::elements::levels_by_depth;
use crate::json::merge::{MergeWriter, Source};
use crate::json::parse::{Document, JsonError, WHOLE, end_of_blanks};
use crate::text_delta::{TextDelta, TextSide};
use imara_diff::{Algorithm, Diff, InternedInput, TokenSource};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use wynot_core::{Configuration, Grouping};

/// A part of a variant, in the order of the text.
#[derive(Clone, Copy, Debug)]
enum Item {
    /// Siblings that both sides share, from the first to the last node in the original.
    Same(u32, u32),
    /// An element of the original if the configuration contains the delta, else one of the baseline.
    Change { delta: u32, old: Option<u32>, new: Option<u32> },
    /// The start of an array or object that is in both texts.
    Enter { old: u32, new: u32 },
    /// The end of the innermost such array or object.
    Leave,
}

/// The differences between two JSON texts as deltas.
#[derive(Debug)]
pub(crate) struct JsonDiff {
    old: Document,
    new: Document,
    items: Vec<Item>,
    deltas: Vec<TextDelta>,
    /// The number of containers that each delta shares with the one before it.
    depths: Vec<u32>,
}

impl JsonDiff {
    /// Compares two JSON texts.
    pub(crate) fn new(old: &[u8], new: &[u8]) -> Result<Self, (TextSide, JsonError)> {
        let old_document = Document::parse(old).map_err(|error| (TextSide::Baseline, error))?;
        let new_document = Document::parse(new).map_err(|error| (TextSide::Original, error))?;
        let comparison = Comparison {
            old: ComparedSide::new(old, &old_document),
            new: ComparedSide::new(new, &new_document),
        };
        let mut found = Differences::default();
        comparison.compare(&mut found);
        let Differences { items, mut deltas, mut depths, .. } = found;
        if deltas.is_empty() {
            // Only the blanks differ. They are one delta.
            deltas.push(TextDelta { old: 0..old.len() as u32, new: 0..new.len() as u32 });
            depths.push(0);
        }
        Ok(Self { old: old_document, new: new_document, items, deltas, depths })
    }

    /// The deltas in the order of the texts.
    pub(crate) fn deltas(&self) -> &[TextDelta] {
        &self.deltas
    }

    /// The levels from the outermost changes to single ones.
    pub(crate) fn levels(&self) -> Vec<Grouping> {
        levels_by_depth(&self.depths, 1)
    }

    /// Appends the text of a configuration to `variant`. Returns the bytes that the delta `wanted` inserts.
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
        let mut writer = MergeWriter::new(old, new, variant);
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
                    let end = writer.position();
                    let written = node.map(|node| writer.siblings(source, node, node));
                    // A member that has moved has two items; the one that is written counts.
                    if wanted == Some(delta) && (written.is_some() || found.is_empty()) {
                        found = written.unwrap_or(end..end);
                    }
                }
            }
        }
        found
    }
}

/// One side of a comparison.
struct ComparedSide<'a> {
    text: &'a [u8],
    document: &'a Document,
    /// A hash of each value, without its name and the blanks in it.
    hashes: Vec<u64>,
}

impl<'a> ComparedSide<'a> {
    fn new(text: &'a [u8], document: &'a Document) -> Self {
        let mut side = Self { text, document, hashes: vec![0; document.len() as usize] };
        // From the last node to the first, so that children come before their containers.
        for node in (1..document.len()).rev() {
            let mut hasher = DefaultHasher::new();
            match document.open(node) {
                Some(open) => {
                    text[open].hash(&mut hasher);
                    for child in document.children(node) {
                        side.name(child).hash(&mut hasher);
                        side.hashes[child as usize].hash(&mut hasher);
                    }
                }
                None => {
                    let name = side.name(node).len();
                    let value = &text[document.start(node) + name..document.end(node)];
                    let colon = if name > 0 { end_of_blanks(value, 0) + 1 } else { 0 };
                    value[end_of_blanks(value, colon)..].hash(&mut hasher);
                }
            }
            side.hashes[node as usize] = hasher.finish();
        }
        side
    }

    /// The name of a member, in its quotes; empty for other values.
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

    fn hash(&self, node: u32) -> u64 {
        self.hashes[node as usize]
    }

    fn bytes(&self, node: u32) -> Range<u32> {
        self.document.start(node) as u32..self.document.end(node) as u32
    }
}

/// The result of a comparison, while it grows.
#[derive(Default)]
struct Differences {
    items: Vec<Item>,
    deltas: Vec<TextDelta>,
    depths: Vec<u32>,
    /// The number of containers around the current position.
    depth: u32,
    /// The lowest depth since the last delta.
    lowest: u32,
}

impl Differences {
    /// Adds a delta and returns its number.
    fn add(&mut self, delta: TextDelta) -> u32 {
        self.deltas.push(delta);
        self.depths.push(self.lowest);
        self.lowest = self.depth;
        self.deltas.len() as u32 - 1
    }
}

/// A step of a comparison that is still to be made.
#[derive(Clone, Copy)]
enum Task {
    /// Compares an element of the baseline with one of the original.
    Pair(u32, u32),
    /// Records an element that only the baseline has.
    Removed(u32),
    /// Records an element that only the original has.
    Inserted(u32),
    /// Records the old position of a member that has moved within its object.
    MovedAway(u32, u32),
    /// Records the new position of a member that has moved within its object.
    MovedHere(u32, u32),
    /// Leaves the innermost container.
    Leave,
}

/// A comparison of two JSON texts.
struct Comparison<'a> {
    old: ComparedSide<'a>,
    new: ComparedSide<'a>,
}

impl Comparison<'_> {
    fn compare(&self, found: &mut Differences) {
        // A stack: the next task is the last one.
        let mut tasks = self.children(WHOLE, WHOLE);
        // The deltas of moved members, which are shared by both of their positions.
        let mut moved = HashMap::new();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Pair(old, new) if self.old.hash(old) == self.new.hash(new) => {
                    match found.items.last_mut() {
                        Some(Item::Same(_, last)) if self.new.document.next(*last) == new => {
                            *last = new;
                        }
                        _ => found.items.push(Item::Same(new, new)),
                    }
                }
                Task::Pair(old, new) if self.can_enter(old, new) => {
                    found.items.push(Item::Enter { old, new });
                    found.depth += 1;
                    tasks.push(Task::Leave);
                    tasks.extend(self.children(old, new));
                }
                Task::Leave => {
                    found.items.push(Item::Leave);
                    found.depth -= 1;
                    found.lowest = found.lowest.min(found.depth);
                }
                Task::Pair(old, new) => self.change(Some(old), Some(new), found),
                Task::Removed(old) => self.change(Some(old), None, found),
                Task::Inserted(new) => self.change(None, Some(new), found),
                Task::MovedAway(old, new) | Task::MovedHere(old, new) => {
                    let both = TextDelta { old: self.old.bytes(old), new: self.new.bytes(new) };
                    let delta = *moved.entry(new).or_insert_with(|| found.add(both));
                    found.items.push(match task {
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

    fn change(&self, old: Option<u32>, new: Option<u32>, found: &mut Differences) {
        let bytes = |side: &ComparedSide<'_>, node: Option<u32>| match node {
            Some(node) => side.bytes(node),
            None => 0..0,
        };
        let delta = found.add(TextDelta { old: bytes(&self.old, old), new: bytes(&self.new, new) });
        found.items.push(Item::Change { delta, old, new });
    }

    /// The tasks for the elements of two containers, the last one first.
    fn children(&self, old: u32, new: u32) -> Vec<Task> {
        let before: Vec<u32> = self.old.document.children(old).collect();
        let after: Vec<u32> = self.new.document.children(new).collect();
        let members = self.new.bracket(new) == Some(b'{');
        let tokens = |side: &ComparedSide<'_>, nodes: &[u32]| {
            let token = |&node: &u32| match members {
                true => hash_bytes(side.name(node)),
                false => side.hash(node),
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
        for (removed, inserted) in hunks.chain([(end, after.len() as u32..after.len() as u32)]) {
            let [same_old, same_new] = [done.start..removed.start, done.end..inserted.start]
                .map(|range: Range<u32>| range.start as usize..range.end as usize);
            let same = before[same_old].iter().zip(&after[same_new]);
            tasks.extend(same.map(|(&old, &new)| Task::Pair(old, new)));
            done = removed.end..inserted.end;
            let removed = &before[removed.start as usize..removed.end as usize];
            let inserted = &after[inserted.start as usize..inserted.end as usize];
            let pairs = if members { 0 } else { removed.len().min(inserted.len()) };
            tasks.extend((0..pairs).map(|nth| Task::Pair(removed[nth], inserted[nth])));
            tasks.extend(removed[pairs..].iter().map(|&old| Task::Removed(old)));
            tasks.extend(inserted[pairs..].iter().map(|&new| Task::Inserted(new)));
        }
        if members {
            self.join_moves(&mut tasks);
        }
        tasks.reverse();
        tasks
    }

    /// Turns the removal and the insertion of a member of the same name into a move.
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

fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// The elements of a container, as hashes for the diff.
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
