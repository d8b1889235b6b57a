//! Who names whom: declarations, their uses, and what is left without any.
//!
//! Names are compared by their text alone. That is wrong now and then, and then costs a test.

use crate::{Draft, Edit, Group};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;
use wynot_subjects::NodeId;

/// The names of a text.
#[derive(Clone, Debug, Default)]
pub struct References {
    /// All uses in order: where, and of which name.
    uses: Vec<(u32, usize)>,
    declarations: Vec<Declaration>,
    /// The declarations of each name.
    by_name: Vec<Vec<usize>>,
    names: Vec<Vec<u8>>,
}

/// An element of a list that declares names.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// Where it is, up to the element behind it.
    pub span: Range<u32>,
    names: Vec<usize>,
    /// Whether it is a function whose body is more than the shortest there is.
    has_body: bool,
}

/// How often each name is used outside its declarations, at some moment.
pub type Tally = Rc<Vec<u32>>;

impl References {
    /// Reads the names of a draft.
    pub fn of(draft: &Draft) -> Self {
        let mut found = Self::default();
        if !draft.language.has_declarations {
            return found;
        }
        let mut known: HashMap<&[u8], usize> = HashMap::new();
        for id in 0..draft.tree.nodes().len() as NodeId {
            if draft.tree.is_leaf(id) && is_name(draft.text_of(id)) {
                let text = draft.text_of(id);
                let name = *known.entry(text).or_insert_with(|| {
                    found.names.push(text.to_vec());
                    found.names.len() - 1
                });
                found.uses.push((draft.tree.node(id).start, name));
            }
        }
        found.by_name = vec![Vec::new(); found.names.len()];
        found.find_declarations(draft, &known);
        found
    }

    fn find_declarations(&mut self, draft: &Draft, known: &HashMap<&[u8], usize>) {
        for parent in 0..draft.tree.nodes().len() as NodeId {
            let Some(group) = Group::of(draft, parent) else { continue };
            if !holds_declarations(draft, parent) {
                continue;
            }
            for (index, &node) in group.nodes.iter().enumerate() {
                let names = declared(draft, node).into_iter().map(|leaf| draft.text_of(leaf));
                let mut names: Vec<usize> =
                    names.filter_map(|name| known.get(name).copied()).collect();
                // The path is no use of the name, so it may be a new one.
                names.extend(
                    imported(draft, node)
                        .map(|name| known.get(name).copied().unwrap_or_else(|| self.add(name))),
                );
                if names.is_empty() {
                    continue;
                }
                let edits = group.delete(draft, (index as u32, index as u32 + 1));
                let Some(edit) = edits.first() else { continue };
                for &name in &names {
                    self.by_name[name].push(self.declarations.len());
                }
                let has_body = has_body(draft, node);
                self.declarations.push(Declaration { span: edit.span.clone(), names, has_body });
            }
        }
    }

    fn add(&mut self, name: &[u8]) -> usize {
        self.names.push(name.to_vec());
        self.by_name.push(Vec::new());
        self.names.len() - 1
    }

    /// All declarations, in order.
    pub fn declarations(&self) -> &[Declaration] {
        &self.declarations
    }

    /// Where the names of a declaration are used by others.
    pub fn uses_outside(&self, declaration: &Declaration) -> Vec<Range<u32>> {
        let used = self
            .uses
            .iter()
            .filter(|(at, name)| declaration.names.contains(name) && !self.is_own(*at, *name));
        used.map(|&(at, name)| at..at + self.names[name].len() as u32).collect()
    }

