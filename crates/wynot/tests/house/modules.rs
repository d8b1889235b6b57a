//! The modules of a crate, and in which of them a path ends.

use super::items::{self, Module};
use super::source::{Source, line, test_modules};
use std::collections::{BTreeMap, BTreeSet};

/// The names of a module and of those around it, from the root of the crate: `["process", "launch"]`.
pub type Path = Vec<String>;

/// A crate, without what only tests see.
pub struct Crate {
    pub files: Vec<File>,
    /// For every module, in files and in place, the file that it is in.
    modules: BTreeMap<Path, (usize, Module)>,
}

pub struct File {
    pub path: String,
    pub module: Path,
    pub code: String,
}

/// Where a path leads.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// To an item of a module, or into one.
    Item(Path, String),
    Module(Path),
}

/// A place of a file that names something of another file.
#[derive(Clone, Debug)]
pub struct Mention {
    pub line: usize,
    pub path: String,
    /// The other file.
    pub to: usize,
}

impl Crate {
    /// Of the files below `crates/NAME/src`.
    pub fn new(sources: &[&Source]) -> Self {
        let mut files: Vec<File> = sources
            .iter()
            .map(|source| File {
                path: source.path.clone(),
                module: module_of(&source.path),
                code: source.shipped_code(),
            })
            .collect();
        let tests: Vec<Path> = sources
            .iter()
            .flat_map(|source| {
                let parent = module_of(&source.path);
                test_modules(&source.code).into_iter().map(move |name| below(&parent, name))
            })
            .collect();
        files.retain(|file| !tests.iter().any(|test| file.module.starts_with(test)));
        let mut modules = BTreeMap::new();
        for (number, file) in files.iter().enumerate() {
            add(&mut modules, number, file, file.module.clone(), (0, file.code.len()));
        }
        Self { files, modules }
    }

    /// What a file mentions of other files.
    pub fn mentions(&self, number: usize) -> Vec<Mention> {
        let file = &self.files[number];
        let mut found = Vec::new();
        for (path, (_, module)) in
            self.modules.iter().filter(|(_, (in_file, _))| *in_file == number)
        {
            for import in &module.imports {
                let names: Vec<String> = match import.name.as_str() {
                    "*" => self.names_used(file, path, &import.path),
                    _ => vec![],
                };
                let whole = (import.name != "*").then(|| import.path.clone());
                let each = names.into_iter().map(|name| below(&import.path, &name));
                for words in whole.into_iter().chain(each) {
                    found.push((import.at, path.clone(), words));
                }
            }
        }
        for (at, words) in paths(&file.code) {
            found.push((at, self.module_at(number, at), words));
        }
        let mention = |(at, module, words): (usize, Path, Path)| {
            let Some(Target::Item(to, _)) = self.resolve(&module, &words) else { return None };
            let to = self.modules[&to].0;
            (to != number).then(|| Mention {
                line: line(&file.code, at),
                path: words.join("::"),
                to,
            })
        };
        found.into_iter().filter_map(mention).collect()
    }

    /// The names of a module that is imported as a whole and that a file uses.
    fn names_used(&self, file: &File, from: &Path, glob: &Path) -> Vec<String> {
        let Some(Target::Module(module)) = self.resolve(from, glob) else { return Vec::new() };
        let (_, module) = &self.modules[&module];
        let items = module.items.iter().map(|item| &item.name);
        let names: BTreeSet<&String> =
            items.chain(module.imports.iter().map(|import| &import.name)).collect();
        let used: BTreeSet<&str> = super::source::words(&file.code).map(|(_, word)| word).collect();
        names.into_iter().filter(|name| used.contains(name.as_str())).cloned().collect()
    }

    /// The innermost module around a place of a file.
    fn module_at(&self, number: usize, at: usize) -> Path {
        let mut path = self.files[number].module.clone();
        while let Some((_, module)) = self.modules.get(&path) {
            let Some(child) = module.children.iter().find(|child| child.holds(at)) else { break };
            path = below(&path, &child.name);
        }
        path
    }

    /// Where a path leads that is written in a module; nothing if it leads out of the crate.
    pub fn resolve(&self, module: &Path, words: &[String]) -> Option<Target> {
        self.resolve_within(module, words, &mut BTreeSet::new())
    }

    fn resolve_within(
        &self,
        module: &Path,
        words: &[String],
        seen: &mut BTreeSet<(Path, String)>,
    ) -> Option<Target> {
        match words.first().map(String::as_str) {
            Some("crate") => self.walk(&Vec::new(), &words[1..], seen),
            Some("self") => self.walk(module, &words[1..], seen),
            Some("super") => {
                let (_, parent) = module.split_last()?;
                let parent = parent.to_vec();
                match words.get(1).is_some_and(|next| next == "super") {
                    true => self.resolve_within(&parent, &words[1..], seen),
                    false => self.walk(&parent, &words[1..], seen),
                }
            }
            _ => self.walk(module, words, seen),
        }
    }

