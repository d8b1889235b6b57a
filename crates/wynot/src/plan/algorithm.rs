//! The choice of the algorithm.

use crate::error::Error;
use crate::request::{Algorithm, Request, Verb};

/// The algorithm of a request; an error if it cannot be combined with the other options.
pub(super) fn choose(request: &Request) -> Result<Algorithm, Error> {
    let options = &request.algorithm;
    if let Some(pass) = request.outcome.pass_when.iter().find(|pass| pass.needs_limit()) {
        let message = format!("--pass-when {pass}: give the limit, such as {pass}<2");
        return Err(Error::usage(message));
    }
    let needs_deltas =
        request.input.unit.is_some() || options.minimality > 1 || options.assume_monotone;
    let algorithm = match (options.algorithm, request.verb) {
        (Some(Algorithm::Smart), Verb::Isolate) => {
            return Err(Error::usage("--algorithm smart is for reduce; isolate uses dd or ddmax"));
        }
        (Some(Algorithm::Smart), Verb::Options | Verb::Changes | Verb::History) => {
            let verb = request.verb.name();
            let message =
                format!("--algorithm smart is for reduce; {verb} uses gather, ddmin or dd");
            return Err(Error::usage(message));
        }
        (Some(Algorithm::Smart), Verb::Reduce) if needs_deltas => {
            let message = "--algorithm smart chooses its own units; --unit, --minimality and \
                           --assume-monotone are for ddmin, dd and ddmax";
            return Err(Error::usage(message));
        }
        (None, Verb::Reduce) if needs_deltas => Algorithm::Ddmin,
        (None | Some(Algorithm::Smart), Verb::Reduce) => Algorithm::Smart,
        (None, Verb::Options) | (Some(Algorithm::Gather), _) => Algorithm::Gather,
        (None, Verb::Isolate | Verb::Changes | Verb::History) | (Some(Algorithm::Dd), _) => {
            Algorithm::Dd
        }
        (Some(Algorithm::Ddmin), _) => Algorithm::Ddmin,
        (Some(Algorithm::DdminNext), _) => Algorithm::DdminNext,
        (Some(Algorithm::Ddmax), _) if options.minimality > 1 => {
            return Err(Error::usage("--minimality above 1 can be checked for ddmin and dd only"));
        }
        (Some(Algorithm::Ddmax), _) => Algorithm::Ddmax,
    };
    if request.finds_all_causes() && algorithm.isolates() {
        let message = "all causes can be found with smart, gather and ddmin only";
        return Err(Error::usage(message));
    }
    Ok(algorithm)
}
