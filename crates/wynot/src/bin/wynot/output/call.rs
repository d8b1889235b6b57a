//! Results about the call of a test (options and environments) in words, with command lines to paste.

use super::words::{cost_in_words, failure_lines};
use wynot::describe::{cause_in_words, command_line, delta_noun, describe_difference};
use wynot::{Request, SearchReport};
use wynot_report::number::count;
use wynot_session::Certificate;

/// Prints the causes that were found.
pub fn print_options(report: &SearchReport, request: &Request) {
    let (subject, causes) = (report.plan.subject(), &report.causes);
    let noun = delta_noun(subject);
    let is_numbered = causes.found.len() > 1;
    for (number, found) in (1..).zip(&causes.found) {
        let prefix = if is_numbered { format!("{number}. ") } else { String::new() };
        let sides = found.sides.as_ref();
        let proved = found.certificate.as_ref().map(Certificate::to_string);
        let proved = proved.unwrap_or_else(|| "the search is not complete".to_owned());
        print_line!(
            "{prefix}{}, {proved}, {}",
            cause_in_words(report, found, request.prevents()),
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
    let cost = cost_in_words(&report.counts(), report.elapsed);
    match (causes.complete, request.prevents()) {
        (true, true) => print_line!("no other {noun} prevents the failure; {cost}"),
        (true, false) => print_line!("no other {noun} causes the failure; {cost}"),
        (false, _) => print_line!("{cost}"),
    }
}
