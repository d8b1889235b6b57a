//! Deletes what declares a name, and lets the uses of the name mean something else of the same kind, in short texts.
//!
//! A statement, a parameter or a type parameter cannot go alone while its name is used, and another name alone frees nothing.
//! Both together are one edit. Elements, names and the part of the text in which a name is known are found by the tree.

use crate::pass::one_by_one::OneByOne;
use crate::text::edit::Edit;
use crate::text::element_deletion::smallest_deletions;
use crate::text::kinds;
use crate::text::list::List;
use crate::text::parsed_text::ParsedText;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use wynot_subjects::NodeId;

/// The number of other names that are tried in the place of each name.
const MAX_OTHER_NAMES: usize = 3;

/// Deletes one element after the other, with constants and then other names in the place of the name that it declares.
pub fn redirecting(parsed: &ParsedText) -> OneByOne {
    let has_grammar = !parsed.language.has_lexical_definitions;
    let mut proposals = Vec::new();
    if parsed.is_short() && has_grammar && parsed.language.missing_value.is_none() {
        let deletions = smallest_deletions(parsed);
        for parent in parsed.node_ids() {
            for &element in List::of(parsed, parent).iter().flat_map(|list| &list.nodes) {
                if let Some(deletion) = &deletions[element as usize] {
                    let scope = scope(parsed, parent);
                    proposals.extend(redirections(parsed, element, deletion, &scope));
                }
            }
        }
    }
    OneByOne::new("redirecting", proposals).checking_syntax()
}

/// The part of the text in which what the list below a node declares is known: the block, or the item with parameters.
fn scope(parsed: &ParsedText, parent: NodeId) -> Range<u32> {
    let is_outer = |id: NodeId| id == 0 || kinds::is_block(parsed, id);
    let mut scope = parent;
    while !is_outer(scope) && !is_outer(parsed.tree.node(scope).parent) {
        scope = parsed.tree.node(scope).parent;
    }
    parsed.span(scope)
}

/// The deletion of an element with each replacement of the name that it declares.
fn redirections(
    parsed: &ParsedText,
    element: NodeId,
    deletion: &Edit,
    scope: &Range<u32>,
) -> Vec<Vec<Edit>> {
    let tree = &parsed.tree;
    let is_gone = |id: NodeId| {
        let span = parsed.span(id);
        deletion.span.start <= span.start && span.end <= deletion.span.end
    };
    let is_name = |id: &NodeId| tree.is_named(*id) && tree.kind(*id).contains("identifier");
    let in_scope = |id: &NodeId| {
        let span = parsed.span(*id);
        scope.start <= span.start && span.end <= scope.end && !is_gone(*id)
    };
    let others: Vec<NodeId> = tree.leaves(0).filter(is_name).filter(in_scope).collect();
    let Some(name) = declared_name(parsed, element).filter(|&name| is_gone(name)) else {
        return Vec::new();
    };
    let uses: Vec<Range<u32>> = places_of(parsed, parsed.text_of(name), scope)
        .filter(|place| place.end <= deletion.span.start || deletion.span.end <= place.start)
        .collect();
    let is_use = |id: &NodeId| uses.contains(&parsed.span(*id));
    let Some(&first) = others.iter().find(|id| is_use(id)) else { return Vec::new() };
    let used_as: BTreeSet<&str> =
        others.iter().filter(|id| is_use(id)).map(|&id| tree.kind(id)).collect();
    let mut counts: BTreeMap<&[u8], usize> = BTreeMap::new();
    for &other in others.iter().filter(|id| used_as.contains(tree.kind(**id)) && !is_use(id)) {
        *counts.entry(parsed.text_of(other)).or_default() += 1;
    }
    counts.remove(b"".as_slice());
    let mut names: Vec<(&[u8], usize)> = counts.into_iter().collect();
    names.sort_by_key(|(name, count)| (name.len(), std::cmp::Reverse(*count)));
    let constants = kinds::constants(parsed, first).iter().map(|constant| constant.as_bytes());
    let replacements = constants.chain(names.iter().take(MAX_OTHER_NAMES).map(|(name, _)| *name));
    let mut found = Vec::new();
    for replacement in replacements {
        let mut edits = vec![deletion.clone()];
        edits.extend(uses.iter().map(|place| Edit::replace(place.clone(), replacement)));
        edits.sort_by_key(|edit| edit.span.start);
        found.push(edits);
    }
    found
}

/// The places in a part of the text where a word stands. Grammars do not know all of them.
fn places_of<'a>(
    parsed: &'a ParsedText,
    word: &'a [u8],
    scope: &Range<u32>,
) -> impl Iterator<Item = Range<u32>> + 'a {
    let is_letter =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let text = parsed.text.as_slice();
    let starts = scope.start as usize..(scope.end as usize + 1).saturating_sub(word.len());
    starts
        .filter(move |&at| {
            text[at..].starts_with(word)
                && !is_letter(at.checked_sub(1).and_then(|before| text.get(before)))
                && !is_letter(text.get(at + word.len()))
        })
        .map(|at| at as u32..(at + word.len()) as u32)
}

/// The name that an element declares: the first leaf with the role of a name, else its first name.
fn declared_name(parsed: &ParsedText, element: NodeId) -> Option<NodeId> {
    let tree = &parsed.tree;
    let names = || tree.leaves(element).filter(|&id| tree.kind(id).contains("identifier"));
    let declares =
        |id: &NodeId| matches!(tree.field(*id), "name" | "declarator" | "pattern" | "left");
    names().find(declares).or_else(|| names().next())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::{parse, proposals};

    fn tried(language: &str, text: &str) -> Vec<String> {
        let parsed = parse(language, text);
        proposals(redirecting(&parsed), &parsed)
    }

    #[test]
    fn a_type_parameter_gives_way_to_a_type_in_its_item_alone() {
        let tried = tried("rust", "trait A{}impl<T>A for T{}impl<T>A for T{}");
        assert!(
            tried.contains(&"trait A{}impl<T>A for T{}impl A for (){}".to_owned()),
            "{tried:?}"
        );
    }

    #[test]
    fn a_statement_goes_and_its_name_means_another() {
        let sql = tried("sql", "CREATE TABLE a(b INT);CREATE TABLE c(d INT REFERENCES a(b));");
        assert!(sql.contains(&"CREATE TABLE c(d INT REFERENCES c(b));".to_owned()), "{sql:?}");
        let c = tried("c", "int a;int b;int f(){return a+b;}");
        assert!(c.contains(&"int b;int f(){return b+b;}".to_owned()), "{c:?}");
    }

    #[test]
    fn incomplete_programs_do_no_harm() {
        let text = "int g(int o){f(1,a[2]);struct{int t}*p;p->t=o*2;return (o);}\n";
        for language in wynot_subjects::LANGUAGES {
            for at in (0..text.len()).step_by(7) {
                tried(language.name, &text[..at]);
                tried(language.name, &text[at..]);
            }
        }
    }
}
