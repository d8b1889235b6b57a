//! Which change broke it: histories, merges, archives, builds, and checkouts that must stay as they are.

mod support;

use serde_json::Value;
use std::fs;
use std::process::Stdio;
use support::changes::sh;
use support::{Place, ran};

fn json(place: &Place, args: &str) -> Value {
    place.json(args)
}

/// A product that is wrong is a failure; a program that does not even run is another one.
const TEST: &str = "sh calc.sh 3 4 > out 2>&1
    case $(cat out) in 12) exit 0;; 7) echo error: wrong product >&2; exit 1;; esac
    cat out >&2; exit 2";

/// Thirty commits; the twenty-first breaks multiplication, among other things that it does.
fn history() -> Place {
    let place = Place::new();
    place.script("t", TEST);
    sh(
        &place,
        "git init -q -b main .
         printf 'state\\nt\\n' > .git/info/exclude
         printf 'add() { echo $(($1 + $2)); }\\nmul() { echo $(($1 * $2)); }\\n' > lib.sh
         printf '. ./lib.sh\\nmul $1 $2\\n' > calc.sh
         echo start > notes
         git add -A; git commit -qm Start; git tag good
         for i in $(seq 1 20); do
             echo note $i >> notes; echo \"f$i() { :; }\" >> lib.sh; git commit -qam \"Work $i\"
         done
         sed -i 's/mul() .*/# faster\\nmul() { echo $(($1 + $2)); }/; s/^add()/plus()/' lib.sh
         echo faster >> notes; git commit -qam 'Make it faster'
         for i in $(seq 21 30); do echo note $i >> notes; git commit -qam \"Work $i\"; done",
    );
    place
}

#[test]
fn the_commit_and_its_lines_are_found_and_audited() {
    let place = history();
    fs::write(place.path("notes"), "my own work\n").unwrap();
    let found = json(&place, "changes --good good --bad HEAD -- ./t");
    assert_eq!(found["commits"][0]["subject"], "Make it faster", "{found}");
    assert_eq!(found["commits"].as_array().unwrap().len(), 1);
    assert_eq!(found["audit"], serde_json::json!({"alone": "fail", "without": "pass"}));
    assert!(found["difference"]["changes"][0].as_str().unwrap().starts_with("lib.sh, line "));
    // git bisect needs 5 tests for 31 commits.
    assert!(found["tests"]["executed"].as_u64() <= Some(5 + 30), "{found}");
    assert_eq!(place.text("notes"), "my own work\n", "the checkout is not touched");
    assert!(!place.path("out").exists());
    let patch = found["patch"].as_str().unwrap();
    let log = found["bisect_log"].as_str().unwrap();
    sh(
        &place,
        &format!(
            "git worktree add -q ../wt-{0} {2}^; cd ../wt-{0}; git apply {patch}; ! ../{1}/t; cd ../{1};
             git worktree remove --force ../wt-{0}; git stash -q; git bisect replay {log} > replayed;
             grep -q 'is the first bad commit' replayed; git bisect reset; git stash pop -q",
            std::process::id(),
            place.dir.path().file_name().unwrap().display(),
            found["commits"][0]["id"].as_str().unwrap()
        ),
    );
    let told = place.wynot("changes --report page.html --good good --bad HEAD -- ./t");
    let page = place.text("page.html");
    for shown in ["from good to HEAD: ", "Make it faster", "diff --git a/lib.sh b/lib.sh"] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    assert!(told.stdout.contains("by n on "), "{told:?}");
    assert!(told.stdout.contains("audit: the good version fails with this alone"), "{told:?}");
}

