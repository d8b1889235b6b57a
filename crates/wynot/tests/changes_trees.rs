//! The trees that are tested: modes, moved directories, clean builds, relative paths, files that git does not track, incomplete clones.

mod support;

use serde_json::Value;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use support::changes::sh;
use support::{Place, ran};

#[test]
fn only_the_executable_bit_of_a_mode_is_a_difference() {
    let place = Place::new();
    place.script("t", "sh ./run > out; grep -qx 5 out || { echo error: no five >&2; exit 1; }");
    sh(
        &place,
        "mkdir good bad; seq -f 'echo %g' 9 > good/run; cp good/run bad/run; echo x > good/other; echo x > bad/other
         sed -i 's/^echo 5$/echo V/; s/^echo 8$/echo VIII/' bad/run; chmod 664 bad/run good/other; chmod 600 bad/other",
    );
    let found = place.json("changes --good good --bad bad -- ./t");
    assert_eq!(
        (&found["difference"]["deltas"], &found["difference"]["of"]),
        (&1.into(), &2.into())
    );
    sh(&place, "chmod 755 bad/run");
    let found = place.json("changes --good good --bad bad -- ./t");
    assert_eq!(
        (&found["difference"]["deltas"], &found["difference"]["of"]),
        (&1.into(), &3.into())
    );
    let told = found["difference"]["changes"][0].as_str().unwrap();
    assert!(told.contains("echo V"), "{found}");
}

#[test]
fn a_moved_directory_is_compared_with_what_it_was() {
    // Every file has another path, so nothing works unless all of them are moved together with the lines that name them.
    let place = Place::new();
    place.script(
        "t",
        "out=$(sh ./main) || exit 125; test \"$out\" = '1 2 3 4 5 6' || { echo error: wrong sum >&2; exit 1; }",
    );
    sh(
        &place,
        "mkdir -p good/lib/old/deep
         for i in 1 2 3 4 5 6; do seq -f \"v${i}_%g=$i\" 9 > good/lib/old/part$i; done
         mv good/lib/old/part5 good/lib/old/part6 good/lib/old/deep
         { for i in 1 2 3 4; do echo \". lib/old/part$i\"; done; echo . lib/old/deep/part5; echo . lib/old/deep/part6
           echo 'echo $v1_1 $v2_2 $v3_3 $v4_4 $v5_5 $v6_6'; } > good/main
         cp -r good bad; mv bad/lib/old bad/lib/new; sed -i 's|lib/old|lib/new|' bad/main
         sed -i 's/v5_5=5/v5_5=7/; s/v5_8=5/v5_8=8/' bad/lib/new/deep/part5; sed -i 's/v2_7=2/v2_7=3/' bad/lib/new/part2",
    );
    let found = place.json("changes --good good --bad bad -- ./t");
    assert_eq!(found["difference"]["deltas"], 1, "{found}");
    let told = found["difference"]["changes"][0].as_str().unwrap();
    assert!(told.starts_with("lib/new/deep/part5, line 5"), "{found}");
    assert!(found["tests"]["executed"].as_u64().unwrap() < 20, "{found}");
    assert_eq!(found["audit"]["alone"], "fail", "{found}");
}

#[test]
fn a_path_can_be_what_breaks() {
    let place = Place::new();
    place.script("t", "test -f src/a.txt || { echo error: no a >&2; exit 1; }");
    sh(
        &place,
        "mkdir -p good/src bad/doc; seq 9 > good/src/a.txt; seq 8 > bad/doc/a.txt; echo x > good/x; echo y > bad/x",
    );
    let found = place.json("changes --good good --bad bad -- ./t");
    assert_eq!(found["difference"]["deltas"], 1, "{found}");
    let told = found["difference"]["changes"][0].as_str().unwrap();
    assert_eq!(told, "doc/a.txt: fails with this path instead of src/a.txt", "{found}");
}

