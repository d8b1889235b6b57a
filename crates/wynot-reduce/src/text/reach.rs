//! What some items reach by names: a part of a text in which everything that is mentioned is declared.

use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;
use crate::text::program_items::{NO_ITEM, ProgramItem, ProgramItems};

/// The items that are kept so far, and the names that are mentioned in them.
#[derive(Clone, Debug)]
pub struct Reach<'a> {
    items: &'a ProgramItems,
    kept: Vec<bool>,
    reached: Vec<bool>,
    /// For each name, the items that wait until it is reached.
    waiting: Vec<Vec<u32>>,
    /// For each item, the number of names that it waits for; 0 if it does not wait.
    awaited: Vec<u32>,
    pending_items: Vec<u32>,
    pending_names: Vec<u32>,
    /// Whether bodies are kept of those functions only that are asked for.
    is_lean: bool,
    /// For each item, whether its body is kept.
    with_body: Vec<bool>,
    /// The number of bytes of all kept items.
    pub bytes: usize,
}

impl<'a> Reach<'a> {
    /// Nothing but what stands by itself.
    pub fn new(items: &'a ProgramItems, is_lean: bool) -> Self {
        let mut reach = Self {
            is_lean,
            with_body: vec![!is_lean; items.items.len()],
            items,
            kept: vec![false; items.items.len()],
            reached: vec![false; items.declaring.len()],
            waiting: vec![Vec::new(); items.declaring.len()],
            awaited: vec![0; items.items.len()],
            pending_items: Vec::new(),
            pending_names: Vec::new(),
            bytes: 0,
        };
        for (id, item) in items.items.iter().enumerate() {
            let is_open =
                item.parent.is_none_or(|parent| items.items[parent as usize].is_container);
            if is_open && item.names.is_empty() && !item.is_container && !item.is_comment {
                reach.wait(id as u32);
            }
        }
        reach.spread();
        reach
    }

    /// Keeps an item, what is around it, and all that it reaches.
    pub fn keep(&mut self, item: u32) {
        if !std::mem::replace(&mut self.with_body[item as usize], true) && self.kept[item as usize]
        {
            let item = &self.items.items[item as usize];
            self.bytes += item.body.as_ref().map_or(0, ExactSizeIterator::len);
            self.pending_names.extend(&item.mentions);
        }
        self.pending_items.push(item);
        self.spread();
    }

    /// Whether an item is kept as it is.
    pub fn keeps(&self, item: u32) -> bool {
        self.kept[item as usize] && !self.is_emptied(item)
    }

    /// Whether an item is to lose its body.
    fn is_emptied(&self, item: u32) -> bool {
        self.items.items[item as usize].body.is_some() && !self.with_body[item as usize]
    }

    fn spread(&mut self) {
        loop {
            if let Some(item) = self.pending_items.pop() {
                self.add(item);
            } else if let Some(name) = self.pending_names.pop() {
                self.reach(name);
            } else {
                return;
            }
        }
    }

    fn add(&mut self, id: u32) {
        if std::mem::replace(&mut self.kept[id as usize], true) {
            return;
        }
        let item = &self.items.items[id as usize];
        self.bytes += item.own_bytes;
        self.pending_items.extend(item.parent);
        let is_emptied = self.is_emptied(id);
        let mentions = if is_emptied { item.head_mentions } else { item.mentions.len() };
        self.pending_names.extend(item.mentions[..mentions].iter().chain(&item.names));
        if is_emptied {
            self.bytes -= item.body.as_ref().map_or(0, ExactSizeIterator::len);
        }
        if item.is_container {
            return;
        }
        for &member in &self.items.members[id as usize] {
            let names = &self.items.items[member as usize].names;
            if names.is_empty() || names.iter().any(|&name| self.reached[name as usize]) {
                self.offer(member);
            }
        }
    }

