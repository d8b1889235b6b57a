//! A passing and a failing run of a program, and what can be found out about them.

use crate::alignment::{Site, common};
use crate::alteration::Alteration;
use crate::bench::{Bench, BenchError, Stop, arrive};
use crate::delta::{Delta, Differences};
use crate::dwarf::Libraries;
use crate::dwarf::Program;
use crate::graph::{Graph, Scope};
use crate::hints::Rules;
use crate::link::{Finding, Link};
use crate::memory::Memory;
use crate::naming;
use crate::process::{InferiorLimits, Invocation, ProcessError, RunEnd};
use crate::replay;
use crate::state::State;
use crate::trace::Trace;
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use wynot_core::{Configuration, Grouping, Isolated, Outcome, Recall, dd_by_levels};

/// Decides about an ending.
pub type Judge<'j> = dyn Fn(&RunEnd) -> Outcome + Sync + 'j;

/// Two runs of one program.
pub struct Case<'c> {
    /// What is run.
    pub program: &'c Program,
    /// The run that passes.
    pub passing: Invocation,
    /// The run that fails.
    pub failing: Invocation,
    /// What a run may use.
    pub limits: InferiorLimits,
    /// How long an experiment may go on.
    pub time: Duration,
    /// What people know about the program's types.
    pub rules: Rules,
    /// Raised when no more experiments are wanted.
    pub stop: &'c AtomicBool,
}

/// What came of looking at a place.
#[derive(Debug)]
pub enum Examined {
    /// What decides there.
    Found(Box<Link>),
    /// The state that was captured does not decide.
    Incomplete(Incomplete),
    /// One of the runs did not get there this time.
    Unreached,
}

/// What was captured does not decide.
#[derive(Clone, Debug)]
pub struct Incomplete {
    /// What the passing run does as it is: it should pass.
    pub nothing: Outcome,
    /// What it does with all that differs: it should fail.
    pub everything: Outcome,
    /// How it ends then.
    pub ending: RunEnd,
    /// What differs.
    pub deltas: Vec<Finding>,
}

/// What two runs have in common, and how they end.
#[derive(Clone, Debug)]
pub struct Common {
    /// Places that both come to, in order.
    pub sites: Vec<Site>,
    /// How the passing run ends.
    pub passing: RunEnd,
    /// How the failing run ends.
    pub failing: RunEnd,
}

/// An experiment could not be made.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    /// A run did not get where it was to be stopped.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// No more experiments are wanted.
    #[error("interrupted")]
    Interrupted,
    /// A run could not be controlled.
    #[error(transparent)]
    Process(#[from] ProcessError),
}

impl Case<'_> {
    /// Runs both to their ends: which of some addresses they come to together, and how they end.
    pub fn common_sites(&self, watched: &[u64]) -> Result<Common, CaseError> {
        self.go_on()?;
        let passing = Trace::of(self.program, &self.passing, &self.limits, watched)?;
        self.go_on()?;
        let failing = Trace::of(self.program, &self.failing, &self.limits, watched)?;
        let sites = common(&passing.stops, &failing.stops);
        Ok(Common { sites, passing: passing.ending, failing: failing.ending })
    }

    /// Whether another run is wanted.
    fn go_on(&self) -> Result<(), CaseError> {
        match self.stop.load(Ordering::Relaxed) {
            true => Err(CaseError::Interrupted),
            false => Ok(()),
        }
    }

    /// Finds out what decides in a place.
    pub fn examine(&self, site: Site, judge: &Judge<'_>) -> Result<Examined, CaseError> {
        let mut libraries = Libraries::default();
        let (passing, failing) = site.hits;
        let [passing, failing] = [passing, failing].map(|hit| Stop { address: site.address, hit });
        self.go_on()?;
        let other = match arrive(self.program, &self.failing, &self.limits, failing) {
            Err(BenchError::Missed(_)) => return Ok(Examined::Unreached),
            other => other?,
        };
        let failing = State::of(self.program, &self.rules, &mut libraries, &other)?;
        self.go_on()?;
        let bench = Bench::new(self.program, &self.passing, &self.limits, passing, &mut libraries);
        let bench = match bench {
            Err(BenchError::Missed(_)) => return Ok(Examined::Unreached),
            bench => bench?,
        };
        let passing = State::of(self.program, &self.rules, &mut libraries, bench.template())?;
        let types = self.program.types();
        let here = Graph::extract(types, &passing, &passing.roots, &passing.hints);
        let there = Graph::extract(types, &failing, &failing.roots, &failing.hints);
        drop(other);
        let mut differences = Differences::of(&here, &there);
        order(&mut differences);
        Experiment { case: self, differences: &differences, judge }.run(site, bench, &passing)
    }
}

/// Deltas of the same variable come together, and those of the same object.
fn order<M: Memory>(differences: &mut Differences<'_, '_, M>) {
    let passing = differences.passing;
    differences.deltas.sort_by_key(|delta| key(passing, delta));
}

fn key<M: Memory>(graph: &Graph<'_, M>, delta: &Delta) -> (u32, u32, u64) {
    delta.changes.first().map_or((0, 0, 0), |change| {
        let object = change.at.object;
        (naming::variable(graph, object), object.0, change.at.offset)
    })
}

