//! Pages for everybody: narrow windows, keyboards and screen readers, dark and light.

use super::visit::Visit;
use crate::serve_support::{grep_script, reduction};
use serde_json::json;
use wynot_test_support::{Tool, require};

/// Fields without a label, by their names.
const UNLABELLED: &str = "[...document.querySelectorAll('input:not([type=hidden]), select, textarea')]\
    .filter((field) => !field.labels?.length).map((field) => field.name)";

/// Ids that more than one element has, and references to elements that do not exist.
const WRONG_IDS: &str = "(() => { const ids = [...document.querySelectorAll('[id]')].map((one) => one.id); \
    const named = [...document.querySelectorAll('[aria-labelledby]')].flatMap((one) => one.getAttribute('aria-labelledby').split(' ')); \
    return [...ids.filter((id, index) => ids.indexOf(id) !== index), ...named.filter((id) => !ids.includes(id))]; })()";

/// Texts whose contrast is below what the guidelines for web contents ask for (4.5 to 1).
const FAINT: &str = "(() => { \
    const parse = (colour) => colour.match(/[\\d.]+/g).map(Number); \
    const light = ([r, g, b]) => [r, g, b].map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4) \
        .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0); \
    const below = (element) => { for (let at = element; at; at = at.parentElement) { const colour = parse(getComputedStyle(at).backgroundColor); if (colour[3] !== 0) return colour; } return [255, 255, 255]; }; \
    const faint = []; \
    for (const element of document.querySelectorAll('body *')) { \
        const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()); \
        if (!hasText || !element.getClientRects().length || element.closest('svg')) continue; \
        const [one, other] = [light(parse(getComputedStyle(element).color)), light(below(element))].sort((a, b) => b - a); \
        if ((one + 0.05) / (other + 0.05) < 4.5) faint.push(element.textContent.trim().slice(0, 40)); \
    } return faint; })()";

#[test]
fn pages_are_fit_for_narrow_windows_keyboards_and_screen_readers() {
    require!(Tool::Python, Tool::Chromium, Tool::UserNamespaces);
    let mut visit = Visit::new();
    let long = "a-name-without-any-blank-in-it-".repeat(6);
    let mut request = reduction();
    request["title"] = json!(long);
    request["project"] = json!(long);
    let script = grep_script("bug");
    let files: [(&str, &str, &[u8]); 2] =
        [("input", "a.txt", b"one\nbug\ntwo\n"), ("file", "t", &script)];
    let [done, again] = [0, 1].map(|_| visit.server.accepted(&request, &files));
    visit.server.ended(&done);
    visit.server.ended(&again);
    let failed = visit.server.accepted(&request, &[("input", "b.txt", b"fine\n"), files[1]]);
    visit.server.ended(&failed);
    let script = b"#!/bin/sh\nsleep 60\n".as_slice();
    let running = visit.server.accepted(&request, &[files[0], ("file", "t", script)]);
    let jobs = [done, again, failed, running].map(|id| format!("/jobs/{id}"));
    let mut pages = vec![
        "/",
        "/?q=nothing",
        "/submit",
        "/submit?example=changes",
        "/environments",
        "/login",
        "/nowhere",
    ];
    pages.extend(jobs.iter().map(String::as_str));
    for (width, scheme) in [(360, "light"), (360, "dark"), (1280, "light"), (1280, "dark")] {
        visit.browser.set_size(width, 800, scheme);
        for page in &pages {
            visit.open(page);
            let here = format!("{page} at {width}, {scheme}");
            let shown = visit.browser.eval("document.documentElement.scrollWidth");
            assert!(shown.as_u64().unwrap() <= u64::from(width), "{here}: {shown} wide");
            assert_eq!(visit.browser.eval(UNLABELLED), json!([]), "{here}");
            assert_eq!(visit.browser.eval(WRONG_IDS), json!([]), "{here}");
            assert_eq!(visit.browser.eval(FAINT), json!([]), "{here}");
            assert_eq!(visit.browser.eval("document.querySelectorAll('h1').length"), 1, "{here}");
        }
    }
    visit.open("/");
    visit.browser.press("Tab");
    assert_eq!(visit.text(":focus"), "Skip to the content");
    visit.browser.press("Enter");
    assert_eq!(visit.browser.eval("document.activeElement.id"), "main");
}
