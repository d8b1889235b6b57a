//! `wynot explain`: the variables that carry a failure from the input to the crash.

use super::duration::duration;
use super::search::print_error_object;
use crate::exit_code::Code;
use crate::output::chain::chain_in_words;
use crate::output::display_options::DisplayOptions;
use crate::output::explain_observer::ExplainObserver;
use crate::output::json_chain;
use crate::terminal::prompt::{FirstWrongStep, find_first_wrong};
use crate::terminal::signals;
use clap::{Args, ValueHint};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use wynot::explain::{
    ExplainRequest, chain_record, gdb_script, name, output_differences, transition,
};
use wynot::{Control, Error, ExplainReport};
use wynot_report::chain_page;
use wynot_report::number::{count, time};
use wynot_session::Stop;
use wynot_session::judge::Condition;
use wynot_state::{CauseStep, group_steps};

const HINTS: &str = "\
A file with facts about types that debug information lacks, one per line:
  struct TValue.value_ by tt_: 3 -> i, 19 -> n, 4..127 -> gc, else -> p
      which member of a union is in use
  struct vec.data[len]
      how many values a pointer leads to
  union StackValue is val
      the only member that is used
Comments begin with #.";

/// The arguments of `wynot explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// A run that passes: a program with debug information and its arguments, < FILE for its input. Further ones
    /// (repeatable) are not altered: a value that one of them has as well is no step
    #[arg(long, required = true, value_name = "COMMAND", value_hint = ValueHint::CommandString)]
    pub pass: Vec<String>,

    /// A run of the same program that fails
    #[arg(long, value_name = "COMMAND", value_hint = ValueHint::CommandString)]
    pub fail: String,

    /// Compare at this place (repeatable): FUNCTION, FUNCTION:HIT, FILE:LINE or FILE:LINE:HIT [default:
    /// from main to the last common call, and where causes change]
    #[arg(long, value_name = "PLACE")]
    pub at: Vec<String>,

    /// How many places to compare first
    #[arg(long, value_name = "N", default_value_t = 5,
          value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub places: u16,

    /// How many places to compare at most
    #[arg(long, value_name = "N", default_value_t = 100,
          value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub most: u16,

    /// A file that says which member of a union is in use, and how many values a pointer leads to
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, long_help = HINTS)]
    pub hints: Option<PathBuf>,

    /// Fail only if this holds (repeatable): exit=N, signal=NAME, timeout, stdout~REGEX, stderr~REGEX
    #[arg(long, value_name = "CONDITION")]
    pub fail_when: Vec<Condition>,

    /// Pass only if this holds (repeatable)
    #[arg(long, value_name = "CONDITION")]
    pub pass_when: Vec<Condition>,

    /// Pass and fail only with the output of the two runs
    #[arg(long, conflicts_with_all = ["fail_when", "pass_when"])]
    pub same_output: bool,

    /// How many places are compared at the same time [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,

    /// How much time a run may use (500ms, 10s, 2m) [default: 60 s, for experiments 10 times the first runs]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub timeout: Option<Duration>,

    /// Ask which steps of the chain are as intended; the error is before the first one that is not
    #[arg(long, conflicts_with = "json")]
    pub narrow: bool,

    /// Print every step, also those that only pass on a value or that resemble the one before
    #[arg(long)]
    pub all_steps: bool,

    /// Stop after this many experiments, with the steps found so far
    #[arg(long, value_name = "N")]
    pub max_tests: Option<u64>,

    /// Stop after this time, with the steps found so far (90s, 10m, 2h)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub max_time: Option<Duration>,

    /// Where outcomes are kept [default: a directory for this program, both runs and options]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub session: Option<PathBuf>,

    /// Run the program in this directory itself; otherwise what it writes there is private and soon gone
    #[arg(long)]
    pub in_place: bool,

    /// Let each run read its input file under its own name; otherwise both read them under one, so that it is no step
    #[arg(long)]
    pub own_names: bool,

    /// Is refused with a reason: other verbs have it
    #[arg(long, hide = true)]
    pub sandbox: bool,

    /// Start over instead of resuming
    #[arg(long)]
    pub fresh: bool,

    /// Write a script for GDB for each step of the chain that replays the step
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub gdb: Option<PathBuf>,

    /// Write the events of the search to a file, one JSON object per line
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub events: Option<PathBuf>,

    /// Print a line for each experiment: ✘ if it fails, ✔ if it passes, ? if it is unresolved
    #[arg(long)]
    pub trace: bool,

    /// Write an HTML report
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub report: Option<PathBuf>,

    /// Print one JSON object on standard output
    #[arg(long)]
    pub json: bool,

    /// Print nothing but errors and the chain
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Print what is found at each place
    #[arg(short, long)]
    pub verbose: bool,
}

impl ExplainArgs {
    /// What is shown of the search.
    fn display(&self) -> DisplayOptions {
        DisplayOptions {
            json: self.json,
            events: self.events.clone(),
            report: self.report.clone(),
            trace: self.trace,
            quiet: self.quiet,
            verbose: self.verbose,
        }
    }

