//! From the commit to the line: changes that need each other, whole statements, more than one cause, and what is said
//! about the answer.

mod support;

use serde_json::{Value, json};
use support::Place;
use support::changes::sh;

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
    let place = repository(
        "printf 'def price(n):\\n    total = n * 3\\n    return total\\n\\nprint(price(4), price(0))\\n' > shop.py",
    );
    place.script(
        "t",
        "python3 shop.py > out 2>&1; case $(cat out) in '12 0') exit 0;; '12 5') echo error: charged >&2; exit 1;; esac; exit 125",
    );
    sh(
        &place,
        "printf 'def price(n):\\n    total = n * 3\\n    if n == 0:\\n        total = 5\\n    rest = total\\n    if rest > 100:\\n        rest = 100\\n    return rest\\n\\nprint(price(4), price(0))\\n' > shop.py
         git commit -qam Rules",
    );
    let found = place.json("changes --good good --bad main -- ./t");
    let told = changes(&found);
    assert_eq!(told.len(), 1, "{found}");
    assert!(told[0].contains("if n == 0:\\n        total = 5\\n"), "{found}");
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
    assert!(page.contains("audit: the good version fails with this alone"), "{page}");
    assert_eq!((&found["status"], &found["complete"]), (&"minimal".into(), &true.into()));
    let heading = std::fs::read_to_string(patch).unwrap();
    assert!(heading.starts_with("With this patch, "), "{heading}");
}

#[test]
fn functions_of_the_same_name_are_compared_with_each_other() {
    // The ends of blocks of the removed function look like those of the new one before it.
    let place = repository(
        "printf 'one() {\\n  if true; then\\n    echo a\\n  fi\\n}\\n\\ntwo() {\\n  if true; then\\n    echo b\\n  fi\\n}\\n\\none; two\\n' > s.c
         mv s.c prog",
    );
    sh(
        &place,
        "printf 'three() {\\n  if false; then\\n    echo x\\n  fi\\n  echo c\\n}\\n\\ntwo() {\\n  if true; then\\n    echo B\\n  fi\\n}\\n\\nthree; two\\n' > prog
         git commit -qam Rewrite",
    );
    place.script(
        "t",
        "sh ./prog > out 2>/dev/null || exit 125; grep -qi '^[ac]$' out || exit 125
         grep -qx b out || { echo error: no b >&2; exit 1; }",
    );
    let found = place.json("changes --good good --bad main -- ./t");
    let told = changes(&found);
    assert!(told.len() == 1 && told[0].contains("echo B"), "{found}");
    assert_eq!(found["audit"], json!({"alone": "fail", "without": "pass"}), "{found}");
}
