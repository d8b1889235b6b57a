//! A file of code as it lies on the disk: its sections, its symbols, and where its parts are loaded.

use super::error::ProgramError;
use super::mapping::{Mapping, Part};
use crate::Machine;
use object::elf;
use object::{
    Architecture, CompressionFormat, Object, ObjectKind, ObjectSection, ObjectSegment,
    ObjectSymbol, SymbolKind,
};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// An ELF file.
#[derive(Debug)]
pub(super) struct Image {
    pub(super) path: PathBuf,
    pub(super) machine: Machine,
    /// Where the first instruction is.
    pub(super) entry: u64,
    /// Whether it may be loaded anywhere.
    pub(super) movable: bool,
    segments: Vec<Segment>,
    map: Mapping,
}

/// A part of a file that is loaded.
#[derive(Debug)]
struct Segment {
    addresses: Range<u64>,
    /// Where it is in the file.
    offset: u64,
    size: u64,
    executable: bool,
}

impl Image {
    /// Opens a program or library for one of the machines that are known.
    pub(super) fn open(path: &Path) -> Result<Self, ProgramError> {
        let map = map(path)?;
        let of = || path.to_owned();
        if let Some(line) = map.bytes().strip_prefix(b"#!") {
            let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
            let interpreter = String::from_utf8_lossy(&line[..line.len().min(100)]);
            return Err(ProgramError::Script(of(), interpreter.trim().to_owned()));
        }
        if !map.bytes().starts_with(&elf::ELFMAG) {
            return Err(ProgramError::NotElf(of()));
        }
        let file =
            object::File::parse(map.bytes()).map_err(|error| ProgramError::damaged(path, error))?;
        let machine = match file.architecture() {
            Architecture::X86_64 => Machine::X86_64,
            Architecture::I386 => Machine::I386,
            _ => return Err(ProgramError::Architecture(of(), architecture(&file))),
        };
        let other = match file.kind() {
            ObjectKind::Executable | ObjectKind::Dynamic => None,
            ObjectKind::Relocatable => Some("an object file that is not linked"),
            ObjectKind::Core => Some("a memory dump"),
            _ => Some("an ELF file of an unknown kind"),
        };
        if let Some(found) = other {
            return Err(ProgramError::NotExecutable(of(), found));
        }
        let movable = file.kind() == ObjectKind::Dynamic;
        let (entry, segments) = (file.entry(), segments(&file));
        drop(file);
        Ok(Self { path: of(), machine, entry, movable, segments, map })
    }

    /// The same file with the debug information in it, or the file that was split off it.
    pub(super) fn with_debug_information(&self) -> Result<Option<Mapping>, ProgramError> {
        let file = self.parsed()?;
        if has_debug_information(&file) {
            return Ok(Some(self.map.clone()));
        }
        let build_id = file.build_id().ok().flatten();
        let mut found = self.separate(&file).into_iter().filter_map(|path| map(&path).ok());
        Ok(found.find(|map| {
            object::File::parse(map.bytes()).is_ok_and(|debug| {
                let same = debug.build_id().ok().flatten() == build_id;
                same && has_debug_information(&debug)
            })
        }))
    }

    /// Where debug information may lie that was split off, as debuggers look for it.
    fn separate(&self, file: &object::File<'_>) -> Vec<PathBuf> {
        let mut paths = Vec::new();
        if let Ok(Some([first, rest @ ..])) = file.build_id() {
            let rest: String = rest.iter().map(|byte| format!("{byte:02x}")).collect();
            paths.push(format!("/usr/lib/debug/.build-id/{first:02x}/{rest}.debug").into());
        }
        let directory = self.path.canonicalize().ok();
        let directory = directory.as_ref().and_then(|path| path.parent());
        if let (Ok(Some((name, _))), Some(directory)) = (file.gnu_debuglink(), directory) {
            let name = String::from_utf8_lossy(name).into_owned();
            paths.push(directory.join(".debug").join(&name));
            paths.push(directory.join(&name));
            let inside = directory.strip_prefix("/").unwrap_or(directory);
            paths.push(Path::new("/usr/lib/debug").join(inside).join(&name));
        }
        paths
    }

    /// A section, and where it is loaded.
    pub(super) fn section(&self, name: &str) -> Option<(u64, Part)> {
        let file = self.parsed().ok()?;
        let section = file.section_by_name(name)?;
        Some((section.address(), contents(&self.map, &section)?))
    }

    /// All symbols whose names begin in some way, and their addresses.
    pub(super) fn symbols_from(&self, begin: &str) -> Vec<(Vec<u8>, u64)> {
        let Ok(file) = self.parsed() else { return Vec::new() };
        let symbols = file.symbols().filter(|symbol| !symbol.is_undefined());
        let named = symbols.filter_map(|symbol| {
            let name = symbol.name_bytes().ok()?;
            name.starts_with(begin.as_bytes()).then(|| (name.to_vec(), symbol.address()))
        });
        named.collect()
    }

