//! Builds the large grammars with their tables compressed.
//!
//! The tables of a grammar are most of it, and mostly zeros: 12 MB in all, a tenth of that compressed. So the generated C
//! of a grammar is compiled here, its tables are taken out of the object files and compressed into this crate, and memory
//! without contents is left in their place, which is filled when the grammar is used for the first time.
//!
//! The sources are those of the dependencies, which lie beside that of tree-sitter wherever cargo has put them. A grammar whose
//! source is not found there, or whose object file is of another kind, is linked as its crate has it.

use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The large grammars: the name in Rust, the crate as `Cargo.toml` pins it, its directory with the parser, and its function in C.
const GRAMMARS: [(&str, &str, &str, &str); 12] = [
    ("BASH", "tree-sitter-bash-0.25.1", "src", "tree_sitter_bash"),
    ("C", "tree-sitter-c-0.24.2", "src", "tree_sitter_c"),
    ("CPP", "tree-sitter-cpp-0.23.4", "src", "tree_sitter_cpp"),
    ("GO", "tree-sitter-go-0.25.0", "src", "tree_sitter_go"),
    ("JAVA", "tree-sitter-java-0.23.5", "src", "tree_sitter_java"),
    ("JAVASCRIPT", "tree-sitter-javascript-0.25.0", "src", "tree_sitter_javascript"),
    ("PYTHON", "tree-sitter-python-0.25.0", "src", "tree_sitter_python"),
    ("RUST", "tree-sitter-rust-0.24.2", "src", "tree_sitter_rust"),
    ("SQL", "tree-sitter-sequel-0.3.11", "src", "tree_sitter_sql"),
    ("TSX", "tree-sitter-typescript-0.23.2", "tsx/src", "tree_sitter_tsx"),
    ("TYPESCRIPT", "tree-sitter-typescript-0.23.2", "typescript/src", "tree_sitter_typescript"),
    ("XML", "tree-sitter-xml-0.7.0", "xml/src", "tree_sitter_xml"),
];

/// The tables, as the generated C names them. No other data of a grammar is large.
const TABLES: [&str; 3] = ["parse_table", "small_parse_table", "parse_actions"];

/// What a grammar with a scanner of its own defines besides.
const SCANNER_FUNCTIONS: [&str; 5] = ["create", "destroy", "scan", "serialize", "deserialize"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(packed, values(any()))");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    // The directory `include` of tree-sitter, in the directory of all sources.
    let include = env::var_os("DEP_TREE_SITTER_INCLUDE").map(PathBuf::from);
    let sources = include.as_deref().and_then(|path| path.ancestors().nth(2));
    let mut objects = Vec::new();
    for (name, package, parser, function) in GRAMMARS {
        let source =
            sources.and_then(|sources| source_of(sources, package)).map(|dir| dir.join(parser));
        let packed =
            source.ok_or_else(|| io::Error::other("there is no source")).and_then(|source| {
                let compiled = compile(&source, function, &out)?;
                let tables = take_tables(&compiled[0])?;
                fs::write(out.join(format!("{name}.tables")), compressed(&tables)?)?;
                Ok(compiled)
            });
        if let Ok(compiled) = packed {
            objects.extend(compiled);
            println!("cargo::rustc-cfg=packed=\"{name}\"");
        }
    }
    if !objects.is_empty() {
        cc::Build::new().objects(objects).compile("wynot_grammars");
    }
}

/// The directory of a package among the sources; without its version if they are vendored.
fn source_of(sources: &Path, package: &str) -> Option<PathBuf> {
    let name = package.rsplit_once('-').map_or(package, |(name, _)| name);
    [package, name].map(|name| sources.join(name)).into_iter().find(|path| path.is_dir())
}

