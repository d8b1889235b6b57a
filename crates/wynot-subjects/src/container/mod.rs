//! Binary containers: their parts, and the lengths, counts, offsets and checksums that depend on these.
//!
//! [`Container::read`] turns a text into a *view*: compressed streams are opened, and a [`ContainerLayout`] says which
//! bytes are parts that can go and which fields follow from others. [`ContainerLayout::encode`] makes a text of the view
//! again, after edits that know nothing about formats. A field that was wrong in the text is not repaired.
//!
//! | to … | see |
//! |---|---|
//! | add a format | a file in `archives`, `media`, `programs` or `records` with a function `read_…`, and an entry in `FORMATS` |
//! | add a kind of dependent field | `container_layout`, `layout_encoding`, `field_notation` |
//! | change what is tried on unknown formats | `unknown_format` |
//!
//! Inputs may be hostile: lengths may be wrong, streams may be huge, containers may nest without end. Readers give up
//! on what they do not understand; what is not understood is plain bytes.

mod archives;
mod byte_numbers;
mod checksum;
mod container_layout;
mod deflate;
mod field_notation;
mod flat_file;
mod layout_assembly;
mod layout_builder;
mod layout_encoding;
mod media;
mod programs;
mod record_chain;
mod records;
mod text_parts;
mod unknown_format;

pub use container_layout::{ContainerLayout, PartList};
pub use layout_builder::Opening;
pub use layout_encoding::ViewEdit;

use layout_builder::LayoutBuilder;

/// Streams become at most this number of bytes, together.
const MAX_INFLATED_BYTES: usize = 64 << 20;

/// Streams become at most this number of times the bytes of the text, and [`FREE_INFLATED_BYTES`] in any case.
const MAX_INFLATION: usize = 100;

/// Streams may always become this number of bytes.
const FREE_INFLATED_BYTES: usize = 1 << 20;

/// Texts with more bytes than this are not read as containers.
const MAX_CONTAINER_BYTES: usize = 256 << 20;

/// Reads some bytes as a file of a format and appends all of them; `None` if they are not of the format.
type ReadFormat = fn(&mut LayoutBuilder, &[u8]) -> Option<()>;

/// The formats that begin with a signature.
const FORMATS: &[ReadFormat] = &[
    media::png::read_png,
    archives::zip_archive::read_zip,
    archives::gzip::read_gzip,
    media::riff::read_riff,
    media::jpeg::read_jpeg,
    media::tiff::read_tiff,
    programs::elf_file::read_elf,
    archives::ar_archive::read_ar,
    media::iso_media::read_iso_media,
    media::gif::read_gif,
    programs::class_file::read_class,
    records::sqlite_file::read_sqlite,
    media::sfnt_font::read_sfnt,
    media::matroska::read_matroska,
    media::flac::read_flac,
    media::ogg::read_ogg,
    records::pcapng::read_pcapng,
    programs::pe_file::read_pe,
    programs::wasm::read_wasm,
    archives::tar_file::read_tar,
];

/// The formats that are recognised by their structure alone.
const FORMATS_WITHOUT_SIGNATURE: &[ReadFormat] =
    &[archives::zlib::read_zlib, records::der::read_der, records::protobuf::read_protobuf];

/// A container with its streams opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Container {
    /// The bytes of the container, with the contents of streams in the place of streams.
    pub view: Vec<u8>,
    /// What the bytes mean.
    pub layout: ContainerLayout,
}

impl Container {
    /// Reads a text as a container; `None` if it has no known structure.
    pub fn read(text: &[u8], opening: Opening) -> Option<Self> {
        if text.is_empty() || text.len() > MAX_CONTAINER_BYTES {
            return None;
        }
        let free = text.len().saturating_mul(MAX_INFLATION).max(FREE_INFLATED_BYTES);
        let mut builder = LayoutBuilder::new(opening, free.min(MAX_INFLATED_BYTES));
        let is_known = read_any(&mut builder, text, FORMATS)
            .or_else(|| read_any(&mut builder, text, FORMATS_WITHOUT_SIGNATURE))
            .is_some();
        if !is_known {
            read_any(&mut builder, text, &[unknown_format::read_unknown_format])?;
        }
        let (view, mut layout) = builder.finish();
        layout.is_guessed = !is_known;
        (!layout.is_trivial()).then_some(Self { view, layout })
    }

    /// All ways to read a text, those that open the most first. Where nothing is opened, there is one way.
    pub fn readings(text: &[u8]) -> impl Iterator<Item = (Opening, Self)> {
        let openings = [Opening::Stored, Opening::Compressed, Opening::Closed];
        let mut is_last = false;
        openings.into_iter().map_while(move |opening| {
            let container = (!is_last).then(|| Self::read(text, opening)).flatten()?;
            is_last = container.layout.spaces.len() == 1 && opening != Opening::Stored;
            Some((opening, container))
        })
    }

    /// The text of the container.
    pub fn encode(&self) -> Vec<u8> {
        self.layout.encode(&self.view, &[])
    }
}

/// Reads bytes by the first format that they are of.
fn read_any(builder: &mut LayoutBuilder, bytes: &[u8], formats: &[ReadFormat]) -> Option<()> {
    let checkpoint = builder.checkpoint();
    formats.iter().find_map(|read| {
        let result = read(builder, bytes);
        if result.is_none() {
            builder.go_back(checkpoint);
        }
        result
    })
}

/// Appends bytes inside a container: another container, a text, or bytes without structure. A name may say what they are.
fn read_nested(builder: &mut LayoutBuilder, bytes: &[u8], name: &[u8]) {
    builder.depth += 1;
    let is_read = builder.can_nest() && read_any(builder, bytes, FORMATS).is_some();
    builder.depth -= 1;
    if !is_read {
        text_parts::read_text(builder, bytes, name);
    }
}

#[cfg(test)]
mod checked_tests;
#[cfg(test)]
mod container_tests;
#[cfg(test)]
mod format_tests;
#[cfg(test)]
mod numbered_tests;
