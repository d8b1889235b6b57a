//! Changes both tags of an element at once, and both quotation marks of an attribute: `<e></e>` becomes `<e/>`, tags go from
//! around their content, and values do without quotation marks.

use crate::pass::one_by_one::OneByOne;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;
use std::ops::Range;
use wynot_subjects::NodeId;

/// Texts with more bytes than this are left alone: other passes delete more.
const MAX_TEXT_BYTES: usize = 16 << 10;

/// Quotation marks.
const QUOTES: [&[u8]; 2] = [b"\"", b"'"];

/// Elements with their tags, the outer ones first, then quoted values.
pub fn tags(parsed: &ParsedText) -> OneByOne {
    if !parsed.language.has_tags || parsed.text.len() > MAX_TEXT_BYTES {
        return OneByOne::empty("tags");
    }
    let mut proposals = Vec::new();
    for id in parsed.node_ids() {
        let Some((open, close)) = tags_of(parsed, id) else { continue };
        match open.end == close.start {
            true => {
                let end = Edit::replace(open.end - 1..close.end, "/>");
                proposals.extend((close.len() > 1).then(|| vec![end]));
            }
            false => proposals.push(vec![parsed.delete(open), parsed.delete(close)]),
        }
    }
    proposals.extend(parsed.node_ids().filter_map(|id| unquoted(parsed, id)));
    OneByOne::new("tags", proposals)
}

/// The spans of the tags of an element that has two.
fn tags_of(parsed: &ParsedText, id: NodeId) -> Option<(Range<u32>, Range<u32>)> {
    let children: Vec<NodeId> = parsed.tree.children(id).collect();
    let (first, last) = (*children.first()?, *children.last()?);
    let (open, close) = (parsed.text_of(first), parsed.text_of(last));
    let is_open = open.starts_with(b"<") && open.ends_with(b">") && !open.ends_with(b"/>");
    let is_pair = is_open && close.starts_with(b"</") && close.ends_with(b">");
    is_pair.then(|| (parsed.span(first), parsed.span(last)))
}

/// The deletion of the quotation marks around a value.
fn unquoted(parsed: &ParsedText, id: NodeId) -> Option<Vec<Edit>> {
    let children: Vec<NodeId> = parsed.tree.children(id).collect();
    let (first, last) = (*children.first()?, *children.last()?);
    let is_quoted = first != last
        && parsed.text_of(first) == parsed.text_of(last)
        && QUOTES.contains(&parsed.text_of(first));
    is_quoted.then(|| vec![parsed.delete(parsed.span(first)), parsed.delete(parsed.span(last))])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::{parse, proposals};

    fn tried(language: &str, text: &str) -> Vec<String> {
        let parsed = parse(language, text);
        proposals(tags(&parsed), &parsed)
    }

    #[test]
    fn an_element_without_content_needs_one_tag() {
        let xml = tried("xml", "<a><b c=\"d\"></b></a>");
        assert!(xml.contains(&"<a><b c=\"d\"/></a>".to_owned()), "{xml:?}");
    }

    #[test]
    fn content_does_without_its_tags() {
        let xml = tried("xml", "<a><b><c/><d/></b></a>");
        assert!(xml.contains(&"<a><c/><d/></a>".to_owned()), "{xml:?}");
        let html = tried("html", "<p class=\"x\">a<b>c</b></p>");
        assert!(html.contains(&"<p class=\"x\">a c</p>".to_owned()), "{html:?}");
        assert!(html.contains(&"<p class=x>a<b>c</b></p>".to_owned()), "{html:?}");
    }

    #[test]
    fn other_languages_have_no_tags() {
        assert_eq!(tried("c", "int a = b < c;"), Vec::<String>::new());
    }
}
