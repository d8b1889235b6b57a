//! Letting an algorithm over one kind of candidate ask an oracle about another.

use crate::{Attempt, Decision, Oracle, Outcome};
use std::marker::PhantomData;

/// Answers about candidates by asking an oracle about what they stand for.
pub struct Mapped<'a, O, F, D> {
    oracle: &'a mut O,
    map: F,
    asked: PhantomData<D>,
}

impl<'a, D, O: Oracle<D>, F> Mapped<'a, O, F, D> {
    /// Asks `oracle` about what `map` makes of a candidate.
    pub fn new(oracle: &'a mut O, map: F) -> Self {
        Self { oracle, map, asked: PhantomData }
    }
}

impl<C, D, O: Oracle<D>, F: Fn(&C) -> D> Oracle<C> for Mapped<'_, O, F, D> {
    type Stop = O::Stop;

    fn first<N>(
        &mut self,
        attempts: impl Iterator<Item = Attempt<C, N>>,
    ) -> Result<Option<Decision<C, N>>, O::Stop> {
        let map = &self.map;
        let asked = attempts.map(|attempt| Attempt {
            configuration: map(&attempt.configuration),
            part: attempt.part,
            decisive: attempt.decisive,
            next: (attempt.configuration, attempt.next),
        });
        Ok(self.oracle.first(asked)?.map(|decision| Decision {
            configuration: decision.next.0,
            outcome: decision.outcome,
            next: decision.next.1,
        }))
    }

    fn each(&mut self, candidates: impl Iterator<Item = C>) -> Result<Vec<Outcome>, O::Stop> {
        let map = &self.map;
        self.oracle.each(candidates.map(|candidate| map(&candidate)))
    }
}
