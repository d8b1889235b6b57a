//! The lab of a search together with the executor of its tests.

use crate::describe::delta_noun;
use crate::first_runs::FirstRuns;
use crate::plan::TestSpecs;
use crate::test_executor::TestExecutor;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use wynot_core::Configuration;
use wynot_exec::TestSpec;
use wynot_session::judge::Rate;
use wynot_session::{Compose, Journal, Lab, OtherCrash, ResultFiles, Session};
use wynot_subjects::Subject;

/// Creates the sessions of a search, one after the other.
pub(crate) struct Engine<'e> {
    /// The state that the sessions of the search share.
    pub lab: Lab<'e>,
    /// The executor of the tests.
    pub executor: TestExecutor,
    /// The specifications of the test and of the command that checks validity.
    pub specs: TestSpecs,
    /// How often the original fails, if that was measured.
    pub rate: Option<Rate>,
    /// The files of the varying folder that the test has read in one of the first runs, if that is known.
    pub read: Option<BTreeSet<String>>,
    /// The last lines that the original has printed on standard error.
    pub printed: Vec<String>,
}

impl<'e> Engine<'e> {
    /// The engine of a search after its first runs.
    pub(crate) fn new(lab: Lab<'e>, executor: TestExecutor, first: &FirstRuns) -> Self {
        let (specs, read) = (first.specs.clone(), first.read.clone());
        let printed = first.original.stderr.clone();
        Self { lab, executor, specs, rate: first.rate, read, printed }
    }

    /// A session about a subject, whose best results go to `results`.
    pub(crate) fn session<'s, C: Clone, S: Compose<C>>(
        &'s mut self,
        subject: &'s S,
        results: &'s ResultFiles,
    ) -> Session<'s, 'e, C, &'s S, &'s mut TestExecutor> {
        let TestSpecs { test, validity, checked } = &self.specs;
        let session = self.lab.session(subject, &mut self.executor, test, results);
        session.requiring(validity.clone(), *checked)
    }

    /// Begins a part of the search, in which this configuration of a subject is searched.
    pub(crate) fn begin_part(&self, name: &str, subject: &Subject, searched: &Configuration) {
        let bytes = subject.variant(searched).size();
        self.lab.begin_part(name, &delta_noun(subject), searched.len() as u64, bytes);
    }

    /// The specification of the same test on clean builds.
    pub(crate) fn clean_spec(&self) -> Arc<TestSpec> {
        Arc::new(TestSpec { keeps_products: false, ..(*self.specs.test).clone() })
    }

    /// A session that runs another test than the search does, such as one with a clean build.
    pub(crate) fn session_of_test<'s, C: Clone, S: Compose<C>>(
        &'s mut self,
        spec: &Arc<TestSpec>,
        subject: &'s S,
        results: &'s ResultFiles,
    ) -> Session<'s, 'e, C, &'s S, &'s mut TestExecutor> {
        let session = self.lab.session(subject, &mut self.executor, spec, results);
        session.requiring(self.specs.validity.clone(), self.specs.checked)
    }

    /// Ends the executor, and returns the journal and the other crashes that were collected.
    pub(crate) fn finish(self) -> (Journal, Vec<OtherCrash>) {
        drop(self.executor);
        let crashes = self.lab.crashes().list().to_vec();
        (self.lab.into_journal(), crashes)
    }

    /// The runs of all tests with the first ones, if a test is more than one run; otherwise 0.
    pub(crate) fn runs(&self) -> u64 {
        match self.lab.runs() {
            0 => 0,
            runs => runs + self.rate.map_or(0, |rate| u64::from(rate.runs)),
        }
    }

    /// The processor time that wynot itself has used, without that of tests.
    pub(crate) fn own_cpu(&self) -> Duration {
        wynot_exec::own_cpu() + self.executor.own_cpu()
    }
}
