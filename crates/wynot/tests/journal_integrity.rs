//! A damaged journal changes no result: what is damaged is noticed, and its tests run again.

mod support;

use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use support::{Place, Ran};
use wynot_session::{Digest, Journal, JournalContents, JournalError, Record};

const ARGS: &str = "reduce --unit char in.txt -- ./t {}";

/// A place with a finished search of some hundred tests.
fn searched() -> Place {
    let place = Place::new();
    place.write("in.txt", "It worked yesterday, all of it, so why does it not work today?");
    place.script("t", "! grep -q 'I.*k.*y.*e.*d.*,.*l.*f.*o.*y.*?' \"$1\"");
    let ran = place.wynot(ARGS);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    place
}

fn journal(place: &Place) -> PathBuf {
    let mut sessions = fs::read_dir(place.path("state/wynot")).unwrap().flatten();
    sessions.next().unwrap().path().join("journal.jsonl")
}

fn flipped(bytes: &[u8], bit: usize) -> Vec<u8> {
    let mut flipped = bytes.to_vec();
    flipped[bit / 8] ^= 1 << (bit % 8);
    flipped
}

/// Every `n`-th bit such that there are `count` of them, spread over all positions in a byte.
fn bits(bytes: &[u8], count: usize) -> impl Iterator<Item = usize> {
    let total = bytes.len() * 8;
    (0..count).map(move |number| number * (total / count) + number % 8)
}

#[test]
fn of_a_real_journal_no_flipped_bit_is_read_as_something_else() {
    let place = searched();
    let path = journal(&place);
    let intact = fs::read(&path).unwrap();
    let dir = path.parent().unwrap();
    let all = Journal::read(dir).unwrap().records;
    let Record::Session { key, .. } = &all[0] else { panic!("{:?}", all[0]) };
    let key = Digest::parse(key).unwrap();
    let mut refused = 0;
    for bit in bits(&intact, 1000) {
        fs::write(&path, flipped(&intact, bit)).unwrap();
        match Journal::open(dir, key, false) {
            Ok((_, JournalContents { records, damage })) => {
                assert_eq!(records, all[..records.len()], "bit {bit}");
                assert!(records.len() < all.len(), "bit {bit} is unnoticed");
                assert_eq!(damage.is_none(), bit / 8 == intact.len() - 1, "bit {bit}");
            }
            Err(JournalError::Unreadable(_)) => refused += 1,
            Err(error) => panic!("bit {bit}: {error}"),
        }
    }
    assert!(refused < 20, "only the first line cannot be done without: {refused}");
}

#[test]
fn a_search_resumed_from_a_damaged_journal_ends_alike() {
    let place = searched();
    let path = journal(&place);
    let intact = fs::read(&path).unwrap();
    let minimal = place.read("in.min.txt");
    let report = |ran: &Ran| serde_json::from_str::<Value>(&ran.stdout).unwrap();
    let run = || place.wynot(&ARGS.replace("reduce", "reduce --json"));
    let expected = report(&run());
    let mut noticed = 0;
    for bit in bits(&intact, 30) {
        fs::write(&path, flipped(&intact, bit)).unwrap();
        fs::remove_file(place.path("in.min.txt")).unwrap();
        let mut ran = run();
        if ran.code != Some(0) {
            ran.ends(1, "is no journal of wynot, or damaged at its beginning");
            ran.ends(1, "hint: use --fresh to start over");
            ran = place.wynot(&ARGS.replace("reduce", "reduce --json --fresh"));
        } else {
            noticed += usize::from(ran.stderr.contains("journal.jsonl is damaged at line "));
        }
        assert_eq!(ran.code, Some(0), "bit {bit}: {ran:?}");
        assert_eq!(place.read("in.min.txt"), minimal, "bit {bit}");
        let found = report(&ran);
        for name in ["executed", "pass", "fail", "unresolved", "cached"] {
            assert_eq!(found["tests"][name], expected["tests"][name], "bit {bit}: {name}");
        }
        let again = run();
        assert!(!again.stderr.contains("damaged"), "bit {bit}: {again:?}");
    }
    assert!(noticed >= 25, "{noticed}");
}

#[test]
fn what_a_damaged_journal_proved_is_not_relied_on() {
    let place = searched();
    let path = journal(&place);
    let text = fs::read_to_string(&path).unwrap();
    let damaged = text.replacen("\"status\":\"minimal\"", "\"status\":\"Minimal\"", 1);
    assert_ne!(damaged, text);
    fs::write(&path, damaged).unwrap();
    for command in ["verify", "report"] {
        place.wynot(command).ends(1, "is damaged at line ");
    }
    place.wynot("resume").ends(0, "is damaged at line ");
    assert_eq!(place.wynot("verify").code, Some(0));
}
