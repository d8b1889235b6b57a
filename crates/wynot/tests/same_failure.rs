//! Without a script and without conditions, only the failure of the original counts.

mod support;

use serde_json::{Value, json};
use support::changes::{change, found, sh};
use support::{Place, gcc};
use wynot_test_support::{Tool, require};

/// A compiler that has an internal error for `deep` inside of `box`, and complains about everything without `main`.
/// Every error ends with exit 1.
const COMPILER: &str = r#"
if grep -q 'box.*deep' "$1"; then
    echo "$1:$(grep -n deep "$1" | cut -d: -f1):7: internal compiler error: in fold_box, at fold.cc:1234" >&2
    exit 1
fi
if grep -q 'ring' "$1"; then
    echo "$1:1:7: internal compiler error: in fold_ring, at fold.cc:99" >&2
    exit 1
fi
grep -q main "$1" || { echo "$1:1:1: error: expected 'main'" >&2; exit 1; }
"#;

fn compiler() -> Place {
    let place = Place::new();
    place.script("cc", COMPILER);
    place.write("in.x", "main\none ring\ntwo\nbox of deep things\nthree\n");
    place
}

#[test]
fn an_internal_error_of_a_compiler_is_kept() {
    let place = compiler();
    let ran = place.wynot("reduce in.x -- ./cc {}");
    ran.ends(0, "exit 1 with internal compiler error in fold_box, at fold.cc:1234 is the failure");
    assert_eq!(place.text("in.min.x"), "boxdeep");
    assert!(ran.stdout.contains("failure: exit 1, internal compiler error in fold_box"), "{ran:?}");
    // Any error would do: the first one is that there is no `main`.
    let any = place.wynot("reduce --any-failure -o any.x in.x -- ./cc {}");
    assert_eq!(any.code, Some(3), "the empty input fails as well: {any:?}");
}

#[test]
fn internal_errors_are_crashes_for_same_crash() {
    let place = compiler();
    let ran = place.wynot("reduce --same-crash=1 in.x -- ./cc {}");
    ran.ends(0, "exit 1 after internal compiler error in fold_box is the failure");
    assert_eq!(place.text("in.min.x"), "boxdeep");
    assert!(!ran.stderr.contains("note:"), "{ran:?}");
}

#[test]
fn another_message_with_the_same_exit_code_is_another_failure() {
    let place = Place::new();
    place.script(
        "t",
        r#"
grep -q end "$1" || { echo "$1:9: no end in $(wc -c < "$1") bytes" >&2; exit 1; }
grep -q 'bad *[0-9]' "$1" && { echo "$1:3: bad value $(grep -o '[0-9]*' "$1" | head -1) of 'x'" >&2; exit 1; }
exit 0"#,
    );
    place.write("in.x", "start\nvalue bad 4711\nmore\nend\n");
    let ran = place.wynot("reduce in.x -- ./t {}");
    ran.ends(0, "exit 1 with \"./in.x:3: bad value 4711 of 'x'\" (names and numbers may differ)");
    assert_eq!(place.text("in.min.x"), "bad4end");
}

#[test]
fn names_of_the_input_may_change_in_a_message() {
    let place = Place::new();
    place.script(
        "t",
        r#"
name=$(grep -o 'use [a-z_]*' "$1" | head -1 | cut -d' ' -f2)
[ -n "$name" ] || { [ -s "$1" ] && { echo "nothing is used" >&2; exit 1; }; exit 0; }
echo "$1:3:5: undefined: $name" >&2; exit 1"#,
    );
    place.write("in.x", "line\nuse total_price_of_all\nother\n");
    place.wynot("reduce in.x -- ./t {}").ends(0, "undefined: total_price_of_all");
    assert_eq!(place.text("in.min.x").len(), "use a".len());
}

#[test]
fn addresses_and_identifiers_of_requests_do_not_make_a_test_flaky() {
    let place = Place::new();
    place.script(
        "service",
        r#"
id=$(od -An -N8 -tx8 /dev/urandom | tr -d ' ')
answer() { printf '{"request": "%s", "error": {"code": "%s", "message": "%s at 0x%s"}}\n' "$id" "$1" "$2" "$id"; exit 1; }
grep -q name "$1" || answer E_NAME "the name is missing"
grep -q 'limit.*9' "$1" && answer E_LIMIT "limit $(wc -c < "$1") exceeded"
grep -q limit "$1" || answer E_NOLIMIT "no limit given"
exit 0"#,
    );
    place.write("in.json", "{\n\"name\": \"x\",\n\"other\": [1, 2, 3],\n\"limit\": 9000\n}\n");
    let object = place.json("reduce --unit line,char in.json -- ./service {}");
    assert_eq!(object["status"], "minimal", "{object}");
    assert_eq!(place.text("in.min.json"), "namelimit9");
    assert_eq!(object["failure"]["ending"], "exit 1");
    assert_eq!(object["result_failure"]["same"], true);
    assert!(object["result_failure"]["message"].as_str().unwrap().starts_with("code: E_LIMIT"));
}

