//! Calls become what is called: the value that a function returns, and the statements before it, with the
//! arguments in the place of the parameters. The function goes. Where the body cannot do with the arguments, as with 0
//! in the place of a pointer, the function that calls gets the parameters.
//!
//! Functions are found by their tokens (a name, brackets, a body), because grammars do not understand much of
//! what is left of a program. Who returns in several places stays.

use crate::choices::{Choices, choosing};
use crate::sequence::Sequence;
use crate::{Draft, Edit, Group, category};
use std::collections::BTreeMap;
use std::ops::Range;

choosing! {
    /// Puts what a function does in the place of its calls.
    Inlining, "inlining"
}

/// Above this many bytes, calls are left alone: every use of every name is looked at.
const LARGE: usize = 128 << 10;

/// How many tokens may stand between the parameters of a function and its body.
const RESULT: usize = 12;

impl Inlining {
    pub fn new(draft: &Draft) -> Self {
        if draft.text.len() > LARGE || !draft.language.has_declarations {
            return Self(Choices::new(Vec::new()));
        }
        let tokens = Sequence::of(draft);
        let mut by_name: BTreeMap<&[u8], Vec<usize>> = BTreeMap::new();
        for at in 0..tokens.leaves.len() {
            if draft.tree.is_named(tokens.leaves[at]) && tokens.is(at + 1, "(") {
                by_name.entry(tokens.text(at)).or_default().push(at);
            }
        }
        let mut choices = Vec::new();
        for uses in by_name.values().filter(|uses| uses.len() > 1) {
            for function in uses.iter().filter_map(|&at| Function::at(&tokens, at)) {
                choices.extend(function.inlined(&tokens, uses, Arguments::Filled));
                // Arguments that the body cannot do with: the one that calls gets the parameters.
                if let ([_, _], false) = (uses.as_slice(), function.parameters.is_empty()) {
                    choices.extend(function.inlined(&tokens, uses, Arguments::Adopted));
                }
            }
        }
        Self(Choices::new(choices))
    }
}

/// What comes in the place of parameters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arguments {
    /// The arguments of the call.
    Filled,
    /// Parameters of the function that calls, with the same names.
    Adopted,
}

/// A function that is inlined as a whole.
struct Function {
    /// Its name.
    name: usize,
    parameters: Vec<Range<usize>>,
    body: Range<usize>,
    /// What it does first.
    statements: Range<usize>,
    /// What it returns.
    value: Range<usize>,
}

impl Function {
    /// The function whose name is here.
    fn at(tokens: &Sequence, name: usize) -> Option<Self> {
        let close = tokens.closed[name + 1]?;
        let parameters = tokens.elements(name + 2..close);
        let body = body(tokens, name)?;
        let mut returns = body.clone().filter(|&at| tokens.is(at, "return"));
        let ends = |at: &usize| tokens.is(*at, ";") || tokens.is(*at, "{");
        let (statements, value) = match (returns.next(), returns.next()) {
            (Some(at), None) => {
                let end = body.end - usize::from(tokens.is(body.end - 1, ";"));
                (body.start..at, at + 1..end.max(at + 1))
            }
            // In Rust, what follows the last statement is the value.
            (None, _) if tokens.draft.language.name == "rust" => {
                let last = tokens.outer(body.clone()).filter(ends).last();
                let start = last.map_or(body.start, |at| tokens.closed[at].unwrap_or(at) + 1);
                (body.start..start, start..body.end)
            }
            (None, _) => (body.clone(), body.end..body.end),
            _ => return None,
        };
        // Only the last thing a function does is to return.
        let nested = !value.is_empty() && !tokens.outer(body.clone()).any(|at| at == value.start);
        let goes_on = tokens.outer(value.clone()).any(|at| tokens.is(at, ";"));
        let lines = tokens.draft.language.is_layout_sensitive && !statements.is_empty();
        (!body.is_empty() && !nested && !goes_on && !lines).then_some(Self {
            name,
            parameters,
            body,
            statements,
            value,
        })
    }

    /// The edits after which nobody calls it, and it is gone.
    fn inlined(&self, tokens: &Sequence, uses: &[usize], by: Arguments) -> Option<Vec<Edit>> {
        let size = tokens.span(&self.statements).len() + tokens.span(&self.value).len();
        if size * (uses.len() - 2) > tokens.draft.text.len() {
            return None;
        }
        let gone = self.gone(tokens);
        let mut edits = vec![Edit::delete(gone.clone())];
        let mut behind = 0;
        for &at in uses.iter().filter(|&&at| at != self.name) {
            let call = at..tokens.closed[at + 1]? + 1;
            let span = tokens.span(&call);
            let nests = span.start < behind;
            if nests || gone.contains(&span.start) || !tokens.stands_alone(at) {
                return None;
            }
            behind = span.end;
            if by == Arguments::Adopted {
                let all = self.name + 2..tokens.closed[self.name + 1]?;
                edits.push(adopt(tokens, &all, at)?);
            }
            let is_declared = at > 0 && tokens.draft.tree.is_named(tokens.leaves[at - 1]);
            match is_declared && tokens.is(call.end, ";") {
                true => {
                    let end = tokens.span(&(at..call.end + 1)).end;
                    edits.push(Edit::delete(back(tokens, at)..end));
                }
                false => edits.extend(self.called(tokens, &call, by)?),
            }
        }
        edits.sort_by_key(|edit| edit.span.start);
        (edits.len() > 1).then_some(edits)
    }

