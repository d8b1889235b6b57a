//! Import cycles between the files of a crate.

use super::modules::{Crate, Mention};
use std::collections::{BTreeMap, BTreeSet};

/// Each cycle as a few lines: its files, and the places that import the other ones.
pub fn cycles(of: &Crate) -> Vec<String> {
    let edges = edges(of);
    let reached: Vec<BTreeSet<usize>> =
        (0..of.files.len()).map(|from| reach(&edges, from)).collect();
    let mut done = BTreeSet::new();
    let mut reports = Vec::new();
    for first in 0..of.files.len() {
        if done.contains(&first) || !reached[first].contains(&first) {
            continue;
        }
        let mutual = |other: &usize| reached[*other].contains(&first);
        let cycle: BTreeSet<usize> = reached[first].iter().copied().filter(mutual).collect();
        done.extend(cycle.iter().copied());
        reports.push(describe(of, &edges, &cycle));
    }
    reports
}

/// For each pair of files, the first place where one names the other. A file may use those below it.
fn edges(of: &Crate) -> BTreeMap<(usize, usize), Mention> {
    let mut edges = BTreeMap::new();
    for from in 0..of.files.len() {
        for mention in of.mentions(from) {
            if !of.files[mention.to].module.starts_with(&of.files[from].module) {
                edges.entry((from, mention.to)).or_insert(mention);
            }
        }
    }
    edges
}

/// The files that one needs, directly or by others.
fn reach(edges: &BTreeMap<(usize, usize), Mention>, from: usize) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut pending = vec![from];
    while let Some(next) = pending.pop() {
        for (_, to) in edges.range((next, 0)..=(next, usize::MAX)).map(|(pair, _)| *pair) {
            if reached.insert(to) {
                pending.push(to);
            }
        }
    }
    reached
}

fn describe(
    of: &Crate,
    edges: &BTreeMap<(usize, usize), Mention>,
    cycle: &BTreeSet<usize>,
) -> String {
    let mut text = format!("{} files import each other:", cycle.len());
    for ((from, to), mention) in edges {
        if cycle.contains(from) && cycle.contains(to) {
            let (from, to) = (&of.files[*from].path, &of.files[*to].path);
            text += &format!("\n  {from}:{} uses {to} ({})", mention.line, mention.path);
        }
    }
    text
}
