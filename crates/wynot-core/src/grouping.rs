//! Coarser deltas made of finer ones: lines of characters, files of lines.

use crate::configuration::Configuration;
use crate::oracle::Oracle;
use crate::oracle::mapped::Mapped;

/// A split of the deltas `0..n` into consecutive groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grouping(Groups);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Groups {
    /// Each of this many deltas is a group.
    Singles(u32),
    /// The first delta of each group, and at the end the number of deltas.
    Starts(Vec<u32>),
}

impl Grouping {
    /// Groups that start at the given deltas, out of `deltas` deltas in all.
    ///
    /// # Panics
    /// If the starts do not ascend from 0 to below `deltas`.
    pub fn new(mut starts: Vec<u32>, deltas: u32) -> Self {
        assert!(starts.first().copied().unwrap_or(deltas) == 0, "the first group starts at 0");
        starts.push(deltas);
        assert!(starts.is_sorted_by(|a, b| a < b), "groups are in order and not empty");
        Self(Groups::Starts(starts))
    }

    /// Groups of one delta each.
    pub fn singles(deltas: u32) -> Self {
        Self(Groups::Singles(deltas))
    }

    /// The number of groups.
    pub fn len(&self) -> u32 {
        match &self.0 {
            Groups::Singles(deltas) => *deltas,
            Groups::Starts(starts) => (starts.len() - 1) as u32,
        }
    }

    /// Whether there are no groups.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The deltas of the given groups.
    pub fn deltas_of(&self, groups: &Configuration) -> Configuration {
        let Groups::Starts(starts) = &self.0 else { return groups.clone() };
        let mut deltas = Configuration::empty();
        for range in groups.ranges() {
            deltas.push(starts[range.start as usize]..starts[range.end as usize]);
        }
        deltas
    }

    /// An oracle over groups, on top of an oracle over their deltas.
    pub fn over<'a, O: Oracle<Configuration>>(
        &'a self,
        oracle: &'a mut O,
    ) -> impl Oracle<Configuration, Stop = O::Stop> + 'a {
        Mapped::new(oracle, |groups: &Configuration| self.deltas_of(groups))
    }

    /// The grouping restricted to the deltas in `kept`, which are renumbered from 0.
    pub fn within(&self, kept: &Configuration) -> Self {
        let Groups::Starts(starts) = &self.0 else { return Self::singles(kept.len() as u32) };
        let group = |delta: u32| starts.partition_point(|&start| start <= delta);
        let mut last = None;
        let mut starts_within = Vec::new();
        for (index, delta) in kept.iter().enumerate() {
            if last != Some(group(delta)) {
                last = Some(group(delta));
                starts_within.push(index as u32);
            }
        }
        match starts_within.len() {
            0 => Self::singles(0),
            _ => Self::new(starts_within, kept.len() as u32),
        }
    }

    /// All deltas of the groups that contain at least one of the given deltas.
    pub fn around(&self, deltas: &Configuration) -> Configuration {
        self.deltas_of(&deltas.iter().map(|delta| self.group_of(delta)).collect())
    }

    /// The group that contains a delta.
    pub fn group_of(&self, delta: u32) -> u32 {
        match &self.0 {
            Groups::Singles(_) => delta,
            Groups::Starts(starts) => starts.partition_point(|&start| start <= delta) as u32 - 1,
        }
    }

    /// The groups all of whose deltas are in a configuration.
    pub fn groups_in(&self, deltas: &Configuration) -> Configuration {
        let Groups::Starts(starts) = &self.0 else { return deltas.clone() };
        let mut groups = Configuration::empty();
        for range in deltas.ranges() {
            let from = starts.partition_point(|&start| start < range.start) as u32;
            let next = starts.partition_point(|&start| start <= range.end) as u32;
            let to = next.saturating_sub(1);
            groups.push(from..to.max(from));
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ddmin::ddmin;
    use crate::oracle::memo::Memo;
    use crate::outcome::Outcome;

    #[test]
    fn groups_and_deltas_convert_both_ways() {
        let grouping = Grouping::new(vec![0, 3, 4, 8], 10);
        let groups = Configuration::from([0, 2, 3]);
        let deltas = grouping.deltas_of(&groups);
        assert_eq!(deltas, Configuration::from([0, 1, 2, 4, 5, 6, 7, 8, 9]));
        assert_eq!(grouping.groups_in(&deltas), groups);
        assert_eq!(grouping.around(&Configuration::from([1, 7, 8])), deltas);
        let partly = Configuration::from([1, 2, 3, 4, 5]);
        assert_eq!(grouping.groups_in(&partly), Configuration::from([1]));
    }

    #[test]
    fn a_restricted_grouping_renumbers_its_deltas() {
        let grouping = Grouping::new(vec![0, 3, 4, 8], 10);
        let kept = Configuration::from([1, 2, 4, 7, 9]);
        assert_eq!(grouping.within(&kept), Grouping::new(vec![0, 2, 4], 5));
        assert_eq!(Grouping::singles(10).within(&kept), Grouping::singles(5));
    }

    #[test]
    fn an_algorithm_over_groups_tests_their_deltas() {
        let grouping = Grouping::new(vec![0, 3, 4, 8], 10);
        let mut oracle = Memo::of(|c: &Configuration| Outcome::fails_if(c.contains(5)));
        let mut grouped = grouping.over(&mut oracle);
        let minimal = ddmin(Configuration::full(4), &mut grouped).unwrap();
        assert_eq!(minimal, Configuration::from([2]));
        let all = Configuration::full(4);
        assert_eq!(grouped.each([all].into_iter()).unwrap(), [Outcome::Fail]);
    }
}
