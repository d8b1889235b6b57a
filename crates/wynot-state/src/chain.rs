//! The chain from the input to the failure: what decides in which place, and where that changes.
//!
//! Both runs are stopped in a few places that they have in common, from `main` to the last before the
//! failure. Between two of them that have different causes there is a transition; it is narrowed down, first
//! to calls that follow each other, then to lines.

use crate::alignment::Site;
use crate::case::{Case, CaseError, Common, Examined, Judge};
use crate::dwarf::{Function, FunctionId, Program, SourcePlace};
use crate::link::Link;
use std::collections::{BTreeMap, HashSet};
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

/// In how many places between two others nothing may be found before nobody looks any more.
const USELESS: usize = 6;

/// What to look at, and how much.
pub struct Plan<'p> {
    /// In how many places to begin with.
    pub places: usize,
    /// In how many at most.
    pub most: usize,
    /// How many are looked at at a time.
    pub jobs: usize,
    /// Is told of each place that was looked at.
    pub watch: &'p (dyn Fn(&Point) + Sync),
}

/// What was found in the places that were looked at, in order.
#[derive(Debug, Default)]
pub struct Chain {
    /// By order of execution.
    pub points: Vec<Point>,
    /// Somebody did not want to go on.
    pub stopped: bool,
}

/// A place, and what was found there.
#[derive(Debug)]
pub struct Point {
    /// Where.
    pub site: Site,
    /// What.
    pub examined: Examined,
}

impl Point {
    /// What decides there, if that was found out.
    pub fn link(&self) -> Option<&Link> {
        match &self.examined {
            // What runs from the beginning did not confirm is no link.
            Examined::Found(link) => link.verified.then_some(&**link),
            Examined::Incomplete(_) | Examined::Unreached => None,
        }
    }
}

impl Chain {
    /// The first place of each cause, and the last place of the one before.
    pub fn steps(&self) -> Vec<Step<'_>> {
        let mut steps: Vec<Step<'_>> = Vec::new();
        for link in self.points.iter().filter_map(Point::link) {
            match steps.last_mut() {
                Some(step) if step.first.is_same_cause(link) => step.last = link,
                _ => steps.push(Step { first: link, last: link }),
            }
        }
        steps
    }

    /// Places where what was captured does not decide.
    pub fn incomplete(&self) -> impl Iterator<Item = &Point> {
        self.points.iter().filter(|point| point.link().is_none())
    }
}

/// A cause, from where it decides first to where it decides last.
#[derive(Clone, Copy, Debug)]
pub struct Step<'c> {
    /// Where it decides first.
    pub first: &'c Link,
    /// Where it decides last.
    pub last: &'c Link,
}

/// Finds the chain through the calls that two runs have in common.
pub fn chain(
    case: &Case<'_>,
    common: &Common,
    judge: &Judge<'_>,
    plan: &Plan<'_>,
) -> Result<Chain, CaseError> {
    let mut search = Search { case, judge, plan, points: BTreeMap::new(), stopped: false };
    search.narrow(&common.sites)?;
    let transitions = search.transitions();
    // What comes last is of most interest.
    if let Some(last) = search.last() {
        search.narrow_to_lines(last, None)?;
    }
    for (before, after) in transitions {
        search.narrow_to_lines(before, Some(after))?;
    }
    Ok(search.found())
}

/// Looks at some places only.
pub fn chain_at(
    case: &Case<'_>,
    sites: &[Site],
    judge: &Judge<'_>,
    plan: &Plan<'_>,
) -> Result<Chain, CaseError> {
    let mut search = Search { case, judge, plan, points: BTreeMap::new(), stopped: false };
    search.examine((0..).zip(sites).map(|(index, site)| ((index, 0), *site)))?;
    Ok(search.found())
}

/// Where the lines of a function begin, from its body on. A line can begin in several places.
fn statements(program: &Program, id: FunctionId, function: &Function) -> Vec<u64> {
    let mut line = 0;
    let begins = |(address, place): (u64, SourcePlace)| {
        let begins = place.line != line;
        line = place.line;
        begins.then_some(address)
    };
    let all = program.statements_of(id).into_iter().filter_map(begins);
    // In front of its body, arguments are not where they are said to be.
    all.filter(|address| !(function.entry..function.body).contains(address)).collect()
}

struct Search<'s> {
    case: &'s Case<'s>,
    judge: &'s Judge<'s>,
    plan: &'s Plan<'s>,
    stopped: bool,
    /// By order of execution: the place among the calls, then that among the lines that follow.
    points: BTreeMap<(usize, usize), Point>,
}

