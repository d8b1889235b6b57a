//! What a function returns: its type and its value go together.

use crate::choices::{Choices, choosing};
use crate::{Draft, Edit};
use wynot_subjects::NodeId;

choosing! {
    /// Makes functions return nothing.
    Returns, "returns"
}

impl Returns {
    pub fn new(draft: &Draft) -> Self {
        let functions = 0..draft.tree.nodes().len() as NodeId;
        Self(Choices::new(functions.filter_map(|id| returning_nothing(draft, id)).collect()))
    }
}

/// The edits after which a function returns nothing.
fn returning_nothing(draft: &Draft, function: NodeId) -> Option<Vec<Edit>> {
    let tree = &draft.tree;
    let part = |field: &str| tree.child_by_field(function, field);
    let result = part("return_type").or_else(|| part("result"))?;
    let parameters = part("parameters")?;
    let body = part("body")?;
    let mut edits = vec![draft.cut(draft.span(parameters).end..draft.span(result).end)];
    let last = tree.children(body).filter(|&child| tree.is_named(child)).last();
    let is_value = |id: &NodeId| {
        let kind = tree.kind(*id);
        let others = ["_statement", "_declaration", "_item", "_list"];
        !others.iter().any(|other| kind.ends_with(other))
    };
    edits.extend(last.filter(is_value).map(|value| Edit::delete(draft.span(value))));
    for id in body..tree.node(body).after {
        if matches!(tree.kind(id), "return_statement" | "return_expression") {
            let value = tree.children(id).find(|&child| tree.is_named(child));
            edits.extend(value.map(|value| draft.cut(draft.span(value))));
        }
    }
    Some(edits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pass;
    use wynot_subjects::Language;

    fn first(language: &str, text: &str) -> String {
        let draft = Draft::new(text.as_bytes().to_vec(), Language::named(language).unwrap());
        let edits = Returns::new(&draft).propose(&draft).unwrap();
        String::from_utf8(draft.with(&edits).text()).unwrap()
    }

    #[test]
    fn type_and_value_go_together() {
        let text = "fn f(x: u8) -> Vec<u8> { if x > 1 { return y; } let h = 1; h }";
        assert_eq!(first("rust", text), "fn f(x: u8) { if x > 1 { return ; } let h = 1;  }");
        let text = "package p\nfunc f(x int) int { g(); return x }\n";
        assert_eq!(first("go", text), "package p\nfunc f(x int) { g(); return  }\n");
    }
}
