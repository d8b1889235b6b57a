//! ELF files: programs, libraries, and the files with their debug information.
//!
//! The only file with types of the `object` crate. A file is mapped and parsed on demand, so that opening a
//! large program costs little.

use crate::machine::{Machine, OtherMachine};
use crate::mapped_file::{FileSlice, MappedFile};
use crate::symbols::{FunctionSymbol, FunctionTable};
use object::elf;
use object::{
    CompressionFormat, Object, ObjectKind, ObjectSection, ObjectSegment, ObjectSymbol, SymbolKind,
};
use std::cmp::Reverse;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The directory in which packages install debug information.
const SYSTEM_DEBUG_DIRECTORY: &str = "/usr/lib/debug";

/// The length at which the interpreter line of a script is cut off.
const MAX_INTERPRETER_BYTES: usize = 100;

/// Why a file cannot be read as an ELF file.
#[derive(Debug, thiserror::Error)]
pub enum ElfError {
    /// The file cannot be opened or mapped.
    #[error("{0}")]
    Unreadable(#[from] io::Error),
    /// The file is a script for this interpreter.
    #[error("it is a script for {0}")]
    Script(String),
    /// The file is something else.
    #[error("it is not an ELF file")]
    NotElf,
    /// The file contradicts itself.
    #[error("it is damaged: {0}")]
    Damaged(String),
}

/// The kinds of ELF files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElfKind {
    /// A program that has to be loaded at the addresses in the file.
    FixedProgram,
    /// A program or library that can be loaded anywhere.
    PositionIndependent,
    /// An object file that is not linked.
    Object,
    /// A memory dump.
    Core,
    /// Anything else.
    Unknown,
}

/// An ELF file. All addresses are as in the file; in a process they are shifted by the
/// [bias](Self::load_bias). Copies share the mapping.
#[derive(Clone, Debug)]
pub struct ElfFile {
    path: PathBuf,
    kind: ElfKind,
    entry: u64,
    segments: Vec<Segment>,
    file: MappedFile,
}

/// A part of the file that is loaded into memory.
#[derive(Clone, Debug)]
struct Segment {
    addresses: Range<u64>,
    file_range: Range<u64>,
    executable: bool,
}

/// A section of the file.
#[derive(Clone, Debug, Default)]
pub struct ElfSection {
    /// The addresses at which the section is loaded.
    pub addresses: Range<u64>,
    /// The bytes of the section.
    pub contents: FileSlice,
}

impl ElfFile {
    /// Opens the file at a path.
    pub fn open(path: &Path) -> Result<Self, ElfError> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory).into());
        }
        // Empty files and devices cannot be mapped.
        if !metadata.is_file() || metadata.len() == 0 {
            return Err(ElfError::NotElf);
        }
        Self::from_file(&file, path)
    }

    /// Reads a file that is open already. The path says where debug information may lie beside it.
    pub fn from_file(file: &File, path: &Path) -> Result<Self, ElfError> {
        let file = MappedFile::new(file)?;
        if let Some(line) = file.bytes().strip_prefix(b"#!") {
            let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
            let line = &line[..line.len().min(MAX_INTERPRETER_BYTES)];
            return Err(ElfError::Script(String::from_utf8_lossy(line).trim().to_owned()));
        }
        if !file.bytes().starts_with(&elf::ELFMAG) {
            return Err(ElfError::NotElf);
        }
        let parsed = parse(&file)?;
        let kind = match parsed.kind() {
            ObjectKind::Executable => ElfKind::FixedProgram,
            ObjectKind::Dynamic => ElfKind::PositionIndependent,
            ObjectKind::Relocatable => ElfKind::Object,
            ObjectKind::Core => ElfKind::Core,
            _ => ElfKind::Unknown,
        };
        let (entry, segments) = (parsed.entry(), segments(&parsed));
        drop(parsed);
        Ok(Self { path: path.to_owned(), kind, entry, segments, file })
    }

    /// The path that the file was opened by.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The kind of the file.
    pub fn kind(&self) -> ElfKind {
        self.kind
    }

    /// The processor that the file is compiled for.
    pub fn machine(&self) -> Result<Machine, OtherMachine> {
        header_machine(self.file.bytes()).unwrap_or(Err(OtherMachine("no processor".to_owned())))
    }

    /// The address of the first instruction.
    pub fn entry(&self) -> u64 {
        self.entry
    }

    /// The distance between the addresses of a process and those of the file, if the process has mapped the
    /// part at `offset` to `address`.
    pub fn load_bias(&self, offset: u64, address: u64) -> Option<u64> {
        // Mappings consist of whole pages, so they may begin a little before the segment.
        let pages = |range: &Range<u64>| range.start & !0xfff..range.end;
        let mut segments = self.segments.iter();
        let segment = segments.rfind(|segment| pages(&segment.file_range).contains(&offset))?;
        let before_segment = segment.file_range.start.wrapping_sub(offset);
        Some(address.wrapping_sub(segment.addresses.start.wrapping_sub(before_segment)))
    }

    /// Whether code is loaded at an address.
    pub fn is_code(&self, address: u64) -> bool {
        let mut segments = self.segments.iter();
        segments.any(|segment| segment.executable && segment.addresses.contains(&address))
    }

    /// The bytes at an address, up to the end of what the file holds there.
    pub fn bytes_at(&self, address: u64) -> Option<&[u8]> {
        let segment = self.segments.iter().find(|segment| segment.addresses.contains(&address))?;
        let inside = address - segment.addresses.start;
        let start = segment.file_range.start.checked_add(inside)?;
        let range = usize::try_from(start).ok()?..usize::try_from(segment.file_range.end).ok()?;
        self.file.bytes().get(range)
    }

    fn parsed(&self) -> Option<object::File<'_>> {
        parse(&self.file).ok()
    }
}

