//! From the commit to the line: changes that need each other, whole statements, more than one cause, and what is said
//! about the answer.

mod support;

use serde_json::{Value, json};
use support::Place;
use support::changes::sh;
use wynot_test_support::records_reads;

/// The changes of an answer, in words.
fn changes(found: &Value) -> Vec<&str> {
    let changes = found["difference"]["changes"].as_array().unwrap();
    changes.iter().map(|change| change.as_str().unwrap()).collect()
}

/// A repository with a first commit, which is good.
fn repository(script: &str) -> Place {
    let place = Place::new();
    sh(
        &place,
        &format!(
            "git init -q -b main .; printf 'state\\nt\\n' > .git/info/exclude
             {script}
             git add -A; git commit -qm Start; git tag good"
        ),
    );
    place
}

/// Twenty C files with a function each, all of which are renamed and get another parameter; one of them is wrong, too.
fn renamed() -> Place {
    let place = repository(
        "for i in $(seq 1 20); do
             printf 'int f%s(int x);\\n' $i >> all.h
             printf '#include \"all.h\"\\nint f%s(int x)\\n{\\n    int y = x + %s;\\n    return y;\\n}\\n' $i $i > f$i.c
         done
         { echo '#include <stdio.h>'; echo '#include \"all.h\"'; echo 'int main(void)'; echo '{'; echo '    int s = 0;'
           for i in $(seq 1 20); do echo \"    s += f$i(s);\"; done
           echo '    printf(\"%d\", s);'; echo '}'; } > main.c
         printf 'prog: $(patsubst %%.c,%%.o,$(wildcard *.c))\\n\\tcc -o $@ $^\\n%%.o: %%.c all.h\\n\\tcc -c -Werror=implicit -o $@ $<\\n' > Makefile",
    );
    sh(
        &place,
        "sed -i 's/int f\\([0-9]*\\)(int x)/int func\\1(int x, int z)/; s/int y = x + /int y = x + z + /' *.c all.h
         sed -i 's/f\\([0-9]*\\)(s)/func\\1(s, 0)/' main.c
         sed -i 's/z + 7;/z + 8;/' f7.c
         git commit -qam 'Rename everything'",
    );
    place
}

#[test]
fn changes_that_need_each_other_are_tested_together() {
    let place = renamed();
    place.script(
        "t",
        "./prog > out || exit 125; test $(cat out) = 2097130 || { echo error: wrong sum >&2; exit 1; }",
    );
    let found = place.json("changes --good good --bad main --build make -- ./t");
    let told = changes(&found);
    assert!(told.len() == 1 && told[0].contains("z + 8"), "{found}");
    assert_eq!(found["audit"]["alone"], "fail", "{found}");
    assert_eq!(found["audit"]["without"], "pass", "{found}");
    assert!(found["tests"]["executed"].as_u64() <= Some(60), "{found}");
}

#[test]
fn an_answer_is_a_whole_statement() {
    // Without its condition, the second line of the new statement fails in the same way.
    let place = repository(
        "printf '#include <stdio.h>\\nint price(int n)\\n{\\n    int total = n * 3;\\n    return total;\\n}\\nint main(void) { printf(\"%%d\", price(0)); }\\n' > shop.c",
    );
    place.script("t", "test \"$(./shop)\" = 0 || { echo error: charged >&2; exit 1; }");
    sh(
        &place,
        "sed -i 's/    return total;/    if (n == 0)\\n        total = 5;\\n    if (total > 100)\\n        total = 100;\\n    return total;/' shop.c
         git commit -qam Rules",
    );
    let args = [
        "changes",
        "--json",
        "--good",
        "good",
        "--bad",
        "main",
        "--build",
        "cc -o shop shop.c",
        "--",
        "./t",
    ];
    let ran = place.run(args);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    let told = changes(&found);
    assert_eq!(told.len(), 1, "{found}");
    assert!(told[0].contains("if (n == 0)\\n        total = 5;\\n"), "{found}");
    assert_eq!(found["difference"]["deltas"], 2, "{found}");
}

