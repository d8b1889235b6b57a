//! Places of a program, parsed from what users write (`FUNCTION:HIT`, `FILE:LINE:HIT`) and shown to them.

use super::error::refuse;
use super::function_names::readable;
use crate::error::Error;
use std::path::Path;
use wynot_session::files::read_file;
use wynot_state::dwarf::Program;
use wynot_state::{CommonPlace, OtherStops, RunPair, find_common_places};

/// How many lines of source code are shown before and after a place.
const LINES_AROUND: u32 = 3;

/// A place that the user has named.
#[derive(Clone, Debug)]
struct NamedPlace {
    /// The addresses of the function or line; the code of a line can have several.
    addresses: Vec<u64>,
    /// The visit that is meant, counted from 1.
    hit: u32,
}

/// The places that the user has named, in the order in which both runs reach them, and where the other passing runs do.
pub fn find_places(
    runs: &RunPair<'_>,
    names: &[String],
) -> Result<(Vec<CommonPlace>, OtherStops), Error> {
    let named: Vec<NamedPlace> =
        names.iter().map(|name| parse(runs.program, name)).collect::<Result<_, _>>()?;
    let mut addresses: Vec<u64> = named.iter().flat_map(|place| place.addresses.clone()).collect();
    addresses.sort_unstable();
    addresses.dedup();
    let found = find_common_places(runs, &addresses).map_err(|error| refuse(&error))?;
    let common = found.places;
    let mut places: Vec<(usize, CommonPlace)> = named
        .iter()
        .map(|NamedPlace { addresses, hit }| {
            let is_here = |(_, place): &(usize, &CommonPlace)| addresses.contains(&place.address);
            let found = common.iter().enumerate().filter(is_here).nth(*hit as usize - 1);
            // A place that only one run reaches comes last; the search reports that it is not reached.
            let unreached = CommonPlace { address: addresses[0], hits: (*hit, *hit) };
            found.map_or((usize::MAX, unreached), |(order, place)| (order, *place))
        })
        .collect();
    places.sort_by_key(|(order, _)| *order);
    Ok((places.into_iter().map(|(_, place)| place).collect(), found.others))
}

/// Parses a place and finds its addresses in the program.
fn parse(program: &Program, place: &str) -> Result<NamedPlace, Error> {
    let (rest, number) = split_number(place);
    let at = |addresses: Vec<u64>, hit: u32| {
        (!addresses.is_empty()).then_some(NamedPlace { addresses, hit })
    };
    let function = |name: &str| {
        program.functions_named(name).iter().map(|id| program[*id].body).collect::<Vec<u64>>()
    };
    let line = |file: &str, line: u32| program.addresses_of_line(file, line);
    let found = at(function(place), 1).or_else(|| {
        let number = number?;
        at(function(rest), number).or_else(|| at(line(rest, number), 1)).or_else(|| {
            let (file, line_number) = split_number(rest);
            at(line(file, line_number?), number)
        })
    });
    found.ok_or_else(|| {
        Error::usage(format!("--at {place}: there is no such function or line in the program"))
            .hint("write FUNCTION, FUNCTION:HIT, FILE:LINE or FILE:LINE:HIT; lines need code")
    })
}

/// Splits `NAME:NUMBER`; without a number, the whole text is the name.
fn split_number(place: &str) -> (&str, Option<u32>) {
    match place.rsplit_once(':') {
        Some((rest, number)) => match number.parse() {
            Ok(number) if number > 0 => (rest, Some(number)),
            _ => (place, None),
        },
        None => (place, None),
    }
}

/// The name of a place, such as `shell_sort at sort.c:8`, with the number of the hit unless it is the first.
pub fn name(program: &Program, place: CommonPlace) -> String {
    let function = function(program, place);
    let hit = match place.hits {
        (1, 1) => String::new(),
        (passing, failing) if passing == failing => format!(" (hit {failing})"),
        (passing, failing) => format!(" (hit {failing}, in the passing run {passing})"),
    };
    match line(program, place) {
        Some(line) => format!("{function} at {line}{hit}"),
        None => format!("{function}{hit}"),
    }
}

/// The function of a place.
pub fn function(program: &Program, place: CommonPlace) -> String {
    program
        .function_at(place.address)
        .map_or_else(|| "?".to_owned(), |id| readable(&program[id].name))
}

/// The file, without its directories, and the line of a place.
pub fn line(program: &Program, place: CommonPlace) -> Option<String> {
    let place = program.line_of(place.address)?;
    let file = place.file.rsplit('/').next().unwrap_or(&place.file);
    Some(format!("{file}:{}", place.line))
}

/// The lines of source code around an address with their numbers, and the number of the line of the address. There are no lines if
/// the file is not where the compiler has found it.
pub fn source(program: &Program, address: u64) -> (Vec<(u32, String)>, u32) {
    let Some(place) = program.line_of(address) else { return (Vec::new(), 0) };
    let text = read_file(Path::new(&*place.file)).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let around = place.line.saturating_sub(LINES_AROUND)..=place.line + LINES_AROUND;
    let lines = (1..).zip(text.lines()).filter(|(number, _)| around.contains(number));
    (lines.map(|(number, line)| (number, line.to_owned())).collect(), place.line)
}

/// The line of source code at an address; `None` if it is only a brace, or if the file is not where the compiler has found it.
pub fn source_line(program: &Program, address: u64) -> Option<String> {
    let (lines, line) = source(program, address);
    let (_, text) = lines.into_iter().find(|(number, _)| *number == line)?;
    Some(text.trim().to_owned()).filter(|text| text.contains(char::is_alphanumeric))
}
