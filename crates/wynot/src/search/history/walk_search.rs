//! The walk back through a history: from the version that fails to one that passes, past what stands in the way.

use super::blocker::Layer;
use super::history_walk::{Walk, WalkEnd};
use super::mending::Mended;
use super::patched_row::PatchedRow;
use super::visits::Visits;
use crate::error::Error;
use std::collections::HashSet;
use std::sync::Arc;
use wynot_core::{
    Attempt, Gap, Label, Oracle, Outcome, Outcomes, Pace, Reached, Stopped, bisect_testable,
    find_border, walk_back,
};
use wynot_exec::sources::Repository;
use wynot_report::number::{count, grouped};
use wynot_session::Stop;

/// The number of names in an error by which commits are looked for that may have mended it.
const MAX_NAMES: usize = 12;

/// Commits that may have mended an error are tested first if there is at most one of them for so many versions.
const MIN_VERSIONS_PER_PLACE: usize = 8;

/// What is known about the row.
#[derive(Clone, Copy, Debug)]
struct Position {
    /// The version at which the walk began.
    newest: usize,
    failing: usize,
    passing: Option<usize>,
    /// An older version that could not be tested before the last blocker was mended.
    blocked: Option<usize>,
}

impl Position {
    /// The same walk, at a gap.
    fn at(self, Gap { passing, failing }: Gap) -> Self {
        Self { failing, passing: Some(passing), blocked: None, ..self }
    }
}

impl Walk<'_, '_> {
    /// Walks back from a version that fails, to the gap in which the failure came or to the end of the row. With `passing`,
    /// an older version is known to pass.
    pub(super) fn run(&mut self, failing: usize, passing: Option<usize>) -> Result<WalkEnd, Error> {
        let mut position = Position { newest: failing, failing, passing, blocked: None };
        let mut is_widened = false;
        loop {
            let reached = match self.reach(&mut position)? {
                Ok(reached) => reached,
                Err((failing, stop)) => {
                    return Ok(self.stopped(Position { failing, ..position }, stop));
                }
            };
            match reached {
                Reached::Passing(gap) if gap.between() == 0 => return Ok(self.found(gap)),
                Reached::Passing(gap) => position = position.at(gap),
                Reached::Oldest => match self.widened(&mut is_widened)? {
                    Some(gap) => position = position.at(gap),
                    None if self.repository.is_shallow() => {
                        let position = Position { failing: 0, ..position };
                        return Ok(self.stopped(position, Stop::Shallow));
                    }
                    None => return Ok(self.at_end(0, None)),
                },
                Reached::Unresolved { failing, unresolved } => {
                    match self.mend(failing, unresolved)? {
                        Mended::Fails => position.failing = unresolved,
                        Mended::Ends(end) => return Ok(*end),
                        Mended::Beyond(gap) => position = position.at(gap),
                        Mended::Absent => match position.passing {
                            Some(passing) => {
                                return Ok(self.across_absence(Gap { passing, failing }));
                            }
                            None => match self.widened(&mut is_widened)? {
                                Some(gap) => position = position.at(gap),
                                None => return Ok(self.at_absence(failing)),
                            },
                        },
                        Mended::Stopped(stop) => {
                            return Ok(self.stopped(Position { failing, ..position }, stop));
                        }
                    }
                }
            }
        }
    }

    /// Walks on, or narrows a gap, up to the border of a stretch that cannot be tested.
    fn reach(&mut self, position: &mut Position) -> Result<Result<Reached, (usize, Stop)>, Error> {
        let walked = self.ids.len() - 1 - position.failing;
        let all = count(self.ids.len() as u64, "version");
        let place = format!("{} of {all} back, {}", grouped(walked as u64), self.in_words());
        self.engine.lab.place(&place);
        let row = PatchedRow::new(self.repository, &self.ids, &self.carried, self.layers.clone());
        let session = self.engine.session(&row, &self.plan.results);
        let mut visits = Visits::new(session, &row);
        let mut reached = search_row(position, self.linear, &mut visits);
        if let Ok(Reached::Unresolved { failing, unresolved }) = reached {
            let names = visits.names_mentioned_by(unresolved);
            let likely = likely_borders(self.repository, &self.ids[unresolved..=failing], &names);
            let likely: Vec<usize> = likely.into_iter().map(|at| unresolved + at).collect();
            reached = find_border(failing, unresolved, &likely, &mut visits)
                .map_err(|Stopped { best, cause }| (best, cause));
        }
        let (seen, counts) = visits.finish();
        self.counts = self.counts.and(&counts);
        self.parts.walk += counts.executed;
        if let Some(error) = row.failure() {
            let failing = match &reached {
                Ok(Reached::Passing(Gap { failing, .. }) | Reached::Unresolved { failing, .. }) => {
                    *failing
                }
                _ => position.failing,
            };
            let id = &self.ids[failing][..12.min(self.ids[failing].len())];
            let hint = format!("{id} fails; --until {id} ends the walk before what cannot be read");
            return Err(Error::unexpected(&error).hint(hint));
        }
        for visit in seen {
            if !self.visits.contains(&visit) {
                self.visits.push(visit);
            }
        }
        if let Ok(Reached::Passing(Gap { failing, .. }) | Reached::Unresolved { failing, .. }) =
            &reached
        {
            let back = count((self.ids.len() - 1 - failing) as u64, "version");
            let of = if self.is_branch { " on the merged branch" } else { "" };
            let id = &self.ids[*failing][..12.min(self.ids[*failing].len())];
            self.engine.lab.remark(&format!("{id} fails, {back} back{of}"));
        }
        Ok(reached)
    }

