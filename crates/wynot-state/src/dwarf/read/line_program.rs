//! Reading line number programs: which line of which file the code was compiled from.

use super::units::DebugInfo;
use crate::dwarf::debug_sections::Reader;
use crate::dwarf::lines::{LineRow, LineTable, SourcePlace};
use gimli::{AttributeValue, IncompleteLineProgram};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

/// The source files of a program. A file has one number here, whatever number it has in each unit.
#[derive(Default)]
pub(super) struct SourceFiles {
    names: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
    /// The numbers by unit and by the unit's own numbers.
    by_unit: Vec<Vec<Option<u32>>>,
}

impl SourceFiles {
    fn new(units: usize) -> Self {
        Self { by_unit: vec![Vec::new(); units], ..Self::default() }
    }

    /// The number of a file, for which a unit has its own number.
    fn number(&mut self, debug: &DebugInfo<'_>, unit: u32, index: u64) -> Option<u32> {
        let known = &mut self.by_unit[unit as usize];
        if known.is_empty() {
            let header = debug.units[unit as usize].unit.line_program.as_ref()?.header();
            *known = vec![None; header.file_names().len() + 1];
        }
        let position = usize::try_from(index).ok()?;
        if let Some(number) = known.get(position)? {
            return Some(*number);
        }
        let name: Arc<str> = path(debug, unit, index)?.to_string_lossy().into();
        let number = *self.numbers.entry(name.clone()).or_insert_with(|| {
            self.names.push(name);
            u32::try_from(self.names.len() - 1).unwrap_or(0)
        });
        self.by_unit[unit as usize][position] = Some(number);
        Some(number)
    }

    /// The place of a declaration, from the number of its unit, the unit's number of the file, and the line.
    pub(super) fn place(
        &mut self,
        debug: &DebugInfo<'_>,
        (unit, file, line): (u32, u32, u32),
    ) -> Option<SourcePlace> {
        let file = self.number(debug, unit, file.into())?;
        Some(SourcePlace { file: self.names[file as usize].clone(), line })
    }
}

/// The whole path of a file.
fn path(debug: &DebugInfo<'_>, unit: u32, index: u64) -> Option<PathBuf> {
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
    // Before DWARF 5, directory 0 is the compilation directory, which has been added already.
    if (header.version() >= 5 || file.directory_index() != 0)
        && let Some(directory) = file.directory(header).and_then(string)
    {
        path.push(directory);
    }
    path.push(string(file.path_name())?);
    Some(path)
}

/// Reads the line tables of all units.
pub(super) fn read_lines(debug: &DebugInfo<'_>) -> (LineTable, SourceFiles) {
    let (mut rows, mut files) = (Vec::new(), SourceFiles::new(debug.units.len()));
    let mut seen = HashSet::new();
    for (number, context) in (0..).zip(&debug.units) {
        let Some(program) = &context.unit.line_program else { continue };
        // A type unit has the lines of the unit that it was split off.
        if seen.insert(program.header().offset().0) {
            // The rows before a damaged part are good.
            let _ = read_unit(debug, number, program.clone(), &mut rows, &mut files);
        }
    }
    (LineTable::new(rows, files.names.clone()), files)
}

fn read_unit(
    debug: &DebugInfo<'_>,
    number: u32,
    program: IncompleteLineProgram<Reader<'_>>,
    rows: &mut Vec<LineRow>,
    files: &mut SourceFiles,
) -> gimli::Result<()> {
    let mut read = program.rows();
    // Whether the linker has kept the code of the current sequence.
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
        // The row at the end of a sequence need not have a file.
        let Some(file) = last.1.or(row.end_sequence().then_some(0)) else { continue };
        let line = row.line().map_or(0, |line| u32::try_from(line.get()).unwrap_or(0));
        rows.push(LineRow {
            address: row.address(),
            file,
            line,
            is_statement: row.is_stmt(),
            is_prologue_end: row.prologue_end(),
            is_sequence_end: row.end_sequence(),
        });
    }
    Ok(())
}
