//! The summary of a session, from the records of its journal.
//!
//! A session that was killed and resumed has several runs in its journal. A resumed run replays the search
//! from the start and writes all steps again, so the steps and the end of the last run are those of the
//! session. Tests and time are counted over all runs; no test is repeated.

use crate::text::number::{count, seconds};
use std::time::Duration;
use wynot_session::{
    AnswerRecord, Counts, EndRecord, Ending, Record, RunRecord, RunSummary, SearchPart, Side, Step,
    TestRecord,
};

/// What the records of a session say about its last run, and the tests of all runs.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionSummary {
    pub(crate) run: RunRecord,
    pub(crate) first_runs: Option<FirstRuns>,
    pub(crate) steps: Vec<Step>,
    /// The parts of the search, each with the number of steps before it; a search without parts has none.
    pub(crate) parts: Vec<(SearchPart, usize)>,
    /// The end of the run; `None` if it was cut off.
    pub(crate) end: Option<EndRecord>,
    pub(crate) totals: TestTotals,
    /// The time of the runs that have ended, in seconds, and their number.
    pub(crate) ended: (f64, u64),
}

/// The runs of the two sides before the search.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FirstRuns {
    pub original: RunSummary,
    pub passing: Option<RunSummary>,
    pub timeout: Duration,
}

/// The tests that ran, in all runs of the session.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TestTotals {
    /// The number of times that the session was started or resumed.
    pub runs: u64,
    pub tests: u64,
    pub pass: u64,
    pub fail: u64,
    pub unresolved: u64,
    /// The tests that timed out, where that is not the failure.
    pub timeouts: u64,
    /// The sum of the durations of all tests; tests that ran at the same time count in full.
    pub time: Duration,
    pub slowest: Option<TestRecord>,
}

impl TestTotals {
    fn add(&mut self, test: &TestRecord) {
        self.tests += 1;
        match test.outcome.as_str() {
            "pass" => self.pass += 1,
            "fail" => self.fail += 1,
            "unresolved" => self.unresolved += 1,
            // A later version may have more outcomes; each of them is a test.
            _ => {}
        }
        if test.ending == Ending::Timeout && test.outcome != "fail" {
            self.timeouts += 1;
        }
        self.time = self.time.saturating_add(Duration::from_micros(test.micros));
        if self.slowest.as_ref().is_none_or(|slowest| test.micros > slowest.micros) {
            self.slowest = Some(test.clone());
        }
    }
}

impl SessionSummary {
    /// The summary of a session; `None` if no run has begun.
    pub fn from_records(records: &[Record]) -> Option<Self> {
        let is_run = |record: &Record| matches!(record, Record::Run(_));
        let start = records.iter().rposition(is_run)?;
        let Record::Run(run) = &records[start] else { return None };
        let (mut steps, mut parts, mut end) = (Vec::new(), Vec::new(), None);
        for record in &records[start + 1..] {
            match record {
                Record::Step(step) => steps.push(step.clone()),
                Record::Part(part) => parts.push((part.clone(), steps.len())),
                Record::End(last) => end = Some(last.clone()),
                _ => {}
            }
        }
        let mut totals = TestTotals::default();
        let (mut first_runs, mut ended) = (None, (0.0, 0));
        for record in records {
            match record {
                Record::Run(_) => totals.runs += 1,
                Record::Test(test) => totals.add(test),
                Record::End(end) => ended = (ended.0 + end.seconds, ended.1 + 1),
                Record::FirstRuns { original, passing, timeout_ms, .. } => {
                    first_runs = Some(FirstRuns {
                        original: original.clone(),
                        passing: passing.clone(),
                        timeout: Duration::from_millis(*timeout_ms),
                    });
                }
                _ => {}
            }
        }
        Some(Self { run: run.clone(), first_runs, steps, parts, end, totals, ended })
    }

    /// Whether the search narrows a difference from two sides.
    pub(crate) fn isolates(&self) -> bool {
        // Whatever the command, an algorithm that moves the passing side isolates.
        let differs = self.end.as_ref().is_some_and(|end| end.difference.is_some());
        self.run.command == "isolate" || differs || self.last_step(Side::Passing).is_some()
    }

    /// The answer in words, if the search has ended.
    pub(crate) fn answer(&self) -> Option<&AnswerRecord> {
        self.end.as_ref()?.answer.as_ref().filter(|answer| !answer.headline.is_empty())
    }

    /// The noun for the deltas.
    pub(crate) fn noun(&self) -> &str {
        match (self.parts.last(), self.run.units.rsplit(',').next().map(str::trim)) {
            (Some((part, _)), _) => &part.noun,
            (None, Some("entry")) => "setting",
            (None, Some("char")) => "character",
            (None, Some("json")) => "element",
            (None, _) if self.run.units == "file,syntax" => "file",
            (None, Some("" | "syntax") | None) => "part",
            (None, Some(unit)) => unit,
        }
    }

    /// The number of deltas from which the search started, or its last part.
    pub(crate) fn all_deltas(&self) -> u64 {
        let is_narrowed = self.run.command == "changes";
        let last = self.parts.last().filter(|_| is_narrowed);
        last.map_or(self.run.deltas, |(part, _)| part.deltas)
    }

