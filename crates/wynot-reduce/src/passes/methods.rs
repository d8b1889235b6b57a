//! Does without methods, in short texts: a call of a function that does nothing becomes what it is called with, and the only
//! method of an implementation becomes a function.

use crate::pass::one_by_one::OneByOne;
use crate::text::edit::Edit;
use crate::text::list::List;
use crate::text::parsed_text::ParsedText;
use wynot_subjects::NodeId;

/// Replaces calls of functions that do nothing, then methods by functions.
pub fn methods(parsed: &ParsedText) -> OneByOne {
    if !parsed.is_short_program() {
        return OneByOne::empty("methods");
    }
    let calls = parsed.node_ids().filter_map(|id| calls_of_empty(parsed, id));
    let functions = parsed.node_ids().filter_map(|id| method_as_function(parsed, id));
    OneByOne::new("methods", calls.chain(functions).collect())
}

/// The deletion of a function without statements, with the replacement of its calls by their object or only argument, as
/// the function takes it.
fn calls_of_empty(parsed: &ParsedText, function: NodeId) -> Option<Vec<Edit>> {
    let tree = &parsed.tree;
    let part = |field: &str| tree.child_by_field(function, field);
    let (name, parameters, body) = (part("name")?, part("parameters")?, part("body")?);
    let is_empty = parsed.text_of(body) == b"{}"
        || Some(parsed.text_of(body)) == parsed.language.body.map(str::as_bytes);
    if !is_empty {
        return None;
    }
    let receiver =
        receiver(parsed, parameters).map(|id| parsed.text_of(id).to_vec()).unwrap_or_default();
    let taken: &[u8] = match receiver.strip_suffix(b"self") {
        Some(prefix) if prefix.starts_with(b"&") => prefix,
        _ => b"",
    };
    let list = List::of(parsed, tree.node(function).parent)?;
    let at = list.nodes.iter().position(|&element| element == function)? as u32;
    let mut edits = list.delete(parsed, (at, at + 1));
    for call in parsed.node_ids() {
        let Some(callee) = tree.child_by_field(call, "function") else { continue };
        let last =
            tree.leaves(callee).last().filter(|&leaf| parsed.text_of(leaf) == parsed.text_of(name));
        if last.is_none() {
            continue;
        }
        let object = ["value", "object", "argument"]
            .iter()
            .find_map(|field| tree.child_by_field(callee, field));
        let arguments = tree.child_by_field(call, "arguments").and_then(|id| List::of(parsed, id));
        let argument = arguments.filter(|list| list.len() == 1).map(|list| list.nodes[0]);
        let value = object.or(argument)?;
        let prefix = if object.is_some() { taken } else { b"" };
        edits.push(Edit::replace(parsed.span(call), [prefix, parsed.text_of(value)].concat()));
    }
    (edits.len() > 1).then_some(edits)
}

/// The parameter that is the object of a method.
fn receiver(parsed: &ParsedText, parameters: NodeId) -> Option<NodeId> {
    parsed.tree.children(parameters).find(|&id| parsed.tree.kind(id) == "self_parameter")
}

/// The edits after which the only method of an implementation is a function, with a name for its object.
fn method_as_function(parsed: &ParsedText, implementation: NodeId) -> Option<Vec<Edit>> {
    let tree = &parsed.tree;
    let part = |field: &str| tree.child_by_field(implementation, field);
    let (kind, body) = (part("type")?, part("body").filter(|_| part("trait").is_none())?);
    let members: Vec<NodeId> = tree.children(body).filter(|&id| tree.is_named(id)).collect();
    let [method] = members.as_slice() else { return None };
    let name = tree.child_by_field(*method, "name")?;
    let parameters = tree.child_by_field(*method, "parameters")?;
    let object = receiver(parsed, parameters)?;
    let prefix = parsed.text_of(object).strip_suffix(b"self")?;
    let is_free = |letter: &u8| !tree.leaves(0).any(|leaf| parsed.text_of(leaf) == [*letter]);
    let letter = (b'a'..=b'z').find(is_free)?;
    let kind = parsed.text_of(kind);
    let parameter = match prefix.starts_with(b"&") {
        true => [&[letter], b":".as_slice(), prefix, kind].concat(),
        false => [prefix, &[letter], b":", kind].concat(),
    };
    let (outer, inner) = (parsed.span(implementation), parsed.span(*method));
    let mut edits =
        vec![Edit::delete(outer.start..inner.start), Edit::delete(inner.end..outer.end)];
    if let Some(types) = part("type_parameters") {
        let end = parsed.span(name).end;
        edits.push(Edit::replace(end..end, parsed.text_of(types)));
    }
    edits.push(Edit::replace(parsed.span(object), parameter));
    let uses = tree.leaves(*method).filter(|&leaf| {
        parsed.text_of(leaf) == b"self" && !(object..tree.node(object).after).contains(&leaf)
    });
    edits.extend(uses.map(|leaf| Edit::replace(parsed.span(leaf), [letter])));
    Some(edits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::{parse, proposals};

    fn tried(language: &str, text: &str) -> Vec<String> {
        let parsed = parse(language, text);
        proposals(methods(&parsed), &parsed)
    }

    #[test]
    fn a_method_that_does_nothing_leaves_its_object() {
        let text = "struct a;impl a{fn d(mut self){let c=&self;self.b();c;}fn b(&mut self){}}";
        let expected = "struct a;impl a{fn d(mut self){let c=&self;&mut self;c;}}".to_owned();
        assert!(tried("rust", text).contains(&expected), "{:?}", tried("rust", text));
        let script = tried("javascript", "function f(x){}g(f(1));");
        assert!(script.contains(&"g(1);".to_owned()), "{script:?}");
    }

    #[test]
    fn the_only_method_becomes_a_function() {
        let text = "struct a;impl a{fn d(mut self){let c=&self;&mut self;c;}}";
        let expected = "struct a;fn d(mut b:a){let c=&b;&mut b;c;}".to_owned();
        assert!(tried("rust", text).contains(&expected), "{:?}", tried("rust", text));
        let generic = tried("rust", "impl<T>A<T>{fn d(&self)->T{self.e}}");
        assert!(generic.contains(&"fn d<T>(a:&A<T>)->T{a.e}".to_owned()), "{generic:?}");
    }
}
