//! Inlines functions: each call becomes the value that the function returns, after its statements, with the
//! arguments in the place of the parameters, and the function goes. Where the body cannot do with the
//! arguments, as with 0 in the place of a pointer, the calling function gets the parameters instead.
//!
//! Functions are found by their leaves (a name, brackets, a body), because grammars do not understand much of
//! what is left of a program. A function that returns in several places stays.

use crate::pass::one_by_one::OneByOne;
use crate::text::edit::Edit;
use crate::text::kinds;
use crate::text::leaves::Leaves;
use crate::text::list::List;
use crate::text::parsed_text::ParsedText;
use std::collections::BTreeMap;
use std::ops::Range;

/// Texts with more bytes than this are left alone: every use of every name is visited.
const MAX_TEXT_BYTES: usize = 128 << 10;

/// The number of leaves that may stand between the parameters of a function and its body.
const MAX_RESULT_TYPE_LEAVES: usize = 12;

/// Inlines one function after the other.
pub fn inlining(parsed: &ParsedText) -> OneByOne {
    if parsed.text.len() > MAX_TEXT_BYTES || !parsed.language.has_declarations {
        return OneByOne::empty("inlining");
    }
    let leaves = Leaves::of(parsed);
    let mut by_name: BTreeMap<&[u8], Vec<usize>> = BTreeMap::new();
    for at in 0..leaves.nodes.len() {
        if parsed.tree.is_named(leaves.nodes[at]) && leaves.is(at + 1, "(") {
            by_name.entry(leaves.text(at)).or_default().push(at);
        }
    }
    let mut proposals = Vec::new();
    for uses in by_name.values().filter(|uses| uses.len() > 1) {
        for function in uses.iter().filter_map(|&at| Function::at(&leaves, at)) {
            proposals.extend(function.inline(&leaves, uses, ParametersBecome::Arguments));
            if let ([_, _], false) = (uses.as_slice(), function.parameters.is_empty()) {
                let replacement = ParametersBecome::CallerParameters;
                proposals.extend(function.inline(&leaves, uses, replacement));
            }
        }
    }
    OneByOne::new("inlining", proposals)
}

/// What replaces the parameters of a function in its body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ParametersBecome {
    /// The arguments of the call.
    Arguments,
    /// Parameters of the same names, added to the calling function.
    CallerParameters,
}

/// A function that can be inlined: ranges of leaves.
struct Function {
    /// The leaf that is its name.
    name: usize,
    parameters: Vec<Range<usize>>,
    body: Range<usize>,
    /// The statements before the returned value.
    statements: Range<usize>,
    /// The returned value; empty if there is none.
    value: Range<usize>,
}

impl Function {
    /// The function that a leaf is the name of, if it returns at most once and at its end.
    fn at(leaves: &Leaves<'_>, name: usize) -> Option<Self> {
        let close = leaves.closing[name + 1]?;
        let parameters = leaves.elements(name + 2..close);
        let body = body(leaves, name)?;
        let mut returns = body.clone().filter(|&at| leaves.is(at, "return"));
        let ends = |at: &usize| leaves.is(*at, ";") || leaves.is(*at, "{");
        let (statements, value) = match (returns.next(), returns.next()) {
            (Some(at), None) => {
                let end = body.end - usize::from(leaves.is(body.end - 1, ";"));
                (body.start..at, at + 1..end.max(at + 1))
            }
            // In Rust, the value is what follows the last statement.
            (None, _) if leaves.parsed.language.name == "rust" => {
                let last = leaves.outside_brackets(body.clone()).filter(ends).last();
                let start = last.map_or(body.start, |at| leaves.closing[at].unwrap_or(at) + 1);
                (body.start..start, start..body.end)
            }
            (None, _) => (body.clone(), body.end..body.end),
            _ => return None,
        };
        // The return is the last statement of the body, and no part of another one.
        let is_nested =
            !value.is_empty() && !leaves.outside_brackets(body.clone()).any(|at| at == value.start);
        let has_more = leaves.outside_brackets(value.clone()).any(|at| leaves.is(at, ";"));
        let needs_lines = leaves.parsed.language.is_layout_sensitive && !statements.is_empty();
        (!body.is_empty() && !is_nested && !has_more && !needs_lines).then_some(Self {
            name,
            parameters,
            body,
            statements,
            value,
        })
    }

