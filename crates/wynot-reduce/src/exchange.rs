//! In short texts, anything may stand for anything: an expression becomes a name that is used nearby, and
//! what a statement computes moves into a call next to it, or is returned. What nobody names after that
//! goes at once.

use crate::choices::{Choices, choosing};
use crate::references::References;
use crate::{Draft, Edit, Group, category};
use std::collections::{BTreeMap, BTreeSet};
use wynot_subjects::NodeId;

/// Below this many bytes, texts are short.
const SHORT: usize = 400;

/// How many names are tried in the place of an expression.
const CANDIDATES: usize = 6;

choosing! {
    /// Puts names in the place of expressions.
    Exchange, "exchange"
}

impl Exchange {
    pub fn new(draft: &Draft) -> Self {
        let tree = &draft.tree;
        if !is_short(draft) {
            return Self(Choices::new(Vec::new()));
        }
        let mut expressions: Vec<NodeId> =
            (1..tree.nodes().len() as NodeId).filter(|&id| is_value(draft, id)).collect();
        expressions.sort_by_key(|&id| (std::cmp::Reverse(draft.size(id)), id));
        let mut choices = Vec::new();
        for id in expressions {
            let near = names(draft, element(draft, id));
            let near = near.into_iter().filter(|&name| name != draft.text_of(id));
            for name in near.take(CANDIDATES) {
                choices.extend(tidied(draft, vec![Edit::replace(draft.span(id), name)]));
            }
        }
        Self(Choices::new(choices))
    }
}

choosing! {
    /// Moves what statements compute.
    Moving, "moving"
}

impl Moving {
    pub fn new(draft: &Draft) -> Self {
        let tree = &draft.tree;
        let blocks =
            (0..tree.nodes().len() as NodeId).filter(|&id| is_short(draft) && is_block(draft, id));
        let mut choices = Vec::new();
        for block in blocks {
            let Some(group) = Group::of(draft, block) else { continue };
            for (at, &statement) in group.nodes.iter().enumerate() {
                for value in values(draft, statement) {
                    let text = draft.text_of(value);
                    let others = group.nodes.iter().filter(|&&other| other != statement);
                    for arguments in others.flat_map(|&other| arguments(draft, other)) {
                        let mut edits = group.delete(draft, (at as u32, at as u32 + 1));
                        let list = draft.span(arguments);
                        let only = [b"(", text, b")"].concat();
                        edits.push(Edit::replace(list.clone(), only));
                        choices.extend(tidied(draft, edits.clone()));
                        if draft.text_of(arguments).len() > 2 {
                            edits.pop();
                            let more = [b",", text, b")"].concat();
                            edits.push(Edit::replace(list.end - 1..list.end, more));
                            choices.extend(tidied(draft, edits));
                        }
                    }
                    if !tree.kind(statement).starts_with("return") {
                        let before = draft.span(statement).start..draft.span(value).start;
                        choices.extend(tidied(draft, vec![Edit::replace(before, "return ")]));
                    }
                }
            }
        }
        Self(Choices::new(choices))
    }
}

fn is_short(draft: &Draft) -> bool {
    draft.text.len() < SHORT && draft.language.has_declarations && draft.language.body.is_some()
}

fn is_block(draft: &Draft, id: NodeId) -> bool {
    id == 0 || category::is_block(draft, id)
}

/// Whether a node is an expression, or a name that is used as one.
fn is_value(draft: &Draft, id: NodeId) -> bool {
    let tree = &draft.tree;
    let declares = ["declarator", "parameter", "definition"];
    let is_name = || {
        let parent = tree.kind(tree.node(id).parent);
        tree.kind(id) == "identifier"
            && !matches!(tree.field(id), "declarator" | "name" | "function" | "pattern")
            && !declares.iter().any(|kind| parent.contains(kind))
    };
    tree.is_named(id)
        && !draft.span(id).is_empty()
        && (category::is_expression(draft, id) || is_name())
}

/// The outermost thing around a node.
fn element(draft: &Draft, id: NodeId) -> NodeId {
    let parents = std::iter::successors(Some(id), |&id| Some(draft.tree.node(id).parent));
    let mut parents = parents.take_while(|&id| id != 0);
    parents.by_ref().last().unwrap_or(id)
}

