//! What the reports show: the same as the terminal.

mod support;

use std::process::Command;
use support::{Place, gcc, ran};

/// The text of a page, without its markup.
fn words(page: &str) -> String {
    let page = page.split_once("<body>").unwrap().1;
    let text: String =
        page.split('<').filter_map(|tag| tag.split_once('>')).map(|(_, text)| text).collect();
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    entities.iter().fold(text, |text, (entity, character)| text.replace(entity, character))
}

/// The positions of each curve from left to right, as they are drawn.
fn curves(page: &str) -> Vec<Vec<f64>> {
    let of_path = |path: &str| {
        let moves = path.split(['M', 'H']).skip(1);
        moves.map(|x| x.split([' ', 'V']).next().unwrap().parse().unwrap()).collect()
    };
    let paths = page.split("<path class=\"line ").skip(1);
    paths
        .map(|path| of_path(path.split(" d=\"").nth(1).unwrap().split('"').next().unwrap()))
        .collect()
}

fn assert_from_left_to_right(page: &str) {
    let curves = curves(page);
    assert!(!curves.is_empty(), "{page}");
    for curve in curves {
        assert!(curve.is_sorted(), "{curve:?}");
    }
}

#[test]
fn all_causes_among_options_are_on_the_page() {
    let place = Place::new();
    place.script("t", "for o; do case $o in -c|-k) exit 1;; esac; done");
    let options: Vec<String> = ('a'..='p').map(|letter| format!("-{letter}")).collect();
    let vary = options.join(" ");
    let args =
        ["options", "--all", "--report", "r.html", "--vary", &vary, "--", "./t", "{options}"];
    let ran = place.run(args);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let page = place.text("r.html");
    let words = words(&page);
    for line in ["1 option of 16 causes the failure", "./t -c", "./t -k", "no other option causes"]
    {
        assert!(ran.stdout.contains(line) && words.contains(line), "{line} is not in {words}");
    }
    assert!(words.contains("2 options of 16, each causes the failure"), "{words}");
    assert_from_left_to_right(&page);
}

#[test]
fn several_causes_in_an_input_are_on_the_page() {
    let place = Place::new();
    let lines: String = (0..30).map(|i| format!("line {i}\n")).collect();
    place.write("in.txt", lines.replace("line 7\n", "alpha\n").replace("line 22\n", "omega\n"));
    place.script("t", "! grep -qE 'alpha|omega' \"$1\"");
    let ran = place.wynot("reduce --all-causes --report r.html in.txt -- ./t {}");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let page = place.text("r.html");
    let words = words(&page);
    for shown in ["alpha", "omega", "no other cause: without these 2, the rest does not fail"] {
        assert!(words.contains(shown), "{shown} is not in {words}");
    }
    assert_from_left_to_right(&page);
}

#[test]
fn a_change_between_commits_is_on_the_page_as_on_the_terminal() {
    let place = Place::new();
    let script = r#"
        git init -q . && git config user.name Ada && git config user.email ada@example.com
        for i in 1 2 3 4 5 6 7; do
            echo "note $i" >> notes
            if [ $i = 5 ]; then printf 'echo one\necho two\nexit 1\necho three\n' > run; \
            else [ $i -gt 5 ] || printf 'echo one\nexit 0\n' > run; fi
            git add -A && git commit -qm "change $i"
        done; git tag bad; git tag good HEAD~6"#;
    let mut sh = Command::new("sh");
    place.prepare(&mut sh);
    assert_eq!(ran(sh.args(["-c", script])).code, Some(0));
    let found = place.wynot("changes --report r.html --good good --bad bad -- sh run");
    assert_eq!(found.code, Some(0), "{found:?}");
    let page = place.text("r.html");
    let words = words(&page);
    let headline = found.stdout.split(", 1-minimal").next().unwrap();
    assert!(headline.contains("changed line") && words.contains(headline), "{headline}: {words}");
    let audit = found.stdout.lines().find_map(|line| line.strip_prefix("audit: the ")).unwrap();
    assert!(
        words.contains(&format!("AuditThe {audit}.").replace("AuditThe", "Audit\nThe")),
        "{words}"
    );
    assert_from_left_to_right(&page);
    let events = place.wynot("changes --fresh --events e --good good --bad bad -- sh run");
    assert_eq!(events.code, Some(0), "{events:?}");
    let numbers: Vec<u64> = place
        .text("e")
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|event| event["tests"].as_u64().unwrap())
        .collect();
    assert!(numbers.is_sorted() && numbers.last() > Some(&5), "{numbers:?}");
}

