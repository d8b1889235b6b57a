//! What was proved can be checked again, and what does not hold is noticed.

mod support;

use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use support::{Place, in_format_2};
use wynot_session::{Digest, Journal, Record};

fn place() -> Place {
    let place = Place::new();
    place.write("in.c", "int a;\nint f(int x) {\n  return x * 2;\n}\nint b = 7;\n");
    place.script("t", "! { grep -q 'x' \"$1\" && grep -q 'b = 7' \"$1\"; }");
    place
}

fn session(place: &Place) -> PathBuf {
    let mut sessions = fs::read_dir(place.path("state/wynot")).unwrap().flatten();
    sessions.next().unwrap().path()
}

#[test]
fn what_was_proved_is_confirmed_by_new_tests() {
    for search in [
        "reduce in.c",
        "reduce --unit line,char in.c",
        "reduce --minimality 2 --unit char in.c",
        "isolate in.c",
        "isolate --algorithm ddmax in.c",
    ] {
        let place = place();
        let ran = place.wynot(&format!("{search} -- ./t {{}}"));
        assert_eq!(ran.code, Some(0), "{search}: {ran:?}");
        let ran = place.wynot("verify --json");
        let value: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(value["confirmed"], true, "{search}: {ran:?}");
        assert!(value["tests"]["executed"].as_u64() > Some(1), "{search}: {value}");
    }
}

#[test]
fn a_session_is_found_by_its_directory_its_result_and_where_it_was_started() {
    let place = place();
    place.wynot("reduce -o small.c in.c -- ./t {}");
    let by_directory = session(&place);
    for named in [by_directory.to_str().unwrap(), "small.c", ""] {
        let ran = place.wynot(&format!("verify -q {named}"));
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stdout.contains("small.c: 1-minimal (token, byte), confirmed by "), "{ran:?}");
        let ran = place.wynot(&format!("report {named}"));
        assert!(ran.stdout.contains("Which passes paid"), "{ran:?}");
    }
    place.wynot("verify in.c").ends(2, "no session has written in.c");
    place.wynot("verify nothing.c").ends(2, "there is no session and no result nothing.c");
    Place::new().wynot("verify").ends(2, "no session was started from this directory");
}

#[test]
fn a_result_that_was_changed_is_noticed() {
    let place = place();
    place.wynot("reduce in.c -- ./t {}");
    let small = place.text("in.min.c");
    place.write("in.min.c", format!("{small} "));
    place.wynot("verify").ends(4, "is not what the session has ended with");
    fs::remove_file(place.path("in.min.c")).unwrap();
    place.wynot("verify").ends(2, "cannot read");
    // Running it again is enough to have it back.
    place.wynot("resume").ends(0, "resuming");
    assert_eq!(place.text("in.min.c"), small);
    assert_eq!(place.wynot("verify").code, Some(0));
}

#[test]
fn a_result_that_was_changed_in_the_journal_too_is_refuted_by_tests() {
    let forged = |place: &Place, forgery: &str| {
        let small = place.read("in.min.c");
        let digest = |bytes: &[u8]| Digest::of_bytes(bytes).to_string();
        let mut records = Journal::read(&session(place)).unwrap().records;
        let Some(Record::End(end)) = records.last_mut() else { panic!("it has not ended") };
        assert_eq!(end.result, digest(&small));
        end.result = digest(forgery.as_bytes());
        let Record::Session { key, .. } = &records[0] else { panic!("{:?}", records[0]) };
        let key = Digest::parse(key).unwrap();
        let (mut journal, _) = Journal::open(&session(place), key, true).unwrap();
        records[1..].iter().for_each(|record| journal.append(record).unwrap());
        place.write("in.min.c", forgery);
    };
    let larger = place();
    larger.wynot("reduce in.c -- ./t {}");
    let small = larger.text("in.min.c");
    forged(&larger, &format!("{small} y"));
    let ran = larger.wynot("verify");
    ran.ends(4, "something smaller fails, too");
    let shown = session(&larger).join("verification/in.smaller.c");
    assert!(ran.stderr.contains(shown.to_str().unwrap()), "{ran:?}");
    assert!(fs::read(shown).unwrap().len() < small.len() + 2);
    let harmless = place();
    harmless.wynot("reduce in.c -- ./t {}");
    forged(&harmless, "x");
    harmless.wynot("verify").ends(3, "does not fail any more");
}