    /// The names that a declaration uses itself, but for those it declares.
    pub fn names_inside<'a>(
        &'a self,
        declaration: &'a Declaration,
    ) -> impl Iterator<Item = &'a [u8]> + 'a {
        let inside = self.uses.iter().filter(|(at, name)| {
            declaration.span.contains(at) && !declaration.names.contains(name)
        });
        inside.map(|&(_, name)| self.names[name].as_slice())
    }

    /// Counts the living uses of each name outside its own declarations.
    pub fn tally(&self, draft: &Draft) -> Tally {
        let mut tally = vec![0; self.names.len()];
        for &(at, name) in &self.uses {
            if !draft.edits.covers(&(at..at + 1)) && !self.is_own(at, name) {
                tally[name] += 1;
            }
        }
        Rc::new(tally)
    }

    /// Whether a use of a name lies in a declaration of it.
    fn is_own(&self, at: u32, name: usize) -> bool {
        self.by_name[name].iter().any(|&index| self.declarations[index].span.contains(&at))
    }

    /// The declarations that lose their last use with some edits, and those that lose it with them.
    pub fn orphans(&self, draft: &Draft, tally: &Tally, edits: &[Edit]) -> Vec<Edit> {
        let mut left: HashMap<usize, u32> = HashMap::new();
        let mut gone: HashSet<usize> = HashSet::new();
        let mut orphans = Vec::new();
        let mut pending: Vec<Range<u32>> = edits.iter().map(|edit| edit.span.clone()).collect();
        let removed = |at: u32| edits.iter().any(|edit| edit.span.contains(&at));
        while let Some(span) = pending.pop() {
            let first = self.uses.partition_point(|(at, _)| *at < span.start);
            let inside = self.uses[first..].iter().take_while(|(at, _)| *at < span.end);
            for &(at, name) in inside {
                if draft.edits.covers(&(at..at + 1)) || self.is_own(at, name) {
                    continue;
                }
                let count = left.entry(name).or_insert(tally[name]);
                *count = count.saturating_sub(1);
                if *count > 0 {
                    continue;
                }
                for &index in &self.by_name[name] {
                    let declaration = &self.declarations[index];
                    let unused = declaration
                        .names
                        .iter()
                        .all(|name| left.get(name).copied().unwrap_or(tally[*name]) == 0);
                    let there =
                        !draft.edits.covers(&declaration.span) && !removed(declaration.span.start);
                    if unused && there && gone.insert(index) {
                        orphans.push(Edit::delete(declaration.span.clone()));
                        pending.push(declaration.span.clone());
                    }
                }
            }
        }
        orphans
    }

    /// The declarations that nobody names, but somebody named in an earlier text.
    pub fn newly_unused(&self, draft: &Draft, earlier: &Self, before: &Draft) -> Vec<Edit> {
        let tally = earlier.tally(before);
        let used = earlier.names.iter().zip(tally.iter()).filter(|(_, uses)| **uses > 0);
        let used: HashSet<&[u8]> = used.map(|(name, _)| name.as_slice()).collect();
        let now = self.tally(draft);
        let unused = self.declarations.iter().filter(|declaration| {
            let mut names = declaration.names.iter();
            names.clone().all(|&name| now[name] == 0)
                && names.any(|&name| used.contains(self.names[name].as_slice()))
        });
        let edits: Vec<Edit> =
            unused.map(|declaration| Edit::delete(declaration.span.clone())).collect();
        let more = self.orphans(draft, &now, &edits);
        [edits, more].concat()
    }

    /// All declarations that nobody names, and those that only they name. Functions whose body could
    /// not be emptied are needed for something, with or without a name.
    pub fn unused(&self, draft: &Draft, even_with_body: bool) -> Vec<Edit> {
        let tally = self.tally(draft);
        let unused = |declaration: &&Declaration| {
            declaration.names.iter().all(|&name| tally[name] == 0)
                && !draft.edits.covers(&declaration.span)
                && (even_with_body || !declaration.has_body)
        };
        let first: Vec<Edit> = self
            .declarations
            .iter()
            .filter(unused)
            .map(|declaration| Edit::delete(declaration.span.clone()))
            .collect();
        let more = self.orphans(draft, &tally, &first);
        let mut all = [first, more].concat();
        all.sort_by_key(|edit| edit.span.start);
        all.dedup_by(|b, a| b.span.end <= a.span.end);
        all
    }
}

/// Whether the elements of a list are declarations in their own right. Parameters, fields and what a
/// trait demands are not.
fn holds_declarations(draft: &Draft, parent: NodeId) -> bool {
    const PLACES: &[&str] = &[
        "block",
        "compound_statement",
        "statement_block",
        "declaration_list",
        "class_body",
        "preproc_ifdef",
        "preproc_if",
        "linkage_specification",
        "import_spec_list",
        "source",
    ];
    let tree = &draft.tree;
    let in_trait = tree.child_by_field(tree.node(parent).parent, "trait").is_some();
    parent == 0 || PLACES.contains(&tree.kind(parent)) && !in_trait
}

