//! Running the search of a command line, and showing its report.

use super::standard_streams::StandardStreams;
use crate::exit_code::Code;
use crate::output::display_options::DisplayOptions;
use crate::output::search_observer::SearchObserver;
use crate::output::words::rate_in_words;
use crate::output::{json, text};
use crate::terminal::signals;
use std::process::ExitCode;
use wynot::search::Status;
use wynot::{Control, Error, Notes, Request, SearchReport};
use wynot_session::Stop;

/// The search of a command line.
#[derive(Debug)]
pub struct SearchCommand {
    pub request: Request,
    pub display: DisplayOptions,
    /// What configuration files and arguments say about the place where tests run.
    pub settings: Vec<String>,
}

impl SearchCommand {
    /// Runs the search and shows its report.
    pub fn run(self) -> Result<ExitCode, Error> {
        let Self { mut request, display, settings } = self;
        let streams = StandardStreams::replace(&mut request)?;
        let control = Control::default();
        signals::listen(&control).map_err(|error| Error::unexpected(&error))?;
        let mut observer = SearchObserver::new(&display, &request.directory, &control);
        settings.iter().for_each(|setting| observer.note(setting));
        let report = wynot::search(&request, &mut observer, &control)
            .inspect_err(|error| print_error_object(error, request.verb.name(), display.json))?;
        if let Some(error) = observer.error() {
            return Err(error);
        }
        if let Some(path) = &display.report {
            let page = wynot::page(&report.plan.session)?;
            std::fs::write(request.at(path), page)
                .map_err(|error| Error::cannot_write(path, &error))?;
        }
        if display.json {
            print_line!("{}", json::of_search(&report, &request));
        } else {
            text::print_search(&report, &request);
        }
        if let Some(streams) = streams {
            streams.print(&report)?;
        }
        advise(&report, &display)
    }
}

/// Prints the object of an error, for scripts that wait for an object.
pub fn print_error_object(error: &Error, command: &str, is_json: bool) {
    if is_json {
        print_line!("{}", json::of_error(error, command));
    }
}

/// Prints what the user can do next, if the search is not complete, and returns the exit code.
fn advise(report: &SearchReport, display: &DisplayOptions) -> Result<ExitCode, Error> {
    let best = report.patch.as_ref().unwrap_or(&report.plan.outputs.failing).display();
    if let (Some(before), Some(after)) = (report.rate, report.found().rate)
        && !display.json
    {
        let (before, after) = (rate_in_words(before), rate_in_words(after));
        print_line!("fails {after}; the original {before}");
    }
    if let (Some(note), false) = (report.other_failure(), display.quiet) {
        print_error_line!("note: {note}");
    }
    match report.status() {
        Status::Minimal => {}
        Status::Indeterminate => {
            print_error_line!(
                "wynot: the test contradicts itself: when repeated, it gives another outcome for the result"
            );
            let hint = match report.counts().replayed {
                0 => "it is flaky; try --flaky --fresh, or make it deterministic",
                _ => {
                    "outcomes of an earlier run were used; if something has changed since that the test \
                     depends on, use --fresh; if not, it is flaky: try --flaky"
                }
            };
            print_error_line!("hint: {hint}");
        }
        Status::Stopped(stop) if stop.is_limit() || matches!(stop, Stop::Interrupted) => {
            match report.history.as_ref().is_some_and(|history| history.changes.is_none()) {
                true => print_error_line!("wynot: {stop}"),
                false => print_error_line!("wynot: {stop}; the best so far is in {best}"),
            }
            let change = match stop {
                Stop::Interrupted | Stop::Skipped => "",
                Stop::SmallEnough(_) => " without --until-size",
                Stop::Undecided(_) => " with --effort high",
                Stop::Shallow => " after git fetch --unshallow",
                _ => " with a higher limit",
            };
            print_error_line!("hint: run the same command again{change} to go on from here");
        }
        Status::Stopped(stop) => {
            return Err(Error::from(stop).hint(format!(
                "the best so far is in {best}; run the same command again to go on"
            )));
        }
    }
    Ok(Code::from(report.status()).into())
}
