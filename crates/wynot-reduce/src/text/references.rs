//! References between declarations: which names they declare, where these are used, and which
//! declarations are unused.
//!
//! Names are compared by their text alone, without scopes. That is wrong now and then, and then costs a
//! test.

use crate::text::edit::Edit;
use crate::text::list::List;
use crate::text::name_keys::{NameKey, is_name, name_keys};
use crate::text::parsed_text::ParsedText;
use crate::text::spans::Spans;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;
use wynot_subjects::NodeId;

/// The names of a text, with their uses and declarations. Names are numbers.
#[derive(Clone, Debug, Default)]
pub struct References {
    /// All uses in the order of their positions: position and name.
    uses: Vec<(u32, usize)>,
    /// The leaves that are these uses.
    leaves: Vec<NodeId>,
    declarations: Vec<Declaration>,
    /// The declarations of each name, as indices.
    by_name: Vec<Vec<usize>>,
    /// The bytes that the declarations of each name cover.
    own_spans: Vec<Spans>,
    /// The text of each name.
    names: Vec<Vec<u8>>,
}

/// An element of a list that declares names.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The span of the element and of the separator after it.
    pub span: Range<u32>,
    names: Vec<usize>,
    /// Whether it is a function with more than the shortest body of the language.
    has_body: bool,
}

/// The number of uses that each name has outside its own declarations, under some accepted edits.
pub type UseCounts = Rc<Vec<u32>>;

impl References {
    /// The references in a text; none where the language has no declarations.
    pub fn of(parsed: &ParsedText) -> Self {
        let mut found = Self::default();
        if !parsed.language.has_declarations {
            return found;
        }
        let keys = name_keys(parsed);
        let mut known: HashMap<&NameKey<'_>, usize> = HashMap::new();
        for (id, key) in &keys {
            let name = *known.entry(key).or_insert_with(|| {
                found.names.push(key.1.to_vec());
                found.names.len() - 1
            });
            found.uses.push((parsed.tree.node(*id).start, name));
            found.leaves.push(*id);
        }
        found.by_name = vec![Vec::new(); found.names.len()];
        found.find_declarations(parsed, &known);
        let span = |&index: &usize| found.declarations[index].span.clone();
        found.own_spans = found.by_name.iter().map(|of| of.iter().map(span).collect()).collect();
        found
    }

    fn find_declarations(&mut self, parsed: &ParsedText, known: &HashMap<&NameKey<'_>, usize>) {
        for parent in parsed.node_ids() {
            let Some(list) = List::of(parsed, parent) else { continue };
            if !holds_declarations(parsed, parent) {
                continue;
            }
            for (index, &node) in list.nodes.iter().enumerate() {
                let declared = declared(parsed, node).into_iter();
                let mut names: Vec<usize> =
                    declared.filter_map(|leaf| self.name_of(leaf)).collect();
                // The path of an import is not a use of the name, so the name may be new.
                names.extend(imported(parsed, node).map(|name| {
                    let key = (0, Cow::Borrowed(name));
                    known.get(&key).copied().unwrap_or_else(|| self.add(name))
                }));
                if names.is_empty() {
                    continue;
                }
                let edits = list.delete(parsed, (index as u32, index as u32 + 1));
                let Some(edit) = edits.first() else { continue };
                for &name in &names {
                    self.by_name[name].push(self.declarations.len());
                }
                let has_body = has_body(parsed, node);
                self.declarations.push(Declaration { span: edit.span.clone(), names, has_body });
            }
        }
    }

    /// The name that a leaf is.
    pub fn name_of(&self, leaf: NodeId) -> Option<usize> {
        self.leaves.binary_search(&leaf).ok().map(|index| self.uses[index].1)
    }

    fn add(&mut self, name: &[u8]) -> usize {
        self.names.push(name.to_vec());
        self.by_name.push(Vec::new());
        self.names.len() - 1
    }

    /// The number of names.
    pub fn name_count(&self) -> usize {
        self.names.len()
    }

