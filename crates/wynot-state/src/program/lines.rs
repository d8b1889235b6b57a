//! Which line of which file an instruction belongs to.

use super::attributes::Reader;
use super::dwarf::Debug;
use gimli::{AttributeValue, IncompleteLineProgram};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourcePlace {
    /// With directories, as the compiler was told them.
    pub file: Arc<str>,
    /// The first one is 1; of code that the compiler made up it is 0.
    pub line: u32,
}

impl fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// From an address on, up to the next row's, code belongs to a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) address: u64,
    /// Which of the files.
    file: u32,
    pub(super) line: u32,
    /// Whether a statement begins here, and a debugger should stop.
    pub(super) statement: bool,
    /// Whether the body of a function begins here.
    pub(super) body: bool,
    /// Whether nothing is known from here on.
    pub(super) end: bool,
}

/// All lines of a program.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// By address. Rows of one address are in the order of the file, but ends come first.
    rows: Vec<Row>,
    files: Vec<Arc<str>>,
}

/// Gives numbers to files, the same ones for the same file in all units.
#[derive(Default)]
pub(super) struct Files {
    names: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
    /// By units and their own numbers.
    known: Vec<Vec<Option<u32>>>,
}

impl Files {
    fn new(units: usize) -> Self {
        Self { known: vec![Vec::new(); units], ..Self::default() }
    }

    /// The number of a file, which a unit has another one for.
    fn number(&mut self, debug: &Debug<'_>, unit: u32, index: u64) -> Option<u32> {
        let known = &mut self.known[unit as usize];
        if known.is_empty() {
            let header = debug.units[unit as usize].unit.line_program.as_ref()?.header();
            *known = vec![None; header.file_names().len() + 1];
        }
        let place = usize::try_from(index).ok()?;
        if let Some(number) = known.get(place)? {
            return Some(*number);
        }
        let name: Arc<str> = path(debug, unit, index)?.to_string_lossy().into();
        let number = *self.numbers.entry(name.clone()).or_insert_with(|| {
            self.names.push(name);
            u32::try_from(self.names.len() - 1).unwrap_or(0)
        });
        self.known[unit as usize][place] = Some(number);
        Some(number)
    }

    /// Where something is declared.
    pub(super) fn place(
        &mut self,
        debug: &Debug<'_>,
        (unit, file, line): (u32, u32, u32),
    ) -> Option<SourcePlace> {
        let file = self.number(debug, unit, file.into())?;
        Some(SourcePlace { file: self.names[file as usize].clone(), line })
    }
}

/// The whole name of a file.
fn path(debug: &Debug<'_>, unit: u32, index: u64) -> Option<PathBuf> {
    let unit = &debug.units[unit as usize].unit;
    let header = unit.line_program.as_ref()?.header();
    let file = header.file(index)?;
    let mut path = PathBuf::new();
    if let Some(directory) = unit.comp_dir {
        path.push(&*directory.to_string_lossy());
    }
    let string = |value: AttributeValue<Reader<'_>>| {
        Some(debug.dwarf.attr_string(unit, value).ok()?.to_string_lossy().into_owned())
    };
    // In older versions, directory 0 is the one that is there already.
    if (header.version() >= 5 || file.directory_index() != 0)
        && let Some(directory) = file.directory(header).and_then(string)
    {
        path.push(directory);
    }
    path.push(string(file.path_name())?);
    Some(path)
}

impl Lines {
    /// Reads the lines of all units.
    pub(super) fn read(debug: &Debug<'_>) -> (Self, Files) {
        let (mut rows, mut files) = (Vec::new(), Files::new(debug.units.len()));
        let mut seen = HashSet::new();
        for (number, context) in (0..).zip(&debug.units) {
            let Some(program) = &context.unit.line_program else { continue };
            // Units for types have the lines of the unit that they were split off.
            if seen.insert(program.header().offset().0) {
                // What comes before some damage is good.
                let _ = read_unit(debug, number, program.clone(), &mut rows, &mut files);
            }
        }
        rows.sort_by_key(|row: &Row| (row.address, !row.end));
        (Self { rows, files: files.names.clone() }, files)
    }

    /// The row that an address belongs to.
    pub(super) fn at(&self, address: u64) -> Option<&Row> {
        let behind = self.rows.partition_point(|row| row.address <= address);
        let last = self.rows.get(behind.checked_sub(1)?)?;
        if last.end {
            return None;
        }
        // Of several rows for one address, those of statements count.
        let same = self.rows[..behind].iter().rev().take_while(|row| row.address == last.address);
        same.filter(|row| !row.end).find(|row| row.statement).or(Some(last))
    }

    /// Where the row ends that an address belongs to.
    pub(super) fn end_of(&self, address: u64) -> Option<u64> {
        let behind = self.rows.partition_point(|row| row.address <= address);
        self.rows.get(behind).map(|row| row.address)
    }

    pub(super) fn place(&self, row: &Row) -> SourcePlace {
        SourcePlace { file: self.files[row.file as usize].clone(), line: row.line }
    }

    /// Whether two rows are about the same file.
    pub(super) fn same_file(a: &Row, b: &Row) -> bool {
        a.file == b.file
    }

    /// The rows inside of some addresses.
    pub(super) fn within(&self, range: &Range<u64>) -> &[Row] {
        let start = self.rows.partition_point(|row| row.address < range.start);
        let end = self.rows.partition_point(|row| row.address < range.end);
        self.rows.get(start..end).unwrap_or_default()
    }

    /// Where statements of a line begin: of each stretch of instructions that belong to it the first one.
    pub(super) fn addresses(&self, file: &str, line: u32) -> Vec<u64> {
        let wanted: Vec<bool> = self.files.iter().map(|name| is_called(name, file)).collect();
        let mut found = Vec::new();
        let mut inside = false;
        for row in &self.rows {
            let this = !row.end && row.line == line && wanted[row.file as usize];
            if this && row.statement && !inside && found.last() != Some(&row.address) {
                found.push(row.address);
            }
            inside = this && (row.statement || inside);
        }
        found
    }
}

/// Whether a file can be called by a name: by its last parts.
fn is_called(path: &str, name: &str) -> bool {
    let name = name.trim_start_matches("./");
    path.strip_suffix(name)
        .is_some_and(|before| before.is_empty() || before.ends_with('/') || name.starts_with('/'))
}

fn read_unit(
    debug: &Debug<'_>,
    number: u32,
    program: IncompleteLineProgram<Reader<'_>>,
    rows: &mut Vec<Row>,
    files: &mut Files,
) -> gimli::Result<()> {
    let mut read = program.rows();
    // Where the sequence begins that is read, and whether there is such code.
    let mut sequence: Option<bool> = None;
    let mut last = (u64::MAX, None);
    while let Some((_, row)) = read.next_row()? {
        let is_code = *sequence.get_or_insert_with(|| (debug.is_code)(row.address()));
        if row.end_sequence() {
            sequence = None;
        }
        if !is_code {
            continue;
        }
        if last.0 != row.file_index() {
            last = (row.file_index(), files.number(debug, number, row.file_index()));
        }
        // Of the file at the end nothing is said.
        let Some(file) = last.1.or(row.end_sequence().then_some(0)) else { continue };
        let line = row.line().map_or(0, |line| u32::try_from(line.get()).unwrap_or(0));
        let (statement, body, end) = (row.is_stmt(), row.prologue_end(), row.end_sequence());
        rows.push(Row { address: row.address(), file, line, statement, body, end });
    }
    Ok(())
}