    /// The edits that put it in the place of a call.
    fn called(&self, tokens: &Sequence, call: &Range<usize>, by: Arguments) -> Option<Vec<Edit>> {
        let arguments = match by {
            Arguments::Filled => Some(tokens.elements(call.start + 2..call.end - 1)),
            Arguments::Adopted => None,
        };
        let arguments = arguments.as_deref();
        let span = tokens.span(call);
        let statement = statement(tokens, span.start);
        let is_statement = statement == Some(span.start) && tokens.is_apart(call);
        let mut value = self.filled(tokens, &self.value, arguments);
        if !tokens.is_apart(call) && !tokens.is_atom(&self.value) {
            value = [b"(", value.as_slice(), b")"].concat();
        }
        if self.statements.is_empty() {
            return (!value.is_empty()).then(|| vec![Edit::replace(span, value)]);
        }
        let mut before = self.filled(tokens, &self.statements, arguments);
        if is_statement {
            if value.is_empty() && before.last() == Some(&b';') {
                before.pop();
            }
            return Some(vec![Edit::replace(span, [before, value].concat())]);
        }
        let start = statement.filter(|_| !value.is_empty())?;
        Some(vec![Edit::replace(start..start, before), Edit::replace(span, value)])
    }

    /// A part of the body with arguments in the place of parameters.
    fn filled(
        &self,
        tokens: &Sequence,
        part: &Range<usize>,
        arguments: Option<&[Range<usize>]>,
    ) -> Vec<u8> {
        let draft = tokens.draft;
        let replaced = if arguments.is_some() { self.parameters.as_slice() } else { &[] };
        let names: Vec<&[u8]> =
            replaced.iter().map(|parameter| name_of(tokens, parameter)).collect();
        let all = tokens.span(part);
        let mut text = Vec::new();
        let mut copied = all.start as usize;
        for at in part.clone().filter(|&at| tokens.stands_alone(at)) {
            let Some(index) = names.iter().position(|name| *name == tokens.text(at)) else {
                continue;
            };
            let span = draft.tree.span(tokens.leaves[at]);
            text.extend_from_slice(&draft.text[copied..span.start]);
            copied = span.end;
            let Some(argument) = arguments.and_then(|all| all.get(index)) else {
                let constant = draft.language.expressions.first();
                text.extend_from_slice(constant.copied().unwrap_or_default().as_bytes());
                continue;
            };
            let bare = tokens.is_atom(argument) || tokens.is_apart(&(at..at + 1));
            let argument = tokens.span(argument);
            let argument = &draft.text[argument.start as usize..argument.end as usize];
            match bare {
                true => text.extend_from_slice(argument),
                false => text.extend([b"(", argument, b")"].concat()),
            }
        }
        text.extend_from_slice(&draft.text[copied..all.end as usize]);
        text
    }

    /// Where it is, with all that belongs to it.
    fn gone(&self, tokens: &Sequence) -> Range<u32> {
        let tree = &tokens.draft.tree;
        let (name, last) = (tokens.leaves[self.name], tokens.leaves[self.body.end - 1]);
        let mut whole = name;
        while tree.node(whole).after <= last {
            whole = tree.node(whole).parent;
        }
        let list = Group::of(tokens.draft, tree.node(whole).parent).filter(|_| whole != 0);
        let deleted = list.and_then(|list| {
            let at = list.nodes.iter().position(|&element| element == whole)? as u32;
            list.delete(tokens.draft, (at, at + 1)).pop()
        });
        // Where the grammar errs, nodes hold more than one function.
        let closing = self.body.end - usize::from(tokens.draft.language.is_layout_sensitive);
        let (start, end) = (back(tokens, self.name), tokens.span(&(self.name..closing + 1)).end);
        let fits = tree.node(whole).start >= start && tree.node(whole).end <= end;
        deleted.filter(|_| fits).map_or(start..end, |edit| edit.span)
    }
}

