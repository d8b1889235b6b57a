//! Steps of a chain that people read as one: a value that is passed on under other names, or a variable that
//! changes again and again.

use super::cause_chain::CauseStep;
use std::ops::Range;

/// The number of groups up to which all that have something in common are joined.
const WANTED_GROUPS: usize = 8;

/// The largest number of groups. The end of the run is one more step.
const MAX_GROUPS: usize = 11;

/// Groups of consecutive steps, each as the indices of its steps.
pub fn group_steps(steps: &[CauseStep<'_>]) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = (0..steps.len()).map(|index| index..index + 1).collect();
    join_while(&mut groups, |groups| {
        let is_passed_on = |at: &usize| resemblance(steps, groups, *at) == 100;
        (0..groups.len().saturating_sub(1)).find(is_passed_on)
    });
    join_while(&mut groups, |groups| {
        let all = 0..groups.len().saturating_sub(1);
        let alike = all.map(|at| (resemblance(steps, groups, at), at));
        let best = alike.max_by_key(|(percent, at)| (*percent, usize::MAX - at))?;
        (groups.len() > WANTED_GROUPS && best.0 > 0).then_some(best.1)
    });
    // What is left has nothing in common. The beginning is the farthest from the failure.
    join_while(&mut groups, |groups| (groups.len() > MAX_GROUPS).then_some(1));
    groups
}

/// Joins groups with the ones after them, as long as one is found.
fn join_while(
    groups: &mut Vec<Range<usize>>,
    mut find: impl FnMut(&[Range<usize>]) -> Option<usize>,
) {
    while let Some(at) = find(groups) {
        let after = groups.remove(at + 1);
        groups[at].end = after.end;
    }
}

/// How much the last step of a group has in common with the first step of the next one, in percent.
fn resemblance(steps: &[CauseStep<'_>], groups: &[Range<usize>], at: usize) -> usize {
    let (before, after) = (&steps[groups[at].end - 1], &steps[groups[at + 1].start]);
    before.first.resemblance(after.first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::described_delta::DescribedDelta;
    use crate::experiment::common_place::CommonPlace;
    use crate::experiment::place_result::PlaceCause;
    use crate::graph::memory_object::VariableScope;

    /// A cause with these differences: an address and a failing value each.
    fn cause(deltas: &[(u64, &str)]) -> PlaceCause {
        let delta = |(address, failing): &(u64, &str)| DescribedDelta {
            expression: format!("v{address}"),
            scope: VariableScope::Global,
            passing: "0".to_owned(),
            failing: (*failing).to_owned(),
            value_key: (*failing).to_owned(),
            more_changes: 0,
            address: *address,
            owner: None,
            path: Vec::new(),
        };
        PlaceCause {
            place: CommonPlace { address: 1, hits: (1, 1) },
            backtrace: Vec::new(),
            same_calls: true,
            deciding: deltas.iter().map(delta).collect(),
            context: 0,
            shared: 0,
            other_runs: 0,
            deltas: 1,
            vertices: (1, 1),
            tests: 1,
            verified: true,
            missing: Vec::new(),
            obstacle: None,
            equal: Vec::new(),
            gdb_commands: Vec::new(),
        }
    }

    fn groups(causes: &[PlaceCause]) -> Vec<Range<usize>> {
        let steps = causes.iter().map(|cause| CauseStep { first: cause, last: cause });
        group_steps(&steps.collect::<Vec<_>>())
    }

    #[test]
    fn copies_and_changes_of_one_variable_are_one_group() {
        let causes =
            [cause(&[(1, "a")]), cause(&[(2, "a")]), cause(&[(2, "b")]), cause(&[(3, "c")])];
        assert_eq!(groups(&causes), [0..3, 3..4]);
    }

    #[test]
    fn short_chains_keep_steps_that_have_only_something_in_common() {
        let causes = [cause(&[(1, "a"), (2, "x")]), cause(&[(1, "a"), (3, "y")])];
        assert_eq!(groups(&causes).len(), 2);
    }

    #[test]
    fn of_long_chains_at_most_eleven_groups_are_left() {
        let names: Vec<String> = (0..40).map(|number| number.to_string()).collect();
        let causes: Vec<PlaceCause> =
            (0..).zip(&names).map(|(number, name)| cause(&[(number, name)])).collect();
        let groups = groups(&causes);
        assert_eq!(groups.len(), MAX_GROUPS);
        assert_eq!((groups[0].clone(), groups.last().cloned()), (0..1, Some(39..40)));
        let alike: Vec<PlaceCause> =
            (1..).zip(&names).map(|(number, name)| cause(&[(0, "same"), (number, name)])).collect();
        assert!(self::groups(&alike).len() <= WANTED_GROUPS);
    }
}