    fn walk(
        &self,
        module: &Path,
        words: &[String],
        seen: &mut BTreeSet<(Path, String)>,
    ) -> Option<Target> {
        let Some((name, rest)) = words.split_first() else {
            return Some(Target::Module(module.clone()));
        };
        let child = below(module, name);
        if self.modules.contains_key(&child) {
            return self.walk(&child, rest, seen);
        }
        let (_, own) = self.modules.get(module)?;
        if own.items.iter().any(|item| item.name == *name) {
            return Some(Target::Item(module.clone(), name.clone()));
        }
        if !seen.insert((module.clone(), name.clone())) {
            return None;
        }
        for import in own.imports.iter().filter(|import| import.name == *name) {
            match self.resolve_within(module, &import.path, seen) {
                Some(Target::Module(found)) => return self.walk(&found, rest, seen),
                Some(found) => return Some(found),
                None => (),
            }
        }
        for import in own.imports.iter().filter(|import| import.name == "*") {
            let Some(Target::Module(all)) = self.resolve_within(module, &import.path, seen) else {
                continue;
            };
            if let Some(found) = self.walk(&all, words, seen) {
                return Some(found);
            }
        }
        None
    }

    /// The types that others can name: module, name, file and line.
    pub fn public_types(&self) -> Vec<(Path, String, usize, usize)> {
        let mut pending = vec![Vec::new()];
        let mut open: BTreeSet<Path> = BTreeSet::new();
        let mut found: BTreeSet<(Path, String)> = BTreeSet::new();
        while let Some(path) = pending.pop() {
            let Some((_, module)) = self.modules.get(&path) else { continue };
            if !open.insert(path.clone()) {
                continue;
            }
            let items = module.items.iter().filter(|item| item.is_public);
            found.extend(items.map(|item| (path.clone(), item.name.clone())));
            let children = module.children.iter().filter(|child| child.is_public);
            pending.extend(children.map(|child| below(&path, &child.name)));
            for import in module.imports.iter().filter(|import| import.is_public) {
                match self.resolve(&path, &import.path) {
                    Some(Target::Module(whole)) => pending.push(whole),
                    Some(Target::Item(module, name)) => {
                        found.insert((module, name));
                    }
                    None => (),
                }
            }
        }
        let place = |(path, name): (Path, String)| {
            let (file, module) = &self.modules[&path];
            let item = module.items.iter().find(|item| item.name == name && item.is_type)?;
            let line = line(&self.files[*file].code, item.at);
            Some((path, name, *file, line))
        };
        found.into_iter().filter_map(place).collect()
    }
}

fn below(path: &[String], name: &str) -> Path {
    path.iter().cloned().chain([name.to_owned()]).collect()
}

fn add(
    modules: &mut BTreeMap<Path, (usize, Module)>,
    number: usize,
    file: &File,
    path: Path,
    body: (usize, usize),
) {
    let module = items::module(&file.code, body);
    for child in &module.children {
        if let Some(inner) = child.body {
            add(modules, number, file, below(&path, &child.name), inner);
        }
    }
    modules.insert(path, (number, module));
}

/// The module that a file holds.
fn module_of(path: &str) -> Path {
    let (_, inside) = path.split_once("/src/").unwrap();
    // The modules of a program begin beside its `main.rs`.
    let program = inside.strip_prefix("bin/").and_then(|rest| rest.split_once('/'));
    let inside = program.map_or(inside, |(_, inside)| inside);
    let inside = inside.trim_end_matches(".rs");
    let inside = inside.strip_suffix("/mod").unwrap_or(inside);
    match inside {
        "lib" | "main" => Vec::new(),
        _ => inside.split('/').map(str::to_owned).collect(),
    }
}

/// All paths of two words and more outside of imports, each with its offset.
fn paths(code: &str) -> Vec<(usize, Path)> {
    let mut found: Vec<(usize, Path)> = Vec::new();
    let mut end = usize::MAX;
    let mut import_end = 0;
    for (at, word) in super::source::words(code) {
        if at < import_end {
            continue;
        }
        if word == "use" {
            import_end = at + code[at..].find(';').unwrap_or(0);
            continue;
        }
        let follows = end != usize::MAX && code.get(end..at).is_some_and(|gap| gap.trim() == "::");
        match found.last_mut() {
            Some((_, words)) if follows => words.push(word.to_owned()),
            // `::x` and `.x::<T>` begin elsewhere.
            _ if code[..at].ends_with("::") => continue,
            _ => found.push((at, vec![word.to_owned()])),
        }
        end = at + word.len();
    }
    found.retain(|(_, words)| words.len() > 1);
    found
}
