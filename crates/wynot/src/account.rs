//! The chain as it is told: in words, as JSON, and as scripts for GDB.

use crate::args::ExplainArgs;
use crate::asking::{Wrong, first_wrong};
use crate::explain_oracle::ExplainStop;
use crate::failure::{Code, Failure};
use crate::places;
use crate::runs::{Runs, told as ended};
use crate::script::script;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use wynot_core::Outcome;
use wynot_report::number::{count, time};
use wynot_report::{ChainCause, ChainPlace, ChainStep, ChainStory, chain_html};
use wynot_state::dwarf::Program;
use wynot_state::process::RunEnd;
use wynot_state::{
    CauseEffectChain, CauseStep, CommonPlace, DescribedDelta, PlaceCause, PlaceResult,
    VariableScope,
};

/// All that is told.
pub struct Account<'a> {
    pub runs: &'a Runs,
    pub program: &'a Program,
    pub chain: &'a CauseEffectChain<ExplainStop>,
    pub passing: &'a RunEnd,
    pub failing: &'a RunEnd,
    pub elapsed: Duration,
}

impl Account<'_> {
    pub fn show(&self, args: &ExplainArgs) -> Result<(), Failure> {
        let steps = self.chain.steps();
        if let Some(directory) = &args.gdb {
            self.write_scripts(directory, &steps)?;
        }
        if let Some(path) = &args.report {
            let page = chain_html(&self.page(&steps));
            std::fs::write(path, page).map_err(|error| Failure::cannot_write(path, &error))?;
        }
        if args.json {
            printed!("{}", self.json(&steps));
        } else {
            for line in self.story(&steps) {
                printed!("{line}");
            }
        }
        if args.narrow && !steps.is_empty() {
            self.narrow(&steps)?;
        }
        if self.chain.stopped.is_some() {
            told!("wynot: interrupted; there may be more steps than were found until then");
        }
        if !args.quiet {
            let tests = self.tests();
            let places = self.chain.places.len() as u64;
            told!(
                "wynot: {} in {}, {}",
                count(tests, "test"),
                count(places, "place"),
                time(self.elapsed)
            );
        }
        Ok(())
    }

    /// Asks where it goes wrong, and says so.
    fn narrow(&self, steps: &[CauseStep<'_>]) -> Result<(), Failure> {
        let place = |number: usize| places::name(self.program, steps[number].first.place);
        printed!("");
        match first_wrong(steps, place, &mut std::io::stdin().lock())? {
            Wrong::From(0) => {
                printed!("It is wrong from the beginning: look at how the program is run.")
            }
            Wrong::From(step) => {
                let (before, after) = (steps[step - 1].last, steps[step].first);
                printed!("It goes wrong {}.", self.transition(before, after));
            }
            Wrong::Nowhere => {
                let last = place(steps.len() - 1);
                printed!("It goes wrong after {last}, before the end.");
            }
            Wrong::Unknown => printed!("It is not known where it goes wrong."),
        }
        Ok(())
    }

    /// What scripts see.
    pub fn code(&self) -> Code {
        let steps = self.chain.steps();
        match (self.chain.stopped.is_some(), steps.is_empty()) {
            (true, _) => Code::Interrupted,
            (false, true) => Code::Indeterminate,
            (false, false) => Code::Found,
        }
    }

    fn tests(&self) -> u64 {
        self.chain.places.iter().map(|place| place.tests()).sum()
    }

    /// In the words of the paper.
    fn story(&self, steps: &[CauseStep<'_>]) -> Vec<String> {
        let (passing, failing) = &self.runs.typed;
        if steps.is_empty() {
            return self.no_story();
        }
        let mut lines =
            vec![format!("This is what happens when you run {failing} instead of {passing}:")];
        let mut because = format!("the program was invoked as {failing}");
        for (number, step) in (1_usize..).zip(steps) {
            lines.push(String::new());
            lines.push(format!(
                "{number}. Execution reaches {}.",
                places::name(self.program, step.first.place)
            ));
            lines.push(format!("   Since {because},"));
            lines.extend(facts(&step.first.deciding));
            if step.first.context > 0 {
                let others = count(step.first.context as u64, "other difference");
                lines.push(format!("   (Together with {others}, or some of them.)"));
            }
            if let Some(before) = number.checked_sub(2).and_then(|index| steps.get(index)) {
                lines.push(format!("   [{}]", self.transition(before.last, step.first)));
            }
            because = reasons(&step.first.deciding);
        }
        lines.push(String::new());
        lines.push(format!("{}. Execution ends.", steps.len() + 1));
        lines.push(format!("   Since {because},"));
        lines.push(format!("   the program ends with {}", ended(self.failing)));
        lines.push(format!("   (instead of {}).", ended(self.passing)));
        let doubts = self.doubts();
        lines.extend((!doubts.is_empty()).then(String::new));
        lines.extend(doubts);
        lines
    }

    /// Where one cause has become another.
    fn transition(&self, before: &PlaceCause, after: &PlaceCause) -> String {
        let place =
            |site: CommonPlace| places::line(self.program, site).unwrap_or_else(|| "?".to_owned());
        let stretch = match (place(before.place), place(after.place)) {
            (from, to) if from == to => format!("in {from}"),
            (from, to) => format!("between {from} and {to}"),
        };
        let at = |link: &PlaceCause| {
            self.chain.places.iter().position(|point| point.place == link.place)
        };
        let open = match (at(before), at(after)) {
            (Some(from), Some(to)) if from < to => {
                let between = &self.chain.places[from..to];
                between.iter().filter(|point| point.cause().is_none()).count()
            }
            _ => 0,
        };
        match open {
            0 => stretch,
            1 => format!("{stretch}; in a place between, what was captured does not decide"),
            _ => format!("{stretch}; in {open} places between, what was captured does not decide"),
        }
    }

    /// What was not found out, and why.
    fn doubts(&self) -> Vec<String> {
        let links: Vec<&PlaceCause> =
            self.chain.places.iter().filter_map(|point| point.cause()).collect();
        let mut doubts = Vec::new();
        let unconfirmed =
            self.chain.places.iter().filter(
                |point| matches!(&point.result, PlaceResult::Cause(link) if !link.verified),
            );
        for point in unconfirmed {
            let place = places::name(self.program, point.place);
            doubts.push(format!(
                "What was found at {place} was not confirmed by runs from the beginning, and is left out."
            ));
        }
        if let Some(reason) = links.iter().find_map(|link| link.obstacle.as_ref()) {
            doubts.push(format!(
                "Experiments were run from the beginning, as the program cannot be copied: {reason}."
            ));
        }
        let first = self.chain.places.first().filter(|point| point.cause().is_none());
        if let (Some(point), Some(found)) = (first, links.first()) {
            let place = places::name(self.program, point.place);
            let begin = places::name(self.program, found.place);
            doubts.push(format!(
                "From {place} to {begin}, nothing that was captured decides: the failure depends on \
                 something else there, such as files that are read later."
            ));
        }
        let steps = self.chain.steps();
        let missing = steps.iter().map(|step| step.first.missing.len()).max().unwrap_or(0);
        if missing > 0 {
            let variables = count(missing as u64, "variable");
            doubts.push(format!(
                "Up to {variables} in a place could not be captured: the compiler keeps them nowhere, or elsewhere."
            ));
        }
        doubts
    }

    /// There is no place where what was captured decides.
    fn no_story(&self) -> Vec<String> {
        let mut lines =
            vec!["No chain: what was captured does not decide in any place.".to_owned()];
        for point in &self.chain.places {
            let place = places::name(self.program, point.place);
            match &point.result {
                PlaceResult::Incomplete(state) if state.without_differences != Outcome::Pass => {
                    lines.push(format!(
                        "- {place}: the passing run does not pass if it is stopped there and goes on"
                    ));
                }
                PlaceResult::Incomplete(state) => {
                    let differences = count(state.deltas.len() as u64, "difference");
                    let end = match &state.ending {
                        Some(ending) => format!("ends with {ending}"),
                        None => "does not fail".to_owned(),
                    };
                    lines.push(format!(
                        "- {place}: {differences}; with all of them the passing run {end}"
                    ));
                }
                PlaceResult::Cause(_) => lines.push(format!(
                    "- {place}: runs from the beginning did not confirm what was found"
                )),
                PlaceResult::Unreached => lines.push(format!("- {place}: not reached")),
            }
        }
        lines.push(
            "The failure may depend on what is not in variables: files, other processes, the"
                .to_owned(),
        );
        lines.push(
            "allocator's own marks, memory that nothing points to. --at looks in another place,"
                .to_owned(),
        );
        lines.push("--places in more, and --hints tells what unions hold.".to_owned());
        lines
    }

    /// What the page shows.
    fn page(&self, steps: &[CauseStep<'_>]) -> ChainStory {
        let of_step =
            |link: &PlaceCause| steps.iter().position(|step| step.first.is_same_cause(link));
        let places = self.chain.places.iter().map(|point| ChainPlace {
            name: places::name(self.program, point.place),
            step: point.cause().and_then(of_step),
        });
        ChainStory {
            passing: self.runs.typed.0.clone(),
            failing: self.runs.typed.1.clone(),
            passes: ended(self.passing),
            fails: ended(self.failing),
            steps: (0..steps.len()).map(|number| self.page_step(steps, number)).collect(),
            places: places.collect(),
            tests: self.tests(),
            elapsed: self.elapsed,
            doubts: self.doubts(),
        }
    }

    fn page_step(&self, steps: &[CauseStep<'_>], number: usize) -> ChainStep {
        let link = steps[number].first;
        let before = number.checked_sub(1).map(|before| steps[before].last);
        let (source, line) = places::source(self.program, link.place);
        let causes = link.deciding.iter().map(|finding| ChainCause {
            variable: finding.expression.clone(),
            passing: finding.passing.clone(),
            failing: finding.failing.clone(),
            way: finding.path.clone(),
        });
        ChainStep {
            place: places::name(self.program, link.place),
            source,
            line,
            causes: causes.collect(),
            transition: before.map(|before| self.transition(before, link)),
            deltas: link.deltas,
            vertices: link.vertices.0,
            tests: link.tests,
            verified: link.verified,
            script: script(self.runs, self.program, link),
        }
    }

    fn json(&self, steps: &[CauseStep<'_>]) -> Value {
        let status = match self.code() {
            Code::Found => "found",
            Code::Interrupted => "stopped",
            _ => "indeterminate",
        };
        let incomplete: Vec<Value> = self
            .chain
            .places_without_cause()
            .map(|point| {
                let ending = match &point.result {
                    PlaceResult::Incomplete(state) => state.ending.as_ref(),
                    _ => None,
                };
                json!({"place": self.place(point.place), "ends": ending})
            })
            .collect();
        json!({
            "schema": 1,
            "command": "explain",
            "status": status,
            "passing": self.runs.typed.0,
            "failing": self.runs.typed.1,
            "chain": steps.iter().map(|step| self.step(step)).collect::<Vec<_>>(),
            "ends": {"passing": ended(self.passing), "failing": ended(self.failing)},
            "incomplete": incomplete,
            "tests": {"executed": self.tests()},
            "places": self.chain.places.len(),
            "seconds": (self.elapsed.as_secs_f64() * 1000.0).round() / 1000.0,
        })
    }

    fn step(&self, step: &CauseStep<'_>) -> Value {
        let PlaceCause {
            place,
            deciding,
            context,
            deltas,
            vertices,
            tests,
            verified,
            missing,
            obstacle,
            ..
        } = step.first;
        let causes: Vec<Value> = deciding.iter().map(finding).collect();
        json!({
            "place": self.place(*place),
            "until": self.place(step.last.place),
            "causes": causes,
            "context": context,
            "deltas": deltas,
            "vertices": {"passing": vertices.0, "failing": vertices.1},
            "tests": tests,
            "verified": verified,
            "missing": missing.len(),
            "rerun": obstacle,
            "gdb": script(self.runs, self.program, step.first),
        })
    }

    fn place(&self, site: CommonPlace) -> Value {
        let line = self.program.line_of(site.address);
        json!({
            "function": places::function(self.program, site),
            "file": line.as_ref().map(|line| line.file.to_string()),
            "line": line.as_ref().map(|line| line.line),
            "hits": {"passing": site.hits.0, "failing": site.hits.1},
        })
    }

    fn write_scripts(&self, directory: &Path, steps: &[CauseStep<'_>]) -> Result<(), Failure> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error: std::io::Error| Failure::cannot_write(&path, &error)
        };
        std::fs::create_dir_all(directory).map_err(failed(directory))?;
        for (number, step) in (1..).zip(steps) {
            let path = directory.join(format!("{number}.gdb"));
            std::fs::write(&path, script(self.runs, self.program, step.first))
                .map_err(failed(&path))?;
        }
        Ok(())
    }
}

/// What is now how.
pub fn facts(findings: &[DescribedDelta]) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, DescribedDelta { expression, passing, failing, scope, .. }) in
        findings.iter().enumerate()
    {
        let place = match scope {
            VariableScope::Frame { .. } => "variable",
            VariableScope::Global => "global variable",
        };
        let end = if index + 1 == findings.len() { "." } else { ", and" };
        lines.push(format!("   {place} {expression} is now {failing} (instead of {passing}){end}"));
    }
    lines
}

fn reasons(findings: &[DescribedDelta]) -> String {
    let reasons: Vec<String> = findings
        .iter()
        .map(|DescribedDelta { expression, failing, .. }| format!("{expression} was {failing}"))
        .collect();
    reasons.join(" and ")
}

fn finding(
    DescribedDelta { expression, scope, passing, failing, more_changes, .. }: &DescribedDelta,
) -> Value {
    let function = match scope {
        VariableScope::Frame { function, .. } => Some(function),
        VariableScope::Global => None,
    };
    json!({
        "variable": expression, "passing": passing, "failing": failing, "function": function,
        "changes": more_changes + 1,
    })
}
