//! `wynot sessions`: what earlier searches have left, and its removal.

use super::duration::duration;
use crate::output::standard_output::print_page;
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};
use wynot::Error;
use wynot::session_list::{ListedSession, list_sessions, prune_sessions};
use wynot_report::number::{count, time};

/// The arguments of `wynot sessions`.
#[derive(Debug, Args)]
pub struct SessionsArgs {
    #[command(subcommand)]
    action: Option<SessionsAction>,

    /// Print one JSON object on standard output
    #[arg(long)]
    json: bool,
}

/// What is done with sessions.
#[derive(Debug, Subcommand)]
enum SessionsAction {
    /// Remove sessions by their names or directories
    Remove {
        /// The names that wynot sessions prints, or directories
        #[arg(required = true, value_name = "SESSION")]
        sessions: Vec<PathBuf>,
    },
    /// Remove the sessions that are old, and the oldest ones until the others are small enough
    Prune {
        /// Remove sessions that nothing has used for this time (30d, 12h)
        #[arg(long, value_name = "TIME", value_parser = duration, default_value = "90d")]
        older_than: Duration,

        /// Remove the oldest ones until all are at most this large together (500M, 2G)
        #[arg(long, value_name = "SIZE", value_parser = wynot_exec::size, default_value = "2G")]
        larger_than: u64,
    },
}

/// Lists or removes sessions.
pub fn run(args: &SessionsArgs, here: &Path) -> Result<ExitCode, Error> {
    let listed = list_sessions();
    match &args.action {
        None => print_list(&listed, args.json),
        Some(SessionsAction::Remove { sessions }) => {
            for named in sessions {
                let path = here.join(named);
                let is_meant = |session: &&ListedSession| {
                    session.name() == named.as_os_str() || session.directory == path
                };
                let session = listed.iter().find(is_meant).ok_or_else(|| {
                    Error::usage(format!("there is no session {}", named.display()))
                        .hint("wynot sessions lists them")
                        .next("wynot sessions")
                })?;
                session.remove()?;
            }
            print_line!("removed {}", count(sessions.len() as u64, "session"));
        }
        Some(SessionsAction::Prune { older_than, larger_than }) => {
            let removed = prune_sessions(&listed, *older_than, *larger_than, SystemTime::now());
            let bytes: u64 = removed.iter().map(|session| session.bytes).sum();
            print_line!(
                "removed {} of {}, {}",
                count(removed.len() as u64, "session"),
                listed.len(),
                size_in_words(bytes)
            );
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the sessions, the one that was used last first.
fn print_list(listed: &[ListedSession], is_json: bool) {
    if is_json {
        let sessions: Vec<Value> = listed.iter().map(of_session).collect();
        print_line!("{}", json!({"schema": 1, "command": "sessions", "sessions": sessions}));
        return;
    }
    let mut page = String::new();
    for session in listed {
        let age = SystemTime::now().duration_since(session.changed).unwrap_or_default();
        let name = session.name().to_string_lossy();
        page += &format!(
            "{name}  {:>9}  {:>12} ago  {:<11}  {}\n",
            size_in_words(session.bytes),
            age_in_words(age),
            session.status(),
            session.command()
        );
    }
    let bytes = listed.iter().map(|session| session.bytes).sum();
    page += &format!("{}, {}\n", count(listed.len() as u64, "session"), size_in_words(bytes));
    print_page(page.as_bytes());
}

fn of_session(session: &ListedSession) -> Value {
    let age = SystemTime::now().duration_since(session.changed).unwrap_or_default();
    json!({
        "name": session.name().to_string_lossy(),
        "directory": session.directory.to_string_lossy(),
        "bytes": session.bytes,
        "age_seconds": age.as_secs(),
        "status": session.status(),
        "command_line": session.command(),
    })
}

/// A time without more precision than a list needs.
fn age_in_words(age: Duration) -> String {
    match age.as_secs() {
        0..60 => format!("{} s", age.as_secs()),
        60..3600 => format!("{} min", age.as_secs() / 60),
        3600..86_400 => time(Duration::from_secs(age.as_secs())),
        seconds => count(seconds / 86_400, "day"),
    }
}

/// A number of bytes with a suitable unit.
fn size_in_words(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}
