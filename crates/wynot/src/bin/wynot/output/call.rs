//! Results about the call of a test (options and environments) in words, with command lines to paste.

use super::words::{cost_in_words, delta_noun, failure_lines};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use wynot::describe::describe_difference;
use wynot::search::{Found, Status};
use wynot::{Request, SearchReport};
use wynot_exec::command::with_options;
use wynot_report::number::{count, grouped};
use wynot_session::Certificate;
use wynot_subjects::{Variant, quote};

/// A command line for a shell that runs the test with a variant.
pub fn command_line(request: &Request, variant: &Variant) -> String {
    let test = &request.test;
    let words: Vec<OsString> = match variant {
        Variant::Words(words) => {
            let options: Vec<OsString> = words.iter().cloned().map(OsString::from_vec).collect();
            with_options(test, &options)
        }
        Variant::Environment(variables) => {
            let variables = variables.iter().cloned().map(OsString::from_vec);
            let prefix = ["env", "-i"].into_iter().map(OsString::from);
            prefix.chain(variables).chain(test.iter().cloned()).collect()
        }
        Variant::Bytes(_) | Variant::Folder(_) | Variant::Version(_) => test.clone(),
    };
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    quote::command(&words)
}

/// Prints the causes that were found.
pub fn print_options(report: &SearchReport, request: &Request) {
    let (subject, causes) = (report.plan.subject(), &report.causes);
    let noun = delta_noun(subject);
    let is_numbered = causes.found.len() > 1;
    for (number, found) in (1..).zip(&causes.found) {
        let prefix = if is_numbered { format!("{number}. ") } else { String::new() };
        let sides = found.sides.as_ref();
        let deltas = sides.map_or(0, |sides| sides.difference().len() as u64);
        let verb = verb(found, deltas, request.prevents());
        let proved = found.certificate.as_ref().map(Certificate::to_string);
        let proved = proved.unwrap_or_else(|| "the search is not complete".to_owned());
        print_line!(
            "{prefix}{} of {} {verb}, {proved}, {}",
            count(deltas, &noun),
            grouped(u64::from(subject.deltas())),
            count(found.counts.executed, "test"),
        );
        for line in sides.map(|sides| describe_difference(subject, sides)).unwrap_or_default() {
            print_line!("  {line}");
        }
        let effect = if request.prevents() { "passes" } else { "fails" };
        print_line!("{effect}: {}", command_line(request, &found.failing));
    }
    if !request.prevents() {
        failure_lines(report).iter().for_each(|line| print_line!("{line}"));
    }
    let cost = cost_in_words(&causes.counts(), report.elapsed);
    match (causes.complete, request.prevents()) {
        (true, true) => print_line!("no other {noun} prevents the failure; {cost}"),
        (true, false) => print_line!("no other {noun} causes the failure; {cost}"),
        (false, _) => print_line!("{cost}"),
    }
}

/// What the deltas of a cause do to the failure.
fn verb(found: &Found, deltas: u64, prevents: bool) -> &'static str {
    match (&found.status, deltas, prevents) {
        (Status::Stopped(_), ..) => "left to search",
        (_, 1, false) => "causes the failure",
        (_, _, false) => "cause the failure together",
        (_, 1, true) => "prevents the failure",
        (_, _, true) => "prevent the failure together",
    }
}