/// Sections and debug information.
impl ElfFile {
    /// A section, decompressed if necessary.
    pub fn section(&self, name: &str) -> Option<ElfSection> {
        let parsed = self.parsed()?;
        let section = parsed.section_by_name(name)?;
        let contents = match stored_range(&section) {
            Some(range) => self.file.slice(range)?,
            None => FileSlice::decompressed(&section.uncompressed_data().ok()?),
        };
        Some(ElfSection { addresses: addresses(&section), contents })
    }

    /// A section that is stored uncompressed, so that no time is spent on decompression.
    pub fn uncompressed_section(&self, name: &str) -> Option<ElfSection> {
        let parsed = self.parsed()?;
        let section = parsed.section_by_name(name)?;
        let contents = self.file.slice(stored_range(&section)?)?;
        Some(ElfSection { addresses: addresses(&section), contents })
    }

    /// The addresses at which a section is loaded.
    pub fn section_addresses(&self, name: &str) -> Option<Range<u64>> {
        Some(addresses(&self.parsed()?.section_by_name(name)?))
    }

    /// Whether the file contains debug information.
    pub fn has_debug_information(&self) -> bool {
        let has_it = |parsed: object::File<'_>| {
            parsed.section_by_name(".debug_info").is_some_and(|section| section.size() > 0)
        };
        self.parsed().is_some_and(has_it)
    }

    /// The file with the debug information of this one: this file itself, or the one that was split off.
    pub fn debug_file(&self) -> Option<Self> {
        if self.has_debug_information() {
            return Some(self.clone());
        }
        let build_id = self.build_id();
        let files = self.debug_file_paths().into_iter().filter_map(|path| Self::open(&path).ok());
        let is_right = |file: &Self| file.build_id() == build_id && file.has_debug_information();
        files.into_iter().find(is_right)
    }

    fn build_id(&self) -> Option<Vec<u8>> {
        self.parsed()?.build_id().ok().flatten().map(<[u8]>::to_vec)
    }

    /// The paths at which debuggers search for debug information that was split off.
    fn debug_file_paths(&self) -> Vec<PathBuf> {
        let mut paths = Vec::new();
        let Some(parsed) = self.parsed() else { return paths };
        if let Ok(Some([first, rest @ ..])) = parsed.build_id() {
            let rest: String = rest.iter().map(|byte| format!("{byte:02x}")).collect();
            let name = format!(".build-id/{first:02x}/{rest}.debug");
            paths.push(Path::new(SYSTEM_DEBUG_DIRECTORY).join(name));
        }
        let directory = self.path.canonicalize().ok();
        let directory = directory.as_ref().and_then(|path| path.parent());
        if let (Ok(Some((name, _))), Some(directory)) = (parsed.gnu_debuglink(), directory) {
            let name = String::from_utf8_lossy(name).into_owned();
            paths.push(directory.join(".debug").join(&name));
            paths.push(directory.join(&name));
            let inside = directory.strip_prefix("/").unwrap_or(directory);
            paths.push(Path::new(SYSTEM_DEBUG_DIRECTORY).join(inside).join(&name));
        }
        paths
    }
}

/// Symbols.
impl ElfFile {
    /// All functions that have symbols.
    pub fn functions(&self) -> FunctionTable {
        let mut functions = Vec::new();
        let Some(parsed) = self.parsed() else {
            return FunctionTable::new(self.file.clone(), functions);
        };
        for symbol in parsed.symbols().chain(parsed.dynamic_symbols()) {
            let is_code = matches!(symbol.kind(), SymbolKind::Text | SymbolKind::Unknown);
            let Ok(name) = symbol.name_bytes() else { continue };
            // Names that begin with a dollar sign mark data between ARM instructions.
            if !is_code || symbol.is_undefined() || name.is_empty() || name[0] == b'$' {
                continue;
            }
            // The name is a part of the mapped file, so its position follows from its address.
            let start = name.as_ptr() as usize - self.file.bytes().as_ptr() as usize;
            let underscores = name.iter().take_while(|byte| **byte == b'_').count();
            functions.push(FunctionSymbol {
                start: symbol.address(),
                size: symbol.size(),
                name: start..start + name.len(),
                rank: (
                    symbol.kind() == SymbolKind::Text,
                    symbol.is_global(),
                    Reverse((underscores, name.len())),
                ),
            });
        }
        FunctionTable::new(self.file.clone(), functions)
    }

