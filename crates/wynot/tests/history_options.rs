//! The options of `wynot history`: branches, guards, files that all versions get, reports, and the order of the walk.

mod history;
mod support;

use history::{Answer, Repository};
use serde_json::Value;
use std::fs;
use support::ran;
use wynot_test_support::{Tool, require};

#[test]
fn the_fix_is_put_on_a_new_branch_as_one_commit() {
    require!(Tool::Git);
    let repository = Repository::calculator();
    let head = repository.git(&["rev-parse", "HEAD"]);
    let status = repository.git(&["--no-optional-locks", "status", "--porcelain"]);
    // Commits need an author; here, the environment has none.
    repository.sh("git config user.name Bob; git config user.email bob@example.org");
    let ran = repository.history(&["--json", "--branch", "mended"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let answer = Answer::new(&repository, &ran);
    assert_eq!(repository.git(&["rev-parse", "mended^"]), head);
    assert_eq!(repository.git(&["rev-parse", "mended"]), answer.text(&["ported", "commit"]));
    assert_eq!(repository.git(&["rev-parse", "HEAD"]), head);
    assert_eq!(repository.git(&["--no-optional-locks", "status", "--porcelain"]), status);
    repository.sh(&format!(
        "git clone -q -b mended . ../mended; cd ../mended; ({})",
        repository.script()
    ));
    // The name is taken now, which is noticed before the first test.
    let again = repository.history(&["--branch", "mended"]);
    assert!(again.code == Some(2) && again.stderr.contains("mended"), "{again:?}");
    let bad = repository.history(&["--branch", "no..name"]);
    assert!(bad.code == Some(2) && bad.stderr.contains("no..name"), "{bad:?}");
}

/// A program whose versions before "Read the file" pass without doing anything that the test is about.
const UNREAD: &str = "
    fill() { sed -i \"1s/.*/# Version $1/\" tool.sh; }
    printf '# Version 0\\necho 1\\n' > tool.sh; echo start > notes; commit Start; work 1 3
    printf '# Version\\n. ./number\\necho $n\\n' > tool.sh; echo n=1 > number; commit 'Read the file'; work 4 6
    echo n=2 > number; commit 'Another number'; work 7 14
    echo '[ \"$(sh tool.sh)\" = 1 ] || { echo error: wrong number >&2; exit 1; }' | test_script";

#[test]
fn a_version_that_the_guard_does_not_accept_has_no_outcome() {
    require!(Tool::Git);
    let repository = Repository::new(UNREAD);
    assert_eq!(repository.found(&[]).culprit(), "Another number");
    // Without the old value of the number, no version passes that the guard accepts.
    let ran = repository.history(&["--json", "--fresh", "--guard", "grep -q n=2 number"]);
    let answer = Answer::new(&repository, &ran);
    assert!(answer.json["runs"]["not valid"].as_u64() > Some(0), "{}", answer.json);
    let passes = answer.json["visits"].as_array().unwrap();
    assert!(passes.iter().all(|visit| visit["outcome"] != "pass"), "{}", answer.json);
    let refused = repository.history(&["--guard", "no-such-program"]);
    assert!(refused.code == Some(2) && refused.stderr.contains("--guard"), "{refused:?}");
}

#[test]
fn files_that_are_carried_are_the_same_in_all_versions() {
    require!(Tool::Git);
    // The program reads its data from a file that says other things in old versions.
    let repository = Repository::new(
        "fill() { echo \"$1\" > data; }
         printf 'read n < data; echo $((n / n))\\n' > tool.sh; echo start > notes; echo 1 > data; commit Start; work 1 5
         printf 'read n < data; echo $((n / n + 1))\\n' > tool.sh; commit 'Add one'; work 6 14
         echo 0 > data; commit 'No data'; echo 7 > data; commit Data
         echo '[ \"$(sh tool.sh)\" = 1 ] || { echo error: wrong quotient >&2; exit 1; }' | test_script",
    );
    assert_eq!(repository.found(&["--carry", "data"]).culprit(), "Add one");
    let missing = repository.history(&["--carry", "nothing"]);
    assert!(missing.code == Some(2) && missing.stderr.contains("nothing"), "{missing:?}");
}

#[test]
fn code_that_is_only_needed_to_pass_is_part_of_a_patch_if_nothing_passes_without_it() {
    require!(Tool::Git);
    // With the first line of the option alone, the test fails as before, but cannot pass any more.
    let repository = Repository::new(
        "fill() { sed -i \"1s/.*/# Version $1/\" tool.sh; }
         cat > tool.sh <<'END'
# Version 0
case $1 in -*) echo \"tool: no $1\" >&2; exit 64 ;; esac

n=$1

# Print it.

echo $n
END
         echo start > notes; commit Start; work 1 6
         sed -i 's/^n=.*/n=$(($1 + 1))/' tool.sh; commit 'Count from one'; work 7 14
         sed -i '2i if [ \"$1\" = --double ]; then twice=1; shift; fi' tool.sh
         sed -i 's/^# Print it/[ -z \"$twice\" ] || n=$((n * 2))\\n&/' tool.sh; echo d >> notes; commit 'Add --double'; work 15 20
         test_script <<'END'
out=$(sh tool.sh --double 3 2>&1) || { echo \"it ends early: $out\" >&2; exit 2; }
[ \"$out\" = 6 ] || { echo error: a wrong number >&2; exit 1; }
END",
    );
    let found = repository.found(&[]);
    assert_eq!(found.culprit(), "Count from one", "{}", found.json);
    let patch = found.text(&["blockers", "0", "patch"]);
    let added: Vec<&str> = patch.lines().filter(|line| line.starts_with("+")).collect();
    assert!(added.len() == 3 && added[1].contains("--double"), "{patch}");
    assert!(added[2].contains("n * 2"), "{patch}");
}

#[test]
fn a_feature_that_shows_an_older_failure_is_not_blamed_for_it() {
    require!(Tool::Git);
    // With the first line of the option alone, the test passes, because nothing is checked.
    let repository = Repository::new(
        "fill() { sed -i \"1s/.*/# Version $1/\" tool.sh; }
         cat > tool.sh <<'END'
# Version 0
verify() { [ \"$1\" -lt 10 ] || echo BROKEN; }

case $1 in -*) echo \"tool: no $1\" >&2; exit 64 ;; esac

# Print it.

echo $1
END
         echo start > notes; commit Start; work 1 6
         sed -i 's/-lt 10/-lt 3/' tool.sh; commit 'Count to three'; work 7 14
         sed -i '3i if [ \"$1\" = --check ]; then checked=1; shift; fi' tool.sh
         sed -i 's/^# Print it/[ -z \"$checked\" ] || verify \"$1\"\\n&/' tool.sh; echo c >> notes; commit 'Add --check'; work 15 20
         test_script <<'END'
out=$(sh tool.sh --check 5 2>&1) || { echo \"it ends early: $out\" >&2; exit 2; }
case $out in *BROKEN*) echo error: broken >&2; exit 1 ;; esac
END",
    );
    let found = repository.found(&[]);
    assert_eq!(found.culprit(), "Count to three", "{}", found.json);
}

#[test]
fn a_fix_is_carried_through_versions_that_need_a_patch() {
    require!(Tool::Git);
    let script = include_str!("history/obsolete_blocker.sh");
    // Multiplication is rewritten at the end, so that the fix has to be derived anew there, and only there.
    let rewritten = "
        sed -i '/^mul() {/,/^}/c mul() {\\n    first=$1 second=$2\\n    expr \"$first\" + \"$second\"\\n}' lib.sh
        commit 'Multiply with names'; work 40 42";
    let repository = Repository::new(&format!("{script}\n{rewritten}"));
    let found = repository.found(&[]);
    assert_eq!(found.culprit(), "Multiply quickly", "{}", found.json);
    let anew = found.json["ported"]["derived_at"].as_array().unwrap();
    assert_eq!(anew.len(), 1, "{}", found.json);
    assert_eq!(repository.subject(anew[0].as_str().unwrap()), "Multiply with names");
    found.try_fix();
}

#[test]
fn a_failure_that_came_with_a_feature_is_said_to_have_come_with_it() {
    require!(Tool::Git, Tool::Python);
    let repository = Repository::new(
        "fill() { sed -i \"1s/.*/# Version $1/\" tool.py; }
         printf '# Version 0\\n\\ndef double(x):\\n    return 2 * x\\n' > tool.py; echo start > notes; commit Start; work 1 8
         printf '\\n\\ndef triple(x):\\n    return x.tripled()\\n' >> tool.py; echo t >> notes; commit 'Add triple'; work 9 18
         { echo 'import os, sys'; echo 'sys.path.insert(0, os.getcwd())'; echo 'import tool'; echo 'assert tool.triple(2) == 6'; } > ../use.py
         echo 'exec python3 -B ../use.py' | test_script; sed -i \"s#\\.\\./use.py#$(cd ..; pwd)/use.py#\" ../t",
    );
    let ran = repository.history(&["--json"]);
    let answer = Answer::new(&repository, &ran);
    assert_eq!(answer.culprit(), "Add triple", "{}", answer.json);
    assert!(answer.json["passing"].is_null() && answer.json["blockers"] == serde_json::json!([]));
    let words = repository.history(&[]).stdout;
    assert!(
        words.contains("came with") && words.contains("do not have what the test needs"),
        "{words}"
    );
}

#[test]
fn a_test_in_the_checkout_that_no_version_has_is_pointed_out() {
    require!(Tool::Git);
    let repository = Repository::calculator();
    repository.sh("cp ../t here.sh");
    let test = repository.testing(&["./here.sh"]);
    let ran = test.history(&["--max-tests", "1"]);
    assert!(ran.stderr.contains("--with here.sh"), "{ran:?}");
}

#[test]
fn the_page_and_the_events_show_the_way() {
    require!(Tool::Git);
    let repository = Repository::new(include_str!("history/missing_feature.sh"));
    let [page, events] = ["page.html", "events.jsonl"].map(|name| repository.place.path(name));
    let options = ["--report", page.to_str().unwrap(), "--events", events.to_str().unwrap()];
    let found = repository.found(&options);
    let page = fs::read_to_string(page).unwrap();
    for blocker in found.json["blockers"].as_array().unwrap() {
        assert!(page.contains(&blocker["from"].as_str().unwrap()[..12]), "{blocker}");
    }
    assert!(page.contains("Multiply quickly") && page.contains("<svg"));
    let events = fs::read_to_string(events).unwrap();
    let kinds = events.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let places = kinds.filter(|event| event["event"] == "place").count();
    assert!(places >= 4, "{events}");
}

#[test]
fn a_search_goes_on_after_a_limit() {
    require!(Tool::Git);
    let repository = Repository::new(include_str!("history/missing_feature.sh"));
    let whole = repository.found(&["--fresh"]);
    let tests = whole.json["tests"]["executed"].as_u64().unwrap();
    let (essence, half) = (whole.essence(), (tests / 2).to_string());
    let stopped = repository.history(&["--json", "--fresh", "--max-tests", &half]);
    assert_eq!(stopped.code, Some(5), "{stopped:?}");
    assert!(stopped.stderr.contains("run the same command again"), "{stopped:?}");
    let unfinished: Value = serde_json::from_str(&stopped.stdout).unwrap();
    assert!(unfinished["oldest_failing"]["id"].is_string(), "{unfinished}");
    let resumed = repository.found(&[]);
    assert_eq!(resumed.essence(), essence);
    let mut page = repository.place.interruptible();
    let session = resumed.text(&["session"]);
    assert_eq!(ran(page.args(["report", session])).code, Some(0));
}

#[test]
fn without_the_fix_point_the_answer_is_the_same() {
    require!(Tool::Git);
    let repository = Repository::new(include_str!("history/missing_feature.sh"));
    let plain = repository.found(&["--fresh", "--no-fix-point"]);
    assert_eq!(plain.culprit(), "Multiply quickly");
    assert_eq!(plain.json["tests_by_part"]["fix point"], 0);
}

#[test]
fn a_program_that_was_not_built_is_no_failure_to_search_for() {
    require!(Tool::Git);
    let repository = Repository::new(
        "
        fill() { echo \"$1\" > notes; }
        printf 'tool: tool.sh\\n\\tcp tool.sh tool; chmod +x tool\\n' > Makefile
        printf '#!/bin/sh\\nexit 0\\n' > tool.sh; commit Start; work 1 3
        printf '#!/bin/sh\\nexit 1\\n' > tool.sh; commit Break; work 4 6
        echo ./tool | test_script",
    );
    let refused = repository.history(&[]);
    assert_eq!(refused.code, Some(3), "{refused:?}");
    assert!(refused.stderr.contains("the test misses tool, which no version has"), "{refused:?}");
    assert!(refused.stderr.contains("needs --build make"), "{refused:?}");
    assert_eq!(repository.building("make").found(&[]).culprit(), "Break");
}
