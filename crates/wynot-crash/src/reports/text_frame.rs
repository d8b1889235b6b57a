//! Frames of printed stacks.

use crate::library_functions;
use crate::variant_files::VariantFiles;

/// A frame of a printed stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextFrame {
    pub function: String,
    /// The file that the frame names.
    pub file: Option<String>,
}

impl TextFrame {
    pub(super) fn new(function: impl Into<String>, file: Option<&str>) -> Self {
        Self { function: function.into(), file: file.map(ToOwned::to_owned) }
    }
}

/// The functions of some frames.
pub(super) fn functions(frames: &[TextFrame]) -> Vec<String> {
    frames.iter().map(|frame| frame.function.clone()).collect()
}

/// The functions that are responsible for a crash with these frames.
pub(super) fn culprit(frames: &[TextFrame], variant_files: &VariantFiles) -> Option<String> {
    let is_builtin = |file: &str| file.starts_with("node:") || file.starts_with("<frozen ");
    let own = frames.iter().filter(|frame| !frame.file.as_deref().is_some_and(is_builtin));
    library_functions::culprit(own.map(|frame| {
        let belongs_to_input =
            frame.file.as_deref().is_some_and(|file| variant_files.contain(file));
        (frame.function.as_str(), belongs_to_input)
    }))
}