    /// If every version fails, code that the test needs in order to pass may be missing from the patches: what does not fail
    /// is not needed to fail. With all of the changes that the patches are from, a version may pass.
    fn widened(&mut self, is_widened: &mut bool) -> Result<Option<Gap>, Error> {
        if std::mem::replace(is_widened, true) || self.blockers.is_empty() {
            return Ok(None);
        }
        let wide: Vec<Layer> =
            self.blockers.iter().map(|blocker| blocker.derived.wide_layer()).collect();
        let layers = std::mem::replace(&mut self.layers, wide);
        let failing = self.blockers[0].derived.index;
        match self.walk_only(failing)? {
            Ok(Reached::Passing(gap)) => {
                let scratch = self.engine.executor.scratch().to_owned();
                for blocker in &mut self.blockers {
                    blocker.is_wide = true;
                    let all = Arc::clone(&blocker.derived.all);
                    blocker.take(all, &scratch).map_err(Error::usage)?;
                }
                Ok(Some(gap))
            }
            _ => {
                self.layers = layers;
                Ok(None)
            }
        }
    }

    /// The end of a walk at a gap of neighbours.
    fn found(&self, gap: Gap) -> WalkEnd {
        let row = self.row();
        let sides = [gap.passing, gap.failing].map(|index| row.patched(index).folder);
        let (failing, passing) = (gap.failing, Some(gap.passing));
        WalkEnd { failing, passing, sides: Some(sides), stop: None, remark: None, came_with: false }
    }

    fn at_end(&self, failing: usize, remark: Option<String>) -> WalkEnd {
        WalkEnd { failing, passing: None, sides: None, stop: None, remark, came_with: false }
    }

    /// The end of a walk at a version before which there is too little of the program.
    fn at_absence(&self, failing: usize) -> WalkEnd {
        let id = &self.ids[failing][..12.min(self.ids[failing].len())];
        let remark = format!("before {id}, most of what the test needs is not there");
        self.at_end(failing, Some(remark))
    }

    /// The end of a walk at a gap in which there is too little of the program to be tested.
    fn across_absence(&self, gap: Gap) -> WalkEnd {
        let between = count(gap.between() as u64, "version");
        let remark = format!("{between} between the two cannot be tested");
        WalkEnd { remark: Some(remark), ..self.found(gap) }
    }

    fn stopped(&self, position: Position, stop: Stop) -> WalkEnd {
        let Position { failing, passing, .. } = position;
        WalkEnd { failing, passing, sides: None, stop: Some(stop), remark: None, came_with: false }
    }
}

/// Walks on from a position, or narrows its gap, up to a version that cannot be tested. If one could not be tested before, it
/// comes first: what was mended may have been all that stood in its way.
fn search_row<O: Oracle<usize>>(
    position: &mut Position,
    linear: bool,
    oracle: &mut O,
) -> Result<Reached, (usize, O::Stop)> {
    if let Some(blocked) = position.blocked.filter(|blocked| *blocked < position.failing) {
        let attempts = std::iter::once(attempt(blocked));
        let decision = oracle.first(attempts).map_err(|stop| (position.failing, stop))?;
        let outcome = decision.map(|decision| decision.outcome);
        match outcome {
            Some(Outcome::Fail) => position.failing = blocked,
            Some(Outcome::Pass) => position.passing = Some(blocked),
            _ => {
                let (failing, unresolved) = (position.failing, blocked);
                return Ok(Reached::Unresolved { failing, unresolved });
            }
        }
        position.blocked = None;
    }
    let reached = match position.passing {
        None => {
            let walked = position.newest - position.failing;
            let pace = if linear { Pace::Linear } else { Pace::Galloping(walked) };
            walk_back(position.failing, 0, pace, oracle)
                .map_err(|Stopped { best, cause }| (best, cause))?
        }
        Some(passing) => bisect_testable(Gap { passing, failing: position.failing }, oracle)
            .map_err(|Stopped { best, cause }| (best.failing, cause))?,
    };
    if let Reached::Unresolved { unresolved, .. } = reached {
        position.blocked = Some(unresolved);
    }
    Ok(reached)
}

/// The places in a row of commits at which lines change that mention one of some names. None if there are too many.
fn likely_borders(repository: &Repository, row: &[String], names: &[String]) -> Vec<usize> {
    let names: Vec<&str> = names.iter().take(MAX_NAMES).map(String::as_str).collect();
    let (Some(oldest), Some(newest), false) = (row.first(), row.last(), names.is_empty()) else {
        return Vec::new();
    };
    // Without an answer of git, the row is bisected.
    let about = repository.commits_about(&names, oldest, newest).unwrap_or_default();
    let about: HashSet<String> = about.into_iter().collect();
    let places: Vec<usize> = (1..row.len()).filter(|&at| about.contains(&row[at])).collect();
    match places.len() * MIN_VERSIONS_PER_PLACE <= row.len() {
        true => places,
        false => Vec::new(),
    }
}

/// An attempt whose outcome decides in any case.
fn attempt(version: usize) -> Attempt<usize, ()> {
    let label = Label::new("version").count(version);
    Attempt { candidate: version, label, decisive: Outcomes::ANY, next: () }
}
