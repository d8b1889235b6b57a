//! Limits that follow from the first runs.

use super::condition::Condition;
use super::first_runs_error::FirstRunsError;
use wynot_supervisor::Observation;

/// The limits between the original and the passing side, for each condition that has none; no list if all have one.
pub(super) fn limits_between(
    conditions: &[Condition],
    original: &Observation,
    passing: Option<&Observation>,
) -> Result<Vec<Option<u64>>, FirstRunsError> {
    if !conditions.iter().any(Condition::needs_limit) {
        return Ok(Vec::new());
    }
    let limit = |condition: &Condition| {
        if !condition.needs_limit() {
            return Ok(None);
        }
        let between = passing.and_then(|passing| condition.limit_between(original, passing));
        between.map(Some).ok_or_else(|| FirstRunsError::NoLimit {
            condition: condition.to_string(),
            original: condition.measurement(original).unwrap_or_default(),
            passing: passing.and_then(|run| condition.measurement(run)).unwrap_or_default(),
        })
    };
    conditions.iter().map(limit).collect()
}
