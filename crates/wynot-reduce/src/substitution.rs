//! A declaration goes, and something simpler takes the place of its name wherever it is used: a constant, or
//! a name that the declaration itself uses.

use crate::choices::{Choices, choosing};
use crate::references::References;
use crate::{Draft, Edit};
use std::collections::BTreeSet;
use std::ops::Range;
use wynot_subjects::NodeId;

choosing! {
    /// Puts simpler things in the place of declared names.
    Substitution, "substitution"
}

/// How many names of a declaration are tried in its place.
const CANDIDATES: usize = 6;

impl Substitution {
    pub fn new(draft: &Draft) -> Self {
        let references = References::of(draft);
        let mut choices = Vec::new();
        for declaration in references.declarations() {
            let uses = references.uses_outside(declaration);
            if uses.is_empty() {
                continue;
            }
            let inside: BTreeSet<&[u8]> = references.names_inside(declaration).collect();
            let constants = draft.language.types.iter().chain(draft.language.expressions);
            let constants = constants.map(|constant| constant.as_bytes());
            let values = values(draft, &declaration.span);
            let values = values.iter().map(Vec::as_slice);
            for simpler in values.chain(constants).chain(inside.into_iter().take(CANDIDATES)) {
                let mut edits = vec![Edit::delete(declaration.span.clone())];
                edits.extend(uses.iter().map(|span| Edit::replace(span.clone(), simpler)));
                edits.sort_by_key(|edit| edit.span.start);
                choices.push(edits);
            }
        }
        Self(Choices::new(choices))
    }
}

/// What a declaration gives its names: their value, or the type they stand for.
fn values(draft: &Draft, span: &Range<u32>) -> Vec<Vec<u8>> {
    let nodes = (0..draft.tree.nodes().len() as NodeId).filter(|&id| {
        let node = draft.tree.node(id);
        span.start <= node.start
            && node.end <= span.end
            && matches!(draft.tree.field(id), "value" | "type")
    });
    nodes.map(|id| draft.text_of(id).to_vec()).take(2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pass;
    use wynot_subjects::Language;

    #[test]
    fn a_function_may_give_way_to_the_one_it_calls() {
        let text = "int g();\nint f(){g();}\nint main(){f();}\n";
        let draft = Draft::new(text.as_bytes().to_vec(), Language::named("c").unwrap());
        let mut pass = Substitution::new(&draft);
        let proposed = std::iter::from_fn(|| pass.propose(&draft));
        let tried: Vec<String> =
            proposed.map(|edits| String::from_utf8(draft.with(&edits).text()).unwrap()).collect();
        assert!(tried.contains(&"int g();\nint main(){g();}\n".to_owned()), "{tried:?}");
    }
}