#[test]
fn a_second_cause_in_the_same_commit_is_part_of_the_answer() {
    let place = repository("for i in $(seq 9); do echo line $i; echo; done > a; cp a b");
    place.script("t", "! grep -q broken a b || { echo error: broken >&2; exit 1; }");
    sh(
        &place,
        "sed -i 's/line 3/broken 3/; s/line 5/other 5/; s/line 7/broken 7/' a; sed -i 's/line/text/' b; git commit -qam Work",
    );
    let found = place.json("changes --good good --bad main -- ./t");
    assert_eq!(found["difference"]["deltas"], 2, "{found}");
    assert_eq!(found["other_causes"], true, "{found}");
    assert_eq!(found["audit"], json!({"alone": "fail", "without": "pass"}), "{found}");
    let told = place.wynot("changes --good good --bad main -- ./t").stdout;
    assert!(told.contains("other lines also cause it"), "{told}");
}

#[test]
fn the_answer_says_to_what_it_applies_and_takes_itself_out_of_the_bad_version() {
    let place = repository("seq 30 > a; echo 1 > notes");
    place.script("t", "! grep -qx broken a || { echo error: broken >&2; exit 1; }");
    sh(
        &place,
        "for i in 2 3 4; do echo $i > notes; git commit -qam \"Note $i\"; done
         sed -i 's/^7$/broken/; s/^20$/twenty/' a; git commit -qam 'Break it'; git tag culprit
         for i in 5 6 7; do echo $i > notes; git commit -qam \"Note $i\"; done",
    );
    let found = place.json("changes --report page.html --good good --bad main -- ./t");
    assert_eq!(found["commits"][0]["subject"], "Break it", "{found}");
    let revert = found["revert"]["patch"].as_str().unwrap();
    assert_eq!(
        (&found["revert"]["version"], &found["revert"]["outcome"]),
        (&"main".into(), &"pass".into())
    );
    let patch = found["patch"].as_str().unwrap();
    sh(
        &place,
        &format!(
            "test $(git rev-parse culprit^) = {}
             git worktree add -q ../wt-{pid} culprit^; cd ../wt-{pid}; git apply {patch}; grep -qx broken a; cd -
             git worktree remove --force ../wt-{pid}
             git apply {revert}; ! grep -qx broken a; grep -qx twenty a",
            found["applies_to"].as_str().unwrap(),
            pid = std::process::id()
        ),
    );
    let page = place.text("page.html");
    assert!(page.contains("The good version fails with this alone"), "{page}");
    assert_eq!((&found["status"], &found["complete"]), (&"minimal".into(), &true.into()));
    let heading = std::fs::read_to_string(patch).unwrap();
    assert!(heading.starts_with("With this patch, "), "{heading}");
}

