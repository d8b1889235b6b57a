//! Logging in on pages, and forms that are not of this visit.

use super::visit::Visit;
use crate::support::Place;
use wynot_test_support::{Tool, require};

/// A place with tokens, and their texts.
fn place_with_tokens() -> (Place, [String; 3]) {
    let place = Place::new();
    let data = place.path("data");
    let add = |name: &str, rights: &str| {
        let ran = place.run([
            "serve",
            "token",
            "add",
            name,
            "--rights",
            rights,
            "--data",
            data.to_str().unwrap(),
        ]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.stdout.trim().to_owned()
    };
    let full = add("ada", "read,submit,commands,administer");
    let tokens = [full, add("reader", "read"), add("submitter", "read,submit")];
    (place, tokens)
}

#[test]
fn a_token_logs_in_and_leads_back() {
    require!(Tool::Python, Tool::Chromium, Tool::UserNamespaces);
    let (place, [token, reader, _]) = place_with_tokens();
    let mut visit = Visit::at(place);
    visit.open("/submit?example=reduce");
    assert_eq!(visit.path(), "/login");
    visit.browser.fill("[name=token]", "wynot_0000");
    visit.browser.send("form[action='/login'] button");
    assert!(visit.text(".error").contains("The token is not known here."));
    visit.browser.fill("[name=token]", &token);
    visit.browser.send("form[action='/login'] button");
    assert_eq!(visit.path(), "/submit");
    assert_eq!(visit.browser.eval("document.cookie"), "", "scripts cannot read the cookie");
    visit.browser.send("#submit > button");
    visit.browser.wait("document.querySelector('#answer') !== null");
    let job = visit.path();
    assert!(visit.text("dl.facts").contains("by ada"), "{}", visit.text("dl.facts"));
    // A form with another key changes nothing.
    visit
        .browser
        .eval("document.querySelector('form[action$=retry] [name=form_key]').value = 'wrong'");
    visit.browser.send("form[action$=retry] button");
    assert_eq!(visit.text("h1"), "Not allowed");
    let status = "performance.getEntriesByType('navigation')[0].responseStatus";
    assert_eq!(visit.browser.eval(status), 403);
    visit.open(&job);
    assert_eq!(visit.text("dl.facts .state"), "done");
    visit.browser.send(".login button");
    assert_eq!(visit.path(), "/login");
    visit.open(&job);
    assert_eq!(visit.path(), "/login");
    // A visitor with the right to read sees no buttons, and is not led to the login again.
    visit.browser.fill("[name=token]", &reader);
    visit.browser.send("form[action='/login'] button");
    assert_eq!(visit.path(), job);
    assert!(visit.browser.is_true("document.querySelector('main form') === null"));
    visit.open("/submit");
    assert_eq!((visit.path().as_str(), visit.text("h1").as_str()), ("/submit", "Not allowed"));
}

#[test]
fn forms_need_their_key_and_logins_stay_on_this_server() {
    require!(Tool::UserNamespaces);
    let (place, [token, ..]) = place_with_tokens();
    let server = crate::serve_support::Server::start(&place, "");
    let page = server.get("/login?next=//evil.example").text();
    assert!(page.contains("name=\"next\" value=\"/\""), "{page}");
    let key = page.split("name=\"form_key\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(key.len(), 64);
    let wrong = post(&server.url, "/login", &[("form_key", "x"), ("token", &token)]);
    assert_eq!(wrong.status, 403, "{}", wrong.text);
    assert!(wrong.text.contains("The form is not of this visit."), "{}", wrong.text);
    assert_eq!(post(&server.url, "/login", &[("token", &token)]).status, 403);
    let right =
        post(&server.url, "/login", &[("form_key", key), ("token", &token), ("next", "//x")]);
    assert_eq!((right.status, right.location.as_str()), (303, "/"), "{}", right.text);
    for part in ["wynot_login=wynot_", "HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(right.cookie.contains(part), "{}", right.cookie);
    }
    for (path, next) in [
        ("/submit", "/submit"),
        ("/environments", "/environments"),
        ("/jobs/abcdefghjk/cancel", "/jobs/abcdefghjk"),
        ("/jobs/abcdefghjk/feedback", "/jobs/abcdefghjk"),
    ] {
        let response = post(&server.url, path, &[("form_key", key)]);
        let expected = format!("/login?next={next}");
        assert_eq!((response.status, response.location), (303, expected), "{path}");
    }
}

/// What a form is answered.
struct FormAnswer {
    status: u16,
    location: String,
    cookie: String,
    text: String,
}

/// Sends a form, and does not go where the answer leads.
fn post(server: &str, path: &str, fields: &[(&str, &str)]) -> FormAnswer {
    let part = |(name, value): &(&str, &str)| {
        format!("--b\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let body = fields.iter().map(part).collect::<String>() + "--b--\r\n";
    let config = ureq::Agent::config_builder().http_status_as_error(false);
    let config = config.max_redirects(0).max_redirects_will_error(false).build();
    let request = ureq::Agent::new_with_config(config).post(format!("{server}{path}"));
    let mut response =
        request.content_type("multipart/form-data; boundary=b").send(body.as_bytes()).unwrap();
    let header = |name: &str| {
        let value = response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
        value.unwrap_or_default()
    };
    let (location, cookie) = (header("location"), header("set-cookie"));
    let text = response.body_mut().read_to_string().unwrap();
    FormAnswer { status: response.status().as_u16(), location, cookie, text }
}

impl Visit {
    /// Logs in, and goes to the page that was asked for.
    fn log_in(&mut self, token: &str) {
        self.browser.fill("[name=token]", token);
        self.browser.send("form[action='/login'] button");
    }
}

#[test]
fn a_link_of_another_site_finds_the_login() {
    require!(Tool::Python, Tool::Chromium, Tool::UserNamespaces);
    let (place, [token, ..]) = place_with_tokens();
    let mut visit = Visit::at(place);
    visit.open("/environments");
    visit.log_in(&token);
    assert_eq!(visit.path(), "/environments");
    // The same server by another name is another site.
    let elsewhere = visit.server.url.replace("127.0.0.1", "localhost");
    let address = format!("{}/environments", visit.server.url);
    visit.browser.open(&elsewhere);
    assert_eq!(visit.path(), "/login");
    visit.browser.eval(&format!(
        "document.querySelector('h1').innerHTML = '<a id=tracker href=\"{address}\">bug 17</a>'"
    ));
    visit.browser.click("#tracker");
    visit.browser.wait("document.querySelector('h1')?.textContent === 'Environments'");
    // Nobody is led elsewhere by a link with an odd path.
    let site = [("sec-fetch-site", "cross-site")];
    let page = visit.server.request("GET", "//evil.example/x", &site, &[]).text();
    assert!(!page.contains("evil.example"), "{page}");
}

#[test]
fn who_may_not_run_commands_chooses_an_environment() {
    require!(Tool::Python, Tool::Chromium, Tool::UserNamespaces);
    let (place, [_, _, token]) = place_with_tokens();
    let file = place.write("grep.json", r#"{"name": "grep-x", "command": ["sh", "-c", "if grep -q x $1; then exit 1; fi", "sh", "{}"]}"#);
    let data = place.path("data");
    let added = place.run([
        "serve",
        "environment",
        "add",
        file.to_str().unwrap(),
        "--data",
        data.to_str().unwrap(),
    ]);
    assert_eq!(added.code, Some(0), "{added:?}");
    let mut visit = Visit::at(place);
    visit.open("/submit");
    visit.log_in(&token);
    assert!(visit.browser.is_true("document.querySelector('[name=test]') === null"));
    visit.browser.fill("[name=pasted]", "a\nx\n");
    visit.browser.send("#submit > button");
    assert!(visit.text("#error").contains("There is no test"), "{}", visit.text("#error"));
    visit.browser.eval("document.querySelector('[name=pasted]').name = 'test'");
    visit.browser.send("#submit > button");
    let error = visit.text("#error");
    assert!(error.contains("There is no input") || error.contains("needs the right"), "{error}");
    visit.browser.fill("[name=pasted]", "a\nx\n");
    visit.browser.eval("document.querySelector('[name=environment]').value = 'grep-x'");
    visit.submit_and_watch();
    assert!(visit.text("#answer").starts_with("4 → 1 byte, "));
}