#[test]
fn a_merge_that_was_resolved_wrongly_is_the_answer() {
    let place = Place::new();
    place.script("t", "grep -qx 'limit = 10' conf && grep -qx 'mode = safe' conf || { echo error: bad conf >&2; exit 1; }");
    sh(
        &place,
        "git init -q -b main .; printf 'state\\nt\\n' > .git/info/exclude
         printf 'mode = safe\\nname = a\\n\\nlimit = 10\\n' > conf; git add -A; git commit -qm Start; git tag good
         git checkout -qb side; sed -i 's/name = a/name = b/' conf; git commit -qam Side
         git checkout -q main; echo x > other; git add other; git commit -qm Main
         git merge -q --no-commit side; sed -i 's/limit = 10/limit = 0/' conf; git commit -qam Merge
         for i in 1 2 3; do echo $i >> other; git commit -qam \"Later $i\"; done",
    );
    let found = json(&place, "changes --good good --bad main -- ./t");
    assert_eq!(found["commits"][0]["subject"], "Merge", "{found}");
    let change = found["difference"]["changes"][0].as_str().unwrap();
    assert!(change.contains("limit = 0") && change.contains("limit = 10"), "{found}");
    assert_eq!(found["audit"]["without"], "pass");
}

#[test]
fn a_fix_that_a_merge_lost_is_not_held_against_those_who_never_had_it() {
    let place = Place::new();
    place.script("t", "grep -qx 'check = yes' conf || { echo error: no check >&2; exit 1; }");
    sh(
        &place,
        "git init -q -b main .; printf 'state\\nt\\n' > .git/info/exclude
         printf 'name = a\\n\\n\\ncheck = no\\n' > conf; git add -A; git commit -qm Start
         git checkout -qb side
         for i in 1 2 3; do echo $i >> aside; git add aside; git commit -qm \"Side $i\"; done
         git checkout -q main; sed -i 's/check = no/check = yes/' conf; git commit -qam Fix; git tag good
         echo x > other; git add other; git commit -qm Main
         git checkout -q side; git merge -q --no-commit main
         sed -i 's/check = yes/check = no/' conf; git commit -qam 'Lose it'
         echo 4 >> aside; git commit -qam 'Side 4'
         git checkout -q main; echo y >> other; git commit -qam 'Main 2'
         git merge -q -m Merge side; git branch -q forward side",
    );
    for bad in ["main", "forward"] {
        let found = json(&place, &format!("changes --good good --bad {bad} -- ./t"));
        assert_eq!(found["commits"][0]["subject"], "Lose it", "{bad}: {found}");
        assert_eq!(found["audit"]["without"], "pass", "{bad}: {found}");
    }
}

#[test]
fn a_commit_whose_parts_cannot_be_tested_is_told_as_a_whole_and_soon() {
    // Ninety lines that only work together, in one file; another file of the same commit does not matter.
    let place = Place::new();
    place.script(
        "t",
        "case $(grep -c new code) in 0) exit 0;; 90) exit 1;; esac; echo error: half of it >&2; exit 1",
    );
    sh(
        &place,
        "git init -q -b main .; printf 'state\\nt\\n' > .git/info/exclude
         for i in $(seq 90); do echo old $i; echo; done > code; seq 40 > notes; git add -A; git commit -qm Start; git tag good
         sed -i s/old/new/ code; seq 2 60 > notes; git commit -qam Rewrite",
    );
    let ran = place.wynot("changes --json --effort low --good good --bad main -- ./t");
    assert_eq!(ran.code, Some(5), "{ran:?}");
    let hint = "hint: run the same command again with --effort high to go on from here";
    assert!(ran.stderr.contains(hint), "{ran:?}");
    let stopped: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(stopped["status"], "stopped", "{stopped}");
    assert_eq!((&stopped["complete"], &stopped["minimality"]), (&Value::Bool(false), &Value::Null));
    let found = json(&place, "changes --effort max --good good --bad main -- ./t");
    assert_eq!(found["commits"][0]["subject"], "Rewrite", "{found}");
    assert_eq!((&found["status"], &found["complete"]), (&"minimal".into(), &Value::Bool(true)));
    for found in [stopped, found] {
        assert_eq!(found["difference"]["deltas"], 90, "{found}");
        assert_eq!(found["audit"], serde_json::json!({"alone": "fail", "without": "pass"}));
    }
}

