//! What those who stand by can change: what is proposed, never what is proved.

use std::cell::Cell;
use wynot_core::Outcome;
use wynot_reduce::{Alone, Assistant, Proved, Remember, Variant, reduce, refute};
use wynot_subjects::Language;

const TEXT: &[u8] =
    b"int unused;\nint f(int x) { return x * 2; }\nint main(void) { return f(3); }\n";

fn fails(text: &[u8]) -> Outcome {
    let has = |word: &[u8]| text.windows(word.len()).any(|window| window == word);
    Outcome::fails_if(has(b"f(3)") && has(b"main"))
}

/// Wants every pass to end after so many proposals.
struct Impatient {
    patience: u32,
    asked: Cell<u32>,
}

impl Assistant for Impatient {
    fn skips(&self) -> bool {
        self.asked.set(self.asked.get() + 1);
        self.asked.get().is_multiple_of(self.patience)
    }
}

/// Knows one rule: the program without its first half.
struct Halver;

impl Assistant for Halver {
    fn rules(&self, _: &Language) -> usize {
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
    for patience in 1..40 {
        let mut oracle = Remember::new(fails);
        let impatient = Impatient { patience, asked: Cell::new(0) };
        let reduced = reduce(TEXT, c(), &impatient, &mut oracle).unwrap();
        assert_eq!(fails(&reduced.text), Outcome::Fail);
        let smaller = refute(&reduced.text, c(), reduced.proved, &mut oracle).unwrap();
        assert_eq!(smaller, None, "patience {patience}: {reduced:?}");
        if patience == 1 {
            assert_eq!(reduced.proved, Proved::default());
            assert_eq!(reduced.text, TEXT);
        }
    }
}

#[test]
fn a_claim_that_does_not_hold_is_refuted() {
    let mut oracle = Remember::new(fails);
    let proved = Proved { tokens: true, bytes: true };
    let reduced = reduce(TEXT, c(), &Alone, &mut oracle).unwrap();
    assert_eq!(reduced.proved, proved);
    assert_eq!(refute(&reduced.text, c(), proved, &mut oracle).unwrap(), None);
    let smaller = refute(TEXT, c(), proved, &mut oracle).unwrap().unwrap();
    assert!(smaller.len() < TEXT.len() && fails(&smaller) == Outcome::Fail);
    assert_eq!(refute(TEXT, c(), Proved::default(), &mut oracle).unwrap(), None);
}

#[test]
fn rewriting_by_others_is_tested_like_everything_else() {
    // Nothing of it can be taken away by itself.
    let odd = |text: &[u8]| Outcome::fails_if(text == b"aaaabbbb;" || text == b"bbbb;");
    let alone = reduce(b"aaaabbbb;", c(), &Alone, &mut Remember::new(odd)).unwrap();
    assert_eq!(alone.text, b"aaaabbbb;");
    let helped = reduce(b"aaaabbbb;", c(), &Halver, &mut Remember::new(odd)).unwrap();
    assert_eq!(helped.text, b"bbbb;");
    assert_eq!(Variant::of(helped.text).len(), 5);
}
