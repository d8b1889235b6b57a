//! Deltas that are suspected before any test, because of what they have to do with the failure.
//!
//! Where a large difference cannot be cut, the search would go on with one group after the other. Before that, each
//! suspect is added to the passing side by itself, with what it needs. If that fails, nothing else is left to search.

use super::DependentSearch;
use crate::configuration::Configuration;
use crate::dd::Isolated;
use crate::oracle::label::Label;
use crate::oracle::{Attempt, Oracle};
use crate::outcome::{Outcome, Outcomes};

/// The number of groups from which on suspects are tested. Fewer groups are soon tested one by one.
const MIN_GROUPS: usize = 64;

impl<L> DependentSearch<'_, L> {
    /// The same search with suspects, the first of which is suspected most.
    #[must_use]
    pub fn suspecting(self, suspects: Vec<Configuration>) -> Self {
        Self { suspects, ..self }
    }

    /// Narrows a difference of some groups to the first suspect with which the passing side fails. Suspects are tested
    /// once in a search. Returns whether there was one.
    pub(super) fn narrow_to_suspect<O: Oracle<Configuration>>(
        &mut self,
        sides: &mut Isolated,
        groups: usize,
        oracle: &mut O,
    ) -> Result<bool, O::Stop> {
        if groups < MIN_GROUPS {
            return Ok(false);
        }
        let difference = sides.difference();
        let suspects = std::mem::take(&mut self.suspects);
        let attempts = suspects.iter().enumerate().filter_map(|(index, suspect)| {
            let suspect = suspect.intersection(&difference);
            let added = self.dependencies.with_needs(&suspect, &difference);
            let is_part = !suspect.is_empty() && added.len() < difference.len();
            is_part.then(|| Attempt {
                candidate: sides.passing.union(&added),
                label: Label::new("suspect").numbered(index + 1, suspects.len()),
                decisive: Outcomes::FAIL,
                next: (),
            })
        });
        let Some(decision) = oracle.first(attempts)? else { return Ok(false) };
        sides.narrow(decision.candidate, Outcome::Fail);
        Ok(true)
    }
}
