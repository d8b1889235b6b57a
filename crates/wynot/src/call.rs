//! What was found about the call of a test: options and environments, and lines to paste.

use crate::causes::{self, Causes};
use crate::difference;
use crate::plan::Plan;
use crate::sessions::Typed;
use crate::strategy::{Found, Status};
use crate::telling::{noun, spent};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::time::Duration;
use wynot_report::number::{count, grouped};
use wynot_run::quotation;
use wynot_run::with_options;
use wynot_subjects::Variant;

/// A line for a shell that runs the test with a variant.
pub fn line(typed: &Typed, variant: &Variant) -> String {
    let test = &typed.args.test;
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
        Variant::Bytes(_) | Variant::Folder(_) => test.clone(),
    };
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    quotation::command(&words)
}

/// Prints what was found, one cause after the other.
pub fn print(plan: &Plan, typed: &Typed, causes: &Causes, seconds: Duration) {
    let subject = plan.subject();
    let noun = noun(subject);
    let several = causes.found.len() > 1;
    for (number, found) in causes.found.iter().enumerate() {
        let prefix = if several { format!("{}. ", number + 1) } else { String::new() };
        let sides = found.sides.as_ref();
        let deltas = sides.map_or(0, |sides| sides.difference().len() as u64);
        let verb = verb(found, deltas, typed.prevents());
        let proved = found.proved.clone().unwrap_or_else(|| "not all is tried".to_owned());
        printed!(
            "{prefix}{} of {} {verb}, {proved}, {}",
            count(deltas, &noun),
            grouped(u64::from(subject.deltas())),
            count(found.counts.executed, "test"),
        );
        for line in sides.map(|sides| difference::describe(subject, sides)).unwrap_or_default() {
            printed!("  {line}");
        }
        let effect = if typed.prevents() { "passes" } else { "fails" };
        printed!("{effect}: {}", line(typed, &found.failing));
    }
    let counts = causes::counts(causes);
    match (causes.complete, typed.prevents()) {
        (true, true) => {
            printed!("no other {noun} prevents the failure; {}", spent(&counts, seconds))
        }
        (true, false) => {
            printed!("no other {noun} causes the failure; {}", spent(&counts, seconds))
        }
        (false, _) => printed!("{}", spent(&counts, seconds)),
    }
}

fn verb(found: &Found, deltas: u64, prevents: bool) -> &'static str {
    match (&found.status, deltas, prevents) {
        (Status::Stopped(_), ..) => "left to search",
        (_, 1, false) => "causes the failure",
        (_, _, false) => "cause the failure together",
        (_, 1, true) => "prevents the failure",
        (_, _, true) => "prevent the failure together",
    }
}