#[test]
fn an_exception_is_known_by_its_class_and_function() {
    require!(Tool::Python);
    let place = Place::new();
    place.write(
        "tool.py",
        "import sys\nclass Node: pass\ndef check(text):\n    if 'x' not in text: raise ValueError('no x')\n    \
         return text\ndef fold(text):\n    if 'deep' in text: raise ValueError(f'{Node()} is too deep')\n\
         def main():\n    fold(check(open(sys.argv[1]).read()))\nmain()\n",
    );
    place.write("in.t", "one\nx\ntwo deep three\n");
    let tool = place.path("tool.py");
    let ran = place.wynot(&format!("reduce in.t -- python3 {} {{}}", tool.display()));
    ran.ends(0, "exit 1 with ValueError in fold");
    assert_eq!(place.text("in.min.t"), "deepx");
    // The functions of a program that is itself reduced do not count.
    place.write("own.py", "import os\ndef helper(n):\n    return 1 / n\nprint('a')\nhelper(0)\n");
    let ran = place.wynot("reduce own.py -- python3 {}");
    ran.ends(0, "exit 1 with ZeroDivisionError: division by zero is the failure");
    assert!(place.read("own.min.py").len() <= 4, "{ran:?}");
}

#[test]
fn crashes_in_other_functions_are_other_failures() {
    let place = Place::new();
    let source = "#include <stdio.h>\n#include <string.h>\n#include <stdlib.h>\nstatic char text[4096];\n\
        __attribute__((noinline)) void first(volatile int *p) { *p = 1; }\n\
        __attribute__((noinline)) void second(volatile char *p) { *p = 2; }\n\
        int main(int n, char **v) { FILE *f = fopen(v[1], \"r\"); fread(text, 1, 4095, f);\n\
        if (!strstr(text, \"b\")) return 0; if (strstr(text, \"aa\")) first(0); second(0); }\n";
    gcc(&place, "crash", &["-w", "-O0", "-g"], source);
    place.write("in.t", "xx\naa\nyy b\nzz\n");
    let ran = place.wynot("reduce in.t -- ./crash {}");
    ran.ends(0, "signal SEGV in first ← main is the failure");
    assert_eq!(place.text("in.min.t").len(), 3, "{ran:?}");
    place.wynot("reduce --any-failure -o any.t in.t -- ./crash {}");
    assert_eq!(place.text("any.t"), "b");
    // A shell reports the signal of its command by its exit code.
    let program = place.path("crash");
    place.script("sh", &format!("{} \"$1\"\nexit $?", program.display()));
    place.wynot("reduce -o sh.t in.t -- ./sh {}").ends(0, "exit 139 with signal SEGV in first");
    assert_eq!(place.text("sh.t").len(), 3);
}

#[test]
fn a_note_quotes_what_was_printed_and_is_there_also_after_a_limit() {
    let place = Place::new();
    place.script(
        "t",
        r#"
[ -s "$1" ] || exit 0
grep -q deep "$1" && { echo "error: 'deep' at 0x7ffe12ab" >&2; exit 1; }
echo "error: nothing in line 7" >&2; exit 1"#,
    );
    place.write("in.t", "one\ntwo\ndeep\nthree\n");
    for limit in ["", "--max-tests 3 --fresh "] {
        let ran = place.wynot(&format!("reduce --any-failure {limit}in.t -- ./t {{}}"));
        assert!(
            ran.stderr
                .contains("note: the original showed exit 1, \"error: 'deep' at 0x7ffe12ab\""),
            "{ran:?}"
        );
        assert!(
            ran.stderr.contains("the result shows exit 1, \"error: nothing in line 7\""),
            "{ran:?}"
        );
        assert!(ran.stderr.contains("; without --any-failure, only"), "{ran:?}");
    }
    // A script decides itself; there, other advice helps.
    place.script("script", "./t \"$1\"; [ $? = 1 ]");
    let script = format!("reduce --in . -o s.t in.t -- {} {{}}", place.path("script").display());
    place.wynot(&script).ends(0, "to keep the failure, say what it is with --fail-when");
    let object = place.json("reduce --any-failure in.t -- ./t {}");
    assert_eq!(object["result_failure"]["same"], false, "{object}");
    let ran = place.wynot("reduce --any-failure --report page.html in.t -- ./t {}");
    assert!(
        place.text("page.html").contains("which is not the failure of the original"),
        "{ran:?}"
    );
}

