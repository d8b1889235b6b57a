//! A file of code, program or library: where its parts lie, and which functions are in it.

use crate::extent;
use crate::inlining::Inlining;
use crate::mapping::Mapping;
use crate::name;
use crate::unwinding::Tables;
use object::{CompressionFormat, Object, ObjectSection, ObjectSegment, ObjectSymbol, SymbolKind};
use std::cell::OnceCell;
use std::fs::File;
use std::ops::Range;
use std::path::Path;

/// A file of code. What it holds is read when it is first asked for, and once.
pub(crate) struct Module {
    /// The file's name, without where it lies.
    pub name: String,
    pub tables: Tables,
    /// Offsets in the file of what is loaded, and where it wants to lie.
    loaded: Vec<(Range<u64>, u64)>,
    map: Mapping,
    symbols: OnceCell<Vec<Symbol>>,
    inlining: OnceCell<Option<Inlining>>,
    traces: OnceCell<bool>,
}

struct Symbol {
    start: u64,
    size: u64,
    /// Of several at the same address, the one with the highest rank is the name.
    rank: (bool, bool, std::cmp::Reverse<(usize, usize)>),
    name: Range<usize>,
}

impl Module {
    pub(crate) fn new(file: &File, path: &Path) -> Option<Self> {
        let map = Mapping::new(file).ok()?;
        let parsed = object::File::parse(map.bytes()).ok()?;
        let section = |name: &str| {
            let section = parsed.section_by_name(name)?;
            let range = section.address()..section.address() + section.size();
            Some((range, map.part(place(&section)?)?))
        };
        let tables = Tables {
            eh_frame: section(".eh_frame"),
            eh_frame_hdr: section(".eh_frame_hdr"),
            debug_frame: section(".debug_frame").map(|(_, part)| part),
            text: parsed
                .section_by_name(".text")
                .map(|text| text.address()..text.address() + text.size()),
        };
        let segments = parsed.segments().map(|segment| {
            let (offset, size) = segment.file_range();
            (offset..offset + size, segment.address())
        });
        let loaded = segments.collect();
        drop(parsed);
        let name =
            path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let (symbols, inlining, traces) = Default::default();
        Some(Self { name, tables, loaded, map, symbols, inlining, traces })
    }

    /// How far from where it wants to lie a part of the file lies, if `offset` is at `address`.
    pub(crate) fn bias(&self, offset: u64, address: u64) -> Option<u64> {
        // Parts are mapped by whole pages, so they may begin a little earlier than they say.
        let pages = |range: &Range<u64>| range.start & !0xfff..range.end;
        let (range, wanted) =
            self.loaded.iter().rfind(|(range, _)| pages(range).contains(&offset))?;
        let wanted = wanted.wrapping_add(offset.wrapping_sub(range.start));
        Some(address.wrapping_sub(wanted))
    }

    /// The functions at an address of the file, innermost first; more than one if there are inlined ones.
    pub(crate) fn functions(&self, address: u64) -> Vec<String> {
        let inlining = self.inlining.get_or_init(|| {
            let parsed = object::File::parse(self.map.bytes()).ok()?;
            Inlining::new(&self.map, |name| place(&parsed.section_by_name(name)?))
        });
        let mut names = inlining.as_ref().map_or_else(Vec::new, |lines| lines.functions(address));
        let symbol = self.symbol(address);
        match (names.last_mut(), symbol) {
            // Debug information may know functions of hidden namespaces by their last name only.
            (Some(last), Some(symbol)) if symbol.ends_with(&format!("::{last}")) => *last = symbol,
            (None, Some(symbol)) => names.push(symbol),
            _ => {}
        }
        names
    }

    /// Where the function begins that an address belongs to, if that is known; else the address itself.
    pub(crate) fn begin(&self, address: u64) -> u64 {
        let found = match (&self.tables.eh_frame_hdr, &self.tables.eh_frame) {
            (Some((at, header)), Some((frames_at, frames))) => {
                extent::start((at, header), (frames_at, frames), address)
            }
            _ => None,
        };
        found.unwrap_or(address)
    }

    /// The symbol that an address belongs to.
    fn symbol(&self, address: u64) -> Option<String> {
        let symbols = self.symbols.get_or_init(|| self.read_symbols());
        let index = symbols.partition_point(|symbol| symbol.start <= address);
        let symbol = symbols.get(index.checked_sub(1)?)?;
        // Code written by hand may have no size; it goes on until the next symbol.
        if symbol.size > 0 && address >= symbol.start + symbol.size {
            return None;
        }
        let name = std::str::from_utf8(self.map.bytes().get(symbol.name.clone())?).ok()?;
        Some(name::of_symbol(name))
    }

    fn read_symbols(&self) -> Vec<Symbol> {
        let map = self.map.bytes();
        let Ok(parsed) = object::File::parse(map) else { return Vec::new() };
        let mut symbols = Vec::new();
        for symbol in parsed.symbols().chain(parsed.dynamic_symbols()) {
            let code = matches!(symbol.kind(), SymbolKind::Text | SymbolKind::Unknown);
            let Ok(bytes) = symbol.name_bytes() else { continue };
            if !code || symbol.is_undefined() || bytes.is_empty() || bytes[0] == b'$' {
                continue;
            }
            // Where the name lies in the file: it is part of it.
            let at = bytes.as_ptr() as usize - map.as_ptr() as usize;
            let underscores = bytes.iter().take_while(|byte| **byte == b'_').count();
            let rank = (
                symbol.kind() == SymbolKind::Text,
                symbol.is_global(),
                std::cmp::Reverse((underscores, bytes.len())),
            );
            let name = at..at + bytes.len();
            symbols.push(Symbol { start: symbol.address(), size: symbol.size(), rank, name });
        }
        symbols.sort_by(|a, b| (a.start, b.rank).cmp(&(b.start, a.rank)));
        symbols.dedup_by_key(|symbol| symbol.start);
        symbols
    }

    /// Whether the program traces processes, or has parts that do: no two can trace the same one.
    pub(crate) fn traces(&self) -> bool {
        *self.traces.get_or_init(|| {
            let Ok(parsed) = object::File::parse(self.map.bytes()) else { return false };
            let tells = |name: &[u8]| {
                name == b"ptrace"
                    || name.starts_with(b"__asan_init")
                    || name.starts_with(b"__lsan_init")
            };
            let mut symbols = parsed.dynamic_symbols().chain(parsed.symbols());
            symbols.any(|symbol| symbol.name_bytes().is_ok_and(tells))
        })
    }
}

/// Where a section lies in its file, if it is there as it is.
fn place<'a>(section: &impl ObjectSection<'a>) -> Option<Range<usize>> {
    let range = section.compressed_file_range().ok()?;
    if range.format != CompressionFormat::None {
        return None;
    }
    let end = range.offset.checked_add(range.compressed_size)?;
    Some(usize::try_from(range.offset).ok()?..usize::try_from(end).ok()?)
}