    /// The address of a symbol. Of several with one name, global ones come first.
    pub fn symbol(&self, name: &str) -> Option<u64> {
        let parsed = self.parsed()?;
        let has_name = |symbol: &object::Symbol<'_, '_>| {
            let found = symbol.name_bytes().unwrap_or_default();
            // Symbols of libraries may have versions: `malloc@@GLIBC_2.2.5`.
            let rest = found.strip_prefix(name.as_bytes());
            !symbol.is_undefined() && rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'@')
        };
        let symbols = || parsed.symbols().chain(parsed.dynamic_symbols()).filter(has_name);
        let found = symbols().find(|symbol| symbol.is_global()).or_else(|| symbols().next());
        found.map(|symbol| symbol.address())
    }

    /// The address of a symbol that other files can use.
    pub fn exported_symbol(&self, name: &str) -> Option<u64> {
        let parsed = self.parsed()?;
        let mut symbols = parsed.dynamic_symbols();
        let found = symbols.find(|symbol| !symbol.is_undefined() && symbol.name() == Ok(name));
        found.map(|symbol| symbol.address())
    }

    /// The names and addresses of all symbols whose names begin with a prefix.
    pub fn symbols_with_prefix(&self, prefix: &str) -> Vec<(Vec<u8>, u64)> {
        let Some(parsed) = self.parsed() else { return Vec::new() };
        let symbols = parsed.symbols().filter(|symbol| !symbol.is_undefined());
        let named = symbols.filter_map(|symbol| {
            let name = symbol.name_bytes().ok()?;
            name.starts_with(prefix.as_bytes()).then(|| (name.to_vec(), symbol.address()))
        });
        named.collect()
    }

    /// Whether the file defines or uses a symbol with a name of some kind.
    pub fn has_symbol(&self, is_meant: impl Fn(&[u8]) -> bool) -> bool {
        let Some(parsed) = self.parsed() else { return false };
        let mut symbols = parsed.dynamic_symbols().chain(parsed.symbols());
        symbols.any(|symbol| symbol.name_bytes().is_ok_and(&is_meant))
    }
}

/// The number of bytes at the beginning of an ELF file that [`header_machine`] needs.
pub const HEADER_BYTES: usize = 20;

/// The processor that an ELF file is compiled for, from its first bytes; `None` if it is no ELF file.
pub fn header_machine(header: &[u8]) -> Option<Result<Machine, OtherMachine>> {
    let header: &[u8; HEADER_BYTES] = header.first_chunk()?;
    if !header.starts_with(&elf::ELFMAG) {
        return None;
    }
    // Files for big-endian processors have the bytes of this number swapped, and get no name.
    let machine = elf::Machine(u16::from_le_bytes([header[18], header[19]]));
    let is_64_bit = header[4] == 2;
    let name = match machine {
        elf::EM_X86_64 if is_64_bit => return Some(Ok(Machine::X86_64)),
        elf::EM_386 if !is_64_bit => return Some(Ok(Machine::I386)),
        elf::EM_X86_64 => "x86-64 with 32-bit pointers (x32)".to_owned(),
        elf::EM_AARCH64 => "64-bit ARM (AArch64)".to_owned(),
        elf::EM_ARM => "32-bit ARM".to_owned(),
        elf::EM_RISCV => "RISC-V".to_owned(),
        elf::Machine(number) => format!("processor number {number}"),
    };
    Some(Err(OtherMachine(name)))
}

fn parse(file: &MappedFile) -> Result<object::File<'_>, ElfError> {
    object::File::parse(file.bytes()).map_err(|error| ElfError::Damaged(error.to_string()))
}

fn segments(parsed: &object::File<'_>) -> Vec<Segment> {
    let segment = |segment: object::Segment<'_, '_>| {
        let (offset, size) = segment.file_range();
        let executable = match segment.flags() {
            object::SegmentFlags::Elf { p_flags, .. } => p_flags.0 & elf::PF_X.0 != 0,
            _ => false,
        };
        let start = segment.address();
        Segment {
            addresses: start..start.saturating_add(segment.size()),
            file_range: offset..offset.saturating_add(size),
            executable,
        }
    };
    parsed.segments().map(segment).collect()
}

fn addresses<'a>(section: &impl ObjectSection<'a>) -> Range<u64> {
    section.address()..section.address().saturating_add(section.size())
}

/// The position of a section in its file; `None` if it is compressed.
fn stored_range<'a>(section: &impl ObjectSection<'a>) -> Option<Range<usize>> {
    let range = section.compressed_file_range().ok()?;
    if range.format != CompressionFormat::None {
        return None;
    }
    let end = range.offset.checked_add(range.compressed_size)?;
    Some(usize::try_from(range.offset).ok()?..usize::try_from(end).ok()?)
}