/// The groups that are tried first: all of a function or all globals, then variables, then objects.
fn levels<M: Memory>(differences: &Differences<'_, '_, M>) -> Vec<Grouping> {
    let graph = differences.passing;
    let keys: Vec<_> = differences.deltas.iter().map(|delta| key(graph, delta)).collect();
    let count = keys.len() as u32;
    let starts = |same: &dyn Fn(usize, usize) -> bool| {
        let begins = |index: &usize| *index == 0 || !same(*index - 1, *index);
        (0..keys.len()).filter(begins).map(|index| index as u32).collect::<Vec<u32>>()
    };
    let scope = |index: usize| -> Option<&Scope> {
        graph.roots.get(keys[index].0 as usize).map(|root| &root.scope)
    };
    let scopes = starts(&|a, b| scope(a) == scope(b));
    let variables = starts(&|a, b| keys[a].0 == keys[b].0);
    let objects = starts(&|a, b| keys[a].1 == keys[b].1);
    vec![
        Grouping::new(scopes, count),
        Grouping::new(variables, count),
        Grouping::new(objects, count),
        Grouping::singles(count),
    ]
}

/// A search among the differences of two states.
struct Experiment<'e, 'a, 'b, M> {
    case: &'e Case<'e>,
    differences: &'e Differences<'a, 'b, M>,
    judge: &'e Judge<'e>,
}

impl<M: Memory> Experiment<'_, '_, '_, M> {
    fn run(&self, site: Site, bench: Bench<'_>, state: &State) -> Result<Examined, CaseError> {
        let bench = RefCell::new(bench);
        let error = RefCell::new(None);
        let test = |configuration: &Configuration| match self
            .test(&mut bench.borrow_mut(), configuration)
        {
            Ok(outcome) => outcome,
            Err(problem) => {
                error.borrow_mut().get_or_insert(problem);
                Outcome::Unresolved
            }
        };
        let count = self.differences.deltas.len() as u32;
        let (none, all) = (Configuration::empty(), Configuration::full(count));
        let nothing = test(&none);
        if let Some(error) = error.take() {
            return Err(error);
        }
        self.case.go_on()?;
        let ending = bench.borrow_mut().test(&self.alteration(&all), self.case.time)?;
        let everything = (self.judge)(&ending);
        if (nothing, everything) != (Outcome::Pass, Outcome::Fail) {
            let deltas = self.differences.deltas.iter().map(|delta| self.finding(delta)).collect();
            let incomplete = Incomplete { nothing, everything, ending, deltas };
            return Ok(Examined::Incomplete(incomplete));
        }
        let mut oracle =
            Recall::new(test).with_known(none.clone(), nothing).with_known(all.clone(), everything);
        let start = Isolated { passing: none, failing: all };
        let Ok(sides) = dd_by_levels(&levels(self.differences), start, &mut oracle);
        let tests = oracle.tests() as u64 + 2;
        drop(oracle);
        if let Some(error) = error.take() {
            return Err(error);
        }
        self.conclude(site, &mut bench.into_inner(), state, sides, tests).map(Examined::Found)
    }

    fn alteration(&self, configuration: &Configuration) -> Alteration {
        let deltas = configuration.deltas().map(|index| &self.differences.deltas[index as usize]);
        Alteration::of(self.differences, deltas)
    }

    fn test(&self, bench: &mut Bench<'_>, which: &Configuration) -> Result<Outcome, CaseError> {
        self.case.go_on()?;
        self.judged(bench.test(&self.alteration(which), self.case.time))
    }

    /// A run that did not get where it was to be altered has shown nothing.
    fn judged(&self, ending: Result<RunEnd, BenchError>) -> Result<Outcome, CaseError> {
        match ending {
            Ok(ending) => Ok((self.judge)(&ending)),
            Err(
                BenchError::Missed(_)
                | BenchError::Process(
                    ProcessError::Call { .. }
                    | ProcessError::TimedOut
                    | ProcessError::Ended
                    | ProcessError::Becomes { .. },
                ),
            ) => Ok(Outcome::Unresolved),
            Err(error) => Err(error.into()),
        }
    }

    /// Once more, from the beginning: the pair that was found, and whether the cause needs a context.
    fn conclude(
        &self,
        site: Site,
        bench: &mut Bench<'_>,
        state: &State,
        sides: Isolated,
        mut tests: u64,
    ) -> Result<Box<Link>, CaseError> {
        let difference = sides.difference();
        let mut sides = sides;
        if !sides.passing.is_empty() {
            tests += 1;
            if self.test(bench, &difference)? == Outcome::Fail {
                sides = Isolated { passing: Configuration::empty(), failing: difference.clone() };
            }
        }
        let again = |which: &Configuration| {
            self.case.go_on()?;
            self.judged(bench.test_anew(&self.alteration(which), self.case.time))
        };
        let verified =
            again(&sides.passing)? == Outcome::Pass && again(&sides.failing)? == Outcome::Fail;
        let deltas = &self.differences.deltas;
        let findings =
            difference.deltas().map(|index| self.finding(&deltas[index as usize])).collect();
        Ok(Box::new(Link {
            site,
            backtrace: state.backtrace.clone(),
            findings,
            context: sides.passing.len(),
            deltas: deltas.len(),
            vertices: (self.differences.passing.vertices, self.differences.failing.vertices),
            tests: tests + 2,
            verified,
            missing: state.missing.clone(),
            obstacle: bench.obstacle.as_ref().map(ToString::to_string),
            commands: replay::commands(
                self.differences.passing,
                &self.alteration(&sides.failing),
                state.origin,
            ),
        }))
    }

    fn finding(&self, delta: &Delta) -> Finding {
        Finding::of(self.differences, delta)
    }
}