/// The names of variables in a node: those that nowhere stand before a bracket, as functions do.
fn names(draft: &Draft, element: NodeId) -> BTreeSet<&[u8]> {
    let tree = &draft.tree;
    let names =
        |node: NodeId| tree.leaves(node).filter(|&leaf| tree.kind(leaf).contains("identifier"));
    let is_function = |leaf: &NodeId| {
        draft.text[tree.span(*leaf).end..].trim_ascii_start().first() == Some(&b'(')
    };
    let functions: BTreeSet<&[u8]> =
        names(0).filter(is_function).map(|leaf| draft.text_of(leaf)).collect();
    let variables = names(element).filter(|&leaf| tree.kind(leaf) == "identifier");
    variables
        .map(|leaf| draft.text_of(leaf))
        .filter(|name| !name.is_empty() && !functions.contains(name))
        .collect()
}

/// What a statement computes: what it assigns, or all of it.
fn values(draft: &Draft, statement: NodeId) -> Vec<NodeId> {
    let tree = &draft.tree;
    let mut found = Vec::new();
    let mut inner = statement;
    for _ in 0..3 {
        let assigned = ["right", "value", "default", "init"].iter();
        if let Some(value) = assigned.filter_map(|field| tree.child_by_field(inner, field)).next() {
            found.push(value);
        }
        let Some(next) = tree.children(inner).find(|&child| tree.is_named(child)) else { break };
        if category::is_expression(draft, next) {
            found.push(next);
        }
        inner = next;
    }
    found.truncate(2);
    found
}

/// The lists of arguments in a statement.
fn arguments(draft: &Draft, statement: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    let tree = &draft.tree;
    (statement..tree.node(statement).after)
        .filter(|&id| tree.field(id) == "arguments" && draft.text_of(id).first() == Some(&b'('))
}

/// Edits, and with them what nobody names any more; nothing if the text does not get shorter.
fn tidied(draft: &Draft, mut edits: Vec<Edit>) -> Option<Vec<Edit>> {
    edits.sort_by_key(|edit| edit.span.start);
    let after = Draft::new(draft.with(&edits).text(), draft.language);
    let mut unused = References::of(&after).newly_unused(&after, &References::of(draft), draft);
    unused.extend(alone(draft, &after));
    if !unused.is_empty() {
        let text = after.with(&unused).text();
        edits = vec![Edit::replace(0..draft.text.len() as u32, text)];
    }
    (draft.with(&edits).len() < draft.text.len()).then_some(edits)
}

/// Takes parameters out that were used before, but not after some edits.
fn alone(before: &Draft, after: &Draft) -> Vec<Edit> {
    let places = |draft: &Draft| -> BTreeMap<Vec<u8>, Vec<NodeId>> {
        let mut places: BTreeMap<Vec<u8>, Vec<NodeId>> = BTreeMap::new();
        let leaves = draft.tree.leaves(0).filter(|&leaf| draft.tree.kind(leaf) == "identifier");
        leaves.for_each(|leaf| places.entry(draft.text_of(leaf).to_vec()).or_default().push(leaf));
        places
    };
    let earlier = places(before);
    let mut edits = Vec::new();
    for (name, now) in places(after) {
        let was = earlier.get(&name).map_or(0, Vec::len);
        let [leaf] = now.as_slice() else { continue };
        if was > 1 {
            edits.extend(parameter(after, *leaf));
        }
    }
    edits
}

