//! A declaration goes, and something simpler takes the place of its name wherever it is used: a constant, or
//! a name that the declaration itself uses.

use crate::choices::{Choices, choosing};
use crate::references::References;
use crate::{Draft, Edit};
use std::collections::BTreeSet;

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
            for simpler in constants.chain(inside.into_iter().take(CANDIDATES)) {
                let mut edits = vec![Edit::delete(declaration.span.clone())];
                edits.extend(uses.iter().map(|span| Edit::replace(span.clone(), simpler)));
                edits.sort_by_key(|edit| edit.span.start);
                choices.push(edits);
            }
        }
        Self(Choices::new(choices))
    }
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
            proposed.map(|edits| String::from_utf8(draft.with(&edits).1).unwrap()).collect();
        assert!(tried.contains(&"int g();\nint main(){g();}\n".to_owned()), "{tried:?}");
    }
}
