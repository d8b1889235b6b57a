//! Makes functions return nothing: the type of the result goes together with the returned values.

use crate::pass::one_by_one::OneByOne;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;
use wynot_subjects::NodeId;

/// Makes one function after the other return nothing.
pub fn returns(parsed: &ParsedText) -> OneByOne {
    let proposals = parsed.node_ids().filter_map(|id| return_nothing(parsed, id));
    OneByOne::new("returns", proposals.collect())
}

/// The edits after which a function returns nothing.
fn return_nothing(parsed: &ParsedText, function: NodeId) -> Option<Vec<Edit>> {
    let tree = &parsed.tree;
    let part = |field: &str| tree.child_by_field(function, field);
    let result = part("return_type").or_else(|| part("result"))?;
    let parameters = part("parameters")?;
    let body = part("body")?;
    let mut edits = vec![parsed.delete(parsed.span(parameters).end..parsed.span(result).end)];
    let last = tree.children(body).filter(|&child| tree.is_named(child)).last();
    let is_value = |id: &NodeId| {
        let kind = tree.kind(*id);
        let others = ["_statement", "_declaration", "_item", "_list"];
        !others.iter().any(|other| kind.ends_with(other))
    };
    edits.extend(last.filter(is_value).map(|value| Edit::delete(parsed.span(value))));
    for id in body..tree.node(body).after {
        if matches!(tree.kind(id), "return_statement" | "return_expression") {
            let value = tree.children(id).find(|&child| tree.is_named(child));
            edits.extend(value.map(|value| parsed.delete(parsed.span(value))));
        }
    }
    Some(edits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::{parse, proposals};

    fn first(language: &str, text: &str) -> String {
        let parsed = parse(language, text);
        proposals(returns(&parsed), &parsed).remove(0)
    }

    #[test]
    fn type_and_value_go_together() {
        let text = "fn f(x: u8) -> Vec<u8> { if x > 1 { return y; } let h = 1; h }";
        assert_eq!(first("rust", text), "fn f(x: u8) { if x > 1 { return ; } let h = 1;  }");
        let text = "package p\nfunc f(x int) int { g(); return x }\n";
        assert_eq!(first("go", text), "package p\nfunc f(x int) { g(); return  }\n");
    }
}
