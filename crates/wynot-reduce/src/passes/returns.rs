//! Makes functions return nothing: the type of the result goes together with the returned values.

use crate::pass::one_by_one::OneByOne;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;
use wynot_subjects::NodeId;

/// Makes one function after the other return nothing.
pub fn returns(parsed: &ParsedText) -> OneByOne {
    let is_completed = parsed.language.missing_value.is_some();
    let proposals = parsed.node_ids().filter_map(|id| match is_completed {
        true => return_void(parsed, id),
        false => return_nothing(parsed, id),
    });
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

/// The edits after which a function of LLVM IR returns nothing: its type, what it returns, and the calls, whose values are missing
/// then.
fn return_void(parsed: &ParsedText, function: NodeId) -> Option<Vec<Edit>> {
    let tree = &parsed.tree;
    let text = parsed.text.as_slice();
    let name = tree.child_by_field(function, "name").filter(|_| {
        matches!(tree.kind(function), "function_definition" | "function_declaration")
    })?;
    let word = parsed.text_of(name);
    // The type is what stands between the last modifier, or the keyword, and the name.
    let before = tree.children(function).take_while(|&id| id < name);
    let is_fixed = |id: &NodeId| {
        tree.kind(*id) == "modifier" || tree.node(*id).start == tree.node(function).start
    };
    let start = before.filter(is_fixed).last().map(|id| parsed.span(id).end)?;
    let end = parsed.span(name).start;
    if text[start as usize..end as usize].trim_ascii() == b"void" {
        return None;
    }
    let mut edits = vec![Edit::replace(start..end, " void ")];
    let returned = tree.node(function).after;
    for id in (function..returned).filter(|&id| tree.kind(id) == "terminator_statement") {
        let span = parsed.span(id);
        if parsed.text_of(id).starts_with(b"ret ") || parsed.text_of(id).starts_with(b"ret{") {
            edits.push(Edit::replace(span, "ret void"));
        }
    }
    let is_use = |id: &NodeId| *id != name && parsed.text_of(*id) == word;
    for callee in tree.leaves(0).filter(is_use) {
        let at = parsed.span(callee).start as usize;
        let line = text[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let head = &text[line..at];
        let keyword = head.windows(4).rposition(|window| window == b"call")?;
        let first = line + head.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        edits.push(Edit::replace(first as u32..at as u32, "call void "));
        if !head[..keyword].contains(&b'=') && !head[..keyword].trim_ascii().is_empty() {
            return None;
        }
    }
    edits.sort_by_key(|edit| edit.span.start);
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
    fn calls_of_a_function_without_a_value_have_none() {
        let text = "define internal i32 @f(i32 %a) {\n  %b = call i32 @f(i32 1)\n  ret i32 %b\n}";
        let expected = "define internal void @f(i32 %a) {\n  call void @f(i32 1)\n  ret void\n}";
        assert_eq!(first("llvm", text), expected);
        let compact = "define{i8,i8}@f(){\nret{i8,i8}undef\n}";
        assert_eq!(first("llvm", compact), "define void @f(){\nret void\n}");
    }

    #[test]
    fn type_and_value_go_together() {
        let text = "fn f(x: u8) -> Vec<u8> { if x > 1 { return y; } let h = 1; h }";
        assert_eq!(first("rust", text), "fn f(x: u8) { if x > 1 { return ; } let h = 1;  }");
        let text = "package p\nfunc f(x int) int { g(); return x }\n";
        assert_eq!(first("go", text), "package p\nfunc f(x int) { g(); return  }\n");
    }
}
