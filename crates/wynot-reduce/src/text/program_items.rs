//! The declarations of a text with their members, as a tree: which names each of them declares and mentions.
//!
//! Names are compared by their text alone, without scopes.

use crate::text::function_bodies::{is_body, is_evaluated};
use crate::text::list::List;
use crate::text::parsed_text::ParsedText;
use crate::text::references::{declared, holds_declarations};
use std::collections::HashMap;
use std::ops::Range;
use wynot_subjects::NodeId;

/// Kinds of nodes whose children are members.
const MEMBER_LISTS: [&str; 3] = ["field_declaration_list", "class_body", "interface_body"];

/// An item: a declaration, or a member of one.
#[derive(Clone, Debug)]
pub struct ProgramItem {
    /// The item around it.
    pub parent: Option<u32>,
    /// The list that it is an element of.
    pub list: u32,
    /// Its index in the list.
    pub element: u32,
    /// The names that it declares, by their numbers in ascending order.
    pub names: Vec<u32>,
    /// The names that it mentions outside the items in it: first those before its body.
    pub mentions: Vec<u32>,
    /// The number of mentions before its body.
    pub head_mentions: usize,
    /// The number of mentions before its body that may say which of several items of a name is meant: all but those in what a function
    /// returns and in the parameters of a template. They come first.
    pub selecting_mentions: usize,
    /// The number of bytes outside the items in it.
    pub own_bytes: usize,
    /// The body of a function that no compiler evaluates.
    pub body: Option<Range<u32>>,
    /// Whether it is nothing but a place for items, such as a namespace. One of them is enough to declare its name.
    pub is_place: bool,
    /// Whether it is such a place, and there are items in it.
    pub is_container: bool,
    /// Whether other declarations of its names say which of them is meant: the parameters of a function, the arguments
    /// of a specialised template, the class before the name of a method.
    pub is_selected_by_head: bool,
    /// Whether nothing else of its names can stand for it.
    pub is_qualified: bool,
    /// Whether it is a comment.
    pub is_comment: bool,
}

/// All items of a text, each before the items in it.
#[derive(Clone, Debug, Default)]
pub struct ProgramItems {
    pub items: Vec<ProgramItem>,
    pub lists: Vec<List>,
    /// The items of each list, by the index of the element.
    pub of_list: Vec<Vec<u32>>,
    /// The items that declare each name.
    pub declaring: Vec<Vec<u32>>,
    /// The first item that declares each name, and is not a member.
    pub first: Vec<u32>,
    /// The members of each item.
    pub members: Vec<Vec<u32>>,
}

impl ProgramItems {
    /// The items of a text.
    pub fn of(parsed: &ParsedText) -> Self {
        let mut found = Self::default();
        let tree = &parsed.tree;
        let count = tree.nodes().len();
        // The item that each node is, and the innermost item around each node.
        let mut item_of: Vec<u32> = vec![NO_ITEM; count];
        let mut declared_names: Vec<Vec<NodeId>> = Vec::new();
        // The end of the function body around the current node: what is in it belongs to the function.
        let mut after_body = 0;
        for parent in parsed.node_ids() {
            if parent < after_body {
                continue;
            }
            if is_body(parsed, parent) {
                after_body = tree.node(parent).after;
                continue;
            }
            let is_member_list = MEMBER_LISTS.contains(&tree.kind(parent));
            if tree.is_leaf(parent) || !is_member_list && !is_list_of_items(parsed, parent) {
                continue;
            }
            let Some(list) = List::of(parsed, parent) else { continue };
            let list_id = found.lists.len() as u32;
            let mut of_list = Vec::with_capacity(list.len());
            for (element, &node) in list.nodes.iter().enumerate() {
                let id = found.items.len() as u32;
                item_of[node as usize] = id;
                of_list.push(id);
                declared_names.push(declared_names_of(parsed, node));
                found.items.push(ProgramItem {
                    parent: None,
                    list: list_id,
                    element: element as u32,
                    names: Vec::new(),
                    mentions: Vec::new(),
                    head_mentions: 0,
                    selecting_mentions: 0,
                    own_bytes: list.span(element).len(),
                    body: emptied_body(parsed, node),
                    is_container: false,
                    is_place: PLACES.iter().any(|part| tree.kind(node).contains(part)),
                    is_selected_by_head: is_function(parsed, node),
                    is_qualified: is_qualified(parsed, &declared_names[id as usize]),
                    is_comment: tree.kind(node).contains("comment"),
                });
            }
            found.lists.push(list);
            found.of_list.push(of_list);
        }
        found.find_mentions(parsed, &item_of, &declared_names);
        found.members = vec![Vec::new(); found.items.len()];
        for (id, item) in found.items.iter().enumerate() {
            if let Some(parent) = item.parent {
                found.members[parent as usize].push(id as u32);
            }
        }
        for (item, members) in found.items.iter_mut().zip(&found.members) {
            item.is_container = item.is_place && !members.is_empty();
        }
        found.first = vec![NO_ITEM; found.declaring.len()];
        for (name, declaring) in found.declaring.iter().enumerate() {
            let is_first = |id: &&u32| {
                let item = &found.items[**id as usize];
                let is_open =
                    item.parent.is_none_or(|parent| found.items[parent as usize].is_container);
                is_open && !item.is_qualified
            };
            found.first[name] = declaring.iter().find(is_first).copied().unwrap_or(NO_ITEM);
        }
        found
    }

