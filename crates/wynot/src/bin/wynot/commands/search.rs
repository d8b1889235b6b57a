//! Running the search of a command line, and showing its report.

use super::search_args::CommonArgs;
use crate::exit_code::Code;
use crate::output::search_observer::SearchObserver;
use crate::output::words::rate_in_words;
use crate::output::{json, text};
use crate::terminal::signals;
use std::path::PathBuf;
use std::process::ExitCode;
use wynot::search::Status;
use wynot::{Control, Error, Request, SearchReport};
use wynot_session::Stop;

/// The options that say what is shown of a search.
#[derive(Clone, Debug, Default)]
pub struct DisplayOptions {
    /// Whether the result is printed as JSON.
    pub json: bool,
    /// The path of the event file.
    pub events: Option<PathBuf>,
    /// The path of the HTML report.
    pub report: Option<PathBuf>,
    /// Whether a line is printed for each test.
    pub trace: bool,
    /// Whether only errors and the result are printed.
    pub quiet: bool,
    /// Whether more is printed.
    pub verbose: bool,
}

impl DisplayOptions {
    /// The display options among the arguments of a search.
    pub fn of(args: &CommonArgs) -> Self {
        let output = &args.output;
        Self {
            json: output.json,
            events: output.events.clone(),
            report: output.report.clone(),
            trace: output.trace,
            quiet: output.quiet,
            verbose: output.verbose,
        }
    }
}

/// The search of a command line.
#[derive(Debug)]
pub struct SearchCommand {
    pub request: Request,
    pub display: DisplayOptions,
}

impl SearchCommand {
    /// Runs the search and shows its report.
    pub fn run(self) -> Result<ExitCode, Error> {
        let Self { request, display } = self;
        let control = Control::default();
        signals::listen(&control).map_err(|error| Error::unexpected(&error))?;
        let mut observer = SearchObserver::new(&display, &request.directory, &control);
        let report = wynot::search(&request, &mut observer, &control)?;
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
        advise(&report, &display)
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
            print_error_line!("wynot: {stop}; the best so far is in {best}");
            let change = match stop {
                Stop::Interrupted | Stop::Skipped => "",
                Stop::SmallEnough(_) => " without --until-size",
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