#[test]
fn a_bad_version_that_needs_more_than_a_line_back_is_audited_with_more() {
    // The line that decides is no use without the one before it, which has gone, too.
    let place = Place::new();
    place.script(
        "t",
        "set -e; . ./code 2>/dev/null || exit 125; test \"$answer\" = 42 || { echo error: $answer >&2; exit 1; }",
    );
    sh(
        &place,
        "git init -q -b main .; printf 'state\\nt\\n' > .git/info/exclude
         printf 'answer=41\\nstep() { answer=42; }\\nstep\\n\\nlast=1\\n' > code; echo 1 > notes
         git add -A; git commit -qm Start; git tag good
         printf 'answer=41\\n\\nlast=2\\n' > code; echo 2 > notes; git commit -qam Less",
    );
    let found = json(&place, "changes --good good --bad main -- ./t");
    assert_eq!(found["difference"]["deltas"], 1, "{found}");
    assert_eq!(
        (&found["audit"]["without"], &found["audit"]["dependents"]),
        (&"pass".into(), &1.into()),
        "{found}"
    );
}

#[test]
fn a_failure_that_a_branch_brought_is_found_on_the_branch() {
    let place = Place::new();
    place.script("t", "! grep -q broken code || { echo error: broken >&2; exit 1; }");
    sh(
        &place,
        "git init -q -b main .; printf 'state\\nt\\n' > .git/info/exclude
         echo ok > code; git add -A; git commit -qm Start; git tag good
         git checkout -qb side
         for i in 1 2 3 4; do echo $i >> aside; git add aside; git commit -qm \"Side $i\"; done
         echo broken >> code; git commit -qam 'Break it'; echo 5 >> aside; git commit -qam 'Side 5'
         git checkout -q main; echo x > other; git add other; git commit -qm Main
         git merge -q -m Merge side; echo y >> other; git commit -qam Later",
    );
    let found = json(&place, "changes --good good --bad main -- ./t");
    assert_eq!(found["commits"][0]["subject"], "Break it", "{found}");
}

#[test]
fn only_the_same_failure_counts_unless_any_does() {
    // With w as it is, the new x is an error of its own; the failure that is asked about comes from y.
    let place = Place::new();
    place.script("t", "sh ./prog");
    sh(
        &place,
        "mkdir good bad
         printf 'x=1\\nw=1\\ny=1\\n' > good/prog; printf 'x=2\\nw=2\\ny=2\\n' > bad/prog
         for v in good bad; do printf '[ $x = $w ] || [ $x = 1 ] || { echo error: bad x >&2; exit 1; }\\n[ $y = 1 ] || { echo error: wrong y >&2; exit 1; }\\n' >> $v/prog; done",
    );
    let answer = |options: &str| {
        let found =
            json(&place, &format!("changes --fresh {options} --good good --bad bad -- ./t"));
        found["difference"]["changes"][0].as_str().unwrap().to_owned()
    };
    assert!(answer("").contains("y=2"), "{}", answer(""));
    assert!(answer("--any-failure").contains("x=2"), "it slips: {}", answer("--any-failure"));
}

