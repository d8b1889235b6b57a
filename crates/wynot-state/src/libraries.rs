//! The libraries that a program has loaded.

use crate::process::Areas;
use crate::program::{CallFrames, Loaded};
use object::{Object, ObjectSymbol};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The call frames and symbols of libraries, each of which is read once.
#[derive(Default)]
pub struct Libraries {
    /// The call frames by the library's file; `None` if it has none.
    call_frames: HashMap<PathBuf, Option<CallFrames>>,
    /// The addresses of symbols in their files; `None` if a library does not export the symbol.
    symbols: HashMap<(PathBuf, &'static str), Option<u64>>,
}

impl Libraries {
    /// The libraries that a process has loaded.
    pub fn loaded(&mut self, areas: &Areas) -> Vec<Loaded<'_>> {
        let files = loaded_files(areas);
        for (path, _) in &files {
            if !self.call_frames.contains_key(path) {
                self.call_frames.insert(path.clone(), CallFrames::read(path).ok());
            }
        }
        let loaded = files.into_iter().filter_map(|(path, bias)| {
            let code = self.call_frames.get(&path)?.as_ref()?;
            Some(Loaded { code, bias })
        });
        loaded.collect()
    }

    /// The address of a function that one of the libraries exports.
    pub fn symbol(&mut self, areas: &Areas, name: &'static str) -> Option<u64> {
        loaded_files(areas).into_iter().find_map(|(path, bias)| {
            let key = (path, name);
            let address = match self.symbols.get(&key) {
                Some(known) => *known,
                None => {
                    let address = read_exported_symbol(&key.0, name);
                    self.symbols.insert(key, address);
                    address
                }
            };
            address.map(|address| address + bias)
        })
    }
}

/// The files of code that a process has loaded, and the addresses at which they start.
fn loaded_files(areas: &Areas) -> Vec<(PathBuf, u64)> {
    let mut files: Vec<(PathBuf, u64)> = Vec::new();
    for area in areas.modules() {
        let path = Path::new(&area.path);
        if !files.iter().any(|(known, _)| known == path) {
            let first = areas.iter().find(|other| other.path == area.path && other.offset == 0);
            let start = first.map_or(area.range.start - area.offset, |first| first.range.start);
            files.push((path.to_owned(), start));
        }
    }
    files
}

fn read_exported_symbol(path: &Path, name: &str) -> Option<u64> {
    let bytes = std::fs::read(path).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    let mut symbols = file.dynamic_symbols();
    let found = symbols.find(|symbol| !symbol.is_undefined() && symbol.name() == Ok(name))?;
    Some(found.address())
}