#[test]
fn files_that_the_test_does_not_read_are_ruled_out_by_one_test() {
    let place = Place::new();
    sh(
        &place,
        "mkdir good bad; for i in $(seq 200); do echo old $i > good/f$i; echo new $i > bad/f$i; done
         printf '1\\nlimit 8\\n3\\n' > good/conf; printf '1\\nlimit 0\\n3\\n' > bad/conf",
    );
    place.script("t", "! grep -q 'limit 0' conf || { echo error: no limit >&2; exit 1; }");
    let found = place.json("changes --good good --bad bad -- ./t");
    assert_eq!(
        changes(&found),
        [r#"conf, line 2, column 1: fails with "limit 0\n" instead of "limit 8\n""#]
    );
    // One for the 200 files, one with the line alone, and the audit; else a bisection.
    let is_recorded =
        ["/dev/shm", "."].iter().all(|dir| records_reads(&place.dir.path().join(dir)));
    let most = if is_recorded { 4 } else { 12 };
    assert!(found["tests"]["executed"].as_u64() <= Some(most), "{found}");
    // A file that is not read can matter all the same.
    place.script("t", "test ! -e f201 || { echo error: too many >&2; exit 1; }");
    sh(&place, "echo > bad/f201");
    let found = place.json("changes --good good --bad bad -- ./t");
    assert!(changes(&found)[0].starts_with("f201"), "{found}");
    assert_eq!(found["audit"], json!({"alone": "fail", "without": "pass"}));
}

#[test]
fn a_message_about_another_name_is_another_failure() {
    let place = Place::new();
    place.script("t", "sh ./run");
    let part = |name: &str, value: &str| {
        format!(
            "{name}={value}\n[ ${name} = 1 ] || {{ echo \"error: no '{name}' in the list\" >&2; exit 1; }}\n"
        )
    };
    sh(&place, "mkdir good bad");
    place.write("good/run", part("first", "1") + &part("second", "1"));
    place.write("bad/run", part("first", "2") + &part("second", "2"));
    let found = place.json("changes --good good --bad bad -- ./t");
    let changes = &found["difference"]["changes"];
    assert!(changes[0].as_str().unwrap().contains("first=2"), "{found}");
    assert_eq!(
        (&found["difference"]["deltas"], &found["audit"]["alone"]),
        (&1.into(), &"fail".into())
    );
}

#[test]
fn the_commit_is_named_as_soon_as_it_is_known_and_what_a_change_needs_is_shown() {
    let place = Place::new();
    place.script(
        "t",
        "out=$(sh ./run) || exit 125; test $out = 5 || { echo error: not five >&2; exit 1; }",
    );
    sh(
        &place,
        "git init -q -b main .; printf 'state\\nt\\n' > .git/info/exclude
         printf 'set -e\\ntwo=2\\n\\n\\necho $((two + 3))\\n' > run; git add -A; git commit -qm Start; git tag good
         echo x > other; git add -A; git commit -qm Other
         printf 'set -e\\ntwo=2\\nadd_up() { echo $(($1 + $2)); }\\n\\n\\nadd_up $two 4\\n' > run; git commit -qam 'Break it'",
    );
    let ran = place.wynot("changes --good good --bad main -- ./t");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let announced = ran.stderr.lines().any(|line| {
        line.starts_with("wynot: it is commit ") && line.contains("Break it; the search goes on")
    });
    assert!(announced, "{ran:?}");
    assert!(ran.stdout.contains("  needed: run, line "), "{ran:?}");
    assert!(
        ran.stdout.contains(" that it needs, 1-minimal")
            || ran.stdout.contains(" that they need, 1-minimal"),
        "{ran:?}"
    );
}

#[test]
fn what_the_failure_is_about_is_tested_first() {
    // Hardly any mixture of the hundred changes can be tested.
    let place = Place::new();
    place.script(
        "t",
        "n=$(cat part*.sh payroll.sh | grep -c new); [ $n -le 2 ] || [ $n -ge 99 ] || exit 125
         ! grep -q new payroll.sh || { echo error: the payroll is wrong >&2; exit 1; }",
    );
    sh(
        &place,
        "mkdir good bad; for i in $(seq 1 99) payroll; do
             case $i in payroll) file=payroll.sh;; *) file=part$i.sh;; esac
             printf 'value old\\nend\\n' > good/$file; printf 'value new\\nend\\n' > bad/$file
         done",
    );
    let found = place.json("changes --good good --bad bad -- ./t");
    assert_eq!(changes(&found).len(), 1, "{found}");
    assert!(changes(&found)[0].starts_with("payroll.sh, line 1"), "{found}");
    assert!(found["tests"]["executed"].as_u64().unwrap() < 60, "{found}");
}

