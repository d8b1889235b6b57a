//! Pages without script, forms that come back, and pages that do not exist.

use super::visit::{SHOWN, Visit};
use serde_json::json;
use wynot_test_support::{Tool, require};

#[test]
fn everything_works_without_script() {
    require!(Tool::Python, Tool::Chromium, Tool::UserNamespaces);
    let mut visit = Visit::new();
    visit.browser.set_script(false);
    visit.open("/submit");
    visit.browser.send("a[href='/submit?example=reduce']");
    let slow = r#"sh -c 'sleep 0.3; if grep -q "<SELECT" "$1"; then exit 1; fi' sh {}"#;
    visit.browser.fill("[name=test]", slow);
    visit.browser.send("#submit > button");
    let path = visit.path();
    assert!(path.starts_with("/jobs/"), "{path}");
    // The page is loaded again and again, and shows the progress each time.
    visit.browser.eval("window.here = 1");
    visit.browser.wait("window.here === undefined && Number(document.querySelector('[data-live=tests]')?.textContent) > 0");
    visit.browser.wait(&format!("{SHOWN} === 'done'"));
    let answer = visit.text("#answer");
    assert!(answer.starts_with("210 → 7 bytes, "), "{answer}");
    assert_eq!(visit.text(".answer pre"), "<SELECT");
    let id = path.trim_start_matches("/jobs/").to_owned();
    visit.read_report(&id);
    let directory = visit.repeat();
    assert_eq!(super::visit::read(&directory.join("page.min.html")), b"<SELECT");
    visit.browser.click("[name=helped][value=no]");
    visit.browser.send("form[action$=feedback] button");
    assert!(visit.text("article.feedback").contains("No, it did not help"));
    visit.open("/");
    assert_eq!(visit.text("tbody th a"), "Printing this page crashes");
    assert!(visit.browser.is_true("document.querySelector('meta[http-equiv]') === null"));
}

#[test]
fn a_wrong_form_comes_back_with_its_texts() {
    require!(Tool::Python, Tool::Chromium, Tool::UserNamespaces);
    let mut visit = Visit::new();
    let file = visit.place.write("kept.txt", "x");
    visit.open("/submit");
    visit.browser.choose("[name=input]", &[&file]);
    visit.browser.fill("[name=test]", "sh -c 'not closed");
    visit.browser.fill("[name=title]", "My <i>title</i>");
    visit.browser.send("#submit > button");
    assert!(visit.text("#error").contains("The command: a quotation mark is not closed."));
    assert!(visit.text("#error").contains("choose the files again: kept.txt"));
    assert_eq!(
        visit.browser.eval("document.querySelector('[name=test]').value"),
        "sh -c 'not closed"
    );
    assert_eq!(
        visit.browser.eval("document.querySelector('[name=title]').value"),
        "My <i>title</i>"
    );
    let status = "performance.getEntriesByType('navigation')[0].responseStatus";
    assert_eq!(visit.browser.eval(status), 422);
    visit.browser.fill("[name=test]", "true {}");
    visit.browser.send("#submit > button");
    assert!(visit.text("#error").contains("There is no input"), "{}", visit.text("#error"));
    assert_eq!(visit.server.get("/api/v1/jobs").json()["jobs"], json!([]));
}

#[test]
fn a_job_that_fails_says_what_to_do() {
    require!(Tool::Python, Tool::Chromium, Tool::UserNamespaces);
    let mut visit = Visit::new();
    visit.open("/submit");
    visit.browser.fill("[name=pasted]", "x\n");
    visit.browser.fill("[name=test]", "true {}");
    visit.submit_and_wait();
    assert_eq!(visit.browser.eval(SHOWN), "failed");
    let text = visit.text(".no-answer");
    assert!(text.contains("so it does not tell them apart."), "{text}");
    assert!(text.contains("What to do") && text.contains("--fail-when"), "{text}");
}

#[test]
fn environments_are_made_and_changed_on_their_page() {
    require!(Tool::Python, Tool::Chromium, Tool::UserNamespaces);
    let mut visit = Visit::new();
    visit.open("/environments");
    visit.browser.fill("[name=name]", "no blanks");
    visit.browser.send("form[action='/environments'] button");
    assert!(visit.text(".error").contains("The name of an environment"));
    visit.browser.fill("[name=name]", "grep-x");
    visit.browser.fill("[name=command]", "sh -c 'if grep -q x \"$1\"; then exit 1; fi' sh {}");
    visit.browser.fill("[name=description]", "fails with an x");
    visit.browser.send("form[action='/environments'] button");
    assert_eq!(visit.text("#grep-x h2"), "grep-x version 1");
    visit.browser.send("a[href='/environments?change=grep-x#edit']");
    visit.browser.fill("[name=description]", "fails if there is an x");
    visit.browser.send("form[action='/environments'] button");
    assert_eq!(visit.text("#grep-x h2"), "grep-x version 2");
    visit.open("/submit");
    visit.browser.eval("document.querySelector('[name=environment]').value = 'grep-x'");
    visit.browser.fill("[name=pasted]", "a\nx\nb\n");
    let id = visit.submit_and_watch();
    assert!(visit.text("#answer").starts_with("6 → 1 byte, "));
    assert_eq!(visit.server.job(&id)["environment_version"], 2);
}

#[test]
fn what_does_not_exist_is_a_page_for_people_and_an_object_for_programs() {
    require!(Tool::UserNamespaces);
    let place = crate::support::Place::new();
    let server = crate::serve_support::Server::start(&place, "");
    for path in
        ["/nowhere", "/jobs/abcdefghjk", "/jobs/x", "/static/../secret", "/?state=no", "/?before=x"]
    {
        let response = server.get(path);
        assert!((400..405).contains(&response.status), "{path}: {}", response.status);
        assert!(response.text().starts_with("<!DOCTYPE html>"), "{path}: {}", response.text());
    }
    let response = server.get("/api/v1/nowhere");
    assert_eq!((response.status, &response.json()["error"]["status"]), (404, &json!(404)));
}
