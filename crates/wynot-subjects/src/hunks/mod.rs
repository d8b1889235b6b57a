//! Hunks: changes to one place of one file, as values that can be carried to other versions of a program.
//!
//! A [`Hunk`](hunk::Hunk) knows the whole file that it was made for. Hunks are made of two versions, by
//! [`hunks_between`](hunk_diff::hunks_between) and [`renames_between`](renames::renames_between), and applied
//! to a third one, by [`apply_hunks`](apply::apply_hunks) and [`carry_hunks`](apply::carry_hunks). There, lines
//! may have moved, code may be indented in another way, variables and files may have other names. What a hunk
//! changes must still be found without doubt, otherwise the hunk conflicts and is left out.
//!
//! [`hunk`] is the value and [`hunk_diff`] makes it of two folders, [`renames`] finds renamed files and
//! [`line_index`] similar ones. [`apply`] changes a target: the lines of [`merged_files`], and [`whole_files`].
//! The place of a hunk is found by whole lines ([`line_merge`]), else by tokens ([`token_merge`], with
//! [`token_edits`], and [`indentation`] for the white space), else in code that has moved ([`moved_code`]).
//! [`alignment`] says which lines or tokens of two texts correspond, and [`line_table`] holds the lines of one.

pub(crate) mod alignment;
pub(crate) mod apply;
pub(crate) mod hunk;
pub(crate) mod hunk_diff;
pub(crate) mod indentation;
pub(crate) mod line_index;
pub(crate) mod line_merge;
pub(crate) mod line_table;
pub(crate) mod merged_files;
pub(crate) mod moved_code;
pub(crate) mod renames;
pub(crate) mod token_edits;
pub(crate) mod token_merge;
pub(crate) mod whole_files;

#[cfg(test)]
mod hunk_properties;
#[cfg(test)]
mod hunk_tests;