    fn reach(&mut self, name: u32) {
        if std::mem::replace(&mut self.reached[name as usize], true) {
            return;
        }
        for item in std::mem::take(&mut self.waiting[name as usize]) {
            let awaited = &mut self.awaited[item as usize];
            *awaited -= 1;
            if *awaited == 0 {
                self.pending_items.push(item);
            }
        }
        for &id in &self.items.declaring[name as usize] {
            let item = &self.items.items[id as usize];
            let is_open = item.parent.is_none_or(|parent| {
                self.items.items[parent as usize].is_container || self.kept[parent as usize]
            });
            if is_open {
                self.offer(id);
            }
        }
    }

    /// Keeps an item, one of whose names is mentioned, at once or when all that its head mentions is reached.
    fn offer(&mut self, id: u32) {
        let item = &self.items.items[id as usize];
        let is_first = || item.names.iter().any(|&name| self.items.first[name as usize] == id);
        if item.is_comment || item.is_place && !item.names.is_empty() && !is_first() {
            return;
        }
        let is_selected = || match self.class_of(item) {
            // A constructor.
            Some(class) => item.names.iter().any(|name| class.names.contains(name)),
            None => !is_first(),
        };
        let waits =
            item.names.is_empty() || item.is_qualified || item.is_selected_by_head && is_selected();
        if waits { self.wait(id) } else { self.pending_items.push(id) }
    }

    /// The item that an item is a member of.
    fn class_of(&self, item: &ProgramItem) -> Option<&'a ProgramItem> {
        let parent = item.parent.map(|parent| &self.items.items[parent as usize]);
        parent.filter(|parent| !parent.is_container)
    }

    fn wait(&mut self, id: u32) {
        let item = &self.items.items[id as usize];
        if self.kept[id as usize] || self.awaited[id as usize] > 0 {
            return;
        }
        // Names of members say nothing.
        let is_telling = |name: &&u32| self.items.first[**name as usize] != NO_ITEM;
        let (head, body) = item.mentions.split_at(item.head_mentions);
        let says_nothing = item.names.is_empty() && !head.iter().any(|name| is_telling(&name));
        // What has neither a name nor a telling head is no reason to keep anything else. What a function returns selects nothing, nor do the parameters
        // of a template.
        let rest = if says_nothing { body } else { &[] };
        let is_selected = item.is_selected_by_head && !item.names.is_empty();
        let selecting = if is_selected { &head[..item.selecting_mentions] } else { head };
        let awaited = selecting.iter().chain(rest).filter(is_telling);
        let awaited: Vec<u32> =
            awaited.filter(|name| !self.reached[**name as usize]).copied().collect();
        self.awaited[id as usize] = awaited.len() as u32;
        awaited.iter().for_each(|&name| self.waiting[name as usize].push(id));
        if self.awaited[id as usize] == 0 {
            self.pending_items.push(id);
        }
    }

    /// The deletion of all items that are not kept.
    pub fn delete_others(&self, parsed: &ParsedText) -> Vec<Edit> {
        let mut edits = Vec::new();
        for (list, of_list) in self.items.lists.iter().zip(&self.items.of_list) {
            let parent = of_list.first().and_then(|&first| self.items.items[first as usize].parent);
            if parent.is_some_and(|parent| !self.kept[parent as usize]) {
                continue;
            }
            let mut from = 0;
            while from < of_list.len() {
                let is_kept = |&at: &usize| self.kept[of_list[at] as usize];
                let to = (from..of_list.len()).find(is_kept).unwrap_or(of_list.len());
                if from < to {
                    edits.extend(list.delete(parsed, (from as u32, to as u32)));
                }
                from = to + 1;
            }
        }
        if self.is_lean {
            let shortest = parsed.language.body.unwrap_or_default();
            let kept = (0..self.kept.len() as u32).filter(|&item| self.kept[item as usize]);
            let emptied = kept.filter(|&item| self.is_emptied(item));
            let bodies = emptied.filter_map(|item| self.items.items[item as usize].body.clone());
            edits.extend(bodies.map(|body| Edit::replace(body, shortest)));
        }
        edits
    }
}
