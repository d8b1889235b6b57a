//! Two texts merged, in which each difference belongs to an upgrade: manifests, and lock files whose packages have lines.

use super::owners::Owners;
use super::{LockSide, lines};
use crate::text::TextSubject;
use crate::text::error::TextError;
use std::collections::BTreeSet;
use std::ops::Range;
use wynot_core::Configuration;

/// The packages that the lines of a text are about, each with what is said about it.
pub(crate) type LineNames = Vec<Vec<(String, String)>>;

/// Two texts, of which each configuration of upgrades makes one.
#[derive(Debug)]
pub(crate) enum MergedText {
    Lines(Vec<Part>),
    /// JSON with the upgrade that each difference belongs to.
    Json(Box<TextSubject>, Vec<u32>),
}

/// Lines of one or both sides.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    text: Vec<u8>,
    /// `None` for lines that both sides have.
    side: Option<LockSide>,
    /// `None` for lines that say nothing, such as comments. They are as in the bad side.
    owner: Option<u32>,
}

impl MergedText {
    /// The text of a configuration.
    pub(crate) fn compose(&self, configuration: &Configuration) -> Vec<u8> {
        let mut text = Vec::new();
        match self {
            Self::Lines(parts) => {
                for part in parts {
                    let is_applied = part.owner.is_none_or(|owner| configuration.contains(owner));
                    if part.side.is_none_or(|side| is_applied == (side == LockSide::Bad)) {
                        text.extend(&part.text);
                    }
                }
            }
            Self::Json(subject, owners) => {
                let is_applied = |delta: &u32| configuration.contains(owners[*delta as usize]);
                let applied = Configuration::from_deltas((0..subject.deltas()).filter(is_applied));
                subject.compose(&applied, &mut text);
            }
        }
        text
    }

    /// Merges two texts by lines. `names` says what the lines of a text are about, `file` names it. Upgrades that one line
    /// is about are added to `ties`.
    pub(crate) fn by_lines(
        good: &[u8],
        bad: &[u8],
        names: impl Fn(LockSide, &[u8]) -> LineNames,
        file: &str,
        owners: &mut Owners,
        ties: &mut Vec<Vec<u32>>,
    ) -> Result<Self, TextError> {
        let subject = TextSubject::between(good, bad, &units("line"))?;
        let names = [names(LockSide::Good, good), names(LockSide::Bad, bad)];
        let mut parts = Vec::new();
        let mut from = 0;
        for (old, new) in hunks(&subject) {
            parts.push(Part { text: good[from..old.start].to_vec(), side: None, owner: None });
            from = old.end;
            let hunk = Hunk { texts: [(good, old), (bad, new)], names: &names };
            hunk.add_to(&mut parts, file, owners, ties);
        }
        parts.push(Part { text: good[from..].to_vec(), side: None, owner: None });
        Ok(Self::Lines(parts))
    }

    /// Merges two texts of JSON. A member belongs to the upgrade of the package that it is named after.
    pub(crate) fn by_members(
        good: &[u8],
        bad: &[u8],
        file: &str,
        owners: &mut Owners,
    ) -> Result<Self, TextError> {
        let subject = TextSubject::between(good, bad, &units("json"))?;
        let key = |text: &[u8], range: Range<u32>| {
            let part = &text[range.start as usize..range.end as usize];
            let part = String::from_utf8_lossy(part).into_owned();
            let (name, rest) = part.trim_start().strip_prefix('"')?.split_once('"')?;
            rest.trim_start().starts_with(':').then(|| name.to_owned())
        };
        let owner = |delta: u32| {
            let change = subject.delta(delta);
            let name = key(good, change.old).or_else(|| key(bad, change.new));
            match name {
                Some(name) => owners.owner_or_rest(&name, file),
                None => owners.rest(file),
            }
        };
        let all = (0..subject.deltas()).map(owner).collect();
        Ok(Self::Json(Box::new(subject), all))
    }
}