#[test]
fn isolate_and_options_keep_the_failure() {
    let place = Place::new();
    place.script(
        "t",
        r#"
case "$*" in *--magic*) echo "error: magic hash 9f8e7d6c5b4a at 0x$(od -An -N6 -tx1 /dev/urandom | tr -d ' ')" >&2; exit 1;; esac
case "$*" in *--odd*) [ "${*#*--even}" = "$*" ] && { echo "error: odd without even" >&2; exit 1; };; esac
exit 0"#,
    );
    let options = "--a --odd --even --magic --b";
    let ran = place.run(["options", "--json", "--vary", options, "--", "./t", "{options}"]);
    let object: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    assert_eq!(object["causes"][0]["deltas"], json!(["--magic"]), "{object}");
    let place = Place::new();
    place.script(
        "t",
        r#"
grep -q 'c' "$1" && { echo "error: c at 0x$(od -An -N6 -tx1 /dev/urandom | tr -d ' ')" >&2; exit 1; }
[ "$(head -c1 "$1")" = a ] || { echo "error: no a" >&2; exit 1; }"#,
    );
    place.write("good", "ab\n");
    place.write("bad", "xbc\n");
    let object = place.json("isolate --unit char --passing good bad -- ./t {}");
    assert_eq!(object["difference"]["deltas"], 1, "{object}");
    assert!(object["difference"]["changes"][0].as_str().unwrap().contains('c'), "{object}");
}

#[test]
fn conditions_can_be_negated() {
    let place = compiler();
    let condition = "stderr!~expected";
    let ran = place
        .wynot(&format!("reduce --fail-when exit=1 --fail-when {condition} in.x -- ./cc {{}}"));
    ran.ends(0, "exit=1 and stderr!~expected is the failure");
    let result = place.text("in.min.x");
    assert!(["ring", "boxdeep"].contains(&result.as_str()), "{result}");
    place
        .wynot("reduce --fail-when exit!=0 in.x -- ./cc {}")
        .ends(3, "ends on the empty input as it does on the original");
    place.wynot("reduce --fail-when exit!=x in.x -- ./cc {}").ends(2, "exit!=N, stdout!~REGEX");
}

#[test]
fn new_errors_of_a_real_compiler_can_be_excluded() {
    let place = Place::new();
    let source =
        "struct point { int x; };\nint size(struct point *p)\n{\n  return p->x + p->missing;\n}\n";
    place.write("in.c", source);
    let test = "gcc -fsyntax-only -fdiagnostics-color=never {}";
    place.wynot(&format!("reduce --fail-when stderr~missing in.c -o any.c -- {test}")).ends(0, "");
    let ran = place.wynot(&format!("reduce --no-new-errors in.c -- {test}"));
    ran.ends(0, "there may be no new errors");
    let result = place.text("in.min.c");
    let errors = |file: &str| {
        let mut command = std::process::Command::new("gcc");
        place.prepare(&mut command);
        let ran = support::ran(command.args(["-fsyntax-only", file]));
        ran.stderr.lines().filter(|line| line.contains("error: ")).count()
    };
    assert_eq!(errors("in.min.c"), 1, "{result}");
    assert!(ran.stdout.contains("had new errors"), "{ran:?}");
}

#[test]
fn a_result_is_verified_and_resumed_where_it_was_named() {
    let place = Place::new();
    place.script("t", "! { grep -q x \"$1\" && grep -q 7 \"$1\"; }");
    let test = place.path("t");
    for name in ["one", "two"] {
        std::fs::create_dir(place.path(name)).unwrap();
        place.write(&format!("{name}/in.txt"), "a x\nb\nc 7\nd\n");
    }
    let run = |directory: &str, args: &str| {
        let mut command = place.command();
        command.current_dir(place.path(directory)).args(args.split_whitespace());
        support::ran(&mut command)
    };
    let reduce = format!("reduce in.txt -- {} {{}}", test.display());
    // The search of one directory is stopped; the other one has the same input and the same test.
    run("one", &reduce.replace("in.txt", "--max-tests 3 in.txt"));
    let first = place.text("one/in.min.txt");
    assert_eq!(run("two", &reduce).code, Some(0));
    assert_eq!(place.text("two/in.min.txt"), "7x");
    assert_eq!(place.text("one/in.min.txt"), first);
    run("one", "verify in.min.txt").ends(2, "nothing is proved yet about");
    let resumed = run("one", "resume");
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    assert_eq!(place.text("one/in.min.txt"), "7x");
    // What is verified are the bytes of the file that was named.
    place.write("one/in.min.txt", "x 7");
    run("one", "verify in.min.txt")
        .ends(4, "one/in.min.txt is not what the session has ended with");
    let confirmed = run("two", "verify in.min.txt");
    assert!(confirmed.stdout.contains("two/in.min.txt: 1-minimal"), "{confirmed:?}");
    assert!(confirmed.stdout.contains("BLAKE3"), "{confirmed:?}");
    run("two", "verify ../one/in.min.txt").ends(4, "one/in.min.txt is not what");
}