#[test]
fn other_places_that_decide_are_named() {
    let place = repository("echo off > a; echo 'x = 1' > b.py");
    sh(
        &place,
        "echo on > a; printf 'y = join(\\n    1,\\n    2,\\n    3,\\n)\\n' >> b.py; git commit -qam Work",
    );
    place.script("t", "! { grep -q on a && grep -q y b.py; } || { echo error: both >&2; exit 1; }");
    let found = place.json("changes --good good --bad main -- ./t");
    assert_eq!(changes(&found), [r#"a, line 1, column 1: fails with "on\n" instead of "off\n""#]);
    let others = found["other_places"].as_array().unwrap();
    assert!(others.len() == 1 && others[0][0].as_str().unwrap().contains("y = join("), "{found}");
    let ran = place.wynot("changes --fresh --good good --bad main -- ./t");
    assert!(ran.stdout.contains("decides as well: b.py, line 2"), "{}", ran.stdout);
}

#[test]
fn lines_that_are_replaced_are_shown_with_what_replaces_them() {
    // Neither half of the new body works with the other half of the old one.
    let place = repository(
        "printf '#include <stdio.h>\\nint wide(int n)\\n{\\n    int w = n * 2;\\n    w = w + 1;\\n    w = w - 1;\\n    return w == 4;\\n}\\nint main(void) { printf(\"%%d\", wide(2)); }\\n' > w.c",
    );
    sh(&place, "sed -i '/int w = n/,/return w/c\\    return n > 2;' w.c; git commit -qam Shorter");
    place.script("t", "test \"$(./w)\" = 1 || { echo error: narrow >&2; exit 1; }");
    let args = ["changes", "--json", "--good", "good", "--bad", "main", "--build"];
    let ran = place.run(args.into_iter().chain(["cc -Werror -Wall -o w w.c", "--", "./t"]));
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(changes(&found).concat().contains("return n > 2;"), "{found}");
    assert_eq!(
        (&found["audit"]["alone"], &found["audit"]["without"]),
        (&json!("fail"), &json!("pass"))
    );
}

#[test]
fn names_that_do_not_matter_are_neither_needed_nor_taken_out() {
    // The line of the answer uses names that other lines define, and defines one that others use.
    let place = Place::new();
    sh(
        &place,
        "mkdir good bad; for i in 1 2 3 4 5 6; do
             echo \"first_$i = 0\" > good/a$i.txt; echo \"other_$i = 1\" > bad/a$i.txt
             echo old > good/b$i.txt; echo \"show total_sum twice\" > bad/b$i.txt
         done
         echo 'total = 0' > good/conf.txt
         echo 'total_sum = other_1 + other_2 + other_3 + other_4 + other_5 + other_6' > bad/conf.txt",
    );
    place.script("t", "! grep -q total_sum conf.txt || { echo error: wrong sum >&2; exit 1; }");
    let found = place.json("changes --good good --bad bad -- ./t");
    assert!(changes(&found)[0].starts_with("conf.txt, line 1"), "{found}");
    assert_eq!(found["audit"], json!({"alone": "fail", "without": "pass"}), "{found}");
    let revert = std::fs::read_to_string(found["revert"]["patch"].as_str().unwrap()).unwrap();
    assert_eq!(revert.matches("diff --git").count(), 1, "{revert}");
}

#[test]
fn an_assertion_of_another_expression_is_another_failure() {
    let place = repository(
        "printf 'int main(void)\\n{\\n    int first = 1;\\n\\n    int last = 1;\\n    assert(first == 1);\\n    assert(last == 1);\\n}\\n' > a.c
         sed -i '1i #include <assert.h>' a.c",
    );
    sh(&place, "sed -i 's/first = 1/first = 2/; s/last = 1/last = 2/' a.c; git commit -qam Work");
    place.script("t", "./a || exit 1");
    let args = ["changes", "--json", "--good", "good", "--bad", "main", "--build", "cc -o a a.c"];
    let ran = place.run(args.into_iter().chain(["--", "./t"]));
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(changes(&found).concat().contains("first = 2"), "{found}");
    assert_eq!(found["difference"]["deltas"], 1, "{found}");
}
