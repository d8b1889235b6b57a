//! Frames of printed stacks.

use crate::library_functions::is_library_function;
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

/// The innermost function that belongs to no shared library, unless it belongs to the input.
pub(super) fn culprit(frames: &[TextFrame], variant_files: &VariantFiles) -> Option<String> {
    let is_library = |frame: &&TextFrame| {
        let is_builtin = |file: &str| file.starts_with("node:") || file.starts_with("<frozen ");
        is_library_function(&frame.function) || frame.file.as_deref().is_some_and(is_builtin)
    };
    let frame = frames.iter().find(|frame| !is_library(frame))?;
    let belongs_to_input = frame.file.as_deref().is_some_and(|file| variant_files.contain(file));
    (!belongs_to_input).then(|| frame.function.clone())
}
