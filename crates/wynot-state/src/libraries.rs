//! The libraries that a program has loaded.

use crate::process::Areas;
use crate::program::{CallFrames, Loaded};
use object::{Object, ObjectSymbol};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// What is known about libraries, each read once.
#[derive(Default)]
pub struct Libraries {
    known: HashMap<PathBuf, Option<CallFrames>>,
    symbols: HashMap<(PathBuf, &'static str), Option<u64>>,
}

impl Libraries {
    /// The libraries of a process.
    pub fn loaded(&mut self, areas: &Areas) -> Vec<Loaded<'_>> {
        let places = places(areas);
        for (path, _) in &places {
            if !self.known.contains_key(path) {
                self.known.insert(path.clone(), CallFrames::read(path).ok());
            }
        }
        let loaded = places.into_iter().filter_map(|(path, bias)| {
            let code = self.known.get(&path)?.as_ref()?;
            Some(Loaded { code, bias })
        });
        loaded.collect()
    }

    /// Where a function lies that one of the libraries exports.
    pub fn symbol(&mut self, areas: &Areas, name: &'static str) -> Option<u64> {
        places(areas).into_iter().find_map(|(path, bias)| {
            let key = (path, name);
            let found = match self.symbols.get(&key) {
                Some(found) => *found,
                None => {
                    let found = exported(&key.0, name);
                    self.symbols.insert(key, found);
                    found
                }
            };
            found.map(|address| address + bias)
        })
    }
}

/// Files of code, and where they begin.
fn places(areas: &Areas) -> Vec<(PathBuf, u64)> {
    let mut places: Vec<(PathBuf, u64)> = Vec::new();
    for area in areas.modules() {
        let path = Path::new(&area.path);
        if !places.iter().any(|(known, _)| known == path) {
            let first = areas.iter().find(|other| other.path == area.path && other.offset == 0);
            let begin = first.map_or(area.range.start - area.offset, |first| first.range.start);
            places.push((path.to_owned(), begin));
        }
    }
    places
}

fn exported(path: &Path, name: &str) -> Option<u64> {
    let bytes = std::fs::read(path).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    let mut symbols = file.dynamic_symbols();
    let found = symbols.find(|symbol| !symbol.is_undefined() && symbol.name() == Ok(name))?;
    Some(found.address())
}