#[test]
fn what_the_proof_depends_on_must_not_have_changed() {
    let place = place();
    place.wynot("reduce in.c -- ./t {}");
    place.script("t", "grep -q nothing \"$1\"");
    place.wynot("verify").ends(4, "the input or the test has changed");
    let open = Place::new();
    open.write("in.txt", "some more words to look at");
    open.script("t", "! grep -q m \"$1\"");
    open.wynot("reduce --max-tests 1 in.txt -- ./t {}").ends(5, "best so far");
    open.wynot("verify").ends(2, "nothing is proved yet");
    for verb in ["verify", "resume", "report"] {
        open.wynot(&format!("{verb} .")).ends(2, "there is no session in .");
    }
    open.wynot("resume --max-tests 2").ends(5, "best so far");
    open.wynot("resume -j 1").ends(0, "resuming with");
}

#[test]
fn a_search_in_place_is_resumed_and_verified_from_the_kept_original() {
    let place = place();
    place.wynot("reduce --in-place --max-tests 3 in.c -- ./t {}").ends(5, "best so far");
    place.wynot("resume").ends(0, "resuming with");
    assert_eq!(place.wynot("verify").code, Some(0));
    assert!(place.text("in.c").len() < 10, "{}", place.text("in.c"));
}

#[test]
fn an_input_that_was_edited_since_is_never_overwritten_by_an_old_search() {
    let place = place();
    place.wynot("reduce --in-place --max-tests 3 in.c -- ./t {}").ends(5, "best so far");
    let edited = format!("/* my work */ {}", place.text("in.c"));
    place.write("in.c", &edited);
    place.wynot("resume").ends(2, "has been changed since");
    place.wynot("reduce --in-place in.c -- ./t {}").ends(2, "in.c.orig is there already");
    assert_eq!(place.text("in.c"), edited);
}

#[test]
fn the_same_command_goes_on_with_a_search_in_place() {
    let place = place();
    let ran = place.wynot("reduce --in-place --max-tests 3 in.c -- ./t {}");
    ran.ends(5, "run the same command again");
    place.wynot("reduce --in-place in.c -- ./t {}").ends(0, "resuming with 3 outcomes");
    assert!(place.text("in.c").len() < 10, "{}", place.text("in.c"));
    assert!(place.text("in.c.orig").len() > 40);
}

#[test]
fn a_claim_is_checked_with_the_search_that_made_it() {
    let place = place();
    place.wynot("reduce --unit line in.c -- ./t {}").ends(0, "line");
    place.wynot("reduce --max-tests 1 in.c -- ./t {}").ends(5, "best so far");
    // The second search has not got further than the first, whose result and claim stay.
    let ran = place.wynot("verify");
    assert!(ran.stdout.contains(": 1-minimal (line), confirmed by "), "{ran:?}");
}

#[test]
fn a_session_of_its_own_is_found_from_anywhere() {
    let place = place();
    place.wynot("reduce --session s in.c -- ./t {}");
    assert_eq!(place.wynot("verify in.min.c").code, Some(0));
    assert_eq!(place.wynot("verify").code, Some(0));
    let mut elsewhere = place.command();
    elsewhere.current_dir("/").args(["resume", place.path("s").to_str().unwrap()]);
    let ran = support::ran(&mut elsewhere);
    ran.ends(0, "resuming with");
}

#[test]
fn a_session_of_an_earlier_version_is_found_by_its_result_and_refused() {
    let place = place();
    place.wynot("reduce in.c -- ./t {}");
    let journal = session(&place).join("journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    let older = in_format_2(&text).replace("command_line", "again");
    assert!(older.contains("\"again\""), "{older}");
    fs::write(&journal, older).unwrap();
    for command in ["verify in.min.c", "verify", "resume", "report in.min.c"] {
        let refused = place.wynot(command);
        refused.ends(1, "was written by another version of wynot (format 2");
        assert!(refused.stderr.contains("hint: run the search again with --fresh"), "{refused:?}");
    }
}