#[test]
fn archives_and_directories_need_no_history() {
    let place = Place::new();
    place.script("t", "test \"$(./prog)\" = 5 || { echo error: not five >&2; exit 1; }");
    sh(
        &place,
        "mkdir -p lib-1/src lib-2/src
         for i in $(seq 1 12); do
             printf \"int f$i(int x)\\n{\\n    return x + $i;\\n}\\n\" > lib-1/src/f$i.c
             printf \"/* new */\\nint f$i(int x)\\n{\\n    /* better */\\n    return x + $i;\\n}\\n\" > lib-2/src/f$i.c
         done
         for v in 1 2; do printf '#include <stdio.h>\\nint f4(int);\\nint main(void) { printf(\"%%d\", f4(1)); }\\n' > lib-$v/src/main.c; done
         sed -i 's/x + 4/x * 4/' lib-2/src/f4.c
         echo 'cc -o prog src/*.c' > lib-1/build.sh; cp lib-1/build.sh lib-2/
         tar -czf lib-1.tar.gz lib-1; rm -r lib-1",
    );
    let args = [
        "changes",
        "--json",
        "--good",
        "lib-1.tar.gz",
        "--bad",
        "lib-2",
        "--build",
        "sh build.sh",
        "-o",
        "fix.patch",
        "--",
        "./t",
    ];
    let ran = place.run(args);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    let change = found["difference"]["changes"][0].as_str().unwrap();
    assert!(change.starts_with("src/f4.c, line 5") && change.contains("x * 4"), "{found}");
    assert_eq!(found["audit"], serde_json::json!({"alone": "fail", "without": "pass"}));
    assert!(place.text("fix.patch").contains("+    return x * 4;"));
    for algorithm in ["ddmin", "gather"] {
        let line = format!(
            "changes --fresh --algorithm {algorithm} --good lib-1.tar.gz --bad lib-2 -- sh -c"
        );
        let mut args: Vec<&str> = line.split_whitespace().collect();
        args.insert(1, "--json");
        args.push("sh build.sh || exit 125; test \"$(./prog)\" = 5 || { echo error: not five >&2; exit 1; }");
        let found: Value = serde_json::from_str(&place.run(&args).stdout).unwrap();
        assert!(found["difference"]["changes"][0].as_str().unwrap().contains("x * 4"), "{found}");
    }
}

#[test]
fn versions_that_do_not_build_are_passed_over_and_counted() {
    let place = Place::new();
    place.script("t", "grep -q good prog || { echo error: bad prog >&2; exit 1; }");
    sh(
        &place,
        "git init -q -b main .; printf 'state\\nt\\n' > .git/info/exclude
         echo 'cp src prog' > build; echo good > src; git add -A; git commit -qm Start; git tag good
         echo 'false' > build; git commit -qam 'Break the build'
         for i in 1 2 3 4 5; do echo $i >> log; git add log; git commit -qm \"Work $i\"; done
         echo 'cp src prog' > build; git commit -qam 'Mend the build'
         for i in 6 7 8; do echo $i >> log; git commit -qam \"Work $i\"; done
         echo ugly > src; git commit -qam 'Make it ugly'; echo 9 >> log; git commit -qam 'Work 9'",
    );
    let args = [
        "changes", "--json", "--good", "good", "--bad", "main", "--build", "sh build", "--", "./t",
    ];
    let ran = place.run(args);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(found["commits"][0]["subject"], "Make it ugly", "{found}");
    assert!(found["reasons"]["did not build"].as_u64() >= Some(1), "{found}");
}

#[test]
fn a_good_version_on_another_branch_is_compared_from_what_both_share() {
    let place = history();
    sh(
        &place,
        "git checkout -qb release good; echo release >> notes; git commit -qam Release; git checkout -q main",
    );
    let ran = place.wynot("changes --json --good release --bad main -- ./t");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stderr.contains("is no ancestor of the bad one"), "{ran:?}");
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(found["commits"][0]["subject"], "Make it faster", "{found}");
}

