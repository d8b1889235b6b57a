//! Passes events on to whoever asked for them.

use crate::progress::Progress;
use crate::trace::Trace;
use serde_json::json;
use std::fs::File;
use std::io::{LineWriter, Write};
use std::time::Instant;
use wynot_report::number::{count, grouped};
use wynot_run::{Counts, Event, Listener};
use wynot_subjects::Subject;

/// All who watch a search.
pub struct Watchers<'a> {
    pub subject: &'a Subject,
    pub trace: Option<Trace>,
    pub events: Option<LineWriter<File>>,
    pub progress: Progress,
    pub verbose: bool,
    pub quiet: bool,
    pub started: Instant,
}

impl Listener for Watchers<'_> {
    fn on(&mut self, event: &Event<'_>, counts: &Counts) {
        if let Some(trace) = &mut self.trace {
            // A test that others can see must not hide behind the progress line.
            self.progress.hide();
            trace.on(event, counts);
        }
        if let Some(file) = &mut self.events {
            // Failing to tell must not end the search; the file simply ends early.
            let _ = write_event(file, event, counts, self.subject, self.started);
        }
        if let (Event::Level { level, deltas }, false) = (event, self.quiet) {
            let names = self.subject.level_names();
            let unit = names.get(*level).copied().unwrap_or("level");
            self.progress.line(&format!("{unit}: {}", count(*deltas as u64, "delta")));
        }
        if let (Event::Step { step, .. }, true) = (event, self.verbose) {
            let side = match step.side {
                wynot_run::Side::Failing => "failing",
                wynot_run::Side::Passing => "passing",
            };
            self.progress.line(&format!(
                "test {}: {side} side now {} bytes ({})",
                grouped(step.tests),
                grouped(step.bytes),
                step.part
            ));
        }
        self.progress.on(event, counts);
    }
}

fn write_event(
    file: &mut LineWriter<File>,
    event: &Event<'_>,
    counts: &Counts,
    subject: &Subject,
    started: Instant,
) -> std::io::Result<()> {
    let mut value = match event {
        Event::Level { level, deltas } => json!({
            "event": "level",
            "unit": subject.level_names().get(*level),
            "deltas": deltas,
        }),
        Event::Tested { configuration, size, label, outcome, repeated } => json!({
            "event": "tested",
            "outcome": outcome.to_string(),
            "part": label.to_string(),
            "deltas": configuration.map(|c| c.len()),
            "bytes": configuration.is_none().then_some(size),
            "cached": repeated,
        }),
        Event::Step { step, .. } => {
            let mut value = serde_json::to_value(step)?;
            value["event"] = json!("step");
            value
        }
        Event::Tick => return Ok(()),
    };
    value["tests"] = json!(counts.executed);
    value["seconds"] = json!((started.elapsed().as_secs_f64() * 1000.0).round() / 1000.0);
    serde_json::to_writer(&mut *file, &value)?;
    file.write_all(b"\n")
}