    /// The request of these arguments; `arguments` are those of the whole command line.
    pub fn request(&self, directory: &Path, arguments: Option<Vec<String>>) -> ExplainRequest {
        let (pass, also_pass) = self.pass.split_first().expect("the arguments have a --pass");
        ExplainRequest {
            at: self.at.clone(),
            first_places: self.places.into(),
            max_places: self.most.into(),
            hints: self.hints.clone(),
            fail_when: self.fail_when.clone(),
            pass_when: self.pass_when.clone(),
            same_output: self.same_output,
            jobs: self.jobs,
            timeout: self.timeout,
            max_tests: self.max_tests,
            max_time: self.max_time,
            session: self.session.clone(),
            in_place: self.in_place,
            own_names: self.own_names,
            fresh: self.fresh,
            command_line: arguments,
            also_pass: also_pass.to_vec(),
            ..ExplainRequest::new(directory, pass, &self.fail)
        }
    }
}

/// Finds the chain and prints it; `arguments` are those of the whole command line.
pub fn run(
    args: &ExplainArgs,
    directory: &Path,
    arguments: Option<Vec<String>>,
) -> Result<ExitCode, Error> {
    if args.sandbox {
        let message = "explain has no --sandbox: its experiments run under the control of wynot itself, not of a supervisor";
        return Err(Error::usage(message).hint(
            "what the program writes into its directory is private anyway; wynot serve runs explain as a whole in the sandbox",
        ));
    }
    let control = Control::default();
    signals::listen(&control).map_err(|error| Error::unexpected(&error))?;
    let request = args.request(directory, arguments);
    let display = args.display();
    let limits = (args.max_tests, args.max_time);
    let mut observer = ExplainObserver::new(&display, directory, &control, limits)?;
    let report = wynot::explain(&request, &mut observer, &control)
        .inspect_err(|error| print_error_object(error, "explain", args.json))?;
    show(args, directory, &report)?;
    Ok(Code::of_chain(&report.chain).into())
}

/// Writes the requested files, and prints the chain.
fn show(args: &ExplainArgs, directory: &Path, report: &ExplainReport) -> Result<(), Error> {
    let steps = report.chain.steps();
    if let Some(scripts) = &args.gdb {
        write_gdb_scripts(report, &steps, &directory.join(scripts))?;
    }
    if let Some(path) = &args.report {
        let page = chain_page(&chain_record(report, &steps));
        std::fs::write(directory.join(path), page)
            .map_err(|error| Error::cannot_write(path, &error))?;
    }
    if args.json {
        print_line!("{}", json_chain::of_explanation(report, &steps));
    } else {
        for line in chain_in_words(report, &steps, args.all_steps) {
            print_line!("{line}");
        }
    }
    if args.narrow && !steps.is_empty() {
        narrow(report, &steps)?;
    }
    if let Some(stop) = &report.chain.stopped {
        let change = match stop {
            Stop::Interrupted => "",
            _ => " with a higher limit",
        };
        print_error_line!("wynot: {stop}; there may be more steps than were found until then");
        print_error_line!("hint: run the same command again{change} to go on from here");
    }
    let differences = output_differences(&report.passing, &report.failing);
    if report.passing.status == report.failing.status
        && differences > 1
        && args.fail_when.is_empty()
        && !args.quiet
    {
        print_error_line!("wynot: the outputs differ in {differences} places; all of them count");
        print_error_line!("hint: --fail-when stdout~REGEX says which of them is the failure");
    }
    if report.chain.unnarrowed > 0 {
        let transitions = count(report.chain.unnarrowed as u64, "transition");
        print_error_line!("wynot: limit reached, {transitions} not narrowed");
        print_error_line!("hint: --most {} compares more places", 2 * u32::from(args.most));
    }
    if !args.quiet {
        let places = report.chain.places.len() as u64;
        print_error_line!(
            "wynot: {} in {}, {}",
            count(report.tests, "test"),
            count(places, "place"),
            time(report.elapsed)
        );
    }
    Ok(())
}

/// Asks the user where the program goes wrong, and prints the stretch that follows from the answers.
fn narrow(report: &ExplainReport, steps: &[CauseStep<'_>]) -> Result<(), Error> {
    let place = |number: usize| name(&report.program, steps[number].first.place);
    print_line!("");
    match find_first_wrong(steps, place, &mut std::io::stdin().lock())? {
        FirstWrongStep::From(0) => {
            print_line!("It is wrong from the beginning: check how the program is run.")
        }
        FirstWrongStep::From(step) => {
            let (before, after) = (steps[step - 1].last, steps[step].first);
            print_line!("It goes wrong {}.", transition(report, before, after));
        }
        FirstWrongStep::Nowhere => {
            let last = place(steps.len() - 1);
            print_line!("It goes wrong after {last}, before the end.");
        }
        FirstWrongStep::Unknown => print_line!("It is not known where it goes wrong."),
    }
    Ok(())
}

/// Writes a script for each step of a chain, by its number; those that are read as one with the step before have a second
/// number.
fn write_gdb_scripts(
    report: &ExplainReport,
    steps: &[CauseStep<'_>],
    directory: &Path,
) -> Result<(), Error> {
    std::fs::create_dir_all(directory).map_err(|error| Error::cannot_write(directory, &error))?;
    for (number, group) in (1..).zip(group_steps(steps)) {
        for (similar, index) in group.enumerate() {
            let name = match similar {
                0 => format!("{number}.gdb"),
                similar => format!("{number}.{similar}.gdb"),
            };
            let path = directory.join(name);
            let script = gdb_script(&report.runs, &report.program, steps[index].first);
            std::fs::write(&path, script).map_err(|error| Error::cannot_write(&path, &error))?;
        }
    }
    Ok(())
}
