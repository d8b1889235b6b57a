//! Reductions of texts that no grammar understands: brackets and lines take the place of the grammar.

use std::cell::Cell;
use wynot_core::Outcome;
use wynot_reduce::{Hooks, NoHooks, oracle_over_texts, reduce, refute};
use wynot_subjects::Language;
use wynot_test_support::HostileText;

/// Counts how often a grammar gives up.
#[derive(Default)]
struct CountFailures(Cell<u32>);

impl Hooks for CountFailures {
    fn not_understood(&self, language: &Language) {
        assert_eq!(language.name, "c");
        self.0.set(self.0.get() + 1);
    }
}

/// A text that is not understood, with a line in the middle that is.
fn with_line_in_the_middle(kind: HostileText, line: &[u8], bytes: usize) -> Vec<u8> {
    let text = kind.text(bytes);
    let (start, end) = text.split_at(bytes / 2);
    [start, b"\n", line, b"\n", end].concat()
}

#[test]
fn a_text_that_is_not_understood_is_reduced_by_brackets_and_lines() {
    let c = Language::named("c").unwrap();
    for kind in [HostileText::Casts, HostileText::Tokens] {
        let text = with_line_in_the_middle(kind, b"needle(17);", 120_000);
        let fails = |text: &[u8]| {
            let has = |part: &[u8]| text.windows(part.len()).any(|window| window == part);
            Outcome::fails_if(has(b"needle") && has(b"17"))
        };
        let failures = CountFailures::default();
        let reduced = reduce(&text, c, &failures, &mut oracle_over_texts(fails)).unwrap();
        assert_eq!(reduced.text, b"needle17", "{kind:?}");
        let again = refute(&reduced.text, c, &reduced.swept, &mut oracle_over_texts(fails));
        assert_eq!(again.unwrap(), None, "{kind:?}");
        // The grammar is tried again only when half of the text is gone.
        let halvings = text.len().ilog2();
        assert!((1..=halvings).contains(&failures.0.get()), "{kind:?}: {}", failures.0.get());
    }
}

/// Nothing can be removed, so the grammar is not tried again for each of the passes.
#[test]
fn a_grammar_that_gave_up_is_not_tried_again_at_the_same_size() {
    let c = Language::named("c").unwrap();
    let text = HostileText::Casts.text(40_000);
    let failures = CountFailures::default();
    let fails = |candidate: &[u8]| Outcome::fails_if(candidate == text);
    let budget = Cell::new(3_000);
    let hooks = SkipAfter { proposals: &budget, failures: &failures };
    let reduced = reduce(&text, c, &hooks, &mut oracle_over_texts(fails)).unwrap();
    assert_eq!(reduced.text, text);
    assert_eq!(failures.0.get(), 1);
}

/// Ends passes after a number of proposals.
struct SkipAfter<'a> {
    proposals: &'a Cell<u32>,
    failures: &'a CountFailures,
}

impl Hooks for SkipAfter<'_> {
    fn skip_pass(&self) -> bool {
        self.proposals.set(self.proposals.get().saturating_sub(1));
        self.proposals.get() == 0
    }

    fn not_understood(&self, language: &Language) {
        self.failures.not_understood(language);
    }
}

/// Stops when it has been asked a number of times.
struct StopAfter(Cell<u32>);

impl Hooks for StopAfter {
    fn is_stopped(&self) -> bool {
        self.0.set(self.0.get().saturating_sub(1));
        self.0.get() == 0
    }
}

/// The oracle of this test does not stop, so the reduction comes to its end; but without another proposal, and without
/// a claim about what was not tried.
#[test]
fn a_reduction_that_is_stopped_proposes_nothing_more_and_claims_nothing() {
    let c = Language::named("c").unwrap();
    let text = "int f(int x) { return x + 1; }\n".repeat(200);
    let tests = Cell::new(0);
    let fails = |text: &[u8]| {
        tests.set(tests.get() + 1);
        Outcome::fails_if(text.starts_with(b"int"))
    };
    let hooks = StopAfter(Cell::new(1));
    let reduced = reduce(text.as_bytes(), c, &hooks, &mut oracle_over_texts(fails)).unwrap();
    assert_eq!((reduced.text, tests.get()), (text.clone().into_bytes(), 0));
    assert!(reduced.swept.is_empty());
    let finished = reduce(text.as_bytes(), c, &NoHooks, &mut oracle_over_texts(fails)).unwrap();
    assert_eq!(finished.text, b"int");
}