    /// The address of a symbol. Of several with one name, those that others can use count.
    pub(super) fn symbol(&self, name: &str) -> Option<u64> {
        let file = self.parsed().ok()?;
        let is_meant = |symbol: &object::Symbol<'_, '_>| {
            let found = symbol.name_bytes().unwrap_or_default();
            // Those of libraries may have versions: `malloc@@GLIBC_2.2.5`.
            let rest = found.strip_prefix(name.as_bytes());
            !symbol.is_undefined() && rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'@')
        };
        let symbols = || file.symbols().chain(file.dynamic_symbols()).filter(is_meant);
        let found = symbols().find(|symbol| symbol.is_global()).or_else(|| symbols().next());
        found.map(|symbol| symbol.address())
    }

    /// Where functions begin and end that have symbols, and what they are called, by address.
    pub(super) fn functions(&self) -> Vec<(Range<u64>, String)> {
        let Ok(file) = self.parsed() else { return Vec::new() };
        let symbols = file.symbols().chain(file.dynamic_symbols());
        let functions =
            symbols.filter(|symbol| !symbol.is_undefined() && symbol.kind() == SymbolKind::Text);
        let mut functions: Vec<_> = functions
            .filter_map(|symbol| {
                let end = symbol.address().checked_add(symbol.size().max(1))?;
                Some((symbol.address()..end, wynot_crash::name::of_symbol(symbol.name().ok()?)))
            })
            .collect();
        functions.sort_by(|a, b| (a.0.start, &a.1).cmp(&(b.0.start, &b.1)));
        functions.dedup_by_key(|(range, _)| range.start);
        functions
    }

    /// Whether code is loaded at an address.
    pub(super) fn is_code(&self, address: u64) -> bool {
        self.segments
            .iter()
            .any(|segment| segment.executable && segment.addresses.contains(&address))
    }

    /// The bytes that are loaded at an address, up to the end of what the file has there.
    pub(super) fn bytes_at(&self, address: u64) -> Option<&[u8]> {
        let segment = self.segments.iter().find(|segment| segment.addresses.contains(&address))?;
        let at = segment.offset.checked_add(address - segment.addresses.start)?;
        let end = segment.offset.checked_add(segment.size)?;
        self.map.bytes().get(usize::try_from(at).ok()?..usize::try_from(end).ok()?)
    }

    fn parsed(&self) -> Result<object::File<'_>, ProgramError> {
        object::File::parse(self.map.bytes())
            .map_err(|error| ProgramError::damaged(&self.path, error))
    }
}

/// The contents of a section of a file that was mapped.
pub(super) fn section(map: &Mapping, file: &object::File<'_>, name: &str) -> Part {
    let section = file.section_by_name(name);
    section.and_then(|section| contents(map, &section)).unwrap_or_default()
}

fn contents<'a>(map: &Mapping, section: &impl ObjectSection<'a>) -> Option<Part> {
    let range = section.compressed_file_range().ok()?;
    if range.format != CompressionFormat::None {
        return Some(Part::Unpacked(section.uncompressed_data().ok()?.into()));
    }
    let end = range.offset.checked_add(range.compressed_size)?;
    map.part(usize::try_from(range.offset).ok()?..usize::try_from(end).ok()?)
}

fn map(path: &Path) -> Result<Mapping, ProgramError> {
    let unreadable = |cause: io::Error| match cause.kind() {
        io::ErrorKind::NotFound => ProgramError::Missing(path.to_owned()),
        _ => ProgramError::Unreadable(path.to_owned(), cause),
    };
    let file = File::open(path).map_err(unreadable)?;
    let meta = file.metadata().map_err(unreadable)?;
    if meta.is_dir() {
        return Err(unreadable(io::ErrorKind::IsADirectory.into()));
    }
    // Nothing and devices cannot be mapped.
    if !meta.is_file() || meta.len() == 0 {
        return Err(ProgramError::NotElf(path.to_owned()));
    }
    Mapping::new(&file).map_err(unreadable)
}

fn has_debug_information(file: &object::File<'_>) -> bool {
    file.section_by_name(".debug_info").is_some_and(|section| section.size() > 0)
}

fn segments(file: &object::File<'_>) -> Vec<Segment> {
    let of = |segment: object::Segment<'_, '_>| {
        let (offset, size) = segment.file_range();
        let executable = match segment.flags() {
            object::SegmentFlags::Elf { p_flags, .. } => p_flags.0 & elf::PF_X.0 != 0,
            _ => false,
        };
        let start = segment.address();
        let addresses = start..start.saturating_add(segment.size());
        Segment { addresses, offset, size, executable }
    };
    file.segments().map(of).collect()
}

fn architecture(file: &object::File<'_>) -> String {
    match file.architecture() {
        Architecture::X86_64_X32 => "x86-64 with 32-bit pointers (x32)".to_owned(),
        Architecture::Aarch64 => "AArch64 (64-bit ARM)".to_owned(),
        Architecture::Unknown => "an unknown processor".to_owned(),
        other => format!("{other:?}"),
    }
}