    /// The leaves that are names, in the order of the text.
    pub fn named_leaves(&self) -> impl Iterator<Item = (NodeId, usize)> + '_ {
        self.leaves.iter().zip(&self.uses).map(|(&leaf, &(_, name))| (leaf, name))
    }

    /// The leaf, the position and the name of a use, by its index.
    pub fn leaf(&self, index: u32) -> NodeId {
        self.leaves[index as usize]
    }

    pub fn position(&self, index: u32) -> u32 {
        self.uses[index as usize].0
    }

    pub fn name(&self, index: u32) -> usize {
        self.uses[index as usize].1
    }

    /// All declarations, in the order of the tree.
    pub fn declarations(&self) -> &[Declaration] {
        &self.declarations
    }

    /// The spans outside a declaration that use its names.
    pub fn uses_outside(&self, declaration: &Declaration) -> Vec<Range<u32>> {
        let used = self
            .uses
            .iter()
            .filter(|(at, name)| declaration.names.contains(name) && !self.is_own(*at, *name));
        used.map(|&(at, name)| at..at + self.names[name].len() as u32).collect()
    }

    /// The names that a declaration uses, other than those it declares.
    pub fn names_inside<'a>(
        &'a self,
        declaration: &'a Declaration,
    ) -> impl Iterator<Item = &'a [u8]> + 'a {
        let inside = self.uses_in(&declaration.span);
        let other = inside.iter().filter(|(_, name)| !declaration.names.contains(name));
        other.map(|&(_, name)| self.names[name].as_slice())
    }

    /// The uses in a span.
    fn uses_in(&self, span: &Range<u32>) -> &[(u32, usize)] {
        let position = |bound: u32| self.uses.partition_point(|(at, _)| *at < bound);
        &self.uses[position(span.start)..position(span.end.max(span.start))]
    }

    /// Counts the uses of each name that the accepted edits leave outside its own declarations.
    pub fn count_uses(&self, parsed: &ParsedText) -> UseCounts {
        let mut counts = vec![0; self.names.len()];
        for (&(at, name), &leaf) in self.uses.iter().zip(&self.leaves) {
            // That control comes from a block is no reason to keep it.
            let is_use = parsed.tree.kind(leaf) != "predecessor_identifier";
            if is_use && !parsed.edits.covers(&(at..at + 1)) && !self.is_own(at, name) {
                counts[name] += 1;
            }
        }
        Rc::new(counts)
    }

    /// Whether a use of a name lies in a declaration of that name.
    fn is_own(&self, at: u32, name: usize) -> bool {
        self.own_spans[name].contains(at)
    }

    /// The deletion of declarations that lose their last use by some edits, and of those that lose it by
    /// these deletions.
    pub fn orphans(&self, parsed: &ParsedText, counts: &UseCounts, edits: &[Edit]) -> Vec<Edit> {
        let mut left: HashMap<usize, u32> = HashMap::new();
        let mut gone: HashSet<usize> = HashSet::new();
        let mut orphans = Vec::new();
        let mut pending: Vec<Range<u32>> = edits.iter().map(|edit| edit.span.clone()).collect();
        let removed: Spans = pending.iter().cloned().collect();
        while let Some(span) = pending.pop() {
            for &(at, name) in self.uses_in(&span) {
                if parsed.edits.covers(&(at..at + 1)) || self.is_own(at, name) {
                    continue;
                }
                let count = left.entry(name).or_insert(counts[name]);
                *count = count.saturating_sub(1);
                if *count > 0 {
                    continue;
                }
                for &index in &self.by_name[name] {
                    let declaration = &self.declarations[index];
                    let unused = declaration
                        .names
                        .iter()
                        .all(|name| left.get(name).copied().unwrap_or(counts[*name]) == 0);
                    let is_present = !parsed.edits.covers(&declaration.span)
                        && !removed.contains(declaration.span.start);
                    if unused && is_present && gone.insert(index) {
                        orphans.push(Edit::delete(declaration.span.clone()));
                        pending.push(declaration.span.clone());
                    }
                }
            }
        }
        orphans
    }

    /// The deletion of declarations that are unused, but were used in an earlier text, and of those that
    /// become unused by that.
    pub fn newly_unused(
        &self,
        parsed: &ParsedText,
        earlier: &Self,
        before: &ParsedText,
    ) -> Vec<Edit> {
        let counts = earlier.count_uses(before);
        let used = earlier.names.iter().zip(counts.iter()).filter(|(_, uses)| **uses > 0);
        let used: HashSet<&[u8]> = used.map(|(name, _)| name.as_slice()).collect();
        let now = self.count_uses(parsed);
        let unused = self.declarations.iter().filter(|declaration| {
            let mut names = declaration.names.iter();
            names.clone().all(|&name| now[name] == 0)
                && names.any(|&name| used.contains(self.names[name].as_slice()))
        });
        let edits: Vec<Edit> =
            unused.map(|declaration| Edit::delete(declaration.span.clone())).collect();
        let more = self.orphans(parsed, &now, &edits);
        [edits, more].concat()
    }

    /// The deletion of all unused declarations, and of those that only they use. A function whose body
    /// could not be emptied is needed although it is unused; `with_bodies` includes such functions.
    pub fn unused(&self, parsed: &ParsedText, with_bodies: bool) -> Vec<Edit> {
        let counts = self.count_uses(parsed);
        let unused = |declaration: &&Declaration| {
            declaration.names.iter().all(|&name| counts[name] == 0)
                && !parsed.edits.covers(&declaration.span)
                && (with_bodies || !declaration.has_body)
        };
        let first: Vec<Edit> = self
            .declarations
            .iter()
            .filter(unused)
            .map(|declaration| Edit::delete(declaration.span.clone()))
            .collect();
        let more = self.orphans(parsed, &counts, &first);
        let mut all = [first, more].concat();
        all.sort_by_key(|edit| edit.span.start);
        all.dedup_by(|b, a| b.span.end <= a.span.end);
        all
    }
}

