//! Places of a program as people write them: `FUNCTION:HIT`, `FILE:LINE:HIT`.

use crate::failure::Failure;
use wynot_state::Site;
use wynot_state::program::Program;

/// The places that were asked for.
pub fn read(program: &Program, wanted: &[String]) -> Result<Vec<Site>, Failure> {
    wanted.iter().map(|place| one(program, place)).collect()
}

fn one(program: &Program, place: &str) -> Result<Site, Failure> {
    let (rest, number) = numbered(place);
    let site = |address: u64, hit: u32| Site { address, hits: (hit, hit) };
    let function = |name: &str| {
        let found = program.functions_named(name);
        found.first().map(|id| program[*id].body)
    };
    let line = |file: &str, line: u32| program.addresses_of_line(file, line).first().copied();
    if let Some(address) = function(place) {
        return Ok(site(address, 1));
    }
    let Some(number) = number else { return Err(unknown(place)) };
    if let Some(address) = function(rest) {
        return Ok(site(address, number));
    }
    if let Some(address) = line(rest, number) {
        return Ok(site(address, 1));
    }
    match numbered(rest) {
        (file, Some(in_file)) => {
            line(file, in_file).map(|address| site(address, number)).ok_or_else(|| unknown(place))
        }
        _ => Err(unknown(place)),
    }
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

fn unknown(place: &str) -> Failure {
    Failure::usage(format!("--at {place}: there is no such function or line in the program"))
        .hint("write FUNCTION, FUNCTION:HIT, FILE:LINE or FILE:LINE:HIT; lines need code")
}

/// `shell_sort at sort.c:8`, and which time it is, if it is not the first.
pub fn name(program: &Program, site: Site) -> String {
    let function = function(program, site);
    let hit = match site.hits {
        (1, 1) => String::new(),
        (here, there) if here == there => format!(" (hit {here})"),
        (here, there) => format!(" (hit {there}, in the passing run {here})"),
    };
    match line(program, site) {
        Some(line) => format!("{function} at {line}{hit}"),
        None => format!("{function}{hit}"),
    }
}

/// The function of a place.
pub fn function(program: &Program, site: Site) -> String {
    program.function_at(site.address).map_or_else(|| "?".to_owned(), |id| program[id].name.clone())
}

/// The file, without its directories, and the line of a place.
pub fn line(program: &Program, site: Site) -> Option<String> {
    let place = program.line_of(site.address)?;
    let file = place.file.rsplit('/').next().unwrap_or(&place.file);
    Some(format!("{file}:{}", place.line))
}

/// How many lines are shown around a place.
const AROUND: u32 = 3;

/// The lines around a place, if the file is where the compiler has found it, and which one it is.
pub fn source(program: &Program, site: Site) -> (Vec<(u32, String)>, u32) {
    let Some(place) = program.line_of(site.address) else { return (Vec::new(), 0) };
    let text = std::fs::read(&*place.file).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let around = place.line.saturating_sub(AROUND)..=place.line + AROUND;
    let lines = (1..).zip(text.lines()).filter(|(number, _)| around.contains(number));
    (lines.map(|(number, line)| (number, line.to_owned())).collect(), place.line)
}
