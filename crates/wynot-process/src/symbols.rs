//! The functions of a file by address, from its symbol tables.

use crate::demangle;
use crate::mapped_file::MappedFile;
use std::cmp::Reverse;
use std::ops::Range;

/// A symbol of code.
#[derive(Debug)]
pub(crate) struct FunctionSymbol {
    /// The address of the first instruction, as in the file.
    pub start: u64,
    /// The size in bytes; 0 if the symbol has none.
    pub size: u64,
    /// The position of the name in the file.
    pub name: Range<usize>,
    /// Of several symbols with one address, the one with the highest rank names the function.
    pub rank: SymbolRank,
}

/// Prefers symbols of functions to others, global to local ones, few leading underscores to many, and short
/// names to long ones.
pub(crate) type SymbolRank = (bool, bool, Reverse<(usize, usize)>);

/// The functions of a file that have symbols, by address.
#[derive(Debug)]
pub struct FunctionTable {
    file: MappedFile,
    /// Sorted by address, one symbol for each.
    symbols: Vec<FunctionSymbol>,
}

impl FunctionTable {
    pub(crate) fn new(file: MappedFile, mut symbols: Vec<FunctionSymbol>) -> Self {
        symbols.sort_by(|a, b| (a.start, b.rank).cmp(&(b.start, a.rank)));
        symbols.dedup_by_key(|symbol| symbol.start);
        // A symbol without a size inside of a function is a label, as compilers write for 32-bit code.
        let mut function_end = 0;
        symbols.retain(|symbol| {
            let is_label = symbol.size == 0 && symbol.start < function_end;
            function_end = function_end.max(symbol.start.saturating_add(symbol.size));
            !is_label
        });
        Self { file, symbols }
    }

    /// The plain name of the function that contains an address of the file.
    pub fn name_at(&self, address: u64) -> Option<String> {
        let index = self.symbols.partition_point(|symbol| symbol.start <= address);
        let symbol = self.symbols.get(index.checked_sub(1)?)?;
        // Hand-written assembly may have symbols without a size. They reach up to the next symbol.
        if symbol.size > 0 && address - symbol.start >= symbol.size {
            return None;
        }
        let name = std::str::from_utf8(self.file.bytes().get(symbol.name.clone())?).ok()?;
        Some(demangle::function_name(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Seek, Write};

    fn symbol(start: u64, size: u64, name: Range<usize>, is_global: bool) -> FunctionSymbol {
        let rank = (true, is_global, Reverse((0, name.len())));
        FunctionSymbol { start, size, name, rank }
    }

    #[test]
    fn functions_are_found_by_address() {
        let path = std::env::temp_dir().join(format!("symbols-{}", std::process::id()));
        let mut file = std::fs::File::create_new(&path).unwrap();
        file.write_all(b"first.L7lastlocal").unwrap();
        file.rewind().unwrap();
        let map = MappedFile::new(&std::fs::File::open(&path).unwrap()).unwrap();
        std::fs::remove_file(&path).unwrap();
        let symbols = vec![
            symbol(30, 0, 8..12, true),
            symbol(14, 0, 5..8, true),
            symbol(10, 0, 12..17, false),
            symbol(10, 10, 0..5, true),
        ];
        let table = FunctionTable::new(map, symbols);
        let names = [9, 10, 19, 20, 30, 1000].map(|address| table.name_at(address));
        let expected = [None, Some("first"), Some("first"), None, Some("last"), Some("last")];
        assert_eq!(names.each_ref().map(Option::as_deref), expected);
    }
}
