//! The pages of `wynot serve`, in a real browser: submit, watch, read, repeat, with and without script.

mod serve_pages {
    pub mod browser_driver;
    pub mod visit;

    mod accessible_pages;
    mod hostile_pages;
    mod page_logins;
    mod plain_pages;
}
mod serve_support;
mod support;

use serde_json::{Value, json};
use serve_pages::visit::{SHOWN, Visit, read};
use serve_support::Server;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{gcc, ran};
use wynot_test_support::{Tool, require};

const SELECT: &str =
    r#"sh -c 'if grep -q "<SELECT" "$1"; then echo "cannot print a list" >&2; exit 1; fi' sh {}"#;

#[test]
fn a_reduction_is_submitted_watched_read_repeated_and_judged() {
    require!(Tool::Python, Tool::Chromium, Tool::UserNamespaces);
    let mut visit = Visit::new();
    visit.open("/");
    visit.browser.send("a.button");
    visit.browser.send("a[href='/submit?example=reduce']");
    visit.browser.fill("[name=title]", "First crash");
    visit.browser.fill("[name=project]", "printing");
    let first = visit.submit_and_watch();
    let result = &visit.server.job(&first)["result"];
    assert_eq!(
        visit.text("#answer"),
        format!("210 → 7 bytes, {} tests", result["tests"]["executed"])
    );
    let bytes = visit.downloaded(&first, "page.html");
    assert_eq!(bytes, b"<SELECT", "{result}");
    visit.read_report(&first);
    let directory = visit.repeat();
    assert_eq!(read(&directory.join("page.min.html")), bytes);
    // The same failure with another input: uploaded, and with a test of its own.
    let input = visit.place.write("other.html", "<p>text</p>\n<SELECT NAME=x>\n");
    visit.open("/submit");
    visit.browser.choose("[name=input]", &[&input]);
    visit.browser.fill("[name=test]", SELECT);
    let second = visit.submit_and_watch();
    assert_eq!(visit.text("#duplicates"), "The same failure was seen before in");
    assert_eq!(visit.text("a.duplicate"), "First crash");
    visit.browser.send("a.duplicate");
    assert_eq!(visit.path(), format!("/jobs/{first}"));
    assert_eq!(visit.text("#duplicates"), "The same failure was seen again in");
    assert!(
        visit
            .browser
            .is_true(&format!("document.querySelector('a.duplicate').href.endsWith('{second}')"))
    );
    visit.browser.click("[name=helped][value=yes]");
    visit.browser.fill("[name=comment]", "It was the <b>list</b>.");
    visit.browser.send("form[action$=feedback] button");
    let feedback = visit.text("article.feedback");
    assert!(
        feedback.contains("Yes, it helped") && feedback.contains("It was the <b>list</b>."),
        "{feedback}"
    );
    visit.open("/?q=first&project=printing&state=done");
    assert_eq!(visit.text("tbody th a"), "First crash");
    assert_eq!(visit.browser.eval("document.querySelectorAll('tbody tr').length"), 1);
    assert_eq!(visit.text("tbody td[data-label=Result]"), "210 → 7 bytes");
}

#[test]
fn files_are_dropped_and_directories_are_chosen() {
    require!(Tool::Python, Tool::Chromium, Tool::UserNamespaces);
    let mut visit = Visit::new();
    visit.open("/submit");
    visit.browser.eval(
        "(() => { const data = new DataTransfer(); \
            data.items.add(new File(['one\\n<SELECT>\\n'], 'dropped.html')); \
            document.querySelector('[data-drop=input] textarea').dispatchEvent( \
                new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })); })()",
    );
    visit.browser.fill("[name=test]", SELECT);
    let id = visit.submit_and_watch();
    assert_eq!(visit.downloaded(&id, "dropped.html"), b"<SELECT");
    std::fs::create_dir_all(visit.place.path("tree/sub")).unwrap();
    visit.place.write("tree/a.txt", "fine\n");
    visit.place.write("tree/sub/b.txt", "one\nbug\n");
    let tree = visit.place.path("tree");
    visit.open("/submit");
    visit.browser.choose("[webkitdirectory]", &[&tree]);
    visit.browser.fill("[name=test]", "sh -c 'if grep -q bug $1/sub/b.txt; then exit 1; fi' sh {}");
    let id = visit.submit_and_watch();
    let job = visit.server.job(&id);
    assert_eq!(job["files"].as_array().unwrap().len(), 2, "{job}");
    assert_eq!(visit.downloaded(&id, "tree/sub/b.txt"), b"bug", "{job}");
    let directory = visit.repeat();
    assert_eq!(read(&directory.join("tree.min/sub/b.txt")), b"bug");
}

