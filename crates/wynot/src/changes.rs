//! Which change broke it: commits first, then what is in them, then both ways once more.

use crate::args::{AlgorithmArgs, CommonArgs};
use crate::audit::{Audit, audited};
use crate::difference;
use crate::failure::Failure;
use crate::plan::{Algorithm, Plan};
use crate::selections::{AlgorithmName, Scope};
use crate::strategy::{Found, Status, Surroundings, narrowed};
use crate::versions::{History, Versions};
use std::sync::Arc;
use wynot_core::{
    Configuration, Gap, GaveUp, Isolated, Oracle, Outcome, Patient, Stopped, bisect, ddmin,
    remove_one_by_levels,
};
use wynot_run::{Commit, Compose, Counts, Local, Repository, Session, Stop, patch};
use wynot_subjects::{Folder, Subject, Variant};

/// What was found out about the change.
pub struct Investigation {
    /// The commits that the failure came with, newest last; several if some could not be tested.
    pub commits: Vec<Commit>,
    /// What was compared at last.
    pub subject: Subject,
    /// The answer in terms of that.
    pub sides: Isolated,
    /// Whether all was tried to narrow it.
    pub complete: bool,
    pub audit: Option<Audit>,
    /// What `git apply` takes.
    pub patch: Vec<u8>,
    /// The versions whose outcomes have decided, for `git bisect replay`.
    pub bisected: Vec<(String, Outcome)>,
}

impl Investigation {
    /// The changes, in words.
    pub fn lines(&self) -> Vec<String> {
        difference::describe(&self.subject, &self.sides)
    }

    /// The commits and the changes, in words.
    pub fn story(&self) -> Vec<String> {
        let commits = self.commits.iter().map(|Commit { id, author, date, subject, .. }| {
            format!("commit {} by {author} on {date}: {subject}", &id[..id.len().min(12)])
        });
        commits.chain(self.lines()).collect()
    }

    /// What `git bisect replay` takes; nothing without a history.
    pub fn log(&self) -> Vec<u8> {
        let lines = self.bisected.iter().map(|(id, outcome)| match outcome {
            Outcome::Fail => format!("git bisect bad {id}\n"),
            _ => format!("git bisect good {id}\n"),
        });
        match self.bisected.is_empty() {
            true => Vec::new(),
            false => std::iter::once("git bisect start\n".to_owned())
                .chain(lines)
                .collect::<String>()
                .into_bytes(),
        }
    }
}

/// Two trees between which the failure came.
struct Narrowed {
    passing: Folder,
    failing: Folder,
    commits: Vec<Commit>,
    bisected: Vec<(String, Outcome)>,
    counts: Counts,
    stop: Option<Stop>,
}

/// Searches the versions of a plan.
pub fn search(
    plan: &Plan,
    versions: &Versions,
    group: Option<Scope>,
    args: &CommonArgs,
    mut surroundings: Surroundings<'_>,
) -> Result<(Found, Investigation), Failure> {
    let narrowed = match &versions.history {
        Some(history) => through(history, plan, &mut surroundings)?,
        None => Narrowed {
            passing: versions.good.clone(),
            failing: versions.bad.clone(),
            commits: Vec::new(),
            bisected: Vec::new(),
            counts: Counts::default(),
            stop: None,
        },
    };
    let subject = match plan.subject() {
        // Without a history it is what was compared before the first test.
        Subject::Folder(folders) if versions.history.is_none() => Arc::clone(folders),
        _ => versions.compared(&narrowed.passing, &narrowed.failing, group)?.into(),
    };
    let subject = Subject::Folder(subject);
    let all = Configuration::full(subject.deltas());
    let mut sides = Isolated { passing: Configuration::empty(), failing: all };
    let (mut status, mut counts, mut complete) = (Status::Minimal, narrowed.counts, true);
    if let Some(stop) = narrowed.stop {
        status = Status::Stopped(stop);
    } else {
        surroundings.go_on(plan, &counts)?;
        let mut session = surroundings.session(&plan.keeper, &subject, false);
        let found = match narrowed.commits.is_empty() || !sweeps(&args.algorithm, &subject) {
            true => inside(plan.algorithm, &args.algorithm, &subject, &sides, &mut session)
                .and_then(|found| sufficient(&subject, found, &mut session))
                .map(|found| (found, true)),
            false => patiently(&subject, &sides, &mut session),
        };
        match found {
            Ok(found) => (sides, complete) = found,
            Err(Stopped { best, cause }) => (sides, status) = (best, Status::Stopped(cause)),
        }
        counts = counts.and(&session.counts());
    }
    let mut audit = None;
    if matches!(status, Status::Minimal) {
        match audited(plan, args, &subject, &sides, &mut surroundings) {
            Ok((found, spent)) => {
                counts = counts.and(&spent);
                // It has failed before: flaky, or what an earlier build left has made the difference.
                if !found.holds {
                    status = Status::Indeterminate;
                }
                audit = Some(found);
            }
            Err(stop) => status = Status::Stopped(stop),
        }
    }
    let difference = sides.difference();
    let (old, new) = match &audit {
        // By itself it is a patch for the good version; else it needs what is around it.
        Some(Audit { alone: Outcome::Fail, .. }) => (Configuration::empty(), difference),
        _ => (sides.passing.clone(), sides.failing.clone()),
    };
    let (old, new) = (tree(&subject, &old), tree(&subject, &new));
    let patch = patch(&old, &new).map_err(Failure::usage)?;
    let finest = subject.level_names().pop().unwrap_or_default();
    let kind = if plan.algorithm == Algorithm::Ddmax { "maximal" } else { "minimal" };
    let proved = (complete && matches!(status, Status::Minimal))
        .then(|| format!("{}-{kind} ({finest})", args.algorithm.minimality));
    let found = Found {
        status,
        proved,
        failing: subject.artefact(&sides.failing),
        passing: subject.artefact(&sides.passing),
        deltas: sides.failing.len() as u64,
        sides: None,
        seen: None,
        counts,
        passes: Vec::new(),
        rate: None,
    };
    let Narrowed { commits, bisected, .. } = narrowed;
    Ok((found, Investigation { commits, subject, sides, complete, audit, patch, bisected }))
}