/// Takes the parameter out that a leaf belongs to.
fn parameter(draft: &Draft, leaf: NodeId) -> Option<Edit> {
    let tree = &draft.tree;
    let mut inner = leaf;
    while inner != 0 && !category::is_block(draft, inner) {
        let list = tree.node(inner).parent;
        if tree.kind(list).contains("parameters") || tree.kind(list) == "parameter_list" {
            let group = Group::of(draft, list)?;
            let at = group.nodes.iter().position(|&element| element == inner)? as u32;
            return group.delete(draft, (at, at + 1)).pop();
        }
        inner = list;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Alone, Pass, Remember, reduce};
    use wynot_core::Outcome;
    use wynot_subjects::Language;

    fn tried(language: &str, text: &str) -> Vec<String> {
        let draft = Draft::new(text.as_bytes().to_vec(), Language::named(language).unwrap());
        let (mut moving, mut exchange) = (Moving::new(&draft), Exchange::new(&draft));
        let moved = std::iter::from_fn(|| moving.propose(&draft));
        let exchanged = std::iter::from_fn(|| exchange.propose(&draft));
        let all = moved.chain(exchanged);
        all.map(|edits| String::from_utf8(draft.with(&edits).text()).unwrap()).collect()
    }

    #[test]
    fn a_path_becomes_a_name() {
        let tried = tried("c", "g(o){struct{int t}*p;f(p->t*o);}");
        assert!(tried.contains(&"g(o){f(o*o);}".to_owned()), "{tried:?}");
    }

    #[test]
    fn a_variable_that_gives_way_goes_with_its_declaration() {
        let variable = tried("c", "int c;int g(int o){f(c*o);}");
        assert!(variable.contains(&"int g(int o){f(o*o);}".to_owned()), "{variable:?}");
        let parameter = tried("rust", "fn g(x: u8, y: u8) { f(x * y); }");
        assert!(parameter.contains(&"fn g(x: u8) { f(x * x); }".to_owned()), "{parameter:?}");
    }

    #[test]
    fn what_is_assigned_becomes_an_argument_or_is_returned() {
        let tried = tried("c", "int g(int o){f(1);struct{int t}*p;p->t=o*2;}");
        for wanted in
            ["int g(int o){f(o*2);}", "int g(int o){f(1,o*2);}", "int g(int o){f(1);return o*2;}"]
        {
            assert!(tried.contains(&wanted.to_owned()), "{tried:?}");
        }
    }

    #[test]
    fn every_proposal_is_shorter() {
        let text = "def g(a, b):\n    f(a)\n    c = a + b\n    return c\n";
        let tried = tried("python", text);
        assert!(
            tried.contains(&"def g(a, b):\n    f(a + b)\n    return c\n".to_owned()),
            "{tried:?}"
        );
        assert!(tried.iter().all(|tried| tried.len() < text.len()), "{tried:?}");
    }

    #[test]
    fn what_a_compiler_sees_through_is_not_left() {
        let text = "int a(int s,int h){return h+s;}\n\
                    int g(int o){struct{int t,f;}*p;m();p->f=a(o,p->t);}\n";
        let language = Language::named("c").unwrap();
        // Some function calls m and adds, by itself or by calling a.
        let mut oracle = Remember::new(|text: &[u8]| {
            let tree = language.parse(text);
            let ids = 0..tree.nodes().len() as NodeId;
            let functions = ids.filter(|&id| tree.kind(id) == "function_definition");
            let functions: Vec<&[u8]> = functions.map(|id| &text[tree.span(id)]).collect();
            let has = |text: &[u8], part: &[u8]| text.windows(part.len()).any(|here| here == part);
            let adds = functions
                .iter()
                .any(|function| function.starts_with(b"int a(") && has(function, b"+"));
            let found = functions.iter().any(|function| {
                has(function, b"m(") && (has(function, b"+") || adds && has(function, b"=a("))
            });
            Outcome::fails_if(tree.errors == 0 && found)
        });
        let small = reduce(text.as_bytes(), language, &Alone, &mut oracle).unwrap();
        let small = String::from_utf8(small.text).unwrap();
        assert!(small.len() <= "g(o){m(o+o);}".len(), "{small}");
    }

    #[test]
    fn half_a_text_does_no_harm() {
        let text = "int g(int o){f(1,a[2]);struct{int t}*p;p->t=o*2;return (o);}\n\
                    def g(a, b):\n    f(a)\n    c = a + b\n    return c\n";
        for language in wynot_subjects::LANGUAGES {
            for at in (0..text.len()).step_by(17) {
                tried(language.name, &text[..at]);
                tried(language.name, &text[at..]);
            }
        }
    }
}
