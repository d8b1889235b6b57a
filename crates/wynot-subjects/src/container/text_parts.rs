//! Texts inside containers: their lines, or the elements of their syntax tree where the name says what they are.

use crate::container::layout_builder::LayoutBuilder;
use crate::syntax::language_table::LANGUAGES;
use std::ops::Range;

/// Texts with more bytes than this are read by lines alone.
const MAX_PARSED_BYTES: usize = 1 << 20;

/// Texts with fewer bytes than this are plain bytes.
const MIN_TEXT_BYTES: usize = 16;

/// Appends bytes, which may be a text.
pub(crate) fn read_text(builder: &mut LayoutBuilder, bytes: &[u8], name: &[u8]) {
    let start = builder.at();
    builder.payload(bytes);
    if bytes.len() < MIN_TEXT_BYTES || !is_text(bytes) {
        return;
    }
    let span = |range: Range<usize>| start + range.start as u32..start + range.end as u32;
    let extension = name.iter().rposition(|byte| *byte == b'.').map(|dot| &name[dot + 1..]);
    let language = extension.and_then(|extension| {
        LANGUAGES.iter().find(|it| it.extensions.iter().any(|other| other.as_bytes() == extension))
    });
    let parsed = language.filter(|_| bytes.len() <= MAX_PARSED_BYTES);
    let tree = match (parsed, bytes.first()) {
        (Some(language), _) => Some(language.parse(bytes)),
        (None, Some(b'<')) if bytes.len() <= MAX_PARSED_BYTES => {
            LANGUAGES.iter().find(|language| language.name == "xml").map(|xml| xml.parse(bytes))
        }
        _ => None,
    };
    let Some(tree) = tree else {
        let lines = line_spans(bytes);
        if lines.len() > 1 {
            builder.list(lines.into_iter().map(|line| vec![span(line)]).collect());
        }
        return;
    };
    for id in 0..tree.nodes().len() as u32 {
        let named = tree.children(id).filter(|&child| tree.is_named(child));
        let parts: Vec<Vec<Range<u32>>> = named
            .map(|child| tree.span(child))
            .filter(|it| !it.is_empty())
            .map(|it| vec![span(it)])
            .collect();
        if !parts.is_empty() {
            builder.list(parts);
        }
    }
}

/// Whether bytes are UTF-8 without control characters.
fn is_text(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| !text.bytes().any(|it| it < 9))
}

fn line_spans(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut at = 0;
    let lines = bytes.split_inclusive(|byte| *byte == b'\n').map(|line| {
        at += line.len();
        at - line.len()..at
    });
    lines.collect()
}