/// The algorithm over the changes of two trees.
fn inside<O: Oracle<Configuration>>(
    algorithm: Algorithm,
    args: &AlgorithmArgs,
    subject: &Subject,
    start: &Isolated,
    oracle: &mut O,
) -> Result<Isolated, Stopped<Isolated, O::Stop>> {
    if sweeps(args, subject) {
        return remove_one_by_levels(subject.levels(), start.clone(), oracle);
    }
    let minimality = usize::from(args.minimality);
    narrowed(algorithm, subject.levels(), minimality, start.clone(), oracle)
}

/// Most mixtures of two versions do not build. What was asked for by name is done as published.
fn sweeps(args: &AlgorithmArgs, subject: &Subject) -> bool {
    args.algorithm == AlgorithmName::Auto && args.minimality == 1 && subject.levels().len() > 1
}

/// How many tests in a commit may decide nothing.
const PATIENCE: usize = 12;

/// What decides in a commit, and whether all was tried. The commit is an answer already. Where it rewrites what it
/// changes, its parts cannot be tested, or fail in ways of their own that look the same; so what cannot be told
/// apart soon stays together.
fn patiently<O: Oracle<Configuration>>(
    subject: &Subject,
    start: &Isolated,
    oracle: &mut O,
) -> Result<(Isolated, bool), Stopped<Isolated, O::Stop>> {
    let isolated = remove_one_by_levels(
        subject.levels(),
        start.clone(),
        &mut Patient::new(&mut *oracle, PATIENCE),
    );
    let (sides, complete) = given_up(isolated)?;
    if !complete {
        return match both_ways(subject, &sides.difference(), oracle) {
            Ok(failing) => Ok((Isolated { passing: Configuration::empty(), failing }, false)),
            Err(cause) => Err(Stopped { best: sides, cause }),
        };
    }
    // What was isolated in its context stands if it takes too much to do without.
    let alone = sufficient(subject, sides, &mut Patient::new(&mut *oracle, PATIENCE));
    Ok((given_up(alone)?.0, true))
}

/// The least around some changes that makes the good version fail, and without which the bad one passes: what was
/// given up half way may be torn from what it needs.
fn both_ways<O: Oracle<Configuration>>(
    subject: &Subject,
    changes: &Configuration,
    oracle: &mut O,
) -> Result<Configuration, O::Stop> {
    let all = Configuration::full(subject.deltas());
    let mut wider: Vec<Configuration> =
        subject.levels().iter().rev().map(|level| level.around(changes)).collect();
    wider.dedup();
    for with in wider.into_iter().filter(|with| *with != all) {
        let without = all.difference(&with);
        if oracle.each([with.clone(), without].into_iter())? == [Outcome::Fail, Outcome::Pass] {
            return Ok(with);
        }
    }
    Ok(all)
}

/// What there was when patience ended counts as a result, though not as a complete one.
fn given_up<S>(
    found: Result<Isolated, Stopped<Isolated, GaveUp<S>>>,
) -> Result<(Isolated, bool), Stopped<Isolated, S>> {
    match found {
        Ok(sides) => Ok((sides, true)),
        Err(Stopped { best, cause: GaveUp::TooManyAttempts }) => Ok((best, false)),
        Err(Stopped { best, cause: GaveUp::Stopped(cause) }) => Err(Stopped { best, cause }),
    }
}