/// The object files of a grammar; that of the parser comes first. Its functions get other names than in its crate.
fn compile(source: &Path, function: &str, out: &Path) -> io::Result<Vec<PathBuf>> {
    let tables = out.join(format!("{function}_tables.c"));
    let address = |table: &str| format!("(void *)language->{table}");
    let addresses = TABLES.map(address).join(", ");
    fs::write(
        &tables,
        format!(
            "#include \"tree_sitter/parser.h\"\n\
             const TSLanguage *{function}(void);\n\
             void {function}_tables(void *tables[{}]) {{\n\
             const TSLanguage *language = {function}();\n\
             void *all[] = {{{addresses}}};\n\
             for (int i = 0; i < {}; i++) tables[i] = all[i];\n}}\n",
            TABLES.len(),
            TABLES.len()
        ),
    )?;
    let mut build = cc::Build::new();
    // Lexers are large and take little of the time.
    build.std("c11").opt_level_str("s").debug(false).warnings(false);
    build.include(source).file(source.join("parser.c")).file(&tables);
    let scanner = source.join("scanner.c");
    if scanner.is_file() {
        build.file(scanner);
    }
    let mut names = vec![function.to_owned(), format!("{function}_tables")];
    names.extend(SCANNER_FUNCTIONS.map(|name| format!("{function}_external_scanner_{name}")));
    for name in &names {
        build.define(name, Some(format!("wynot_{name}").as_str()));
    }
    build.try_compile_intermediates().map_err(io::Error::other)
}

/// Takes the tables out of an object file, which then only says how much memory they need. Returns them, each with its
/// length in front.
fn take_tables(object: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = fs::read(object)?;
    let mut elf = Elf { bytes: &mut bytes };
    let tables = elf.take_tables().ok_or_else(|| io::Error::other("it is no such object file"))?;
    fs::write(object, bytes)?;
    Ok(tables)
}

/// An object file for a processor with 64 bits and the low byte first.
struct Elf<'a> {
    bytes: &'a mut Vec<u8>,
}

impl Elf<'_> {
    /// What tells such a file: the magic number, the class and the order of bytes.
    const MAGIC: [u8; 6] = [0x7f, b'E', b'L', b'F', 2, 1];
    /// The type of sections that have no contents in the file.
    const NO_CONTENTS: u32 = 8;
    /// The flag of sections that can be written.
    const WRITABLE: u64 = 1;
    /// The length of a section's header.
    const HEADER_BYTES: usize = 64;

    fn take_tables(&mut self) -> Option<Vec<u8>> {
        if !self.bytes.starts_with(&Self::MAGIC) {
            return None;
        }
        let first = self.number(40, 8)?;
        let names = first + self.number(62, 2)? * Self::HEADER_BYTES;
        let names = self.number(names + 24, 8)?;
        let headers: Vec<usize> =
            (0..self.number(60, 2)?).map(|index| first + index * Self::HEADER_BYTES).collect();
        let mut tables = Vec::new();
        let mut found = Vec::new();
        for table in TABLES {
            let wanted = format!(".rodata.ts_{table}");
            let is_wanted =
                |at: &&usize| self.name(names, **at).is_some_and(|name| name == wanted.as_bytes());
            let at = *headers.iter().find(is_wanted)?;
            let (start, length) = (self.number(at + 24, 8)?, self.number(at + 32, 8)?);
            tables.extend((length as u64).to_le_bytes());
            tables.extend(self.bytes.get(start..start + length)?);
            found.push(at);
        }
        // Linkers place sections by their names.
        let mut all = headers.iter().filter_map(|at| Some((self.name(names, *at)?, *at)));
        let (_, memory) = all.find(|(name, _)| name == b".bss")?;
        let name = self.number(memory, 4)? as u32;
        for at in found {
            let flags = self.number(at + 8, 8)? as u64 | Self::WRITABLE;
            self.bytes[at..at + 4].copy_from_slice(&name.to_le_bytes());
            self.bytes[at + 4..at + 8].copy_from_slice(&Self::NO_CONTENTS.to_le_bytes());
            self.bytes[at + 8..at + 16].copy_from_slice(&flags.to_le_bytes());
        }
        Some(tables)
    }

    /// The number at a place in the file.
    fn number(&self, at: usize, length: usize) -> Option<usize> {
        let mut number = [0; 8];
        number[..length].copy_from_slice(self.bytes.get(at..at + length)?);
        usize::try_from(u64::from_le_bytes(number)).ok()
    }

    /// The name of the section with this header.
    fn name(&self, names: usize, header: usize) -> Option<Vec<u8>> {
        let start = names + self.number(header, 4)?;
        let name = self.bytes.get(start..)?.split(|byte| *byte == 0).next()?;
        Some(name.to_vec())
    }
}

fn compressed(tables: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(tables)?;
    encoder.finish()
}