/// Whether the elements of a list are declarations in their own right. Parameters, fields and the
/// members that a trait requires are not.
pub fn holds_declarations(parsed: &ParsedText, parent: NodeId) -> bool {
    const DECLARATION_LISTS: &[&str] = &[
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
        "function_body",
        "basic_block",
    ];
    let tree = &parsed.tree;
    let in_trait = tree.child_by_field(tree.node(parent).parent, "trait").is_some();
    parent == 0 || DECLARATION_LISTS.contains(&tree.kind(parent)) && !in_trait
}

/// Whether a declaration is a function with more than the shortest body of the language.
fn has_body(parsed: &ParsedText, node: NodeId) -> bool {
    let shortest = parsed.language.body.unwrap_or_default();
    let body = parsed
        .tree
        .child_by_field(node, "body")
        .filter(|_| parsed.tree.kind(node).contains("function"));
    body.is_some_and(|body| parsed.text_of(body) != shortest.as_bytes())
}

/// The name of an imported package: the last part of its path.
fn imported(parsed: &ParsedText, node: NodeId) -> Option<&[u8]> {
    let path = parsed.tree.child_by_field(node, "path")?;
    let text = parsed.text_of(path).strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    text.rsplit(|&byte| byte == b'/').next().filter(|name| is_name(parsed, name))
}

/// The leaves that are the names an element declares: its own name, the innermost of its declarators, its
/// enumerators.
pub fn declared(parsed: &ParsedText, node: NodeId) -> Vec<NodeId> {
    let tree = &parsed.tree;
    if tree.is_leaf(node) {
        return Vec::new();
    }
    if tree.kind(node) == "list" {
        // (declare-fun x ...), (define-fun f ...)
        let mut children = tree.children(node).filter(|&child| tree.is_named(child));
        let head = children.next().map(|head| parsed.text_of(head));
        let declares =
            head.is_some_and(|head| head.starts_with(b"declare-") || head.starts_with(b"define-"));
        let name = children.next().filter(|&name| declares && tree.is_leaf(name));
        return name.into_iter().collect();
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
            // A reference or a pointer to a function, or the function that a reference is returned by.
            let is_referenced =
                matches!(tree.kind(next), "reference_declarator" | "parenthesized_declarator")
                    && (kind.ends_with("_declarator") || kind.ends_with("identifier"));
            if is_declarator || is_enumeration || wraps || is_referenced || kind == "enumerator" {
                pending.push(child);
            }
        }
    }
    found.retain(|&leaf| {
        tree.kind(leaf) == "block_identifier" || is_name(parsed, parsed.text_of(leaf))
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hooks::NoHooks;
    use wynot_subjects::Language;

    fn without_unused(language: &str, text: &str) -> String {
        let parsed =
            ParsedText::new(text.as_bytes().to_vec(), Language::named(language).unwrap(), &NoHooks);
        let unused = References::of(&parsed).unused(&parsed, true);
        String::from_utf8(parsed.with_edits(&unused).text()).unwrap()
    }

    #[test]
    fn unused_declarations_go_with_those_that_only_they_use() {
        let text = "int a;\nint b(void) { return a; }\nint c(void) { return b(); }\nint d = 1;\n\
                    int main(void) { return d; }\nint e(void) { return main(); }\nint x = e;\n";
        // x is unused, then e, then main, then d; and c, then b, then a.
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
