//! The top-level elements of a module.

use super::ir_tokens::TokenKind;
use super::operand_reader::Reader;
use crate::syntax::tree::SyntaxTree;
use std::ops::Range;

/// The syntax tree of a module.
pub(crate) fn parse(text: &[u8]) -> SyntaxTree {
    let mut reader = Reader::new(text);
    reader.builder.open("module", "", true, 0..text.len());
    let mut at = 0;
    while at < reader.tokens.len() {
        if reader.tokens[at].kind == TokenKind::Comment {
            reader.leaf("comment", "", true, at);
            at += 1;
            continue;
        }
        let end = element_end(&reader, at);
        read_element(&mut reader, at..end);
        at = end;
    }
    reader.builder.finish()
}

/// The index after the element that begins at an index: at a line end outside brackets, or after a body.
fn element_end(reader: &Reader<'_>, start: usize) -> usize {
    let mut depth = 0;
    let is_definition = reader.is(start, "define");
    // Brackets before the parameters belong to the type of the result.
    let mut has_parameters = false;
    for at in start..reader.tokens.len() {
        let token = &reader.tokens[at];
        has_parameters |= at > start && token.is_sign(b'(') && reader.is_name(at - 1, b'@');
        if at > start && depth == 0 && token.starts_line && !reader.is_sign(at, b'{') {
            return at;
        }
        depth = (depth + token.depth_change()).max(0);
        if is_definition && has_parameters && depth == 0 && token.is_sign(b'}') {
            return at + 1;
        }
    }
    reader.tokens.len()
}

fn read_element(reader: &mut Reader<'_>, range: Range<usize>) {
    let start = range.start;
    match reader.tokens[start].kind {
        _ if reader.is(start, "define") => read_function(reader, range),
        _ if reader.is(start, "declare") => read_function(reader, range),
        _ if reader.is(start, "attributes") => read_attributes(reader, range),
        TokenKind::Name(b'@') => read_global(reader, range),
        TokenKind::Name(b'!') => read_metadata(reader, range),
        TokenKind::Name(sigil) => {
            reader.open(if sigil == b'%' { "type_item" } else { "comdat_item" }, "", &range);
            reader.leaf("identifier", "name", true, start);
            reader.operands(start + 1..range.end);
            reader.builder.close();
        }
        _ => {
            reader.open("directive", "", &range);
            reader.operands(range);
            reader.builder.close();
        }
    }
}

/// `define` or `declare`.
fn read_function(reader: &mut Reader<'_>, range: Range<usize>) {
    let is_definition = reader.is(range.start, "define");
    let kind = if is_definition { "function_definition" } else { "function_declaration" };
    let is_name = |at: &usize| reader.is_name(*at, b'@') && reader.is_sign(at + 1, b'(');
    let name = range.clone().find(is_name);
    reader.open(kind, "", &range);
    reader.plain(range.start);
    if let Some(name) = name {
        reader.operands(range.start + 1..name);
        reader.leaf("identifier", "name", true, name);
        let close = reader.after_brackets(name + 1, range.end);
        read_parameters(reader, name + 1..close);
        let body = (close..range.end).find(|&at| reader.is_sign(at, b'{') && is_definition);
        let body = body.unwrap_or(range.end);
        reader.operands(close..body);
        if body < range.end {
            reader.read_body(body..range.end);
        }
    } else {
        reader.operands(range.start + 1..range.end);
    }
    reader.builder.close();
}

/// The parameters of a function, in their brackets.
fn read_parameters(reader: &mut Reader<'_>, range: Range<usize>) {
    reader.open("parameters", "parameters", &range);
    reader.plain(range.start);
    for element in between_commas(reader, range.start + 1..range.end - 1) {
        let name = element.end.saturating_sub(1);
        let has_name = element.len() > 1 && reader.is_name(name, b'%');
        reader.open("parameter", "", &element);
        reader.operands(element.start..if has_name { name } else { element.end });
        if has_name {
            reader.leaf("identifier", "name", true, name);
        }
        reader.builder.close();
        if reader.is_sign(element.end, b',') {
            reader.plain(element.end);
        }
    }
    if range.len() > 1 {
        reader.plain(range.end - 1);
    }
    reader.builder.close();
}

/// The ranges between the commas of a range that are not in brackets.
fn between_commas(reader: &Reader<'_>, range: Range<usize>) -> Vec<Range<usize>> {
    let (mut found, mut start, mut depth) = (Vec::new(), range.start, 0);
    for at in range.clone() {
        depth += reader.tokens[at].depth_change();
        if depth == 0 && reader.is_sign(at, b',') {
            found.push(start..at);
            start = at + 1;
        }
    }
    found.push(start..range.end);
    found.retain(|element| !element.is_empty());
    found
}

