//! Places of a text that must agree, or of which one frees the other, change in one edit.

use wynot_core::Outcome;
use wynot_reduce::{NoHooks, oracle_over_texts, reduce};
use wynot_subjects::Language;

/// Reduces a text under which `fails` holds.
fn reduced(language: &str, text: &str, fails: impl Fn(&str) -> bool) -> String {
    let language = Language::named(language).expect("a known language");
    let test = |text: &[u8]| Outcome::fails_if(std::str::from_utf8(text).is_ok_and(&fails));
    let small = reduce(text.as_bytes(), language, &NoHooks, &mut oracle_over_texts(test));
    String::from_utf8(small.expect("the oracle never stops").text).expect("a text")
}

/// The text between two others, the first one that is followed by the second.
fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let rest = &text[text.find(before)? + before.len()..];
    Some(&rest[..rest.find(after)?])
}

#[test]
fn equal_values_of_attributes_become_short_together() {
    let text = "<list><entry key=\"customer\">Ada</entry><entry ref=\"customer\"/></list>";
    let small = reduced("xml", text, |text| {
        let (key, reference) = (between(text, "key=\"", "\""), between(text, "ref=\"", "\""));
        key.is_some_and(|key| !key.is_empty()) && key == reference
    });
    assert!(small.len() <= "key=\"a\"ref=\"a\"".len(), "{small}");
}

#[test]
fn a_key_and_the_string_that_selects_it_stay_equal() {
    let text = "const table = { heading: 1, footer: 2 };\nconsole.log(table['heading']);\n";
    let small = reduced("javascript", text, |text| {
        let key = between(text, "{", ":").map(str::trim);
        let selected = between(text, "[", "]").map(|word| word.trim_matches('\''));
        key.is_some_and(|key| !key.is_empty()) && key == selected
    });
    assert!(small.len() <= "{0:[0]".len(), "{small}");
}

#[test]
fn names_of_values_and_blocks_are_short_in_llvm_ir() {
    let text = "define i32 @compute(i32 %amount) {\nentry.block:\n  br label %final.block\n\
                final.block:\n  %product = mul i32 %amount, 7\n  ret i32 %product\n}\n";
    let small = reduced("llvm", text, |text| {
        let product = between(text, "mul i32", ",").is_some();
        product && text.contains("ret i32") && text.ends_with('}') | text.ends_with("}\n")
    });
    assert!(!small.contains("product") && !small.contains("block"), "{small}");
}
