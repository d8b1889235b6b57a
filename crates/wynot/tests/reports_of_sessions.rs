//! What `wynot report` and `wynot verify` say about sessions of every kind.

mod support;

use std::process::Command;
use support::{Place, gcc, ran};
use wynot_test_support::{Tool, require};

/// A program that fails if its file has another name than the passing one in the middle.
const PROGRAM: &str = "\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int length(const char *name)
{
    const char *end = strchr(name, ';');
    if (strcmp(name, \"bob;\") != 0)
        end = 0;
    return *end;
}
int main(int argc, char **argv)
{
    char line[200];
    FILE *in = fopen(argv[1], \"r\");
    int sum = 0;
    while (fgets(line, sizeof line, in))
        if (line[0] == '>') {
            line[strcspn(line, \"\\n\")] = 0;
            sum += length(line + 1);
        }
    return sum == 0;
}
";

/// A place in which an explanation has ended; its page and what it printed.
fn explained() -> (Place, String, String) {
    let place = Place::new();
    gcc(&place, "p", &["-g", "-O0"], PROGRAM);
    let text = |name: &str| format!("# {}\n>{name};\n# {}\n", "a".repeat(80), "z".repeat(80));
    place.write("ok.txt", text("bob"));
    place.write("bad.txt", text("dob"));
    let args =
        ["explain", "--report", "r.html", "--pass", "./p ok.txt", "--fail", "./p bad.txt", "-q"];
    let found = place.run(args);
    assert_eq!(found.code, Some(0), "{found:?}");
    let page = place.text("r.html");
    (place, page, found.stdout)
}

#[test]
fn an_explanation_has_its_reports() {
    let (place, page, printed) = explained();
    let reported = place.wynot("report");
    assert_eq!((reported.code, reported.stdout), (Some(0), page.clone()));
    let sessions = place.wynot("sessions").stdout;
    assert!(sessions.contains("explained"), "{sessions}");
    let issue = place.wynot("report --markdown").stdout;
    assert!(issue.contains("wynot explain --pass './p ok.txt' --fail './p bad.txt'\n"), "{issue}");
    assert!(issue.contains("1. In main at p.c:") && issue.contains("signal SEGV"), "{issue}");
    assert!(!issue.contains("Interrupted") && issue.contains("--gdb steps"), "{issue}");
    let sarif = place.wynot("report --sarif").stdout;
    let sarif: serde_json::Value = serde_json::from_str(&sarif).unwrap();
    let flow = &sarif["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"];
    assert!(flow.as_array().unwrap().len() > 1, "{sarif:#}");
    // The steps have the numbers of the terminal.
    let steps = printed.lines().filter(|line| line.contains(". Execution ")).count();
    let numbers = page.split("<span class=\"number\">").skip(1);
    let numbers = numbers.filter_map(|rest| rest.split('<').next()?.parse::<usize>().ok());
    assert_eq!(numbers.collect::<Vec<_>>(), (1..=steps).collect::<Vec<_>>(), "{printed}");
}

#[test]
fn a_file_is_no_variable_and_its_difference_is_in_sight() {
    let (_place, page, printed) = explained();
    let words = "the content of the input file ";
    // The file that the failing run was given.
    assert!(printed.contains(&format!("{words}bad.txt is now ...")), "{printed}");
    assert!(page.contains(&format!(">{words}<code>bad.txt</code> is now <mark>")), "{page}");
    assert!(!page.contains(">variable <code>register"), "{page}");
    let values = page.split("<text class=\"value\"").skip(1);
    let mut values = values.filter_map(|rest| rest.split('>').nth(1));
    assert!(values.next().unwrap().contains("dob") && values.next().unwrap().contains("bob"));
}

#[test]
fn verify_runs_the_experiments_of_an_explanation_again() {
    let (place, _, printed) = explained();
    let steps = printed.lines().filter(|line| line.contains(". Execution ")).count();
    let verified = place.wynot("verify -q");
    assert_eq!(verified.code, Some(0), "{verified:?}");
    assert!(verified.stdout.contains("the chain of ") && steps > 1, "{verified:?}");
    let object = place.wynot("verify -q --json");
    let object: serde_json::Value = serde_json::from_str(&object.stdout).unwrap();
    assert_eq!(object["confirmed"], true, "{object}");
    assert!(object["tests"]["executed"].as_u64() > Some(1), "{object}");
    // The session itself is as it was.
    let again = place.wynot("report --markdown").stdout;
    assert!(again.contains("1. In main at p.c:"), "{again}");
    // Another file gives another chain.
    place.write("bad.txt", format!("# {}\n>eve;\n", "a".repeat(80)));
    place.wynot("verify -q").ends(4, "is another one when it is searched again");
}

#[test]
fn an_explanation_that_was_stopped_says_so() {
    let (place, ..) = explained();
    let args =
        ["explain", "--max-tests", "1", "--fresh", "--pass", "./p ok.txt", "--fail", "./p bad.txt"];
    place.run(args);
    let sessions = place.wynot("sessions").stdout;
    assert!(sessions.contains("stopped"), "{sessions}");
    let issue = place.wynot("report --markdown").stdout;
    assert!(issue.contains("The search was stopped"), "{issue}");
}

/// A history whose last but one commit breaks a line.
fn history(place: &Place) {
    let script = r#"
        git init -q . && git config user.name Ada && git config user.email ada@example.com
        for i in 1 2 3 4 5; do
            echo "note $i" >> notes
            if [ $i = 4 ]; then printf 'echo one\nexit 1\n' > run; \
            else [ $i = 5 ] || printf 'echo one\nexit 0\n' > run; fi
            git add -A && git commit -qm "change $i"
        done"#;
    let mut sh = Command::new("sh");
    place.prepare(&mut sh);
    assert_eq!(ran(sh.args(["-c", script])).code, Some(0));
}

#[test]
fn the_report_of_a_history_shows_the_fix_and_verify_finds_the_same() {
    let place = Place::new();
    history(&place);
    let found = place.wynot("history -q --fresh --report r.html -- sh run");
    assert_eq!(found.code, Some(0), "{found:?}");
    assert!(found.stdout.contains("1 changed line of 2 breaks it"), "{found:?}");
    assert!(found.stdout.contains("fix: HEAD passes the test with 1 changed line;"), "{found:?}");
    assert!(found.stdout.contains("-exit 1\n+exit 0"), "{found:?}");
    let page = place.text("r.html");
    assert!(page.contains("Fix for the newest version") && page.contains("-exit 1\n+exit 0"));
    assert!(page.contains("version 4, the newest: fail") && !page.contains(">blockers</th>"));
    assert!(page.contains("<code class=\"text\">exit 1</code>"), "{page}");
    let issue = place.wynot("report --markdown").stdout;
    assert!(issue.contains("### Fix") && issue.contains("-exit 1\n+exit 0"), "{issue}");
    assert!(issue.contains("fails with `exit 1` instead of `exit 0`"), "{issue}");
    assert!(issue.contains("\nwynot history -- sh run\n"), "{issue}");
    let verified = place.wynot("verify");
    assert_eq!(verified.code, Some(0), "{verified:?}");
    assert!(verified.stdout.contains("confirmed by "), "{verified:?}");
    let object: serde_json::Value =
        serde_json::from_str(&place.wynot("verify --json").stdout).unwrap();
    assert_eq!(object["confirmed"], true, "{object}");
    let mut sh = Command::new("sh");
    place.prepare(&mut sh);
    ran(sh.args(["-c", "echo 'exit 1' > run; git commit -qam 'another way'"]));
    let changed = place.wynot("verify");
    assert_eq!(changed.code, Some(4), "{changed:?}");
}

#[test]
fn the_failure_and_the_time_of_all_runs_are_at_the_top() {
    let place = Place::new();
    place.write("in.txt", "a\nb\nc\nd\n");
    place.script("t", "if grep -q c \"$1\"; then echo 'error: c is bad' >&2; exit 1; fi");
    for _ in 0..2 {
        let done = place.wynot("reduce -q in.txt -- ./t {}");
        assert_eq!(done.code, Some(0), "{done:?}");
    }
    let page = place.wynot("report -o -").stdout;
    let header = page.split("</header>").next().unwrap();
    assert!(header.contains("<p class=\"failure\">The result shows exit 1"), "{header}");
    assert!(header.contains(" in 2 runs</dd>"), "{header}");
}

#[test]
fn a_page_is_not_printed_on_a_terminal() {
    require!(Tool::Script);
    let place = Place::new();
    place.write("in.txt", "a\nb\n");
    place.script("t", "! grep -q b \"$1\"");
    assert_eq!(place.wynot("reduce -q in.txt -- ./t {}").code, Some(0));
    let on_terminal = |arguments: &str| {
        let wynot = format!("{} {arguments}", env!("CARGO_BIN_EXE_wynot"));
        let mut command = Command::new("timeout");
        command.args(["-k", "5", "60", "script", "-qec", &wynot, "/dev/null"]);
        place.prepare(&mut command);
        ran(&mut command)
    };
    let refused = on_terminal("report in.min.txt");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stdout.contains("wynot report -o report.html in.min.txt"), "{refused:?}");
    assert!(!refused.stdout.contains("<html"), "{refused:?}");
    assert!(on_terminal("report -o -").stdout.contains("<html"));
    assert!(on_terminal("report --markdown").stdout.contains("## in.txt"));
}
