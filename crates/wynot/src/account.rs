//! The chain as it is told: in words, as JSON, and as scripts for GDB.

use crate::args::ExplainArgs;
use crate::asking::{Wrong, first_wrong};
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
use wynot_state::{Chain, Examined, Finding, Link, Scope, Site, Step};

/// All that is told.
pub struct Account<'a> {
    pub runs: &'a Runs,
    pub program: &'a Program,
    pub chain: &'a Chain,
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
        if self.chain.stopped {
            told!("wynot: interrupted; there may be more steps than were found until then");
        }
        if !args.quiet {
            let tests = self.tests();
            let places = self.chain.points.len() as u64;
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
    fn narrow(&self, steps: &[Step<'_>]) -> Result<(), Failure> {
        let place = |number: usize| places::name(self.program, steps[number].first.site);
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
        match (self.chain.stopped, steps.is_empty()) {
            (true, _) => Code::Interrupted,
            (false, true) => Code::Indeterminate,
            (false, false) => Code::Found,
        }
    }

    fn tests(&self) -> u64 {
        self.chain.points.iter().map(|point| point.link().map_or(2, |link| link.tests)).sum()
    }

    /// In the words of the paper.
    fn story(&self, steps: &[Step<'_>]) -> Vec<String> {
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
                places::name(self.program, step.first.site)
            ));
            lines.push(format!("   Since {because},"));
            lines.extend(facts(&step.first.findings));
            if step.first.context > 0 {
                let others = count(step.first.context as u64, "other difference");
                lines.push(format!("   (Together with {others}, or some of them.)"));
            }
            if let Some(before) = number.checked_sub(2).and_then(|index| steps.get(index)) {
                lines.push(format!("   [{}]", self.transition(before.last, step.first)));
            }
            because = reasons(&step.first.findings);
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
    fn transition(&self, before: &Link, after: &Link) -> String {
        let place = |site: Site| places::line(self.program, site).unwrap_or_else(|| "?".to_owned());
        let stretch = match (place(before.site), place(after.site)) {
            (from, to) if from == to => format!("in {from}"),
            (from, to) => format!("between {from} and {to}"),
        };
        let at = |link: &Link| self.chain.points.iter().position(|point| point.site == link.site);
        let open = match (at(before), at(after)) {
            (Some(from), Some(to)) if from < to => {
                let between = &self.chain.points[from..to];
                between.iter().filter(|point| point.link().is_none()).count()
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
        let links: Vec<&Link> = self.chain.points.iter().filter_map(|point| point.link()).collect();
        let mut doubts = Vec::new();
        let unconfirmed = self
            .chain
            .points
            .iter()
            .filter(|point| matches!(&point.examined, Examined::Found(link) if !link.verified));
        for point in unconfirmed {
            let place = places::name(self.program, point.site);
            doubts.push(format!(
                "What was found at {place} was not confirmed by runs from the beginning, and is left out."
            ));
        }
        if let Some(reason) = links.iter().find_map(|link| link.obstacle.as_ref()) {
            doubts.push(format!(
                "Experiments were run from the beginning, as the program cannot be copied: {reason}."
            ));
        }
        let first = self.chain.points.first().filter(|point| point.link().is_none());
        if let (Some(point), Some(found)) = (first, links.first()) {
            let place = places::name(self.program, point.site);
            let begin = places::name(self.program, found.site);
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
        for point in &self.chain.points {
            let place = places::name(self.program, point.site);
            match &point.examined {
                Examined::Incomplete(state) if state.nothing != Outcome::Pass => lines.push(format!(
                    "- {place}: the passing run does not pass if it is stopped there and goes on"
                )),
                Examined::Incomplete(state) => {
                    let differences = count(state.deltas.len() as u64, "difference");
                    lines.push(format!(
                        "- {place}: {differences}; with all of them the passing run ends with {}",
                        ended(&state.ending)
                    ));
                }
                Examined::Found(_) => lines.push(format!(
                    "- {place}: runs from the beginning did not confirm what was found"
                )),
                Examined::Unreached => lines.push(format!("- {place}: not reached")),
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
    fn page(&self, steps: &[Step<'_>]) -> ChainStory {
        let of_step = |link: &Link| steps.iter().position(|step| step.first.is_same_cause(link));
        let places = self.chain.points.iter().map(|point| ChainPlace {
            name: places::name(self.program, point.site),
            step: point.link().and_then(of_step),
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

    fn page_step(&self, steps: &[Step<'_>], number: usize) -> ChainStep {
        let link = steps[number].first;
        let before = number.checked_sub(1).map(|before| steps[before].last);
        let (source, line) = places::source(self.program, link.site);
        let causes = link.findings.iter().map(|finding| ChainCause {
            variable: finding.expression.clone(),
            passing: finding.passing.clone(),
            failing: finding.failing.clone(),
            way: finding.way.clone(),
        });
        ChainStep {
            place: places::name(self.program, link.site),
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

    fn json(&self, steps: &[Step<'_>]) -> Value {
        let status = match self.code() {
            Code::Found => "found",
            Code::Interrupted => "stopped",
            _ => "indeterminate",
        };
        let incomplete: Vec<Value> = self
            .chain
            .incomplete()
            .map(|point| {
                let ending = match &point.examined {
                    Examined::Incomplete(state) => Some(ended(&state.ending)),
                    _ => None,
                };
                json!({"place": self.place(point.site), "ends": ending})
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
            "places": self.chain.points.len(),
            "seconds": (self.elapsed.as_secs_f64() * 1000.0).round() / 1000.0,
        })
    }

    fn step(&self, step: &Step<'_>) -> Value {
        let Link {
            site,
            findings,
            context,
            deltas,
            vertices,
            tests,
            verified,
            missing,
            obstacle,
            ..
        } = step.first;
        let causes: Vec<Value> = findings.iter().map(finding).collect();
        json!({
            "place": self.place(*site),
            "until": self.place(step.last.site),
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

    fn place(&self, site: Site) -> Value {
        let line = self.program.line_of(site.address);
        json!({
            "function": places::function(self.program, site),
            "file": line.as_ref().map(|line| line.file.to_string()),
            "line": line.as_ref().map(|line| line.line),
            "hits": {"passing": site.hits.0, "failing": site.hits.1},
        })
    }

    fn write_scripts(&self, directory: &Path, steps: &[Step<'_>]) -> Result<(), Failure> {
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
pub fn facts(findings: &[Finding]) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, Finding { expression, passing, failing, scope, .. }) in findings.iter().enumerate()
    {
        let place = match scope {
            Scope::Frame { .. } => "variable",
            Scope::Global => "global variable",
        };
        let end = if index + 1 == findings.len() { "." } else { ", and" };
        lines.push(format!("   {place} {expression} is now {failing} (instead of {passing}){end}"));
    }
    lines
}

fn reasons(findings: &[Finding]) -> String {
    let reasons: Vec<String> = findings
        .iter()
        .map(|Finding { expression, failing, .. }| format!("{expression} was {failing}"))
        .collect();
    reasons.join(" and ")
}

fn finding(Finding { expression, scope, passing, failing, more, .. }: &Finding) -> Value {
    let function = match scope {
        Scope::Frame { function, .. } => Some(function),
        Scope::Global => None,
    };
    json!({
        "variable": expression, "passing": passing, "failing": failing, "function": function,
        "changes": more + 1,
    })
}
