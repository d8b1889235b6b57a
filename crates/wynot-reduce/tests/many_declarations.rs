//! Of a long program with many declarations, little is left after few tests.

use std::fmt::Write;
use wynot_core::Outcome;
use wynot_reduce::{NoHooks, oracle_over_texts, reduce};
use wynot_subjects::Language;

/// The number of classes, each in a namespace that is opened anew, as headers do.
const CLASSES: usize = 3_000;

/// A program like preprocessed headers with some code at the end: classes whose members mention a class before them.
fn headers() -> String {
    let mut text = String::new();
    for number in 0..CLASSES {
        let used = (number * 7919 + 13) % number.max(1);
        let _ = write!(
            text,
            "namespace lib __attribute__ ((__visibility__ (\"default\")))\n{{\n\
             template<typename _Tp>\n  struct class_{number}\n  {{\n    typedef _Tp value_type;\n    \
             class_{used}<_Tp> member_{number};\n    \
             _Tp read_{number}(int index) const\n    {{\n      _Tp sum = _Tp();\n      \
             for (int at = 0; at < index; ++at)\n\tsum += member_{number}.read_{used}(at);\n      return sum;\n    }}\n    \
             void write_{number}(_Tp value)\n    {{ last = value; }}\n    _Tp last;\n  }};\n}}\n"
        );
    }
    text
}

/// The number of tests until a tenth of a text is left, and the size of the result.
fn tests_to_a_tenth(text: &str, fails: impl Fn(&str) -> bool) -> (usize, usize) {
    let (mut tests, mut to_a_tenth) = (0, None);
    let mut oracle = oracle_over_texts(|candidate: &[u8]| {
        tests += 1;
        let is_failing = fails(std::str::from_utf8(candidate).unwrap());
        if is_failing && candidate.len() * 10 <= text.len() {
            to_a_tenth.get_or_insert(tests);
        }
        Outcome::fails_if(is_failing)
    });
    let language = Language::named("cpp").unwrap();
    let reduced = reduce(text.as_bytes(), language, &NoHooks, &mut oracle).unwrap();
    drop(oracle);
    (to_a_tenth.unwrap(), reduced.text.len())
}

/// Whether all classes whose members a text mentions are there, as a compiler demands.
fn is_complete(text: &str) -> bool {
    let numbers = |word: &str| -> Vec<usize> {
        let after = text.match_indices(word).map(|(at, _)| &text[at + word.len()..]);
        let digits = after.map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next());
        digits.filter_map(|digits| digits.unwrap_or_default().parse().ok()).collect()
    };
    let declared: std::collections::HashSet<usize> = numbers("struct class_").into_iter().collect();
    numbers("class_").iter().all(|number| declared.contains(number))
}

#[test]
fn code_at_the_end_keeps_what_it_reaches() {
    let text =
        headers() + "int main()\n{\n  lib::class_2500<int> it;\n  it.write_2500(nullptr);\n}\n";
    assert!(text.len() > 1_000_000);
    let (tests, left) = tests_to_a_tenth(&text, |text| {
        is_complete(text)
            && text.contains("struct class_2500")
            && text.contains(".write_2500(nullptr)")
    });
    assert!(tests <= 3, "{tests} tests");
    assert!(left <= 80, "{left} bytes");
}

#[test]
fn a_cause_in_the_middle_is_found_by_halves() {
    let (tests, left) = tests_to_a_tenth(&headers(), |text| {
        is_complete(text) && text.contains("sum += member_1234.read_")
    });
    assert!(tests <= 25, "{tests} tests");
    assert!(left <= 80, "{left} bytes");
}
