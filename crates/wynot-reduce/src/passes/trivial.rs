//! Replaces the arguments of a form by a trivial one, as `(assert x)` becomes `(assert false)`.

use crate::pass::by_halves::ByHalves;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;
use wynot_subjects::NodeId;

/// Makes the arguments of the language's form trivial, all of them or none.
pub fn trivial(parsed: &ParsedText) -> ByHalves {
    let Some((form, trivial)) = parsed.language.trivial else {
        return ByHalves::new("trivial", Vec::new());
    };
    let argument = |list: NodeId| {
        let mut children = parsed.tree.children(list).filter(|&child| parsed.tree.is_named(child));
        let head = children.next().filter(|&head| parsed.text_of(head) == form.as_bytes());
        head.and_then(|_| children.next())
    };
    let edit = |id: NodeId| Edit::replace(parsed.span(id), trivial);
    let edits = parsed.node_ids().filter_map(argument).map(edit).collect();
    ByHalves::all_or_nothing("trivial", edits)
}