/// What decides, with as little as it needs to make the good version fail by itself. dd finds it in the
/// context of other changes; often its hunk or its function is enough.
fn sufficient<O: Oracle<Configuration>>(
    subject: &Subject,
    sides: Isolated,
    oracle: &mut O,
) -> Result<Isolated, Stopped<Isolated, O::Stop>> {
    let difference = sides.difference();
    let alone = |failing| Isolated { passing: Configuration::empty(), failing };
    let finer = subject.levels().iter().rev().map(|level| level.around(&difference));
    let all = Configuration::full(subject.deltas());
    for candidate in finer.chain([all]) {
        let found = oracle.each(std::iter::once(candidate.clone())).and_then(|outcomes| {
            match outcomes.contains(&Outcome::Fail) {
                true => ddmin(candidate, oracle).map(Some).map_err(|stopped| stopped.cause),
                false => Ok(None),
            }
        });
        match found {
            Ok(Some(failing)) => return Ok(alone(failing)),
            Ok(None) => {}
            Err(cause) => return Err(Stopped { best: sides, cause }),
        }
    }
    Ok(sides)
}

fn tree(subject: &Subject, configuration: &Configuration) -> Folder {
    match subject.artefact(configuration) {
        Variant::Folder(folder) => folder,
        _ => Folder::default(),
    }
}

/// Narrows a history to neighbours: along versions of which each is made from the one before it, and where a
/// merge brought the failure, along the branch that was merged. Versions that do not have what the good one has
/// are never asked: a fix that they lack would count against them.
fn through(
    history: &History,
    plan: &Plan,
    surroundings: &mut Surroundings<'_>,
) -> Result<Narrowed, Failure> {
    let repository = &history.repository;
    let mut row = history.row.clone();
    let mut counts = Counts::default();
    let mut bisected = Vec::new();
    loop {
        let versions = wynot_run::Versions::new(repository, &row);
        let mut session = surroundings.session(&plan.keeper, &versions, false);
        let whole = Gap { passing: 0, failing: row.len() - 1 };
        let (gap, stop) = match bisect(whole, &mut session) {
            Ok(gap) => (gap, None),
            Err(Stopped { best, cause }) => (best, Some(cause)),
        };
        bisected.push((row[gap.passing].clone(), Outcome::Pass));
        bisected.push((row[gap.failing].clone(), Outcome::Fail));
        let commit = |version: usize| repository.commit(&row[version]).map_err(Failure::usage);
        let commits: Vec<Commit> =
            (gap.passing + 1..=gap.failing).map(commit).collect::<Result<_, _>>()?;
        let merged = match (&stop, commits.as_slice()) {
            (None, [only]) => {
                let branches = merged_branches(repository, &row[gap.passing], only)?;
                first_that_fails(branches, &mut session)
            }
            _ => Ok(None),
        };
        let used = session.counts();
        counts = counts.and(&used);
        let passing = versions.tree(gap.passing);
        let failing = versions.tree(gap.failing);
        if let Some(error) = versions.failure() {
            return Err(Failure::usage(error));
        }
        match merged {
            Ok(Some(branch)) => row = branch,
            Ok(None) => return Ok(Narrowed { passing, failing, commits, bisected, counts, stop }),
            Err(stop) => {
                let stop = Some(stop);
                return Ok(Narrowed { passing, failing, commits, bisected, counts, stop });
            }
        }
        surroundings.go_on(plan, &used)?;
    }
}

/// A row of versions, and the trees of its first and last.
struct Branch {
    row: Vec<String>,
    base: Folder,
    tip: Folder,
}

/// The branches that a merge has brought, each from what it shares with a version that passes.
fn merged_branches(
    repository: &Repository,
    passing: &str,
    merge: &Commit,
) -> Result<Vec<Branch>, Failure> {
    let mut branches = Vec::new();
    for parent in merge.parents.iter().filter(|&parent| parent != passing) {
        // A branch that shares nothing has no first version.
        let Ok(base) = repository.merge_base(passing, parent) else { continue };
        let after = repository.path(&base, parent).map_err(Failure::usage)?;
        if after.is_empty() {
            continue;
        }
        let (base_tree, tip) = (repository.tree(&base), repository.tree(parent));
        let row = std::iter::once(base).chain(after).collect();
        let (base, tip) = (base_tree.map_err(Failure::usage)?, tip.map_err(Failure::usage)?);
        branches.push(Branch { row, base, tip });
    }
    Ok(branches)
}

/// The row of the first branch that fails although what it started from passes.
fn first_that_fails<C: Clone, S: Compose<C>>(
    branches: Vec<Branch>,
    session: &mut Session<'_, C, S, Local>,
) -> Result<Option<Vec<String>>, Stop> {
    for Branch { row, base, tip } in branches {
        if session.outcome_of(&Variant::Folder(base))? == Outcome::Pass
            && session.outcome_of(&Variant::Folder(tip))? == Outcome::Fail
        {
            return Ok(Some(row));
        }
    }
    Ok(None)
}
