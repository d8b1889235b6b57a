//! Names and contents that try to run a script, or to look like something else.

use super::visit::{SHOWN, Visit};
use crate::serve_support::Server;
use serde_json::json;
use std::time::Duration;
use wynot_test_support::{Tool, require};

/// Markup that runs a script wherever it is not escaped.
const HOSTILE: &str = "\"'><img src=x onerror=\"alert('markup');document.title='taken'\"><script>alert('script');document.title='taken'</script>";

/// Characters that hide or turn what follows.
const INVISIBLE: &str = "\u{202e}gpj.exe\u{200b}\u{1b}[31m";

impl Visit {
    /// Checks that no text has become markup or has run.
    fn assert_nothing_ran(&mut self, page: &str) {
        // What runs when an image cannot be loaded needs a moment.
        std::thread::sleep(Duration::from_millis(100));
        let title = self.browser.text("document.title");
        assert!(title != "taken", "{page}");
        assert_eq!(self.browser.eval("window.name"), "", "{page}: a dialog was opened");
        let elements = "document.querySelectorAll('img, main script, iframe').length";
        assert_eq!(self.browser.eval(elements), 0, "{page}");
        let text = self.browser.text("document.body.innerText");
        let hidden = ['\u{202e}', '\u{200b}', '\u{1b}'];
        assert!(!text.contains(hidden), "{page}: {text:?}");
    }
}

#[test]
fn hostile_texts_run_nothing_on_any_page() {
    require!(Tool::Python, Tool::Chromium, Tool::UserNamespaces);
    let mut visit = Visit::new();
    let name = format!("{}.html", HOSTILE.replace('/', "_"));
    let contents = format!("keep\n{HOSTILE}\n\u{202e}\u{1b}[31m\n");
    let file = visit.place.write(&name, &contents);
    visit.open("/submit");
    visit.browser.choose("[name=input]", &[&file]);
    visit.browser.fill("[name=title]", &format!("{HOSTILE}{INVISIBLE}"));
    visit.browser.fill("[name=project]", HOSTILE);
    // The failure is that nearly all of it is there, with a script, and its message is hostile too.
    let message = "printf '%s\\033[31m\\n' \"$(cat \"$1\")\" >&2";
    let test = format!(
        "sh -c 'if [ $(wc -c < \"$1\") -ge {} ] && grep -qF \"<script>\" \"$1\"; then {message}; exit 1; fi' sh {{}}",
        contents.len() - 12
    );
    visit.browser.fill("[name=test]", &test);
    visit.submit_and_wait();
    let job = visit.path();
    visit.assert_nothing_ran("the page of the job");
    assert_eq!(visit.browser.eval(SHOWN), "done");
    let title = visit.text("h1");
    assert!(title.starts_with(&HOSTILE[..40]), "{title}");
    assert!(visit.text(".answer pre").contains("<script>"), "{}", visit.text(".answer pre"));
    visit.browser.fill("[name=comment]", HOSTILE);
    visit.browser.click("[name=helped][value=yes]");
    visit.browser.send("form[action$=feedback] button");
    visit.assert_nothing_ran("the feedback");
    visit.open(&format!("{job}/report"));
    visit.assert_nothing_ran("the report");
    for page in [
        "/",
        "/?q=%3Cscript%3Ealert(1)%3C/script%3E&project=%22%3E%3Cimg%20src=x%20onerror=alert(1)%3E",
        "/submit",
        "/%3Cscript%3Ealert(1)%3C/script%3E",
        "/login?next=javascript:alert(1)",
    ] {
        visit.open(page);
        visit.assert_nothing_ran(page);
    }
    // A form that comes back has the texts in its fields.
    visit.open("/submit");
    for field in ["title", "project", "pasted", "pasted_name", "test", "options"] {
        visit.browser.fill(&format!("[name={field}]"), &format!("</textarea>{HOSTILE}"));
    }
    visit.browser.send("#submit > button");
    assert!(visit.browser.is_true("document.querySelector('#error') !== null"));
    visit.assert_nothing_ran("the form");
}

#[test]
fn hostile_messages_and_files_of_jobs_run_nothing() {
    require!(Tool::Python, Tool::Chromium, Tool::UserNamespaces);
    let mut visit = Visit::new();
    let script = format!("#!/bin/sh\ncat >&2 <<'E'\n{HOSTILE}{INVISIBLE}\nE\nexit 0\n");
    let request = json!({"verb": "reduce", "test": ["./t", "{}"], "title": INVISIBLE, "options": ["--fail-when", format!("stderr~{HOSTILE}(")]});
    let files: [(&str, &str, &[u8]); 2] =
        [("input", "<b>a\u{202e}.svg", b"<svg onload=alert(1)>"), ("file", "t", script.as_bytes())];
    let id = visit.server.accepted(&request, &files);
    visit.server.ended(&id);
    visit.open(&format!("/jobs/{id}"));
    visit.assert_nothing_ran("a job that failed");
    assert!(visit.text(".no-answer").contains("<img src=x"), "{}", visit.text(".no-answer"));
    let href = "document.querySelector('a.submitted').getAttribute('href')";
    let href = visit.browser.text(href);
    assert_is_saved(&visit.server, &href);
}

/// A file of a submitter is saved by browsers, and not shown.
fn assert_is_saved(server: &Server, path: &str) {
    let url = format!("{}{path}", server.url);
    let response = ureq::get(&url).call().unwrap();
    let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
    assert!(header("content-disposition").starts_with("attachment"));
    assert!(header("content-security-policy").starts_with("sandbox"));
    assert_eq!(header("content-type"), "application/octet-stream");
    assert_eq!(header("x-content-type-options"), "nosniff");
}
