//! Hooks change what is proposed, never what is proved.

use std::cell::Cell;
use wynot_core::Outcome;
use wynot_reduce::{
    Atom, Hooks, NoHooks, SweptAtoms, TextDraft, oracle_over_texts, reduce, refute,
};
use wynot_subjects::Language;

const TEXT: &[u8] =
    b"int unused;\nint f(int x) { return x * 2; }\nint main(void) { return f(3); }\n";

fn fails(text: &[u8]) -> Outcome {
    let has = |word: &[u8]| text.windows(word.len()).any(|window| window == word);
    Outcome::fails_if(has(b"f(3)") && has(b"main"))
}

/// Skips a pass at every n-th proposal.
struct SkipEvery {
    n: u32,
    proposals: Cell<u32>,
}

impl Hooks for SkipEvery {
    fn skip_pass(&self) -> bool {
        self.proposals.set(self.proposals.get() + 1);
        self.proposals.get().is_multiple_of(self.n)
    }
}

/// Has one rewriting rule: the text without its first half.
struct LaterHalf;

impl Hooks for LaterHalf {
    fn rewriting_rules(&self, _: &Language) -> usize {
        1
    }

    fn rewrite(&self, _: usize, place: usize, text: &[u8]) -> Option<Vec<u8>> {
        (place == 0).then(|| text[text.len() / 2..].to_vec())
    }
}

fn c() -> &'static Language {
    Language::named("c").unwrap()
}

#[test]
fn what_is_skipped_is_not_proved() {
    for n in 1..40 {
        let mut oracle = oracle_over_texts(fails);
        let hooks = SkipEvery { n, proposals: Cell::new(0) };
        let reduced = reduce(TEXT, c(), &hooks, &mut oracle).unwrap();
        assert_eq!(fails(&reduced.text), Outcome::Fail);
        let smaller = refute(&reduced.text, c(), &reduced.swept, &mut oracle).unwrap();
        assert_eq!(smaller, None, "skip every {n}: {reduced:?}");
        if n == 1 {
            assert!(reduced.swept.is_empty());
            assert_eq!(reduced.text, TEXT);
        }
    }
}

#[test]
fn a_wrong_claim_is_refuted() {
    let mut oracle = oracle_over_texts(fails);
    let both: SweptAtoms = [Atom::Token, Atom::Byte].into_iter().collect();
    let reduced = reduce(TEXT, c(), &NoHooks, &mut oracle).unwrap();
    assert_eq!(reduced.swept, both);
    assert_eq!(refute(&reduced.text, c(), &both, &mut oracle).unwrap(), None);
    let smaller = refute(TEXT, c(), &both, &mut oracle).unwrap().unwrap();
    assert!(smaller.len() < TEXT.len() && fails(&smaller) == Outcome::Fail);
    assert_eq!(refute(TEXT, c(), &SweptAtoms::default(), &mut oracle).unwrap(), None);
}

#[test]
fn what_external_tools_rewrite_is_tested_like_everything_else() {
    // No pass of the reducer removes four letters at once.
    let odd = |text: &[u8]| Outcome::fails_if(text == b"aaaabbbb;" || text == b"bbbb;");
    let alone = reduce(b"aaaabbbb;", c(), &NoHooks, &mut oracle_over_texts(odd)).unwrap();
    assert_eq!(alone.text, b"aaaabbbb;");
    let helped = reduce(b"aaaabbbb;", c(), &LaterHalf, &mut oracle_over_texts(odd)).unwrap();
    assert_eq!(helped.text, b"bbbb;");
    assert_eq!(TextDraft::of(helped.text).len(), 5);
}