/// `attributes #0 = { … }`.
fn read_attributes(reader: &mut Reader<'_>, range: Range<usize>) {
    reader.open("attributes_item", "", &range);
    let open = range.clone().find(|&at| reader.is_sign(at, b'{')).unwrap_or(range.end);
    for at in range.start..range.end.min(open + 1) {
        match reader.is_name(at, b'#') {
            true => reader.leaf("attribute_identifier", "name", true, at),
            false => reader.plain(at),
        }
    }
    let mut at = open + 1;
    while at < range.end {
        let mut end = at + 1;
        if reader.is_sign(end, b'(') {
            end = reader.after_brackets(end, range.end);
        }
        if reader.is_sign(end, b'=') {
            end = (end + 2).min(range.end);
        }
        let is_sign = matches!(reader.tokens[at].kind, TokenKind::Sign(_));
        reader.builder.open("attribute", "", !is_sign, reader.bytes(&(at..end)));
        reader.builder.close();
        at = end;
    }
    reader.builder.close();
}

/// `@x = … global TYPE VALUE, …`; aliases as well.
fn read_global(reader: &mut Reader<'_>, range: Range<usize>) {
    reader.open("global_item", "", &range);
    reader.leaf("identifier", "name", true, range.start);
    let mut rest = range.clone();
    let keyword = range.clone().find(|&at| reader.is(at, "global") || reader.is(at, "constant"));
    let is_external = range.clone().any(|at| reader.is(at, "external"));
    if let (Some(keyword), false) = (keyword, is_external) {
        let value = reader.after_type(keyword + 1, range.end);
        let end = between_commas(reader, value..range.end).first().map_or(value, |first| first.end);
        reader.operands(range.start + 1..value);
        if value < end {
            reader.builder.open(
                "initializer_expression",
                "initializer",
                true,
                reader.bytes(&(value..end)),
            );
            reader.operands(value..end);
            reader.builder.close();
        }
        rest.start = end;
    } else {
        rest.start += 1;
    }
    reader.operands(rest);
    reader.builder.close();
}

/// `!5 = !{…}` and the like. What is between the brackets are elements.
fn read_metadata(reader: &mut Reader<'_>, range: Range<usize>) {
    reader.open("metadata_item", "", &range);
    reader.leaf("metadata_identifier", "name", true, range.start);
    let is_open = |at: &usize| reader.is_sign(*at, b'{') || reader.is_sign(*at, b'(');
    let open = range.clone().find(is_open);
    let Some(open) = open.filter(|open| open + 1 < range.end) else {
        reader.operands(range.start + 1..range.end);
        reader.builder.close();
        return;
    };
    (range.start + 1..=open).for_each(|at| reader.plain(at));
    for element in between_commas(reader, open + 1..range.end - 1) {
        reader.open("element", "", &element);
        reader.operands(element.clone());
        reader.builder.close();
        if reader.is_sign(element.end, b',') {
            reader.plain(element.end);
        }
    }
    reader.plain(range.end - 1);
    reader.builder.close();
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = "; a comment\n%pair = type { i32, ptr }\n@g = internal global %pair zeroinitializer, align 8\n\
        define dso_local i32 @f(i32 noundef %x, ptr %p) #0 !dbg !4 {\nentry:\n  %y = add nsw i32 %x, 1\n  \
        switch i32 %y, label %out [\n    i32 1, label %one\n    i32 2, label %out\n  ], !dbg !5\none:\n  br label %out\nout:\n  \
        %r = phi i32 [ %y, %entry ], [ 0, %one ]\n  ret i32 %r\n}\ndeclare void @h()\n\
        attributes #0 = { nounwind \"a\"=\"b\" }\n!4 = !{!5, null}\n!5 = distinct !DILocation(line: 1, scope: !4)\n";

    #[test]
    fn a_module_has_functions_blocks_and_instructions() {
        let tree = parse(MODULE.as_bytes());
        let outline = tree.outline(MODULE.as_bytes());
        for expected in [
            "<; a comment>[type_item <%pair>",
            "[global_item <@g>[modifier ]<%pair>[initializer_expression ][attachment <8>]]",
            "[function_definition [modifier ]<@f>[parameters [parameter [modifier ]<%x>][parameter <%p>]]<#0>[attachment <!dbg><!4>]",
            "[basic_block <entry>[instruction <%y>[modifier ]<%x><1>][terminator_statement <%y><%out>[cases [case <1><%one>][case <2><%out>]][attachment <!dbg><!5>]]]",
            "[basic_block <one>[terminator_statement <%out>]]",
            "[phi <%r>[incoming <%y><%entry>][incoming <0><%one>]]",
            "[attributes_item <#0><nounwind><\"a\"=\"b\">]",
            "[metadata_item <!4>[element <!5>]",
        ] {
            assert!(outline.contains(expected), "{expected}\n{outline}");
        }
    }

    #[test]
    fn a_structure_as_result_is_no_body() {
        let first = "define{i8*,i64}@a(){\n%1=alloca i8\nret{i8*,i64}undef\n}";
        let second = "define void @b(){\nret void\n}";
        let text = format!("{first}\n{second}");
        let tree = parse(text.as_bytes());
        let bodies: Vec<&str> = (0..tree.nodes().len() as u32)
            .filter(|&id| tree.kind(id) == "function_definition")
            .map(|id| &text[tree.span(id)])
            .collect();
        assert_eq!(bodies, [first, second]);
    }

    #[test]
    fn any_part_of_a_module_has_a_tree() {
        for at in 0..MODULE.len() {
            for part in [&MODULE[..at], &MODULE[at..]] {
                let tree = parse(part.as_bytes());
                assert_eq!(tree.span(0), 0..part.len());
            }
        }
    }
}
