//! Elements of JSON as deltas: whatever the configuration, the variant is JSON.

use proptest::prelude::*;
use serde_json::Value;
use wynot_core::Configuration;
use wynot_subjects::{TextSubject, Units};

fn units() -> Units {
    "json".parse().unwrap()
}

fn compose(subject: &TextSubject, configuration: &Configuration) -> Vec<u8> {
    let mut variant = b"old contents".to_vec();
    subject.compose(configuration, &mut variant);
    variant
}

/// The deltas of a subject that the bits of a number select.
fn select(subject: &TextSubject, mask: u64) -> Configuration {
    Configuration::from_deltas((0..subject.deltas()).filter(|d| mask.rotate_left(*d) & 1 == 1))
}

fn blanks() -> impl Strategy<Value = &'static str> + Clone {
    proptest::sample::select(&["", "", " ", "\n", "\t\r\n  "][..])
}

/// A JSON value with blanks in all positions where JSON allows them.
fn value() -> impl Strategy<Value = String> {
    let names =
        proptest::sample::select(&[r#""a""#, r#""b""#, r#""\"],""#, r#""é\\""#, r#""""#][..]);
    let scalars =
        &["0", "-1.50e+3", "true", "null", r#"",]}""#, r#""\u00e9✘""#, "[]", "{ }", "[\n]"];
    let scalar = proptest::sample::select(&scalars[..]).prop_map(str::to_owned);
    scalar.prop_recursive(4, 40, 6, move |inner| {
        let element =
            (blanks(), inner.clone(), blanks()).prop_map(|(b, v, a)| format!("{b}{v}{a}"));
        let member = (blanks(), names.clone(), blanks(), element.clone())
            .prop_map(|(before, name, behind, value)| format!("{before}{name}{behind}:{value}"));
        let list = |open: char, close: char| {
            move |items: Vec<String>| format!("{open}{}{close}", items.join(","))
        };
        prop_oneof![
            proptest::collection::vec(element, 1..6).prop_map(list('[', ']')),
            proptest::collection::vec(member, 1..6).prop_map(list('{', '}')),
        ]
    })
}

/// One value, or several on lines of their own, the last perhaps without a line end.
fn document() -> impl Strategy<Value = String> {
    let one = (blanks(), value(), blanks()).prop_map(|(b, v, a)| format!("{b}{v}{a}"));
    let lines = (proptest::collection::vec(value(), 1..6), any::<bool>())
        .prop_map(|(values, ended)| values.join("\n") + if ended { "\n" } else { "" });
    prop_oneof![3 => one, 1 => lines]
}

/// The values of a text that consists of JSON values only.
fn values(text: &[u8]) -> Result<Vec<Value>, serde_json::Error> {
    serde_json::Deserializer::from_slice(text).into_iter().collect()
}

proptest! {
    #[test]
    fn no_deltas_give_empty_brackets_or_nothing_and_all_of_them_the_text(text in document()) {
        let subject = TextSubject::from_empty(text.as_bytes(), &units()).unwrap();
        let nothing = compose(&subject, &Configuration::empty());
        prop_assert_eq!(&nothing, subject.baseline());
        let expected = match &values(text.as_bytes()).unwrap()[..] {
            [Value::Array(items)] if !items.is_empty() => "[]",
            [Value::Object(members)] if !members.is_empty() => "{}",
            _ => "",
        };
        prop_assert_eq!(nothing.trim_ascii(), expected.as_bytes());
        let all = compose(&subject, &Configuration::full(subject.deltas()));
        prop_assert_eq!(String::from_utf8(all).unwrap(), text);
    }

    #[test]
    fn every_configuration_of_a_text_is_json(text in document(), mask in any::<u64>()) {
        let subject = TextSubject::from_empty(text.as_bytes(), &units()).unwrap();
        let configuration = select(&subject, mask);
        let variant = compose(&subject, &configuration);
        let found = values(&variant);
        let message = || format!("{text:?} {configuration} {}", String::from_utf8_lossy(&variant));
        prop_assert!(found.is_ok(), "{}", message());
        let before = values(text.as_bytes()).unwrap();
        if before.len() == 1 && before[0].is_array() && !configuration.is_empty() {
            prop_assert!(matches!(&found.unwrap()[..], [Value::Array(_)]), "{}", message());
        }
    }

    #[test]
    fn the_removal_of_an_element_keeps_everything_else(items in proptest::collection::vec(value(), 1..6)) {
        let text = format!("[{}]", items.join(", "));
        let subject = TextSubject::from_empty(text.as_bytes(), &units()).unwrap();
        let mut delta = 0;
        for removed in 0..items.len() {
            let all = Configuration::full(subject.deltas());
            let variant = compose(&subject, &all.difference(&Configuration::from([delta])));
            let rest: Vec<&str> =
                items.iter().enumerate().filter(|(i, _)| *i != removed).map(|(_, v)| v.as_str()).collect();
            prop_assert_eq!(String::from_utf8(variant).unwrap(), format!("[{}]", rest.join(", ")));
            let inside = TextSubject::from_empty(items[removed].as_bytes(), &units()).unwrap();
            delta += inside.deltas() + u32::from(!inside.baseline().is_empty());
        }
    }

    #[test]
    fn deltas_turn_one_text_into_the_other(old in document(), new in document()) {
        prop_assume!(old != new);
        let subject = TextSubject::between(old.as_bytes(), new.as_bytes(), &units()).unwrap();
        let side = |configuration| String::from_utf8(compose(&subject, &configuration)).unwrap();
        prop_assert_eq!(side(Configuration::empty()), old);
        prop_assert_eq!(side(Configuration::full(subject.deltas())), new);
    }

    #[test]
    fn every_mixture_of_two_texts_is_json(old in document(), new in document(), mask in any::<u64>()) {
        let subject = TextSubject::between(old.as_bytes(), new.as_bytes(), &units()).unwrap();
        let configuration = select(&subject, mask);
        let variant = compose(&subject, &configuration);
        let shown = String::from_utf8_lossy(&variant);
        prop_assert!(values(&variant).is_ok(), "{old:?} {new:?} {configuration} {shown}");
    }

    #[test]
    fn the_range_of_a_delta_holds_its_text(old in document(), new in document(), mask in any::<u64>()) {
        let subject = TextSubject::between(old.as_bytes(), new.as_bytes(), &units()).unwrap();
        let configuration = select(&subject, mask);
        let variant = compose(&subject, &configuration);
        for delta in configuration.iter() {
            let text = subject.delta(delta).new;
            let text = &new.as_bytes()[text.start as usize..text.end as usize];
            prop_assert_eq!(&variant[subject.range_in_variant(&configuration, delta)], text);
        }
        let alone = TextSubject::from_empty(new.as_bytes(), &units()).unwrap();
        let some = select(&alone, mask);
        let variant = compose(&alone, &some);
        for delta in some.iter() {
            // An element, a member, or nothing if it was removed with its container.
            let text = String::from_utf8_lossy(&variant[alone.range_in_variant(&some, delta)]);
            let parses = |text: String| values(text.as_bytes()).is_ok();
            prop_assert!(parses(format!("[{text}]")) || parses(format!("{{{text}}}")), "{}", text);
        }
    }

    #[test]
    fn levels_nest_and_end_with_single_deltas(old in document(), new in document()) {
        for subject in [
            TextSubject::from_empty(new.as_bytes(), &units()).unwrap(),
            TextSubject::between(old.as_bytes(), new.as_bytes(), &units()).unwrap(),
        ] {
            let levels = subject.levels();
            prop_assert_eq!(levels.last().unwrap().len(), subject.deltas());
            for pair in levels.windows(2) {
                for group in 0..pair[0].len() {
                    let deltas = pair[0].deltas_of(&Configuration::from([group]));
                    let finer = pair[1].groups_in(&deltas);
                    prop_assert_eq!(pair[1].deltas_of(&finer), deltas);
                }
            }
        }
    }
}

fn changes(old: &str, new: &str) -> Vec<(String, String)> {
    let subject = TextSubject::between(old.as_bytes(), new.as_bytes(), &units()).unwrap();
    let text = |text: &str, bytes: std::ops::Range<u32>| {
        text[bytes.start as usize..bytes.end as usize].to_owned()
    };
    let deltas = (0..subject.deltas()).map(|delta| subject.delta(delta));
    deltas.map(|delta| (text(old, delta.old), text(new, delta.new))).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(old, new)| ((*old).to_owned(), (*new).to_owned())).collect()
}

#[test]
fn only_differences_inside_containers_are_deltas() {
    let old = r#"{"name": "a", "size": [1, 2, 3], "deep": {"x": {"y": 1, "z": 2}}}"#;
    let new = r#"{"name": "b", "size": [1, 3, 4], "deep": {"x": {"y": 1, "z": 3, "w": 0}}}"#;
    let expected = [
        (r#""name": "a""#, r#""name": "b""#),
        ("2", ""),
        ("", "4"),
        (r#""z": 2"#, r#""z": 3"#),
        ("", r#""w": 0"#),
    ];
    assert_eq!(changes(old, new), pairs(&expected));
}

#[test]
fn a_moved_member_is_one_delta_and_never_occurs_twice() {
    let (old, new) = (r#"{"a": 1, "b": 2, "c": 3}"#, r#"{"b": 2, "c": 3, "a": 9}"#);
    assert_eq!(changes(old, new), pairs(&[(r#""a": 1"#, r#""a": 9"#)]));
    assert_eq!(changes("[1, 2]", "[ 1,2 ]").len(), 1, "only the blanks differ");
}

#[test]
fn a_plain_list_has_its_lines_as_deltas() {
    let subject = TextSubject::from_empty(b"click a\nkey b\n", &units()).unwrap();
    assert_eq!((subject.deltas(), subject.units().to_string()), (2, "line".to_owned()));
    let error = TextSubject::from_empty(b"[1,\n x]", &units()).unwrap_err().to_string();
    assert_eq!(error, "not JSON: line 2, column 2: expected a value, found 'x'");
}

#[test]
fn a_million_brackets_and_ten_megabytes_are_no_problem() {
    let deep = |inside: &str| format!("{}{inside}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    let (old, new) = (deep("1"), deep("2"));
    let subject = TextSubject::between(old.as_bytes(), new.as_bytes(), &units()).unwrap();
    assert_eq!(subject.deltas(), 1);
    assert_eq!(compose(&subject, &Configuration::full(1)), new.as_bytes());
    let alone = TextSubject::from_empty(new.as_bytes(), &units()).unwrap();
    let half = compose(&alone, &Configuration::full(499_999));
    assert_eq!(half, format!("{}{}", "[".repeat(500_000), "]".repeat(500_000)).as_bytes());
    let wide = format!("[{}0]", "1,".repeat(5_000_000));
    let alone = TextSubject::from_empty(wide.as_bytes(), &units()).unwrap();
    assert_eq!(alone.deltas(), 5_000_001);
    let few = compose(&alone, &Configuration::from([1, 2_000_000, 5_000_000]));
    assert_eq!(few, b"[1,1,0]");
}
