//! Images, sound, video and fonts: chunks, boxes, pages and tables.

pub(super) mod flac;
pub(super) mod gif;
pub(super) mod iso_items;
pub(super) mod iso_media;
pub(super) mod iso_samples;
pub(super) mod jpeg;
pub(super) mod matroska;
pub(super) mod ogg;
pub(super) mod png;
pub(super) mod riff;
pub(super) mod sfnt_font;
pub(super) mod tiff;
