//! Passes over a fixed list of edits: all at once, then halves.

use crate::{Draft, Edit, Halving, Pass, References};
use std::collections::BTreeMap;
use std::rc::Rc;
use wynot_subjects::NodeId;

/// Makes a pass over a list out of a way to find the list.
macro_rules! listing {
    ($(#[$doc:meta])* $name:ident, $shown:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name(Listing);

        impl Pass for $name {
            const NAME: &'static str = $shown;

            fn propose(&mut self, draft: &Draft) -> Option<Vec<Edit>> {
                self.0.propose(draft)
            }

            fn accept(&mut self, _: &Draft) {
                self.0.halving.accept();
            }
        }
    };
}

/// A list of edits and what is left to try of it.
#[derive(Clone, Debug)]
struct Listing {
    edits: Rc<Vec<Edit>>,
    halving: Halving,
}

impl Listing {
    fn new(edits: Vec<Edit>) -> Self {
        let halving = Halving::new(edits.len());
        Self { edits: Rc::new(edits), halving }
    }

    /// All of it or nothing.
    fn at_once(edits: Vec<Edit>) -> Self {
        Self { halving: Halving::unsplit(edits.len()), edits: Rc::new(edits) }
    }

    fn propose(&mut self, draft: &Draft) -> Option<Vec<Edit>> {
        let edits = &self.edits;
        let weight = |index: u32| {
            let edit = &edits[index as usize];
            if draft.edits.covers(&edit.span) { 0 } else { draft.edits.left_of(&edit.span) }
        };
        let (from, to) = self.halving.next(weight)?;
        Some(self.edits[from as usize..to as usize].to_vec())
    }
}

listing! {
    /// Comments go.
    Comments, "comments"
}

impl Comments {
    pub fn new(draft: &Draft) -> Self {
        let comments = nodes(draft).filter(|&id| draft.tree.kind(id).contains("comment"));
        Self(Listing::new(comments.map(|id| Edit::delete(draft.span(id))).collect()))
    }
}

listing! {
    /// Bodies of functions become the shortest body there is, those of one depth at a time.
    Bodies, "bodies"
}

impl Bodies {
    /// One pass for each depth of nesting, outermost first.
    pub fn by_depth(draft: &Draft) -> Vec<Self> {
        let Some(shortest) = draft.language.body else { return Vec::new() };
        let tree = &draft.tree;
        let mut by_depth: BTreeMap<usize, Vec<Edit>> = BTreeMap::new();
        let mut around: Vec<u32> = Vec::new();
        for id in nodes(draft) {
            while around.last().is_some_and(|&after| after <= id) {
                around.pop();
            }
            let parent = tree.kind(tree.node(id).parent);
            let owner = ["function", "method", "lambda", "closure", "constructor", "func_literal"];
            let is_body =
                tree.field(id) == "body" && owner.iter().any(|kind| parent.contains(kind));
            if is_body {
                if draft.size(id) > shortest.len() {
                    let edit = Edit::replace(draft.span(id), shortest);
                    by_depth.entry(around.len()).or_default().push(edit);
                }
                around.push(tree.node(id).after);
            }
        }
        by_depth.into_values().map(|edits| Self(Listing::new(edits))).collect()
    }
}

listing! {
    /// Arguments that can be trivial everywhere are, or nowhere.
    Trivial, "trivial"
}

impl Trivial {
    pub fn new(draft: &Draft) -> Self {
        let Some((form, trivial)) = draft.language.trivial else {
            return Self(Listing::new(Vec::new()));
        };
        let argument = |list: NodeId| {
            let mut children =
                draft.tree.children(list).filter(|&child| draft.tree.is_named(child));
            let head = children.next().filter(|&head| draft.text_of(head) == form.as_bytes());
            head.and_then(|_| children.next())
        };
        let edit = |id: NodeId| Edit::replace(draft.span(id), trivial);
        Self(Listing::at_once(nodes(draft).filter_map(argument).map(edit).collect()))
    }
}

listing! {
    /// What nobody names goes.
    Orphans, "orphans"
}

impl Orphans {
    /// What nobody names; functions whose body is needed only if wanted.
    pub fn new(draft: &Draft, even_with_body: bool) -> Self {
        Self(Listing::new(References::of(draft).unused(draft, even_with_body)))
    }
}

listing! {
    /// Blanks and line ends shrink to what keeps words apart.
    Blanks, "blanks"
}

impl Blanks {
    pub fn new(draft: &Draft) -> Self {
        let text = &draft.text;
        let mut edits = Vec::new();
        let mut at = 0;
        while at < text.len() {
            if !text[at].is_ascii_whitespace() {
                at += 1;
                continue;
            }
            let start = at;
            while at < text.len() && text[at].is_ascii_whitespace() {
                at += 1;
            }
            let kept = kept_blank(draft, start, at);
            if kept.len() < at - start {
                edits.push(Edit::replace(start as u32..at as u32, kept));
            }
        }
        Self(Listing::new(edits))
    }
}

/// What has to stay of a stretch of blanks.
fn kept_blank(draft: &Draft, start: usize, end: usize) -> Vec<u8> {
    let text = &draft.text;
    let blank = &text[start..end];
    let has_line_end = blank.contains(&b'\n');
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    let before = start.checked_sub(1).map(|at| &text[at]);
    let after = text.get(end);
    if start == 0 || end == text.len() {
        return Vec::new();
    }
    let line = text[..start].rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    let is_directive = line.trim_ascii_start().starts_with(b"#") || after == Some(&b'#');
    if has_line_end && is_directive {
        return vec![b'\n'];
    }
    if has_line_end && draft.language.is_layout_sensitive {
        // A line end, and one blank per block around what comes behind it.
        return std::iter::once(b'\n')
            .chain(std::iter::repeat_n(b' ', draft.language.body.map_or(0, |_| blocks(draft, end))))
            .collect();
    }
    match (before, after) {
        (Some(before), Some(after)) if is_word(before) && is_word(after) => vec![b' '],
        _ => Vec::new(),
    }
}

/// How many blocks are around a place.
fn blocks(draft: &Draft, at: usize) -> usize {
    let tree = &draft.tree;
    let at = at as u32;
    let mut count = 0;
    let mut next = Some(0);
    while let Some(id) = next {
        let node = tree.node(id);
        if tree.kind(id) == "block" && node.start <= at {
            count += 1;
        }
        next = tree.children(id).find(|&child| {
            let node = tree.node(child);
            node.start <= at && at < node.end
        });
    }
    count
}

fn nodes(draft: &Draft) -> impl Iterator<Item = NodeId> + use<> {
    0..draft.tree.nodes().len() as NodeId
}