#[test]
fn results_stay_valid_for_a_second_command() {
    let place = Place::new();
    place.write("in.json", "{\"a\": [1, 2, {\"deep\": true}], \"b\": \"x y\", \"c\": null}\n");
    place.script("t", "grep -q deep \"$1\" && { echo 'error: deep' >&2; exit 1; }; exit 0");
    require!(Tool::Python);
    let any = place.json("reduce -o any.json in.json -- ./t {}");
    assert_eq!(place.text("any.json"), "deep", "{any}");
    let valid = [
        "reduce",
        "--json",
        "--valid-when",
        "python3 -m json.tool {}",
        "in.json",
        "--",
        "./t",
        "{}",
    ];
    let mut counts = Vec::new();
    for jobs in ["1", "4"] {
        let ran = place.run(["reduce", "--fresh", "-j", jobs].iter().chain(&valid[1..]));
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(place.text("in.min.json"), "\"deep\"");
        let object: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert!(object["reasons"]["not valid"].as_u64() >= Some(1), "{object}");
        counts
            .push([&object["tests"]["executed"], &object["tests"]["unresolved"]].map(Value::clone));
    }
    assert_eq!(counts[0], counts[1], "the same for every number of jobs");
    let verified = place.wynot("verify in.min.json");
    assert!(verified.stdout.contains("confirmed by"), "{verified:?}");
    // A command for the shell, and one that does not succeed on the original.
    let piped = [
        "reduce",
        "--valid-when",
        "cat {} | python3 -m json.tool",
        "-o",
        "p.json",
        "in.json",
        "--",
        "./t",
        "{}",
    ];
    assert_eq!(place.run(piped).code, Some(0));
    assert_eq!(place.text("p.json"), "\"deep\"");
    let missing = ["reduce", "--valid-when", "no-such-command", "in.json", "--", "./t", "{}"];
    place.run(missing).ends(2, "--valid-when: cannot run no-such-command");
    let never = ["reduce", "--valid-when", "false", "in.json", "--", "./t", "{}"];
    place
        .run(never)
        .ends(3, "the original is not valid: the command of --valid-when ends with exit 1");
}

#[test]
fn a_crash_between_versions_is_a_failure_however_it_is_asked_for() {
    let place = Place::new();
    sh(
        &place,
        "mkdir good bad
         printf 'int get(int *p) { return p ? *p : 0; }\\nint two = 2;\\nint main(void) { return get(0); }\\n' > good/p.c
         sed 's/p ? \\*p : 0/*p/; s/two = 2/two = 4/' good/p.c > bad/p.c",
    );
    let sides = ["--good", "good", "--bad", "bad", "--build", "gcc -O0 -o p p.c"];
    for options in
        [&[] as &[&str], &["--same-crash=1"], &["--fail-when", "signal=SEGV"], &["--any-failure"]]
    {
        let args = ["--fresh"].iter().chain(options).chain(&sides).chain(&["--", "./p"]);
        // Another build without products of earlier ones confirms it.
        let answer = found(&place, &args.copied().collect::<Vec<_>>());
        assert!(change(&answer).contains("return *p"), "{options:?}: {answer}");
    }
}

/// A program that runs another one without the right to trace processes.
const WITHOUT_PTRACE: &str = r#"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {4, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) return 77;
    execv(argv[1], argv + 1);
    return 78;
}
"#;

#[test]
fn where_tracing_is_forbidden_the_signal_counts() {
    let place = Place::new();
    gcc(&place, "without", &["-w"], WITHOUT_PTRACE);
    place.script("t", "grep -q x \"$1\" && kill -SEGV $$; exit 0");
    place.write("in.t", "one x two\n");
    let mut command = std::process::Command::new(place.path("without"));
    place.prepare(&mut command);
    let wynot = env!("CARGO_BIN_EXE_wynot");
    let ran = support::ran(command.args([wynot, "reduce", "in.t", "--", "./t", "{}"]));
    if ran.code == Some(77) {
        println!("this system has no filters of system calls");
        return;
    }
    ran.ends(0, "signal SEGV without a message is the failure");
    assert_eq!(place.text("in.min.t"), "x");
}