#[test]
fn modes_line_ends_and_links_are_changes_too() {
    let place = Place::new();
    let differ = |name: &str, good: &str, bad: &str, test: &str, told: &str| {
        sh(
            &place,
            &format!(
                "rm -rf {name}; mkdir -p {name}/good {name}/bad; cd {name}/good; echo same > same; {good}; cd ../bad; echo same > same; {bad}"
            ),
        );
        place.script("t", test);
        let found = json(&place, &format!("changes --good {name}/good --bad {name}/bad -- ./t"));
        let change = found["difference"]["changes"][0].as_str().unwrap();
        assert!(change.contains(told), "{name}: {found}");
        assert_eq!(
            found["audit"],
            serde_json::json!({"alone": "fail", "without": "pass"}),
            "{name}"
        );
        fs::read_to_string(found["patch"].as_str().unwrap()).unwrap()
    };
    let run = "echo 'exit 0' > run; echo x > other";
    let mode = differ(
        "mode",
        &format!("{run}; chmod +x run"),
        &format!("{run}y"),
        "test -x run",
        "run: fails",
    );
    assert!(mode.contains("old mode 100755") && mode.contains("new mode 100644"), "{mode}");
    let ends = "printf 'a\\nb\\n' > text; echo";
    let crlf = "printf 'a\\r\\nb\\n' > text; echo x > other";
    differ(
        "ends",
        &format!("{ends} y > other"),
        crlf,
        "! grep -q \"$(printf '\\r')\" text",
        "a\\r\\n",
    );
    let link = differ(
        "link",
        "ln -s same l; echo o > other",
        "ln -s other l; echo o > other; echo more > more",
        "test \"$(cat l)\" = same",
        "l: fails",
    );
    assert!(link.contains("120000"), "{link}");
}

#[test]
fn a_search_that_was_killed_goes_on() {
    let place = history();
    place.script("t", &format!("sleep 0.1; {TEST}"));
    let mut command = place.command();
    command.args(["changes", "--good", "good", "--bad", "HEAD", "--", "./t"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // Some tests are in the journal.
    let journal = || {
        let sessions = fs::read_dir(place.path("state/wynot")).ok()?;
        let journal = sessions.flatten().next()?.path().join("journal.jsonl");
        fs::read_to_string(journal).ok()
    };
    while journal().is_none_or(|text| text.matches("\"test\":").count() <= 2) {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let found = json(&place, "changes --good good --bad HEAD -- ./t");
    assert_eq!(found["commits"][0]["subject"], "Make it faster");
    assert!(found["tests"]["replayed"].as_u64() > Some(0), "{found}");
    let fresh = json(&place, "changes --fresh -j 1 --good good --bad HEAD -- ./t");
    assert_eq!(fresh["difference"], found["difference"]);
    assert_eq!(fresh["tests"]["executed"], found["tests"]["executed"]);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let place = history();
    place.wynot("changes --good nothing --bad HEAD -- ./t").ends(2, "nothing is no directory");
    place.wynot("changes --good good --bad good -- ./t").ends(3, "are the same");
    place.wynot("changes --good HEAD --bad good -- ./t").ends(2, "the other way round");
    let unbuilt = ["changes", "--good", "good", "--bad", "HEAD", "--build", "exit 1", "--", "./t"];
    place.run(unbuilt).ends(3, "the bad version does not build");
    let limited = place.wynot("changes --fresh --max-tests 3 --good good --bad HEAD -- ./t");
    limited.ends(5, "the limit of 3 tests is reached");
    assert!(limited.stdout.contains(" 3 tests in "), "all parts together: {limited:?}");
    fs::write(place.path("x.tar"), "text").unwrap();
    place.wynot("changes --good x.tar --bad HEAD -- ./t").ends(2, "cannot unpack x.tar");
    sh(
        &place,
        "git clone -q --depth 1 file://$PWD shallow; cp t shallow; cd shallow; git fetch -q --depth 1 origin tag good",
    );
    let mut command = place.command();
    command.current_dir(place.path("shallow"));
    let shallow = ran(command.args(["changes", "--good", "good", "--bad", "HEAD", "--", "./t"]));
    shallow.ends(2, "git fetch --unshallow");
    place.wynot("changes --algorithm smart --good good --bad HEAD -- ./t").ends(2, "changes uses");
}
