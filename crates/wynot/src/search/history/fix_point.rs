//! The last simplification of blockers: what the two versions at the end of a walk do not need is not applied to them.

use super::blocker::Layer;
use super::configured_folder::ConfiguredFolder;
use super::history_walk::Walk;
use crate::error::Error;
use std::sync::Arc;
use wynot_core::{Attempt, Configuration, Label, Oracle, Outcome, Outcomes};
use wynot_session::Stop;
use wynot_subjects::{Folder, Hunk};

/// The number of hunks up to which single ones are tried to be dropped. Of more, only whole blockers are.
const MAX_SINGLE_HUNKS: usize = 16;

/// Drops blockers, and hunks of them, without which the older version still passes and the newer one still fails, until
/// nothing can be dropped.
pub(super) fn drop_unneeded(
    walk: &mut Walk<'_, '_>,
    [passing, failing]: [usize; 2],
) -> Result<Option<Stop>, Error> {
    let hunks: Vec<(usize, Hunk)> = walk
        .layers
        .iter()
        .enumerate()
        .flat_map(|(layer, hunks)| hunks.hunks.iter().map(move |hunk| (layer, hunk.clone())))
        .collect();
    if hunks.is_empty() {
        return Ok(None);
    }
    let bases = {
        let row = walk.row();
        [passing, failing].map(|index| row.unpatched(index))
    };
    let applies = |index: usize| {
        walk.layers.iter().map(|layer| layer.applies_to(index)).collect::<Vec<bool>>()
    };
    let applies = [passing, failing].map(applies);
    let layers = walk.layers.clone();
    let [older, newer] = [0, 1].map(|side| {
        let (base, applies, hunks, layers) = (&bases[side], &applies[side], &hunks, &layers);
        ConfiguredFolder::new(move |needed: &Configuration| {
            let layers = layers.iter().enumerate().filter(|(layer, _)| applies[*layer]);
            layers.fold(base.clone(), |folder, (layer, origin)| {
                let kept = Layer { hunks: kept(hunks, layer, needed), ..origin.clone() };
                kept.added_to(&folder).folder
            })
        })
    });
    let mut needed = Configuration::full(hunks.len() as u32);
    let mut groups: Vec<Configuration> =
        (0..walk.layers.len()).map(|l| of_layer(&hunks, l)).collect();
    if hunks.len() <= MAX_SINGLE_HUNKS {
        groups.extend((0..hunks.len() as u32).map(|hunk| Configuration::from([hunk])));
    }
    while let Some(fewer) = match without_one(walk, &older, &needed, &groups)? {
        Ok(fewer) => fewer,
        Err(stop) => return Ok(Some(stop)),
    } {
        let mut session = walk.engine.session(&newer, &walk.plan.results);
        let outcome = super::border::outcome_of(&fewer, &mut session);
        walk.counts = walk.counts.and(&session.counts());
        walk.parts.fix_point += session.counts().executed;
        match outcome {
            Ok(Outcome::Fail) => needed = fewer,
            Ok(_) => break,
            Err(stop) => return Ok(Some(stop)),
        }
    }
    for (layer, layer_of_walk) in walk.layers.iter_mut().enumerate() {
        layer_of_walk.hunks = kept(&hunks, layer, &needed);
    }
    let scratch = walk.engine.executor.scratch().to_owned();
    for (blocker, layer) in walk.blockers.iter_mut().zip(&walk.layers) {
        if blocker.is_wide && !layer.hunks.is_empty() {
            blocker.take(Arc::clone(&layer.hunks), &scratch).map_err(Error::usage)?;
        }
    }
    Ok(None)
}

/// The hunks of a layer.
fn of_layer(hunks: &[(usize, Hunk)], layer: usize) -> Configuration {
    let indices = (0..hunks.len() as u32).filter(|&hunk| hunks[hunk as usize].0 == layer);
    indices.collect()
}

/// The first of some groups without which the older version passes, taken out of what is needed.
fn without_one(
    walk: &mut Walk<'_, '_>,
    older: &ConfiguredFolder<impl Fn(&Configuration) -> Folder>,
    needed: &Configuration,
    groups: &[Configuration],
) -> Result<Result<Option<Configuration>, Stop>, Error> {
    let mut session = walk.engine.session(older, &walk.plan.results);
    let fewer = groups.iter().map(|group| needed.difference(group));
    let attempts = fewer.filter(|fewer| fewer != needed).map(|candidate| Attempt {
        candidate,
        label: Label::new("complement"),
        decisive: Outcomes::PASS,
        next: (),
    });
    let decision = session.first(attempts);
    walk.counts = walk.counts.and(&session.counts());
    walk.parts.fix_point += session.counts().executed;
    Ok(decision.map(|decision| decision.map(|decision| decision.candidate)))
}

/// The hunks of a layer that are needed.
fn kept(hunks: &[(usize, Hunk)], layer: usize, needed: &Configuration) -> Arc<[Hunk]> {
    let needed = needed.iter().map(|hunk| &hunks[hunk as usize]);
    needed.filter(|(of, _)| *of == layer).map(|(_, hunk)| hunk.clone()).collect()
}
