//! What the modules of a file declare and import.

use super::source::{end_of_item, words};

/// A module as its file writes it.
#[derive(Default, Debug)]
pub struct Module {
    pub items: Vec<Item>,
    pub imports: Vec<Import>,
    /// Modules that it declares: with a file of their own, or in place.
    pub children: Vec<Child>,
}

/// A type, function, constant or macro.
#[derive(Debug)]
pub struct Item {
    pub name: String,
    pub is_public: bool,
    /// Whether it is a struct, an enum, a union, a trait or a type alias.
    pub is_type: bool,
    pub at: usize,
}

#[derive(Debug)]
pub struct Child {
    pub name: String,
    pub is_public: bool,
    /// Where the body of a module in place is.
    pub body: Option<(usize, usize)>,
}

/// One name that a `use` brings, or all of a module.
#[derive(Debug)]
pub struct Import {
    /// As it is written; without the asterisk.
    pub path: Vec<String>,
    /// The name it has here, `*` for all.
    pub name: String,
    pub is_public: bool,
    pub at: usize,
}

/// Reads the module whose body is a part of the code.
pub fn module(code: &str, body: (usize, usize)) -> Module {
    let mut module = Module::default();
    let mut at = body.0;
    while at < body.1 {
        let begin = at + (code[at..body.1].len() - code[at..body.1].trim_start().len());
        if begin >= body.1 {
            break;
        }
        at = read_item(code, begin, &mut module).min(body.1);
    }
    // Imports inside of functions count for the module.
    let known: Vec<usize> = module.imports.iter().map(|import| import.at).collect();
    let inner = |at: usize| module.children.iter().any(|child| child.holds(at));
    let inside: Vec<usize> = words(&code[body.0..body.1])
        .filter(|(_, word)| *word == "use")
        .map(|(at, _)| body.0 + at)
        .filter(|at| !known.contains(at) && !inner(*at))
        .collect();
    for at in inside {
        read_use(code, at, false, &mut module.imports);
    }
    module
}

impl Child {
    pub fn holds(&self, at: usize) -> bool {
        self.body.is_some_and(|(begin, end)| (begin..end).contains(&at))
    }
}

/// Reads one item and returns its end.
fn read_item(code: &str, begin: usize, module: &mut Module) -> usize {
    if code[begin..].starts_with('#') {
        return begin + code[begin..].find(']').map_or(1, |_| attribute_length(&code[begin..]));
    }
    let mut is_public = false;
    let mut rest = words(&code[begin..]).map(|(at, word)| (begin + at, word)).peekable();
    while let Some((at, word)) = rest.next() {
        match word {
            "pub" => {
                let restricted = code[at + 3..].trim_start().starts_with('(');
                is_public = !restricted;
                if restricted {
                    // Up to the closing parenthesis.
                    let end = at + code[at..].find(')').unwrap_or(0);
                    while rest.peek().is_some_and(|(next, _)| *next < end) {
                        rest.next();
                    }
                }
            }
            "unsafe" | "async" | "extern" | "default" | "auto" => (),
            "const" if rest.peek().is_some_and(|(_, next)| is_of_function(next)) => (),
            "use" => return read_use(code, at, is_public, &mut module.imports),
            "mod" => {
                let name = rest.next().map_or("", |(_, name)| name).to_owned();
                let end = end_of_item(code, at);
                let body = code[at..end].find('{').map(|open| (at + open + 1, end - 1));
                module.children.push(Child { name, is_public, body });
                return end;
            }
            "struct" | "enum" | "union" | "trait" | "type" | "fn" | "const" | "static" => {
                let is_type = !matches!(word, "fn" | "const" | "static");
                let name = rest.find(|(_, name)| *name != "mut").map_or("", |(_, name)| name);
                module.items.push(Item { name: name.to_owned(), is_public, is_type, at });
                return end_of_declaration(code, at, word);
            }
            "macro_rules" => {
                let name = rest.next().map_or("", |(_, name)| name).to_owned();
                module.items.push(Item { name, is_public: false, is_type: false, at });
                return end_of_item(code, at);
            }
            // An implementation, a call of a macro, or an `extern` block.
            _ => return end_of_item(code, at),
        }
    }
    code.len()
}

fn is_of_function(word: &str) -> bool {
    matches!(word, "fn" | "unsafe" | "extern" | "async")
}

/// Values and aliases end with a semicolon, whatever braces are in them.
fn end_of_declaration(code: &str, at: usize, keyword: &str) -> usize {
    let mut end = end_of_item(code, at);
    while matches!(keyword, "const" | "static" | "type") && !code[..end].ends_with(';') {
        let next = end_of_item(code, end);
        if next <= end {
            break;
        }
        end = next;
    }
    end
}

fn attribute_length(text: &str) -> usize {
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' => depth += 1,
            b']' if depth == 1 => return at + 1,
            b']' => depth -= 1,
            _ => (),
        }
    }
    text.len()
}

/// Reads the tree of a `use` and returns its end.
fn read_use(code: &str, at: usize, is_public: bool, imports: &mut Vec<Import>) -> usize {
    let end = at + code[at..].find(';').unwrap_or(code.len() - at);
    let tree: String = code[at + 3..end].split_whitespace().collect::<Vec<_>>().join(" ");
    for (path, name) in leaves(&tree) {
        imports.push(Import { path, name, is_public, at });
    }
    end + 1
}

/// The paths of a tree such as `a::{b, c as d, e::*}`, and the names they get.
fn leaves(tree: &str) -> Vec<(Vec<String>, String)> {
    let tree = tree.trim();
    if let Some(open) = tree.find('{') {
        let inner = tree[open + 1..].trim_end().trim_end_matches('}');
        let prefix = path_of(tree[..open].trim_end().trim_end_matches("::"));
        let parts = top_level_parts(&tree[open + 1..], inner.len());
        let below = parts.into_iter().filter(|part| !part.trim().is_empty()).flat_map(leaves);
        return below
            .map(|(path, name)| match path.as_slice() {
                [own] if own == "self" => {
                    let name = if name == "self" { prefix.last().cloned() } else { Some(name) };
                    (prefix.clone(), name.unwrap_or_default())
                }
                _ => (prefix.iter().cloned().chain(path).collect(), name),
            })
            .collect();
    }
    if let Some(path) = tree.strip_suffix('*') {
        return vec![(path_of(path.trim_end_matches("::")), "*".to_owned())];
    }
    let (path, alias) = tree.split_once(" as ").unwrap_or((tree, ""));
    let path = path_of(path);
    let name = match alias.trim() {
        "" => path.last().cloned().unwrap_or_default(),
        alias => alias.to_owned(),
    };
    vec![(path, name)]
}

fn path_of(text: &str) -> Vec<String> {
    let parts = text.split("::").map(|part| part.trim().to_owned());
    parts.filter(|part| !part.is_empty()).collect()
}

/// The parts between the commas of a group that has just been opened.
fn top_level_parts(text: &str, length: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut begin) = (0_i32, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 0 => {
                parts.push(&text[begin..at]);
                return parts;
            }
            b'}' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => (),
        }
    }
    parts.push(&text[begin..length.max(begin)]);
    parts
}
