//! How a search stands, as its events tell.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How a search stands.
#[derive(Clone, Debug)]
pub struct SearchState {
    /// Whether it waits, runs or has ended.
    pub phase: Phase,
    /// The number of tests so far.
    pub tests: u64,
    /// The size of the original, if it has one.
    pub bytes_before: Option<u64>,
    /// The size of the best so far.
    pub bytes: Option<u64>,
    /// The path of the best so far.
    pub output: Option<PathBuf>,
    /// What counts as the failure, in words.
    pub decision: Option<String>,
    /// The latest remark, or what is being examined.
    pub remark: Option<String>,
    started: Option<Instant>,
    duration: Option<Duration>,
}

/// The phase of a search.
#[derive(Clone, Debug)]
pub enum Phase {
    /// Other searches run.
    Waiting,
    /// Its process runs.
    Running,
    /// Its process has ended.
    Ended(Ending),
}

/// How a search ended.
#[derive(Clone, Debug, Default)]
pub struct Ending {
    /// The object that was printed, of a result or of an error.
    pub object: Option<Value>,
    /// The last lines of standard error.
    pub errors: String,
    /// How the process ended, in words.
    pub process: String,
    /// Whether it was stopped on request.
    pub is_cancelled: bool,
}

impl SearchState {
    /// The state of a search that has not begun.
    pub fn waiting() -> Self {
        Self {
            phase: Phase::Waiting,
            tests: 0,
            bytes_before: None,
            bytes: None,
            output: None,
            decision: None,
            remark: None,
            started: None,
            duration: None,
        }
    }

    /// The search begins.
    pub fn begin(&mut self) {
        self.phase = Phase::Running;
        self.started = Some(Instant::now());
    }

    /// The search ends.
    pub fn end(&mut self, ending: Ending) {
        self.duration = self.started.map(|started| started.elapsed());
        self.phase = Phase::Ended(ending);
    }

    /// Takes an event of a search in a directory.
    pub fn on_event(&mut self, event: &Value, directory: &Path) {
        let text = |name: &str| event[name].as_str().map(str::to_owned);
        if let Some(tests) = event["tests"].as_u64() {
            self.tests = self.tests.max(tests);
        }
        match event["event"].as_str() {
            Some("begin") => {
                self.decision = text("decision");
                self.output = text("output").map(|path| directory.join(path));
                self.bytes_before = event["bytes"].as_u64();
                self.bytes = self.bytes_before;
            }
            Some("step") if event["side"] == "failing" => {
                self.bytes = event["bytes"].as_u64().or(self.bytes);
            }
            Some("remark" | "place") => self.remark = text("text"),
            _ => {}
        }
    }

    /// The end, if it has come.
    pub fn ending(&self) -> Option<&Ending> {
        match &self.phase {
            Phase::Ended(ending) => Some(ending),
            _ => None,
        }
    }

    /// The name of the phase.
    pub fn phase_name(&self) -> &'static str {
        match &self.phase {
            Phase::Waiting => "waiting",
            Phase::Running => "running",
            Phase::Ended(ending) if ending.is_cancelled => "cancelled",
            Phase::Ended(ending) if ending.has_failed() => "failed",
            Phase::Ended(_) => "finished",
        }
    }

    /// The time since the beginning, or between beginning and end.
    pub fn seconds(&self) -> f64 {
        let running = || self.started.map(|started| started.elapsed());
        let time = self.duration.or_else(running).unwrap_or_default();
        (time.as_secs_f64() * 1000.0).round() / 1000.0
    }

    /// The state as an object.
    pub fn object(&self, id: &str, tool: &str) -> Value {
        json!({
            "id": id,
            "tool": tool,
            "state": self.phase_name(),
            "tests": self.tests,
            "bytes": self.bytes_before.map(|before| json!({"before": before, "after": self.bytes})),
            "seconds": self.seconds(),
            "output": self.output.as_ref().map(|path| path.to_string_lossy()),
            "decision": self.decision,
            "remark": self.remark,
        })
    }

    /// The state in a line.
    pub fn line(&self) -> String {
        let mut line = format!("{} tests", self.tests);
        if let (Some(before), Some(after)) = (self.bytes_before, self.bytes) {
            line += &format!(", {before} → {after} bytes");
        }
        if let Some(remark) = &self.remark {
            line += &format!(", {remark}");
        }
        line
    }
}

impl Ending {
    /// Whether there is no result.
    pub fn has_failed(&self) -> bool {
        self.object.as_ref().is_none_or(|object| object["status"] == "error")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_tell_how_far_it_is() {
        let mut state = SearchState::waiting();
        state.begin();
        let events = [
            json!({"event": "begin", "decision": "exit 1", "output": "x.min", "bytes": 90, "tests": 0}),
            json!({"event": "step", "side": "failing", "bytes": 40, "tests": 3}),
            json!({"event": "tested", "bytes": 10, "tests": 4}),
            json!({"event": "step", "side": "passing", "bytes": 20, "tests": 5}),
            json!({"event": 1, "tests": "many"}),
        ];
        for event in events {
            state.on_event(&event, Path::new("/d"));
        }
        assert_eq!(state.line(), "5 tests, 90 → 40 bytes");
        assert_eq!(state.output.as_deref(), Some(Path::new("/d/x.min")));
        assert_eq!(state.object("a-1", "a")["state"], "running");
    }
}
