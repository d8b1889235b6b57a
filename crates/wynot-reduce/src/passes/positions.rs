//! Deletes the element at the same position of several lists: a column with its values, a parameter with its
//! arguments.

use crate::pass::one_by_one::OneByOne;
use crate::text::edit::Edit;
use crate::text::list::List;
use crate::text::parsed_text::ParsedText;
use std::collections::BTreeMap;
use wynot_subjects::{Language, NodeId};

/// The number of words before a bracket that may own the list in it.
const MAX_OWNERS: usize = 4;

/// Deletes the i-th element of every bracketed list that follows the same word.
pub fn positions(parsed: &ParsedText) -> OneByOne {
    // By brackets alone: grammars see many kinds of lists where a reader sees one.
    let brackets = ParsedText {
        tree: Language::parse_brackets(&parsed.text),
        language: Language::named("text").unwrap_or(parsed.language),
        ..parsed.clone()
    };
    let mut proposals = Vec::new();
    for lists in lists_by_owner(&brackets).values().filter(|lists| lists.len() > 1) {
        let longest = lists.iter().map(List::len).max().unwrap_or_default() as u32;
        for element in (0..longest).rev() {
            let long_enough = lists.iter().filter(|list| (element as usize) < list.len());
            let deletions = long_enough.flat_map(|l| l.delete(&brackets, (element, element + 1)));
            proposals.push(deletions.collect::<Vec<Edit>>());
        }
        // A method has one parameter more than arguments, so positions are counted from the end as well.
        if lists.iter().any(|list| list.len() as u32 != longest) {
            for element in 1..=longest {
                let deletions = lists.iter().filter_map(|list| {
                    let at = (list.len() as u32).checked_sub(element)?;
                    Some(list.delete(&brackets, (at, at + 1)))
                });
                proposals.push(deletions.flatten().collect());
            }
        }
    }
    OneByOne::new("positions", proposals)
}

/// The bracketed lists of a text, by the words before them.
fn lists_by_owner(brackets: &ParsedText) -> BTreeMap<Vec<u8>, Vec<List>> {
    let tree = &brackets.tree;
    let mut by_owner: BTreeMap<Vec<u8>, Vec<List>> = BTreeMap::new();
    for id in brackets.node_ids().filter(|&id| tree.kind(id) == "group") {
        let Some(list) = List::of(brackets, id) else { continue };
        let item = tree.node(id).parent;
        let words_before = |item: NodeId| -> Vec<NodeId> {
            let before = tree.children(item).take_while(|&child| child < id);
            before.filter(|&child| tree.kind(child) == "word").collect()
        };
        let mut owners = words_before(item);
        if owners.is_empty() {
            // A further row has the owners of the row before.
            let rows = tree.children(tree.node(item).parent).take_while(|&row| row < item);
            let known = rows.map(words_before).filter(|words| !words.is_empty());
            owners = known.last().unwrap_or_default();
        }
        for &word in owners.iter().rev().take(MAX_OWNERS) {
            by_owner.entry(brackets.text_of(word).to_vec()).or_default().push(list.clone());
        }
    }
    by_owner
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
