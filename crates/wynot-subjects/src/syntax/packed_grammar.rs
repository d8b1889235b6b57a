//! Grammars whose tables are compressed in the program (`build.rs`). They are unpacked into their place when a grammar is used
//! for the first time.
#![expect(
    unsafe_code,
    reason = "the tables are filled where the generated C of a grammar expects them"
)]

use flate2::read::DeflateDecoder;
use std::ffi::c_void;
use std::io::Read;

/// The number of tables of a grammar.
const TABLES: usize = 3;

/// Fills the tables of a grammar from what `build.rs` has compressed.
///
/// # Safety
///
/// The addresses are those of the tables from which it was made, in memory that can be written, and nothing reads them yet.
unsafe fn unpack(compressed: &[u8], addresses: [*mut c_void; TABLES]) {
    let mut decoder = DeflateDecoder::new(compressed);
    for address in addresses {
        let mut length = [0; 8];
        decoder.read_exact(&mut length).expect("a table has its length in front");
        // SAFETY: there is a table of this length, and nothing else refers to it, as the caller has seen to.
        let table = unsafe {
            std::slice::from_raw_parts_mut(
                address.cast::<u8>(),
                u64::from_le_bytes(length) as usize,
            )
        };
        decoder.read_exact(table).expect("the tables are complete");
    }
}

/// Defines the grammars whose tables are compressed: the name, the function of C that returns the grammar, the one that returns
/// the addresses of its tables, and how the grammar's crate has it.
macro_rules! grammars {
    ($($name:ident $label:literal $function:ident $tables:ident $linked:expr;)*) => {$(
        #[cfg(packed = $label)]
        pub(crate) const $name: tree_sitter_language::LanguageFn = {
            unsafe extern "C" {
                #[link_name = concat!("wynot_", stringify!($function))]
                fn $function() -> *const ();
                #[link_name = concat!("wynot_", stringify!($tables))]
                fn $tables(addresses: *mut [*mut c_void; TABLES]);
            }
            unsafe extern "C" fn unpacked() -> *const () {
                static UNPACKED: std::sync::Once = std::sync::Once::new();
                UNPACKED.call_once(|| {
                    let mut addresses = [std::ptr::null_mut(); TABLES];
                    let packed = include_bytes!(concat!(env!("OUT_DIR"), "/", $label, ".tables"));
                    // SAFETY: the function returns the addresses of the tables that were compressed into this file, whose
                    // place is writable memory; nothing gets the grammar before this has ended.
                    unsafe {
                        $tables(&raw mut addresses);
                        unpack(packed, addresses);
                    }
                });
                // SAFETY: it takes nothing and returns a static grammar.
                unsafe { $function() }
            }
            // SAFETY: the function returns a grammar of tree-sitter, with its tables.
            unsafe { tree_sitter_language::LanguageFn::from_raw(unpacked) }
        };
        #[cfg(not(packed = $label))]
        pub(crate) const $name: tree_sitter_language::LanguageFn = $linked;
    )*};
}

grammars! {
    BASH "BASH" tree_sitter_bash tree_sitter_bash_tables tree_sitter_bash::LANGUAGE;
    C "C" tree_sitter_c tree_sitter_c_tables tree_sitter_c::LANGUAGE;
    CPP "CPP" tree_sitter_cpp tree_sitter_cpp_tables tree_sitter_cpp::LANGUAGE;
    GO "GO" tree_sitter_go tree_sitter_go_tables tree_sitter_go::LANGUAGE;
    JAVA "JAVA" tree_sitter_java tree_sitter_java_tables tree_sitter_java::LANGUAGE;
    JAVASCRIPT "JAVASCRIPT" tree_sitter_javascript tree_sitter_javascript_tables tree_sitter_javascript::LANGUAGE;
    PYTHON "PYTHON" tree_sitter_python tree_sitter_python_tables tree_sitter_python::LANGUAGE;
    RUST "RUST" tree_sitter_rust tree_sitter_rust_tables tree_sitter_rust::LANGUAGE;
    SQL "SQL" tree_sitter_sql tree_sitter_sql_tables tree_sitter_sequel::LANGUAGE;
    TSX "TSX" tree_sitter_tsx tree_sitter_tsx_tables tree_sitter_typescript::LANGUAGE_TSX;
    TYPESCRIPT "TYPESCRIPT" tree_sitter_typescript tree_sitter_typescript_tables tree_sitter_typescript::LANGUAGE_TYPESCRIPT;
    XML "XML" tree_sitter_xml tree_sitter_xml_tables tree_sitter_xml::LANGUAGE_XML;
}

#[cfg(test)]
mod tests {
    /// Where the source of a dependency is not found, the program is larger than it has to be.
    #[test]
    #[cfg(target_pointer_width = "64")]
    fn all_large_grammars_are_compressed() {
        let packed = [
            cfg!(packed = "BASH"),
            cfg!(packed = "C"),
            cfg!(packed = "CPP"),
            cfg!(packed = "GO"),
            cfg!(packed = "JAVA"),
            cfg!(packed = "JAVASCRIPT"),
            cfg!(packed = "PYTHON"),
            cfg!(packed = "RUST"),
            cfg!(packed = "SQL"),
            cfg!(packed = "TSX"),
            cfg!(packed = "TYPESCRIPT"),
            cfg!(packed = "XML"),
        ];
        assert_eq!(packed, [true; 12]);
    }
}
