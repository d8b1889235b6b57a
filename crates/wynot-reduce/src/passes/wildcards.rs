//! Imports all names of a module instead of some.

use crate::pass::one_by_one::OneByOne;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;
use wynot_subjects::NodeId;

/// Replaces what each import names by the wildcard of the language.
pub fn wildcards(parsed: &ParsedText) -> OneByOne {
    let tree = &parsed.tree;
    let is_import = |id: &NodeId| {
        let kind = tree.kind(*id);
        kind.starts_with("import_") || kind == "use_declaration"
    };
    let mut proposals = Vec::new();
    for import in parsed.node_ids().filter(is_import).filter(|_| parsed.is_short()) {
        let names: Vec<NodeId> =
            tree.children(import).filter(|&id| tree.field(id) == "name").collect();
        if let (Some(&first), Some(&last)) = (names.first(), names.last()) {
            let span = tree.node(first).start..tree.node(last).end;
            proposals.push(vec![Edit::replace(span, "*")]);
        }
        // The last part of a path: a::B becomes a::*.
        let leaf = tree.leaves(import).filter(|&id| tree.kind(id).contains("identifier")).last();
        if let Some(leaf) = leaf.filter(|_| names.is_empty()) {
            proposals.push(vec![Edit::replace(parsed.span(leaf), "*")]);
        }
    }
    OneByOne::new("wildcards", proposals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::{parse, proposals};

    #[test]
    fn all_names_are_imported_by_one_sign() {
        let tried = |language: &str, text: &str| {
            let parsed = parse(language, text);
            proposals(wildcards(&parsed), &parsed)
        };
        assert_eq!(tried("python", "from a import b, c\n"), ["from a import *\n"]);
        assert_eq!(tried("java", "import a.Bc;"), ["import a.*;"]);
        assert_eq!(tried("rust", "use a::Bc;"), ["use a::*;"]);
    }
}
