//! The result of a walk back through a history, in words.

use super::short_result::print_short;
use super::words::failure_lines;
use wynot::SearchReport;
use wynot::search::{Blocker, Fix, HistoryFound, Verdict};
use wynot_exec::sources::Commit;
use wynot_report::number::{count, grouped};

/// Prints what a walk has found, up to the change itself.
pub(super) fn print_verdict(report: &SearchReport, history: &HistoryFound, cost: &str) {
    let versions = format!("{} by first parents", count(history.versions as u64, "version"));
    let oldest = in_words(&history.oldest_failing);
    let to_commit: u64 = history.parts.named()[..3].iter().map(|(_, tests)| tests).sum();
    match (history.verdict, &history.passing) {
        (Verdict::Regression, passing) => {
            match passing {
                Some(passing) => {
                    print_line!("introduced by {oldest}");
                    print_line!("{} passes{}", short(passing), with_blockers(history));
                }
                None => print_line!("came with {oldest}"),
            }
            let to_commit = grouped(to_commit);
            print_line!("searched {versions}: {cost}, {to_commit} of them for the commit");
        }
        (Verdict::Always, _) => {
            print_line!("it fails in every version that can be tested, {cost}");
            print_line!("the oldest version that fails, of {versions}: {oldest}");
        }
        (Verdict::Unknown, passing) => {
            print_line!("not known yet, {cost}");
            print_line!("the oldest version known to fail, of {versions}: {oldest}");
            if let Some(passing) = passing {
                print_line!("{} passes", in_words(passing));
            }
        }
    }
    if let Some(remark) = &history.remark {
        print_line!("{remark}");
    }
    for blocker in &history.blockers {
        print_blocker(blocker);
    }
    if history.changes.is_none() {
        failure_lines(report).iter().for_each(|line| print_line!("{line}"));
    }
}

/// Prints how the fix was carried to the version that fails today.
pub(super) fn print_fix(report: &SearchReport, fix: &Fix) {
    let name = &report.plan.versions.as_ref().map_or("", |versions| &versions.names.1);
    let lines = count(fix.lines as u64, "changed line");
    let anew = match fix.derived_at.as_slice() {
        [] => String::new(),
        places => format!(", derived anew at {}", count(places.len() as u64, "version")),
    };
    match &fix.patch {
        Some(patch) => {
            print_line!(
                "fix: {name} passes the test with {lines}{anew}; nothing else is known about it"
            );
            print_line!("fix for {name}: {}", report.fix_patch().display());
            print_short(patch);
        }
        None => {
            let reached = &fix.reached[..fix.reached.len().min(12)];
            print_line!(
                "fix: not carried beyond {reached}{anew}: too much has changed; --effort high tries longer"
            );
        }
    }
    if let Some(commit) = &fix.commit {
        print_line!("the fix is commit {}", &commit[..commit.len().min(12)]);
    }
}

fn print_blocker(blocker: &Blocker) {
    let (from, to) =
        (&blocker.from[..12.min(blocker.from.len())], &blocker.to[..12.min(blocker.to.len())]);
    let mended = match blocker.lines {
        0 => "other names of files".to_owned(),
        lines => count(lines as u64, "line"),
    };
    print_line!("blocker from {from} back to {to}, mended by {mended}: {}", blocker.name);
}

fn with_blockers(history: &HistoryFound) -> String {
    match history.blockers_of_passing() {
        0 => String::new(),
        number => format!(" with the patches of {}", count(number as u64, "blocker")),
    }
}

fn in_words(commit: &Commit) -> String {
    let Commit { author, date, subject, .. } = commit;
    format!("{} by {author} on {date}: {subject}", short(commit))
}

fn short(commit: &Commit) -> &str {
    &commit.id[..commit.id.len().min(12)]
}
