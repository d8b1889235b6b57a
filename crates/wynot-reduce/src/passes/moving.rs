//! Moves the values that statements compute into calls next to them, or returns them, in short texts.

use crate::pass::one_by_one::OneByOne;
use crate::text::edit::Edit;
use crate::text::kinds;
use crate::text::list::List;
use crate::text::newly_unused::delete_newly_unused;
use crate::text::parsed_text::ParsedText;
use wynot_subjects::NodeId;

/// Moves one value after the other, and deletes what is unused after that.
pub fn moving(parsed: &ParsedText) -> OneByOne {
    if !parsed.is_short_program() {
        return OneByOne::empty("moving");
    }
    let mut proposals = Vec::new();
    for block in parsed.node_ids().filter(|&id| id == 0 || kinds::is_block(parsed, id)) {
        let Some(list) = List::of(parsed, block) else { continue };
        for (at, &statement) in list.nodes.iter().enumerate() {
            for value in values(parsed, statement) {
                let others = list.nodes.iter().filter(|&&other| other != statement);
                for arguments in others.flat_map(|&other| arguments(parsed, other)) {
                    let deletion = list.delete(parsed, (at as u32, at as u32 + 1));
                    for replacement in as_argument(parsed, value, arguments) {
                        let edits = deletion.iter().cloned().chain([replacement]).collect();
                        proposals.extend(delete_newly_unused(parsed, edits));
                    }
                }
                if !parsed.tree.kind(statement).starts_with("return") {
                    let before = parsed.span(statement).start..parsed.span(value).start;
                    let edits = vec![Edit::replace(before, "return ")];
                    proposals.extend(delete_newly_unused(parsed, edits));
                }
            }
        }
    }
    OneByOne::new("moving", proposals)
}

/// The edits that make a value the only argument of a call, or the last one if there are others.
fn as_argument(parsed: &ParsedText, value: NodeId, arguments: NodeId) -> Vec<Edit> {
    let text = parsed.text_of(value);
    let span = parsed.span(arguments);
    let mut edits = vec![Edit::replace(span.clone(), [b"(", text, b")"].concat())];
    if parsed.text_of(arguments).len() > 2 {
        edits.push(Edit::replace(span.end - 1..span.end, [b",", text, b")"].concat()));
    }
    edits
}

/// The values that a statement computes: what it assigns, or all of it.
fn values(parsed: &ParsedText, statement: NodeId) -> Vec<NodeId> {
    let tree = &parsed.tree;
    let mut found = Vec::new();
    let mut inner = statement;
    for _ in 0..3 {
        let assigned = ["right", "value", "default", "init"].iter();
        if let Some(value) = assigned.filter_map(|field| tree.child_by_field(inner, field)).next() {
            found.push(value);
        }
        let Some(next) = tree.children(inner).find(|&child| tree.is_named(child)) else { break };
        if kinds::is_expression(parsed, next) {
            found.push(next);
        }
        inner = next;
    }
    found.truncate(2);
    found
}

/// The lists of arguments in a statement.
fn arguments(parsed: &ParsedText, statement: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    let tree = &parsed.tree;
    (statement..tree.node(statement).after)
        .filter(|&id| tree.field(id) == "arguments" && parsed.text_of(id).first() == Some(&b'('))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::{parse, proposals};

    fn tried(language: &str, text: &str) -> Vec<String> {
        let parsed = parse(language, text);
        proposals(moving(&parsed), &parsed)
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
    fn incomplete_programs_do_no_harm() {
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
