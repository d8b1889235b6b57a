//! The files of code that a process has loaded.

use super::call_frames::{CallFrames, LoadedFile};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use wynot_process::MemoryMap;

/// Programs and libraries, each read once. `None` stands for files that cannot be read.
#[derive(Default)]
pub struct Libraries {
    files: HashMap<PathBuf, Option<CallFrames>>,
    symbols: HashMap<(PathBuf, &'static str), Option<u64>>,
}

impl Libraries {
    /// The files of code that a process has loaded, the program among them.
    pub fn loaded(&mut self, map: &MemoryMap) -> Vec<LoadedFile<'_>> {
        let biases = self.biases(map);
        let loaded = biases.into_iter().filter_map(|(path, bias)| {
            let call_frames = self.files.get(&path)?.as_ref()?;
            Some(LoadedFile { call_frames, bias })
        });
        loaded.collect()
    }

    /// The address of a function that one of the loaded files exports.
    pub fn symbol(&mut self, map: &MemoryMap, name: &'static str) -> Option<u64> {
        self.biases(map).into_iter().find_map(|(path, bias)| {
            let file = self.files.get(&path)?.as_ref()?;
            let symbol = self.symbols.entry((path, name));
            let address = *symbol.or_insert_with(|| file.elf().exported_symbol(name));
            address.map(|address| address.wrapping_add(bias))
        })
    }

    /// The paths of the loaded files, by address, with their biases.
    fn biases(&mut self, map: &MemoryMap) -> Vec<(PathBuf, u64)> {
        let mut biases: Vec<(PathBuf, u64)> = Vec::new();
        for region in map.code_regions() {
            let path = Path::new(&region.path);
            if biases.iter().any(|(known, _)| known == path) {
                continue;
            }
            if !self.files.contains_key(path) {
                self.files.insert(path.to_owned(), CallFrames::read(path).ok());
            }
            let file = self.files.get(path).and_then(Option::as_ref);
            let bias = |file: &CallFrames| file.elf().load_bias(region.offset, region.range.start);
            biases.extend(file.and_then(bias).map(|bias| (path.to_owned(), bias)));
        }
        biases
    }
}
