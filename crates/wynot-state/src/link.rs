//! A link of the chain from the input to the failure.

use crate::alignment::Site;
use crate::delta::{Change, Delta, Differences, Value};
use crate::graph::{Found, Graph, ObjectId, Scope};
use crate::layout::{Content, Leaf};
use crate::memory::Memory;
use crate::naming;

/// What decides in some place.
#[derive(Clone, Debug)]
pub struct Link {
    /// Where.
    pub site: Site,
    /// The functions that have been called, innermost first.
    pub backtrace: Vec<String>,
    /// What decides.
    pub findings: Vec<Finding>,
    /// How many other differences have to be there, too.
    pub context: usize,
    /// How many differences there were.
    pub deltas: usize,
    /// How large the states were, passing and failing.
    pub vertices: (u64, u64),
    /// How many experiments were made.
    pub tests: u64,
    /// Whether runs from the beginning have shown the same.
    pub verified: bool,
    /// Variables that could not be captured.
    pub missing: Vec<String>,
    /// Why experiments had to start from the beginning.
    pub obstacle: Option<String>,
    /// Commands for GDB that make the passing run fail, once it is stopped there.
    pub commands: Vec<String>,
}

/// Something that is different, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// As a programmer would write it.
    pub expression: String,
    /// Where the variable lives that it is found from.
    pub scope: Scope,
    /// Its value in the passing run.
    pub passing: String,
    /// Its value in the failing run.
    pub failing: String,
    /// Further changes that belong to it.
    pub more: usize,
    /// Where it lies in the passing run: names of one thing may change, this does not.
    pub address: u64,
    /// The function and the variable, if it is part of a local one: others will lie there later.
    pub owner: Option<(String, String)>,
    /// The objects on the way to it, from the variable on: what each is called, and what it holds.
    pub way: Vec<(String, String)>,
}

impl Link {
    /// Whether the same thing decides as in another place.
    pub fn is_same_cause(&self, other: &Self) -> bool {
        let cause = |link: &Self| {
            let parts = link.findings.iter();
            let whole =
                |found: &Finding| (found.address, found.owner.clone(), found.failing.clone());
            parts.map(whole).collect::<Vec<_>>()
        };
        cause(self) == cause(other)
    }
}

/// The part of an object that begins where another one's does: texts may have other lengths.
fn own_leaf<M: Memory>(graph: &Graph<'_, M>, id: ObjectId, like: &Leaf) -> Leaf {
    let mut found = *like;
    graph.leaves(id, &mut |leaf| {
        if leaf.offset == like.offset && leaf.content == like.content {
            found = leaf;
        }
    });
    found
}

/// How many objects of a way are told besides the variable: the last ones.
const LONGEST_WAY: usize = 8;

/// The objects from a variable to one that was found from it.
fn way<M: Memory>(graph: &Graph<'_, M>, mut id: ObjectId) -> Vec<(String, String)> {
    let mut way = Vec::new();
    loop {
        let found = graph.object(id).found;
        if way.len() < LONGEST_WAY || matches!(found, Found::Variable(_)) {
            way.push((naming::whole(graph, id), naming::summary(graph, id)));
        }
        match found {
            Found::Variable(_) => break,
            Found::Pointer { object, .. } => id = object,
        }
    }
    way.reverse();
    way
}

fn owner<M: Memory>(graph: &Graph<'_, M>, id: ObjectId) -> Option<(String, String)> {
    let Found::Variable(index) = graph.object(id).found else { return None };
    let root = &graph.roots[index as usize];
    match &root.scope {
        Scope::Frame { function, .. } => Some((function.clone(), root.name.clone())),
        Scope::Global => None,
    }
}

/// The text that a part is or leads to.
fn raw_text<'a, M: Memory>(graph: &Graph<'a, M>, id: ObjectId, leaf: &Leaf) -> Option<&'a [u8]> {
    if leaf.content == Content::Text {
        return Some(graph.bytes(id, leaf));
    }
    let spot = graph.target(id, leaf)?;
    graph.object(spot.object).text.map(|_| graph.content(spot.object))
}

/// How much is told of a text on either side of a byte.
const AROUND: usize = 20;

/// What lies around a byte of a text.
fn excerpt(text: &[u8], byte: usize) -> String {
    let (from, to) = (byte.saturating_sub(AROUND), text.len().min(byte + AROUND));
    let before = if from > 0 { "..." } else { "" };
    let after = if to < text.len() { "..." } else { "" };
    format!("{before}\"{}\"{after}", text[from.min(to)..to].escape_ascii())
}

impl Finding {
    /// Says what a delta is.
    pub fn of<M: Memory>(differences: &Differences<'_, '_, M>, delta: &Delta) -> Self {
        let (here, there) = (differences.passing, differences.failing);
        let Change { at, leaf, from, value } = &delta.changes[0];
        let variable = naming::variable(here, at.object);
        let failing = match value {
            Value::Existing(spot) => naming::destination(here, *spot),
            Value::Created(spot) if there.object(spot.object).text.is_some() => {
                naming::summary(there, spot.object)
            }
            Value::Created(spot) => format!("a new {}", naming::summary(there, spot.object)),
            Value::Bytes(_) | Value::Bits(..) => naming::value(there, *from, leaf),
        };
        let own = own_leaf(here, at.object, leaf);
        let mut values = (naming::value(here, at.object, &own), failing);
        if values.0 == values.1 {
            // Long texts differ behind what is told of them.
            let texts = (raw_text(here, at.object, &own), raw_text(there, *from, leaf));
            if let (Some(old), Some(new)) = texts {
                let first = old.iter().zip(new).take_while(|(old, new)| old == new).count();
                values = (excerpt(old, first), excerpt(new, first));
            }
        }
        let (passing, failing) = values;
        Self {
            expression: naming::expression(here, at.object, leaf),
            scope: here.roots[variable as usize].scope.clone(),
            passing,
            failing,
            more: delta.changes.len() - 1,
            address: differences.address(*at),
            owner: owner(here, at.object),
            way: way(here, at.object),
        }
    }
}