#[test]
fn a_build_that_fails_beside_old_products_is_repeated_without_them() {
    // The list of headers that the compiler writes names one that the next version does not have.
    let place = Place::new();
    place.script("t", "test \"$(./prog)\" = 4 || { echo error: not four >&2; exit 1; }");
    sh(
        &place,
        "git init -q -b main .; printf 'state\\nt\\n' > .git/info/exclude
         printf -- '-include prog.d\\nprog: prog.c\\n\\tcc -MD -o prog prog.c\\n' > Makefile
         printf '#include <stdio.h>\\nint main(void) { printf(\"%%d\", 4); }\\n' > prog.c
         git add -A; git commit -qm Start; git tag good
         for i in 1 2 3 4; do
             echo 'extern int x;' > h$i.h; sed -i \"1i #include \\\"h$i.h\\\"\" prog.c; git add -A; git commit -qm \"Header $i\"
             git rm -q h$i.h; sed -i 1d prog.c; git commit -qam \"No header $i\"
         done
         sed -i 's/4)/5)/' prog.c; git commit -qam 'Break it'
         for i in 5 6 7 8; do
             echo 'extern int x;' > h$i.h; sed -i \"1i #include \\\"h$i.h\\\"\" prog.c; git add -A; git commit -qm \"Header $i\"
             git rm -q h$i.h; sed -i 1d prog.c; git commit -qam \"No header $i\"
         done",
    );
    let found = place.json("changes -j 1 --good good --bad main --build make -- ./t");
    assert_eq!(found["commits"][0]["subject"], "Break it", "{found}");
    assert_eq!(found["commits"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found["reasons"], serde_json::json!({}), "{found}");
}

#[test]
fn a_killed_build_leaves_no_product_of_an_earlier_version() {
    // As with make: without the list of prerequisites, a program that is there counts as up to date.
    let place = Place::new();
    place.script("t", "grep -q ok prog || { echo error: bad >&2; exit 1; }");
    sh(
        &place,
        "git init -q -b main .; printf 'state\\nt\\n' > .git/info/exclude
         printf 'if [ -f prog ] && ! { [ -f list ] && [ src -nt prog ]; }; then exit 0; fi\\necho src > list\\ngrep -q hang src && sleep 60\\ncp src prog\\n' > build.sh
         echo ok 0 > src; git add -A; git commit -qm Start; git tag good
         for i in $(seq 1 16); do
             case $i in 12) echo bad hang;; 1[0-9]) echo bad $i;; *) echo ok $i;; esac > src; git commit -qam \"Work $i\"
         done",
    );
    let build = ["changes", "--json", "-j", "1", "--timeout", "1s", "--build", "sh build.sh"];
    let ran = place.run(build.iter().chain(&["--good", "good", "--bad", "main", "--", "./t"]));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(found["commits"][0]["subject"], "Work 10", "{found}");
}

#[test]
fn relative_paths_lead_into_the_version_under_test() {
    let place = Place::new();
    sh(
        &place,
        "git init -q -b main .; echo state > .git/info/exclude
         mkdir sub; echo 'echo one' > m.sh; printf '#!/bin/sh\\nsh \"$1\" | grep -qx one || { echo error: not one >&2; exit 1; }\\n' > t
         chmod +x t; echo x > sub/x; git add -A; git commit -qm Start; git tag good
         echo 'echo two' > m.sh; git commit -qam Two; echo y > sub/x; git commit -qam Later; echo 'echo one' > m.sh",
    );
    let mut command = place.command();
    command.current_dir(place.path("sub"));
    command.args("changes --json --good good --bad main -- ../t ../m.sh".split(' '));
    let ran = ran(&mut command);
    assert_eq!(ran.code, Some(0), "the checkout has another m.sh, which passes: {ran:?}");
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(found["commits"][0]["subject"], "Two", "{found}");
}

#[test]
fn files_that_git_does_not_track_are_named_and_can_be_added() {
    let place = Place::new();
    place.script("t", "grep -qx \"$(cat settings)\" conf || { echo error: not set >&2; exit 1; }");
    sh(
        &place,
        "git init -q -b main .; printf 'state\\nt\\n' > .git/info/exclude
         echo a > conf; git add -A; git commit -qm Start; git tag good
         echo b > conf; git commit -qam Change; echo a > settings",
    );
    let refused = place.wynot("changes --good good --bad main -- ./t");
    assert_eq!(refused.code, Some(3), "{refused:?}");
    let hint = "hint: git does not track settings, so no version has it; --with settings adds it";
    assert!(refused.stderr.contains(hint), "{refused:?}");
    let found = place.json("changes --with settings --good good --bad main -- ./t");
    assert_eq!(found["commits"][0]["subject"], "Change", "{found}");
    let refused = place.wynot("changes --in . --good good --bad main -- ./t");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("--with PATH adds files to every version"), "{refused:?}");
    let refused = place.wynot("changes --with /etc/hostname --good good --bad main -- ./t");
    assert!(refused.stderr.contains("it is not in "), "{refused:?}");
}