#[test]
fn an_isolated_difference_is_shown_where_it_is() {
    let place = Place::new();
    let lines = |changed: &str| {
        let line = |i| if i == 400 { format!("{changed}\n") } else { format!("value {i}\n") };
        (1..=500).map(line).collect::<String>()
    };
    place.write("good.txt", lines("value = right"));
    place.write("bad.txt", lines("value = wrong"));
    place.script("t", "! grep -q wrong \"$1\"");
    let args = "isolate --unit line --report r.html --passing good.txt bad.txt -- ./t {}";
    assert_eq!(place.wynot(args).code, Some(0));
    let page = place.text("r.html");
    let shown = words(&page);
    let difference = shown.split("Both sides").next().unwrap();
    assert!(difference.contains("1 changed line of 1 decides"), "{difference}");
    assert!(
        difference.contains("399  value 399") && !difference.contains("value 390"),
        "{difference}"
    );
    assert!(page.contains("400  </span>value = <mark>"), "{difference}");
}

#[test]
fn the_page_of_an_explanation_marks_the_line_that_did_it() {
    let place = Place::new();
    let source = "\
#include <stdlib.h>
static int doubled(int n)
{
    int twice = n * 2;
    int other = n + 1;
    other++;
    return twice;
}
int main(int argc, char **argv)
{
    int number = atoi(argv[1]);
    if (doubled(number) > 10)
        abort();
    return 0;
}
";
    gcc(&place, "p", &["-g", "-O0"], source);
    let ran = place.run(["explain", "--report", "r.html", "--pass", "./p 1", "--fail", "./p 9"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let page = place.text("r.html");
    let quoted: Vec<&str> =
        ran.stdout.lines().filter_map(|line| line.strip_prefix("   | ")).collect();
    assert!(!quoted.is_empty(), "{ran:?}");
    let marked: Vec<&str> =
        page.split("<mark>").skip(1).map(|rest| rest.split("</mark>").next().unwrap()).collect();
    for line in quoted {
        let line = line.replace('>', "&gt;").replace('<', "&lt;");
        assert!(marked.iter().any(|mark| mark.ends_with(&line)), "{line} is not in {marked:?}");
    }
}

#[test]
fn repeated_tests_count_their_runs() {
    let place = Place::new();
    place.write("in.txt", "aaa\nabc\nccc\n");
    place.script("t", "echo >> \"$LOG\"; ! grep -q b \"$1\"");
    let mut command = place.command();
    command.env("LOG", place.path("log"));
    command.args([
        "reduce", "--repeat", "3", "-j", "1", "--report", "r.html", "in.txt", "--", "./t", "{}",
    ]);
    let done = ran(&mut command);
    assert_eq!(done.code, Some(0), "{done:?}");
    let runs = done.stdout.split(" tests (").nth(1).and_then(|rest| rest.split(" run").next());
    let runs: u64 = runs.and_then(|runs| runs.parse().ok()).unwrap_or_else(|| panic!("{done:?}"));
    let logged = place.text("log").lines().count() as u64;
    // The first runs of both sides are not of the search.
    assert!((logged - 4..=logged).contains(&runs), "{runs} of {logged} runs: {done:?}");
    assert!(words(&place.text("r.html")).contains(&format!("({runs} runs)")));
}
