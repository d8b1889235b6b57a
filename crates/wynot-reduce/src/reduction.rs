//! A reduction of a text in progress, as a value that can be copied.

use crate::hooks::Hooks;
use crate::pass::AnyPass;
use crate::pass::run_pass::{PassResult, PassRun, RunUntil};
use crate::pass_order::{Extent, PassOrder};
use crate::swept_atoms::SweptAtoms;
use crate::text::draft::TextDraft;
use crate::text::parsed_text::ParsedText;
use wynot_core::{NextStep, Outcome, Strategy};

/// Texts with more bytes than this take long to parse, and so do passes to begin.
const MAX_QUICKLY_PARSED_BYTES: usize = 16 << 10;

/// The text, the pass at work on it, and the passes to come.
#[derive(Clone)]
pub struct Reduction<'h> {
    parsed: ParsedText,
    hooks: &'h dyn Hooks,
    order: PassOrder,
    /// The pass at work.
    run: Option<PassRun<'h>>,
    /// The passes that follow it on the same parsed text; the last one comes next.
    waiting: Vec<Box<dyn AnyPass + 'h>>,
    until: RunUntil,
    /// What the passes on the same parsed text have achieved so far; `None` before they begin.
    result: Option<PassResult>,
    /// Whether the computation that the next pass needs was announced.
    is_announced: bool,
    /// Whether all outcomes before are known, so that a program outside can be asked.
    is_reached: bool,
}

/// Whether a pass is at work.
enum Progress {
    /// A pass is at work.
    AtWork,
    /// The next pass needs a long computation.
    Compute,
    /// All passes have ended.
    End,
}

impl<'h> Reduction<'h> {
    /// Begins the reduction of a text.
    pub fn new(parsed: ParsedText, is_binary: bool, extent: Extent, hooks: &'h dyn Hooks) -> Self {
        let order = PassOrder::new(&parsed, is_binary, extent);
        Self {
            parsed,
            hooks,
            order,
            run: None,
            waiting: Vec::new(),
            until: RunUntil::Exhausted,
            result: None,
            is_announced: false,
            is_reached: false,
        }
    }

    /// The smallest text so far, and what is proved about it.
    pub fn finish(self) -> (Vec<u8>, SweptAtoms) {
        self.order.finish(self.parsed.current_text())
    }

    /// Goes on to the next pass if none is at work.
    fn go_on(&mut self) -> Progress {
        while self.run.is_none() {
            if let Some(pass) = self.waiting.pop() {
                self.run = Some(PassRun::new(pass, &self.parsed, self.until));
                break;
            }
            if self.order.is_at_end() {
                return Progress::End;
            }
            let is_long = self.parsed.text.len() > MAX_QUICKLY_PARSED_BYTES;
            if is_long && !std::mem::replace(&mut self.is_announced, true) {
                return Progress::Compute;
            }
            self.is_announced = false;
            if let Some(result) = self.result.take() {
                self.parsed.reparse(self.hooks);
                self.order.go_on(result, &mut self.parsed, self.hooks);
            }
            (self.waiting, self.until) = self.order.passes(&self.parsed, self.hooks);
            self.waiting.reverse();
            self.result = Some(PassResult { gained: false, complete: true });
        }
        Progress::AtWork
    }

    /// Ends the pass at work.
    fn end_pass(&mut self) {
        if let (Some(run), Some(result)) = (self.run.take(), &mut self.result) {
            let PassResult { gained, complete } = run.result();
            result.gained |= gained;
            result.complete &= complete;
        }
    }
}

impl Strategy<TextDraft> for Reduction<'_> {
    fn advance(&mut self) -> NextStep<TextDraft> {
        let is_reached = std::mem::take(&mut self.is_reached);
        loop {
            match self.go_on() {
                Progress::AtWork => {}
                Progress::Compute => return NextStep::Compute,
                Progress::End => return NextStep::End,
            }
            let asks_outside = self.run.as_ref().is_some_and(PassRun::asks_outside);
            if asks_outside && !is_reached {
                return NextStep::Ask;
            }
            let run = self.run.as_mut();
            match run.and_then(|run| run.propose(&self.parsed, self.hooks)) {
                Some(proposal) => return NextStep::Test(proposal),
                None => self.end_pass(),
            }
        }
    }

    fn reach(&mut self) {
        self.is_reached = true;
    }

    fn accept(&mut self, _: Outcome) {
        if let Some(run) = &mut self.run {
            run.accept(&mut self.parsed);
        }
    }

    fn interrupt(&mut self) -> bool {
        loop {
            match self.go_on() {
                Progress::AtWork => break,
                Progress::Compute => {}
                Progress::End => return false,
            }
        }
        if self.parsed.take_failure() {
            self.hooks.not_understood(self.parsed.language);
        }
        let is_requested = self.hooks.skip_pass() || self.hooks.is_stopped();
        if is_requested {
            if let Some(run) = &mut self.run {
                run.cut_short();
            }
            self.end_pass();
        }
        is_requested
    }
}