    /// The parts of the search that have steps, with these. Without parts, it is one part.
    pub(crate) fn parts_with_steps(&self) -> Vec<(SearchPart, &[Step])> {
        if self.parts.is_empty() {
            let (name, noun, tests) = (String::new(), self.noun().to_owned(), 0);
            let RunRecord { deltas, bytes, .. } = self.run;
            return vec![(SearchPart { name, noun, tests, deltas, bytes }, &self.steps)];
        }
        let ends = self.parts.iter().skip(1).map(|(_, start)| *start);
        let ends = ends.chain(std::iter::once(self.steps.len()));
        let parts = self.parts.iter().zip(ends);
        let parts = parts.map(|((part, start), end)| (part.clone(), &self.steps[*start..end]));
        parts.filter(|(_, steps)| !steps.is_empty()).collect()
    }

    /// The part to which a step belongs.
    pub(crate) fn part_of(&self, step: &Step) -> Option<&SearchPart> {
        let index = self.steps.iter().position(|other| std::ptr::eq(other, step))?;
        self.parts.iter().rfind(|(_, start)| *start <= index).map(|(part, _)| part)
    }

    /// The last step of a side.
    pub(crate) fn last_step(&self, side: Side) -> Option<&Step> {
        self.steps.iter().rfind(|step| step.side == side)
    }

    /// The size of the smallest variant known to fail.
    pub(crate) fn failing_bytes(&self) -> u64 {
        match (&self.end, self.last_step(Side::Failing)) {
            (Some(end), _) => end.bytes,
            (None, Some(step)) => step.bytes,
            (None, None) => self.run.bytes,
        }
    }

    /// The number of deltas of the smallest variant known to fail.
    pub(crate) fn failing_deltas(&self) -> u64 {
        match (&self.end, self.last_step(Side::Failing)) {
            (Some(end), _) => end.deltas,
            (None, Some(step)) => step.deltas,
            (None, None) => self.run.deltas,
        }
    }

    /// The number of deltas in which the two sides differ.
    pub(crate) fn difference(&self) -> u64 {
        let recorded = self.end.as_ref().and_then(|end| end.difference);
        let causes = self.answer().map_or(&[][..], |answer| &answer.causes);
        if recorded.is_some() && causes.len() > 1 {
            return causes.iter().map(|cause| cause.lines.len() as u64).sum();
        }
        // The passing side lies within the failing one, so numbers of deltas can be subtracted.
        recorded.unwrap_or_else(|| {
            let passing = self.last_step(Side::Passing).map_or(0, |step| step.deltas);
            self.failing_deltas().saturating_sub(passing)
        })
    }

    /// The number of tests that the search has used; in a run that was cut off, up to its last step.
    pub(crate) fn tests_used(&self) -> u64 {
        let steps = self.steps.iter().map(|step| step.tests).max().unwrap_or(0);
        self.end.as_ref().map_or(0, |end| end.tests.executed).max(steps)
    }

    /// The counts of tests; in a run that was cut off, as far as the journal shows them.
    pub(crate) fn counts(&self) -> Counts {
        let TestTotals { tests, pass, fail, unresolved, timeouts, .. } = self.totals;
        let shown =
            Counts { executed: tests, pass, fail, unresolved, timeouts, ..Counts::default() };
        self.end.as_ref().map_or(shown, |end| end.tests)
    }

    /// The time of the search in words, over all of its runs; `None` if it has not ended. The time of a run that was cut off
    /// is not known.
    pub(crate) fn time(&self) -> Option<String> {
        let end = self.end.as_ref()?;
        let (sum, ended) = self.ended;
        Some(match (self.totals.runs, ended) {
            (0 | 1, _) => seconds(end.seconds),
            (runs, ended) if ended < runs => {
                format!("at least {} in {}", seconds(sum), count(runs, "run"))
            }
            (runs, _) => format!("{} in {}", seconds(sum), count(runs, "run")),
        })
    }