    /// Fills in names and parents.
    fn find_mentions(&mut self, parsed: &ParsedText, item_of: &[u32], declared: &[Vec<NodeId>]) {
        let tree = &parsed.tree;
        let mut known: HashMap<&[u8], u32> = HashMap::new();
        for (item, leaves) in self.items.iter_mut().zip(declared) {
            for &leaf in leaves {
                let next = known.len() as u32;
                item.names.push(*known.entry(parsed.text_of(leaf)).or_insert(next));
            }
            item.names.sort_unstable();
            item.names.dedup();
        }
        self.declaring = vec![Vec::new(); known.len()];
        for (id, item) in self.items.iter().enumerate() {
            for &name in &item.names {
                self.declaring[name as usize].push(id as u32);
            }
        }
        // The items around the current node, innermost last, each with the node after it, and whether its body began.
        let mut around: Vec<(u32, NodeId, bool)> = Vec::new();
        let mut mentions: Vec<(u32, MentionPlace, u32)> = Vec::new();
        let (mut last_end, mut after_result) = (0, 0);
        for id in parsed.node_ids() {
            while around.last().is_some_and(|&(_, after, _)| after <= id) {
                around.pop();
            }
            let item = item_of[id as usize];
            if item != NO_ITEM {
                let parent = around.last().map(|&(parent, ..)| parent);
                if let Some(parent) = parent {
                    let bytes = self.items[item as usize].own_bytes;
                    let outer = &mut self.items[parent as usize];
                    outer.own_bytes = outer.own_bytes.saturating_sub(bytes);
                }
                self.items[item as usize].parent = parent;
                around.push((item, tree.node(id).after, false));
            }
            if (tree.kind(id) == "base_class_clause" || is_body(parsed, id))
                && let Some((.., in_body)) = around.last_mut()
            {
                *in_body = true;
            }
            if is_result(parsed, id) && around.last().is_some_and(|&(.., in_body)| !in_body) {
                after_result = tree.node(id).after.max(after_result);
            }
            if !tree.is_leaf(id) {
                continue;
            }
            let span = parsed.span(id);
            let before = last_end..span.start.max(last_end);
            last_end = span.end;
            let Some((item, _, in_body)) = around.last_mut() else { continue };
            let place = match *in_body {
                true => MentionPlace::Body,
                false if id < after_result => MentionPlace::Result,
                false => MentionPlace::Head,
            };
            let text = parsed.text_of(id);
            let text = match text {
                _ if is_parameter_name(parsed, id) => b"",
                b"nullptr" => TYPE_OF_NULL,
                _ => text,
            };
            // What is hidden from the parser is mentioned all the same.
            let hidden = words(&parsed.text[before.start as usize..before.end as usize]);
            let mentioned = hidden.chain([text]).filter_map(|word| known.get(word));
            mentions.extend(mentioned.map(|&name| (*item, place, name)));
            if text == b"{" {
                *in_body = true;
            }
        }
        self.add_mentions(mentions, known.len());
    }

    /// Fills in mentions of so many names.
    fn add_mentions(&mut self, mut mentions: Vec<(u32, MentionPlace, u32)>, names: usize) {
        let mut seen: Vec<u32> = vec![NO_ITEM; names];
        mentions.sort_by_key(|&(item, place, _)| (item, place));
        for (item, place, name) in mentions {
            if seen[name as usize] != item {
                seen[name as usize] = item;
                let item = &mut self.items[item as usize];
                if item.names.binary_search(&name).is_ok() {
                    continue;
                }
                item.mentions.push(name);
                item.head_mentions += usize::from(place != MentionPlace::Body);
                item.selecting_mentions += usize::from(place == MentionPlace::Head);
            }
        }
    }
}

