//! The outside reducers of a search: what they propose, what is known from earlier runs, and what they are told.

use crate::plan::{OutsideCommand, Plan};
use std::cell::RefCell;
use std::collections::HashMap;
use wynot_exec::{OutsideReducer, ReducerAnswer};
use wynot_session::{Digest, Lab, ProposalRecord, Record};

/// The number of useless proposals in a row after which a reducer has nothing more to say about a text.
const MAX_USELESS_PROPOSALS: usize = 1000;

/// The programs that the user has named, and what they have proposed so far.
#[derive(Debug, Default)]
pub(super) struct OutsideProposals {
    reducers: RefCell<Vec<ReducerState>>,
}

/// A program and its proposals.
#[derive(Debug)]
struct ReducerState {
    name: String,
    program: OutsideReducer,
    /// The proposals for each text, which are tried on the assumption that those before them were rejected.
    proposals: HashMap<Digest, Vec<Vec<u8>>>,
    /// What the journal of an earlier run holds, by the digest of the text.
    recorded: HashMap<String, Vec<ProposalRecord>>,
    /// The text on which the program works, if it runs.
    works_on: Option<Vec<u8>>,
    /// The proposal about which the program was told nothing yet.
    unanswered: Option<Vec<u8>>,
    is_usable: bool,
}

impl OutsideProposals {
    /// The programs of a plan, with what they have proposed in earlier runs of the session.
    pub(super) fn new(plan: &Plan, past: &[Record]) -> Self {
        let state = |(number, command): (usize, &OutsideCommand)| {
            let log = plan.session.join(format!("reducer-{}.log", number + 1));
            let mut recorded: HashMap<String, Vec<ProposalRecord>> = HashMap::new();
            for record in past {
                if let Record::Proposal(proposal) = record
                    && proposal.reducer == number
                {
                    recorded.entry(proposal.base.clone()).or_default().push(proposal.clone());
                }
            }
            ReducerState {
                name: command.text.clone(),
                program: OutsideReducer::new(
                    command.words.clone(),
                    &command.directory,
                    log,
                    plan.jobs,
                ),
                proposals: HashMap::new(),
                recorded,
                works_on: None,
                unanswered: None,
                is_usable: true,
            }
        };
        let states = plan.outside_commands.iter().enumerate().map(state);
        Self { reducers: RefCell::new(states.collect()) }
    }

    /// The number of programs.
    pub(super) fn len(&self) -> usize {
        self.reducers.borrow().len()
    }

    /// The proposal of a program for a text, after this number of proposals for it was rejected.
    pub(super) fn proposal(
        &self,
        reducer: usize,
        number: usize,
        text: &[u8],
        lab: &Lab<'_>,
        is_stopped: &dyn Fn() -> bool,
    ) -> Option<Vec<u8>> {
        let mut reducers = self.reducers.borrow_mut();
        let state = reducers.get_mut(reducer)?;
        let base = Digest::of_bytes(text);
        if !state.proposals.contains_key(&base) {
            let recorded = state.recorded.remove(&base.to_string()).unwrap_or_default();
            let known = recorded.iter().filter_map(|record| record.proposal(text)).collect();
            state.proposals.insert(base, known);
        }
        if let Some(known) = state.proposals[&base].get(number) {
            return Some(known.clone());
        }
        if !state.is_usable {
            return None;
        }
        match state.ask(text, base, is_stopped) {
            Ok(proposal) => {
                let proposal = proposal?;
                // A journal that cannot be written ends the search at its next outcome.
                let record = ProposalRecord::new(reducer, text, &proposal);
                let _ = lab.record(&Record::Proposal(record));
                state.proposals.entry(base).or_default().push(proposal.clone());
                Some(proposal)
            }
            Err(reason) => {
                state.is_usable = false;
                if !is_stopped() {
                    let name = &state.name;
                    lab.remark(&format!("--reduce-with '{name}' is no longer asked: {reason}"));
                }
                None
            }
        }
    }
}

impl ReducerState {
    /// Asks the program for a text that is simpler and was not proposed before.
    fn ask(
        &mut self,
        text: &[u8],
        base: Digest,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<u8>>, String> {
        if !self.program.is_running() {
            self.program.start()?;
            (self.works_on, self.unanswered) = (None, None);
        }
        if let Some(last) = self.unanswered.take() {
            let is_accepted = last == text;
            self.program.inform(&last, is_accepted);
            if is_accepted {
                self.works_on = Some(last);
            }
        }
        if self.works_on.as_deref() != Some(text) {
            self.program.inform(text, true);
            self.works_on = Some(text.to_vec());
        }
        for _ in 0..MAX_USELESS_PROPOSALS {
            match self.program.next(text.len(), is_stopped) {
                ReducerAnswer::Proposal(proposal) => {
                    let is_simpler = (proposal.len(), proposal.as_slice()) < (text.len(), text);
                    let is_known = self.proposals[&base].contains(&proposal);
                    if is_simpler && !proposal.is_empty() && !is_known {
                        self.unanswered = Some(proposal.clone());
                        return Ok(Some(proposal));
                    }
                    self.program.inform(&proposal, false);
                }
                ReducerAnswer::Nothing => {
                    // When it is asked again, it gets the text anew.
                    self.works_on = None;
                    return Ok(None);
                }
                ReducerAnswer::Unusable(reason) => return Err(reason),
            }
        }
        Err(format!("of its last {MAX_USELESS_PROPOSALS} proposals, none was smaller and new"))
    }
}