    /// The edits that inline all calls and delete the function; `None` if it cannot be inlined everywhere.
    fn inline(
        &self,
        leaves: &Leaves<'_>,
        uses: &[usize],
        replacement: ParametersBecome,
    ) -> Option<Vec<Edit>> {
        let size = leaves.span(&self.statements).len() + leaves.span(&self.value).len();
        if size * (uses.len() - 2) > leaves.parsed.text.len() {
            return None;
        }
        let deleted = self.whole_span(leaves);
        let mut edits = vec![Edit::delete(deleted.clone())];
        let mut last_end = 0;
        for &at in uses.iter().filter(|&&at| at != self.name) {
            let call = at..leaves.closing[at + 1]? + 1;
            let span = leaves.span(&call);
            let is_nested = span.start < last_end;
            if is_nested || deleted.contains(&span.start) || !leaves.is_unqualified(at) {
                return None;
            }
            last_end = span.end;
            if replacement == ParametersBecome::CallerParameters {
                let all = self.name + 2..leaves.closing[self.name + 1]?;
                edits.push(add_to_caller(leaves, &all, at)?);
            }
            let follows_name = at > 0 && leaves.parsed.tree.is_named(leaves.nodes[at - 1]);
            match follows_name && leaves.is(call.end, ";") {
                // A declaration without a body is deleted.
                true => {
                    let end = leaves.span(&(at..call.end + 1)).end;
                    edits.push(Edit::delete(definition_start(leaves, at)..end));
                }
                false => edits.extend(self.replace_call(leaves, &call, replacement)?),
            }
        }
        edits.sort_by_key(|edit| edit.span.start);
        (edits.len() > 1).then_some(edits)
    }

    /// The edits that replace a call by the function's statements and value.
    fn replace_call(
        &self,
        leaves: &Leaves<'_>,
        call: &Range<usize>,
        replacement: ParametersBecome,
    ) -> Option<Vec<Edit>> {
        let arguments = match replacement {
            ParametersBecome::Arguments => Some(leaves.elements(call.start + 2..call.end - 1)),
            ParametersBecome::CallerParameters => None,
        };
        let arguments = arguments.as_deref();
        let span = leaves.span(call);
        let statement = statement_start(leaves, span.start);
        let is_statement = statement == Some(span.start) && leaves.is_delimited(call);
        let mut value = self.substitute(leaves, &self.value, arguments);
        if !leaves.is_delimited(call) && !leaves.is_primary(&self.value) {
            value = [b"(", value.as_slice(), b")"].concat();
        }
        if self.statements.is_empty() {
            return (!value.is_empty()).then(|| vec![Edit::replace(span, value)]);
        }
        let mut before = self.substitute(leaves, &self.statements, arguments);
        if is_statement {
            if value.is_empty() && before.last() == Some(&b';') {
                before.pop();
            }
            return Some(vec![Edit::replace(span, [before, value].concat())]);
        }
        let start = statement.filter(|_| !value.is_empty())?;
        Some(vec![Edit::replace(start..start, before), Edit::replace(span, value)])
    }

    /// A part of the body in which arguments, if given, replace the parameters.
    fn substitute(
        &self,
        leaves: &Leaves<'_>,
        part: &Range<usize>,
        arguments: Option<&[Range<usize>]>,
    ) -> Vec<u8> {
        let parsed = leaves.parsed;
        let replaced = if arguments.is_some() { self.parameters.as_slice() } else { &[] };
        let names: Vec<&[u8]> =
            replaced.iter().map(|parameter| parameter_name(leaves, parameter)).collect();
        let all = leaves.span(part);
        let mut text = Vec::new();
        let mut copied = all.start as usize;
        for at in part.clone().filter(|&at| leaves.is_unqualified(at)) {
            let Some(index) = names.iter().position(|name| *name == leaves.text(at)) else {
                continue;
            };
            let span = parsed.tree.span(leaves.nodes[at]);
            text.extend_from_slice(&parsed.text[copied..span.start]);
            copied = span.end;
            let Some(argument) = arguments.and_then(|all| all.get(index)) else {
                let constant = parsed.language.expressions.first();
                text.extend_from_slice(constant.copied().unwrap_or_default().as_bytes());
                continue;
            };
            let needs_no_brackets =
                leaves.is_primary(argument) || leaves.is_delimited(&(at..at + 1));
            let argument = leaves.span(argument);
            let argument = &parsed.text[argument.start as usize..argument.end as usize];
            match needs_no_brackets {
                true => text.extend_from_slice(argument),
                false => text.extend([b"(", argument, b")"].concat()),
            }
        }
        text.extend_from_slice(&parsed.text[copied..all.end as usize]);
        text
    }

