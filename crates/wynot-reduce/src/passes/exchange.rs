//! Replaces expressions by names that are used nearby, in short texts.

use crate::pass::one_by_one::OneByOne;
use crate::text::edit::Edit;
use crate::text::kinds;
use crate::text::newly_unused::delete_newly_unused;
use crate::text::parsed_text::ParsedText;
use std::collections::BTreeSet;
use wynot_subjects::NodeId;

/// The number of names that are tried in the place of each expression.
const MAX_NAMES: usize = 6;

/// Replaces expressions by names, the largest first, and deletes what is unused after that.
pub fn exchange(parsed: &ParsedText) -> OneByOne {
    if !parsed.is_short_program() {
        return OneByOne::empty("exchange");
    }
    let mut expressions: Vec<NodeId> =
        parsed.node_ids().skip(1).filter(|&id| is_value(parsed, id)).collect();
    expressions.sort_by_key(|&id| (std::cmp::Reverse(parsed.size(id)), id));
    let mut proposals = Vec::new();
    for id in expressions {
        let nearby = variables(parsed, outermost(parsed, id));
        let others = nearby.into_iter().filter(|&name| name != parsed.text_of(id));
        for name in others.take(MAX_NAMES) {
            let edits = vec![Edit::replace(parsed.span(id), name)];
            proposals.extend(delete_newly_unused(parsed, edits));
        }
    }
    OneByOne::new("exchange", proposals)
}

/// Whether a node is an expression, or a name that is used as one.
fn is_value(parsed: &ParsedText, id: NodeId) -> bool {
    let tree = &parsed.tree;
    let declares = ["declarator", "parameter", "definition"];
    let is_name = || {
        let parent = tree.kind(tree.node(id).parent);
        tree.kind(id) == "identifier"
            && !matches!(tree.field(id), "declarator" | "name" | "function" | "pattern")
            && !declares.iter().any(|kind| parent.contains(kind))
    };
    tree.is_named(id)
        && !parsed.span(id).is_empty()
        && (kinds::is_expression(parsed, id) || is_name())
}

/// The outermost node around a node, below the root.
fn outermost(parsed: &ParsedText, id: NodeId) -> NodeId {
    let parents = std::iter::successors(Some(id), |&id| Some(parsed.tree.node(id).parent));
    let mut parents = parents.take_while(|&id| id != 0);
    parents.by_ref().last().unwrap_or(id)
}

/// The names of variables in a node. A name that is followed by a bracket anywhere is that of a function.
fn variables(parsed: &ParsedText, element: NodeId) -> BTreeSet<&[u8]> {
    let tree = &parsed.tree;
    let identifiers =
        |node: NodeId| tree.leaves(node).filter(|&leaf| tree.kind(leaf).contains("identifier"));
    let is_function = |leaf: &NodeId| {
        parsed.text[tree.span(*leaf).end..].trim_ascii_start().first() == Some(&b'(')
    };
    let functions: BTreeSet<&[u8]> =
        identifiers(0).filter(is_function).map(|leaf| parsed.text_of(leaf)).collect();
    let variables = identifiers(element).filter(|&leaf| tree.kind(leaf) == "identifier");
    variables
        .map(|leaf| parsed.text_of(leaf))
        .filter(|name| !name.is_empty() && !functions.contains(name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hooks::NoHooks;
    use crate::passes::tests::{parse, proposals};
    use crate::reduce::reduce;
    use crate::text::draft::oracle_over_texts;
    use wynot_core::Outcome;
    use wynot_subjects::Language;

    fn tried(language: &str, text: &str) -> Vec<String> {
        let parsed = parse(language, text);
        proposals(exchange(&parsed), &parsed)
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
    fn what_a_compiler_sees_through_is_not_left() {
        let text = "int a(int s,int h){return h+s;}\n\
                    int g(int o){struct{int t,f;}*p;m();p->f=a(o,p->t);}\n";
        let language = Language::named("c").unwrap();
        // Some function calls m and adds, by itself or by calling a.
        let mut oracle = oracle_over_texts(|text: &[u8]| {
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
        let small = reduce(text.as_bytes(), language, &NoHooks, &mut oracle).unwrap();
        let small = String::from_utf8(small.text).unwrap();
        assert!(small.len() <= "g(o){m(o+o);}".len(), "{small}");
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