    /// The unit of the deltas of a level.
    pub(crate) fn unit(&self, level: usize) -> &str {
        match self.run.units.trim() {
            // JSON has as many levels as it needs, all of one unit.
            "json" => "json",
            units => units.split(',').nth(level).map_or("", str::trim),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use wynot_session::judge::{ExitMeaning, JudgeRecord};
    use wynot_session::{Certificate, EndStatus, Ending};

    /// A run that has only begun.
    pub(crate) fn run(command: &str, bytes: u64, deltas: u64) -> RunRecord {
        RunRecord {
            command: command.to_owned(),
            algorithm: "ddmin".to_owned(),
            units: "line,char".to_owned(),
            input: "bug.c".to_owned(),
            test: vec!["gcc".to_owned(), "-c".to_owned(), "{}".to_owned()],
            reading: "signal SEGV is the failure".to_owned(),
            bytes,
            deltas,
            excerpt: "int main() { return 0; }\n".to_owned(),
            command_line: None,
        }
    }

    pub(crate) fn step(tests: u64, side: Side, size: u64) -> Step {
        let part = "subset 1/2".to_owned();
        Step { tests, side, bytes: size, deltas: size, part, level: 0 }
    }

    pub(crate) fn end(executed: u64, size: u64) -> EndRecord {
        EndRecord {
            status: EndStatus::Minimal,
            certificate: Certificate::one_minimal(["char"]),
            tests: Counts { executed, pass: executed, ..Counts::default() },
            bytes: size,
            deltas: size,
            difference: None,
            seconds: 1.5,
            failing: "int".to_owned(),
            passing: None,
            changes: Vec::new(),
            result: String::new(),
            sides: None,
            passes: Vec::new(),
            rate: None,
            failure: None,
            unresolved: Default::default(),
            history: None,
            answer: None,
        }
    }

    pub(crate) fn summary(
        run: RunRecord,
        steps: Vec<Step>,
        end: Option<EndRecord>,
    ) -> SessionSummary {
        let (parts, totals) = (Vec::new(), TestTotals::default());
        SessionSummary { run, first_runs: None, steps, parts, end, totals, ended: (0.0, 0) }
    }

    fn test(outcome: &str, micros: u64) -> Record {
        Record::Test(TestRecord {
            digest: String::new(),
            outcome: outcome.to_owned(),
            ending: Ending::Exit(1),
            micros,
            bytes: 7,
            crash: None,
            reason: None,
            mentioned: Default::default(),
            summary: None,
            failure: None,
        })
    }

    fn looked(timeout_ms: u64) -> Record {
        let seen = RunSummary {
            ending: Ending::Timeout,
            micros: 1,
            stderr: Vec::new(),
            excerpt: Vec::new(),
            failure: None,
            crash: None,
        };
        Record::FirstRuns {
            judge: Box::new(JudgeRecord {
                exit_meaning: ExitMeaning::Interesting,
                same_output: None,
                same_crash: None,
                original: None,
                known_errors: None,
                limits: Vec::new(),
            }),
            timeout_ms,
            timeout_after_build_ms: None,
            original: seen.clone(),
            passing: Some(seen),
            passes: true,
            rate: None,
            traced: false,
            cost_ms: 0,
            read: None,
        }
    }

    #[test]
    fn without_a_run_there_is_no_summary() {
        assert_eq!(SessionSummary::from_records(&[]), None);
        assert_eq!(SessionSummary::from_records(&[looked(1), test("pass", 1)]), None);
    }

    #[test]
    fn the_last_run_wins_and_the_tests_of_all_runs_count() {
        let records = [
            looked(1000),
            Record::Run(run("reduce", 100, 100)),
            test("pass", 30),
            Record::Step(step(1, Side::Failing, 50)),
            Record::End(end(1, 50)),
            looked(2000),
            Record::Run(run("reduce", 200, 100)),
            test("fail", 50),
            test("unresolved", 20),
            test("from the future", 1),
            Record::Step(step(9, Side::Failing, 25)),
        ];
        let summary = SessionSummary::from_records(&records).unwrap();
        assert_eq!(summary.run.bytes, 200);
        assert_eq!(summary.steps, [step(9, Side::Failing, 25)]);
        assert_eq!(summary.end, None);
        assert_eq!(summary.first_runs.unwrap().timeout, Duration::from_secs(2));
        let TestTotals { runs, tests, pass, fail, unresolved, time, slowest, .. } = summary.totals;
        assert_eq!((runs, tests, pass, fail, unresolved), (2, 4, 1, 1, 1));
        assert_eq!(time, Duration::from_micros(101));
        assert_eq!(slowest.unwrap().micros, 50);
    }

    #[test]
    fn the_time_is_that_of_all_runs() {
        let begin = || Record::Run(run("reduce", 100, 100));
        let ended = || Record::End(end(1, 50));
        let time = |records: &[Record]| SessionSummary::from_records(records).unwrap().time();
        assert_eq!(time(&[begin(), ended()]).as_deref(), Some("1.5 s"));
        let twice = time(&[begin(), ended(), begin(), ended()]);
        assert_eq!(twice.as_deref(), Some("3.0 s in 2 runs"));
        let cut_off = time(&[begin(), begin(), ended()]);
        assert_eq!(cut_off.as_deref(), Some("at least 1.5 s in 2 runs"));
        assert_eq!(time(&[begin(), ended(), begin()]), None);
    }

    #[test]
    fn a_run_that_was_cut_off_is_as_far_as_its_last_steps() {
        let both = vec![step(2, Side::Passing, 10), step(5, Side::Failing, 30)];
        let cut_off = summary(run("isolate", 100, 100), both, None);
        assert_eq!((cut_off.failing_bytes(), cut_off.difference()), (30, 20));
        assert_eq!(cut_off.tests_used(), 5);
        let begun = summary(run("reduce", 100, 90), Vec::new(), None);
        assert_eq!((begun.failing_bytes(), begun.failing_deltas()), (100, 90));
    }

    #[test]
    fn levels_are_named_for_their_unit() {
        let summary = summary(run("reduce", 1, 1), Vec::new(), None);
        assert_eq!([0, 1, 2].map(|level| summary.unit(level)), ["line", "char", ""]);
    }
}