fn has_body(draft: &Draft, node: NodeId) -> bool {
    let shortest = draft.language.body.unwrap_or_default();
    let body = draft
        .tree
        .child_by_field(node, "body")
        .filter(|_| draft.tree.kind(node).contains("function"));
    body.is_some_and(|body| draft.text_of(body) != shortest.as_bytes())
}

/// A word that could be a name.
fn is_name(text: &[u8]) -> bool {
    let starts = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_' || *byte == b'$';
    text.first().is_some_and(starts) && !text.iter().any(u8::is_ascii_whitespace)
}

/// The name by which an imported package goes: the last part of its path.
fn imported(draft: &Draft, node: NodeId) -> Option<&[u8]> {
    let path = draft.tree.child_by_field(node, "path")?;
    let text = draft.text_of(path).strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    text.rsplit(|&byte| byte == b'/').next().filter(|name| is_name(name))
}

/// The leaves that an element declares: its name, the innermost of its declarators, its enumerators.
fn declared(draft: &Draft, node: NodeId) -> Vec<NodeId> {
    let tree = &draft.tree;
    if tree.is_leaf(node) {
        return Vec::new();
    }
    if tree.kind(node) == "list" {
        // (declare-fun x ...), (define-fun f ...)
        let mut children = tree.children(node).filter(|&child| tree.is_named(child));
        let head = children.next().map(|head| draft.text_of(head));
        let declares =
            head.is_some_and(|head| head.starts_with(b"declare-") || head.starts_with(b"define-"));
        return children
            .next()
            .filter(|&name| declares && tree.is_leaf(name))
            .into_iter()
            .collect();
    }
    let mut found = Vec::new();
    let mut pending = vec![node];
    while let Some(next) = pending.pop() {
        if tree.is_leaf(next) {
            found.push(next);
            continue;
        }
        for child in tree.children(next) {
            let is_enumeration = tree.kind(next) == "enum_specifier" && tree.field(child) == "body";
            let is_declarator = matches!(tree.field(child), "name" | "declarator");
            let kind = tree.kind(child);
            let wraps = next == node
                && (kind.ends_with("_declarator")
                    || kind == "enum_specifier"
                    || kind.ends_with("_specifier") && tree.field(child) == "type");
            if is_declarator || is_enumeration || wraps || kind == "enumerator" {
                pending.push(child);
            }
        }
    }
    found.retain(|&leaf| is_name(draft.text_of(leaf)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use wynot_subjects::Language;

    fn without_unused(language: &str, text: &str) -> String {
        let draft = Draft::new(text.as_bytes().to_vec(), Language::named(language).unwrap());
        let unused = References::of(&draft).unused(&draft, true);
        String::from_utf8(draft.with(&unused).text()).unwrap()
    }

    #[test]
    fn what_nobody_names_goes_with_what_only_it_names() {
        let text = "int a;\nint b(void) { return a; }\nint c(void) { return b(); }\nint d = 1;\n\
                    int main(void) { return d; }\nint e(void) { return main(); }\nint x = e;\n";
        // x is used by nobody, then e, then main, then d; and c, then b, then a.
        assert_eq!(without_unused("c", text).trim(), "");
        let kept = "enum E { A, B };\nint main() { return B; }\nint (*p)() = main;\nint q = p;q;";
        assert!(without_unused("c", kept).contains("enum E"));
    }

    #[test]
    fn names_are_declared_in_many_ways() {
        assert_eq!(
            without_unused("rust", "struct S;\nfn f() {}\nimpl T for U { fn g() {} }\n"),
            "impl T for U { fn g() {} }\n"
        );
        assert_eq!(
            without_unused("javascript", "var a = 1;\nfunction f() {}\nclass C {}\nf();\n"),
            "function f() {}\nf();\n"
        );
        assert_eq!(
            without_unused("python", "def f(): pass\nclass C: pass\nx = C()\n"),
            "class C: pass\nx = C()\n"
        );
        assert_eq!(
            without_unused(
                "go",
                "package p\nimport (\n\"net/http\"\n\"sync\"\n)\ntype (t sync.M)\n"
            ),
            "package p\nimport (\n\"sync\"\n)\ntype (t sync.M)\n"
        );
        assert_eq!(
            without_unused("smt2", "(declare-fun x () Int)(declare-fun y () Int)(assert y)"),
            "(declare-fun y () Int)(assert y)"
        );
    }
}
