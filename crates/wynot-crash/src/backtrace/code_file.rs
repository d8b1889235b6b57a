//! A program or library: the functions at its addresses, and its unwind tables.

use super::function_start;
use super::inline::InlinedFunctions;
use super::unwind::UnwindTables;
use std::cell::OnceCell;
use std::fs::File;
use std::path::Path;
use wynot_process::elf::ElfFile;
use wynot_process::symbols::FunctionTable;

/// A program or library. Symbols and debug information are read when they are first needed, and once.
pub(super) struct CodeFile {
    /// The name of the file, without its directory.
    name: String,
    pub(super) tables: UnwindTables,
    elf: ElfFile,
    functions: OnceCell<FunctionTable>,
    inlined: OnceCell<Option<InlinedFunctions>>,
    is_tracer: OnceCell<bool>,
}

impl CodeFile {
    /// Reads a file that is open already; `None` if it is no ELF file.
    pub(super) fn read(file: &File, path: &Path) -> Option<Self> {
        let elf = ElfFile::from_file(file, path).ok()?;
        let tables = UnwindTables {
            eh_frame: elf.uncompressed_section(".eh_frame"),
            eh_frame_hdr: elf.uncompressed_section(".eh_frame_hdr"),
            debug_frame: elf.uncompressed_section(".debug_frame"),
            text: elf.section_addresses(".text"),
        };
        let name =
            path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let (functions, inlined, is_tracer) = Default::default();
        Some(Self { name, tables, elf, functions, inlined, is_tracer })
    }

    /// The distance between the addresses of a process and those of the file, if the process has mapped the
    /// part at `offset` to `address`.
    pub(super) fn load_bias(&self, offset: u64, address: u64) -> Option<u64> {
        self.elf.load_bias(offset, address)
    }

    /// The names of the functions at an address of the file, innermost first; more than one if some are
    /// inlined. A function without a name is `FILE+START`.
    pub(super) fn functions_at(&self, address: u64) -> Vec<String> {
        let inlined = self.inlined.get_or_init(|| InlinedFunctions::read(&self.elf));
        let inlined = inlined.as_ref().map(|inlined| inlined.functions_at(address));
        let mut names = inlined.unwrap_or_default();
        let symbol = self.functions.get_or_init(|| self.elf.functions()).name_at(address);
        match (names.last_mut(), symbol) {
            // Debug information may omit the anonymous namespace of a function.
            (Some(last), Some(symbol)) if symbol.ends_with(&format!("::{last}")) => *last = symbol,
            (None, Some(symbol)) => names.push(symbol),
            (None, None) => {
                names.push(format!("{}+{:#x}", self.name, self.function_start(address)))
            }
            (Some(_), _) => {}
        }
        names
    }

    /// The start of the function that contains an address, or the address itself if that is unknown.
    fn function_start(&self, address: u64) -> u64 {
        let start = match (&self.tables.eh_frame_hdr, &self.tables.eh_frame) {
            (Some(header), Some(frames)) => function_start::find(header, frames, address),
            _ => None,
        };
        start.unwrap_or(address)
    }

    /// Whether the program uses `ptrace`, or a sanitizer that does.
    pub(super) fn is_tracer(&self) -> bool {
        let is_sign = |name: &[u8]| {
            name == b"ptrace"
                || name.starts_with(b"__asan_init")
                || name.starts_with(b"__lsan_init")
        };
        *self.is_tracer.get_or_init(|| self.elf.has_symbol(is_sign))
    }
}