/// A difference between two texts.
struct Hunk<'a> {
    /// Both texts, and the ranges that differ.
    texts: [(&'a [u8], Range<usize>); 2],
    names: &'a [LineNames; 2],
}

impl Hunk<'_> {
    /// Adds the lines of the hunk. Each belongs to the upgrade of the package that it is about. If a line is about
    /// several packages, or is the heading of a table, the hunk is one change.
    fn add_to(
        &self,
        parts: &mut Vec<Part>,
        file: &str,
        owners: &mut Owners,
        ties: &mut Vec<Vec<u32>>,
    ) {
        let said: [BTreeSet<&str>; 2] = [0, 1].map(|side| {
            let named = self.lines(side).flat_map(|(_, names)| names);
            named.map(|(_, said)| said.as_str()).collect()
        });
        let differing = |side: usize, names: &[(String, String)]| -> BTreeSet<String> {
            let other = &said[1 - side];
            let differing = names.iter().filter(|(_, said)| !other.contains(said.as_str()));
            differing.map(|(name, _)| name.clone()).collect()
        };
        let mut is_one_change = false;
        let mut all = BTreeSet::new();
        for side in [0, 1] {
            for (line, names) in self.lines(side) {
                // Lines below a heading belong to it.
                is_one_change |= names.len() > 1 || line.starts_with(b"[");
                all.extend(differing(side, names));
            }
        }
        let joint = match (is_one_change, all.len()) {
            (false, _) => None,
            (true, 1) => all.first().map(|name| owners.owner_or_rest(name, file)),
            (true, _) => {
                let rest = owners.rest(file);
                let tied = all.iter().filter_map(|name| owners.owner(name));
                ties.push(std::iter::once(rest).chain(tied).collect());
                Some(rest)
            }
        };
        let mut sides = [Vec::new(), Vec::new()];
        for (index, side) in LockSide::BOTH.into_iter().enumerate() {
            for (line, names) in self.lines(index) {
                let start = line.trim_ascii_start();
                let is_silent =
                    start.is_empty() || start.starts_with(b"#") || start.starts_with(b"//");
                let owner = joint.or_else(|| match names.first() {
                    Some((name, _)) => Some(owners.owner_or_rest(name, file)),
                    None if is_silent => None,
                    None => Some(owners.rest(file)),
                });
                sides[index].push(Part { text: line.to_vec(), side: Some(side), owner });
            }
        }
        let [good, bad] = sides;
        parts.extend(interleaved(good, bad));
    }

    /// The lines of one side, each with the packages that it is about.
    fn lines(&self, side: usize) -> impl Iterator<Item = (&[u8], &[(String, String)])> {
        let (text, range) = &self.texts[side];
        let numbered = lines(text).zip(&self.names[side]);
        let within = numbered.filter(|((at, _), _)| range.contains(at));
        within.map(|((_, line), names)| (line, names.as_slice()))
    }
}

/// The lines of the bad side, with those of the good side before the ones of the same upgrade.
fn interleaved(good: Vec<Part>, bad: Vec<Part>) -> Vec<Part> {
    let mut all = bad;
    let mut at = 0;
    let mut last = None;
    for part in good {
        if last.replace(part.owner) != Some(part.owner) {
            let same =
                |other: &Part| other.side == Some(LockSide::Bad) && other.owner == part.owner;
            at = all.iter().position(same).unwrap_or(at);
        }
        all.insert(at, part);
        at += 1;
    }
    all
}

fn units(name: &str) -> crate::text::unit::Units {
    name.parse().expect("the unit is known")
}

/// The ranges of both texts that differ; differences without a gap between them are one.
fn hunks(subject: &TextSubject) -> Vec<(Range<usize>, Range<usize>)> {
    let mut hunks: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    for delta in (0..subject.deltas()).map(|delta| subject.delta(delta)) {
        let [old, new] = [delta.old, delta.new].map(|r| r.start as usize..r.end as usize);
        match hunks.last_mut() {
            Some(last) if last.0.end == old.start && last.1.end == new.start => {
                (last.0.end, last.1.end) = (old.end, new.end);
            }
            _ => hunks.push((old, new)),
        }
    }
    hunks
}
