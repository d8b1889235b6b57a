//! Sections of a text of unknown syntax: a line, the deeper lines below it, and the line that closes it.
//!
//! Many languages without a grammar here mark blocks by words, `begin` and `end`, `function` and `end`, `if` and `fi`. Which words
//! these are differs, but nearly all sources are indented. A line closes a section if its first word mostly stands after deeper
//! lines: `end`, `else`, `endmodule`. What is read wrongly costs a test.

use crate::syntax::tree::{NodeId, SyntaxTree, TreeBuilder};
use std::collections::HashMap;

/// The number of nested sections, above which deeper ones are not nodes of their own.
const MAX_DEPTH: usize = 100;

/// A word closes sections if at least this share of the lines that begin with it follow deeper lines.
const MIN_CLOSING_PERCENT: usize = 80;

/// The items of one line, or of several lines without a line end between items.
#[derive(Clone, Debug)]
struct Row<'t> {
    first: NodeId,
    last: NodeId,
    indentation: usize,
    word: &'t [u8],
}

/// A node that is to begin before an item and to end after another one.
#[derive(Clone, Copy, Debug)]
struct Insertion {
    kind: &'static str,
    first: NodeId,
    last: NodeId,
}

/// A tree of brackets and items with nodes for the sections that lines form.
pub(super) fn with_sections(text: &[u8], tree: &SyntaxTree) -> SyntaxTree {
    let lists: Vec<Vec<Row<'_>>> = (0..tree.nodes().len() as NodeId)
        .filter(|&id| matches!(tree.kind(id), "text" | "group"))
        .map(|parent| rows(text, tree, parent))
        .filter(|rows| rows.len() > 1)
        .collect();
    let closing = closing_words(&lists);
    let mut insertions = Vec::new();
    for rows in &lists {
        add_sections(rows, &|word| closing.get(word).copied().unwrap_or_default(), &mut insertions);
    }
    match insertions.is_empty() {
        true => tree.clone(),
        false => insert(tree, &insertions),
    }
}

/// The lines directly below a node. Blank ones belong to the line before them.
fn rows<'t>(text: &'t [u8], tree: &SyntaxTree, parent: NodeId) -> Vec<Row<'t>> {
    let mut rows: Vec<Row<'t>> = Vec::new();
    for item in tree.children(parent).filter(|&id| tree.kind(id) == "item") {
        let span = tree.span(item);
        let bytes = &text[span.clone()];
        let blanks = bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let begins_line = span.start == 0 || text[span.start - 1] == b'\n';
        match rows.last_mut() {
            Some(row) if !begins_line || blanks == bytes.len() => row.last = item,
            _ if begins_line && blanks < bytes.len() => {
                let word = first_word(&bytes[blanks..]);
                rows.push(Row { first: item, last: item, indentation: blanks, word });
            }
            _ => {}
        }
    }
    rows
}

/// The letters at the start of a line, or its first byte.
fn first_word(line: &[u8]) -> &[u8] {
    let is_letter = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    &line[..line.iter().take_while(is_letter).count().max(1)]
}

/// For each first word of a line, whether it closes sections.
fn closing_words<'t>(lists: &[Vec<Row<'t>>]) -> HashMap<&'t [u8], bool> {
    let mut counts: HashMap<&[u8], (usize, usize)> = HashMap::new();
    for rows in lists {
        for (at, row) in rows.iter().enumerate() {
            let follows_deeper = at > 0 && rows[at - 1].indentation > row.indentation;
            let (all, deeper) = counts.entry(row.word).or_default();
            *all += 1;
            *deeper += usize::from(follows_deeper);
        }
    }
    let closes = |word: &[u8], (all, deeper): (usize, usize)| {
        let is_seen_often = all > 1 || word.to_ascii_lowercase().starts_with(b"end");
        is_seen_often && deeper * 100 >= all * MIN_CLOSING_PERCENT
    };
    counts.into_iter().map(|(word, counts)| (word, closes(word, counts))).collect()
}

/// Finds the sections among some lines, outer ones before those in them.
fn add_sections(
    rows: &[Row<'_>],
    is_closing: &dyn Fn(&[u8]) -> bool,
    insertions: &mut Vec<Insertion>,
) {
    let mut waiting = vec![(0..rows.len(), 0)];
    while let Some((range, depth)) = waiting.pop() {
        let deeper_from = |from: usize, than: usize| {
            (from..range.end).find(|&at| rows[at].indentation <= than).unwrap_or(range.end)
        };
        let mut at = range.start;
        while at < range.end {
            let indentation = rows[at].indentation;
            let start = at;
            let mut bodies = Vec::new();
            at += 1;
            loop {
                let end = deeper_from(at, indentation);
                if end > at {
                    bodies.push(at..end);
                }
                at = end;
                let goes_on = !bodies.is_empty()
                    && at < range.end
                    && rows[at].indentation == indentation
                    && is_closing(rows[at].word);
                if !goes_on {
                    break;
                }
                at += 1;
            }
            if bodies.is_empty() || depth == MAX_DEPTH {
                continue;
            }
            let mut add = |kind, from: usize, to: usize| {
                insertions.push(Insertion { kind, first: rows[from].first, last: rows[to].last });
            };
            add("section", start, at - 1);
            for body in bodies {
                add("lines", body.start, body.end - 1);
                waiting.push((body, depth + 1));
            }
        }
    }
}

/// The tree with additional nodes. Of those that begin at the same item, outer ones come first.
fn insert(tree: &SyntaxTree, insertions: &[Insertion]) -> SyntaxTree {
    let count = tree.nodes().len();
    let mut opened: Vec<Vec<&'static str>> = vec![Vec::new(); count];
    let mut closed = vec![0usize; count];
    for insertion in insertions {
        opened[insertion.first as usize].push(insertion.kind);
        closed[insertion.last as usize] += 1;
    }
    let mut builder = TreeBuilder::new();
    let mut ends: Vec<NodeId> = Vec::new();
    let close = |builder: &mut TreeBuilder, id: NodeId| {
        builder.close();
        for _ in 0..closed[id as usize] {
            builder.close_at(tree.span(id).end);
        }
    };
    for id in 0..count as NodeId {
        while let Some(&last) = ends.last().filter(|&&last| tree.node(last).after <= id) {
            ends.pop();
            close(&mut builder, last);
        }
        let span = tree.span(id);
        for kind in &opened[id as usize] {
            builder.open(kind, "", true, span.clone());
        }
        builder.open(tree.kind(id), tree.field(id), tree.is_named(id), span);
        ends.push(id);
    }
    while let Some(last) = ends.pop() {
        close(&mut builder, last);
    }
    builder.finish()
}
