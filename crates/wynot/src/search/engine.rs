//! The lab of a search together with the executor of its tests.

use crate::plan::TestSpecs;
use std::sync::Arc;
use std::time::Duration;
use wynot_exec::{Local, TestSpec};
use wynot_session::judge::Rate;
use wynot_session::{Compose, Journal, Lab, OtherCrash, ResultFiles, Session};

/// Creates the sessions of a search, one after the other.
pub(crate) struct Engine<'e> {
    /// The state that the sessions of the search share.
    pub lab: Lab<'e>,
    /// The executor of the tests.
    pub executor: Local,
    /// The specifications of the test and of the command that checks validity.
    pub specs: TestSpecs,
    /// How often the original fails, if that was measured.
    pub rate: Option<Rate>,
}

impl<'e> Engine<'e> {
    /// A session about a subject, whose best results go to `results`.
    pub(crate) fn session<'s, C: Clone, S: Compose<C>>(
        &'s mut self,
        subject: &'s S,
        results: &'s ResultFiles,
    ) -> Session<'s, 'e, C, &'s S, &'s mut Local> {
        let TestSpecs { test, validity } = &self.specs;
        let session = self.lab.session(subject, &mut self.executor, test, results);
        session.requiring(validity.clone())
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
    ) -> Session<'s, 'e, C, &'s S, &'s mut Local> {
        let session = self.lab.session(subject, &mut self.executor, spec, results);
        session.requiring(self.specs.validity.clone())
    }

    /// Ends the executor, and returns the journal and the other crashes that were collected.
    pub(crate) fn finish(self) -> (Journal, Vec<OtherCrash>) {
        drop(self.executor);
        let crashes = self.lab.crashes().list().to_vec();
        (self.lab.into_journal(), crashes)
    }

    /// The processor time that wynot itself has used, without that of tests.
    pub(crate) fn own_cpu(&self) -> Duration {
        wynot_exec::own_cpu() + self.executor.own_cpu()
    }
}
