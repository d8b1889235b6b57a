//! Reading ELF files: this test itself, and files that are none.

use std::path::{Path, PathBuf};
use wynot_process::elf::header_machine;
use wynot_process::{ElfError, ElfFile, MemoryMap, OtherMachine};

fn this_program() -> PathBuf {
    std::env::current_exe().unwrap()
}

#[test]
fn functions_are_named_by_their_addresses_in_a_process() {
    let file = ElfFile::open(&this_program()).unwrap();
    let address = functions_are_named_by_their_addresses_in_a_process as fn() as usize as u64;
    let map = MemoryMap::read(std::process::id() as i32).unwrap();
    let region = map.region_at(address).unwrap();
    let bias = file.load_bias(region.offset, region.range.start).unwrap();
    let inside = address - bias;
    assert!(file.is_code(inside) && !file.is_code(u64::MAX));
    assert!(file.bytes_at(inside).is_some_and(|code| !code.is_empty()));
    let name = file.functions().name_at(inside).unwrap();
    assert_eq!(name, "elf::functions_are_named_by_their_addresses_in_a_process");
    assert_eq!(file.functions().name_at(file.symbol("main").unwrap()).as_deref(), Some("main"));
}

#[test]
fn sections_and_symbols_are_found_by_name() {
    let file = ElfFile::open(&this_program()).unwrap();
    let text = file.section(".text").unwrap();
    assert_eq!(text.addresses, file.section_addresses(".text").unwrap());
    assert!(text.addresses.contains(&file.entry()));
    assert_eq!(text.contents.len() as u64, text.addresses.end - text.addresses.start);
    assert!(file.uncompressed_section(".no_such_section").is_none());
    assert!(file.has_symbol(|name| name == b"main") && file.symbol("no_such_symbol").is_none());
    let debug_file = file.debug_file().unwrap();
    assert_eq!(debug_file.path(), file.path());
}

#[test]
fn files_that_are_no_elf_files_have_errors_of_their_own() {
    let error = |path: &Path| ElfFile::open(path).unwrap_err();
    assert!(matches!(error(Path::new("/")), ElfError::Unreadable(_)));
    assert!(matches!(error(Path::new("/no/such/file")), ElfError::Unreadable(_)));
    assert!(matches!(error(Path::new("/etc/passwd")), ElfError::NotElf));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    assert!(matches!(error(&source), ElfError::NotElf));
}

#[test]
fn the_machine_is_in_the_header() {
    let mut header = std::fs::read(this_program()).unwrap();
    header.truncate(20);
    assert!(header_machine(&header).unwrap().is_ok());
    header[18..20].copy_from_slice(&40_u16.to_le_bytes());
    assert_eq!(header_machine(&header), Some(Err(OtherMachine("32-bit ARM".to_owned()))));
    assert_eq!(header_machine(&header[..19]), None);
    assert_eq!(header_machine(b"#!/bin/sh and some more text"), None);
}