    /// The span of the whole function, with what goes with it.
    fn whole_span(&self, leaves: &Leaves<'_>) -> Range<u32> {
        let tree = &leaves.parsed.tree;
        let (name, last) = (leaves.nodes[self.name], leaves.nodes[self.body.end - 1]);
        let mut whole = name;
        while tree.node(whole).after <= last {
            whole = tree.node(whole).parent;
        }
        let list = List::of(leaves.parsed, tree.node(whole).parent).filter(|_| whole != 0);
        let deleted = list.and_then(|list| {
            let at = list.nodes.iter().position(|&element| element == whole)? as u32;
            list.delete(leaves.parsed, (at, at + 1)).pop()
        });
        // Where the grammar reports errors, a node can hold more than one function.
        let closing = self.body.end - usize::from(leaves.parsed.language.is_layout_sensitive);
        let (start, end) =
            (definition_start(leaves, self.name), leaves.span(&(self.name..closing + 1)).end);
        let fits = tree.node(whole).start >= start && tree.node(whole).end <= end;
        deleted.filter(|_| fits).map_or(start..end, |edit| edit.span)
    }
}

/// The body of the function that a leaf is the name of.
fn body(leaves: &Leaves<'_>, name: usize) -> Option<Range<usize>> {
    if leaves.parsed.language.is_layout_sensitive {
        let tree = &leaves.parsed.tree;
        let leaf = leaves.nodes[name];
        let body = tree.child_by_field(tree.node(leaf).parent, "body")?;
        let first = leaves.nodes.partition_point(|&leaf| leaf < body);
        let end = leaves.nodes.partition_point(|&leaf| leaf < tree.node(body).after);
        return (tree.field(leaf) == "name" && first < end).then_some(first..end);
    }
    let close = leaves.closing[name + 1]?;
    let ends = [&b";"[..], b"}", b")", b",", b"=", b""];
    let mut result_type = (close + 1..=close + MAX_RESULT_TYPE_LEAVES)
        .take_while(|&at| !ends.contains(&leaves.text(at)));
    let open = result_type.find(|&at| leaves.is(at, "{"))?;
    Some(open + 1..leaves.closing[open]?)
}

/// The edit that adds parameters to the innermost function around a place.
fn add_to_caller(leaves: &Leaves<'_>, parameters: &Range<usize>, place: usize) -> Option<Edit> {
    let encloses = |at: &usize| {
        leaves.parsed.tree.is_named(leaves.nodes[*at])
            && leaves.is(at + 1, "(")
            && body(leaves, *at).is_some_and(|body| body.contains(&place))
    };
    let name = (0..place).rev().find(encloses)?;
    let close = leaves.closing[name + 1]?;
    let comma = if close > name + 2 { "," } else { "" };
    let span = leaves.span(parameters);
    let text = &leaves.parsed.text[span.start as usize..span.end as usize];
    let end = leaves.span(&(close..close + 1)).start;
    Some(Edit::replace(end..end, [comma.as_bytes(), text].concat()))
}

/// The position at which the definition of a name begins, by the leaves before it.
fn definition_start(leaves: &Leaves<'_>, name: usize) -> u32 {
    let is_end = |at: &usize| {
        matches!(leaves.text(*at), b";" | b"{" | b"}") || leaves.text(*at).contains(&b'\n')
    };
    let start = (0..name).rev().find(is_end).map_or(0, |end| end + 1);
    leaves.span(&(start..name + 1)).start
}

/// The position at which the statement around another position begins.
fn statement_start(leaves: &Leaves<'_>, place: u32) -> Option<u32> {
    let tree = &leaves.parsed.tree;
    let at = leaves.nodes.partition_point(|&leaf| tree.node(leaf).start < place);
    let mut node = *leaves.nodes.get(at)?;
    while node != 0 {
        let parent = tree.node(node).parent;
        if kinds::is_block(leaves.parsed, parent) {
            return Some(tree.node(node).start);
        }
        node = parent;
    }
    None
}

