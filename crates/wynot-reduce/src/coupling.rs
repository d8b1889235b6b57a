//! What has to go together: the same place in several lists, or all uses of one name.

use crate::choices::{Choices, choosing};
use crate::{Draft, Edit, Group};
use std::collections::BTreeMap;
use wynot_subjects::{Language, NodeId};

choosing! {
    /// The i-th element of every bracketed list that the same name stands before: a column with its
    /// values, a parameter with its arguments.
    Positions, "positions"
}

/// How many words before a bracket may own it.
const OWNERS: usize = 4;

impl Positions {
    pub fn new(draft: &Draft) -> Self {
        // By brackets alone: grammars see many kinds of lists where a reader sees one.
        let brackets = Draft {
            tree: Language::parse_brackets(&draft.text),
            language: Language::named("text").unwrap_or(draft.language),
            ..draft.clone()
        };
        let tree = &brackets.tree;
        let mut lists: BTreeMap<Vec<u8>, Vec<Group>> = BTreeMap::new();
        for id in 0..tree.nodes().len() as NodeId {
            if tree.kind(id) != "group" {
                continue;
            }
            let Some(group) = Group::of(&brackets, id) else { continue };
            let item = tree.node(id).parent;
            let before = |item: NodeId| -> Vec<NodeId> {
                let before = tree.children(item).take_while(|&child| child < id);
                before.filter(|&child| tree.kind(child) == "word").collect()
            };
            let mut words = before(item);
            if words.is_empty() {
                // A further row belongs to whom the row before belongs to.
                let rows = tree.children(tree.node(item).parent).take_while(|&row| row < item);
                words =
                    rows.map(before).filter(|words| !words.is_empty()).last().unwrap_or_default();
            }
            for &word in words.iter().rev().take(OWNERS) {
                lists.entry(brackets.text_of(word).to_vec()).or_default().push(group.clone());
            }
        }
        let mut choices = Vec::new();
        for groups in lists.values().filter(|groups| groups.len() > 1) {
            let longest = groups.iter().map(Group::len).max().unwrap_or_default() as u32;
            for element in (0..longest).rev() {
                let there = groups.iter().filter(|group| (element as usize) < group.len());
                choices.push(
                    there.flat_map(|g| g.delete(&brackets, (element, element + 1))).collect(),
                );
            }
            // A method has one parameter more than arguments: what it is called on.
            if groups.iter().any(|group| group.len() as u32 != longest) {
                for element in 1..=longest {
                    let there = groups.iter().filter_map(|group| {
                        let at = (group.len() as u32).checked_sub(element)?;
                        Some(group.delete(&brackets, (at, at + 1)))
                    });
                    choices.push(there.flatten().collect());
                }
            }
        }
        Self(Choices::new(choices))
    }
}

choosing! {
    /// All uses of a name, each with the smallest element of a list around it.
    Everywhere, "everywhere"
}

impl Everywhere {
    pub fn new(draft: &Draft) -> Self {
        let tree = &draft.tree;
        let mut smallest: Vec<Option<Edit>> = vec![None; tree.nodes().len()];
        for id in 0..tree.nodes().len() as NodeId {
            if let Some(group) = Group::of(draft, id) {
                for (index, &node) in group.nodes.iter().enumerate() {
                    let alone = group.len() == 1 && id > 0 && tree.is_named(id);
                    let edit = match alone && is_bracketed(draft, id) {
                        // A list without its only element goes with its brackets.
                        true => Some(draft.cut(draft.span(id))),
                        false => group.delete(draft, (index as u32, index as u32 + 1)).pop(),
                    };
                    smallest[node as usize] = edit;
                }
            }
            if smallest[id as usize].is_none() {
                smallest[id as usize] = smallest[tree.node(id).parent as usize].clone();
            }
        }
        let mut by_name: BTreeMap<&[u8], Vec<Edit>> = BTreeMap::new();
        for id in (0..tree.nodes().len() as NodeId).filter(|&id| tree.is_leaf(id)) {
            let is_name = draft.text_of(id).first().is_some_and(u8::is_ascii_alphabetic);
            if let (true, true, Some(edit)) = (tree.is_named(id), is_name, &smallest[id as usize]) {
                by_name.entry(draft.text_of(id)).or_default().push(edit.clone());
            }
        }
        let several = by_name.into_values().filter(|edits| edits.len() > 1);
        Self(Choices::new(several.map(disjoint).collect()))
    }
}

/// Whether a node is something in angle, round or square brackets that can go as a whole.
fn is_bracketed(draft: &Draft, id: NodeId) -> bool {
    let text = draft.text_of(id);
    matches!((text.first(), text.last()), (Some(b'<'), Some(b'>')) | (Some(b'['), Some(b']')))
}

/// Edits in order, without those inside others.
fn disjoint(mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(|edit| (edit.span.start, std::cmp::Reverse(edit.span.end)));
    edits.dedup_by(|b, a| b.span.end <= a.span.end);
    edits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pass;

    fn proposals(mut pass: impl Pass, draft: &Draft) -> Vec<String> {
        let proposed = std::iter::from_fn(|| pass.propose(draft));
        proposed.map(|edits| String::from_utf8(draft.with(&edits).text()).unwrap()).collect()
    }

    fn draft(language: &str, text: &str) -> Draft {
        Draft::new(text.as_bytes().to_vec(), Language::named(language).unwrap())
    }

    #[test]
    fn a_column_goes_with_its_values() {
        let draft = draft("sql", "CREATE TABLE t(a,b);INSERT INTO t VALUES(1,2);");
        let tried = proposals(Positions::new(&draft), &draft);
        assert!(
            tried.contains(&"CREATE TABLE t(a);INSERT INTO t VALUES(1);".to_owned()),
            "{tried:?}"
        );
        assert!(
            tried.contains(&"CREATE TABLE t(b);INSERT INTO t VALUES(2);".to_owned()),
            "{tried:?}"
        );
    }

    #[test]
    fn further_rows_belong_to_the_first() {
        let draft = draft("sql", "CREATE TABLE t(a,\nb);INSERT INTO t VALUES(1,2),(3,4)");
        let tried = proposals(Positions::new(&draft), &draft);
        let wanted = "CREATE TABLE t(\nb);INSERT INTO t VALUES(2),(4)".to_owned();
        assert!(tried.contains(&wanted), "{tried:?}");
    }

    #[test]
    fn a_parameter_of_a_method_goes_with_its_arguments() {
        let draft = draft("rust", "fn g(self){self.f(0);}fn f(&mut self,a:u8){}");
        let tried = proposals(Positions::new(&draft), &draft);
        assert!(tried.contains(&"fn g(self){self.f();}fn f(&mut self){}".to_owned()), "{tried:?}");
    }

    #[test]
    fn a_type_parameter_goes_with_all_its_uses() {
        let draft = draft("rust", "struct S<A>{e:A}impl<A>S<A>{fn f(){}}");
        let tried = proposals(Everywhere::new(&draft), &draft);
        assert!(tried.contains(&"struct S{}impl S{fn f(){}}".to_owned()), "{tried:?}");
    }
}
