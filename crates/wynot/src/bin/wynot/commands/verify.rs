//! `wynot verify`: check what was proved about a result with new tests.

use super::resume::search_to_resume;
use super::search::print_error_object;
use crate::output::display_options::DisplayOptions;
use crate::output::json;
use crate::output::search_observer::SearchObserver;
use crate::terminal::signals;
use clap::{Args, ValueHint};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use wynot::verify::{Refutation, Verification};
use wynot::{Control, Error, ErrorKind, sessions};
use wynot_report::number::{count, time};
use wynot_session::{Certificate, Side};

/// The arguments of `wynot verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The session's directory, or a result [default: the newest one from this directory]
    #[arg(value_hint = ValueHint::AnyPath)]
    pub session: Option<PathBuf>,

    /// How many tests run at the same time [default: as the search]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,

    /// Print one JSON object on standard output
    #[arg(long)]
    pub json: bool,

    /// Print nothing but errors and the answer
    #[arg(short, long)]
    pub quiet: bool,
}

/// Checks what a session has proved, and prints the answer.
pub fn run(args: &VerifyArgs, here: &Path) -> Result<ExitCode, Error> {
    let (verification, session, output) =
        check(args, here).inspect_err(|error| print_error_object(error, "verify", args.json))?;
    if args.json {
        print_line!("{}", json::of_verification(&verification, &session, &output));
    }
    report(&verification, &session, &output, args.json)
}

/// The answer about the last proof of a session, with the session's directory and the result.
fn check(args: &VerifyArgs, here: &Path) -> Result<(Verification, PathBuf, PathBuf), Error> {
    let found = sessions::find(args.session.as_deref(), here)?;
    let records = sessions::records(&found.directory)?;
    let (run, end) = found.last_proof(&records)?;
    let (session, line) = (found.directory, run.line);
    let mut request = search_to_resume(&session, line)?.request;
    request.run.jobs = args.jobs.or(request.run.jobs);
    let output = PathBuf::from(&line.output);
    let control = Control::default();
    signals::listen(&control).map_err(|error| Error::unexpected(&error))?;
    let display = DisplayOptions { quiet: args.quiet, ..DisplayOptions::default() };
    let claim = end.certificate.as_ref().map(Certificate::claim).unwrap_or_default();
    let mut observer = SearchObserver::new(&display, &request.directory, &control)
        .for_verification(format!("checking that {} is {claim}", output.display()));
    let verification =
        wynot::verify(&request, &session, &records, end, &output, &mut observer, &control)?;
    Ok((verification, session, output))
}

/// Prints that the result is confirmed, or returns the refutation as an error.
fn report(
    verification: &Verification,
    session: &Path,
    output: &Path,
    is_json: bool,
) -> Result<ExitCode, Error> {
    let Verification { claim: certificate, refutation, counterexample, tests, elapsed, digest } =
        verification;
    let claim = certificate.as_ref().map(Certificate::claim).unwrap_or_default();
    let condition = certificate.as_ref().map(Certificate::condition).unwrap_or_default();
    let output = output.display();
    let changed_test = |message: String| {
        Err(Error::new(ErrorKind::NoFailure, message)
            .hint("has something changed that the test depends on? If not, it is flaky"))
    };
    match refutation {
        None => {
            if !is_json {
                let tests = count(*tests, "test");
                let time = time(*elapsed);
                print_line!(
                    "{output}: {claim}, confirmed by {tests} in {time}{condition} (BLAKE3 {digest})"
                );
            }
            Ok(ExitCode::SUCCESS)
        }
        Some(Refutation::DoesNotFail) => changed_test(format!("{output} does not fail any more")),
        Some(Refutation::DoesNotPass) => {
            changed_test("the passing side does not pass any more".to_owned())
        }
        Some(Refutation::OtherAnswer) => {
            let path = counterexample.clone().unwrap_or_default();
            let message = "the search finds something else when it is repeated";
            Err(Error::new(ErrorKind::Indeterminate, message)
                .detail(format!("see {}", path.display()))
                .hint("if the test is flaky, try --flaky --fresh"))
        }
        Some(Refutation::Unspecified) => {
            let message = format!("{} does not say what {claim} refers to", session.display());
            Err(Error::new(ErrorKind::Indeterminate, message).hint("run the search again"))
        }
        Some(Refutation::NotMinimal(side)) => {
            let reason = match side {
                Side::Failing => "something smaller fails, too",
                Side::Passing => "something larger passes, too",
            };
            let path = counterexample.clone().unwrap_or_default();
            Err(Error::new(ErrorKind::Indeterminate, format!("{output} is not {claim}: {reason}"))
                .detail(format!("see {}", path.display()))
                .hint("if the test is flaky, try --flaky --fresh"))
        }
    }
}