#[test]
fn refusals_have_hints_of_this_verb() {
    let place = Place::new();
    place.script("t", "true");
    place.script("u", "echo error: always >&2; exit 1");
    sh(
        &place,
        "git init -q -b main .; printf 'state\\nt\\nu\\n' > .git/info/exclude
         echo a > conf; git add -A; git commit -qm Start; git tag good; echo b > conf; git commit -qam Change",
    );
    let both_pass = place.wynot("changes --good good --bad main -- ./t");
    assert_eq!(both_pass.code, Some(3), "{both_pass:?}");
    assert!(both_pass.stderr.contains("0 is good, 1 to 127 bad, 125 neither"), "{both_pass:?}");
    assert!(both_pass.stderr.starts_with("wynot: the test passes on the bad version\n"));
    let both_fail = place.wynot("changes --good good --bad main -- ./u");
    assert_eq!(both_fail.code, Some(3), "{both_fail:?}");
    assert!(both_fail.stderr.starts_with("wynot: the good version fails like the bad one\n"));
    for run in [both_pass, both_fail] {
        for foreign in ["wynot reduce", "--in .", "--passing"] {
            assert!(!run.stderr.contains(foreign), "{run:?}");
        }
    }
}

#[test]
fn shallow_clones_and_missing_objects_are_named_as_such() {
    let place = Place::new();
    place.script("t", "true");
    sh(
        &place,
        "git init -q -b main origin; cd origin
         for i in 1 2 3 4; do echo $i > n; echo $i > m; git add -A; git commit -qm \"Work $i\"; git tag v$i; done
         cd ..; git clone -q --depth 2 file://$PWD/origin shallow
         git clone -q --no-hardlinks origin damaged; cd damaged
         id=$(git rev-parse v1:n); rm -f .git/objects/$(echo $id | cut -c1-2)/$(echo $id | cut -c3-)",
    );
    let in_clone = |dir: &str, args: &str| {
        let mut command: Command = place.command();
        command.current_dir(place.path(dir)).args(args.split(' '));
        ran(&mut command)
    };
    let shallow = in_clone("shallow", "changes --good v1 --bad main -- ../t");
    assert_eq!(shallow.code, Some(2), "{shallow:?}");
    assert!(shallow.stderr.contains("the clone is shallow: git fetch --unshallow"), "{shallow:?}");
    let damaged = in_clone("damaged", "changes --good v1 --bad v4 -- ../t");
    assert_eq!(damaged.code, Some(2), "{damaged:?}");
    assert!(damaged.stderr.contains("is missing: the clone is partial or damaged"), "{damaged:?}");
}

#[test]
fn a_session_that_is_in_use_is_noticed_before_any_test() {
    let place = Place::new();
    place.script("t", "echo run >> \"$LOG\"; sleep 30");
    sh(&place, "mkdir good bad; echo a > good/x; echo b > bad/x");
    let search = |log: &str| {
        let mut command: Command = place.command();
        let args =
            ["changes", "--session", "state/one", "--good", "good", "--bad", "bad", "--", "./t"];
        command.args(args).env("LOG", place.path(log));
        command
    };
    let mut first = search("first").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while !place.path("first").exists() {
        assert!(Instant::now() < deadline, "the first search runs no test");
        std::thread::sleep(Duration::from_millis(10));
    }
    let second = ran(&mut search("second"));
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(second.code, Some(1), "{second:?}");
    assert!(second.stderr.contains("another wynot is working in"), "{second:?}");
    assert!(!place.path("second").exists(), "a test was run before: {second:?}");
}

#[test]
fn each_end_is_built_in_a_directory_without_products_of_the_other() {
    // The build believes any product that is there, whatever it was made of.
    let place = Place::new();
    place.script("t", "! grep -q 7 prog || { echo error: seven >&2; exit 1; }");
    sh(
        &place,
        "git init -q -b main .; printf 'state\\nt\\n' > .git/info/exclude
         seq 6 > src; git add -A; git commit -qm Start; git tag good
         sed -i 's/^3$/7/' src; git commit -qam Seven",
    );
    let build = "test -e prog || cp src prog";
    let ran = place.run([
        "changes", "--json", "-j", "1", "--good", "good", "--bad", "main", "--build", build, "--",
        "./t",
    ]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(found["audit"], serde_json::json!({"alone": "fail", "without": "pass"}), "{found}");
}
