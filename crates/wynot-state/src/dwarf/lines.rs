//! The line table: which line of which file the code was compiled from.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A line of a source file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourcePlace {
    /// The path of the file, as the compiler was given it.
    pub file: Arc<str>,
    /// The line, counted from 1; 0 for code that the compiler has generated.
    pub line: u32,
}

impl fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A row of the line table: the line of the code from an address on, up to that of the next row.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineRow {
    pub(super) address: u64,
    /// The number of the file.
    pub(super) file: u32,
    pub(super) line: u32,
    /// Whether a statement begins here, so that a debugger should stop.
    pub(super) is_statement: bool,
    /// Whether the body of a function begins here.
    pub(super) is_prologue_end: bool,
    /// Whether the lines of the following code are unknown.
    pub(super) is_sequence_end: bool,
}

/// All lines of a program.
#[derive(Debug, Default)]
pub(super) struct LineTable {
    /// Sorted by address. Rows with one address are in the order of the file, except that ends come first.
    rows: Vec<LineRow>,
    files: Vec<Arc<str>>,
}

impl LineTable {
    pub(super) fn new(mut rows: Vec<LineRow>, files: Vec<Arc<str>>) -> Self {
        rows.sort_by_key(|row| (row.address, !row.is_sequence_end));
        Self { rows, files }
    }

    /// The row of the code at an address.
    pub(super) fn row_at(&self, address: u64) -> Option<&LineRow> {
        let after = self.rows.partition_point(|row| row.address <= address);
        let last = self.rows.get(after.checked_sub(1)?)?;
        if last.is_sequence_end {
            return None;
        }
        // Of several rows with one address, that of a statement counts.
        let same = self.rows[..after].iter().rev().take_while(|row| row.address == last.address);
        same.filter(|row| !row.is_sequence_end).find(|row| row.is_statement).or(Some(last))
    }

    /// The address at which the row of an address ends.
    pub(super) fn row_end(&self, address: u64) -> Option<u64> {
        let after = self.rows.partition_point(|row| row.address <= address);
        self.rows.get(after).map(|row| row.address)
    }

    pub(super) fn place(&self, row: &LineRow) -> SourcePlace {
        SourcePlace { file: self.files[row.file as usize].clone(), line: row.line }
    }

    /// The rows with addresses in a range.
    pub(super) fn rows_in(&self, range: &Range<u64>) -> &[LineRow] {
        let start = self.rows.partition_point(|row| row.address < range.start);
        let end = self.rows.partition_point(|row| row.address < range.end);
        self.rows.get(start..end).unwrap_or_default()
    }

    /// The addresses at which statements of a line begin: the first one of each run of instructions that belong
    /// to the line.
    pub(super) fn addresses(&self, file: &str, line: u32) -> Vec<u64> {
        let is_file: Vec<bool> = self.files.iter().map(|path| ends_with_path(path, file)).collect();
        let mut found = Vec::new();
        let mut is_inside = false;
        for row in &self.rows {
            let is_line = !row.is_sequence_end && row.line == line && is_file[row.file as usize];
            if is_line && row.is_statement && !is_inside && found.last() != Some(&row.address) {
                found.push(row.address);
            }
            is_inside = is_line && (row.is_statement || is_inside);
        }
        found
    }
}

/// Whether a path is, or ends with, the parts of another one.
fn ends_with_path(path: &str, end: &str) -> bool {
    let end = end.trim_start_matches("./");
    path.strip_suffix(end)
        .is_some_and(|before| before.is_empty() || before.ends_with('/') || end.starts_with('/'))
}
