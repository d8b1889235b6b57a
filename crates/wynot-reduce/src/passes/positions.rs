//! Deletes the element at the same position of several lists: a column with its values, a parameter with its
//! arguments.

use crate::pass::one_by_one::OneByOne;
use crate::text::edit::Edit;
use crate::text::list::List;
use crate::text::parsed_text::ParsedText;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use wynot_subjects::NodeId;

/// The number of words before a bracket that may own the list in it.
const MAX_OWNERS: usize = 4;

/// Deletes the i-th element of every bracketed list that follows the same word.
pub fn positions(parsed: &ParsedText) -> OneByOne {
    // By brackets alone: grammars see many kinds of lists where a reader sees one.
    let brackets = parsed.by_brackets();
    let mut proposals = Vec::new();
    for mut lists in lists_by_owner(&brackets).into_values().filter(|lists| lists.len() > 1) {
        // The longest first, so that no proposal looks at lists that are too short for it.
        lists.sort_by_key(|list| Reverse(list.len()));
        let longest = lists[0].len();
        let mut propose = |element: usize, from_end: bool| {
            let long_enough = lists.iter().take_while(|list| element < list.len());
            let mut deletions: Vec<Edit> = Vec::new();
            for list in long_enough {
                let at = if from_end { list.len() - 1 - element } else { element } as u32;
                deletions.extend(list.delete(&brackets, (at, at + 1)));
            }
            deletions.sort_by_key(|edit| edit.span.start);
            proposals.push(deletions);
        };
        (0..longest).rev().for_each(|element| propose(element, false));
        // A method has one parameter more than arguments, so positions are counted from the end as well.
        if lists.iter().any(|list| list.len() != longest) {
            (0..longest).for_each(|element| propose(element, true));
        }
    }
    OneByOne::new("positions", proposals)
}

/// The bracketed lists of a text, by the words before them.
fn lists_by_owner(brackets: &ParsedText) -> BTreeMap<Vec<u8>, Vec<List>> {
    let mut by_owner: BTreeMap<Vec<u8>, Vec<List>> = BTreeMap::new();
    for (group, owners) in owners_of_groups(brackets) {
        let Some(list) = List::of(brackets, group) else { continue };
        for &word in owners.iter().rev() {
            by_owner.entry(brackets.text_of(word).to_vec()).or_default().push(list.clone());
        }
    }
    by_owner
}

/// The groups of a text, each with the last words before it in its item. A further row has the words of the row before.
fn owners_of_groups(brackets: &ParsedText) -> BTreeMap<NodeId, Vec<NodeId>> {
    let tree = &brackets.tree;
    let mut owners = BTreeMap::new();
    // For each parent of items, the last words of the last item that has any.
    let mut earlier_words: HashMap<NodeId, Vec<NodeId>> = HashMap::new();
    for item in brackets.node_ids().filter(|&id| tree.kind(id) == "item") {
        let mut words: Vec<NodeId> = Vec::new();
        let earlier = earlier_words.entry(tree.node(item).parent).or_default();
        for child in tree.children(item) {
            match tree.kind(child) {
                "word" => words.push(child),
                "group" if words.is_empty() => _ = owners.insert(child, earlier.clone()),
                "group" => _ = owners.insert(child, words.clone()),
                _ => {}
            }
            if words.len() > MAX_OWNERS {
                words.remove(0);
            }
        }
        if !words.is_empty() {
            *earlier = words;
        }
    }
    owners
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::{parse, proposals};

    #[test]
    fn a_column_goes_with_its_values() {
        let parsed = parse("sql", "CREATE TABLE t(a,b);INSERT INTO t VALUES(1,2);");
        let tried = proposals(positions(&parsed), &parsed);
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
        let parsed = parse("sql", "CREATE TABLE t(a,\nb);INSERT INTO t VALUES(1,2),(3,4)");
        let tried = proposals(positions(&parsed), &parsed);
        let wanted = "CREATE TABLE t(\nb);INSERT INTO t VALUES(2),(4)".to_owned();
        assert!(tried.contains(&wanted), "{tried:?}");
    }

    #[test]
    fn a_parameter_of_a_method_goes_with_its_arguments() {
        let parsed = parse("rust", "fn g(self){self.f(0);}fn f(&mut self,a:u8){}");
        let tried = proposals(positions(&parsed), &parsed);
        assert!(tried.contains(&"fn g(self){self.f();}fn f(&mut self){}".to_owned()), "{tried:?}");
    }
}