#[test]
fn the_list_of_jobs_follows_them_and_has_pages() {
    require!(Tool::Python, Tool::Chromium, Tool::UserNamespaces);
    let mut visit = Visit::new();
    let submit = |server: &Server, title: &str| {
        let test = json!(["sh", "-c", "sleep 0.5; grep -q bug $1 && exit 1; exit 0", "sh", "{}"]);
        let request = json!({"verb": "reduce", "title": title, "test": test});
        server.accepted(&request, &[("input", "a.txt", b"one\nbug\n")])
    };
    for title in ["oldest", "older", "newest"] {
        submit(&visit.server, title);
    }
    visit.open("/");
    visit.browser.eval("window.here = 1");
    assert!(visit.browser.is_true("document.querySelector('#jobs[data-refresh]') !== null"));
    visit.browser.wait("[...document.querySelectorAll('tbody .state')].every((state) => state.textContent === 'done')");
    assert!(visit.browser.is_true("window.here === 1"), "the page was loaded again");
    visit.open("/?limit=2&q=a.txt");
    let titles = "[...document.querySelectorAll('tbody th a')].map((title) => title.textContent)";
    assert_eq!(visit.browser.eval(titles), json!(["newest", "older"]));
    visit.browser.send("a[rel=next]");
    assert_eq!(visit.browser.eval(titles), json!(["oldest"]));
    visit.browser.send(".paging a");
    assert_eq!(visit.browser.eval(titles), json!(["newest", "older"]));
}

#[test]
fn two_inputs_are_compared() {
    require!(Tool::Python, Tool::Chromium, Tool::UserNamespaces);
    let mut visit = Visit::new();
    visit.open("/submit?example=isolate");
    let id = visit.submit_and_watch();
    assert!(
        visit.text("#answer").starts_with("1 difference decides, "),
        "{}",
        visit.text("#answer")
    );
    let difference = visit.text(".answer .findings");
    assert!(difference.contains("line 2"), "{difference}");
    visit.read_report(&id);
    let directory = visit.repeat();
    for (local, name) in
        [("page.failing.html", "page.html"), ("page.passing.html", "page.passing.html")]
    {
        let files = ran(Command::new("ls").arg(&directory)).stdout;
        assert!(directory.join(local).exists(), "{files}");
        assert_eq!(read(&directory.join(local)), visit.downloaded(&id, name), "{name}");
    }
}

#[test]
fn options_are_found() {
    require!(Tool::Python, Tool::Chromium, Tool::UserNamespaces);
    let mut visit = Visit::new();
    visit.open("/submit?example=options");
    let id = visit.submit_and_watch();
    let answer = visit.text("#answer");
    assert!(answer.starts_with("Caused by --unroll --fast, "), "{answer}");
    visit.read_report(&id);
    let commands = visit.text("#command");
    visit.repeat();
    let mut words = wynot_subjects::split_words(commands.as_bytes()).unwrap();
    words.remove(0);
    let words = words.into_iter().map(|word| String::from_utf8(word).unwrap());
    let words: Vec<String> = words.collect();
    let options = [&["options".to_owned(), "--json".to_owned()], &words[1..]].concat();
    let by_hand: Value = serde_json::from_str(&visit.place.run(options).stdout).unwrap();
    assert_eq!(by_hand["causes"][0]["deltas"], json!(["--unroll", "--fast"]));
    assert_eq!(
        by_hand["causes"][0]["deltas"],
        visit.server.job(&id)["result"]["causes"][0]["deltas"]
    );
}

#[test]
fn versions_are_compared() {
    require!(Tool::Python, Tool::Chromium, Tool::UserNamespaces, Tool::Tar);
    let mut visit = Visit::new();
    for (version, line) in [("good", "three"), ("bad", "BROKEN")] {
        std::fs::create_dir(visit.place.path(version)).unwrap();
        visit.place.write(&format!("{version}/a.txt"), format!("one\n{version}\n{line}\n"));
        let mut tar = Command::new("tar");
        visit.place.prepare(&mut tar);
        let done = ran(tar.args(["-czf", &format!("{version}.tar.gz"), "-C", version, "a.txt"]));
        assert_eq!(done.code, Some(0), "{done:?}");
    }
    visit.open("/submit");
    visit.browser.click("[name=verb][value=changes]");
    for version in ["good", "bad"] {
        let archive = visit.place.path(format!("{version}.tar.gz"));
        visit.browser.choose(&format!("[name={version}]"), &[&archive]);
    }
    visit.browser.fill("[name=test]", "sh -c 'if grep -q BROKEN a.txt; then exit 1; fi'");
    let id = visit.submit_and_watch();
    let answer = visit.text("#answer");
    assert!(answer.contains("break") && answer.contains("changed line"), "{answer}");
    let patch = visit.downloaded(&id, "changes.patch");
    assert!(String::from_utf8_lossy(&patch).contains("+BROKEN"));
    assert!(visit.text(".answer pre").contains("+BROKEN"));
    visit.read_report(&id);
    let directory = visit.repeat();
    assert_eq!(patch_below(&directory), patch);
}

