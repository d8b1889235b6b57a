//! Deletes parts of containers: chunks, entries, records, rows.

use crate::pass::by_halves::ByHalves;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;

/// Deletes the parts of each list of a container, halves of the list first: a pass for each list.
pub fn parts(parsed: &ParsedText) -> Vec<ByHalves> {
    let lists = parsed.layout.iter().flat_map(|layout| &layout.lists);
    let lists = lists.filter(|list| !list.is_only_counted);
    let pass = |list: &wynot_subjects::PartList| {
        let groups = list.parts.iter().map(|spans| {
            let spans = spans.iter().filter(|span| !span.is_empty());
            spans.map(|span| Edit::delete(span.clone())).collect()
        });
        ByHalves::of_groups("parts", groups.filter(|edits: &Vec<Edit>| !edits.is_empty()).collect())
    };
    lists.map(pass).collect()
}