/// The name of a parameter.
fn parameter_name<'a>(leaves: &Leaves<'a>, parameter: &Range<usize>) -> &'a [u8] {
    let tree = &leaves.parsed.tree;
    let ends = |at: &usize| matches!(leaves.text(*at), b":" | b"=" | b"[");
    let end = parameter.clone().find(ends).unwrap_or(parameter.end);
    let names = (parameter.start..end).rev();
    let mut names = names.filter(|&at| tree.is_named(leaves.nodes[at]));
    let last = names.clone().next();
    let name = names.find(|&at| tree.kind(leaves.nodes[at]) == "identifier").or(last);
    name.map(|at| leaves.text(at)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::{parse, proposals};

    fn tried(language: &str, text: &str) -> Vec<String> {
        let parsed = parse(language, text);
        proposals(inlining(&parsed), &parsed)
    }

    fn first(language: &str, text: &str) -> [String; 1] {
        [tried(language, text).remove(0)]
    }

    #[test]
    fn the_calling_function_may_get_the_parameters() {
        let tried = tried("c", "a(int*p){f(p);}b(int c){a(0);g();}");
        assert_eq!(tried, ["b(int c){f(0);g();}", "b(int c,int*p){f(p);g();}"]);
    }

    #[test]
    fn a_call_becomes_the_value() {
        let text = "int a(int s,int h){return h*s;}g(o){return 1+a(o+1,p->q);}";
        assert_eq!(first("c", text), ["g(o){return 1+(p->q*(o+1));}"]);
        let text = "c;a(s){return c*s;}g(o){p->f=a(o);}";
        assert_eq!(first("c", text), ["c;g(o){p->f=c*o;}"]);
        let text = "a(int s,int h){return h*s;}g(o){p->f=a(o,p->q.t);}";
        assert_eq!(first("c", text), ["g(o){p->f=p->q.t*o;}"]);
    }

    #[test]
    fn calls_are_inlined_in_every_language() {
        let rust = "fn a(s: u8) -> u8 { s + 1 }\nfn g() -> u8 { a(2) }\n";
        assert_eq!(first("rust", rust), ["fn g() -> u8 { 2 + 1 }\n"]);
        let go = "package p\nfunc a(s int) int { return s + 1 }\nfunc g() int { return a(2) }\n";
        assert_eq!(first("go", go), ["package p\nfunc g() int { return 2 + 1 }\n"]);
        let python = "def a(s):\n    return s.t + 1\nprint(a(2))\n";
        assert_eq!(first("python", python), ["print(2.t + 1)\n"]);
        let script = "function a(s) { return s + 1 }\nprint(a(2));\n";
        assert_eq!(first("javascript", script), ["print(2 + 1);\n"]);
        let java = "class A { int a(int s) { return s; } int g() { return a(2); } }";
        assert_eq!(first("java", java), ["class A { int g() { return 2; } }"]);
    }

    #[test]
    fn statements_come_before_the_statement_with_the_call() {
        let text = "int a(int s){f(s);return s;}g(o){x=a(o);}";
        assert_eq!(first("c", text), ["g(o){f(o);x=o;}"]);
        let text = "void a(int s){f(s);if(s){h();}}void g(){a(3);k();}";
        assert_eq!(first("c", text), ["void g(){f(3);if(3){h();};k();}"]);
    }

    #[test]
    fn functions_that_return_early_or_call_themselves_stay() {
        assert!(tried("c", "int a(int s){if(s)return 1;return s;}g(o){x=a(o);}").is_empty());
        assert!(tried("c", "int a(int s){return a(s);}g(o){x=a(o);}").is_empty());
        assert!(tried("c", "int a(int s){if(s){return s;}}g(o){x=a(o);}").is_empty());
    }

    #[test]
    fn declarations_without_a_body_go_too() {
        let text = "int a(int);int a(int s){return s;}int g(int o){return a(o);}";
        assert_eq!(first("c", text), ["int g(int o){return o;}"]);
    }

    #[test]
    fn incomplete_programs_do_no_harm() {
        let text = "print(a(2))\nint a(int s,int*h){f(s);return h[s];}b(){x=a(o,(p));}\n\
                    def a(s):\n    return s + 1\n";
        for language in wynot_subjects::LANGUAGES {
            for at in (0..text.len()).step_by(3) {
                tried(language.name, &text[..at]);
                tried(language.name, &text[at..]);
            }
        }
    }
}