#[test]
fn a_history_is_walked_in_the_example() {
    require!(Tool::Python, Tool::Chromium, Tool::UserNamespaces);
    let mut visit = Visit::new();
    visit.open("/submit?example=history");
    visit.browser.wait("document.querySelector('[name=repository]').files.length === 1");
    let id = visit.submit_and_watch();
    let answer = visit.text("#answer");
    assert!(answer.contains("“Correct the variance”"), "{answer}");
    let patch = visit.downloaded(&id, "changes.patch");
    assert!(String::from_utf8_lossy(&patch).contains("(size - 1)"));
    visit.read_report(&id);
    let directory = visit.repeat();
    assert_eq!(patch_below(&directory), patch);
}

/// The patch that a job made by hand has left: in its directory, or in the repository that was unpacked there.
fn patch_below(directory: &Path) -> Vec<u8> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let directories = entries.chain([directory.to_owned()]);
    let patches: Vec<PathBuf> = directories
        .map(|directory| directory.join("changes.patch"))
        .filter(|patch| patch.exists())
        .collect();
    assert_eq!(patches.len(), 1, "{patches:?}");
    read(&patches[0])
}

#[test]
fn a_crash_is_explained() {
    require!(Tool::Python, Tool::Chromium, Tool::UserNamespaces);
    let mut visit = Visit::new();
    let source = visit.server.get("/static/examples/lookup.c");
    gcc(&visit.place, "lookup", &["-g"], &source.text());
    visit.open("/submit?example=explain");
    let program = visit.place.path("lookup");
    visit.browser.choose("[name=file]", &[&program]);
    let id = visit.submit_and_watch();
    let answer = visit.text("#answer");
    assert!(answer.contains("steps from the input to the failure"), "{answer}");
    let steps = visit.text(".answer .steps");
    assert!(steps.contains("limit was 0 instead of 5") && steps.contains("SEGV"), "{steps}");
    visit.read_report(&id);
    let directory = visit.repeat();
    let variables = |result: &Value| -> Vec<Value> {
        let chain = result["chain"].as_array().unwrap().iter();
        chain.map(|step| json!([step["causes"], step["place"]["line"]])).collect()
    };
    let mut command = visit.place.command();
    command.current_dir(&directory);
    let done = ran(command.args(["explain", "--json", "--pass=./lookup 10", "--fail=./lookup 5"]));
    let by_hand: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(variables(&by_hand), variables(&visit.server.job(&id)["result"]));
}

#[test]
fn progress_is_seen_while_a_job_runs_and_a_job_can_be_cancelled_and_run_again() {
    require!(Tool::Python, Tool::Chromium, Tool::UserNamespaces);
    let mut visit = Visit::new();
    let lines: String = (0..400).map(|line| format!("line {line}\n")).collect();
    visit.open("/submit");
    visit.browser.fill("[name=pasted]", &lines);
    visit
        .browser
        .fill("[name=test]", "sh -c 'sleep 0.2; grep -q 7 \"$1\" && exit 1; exit 0' sh {}");
    visit.browser.send("#submit > button");
    let page = visit.path();
    visit.browser.wait("Number(document.querySelector('[data-live=tests]')?.textContent) >= 3");
    visit.browser.wait("document.querySelector('[data-live=best]').textContent.includes('→')");
    visit.browser.wait("/H.*V/.test(document.querySelector('[data-live=path]').getAttribute('d'))");
    visit
        .browser
        .wait("document.querySelector('[data-live=path]').getBoundingClientRect().width > 100");
    let is_same_page = "window.here = window.here ?? 1";
    visit.browser.eval(is_same_page);
    let tests = visit.text("[data-live=tests]");
    visit
        .browser
        .wait(&format!("document.querySelector('[data-live=tests]').textContent !== {tests:?}"));
    assert!(visit.browser.is_true("window.here === 1"), "the page was loaded again");
    assert_eq!(visit.text("dl.facts .state"), "running");
    // The page that is loaded now goes on from the same place.
    visit.open(&page);
    let from = visit.browser.text("document.getElementById('progress').dataset.from");
    assert!(from.starts_with("1-") && from != "1-0", "{from}");
    let rendered = visit.browser.text("document.getElementById('progress').dataset.tests");
    assert!(rendered.parse::<u64>().unwrap() >= 3, "{rendered}");
    visit.browser.send("form[action$=cancel] button");
    visit.browser.wait(&format!("{SHOWN} === 'cancelled'"));
    visit.browser.send("form[action$=retry] button");
    visit.browser.wait(&format!("['queued', 'running'].includes({SHOWN})"));
    visit.browser.send("form[action$=cancel] button");
    visit.browser.wait(&format!("{SHOWN} === 'cancelled'"));
}