/// Where an item mentions a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum MentionPlace {
    /// Before the body: parameters, arguments of a template, the class of a method.
    Head,
    /// In the type that a function returns, or in the parameters of a template.
    Result,
    Body,
}

/// Whether a node says nothing about the arguments of a function: the type that it returns, or the parameters of a template.
fn is_result(parsed: &ParsedText, id: NodeId) -> bool {
    const DECLARATIONS: [&str; 3] = ["function_definition", "declaration", "field_declaration"];
    let tree = &parsed.tree;
    let parent = tree.kind(tree.node(id).parent);
    tree.kind(id) == "template_parameter_list"
        || tree.field(id) == "type" && DECLARATIONS.contains(&parent)
}

/// Whether a leaf is the name of a parameter, which mentions nothing.
fn is_parameter_name(parsed: &ParsedText, leaf: NodeId) -> bool {
    let tree = &parsed.tree;
    let mut outer = tree.node(leaf).parent;
    while tree.kind(outer).ends_with("_declarator") {
        outer = tree.node(outer).parent;
    }
    let is_parameter = tree.kind(outer).ends_with("parameter_declaration");
    is_parameter
        && tree.kind(leaf) == "identifier"
        && !matches!(tree.field(leaf), "default_value" | "size")
}

/// The type of `nullptr`, by which functions are selected.
const TYPE_OF_NULL: &[u8] = b"nullptr_t";

/// The words of a text.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
        .filter(|word| !word.is_empty())
}

/// Parts of the names of kinds of nodes that are nothing but places for other items.
const PLACES: [&str; 4] =
    ["namespace_definition", "mod_item", "linkage_specification", "preproc_if"];

/// No item.
pub const NO_ITEM: u32 = u32::MAX;

/// Whether the children of a node are declarations that others may refer to.
fn is_list_of_items(parsed: &ParsedText, parent: NodeId) -> bool {
    const STATEMENT_LISTS: [&str; 4] =
        ["compound_statement", "statement_block", "block", "function_body"];
    holds_declarations(parsed, parent) && !STATEMENT_LISTS.contains(&parsed.tree.kind(parent))
}

/// The leaves with the names that an element declares, also where it is a template.
fn declared_names_of(parsed: &ParsedText, node: NodeId) -> Vec<NodeId> {
    let mut names = declared(parsed, innermost(parsed, node));
    // Operators are used without their names.
    names.retain(|&leaf| !parsed.text_of(leaf).starts_with(b"operator"));
    names
}

/// The declaration in an element that may be a template.
fn innermost(parsed: &ParsedText, node: NodeId) -> NodeId {
    let tree = &parsed.tree;
    let mut inner = node;
    while matches!(tree.kind(inner), "template_declaration" | "linkage_specification") {
        let Some(last) = tree.children(inner).filter(|&child| tree.is_named(child)).last() else {
            break;
        };
        if tree.kind(last) == "declaration_list" {
            break;
        }
        inner = last;
    }
    inner
}

/// Whether an element is a function.
fn is_function(parsed: &ParsedText, node: NodeId) -> bool {
    let tree = &parsed.tree;
    let mut inner = innermost(parsed, node);
    loop {
        if tree.kind(inner).contains("function") {
            return true;
        }
        let Some(declarator) = tree.child_by_field(inner, "declarator") else { return false };
        inner = declarator;
    }
}

/// Whether a declared name is qualified by a class or by arguments of a template.
fn is_qualified(parsed: &ParsedText, leaves: &[NodeId]) -> bool {
    let tree = &parsed.tree;
    let kind = |leaf: NodeId| tree.kind(tree.node(leaf).parent);
    leaves.iter().any(|&leaf| {
        matches!(kind(leaf), "qualified_identifier" | "template_type" | "template_function")
    })
}

/// The body of the function that an element is, if it is worth emptying.
fn emptied_body(parsed: &ParsedText, node: NodeId) -> Option<Range<u32>> {
    let function = innermost(parsed, node);
    let body = parsed.tree.child_by_field(function, "body")?;
    let shortest = parsed.language.body.unwrap_or_default().len();
    let is_emptied = is_body(parsed, body)
        && parsed.size(body) > shortest
        && !is_evaluated(parsed, function, body);
    is_emptied.then(|| parsed.span(body))
}
