//! Reducing a directory or several files.
//!
//! [`reduce_folder`] has the order of steps: files, then contents, then the text of each file by the passes
//! for texts. Its candidates are in [`draft`], the order of files in [`file_order`], and what else has to
//! change when a file goes, such as an `#include`, in [`file_references`].

pub mod draft;
pub mod file_order;
pub mod file_references;
pub mod reduce_folder;