type Order = (usize, usize);

impl Search<'_> {
    fn found(self) -> Chain {
        Chain { points: self.points.into_values().collect(), stopped: self.stopped }
    }

    /// Looks at a few places, and then between those whose causes differ, until nothing lies between.
    fn narrow(&mut self, sites: &[Site]) -> Result<(), CaseError> {
        let order = |index: usize| (index, 0);
        self.examine(
            spread(sites.len(), self.plan.places).map(|index| (order(index), sites[index])),
        )?;
        loop {
            let wanted: Vec<_> = self
                .transitions()
                .into_iter()
                .chain(self.ends())
                .chain(self.everywhere())
                .filter_map(|(before, after)| self.middle(before.0, after.0))
                .map(|index| (order(index), sites[index]))
                .collect();
            let enough = self.points.len() + wanted.len() > self.plan.most;
            if wanted.is_empty() || enough || self.stopped {
                return Ok(());
            }
            self.examine(wanted.into_iter())?;
        }
    }

    /// Where to look next between two calls.
    fn middle(&self, before: usize, after: usize) -> Option<usize> {
        let known: Vec<usize> =
            self.points.range((before, 0)..=(after, 0)).map(|((index, _), _)| *index).collect();
        unknown(&known)
    }

    /// Places next to each other, of those where something was found, with different causes.
    fn transitions(&self) -> Vec<(Order, Order)> {
        let links: Vec<(Order, &Link)> =
            self.points.iter().filter_map(|(order, point)| Some((*order, point.link()?))).collect();
        links
            .windows(2)
            .filter(|pair| !pair[0].1.is_same_cause(pair[1].1))
            .map(|pair| (pair[0].0, pair[1].0))
            .collect()
    }

    /// All places next to each other, as long as nothing was found in any.
    fn everywhere(&self) -> Vec<(Order, Order)> {
        let orders: Vec<Order> = self.points.keys().copied().collect();
        match self.points.values().any(|point| point.link().is_some()) {
            true => Vec::new(),
            false => orders.windows(2).map(|pair| (pair[0], pair[1])).collect(),
        }
    }

    /// The first place where something was found and the one before it, where nothing was; the same for the
    /// last place.
    fn ends(&self) -> Vec<(Order, Order)> {
        let known: Vec<(Order, bool)> =
            self.points.iter().map(|(order, point)| (*order, point.link().is_some())).collect();
        let first = known.windows(2).find(|pair| !pair[0].1 && pair[1].1);
        let is_first =
            |pair: &&[(Order, bool)]| known.iter().take_while(|it| !it.1).any(|it| *it == pair[0]);
        let last = known.windows(2).rfind(|pair| pair[0].1 && !pair[1].1);
        let is_last = |pair: &&[(Order, bool)]| {
            known.iter().rev().take_while(|it| !it.1).any(|it| *it == pair[1])
        };
        let ends = first.filter(is_first).into_iter().chain(last.filter(is_last));
        ends.map(|pair| (pair[0].0, pair[1].0)).collect()
    }

    /// The last place where something was found.
    fn last(&self) -> Option<Order> {
        let mut found = self.points.iter().rev().filter(|(_, point)| point.link().is_some());
        found.next().map(|(order, _)| *order)
    }

    /// Between two calls, or from the last one to the end, the lines of the functions that are active.
    fn narrow_to_lines(&mut self, before: Order, after: Option<Order>) -> Result<(), CaseError> {
        let ends = [Some(before), after];
        let links: Vec<&Link> =
            ends.into_iter().flatten().filter_map(|end| self.link(end)).collect();
        let active: HashSet<&str> =
            links.iter().flat_map(|link| &link.backtrace).map(String::as_str).collect();
        let program = self.case.program;
        let mut watched: Vec<u64> = program
            .functions_with_ids()
            .filter(|(_, function)| active.contains(function.name.as_str()))
            .flat_map(|(id, function)| statements(program, id, function))
            .collect();
        let site = |order: Order| self.points[&order].site;
        let (from, to) = (site(before), after.map(site));
        watched.extend([Some(from), to].into_iter().flatten().map(|site| site.address));
        watched.sort_unstable();
        watched.dedup();
        let sites = match self.case.common_sites(&watched) {
            Err(CaseError::Interrupted) => {
                self.stopped = true;
                return Ok(());
            }
            common => common?.sites,
        };
        let at = |site: Site| sites.iter().position(|other| *other == site);
        let Some(from) = at(from) else { return Ok(()) };
        let to = match to {
            Some(to) => at(to).unwrap_or(from),
            None => sites.len(),
        };
        let between = &sites[(from + 1).min(to)..to];
        match after {
            Some(after) => self.narrow_lines(before, between, |search, own| {
                search.link(after).is_some_and(|link| link.is_same_cause(own))
            }),
            None => self.narrow_lines_to_the_end(before, between),
        }
    }

    /// The last line where something is found, and the lines where it came to be.
    fn narrow_lines_to_the_end(
        &mut self,
        before: Order,
        between: &[Site],
    ) -> Result<(), CaseError> {
        for index in (1..=between.len()).rev().take(USELESS) {
            let order = (before.0, before.1 + index);
            if self.stopped || self.points.len() >= self.plan.most {
                return Ok(());
            }
            self.examine(std::iter::once((order, between[index - 1])))?;
            if self.link(order).is_some() {
                return self.narrow_lines(before, &between[..index - 1], |search, own| {
                    search.link(order).is_some_and(|link| link.is_same_cause(own))
                });
            }
        }
        Ok(())
    }

    fn link(&self, order: Order) -> Option<&Link> {
        self.points.get(&order).and_then(Point::link)
    }

    /// Halves a row of lines, until those with another cause follow those with the cause before.
    fn narrow_lines(
        &mut self,
        before: Order,
        between: &[Site],
        is_after: impl Fn(&Self, &Link) -> bool,
    ) -> Result<(), CaseError> {
        let order = |index: usize| (before.0, before.1 + index);
        let (mut low, mut high) = (0, between.len() + 1);
        loop {
            let tried = |index: &usize| self.points.contains_key(&order(*index));
            let known: Vec<usize> =
                (low..=high).filter(|index| [low, high].contains(index) || tried(index)).collect();
            let Some(index) = unknown(&known) else { return Ok(()) };
            if self.points.len() >= self.plan.most || self.stopped {
                return Ok(());
            }
            self.examine(std::iter::once((order(index), between[index - 1])))?;
            match self.link(order(index)) {
                Some(link) if is_after(self, link) => high = index,
                // What is neither is a step of its own, and what follows from it is of more interest.
                Some(_) => low = index,
                None => {}
            }
        }
    }

    /// Looks at places, several at a time. What is found does not depend on how many.
    fn examine(&mut self, wanted: impl Iterator<Item = (Order, Site)>) -> Result<(), CaseError> {
        let wanted: Vec<(Order, Site)> = wanted.collect();
        let jobs = self.plan.jobs.clamp(1, wanted.len().max(1));
        let next = Mutex::new(wanted.into_iter());
        let (case, judge, watch) = (self.case, self.judge, self.plan.watch);
        let one = |site: Site| -> Result<Point, CaseError> {
            let point = Point { site, examined: case.examine(site, judge)? };
            watch(&point);
            Ok(point)
        };
        let work = || {
            let mut done = Vec::new();
            while !case.stop.load(Ordering::Relaxed)
                && let Some((order, site)) = next.lock().ok().and_then(|mut next| next.next())
            {
                done.push((order, one(site)));
            }
            done
        };
        let mut found = Vec::new();
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
            for worker in workers {
                // Panics go on here.
                found.extend(worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
            }
        });
        self.stopped |= case.stop.load(Ordering::Relaxed);
        for (order, point) in found {
            match point {
                Err(CaseError::Interrupted) => self.stopped = true,
                point => drop(self.points.insert(order, point?)),
            }
        }
        Ok(())
    }
}

/// The middle of the longest stretch between known indices; not, if enough of them were useless.
fn unknown(known: &[usize]) -> Option<usize> {
    if known.len() > USELESS + 2 {
        return None;
    }
    let gaps = known.windows(2).map(|pair| (pair[0], pair[1]));
    let (from, to) = gaps.max_by_key(|(from, to)| (to - from, *to))?;
    (to - from > 1).then(|| usize::midpoint(from, to))
}

/// So many of a row's indices, the first and the last among them, with equal distances.
fn spread(length: usize, count: usize) -> impl Iterator<Item = usize> {
    let count = count.clamp(1, length.max(1));
    let last = length.saturating_sub(1);
    let mut indices: Vec<usize> = match count {
        1 => vec![0],
        _ => (0..count).map(|index| index * last / (count - 1)).collect(),
    };
    indices.dedup();
    indices.into_iter().take(length)
}