/// The body of the function whose name is here.
fn body(tokens: &Sequence, name: usize) -> Option<Range<usize>> {
    if tokens.draft.language.is_layout_sensitive {
        let tree = &tokens.draft.tree;
        let leaf = tokens.leaves[name];
        let body = tree.child_by_field(tree.node(leaf).parent, "body")?;
        let first = tokens.leaves.partition_point(|&leaf| leaf < body);
        let end = tokens.leaves.partition_point(|&leaf| leaf < tree.node(body).after);
        return (tree.field(leaf) == "name" && first < end).then_some(first..end);
    }
    let close = tokens.closed[name + 1]?;
    let ends = [&b";"[..], b"}", b")", b",", b"=", b""];
    let mut behind =
        (close + 1..=close + RESULT).take_while(|&at| !ends.contains(&tokens.text(at)));
    let open = behind.find(|&at| tokens.is(at, "{"))?;
    Some(open + 1..tokens.closed[open]?)
}

/// Adds the parameters of one function to those of the innermost one around a place.
fn adopt(tokens: &Sequence, parameters: &Range<usize>, place: usize) -> Option<Edit> {
    let is_around = |at: &usize| {
        tokens.draft.tree.is_named(tokens.leaves[*at])
            && tokens.is(at + 1, "(")
            && body(tokens, *at).is_some_and(|body| body.contains(&place))
    };
    let name = (0..place).rev().find(is_around)?;
    let close = tokens.closed[name + 1]?;
    let comma = if close > name + 2 { "," } else { "" };
    let span = tokens.span(parameters);
    let text = &tokens.draft.text[span.start as usize..span.end as usize];
    let end = tokens.span(&(close..close + 1)).start;
    Some(Edit::replace(end..end, [comma.as_bytes(), text].concat()))
}

/// Where what a name belongs to begins, by the tokens before it.
fn back(tokens: &Sequence, name: usize) -> u32 {
    let is_end = |at: &usize| {
        matches!(tokens.text(*at), b";" | b"{" | b"}") || tokens.text(*at).contains(&b'\n')
    };
    let start = (0..name).rev().find(is_end).map_or(0, |end| end + 1);
    tokens.span(&(start..name + 1)).start
}

/// Where the statement around a place begins.
fn statement(tokens: &Sequence, place: u32) -> Option<u32> {
    let tree = &tokens.draft.tree;
    let at = tokens.leaves.partition_point(|&leaf| tree.node(leaf).start < place);
    let mut node = *tokens.leaves.get(at)?;
    while node != 0 {
        let parent = tree.node(node).parent;
        if category::is_block(tokens.draft, parent) {
            return Some(tree.node(node).start);
        }
        node = parent;
    }
    None
}

/// The name that a parameter has.
fn name_of<'a>(tokens: &Sequence<'a>, parameter: &Range<usize>) -> &'a [u8] {
    let tree = &tokens.draft.tree;
    let ends = |at: &usize| matches!(tokens.text(*at), b":" | b"=" | b"[");
    let end = parameter.clone().find(ends).unwrap_or(parameter.end);
    let names = (parameter.start..end).rev();
    let mut names = names.filter(|&at| tree.is_named(tokens.leaves[at]));
    let last = names.clone().next();
    let name = names.find(|&at| tree.kind(tokens.leaves[at]) == "identifier").or(last);
    name.map(|at| tokens.text(at)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pass;
    use wynot_subjects::Language;

    fn tried(language: &str, text: &str) -> Vec<String> {
        let draft = Draft::new(text.as_bytes().to_vec(), Language::named(language).unwrap());
        let mut pass = Inlining::new(&draft);
        let proposed = std::iter::from_fn(|| pass.propose(&draft));
        proposed.map(|edits| String::from_utf8(draft.with(&edits).text()).unwrap()).collect()
    }

    fn first(language: &str, text: &str) -> [String; 1] {
        [tried(language, text).remove(0)]
    }

    #[test]
    fn who_calls_may_get_the_parameters() {
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
    fn every_language_calls_alike() {
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
    fn statements_come_before_the_one_that_calls() {
        let text = "int a(int s){f(s);return s;}g(o){x=a(o);}";
        assert_eq!(first("c", text), ["g(o){f(o);x=o;}"]);
        let text = "void a(int s){f(s);if(s){h();}}void g(){a(3);k();}";
        assert_eq!(first("c", text), ["void g(){f(3);if(3){h();};k();}"]);
    }

    #[test]
    fn who_returns_early_or_calls_itself_stays() {
        assert!(tried("c", "int a(int s){if(s)return 1;return s;}g(o){x=a(o);}").is_empty());
        assert!(tried("c", "int a(int s){return a(s);}g(o){x=a(o);}").is_empty());
        assert!(tried("c", "int a(int s){if(s){return s;}}g(o){x=a(o);}").is_empty());
    }

    #[test]
    fn what_only_declares_it_goes_too() {
        let text = "int a(int);int a(int s){return s;}int g(int o){return a(o);}";
        assert_eq!(first("c", text), ["int g(int o){return o;}"]);
    }

    #[test]
    fn half_a_text_does_no_harm() {
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
