//! Places of a program as users write them: `FUNCTION:HIT`, `FILE:LINE:HIT`.

use super::error::refuse;
use crate::error::Error;
use wynot_state::dwarf::Program;
use wynot_state::{CommonPlace, RunPair, find_common_places};

/// A place that was asked for.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Code of a line can lie in several places.
    addresses: Vec<u64>,
    hit: u32,
}

/// The places that were asked for, in the order in which both runs come to them.
pub fn find_places(runs: &RunPair<'_>, wanted: &[String]) -> Result<Vec<CommonPlace>, Error> {
    let wanted: Vec<Wanted> =
        wanted.iter().map(|place| one(runs.program, place)).collect::<Result<_, _>>()?;
    let mut watched: Vec<u64> = wanted.iter().flat_map(|place| place.addresses.clone()).collect();
    watched.sort_unstable();
    watched.dedup();
    let common = find_common_places(runs, &watched).map_err(|error| refuse(&error))?.places;
    let mut places: Vec<(usize, CommonPlace)> = wanted
        .iter()
        .map(|Wanted { addresses, hit }| {
            let here = |(_, place): &(usize, &CommonPlace)| addresses.contains(&place.address);
            let met = common.iter().enumerate().filter(here).nth(*hit as usize - 1);
            // Where they do not come to both, it will turn out.
            let elsewhere = CommonPlace { address: addresses[0], hits: (*hit, *hit) };
            met.map_or((usize::MAX, elsewhere), |(order, place)| (order, *place))
        })
        .collect();
    places.sort_by_key(|(order, _)| *order);
    Ok(places.into_iter().map(|(_, place)| place).collect())
}

fn one(program: &Program, place: &str) -> Result<Wanted, Error> {
    let (rest, number) = numbered(place);
    let at = |addresses: Vec<u64>, hit: u32| {
        (!addresses.is_empty()).then_some(Wanted { addresses, hit })
    };
    let function = |name: &str| {
        program.functions_named(name).iter().map(|id| program[*id].body).collect::<Vec<u64>>()
    };
    let line = |file: &str, line: u32| program.addresses_of_line(file, line);
    let found = at(function(place), 1).or_else(|| {
        let number = number?;
        at(function(rest), number).or_else(|| at(line(rest, number), 1)).or_else(|| {
            let (file, in_file) = numbered(rest);
            at(line(file, in_file?), number)
        })
    });
    found.ok_or_else(|| {
        Error::usage(format!("--at {place}: there is no such function or line in the program"))
            .hint("write FUNCTION, FUNCTION:HIT, FILE:LINE or FILE:LINE:HIT; lines need code")
    })
}

/// A name and the number behind it, if there is one.
fn numbered(place: &str) -> (&str, Option<u32>) {
    match place.rsplit_once(':') {
        Some((rest, number)) => match number.parse() {
            Ok(number) if number > 0 => (rest, Some(number)),
            _ => (place, None),
        },
        None => (place, None),
    }
}

/// `shell_sort at sort.c:8`, and which time it is, if it is not the first.
pub fn name(program: &Program, place: CommonPlace) -> String {
    let function = function(program, place);
    let hit = match place.hits {
        (1, 1) => String::new(),
        (here, there) if here == there => format!(" (hit {here})"),
        (here, there) => format!(" (hit {there}, in the passing run {here})"),
    };
    match line(program, place) {
        Some(line) => format!("{function} at {line}{hit}"),
        None => format!("{function}{hit}"),
    }
}

/// The function of a place.
pub fn function(program: &Program, place: CommonPlace) -> String {
    program.function_at(place.address).map_or_else(|| "?".to_owned(), |id| program[id].name.clone())
}

/// The file, without its directories, and the line of a place.
pub fn line(program: &Program, place: CommonPlace) -> Option<String> {
    let place = program.line_of(place.address)?;
    let file = place.file.rsplit('/').next().unwrap_or(&place.file);
    Some(format!("{file}:{}", place.line))
}

/// How many lines are shown around a place.
const LINES_AROUND: u32 = 3;

/// The lines around a place, if the file is where the compiler has found it, and which one it is.
pub fn source(program: &Program, place: CommonPlace) -> (Vec<(u32, String)>, u32) {
    let Some(place) = program.line_of(place.address) else { return (Vec::new(), 0) };
    let text = std::fs::read(&*place.file).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let around = place.line.saturating_sub(LINES_AROUND)..=place.line + LINES_AROUND;
    let lines = (1..).zip(text.lines()).filter(|(number, _)| around.contains(number));
    (lines.map(|(number, line)| (number, line.to_owned())).collect(), place.line)
}
