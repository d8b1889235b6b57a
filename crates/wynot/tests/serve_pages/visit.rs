//! A visit: a server, and a browser on its pages.

use super::browser_driver::BrowserDriver;
use crate::serve_support::Server;
use crate::support::{Place, ran};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The state that the page of a job shows.
pub const SHOWN: &str = "document.querySelector('dl.facts .state')?.textContent";

/// A place with a server and a browser.
pub struct Visit {
    pub place: Place,
    pub server: Server,
    pub browser: BrowserDriver,
}

impl Visit {
    pub fn new() -> Self {
        Self::at(Place::new())
    }

    /// A visit of a server whose data may have been prepared.
    pub fn at(place: Place) -> Self {
        let server = Server::start(&place, "");
        let browser = BrowserDriver::start();
        Self { place, server, browser }
    }

    pub fn open(&mut self, path: &str) {
        let url = format!("{}{path}", self.server.url);
        self.browser.open(&url);
    }

    /// The path of the present page.
    pub fn path(&mut self) -> String {
        self.browser.text("location.pathname")
    }

    /// Sends the form with which a failure is submitted, and waits for the end of the job. Returns its id.
    pub fn submit_and_watch(&mut self) -> String {
        let id = self.submit_and_wait();
        let text = self.browser.text("document.querySelector('main').innerText");
        assert_eq!(self.browser.eval(SHOWN), "done", "{text}");
        id
    }

    /// The same for a job that may fail.
    pub fn submit_and_wait(&mut self) -> String {
        self.browser.send("#submit > button");
        let path = self.path();
        let id = path
            .strip_prefix("/jobs/")
            .unwrap_or_else(|| panic!("{path}: {}", self.browser.text("document.body.innerText")));
        self.browser.wait(&format!("{SHOWN} === 'done' || {SHOWN} === 'failed'"));
        id.to_owned()
    }

    /// The text of the first element of a kind.
    pub fn text(&mut self, selector: &str) -> String {
        self.browser.text(&format!("document.querySelector({selector:?})?.textContent"))
    }

    /// Opens the report and comes back.
    pub fn read_report(&mut self, id: &str) {
        self.browser.send(".answer .button");
        assert_eq!(self.path(), format!("/jobs/{id}/report"));
        let text = self.browser.text("document.body.innerText");
        assert!(text.len() > 200, "{text}");
        self.open(&format!("/jobs/{id}"));
    }

    /// Repeats a job by hand as its page says: with the files behind the links, by the commands that it shows.
    pub fn repeat(&mut self) -> PathBuf {
        let links = self.browser.eval(
            "[...document.querySelectorAll('a.submitted')].map((a) => [a.textContent, a.getAttribute('href')])",
        );
        let directory = self.place.path("repeated");
        // It may be there from another job.
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir(&directory).unwrap();
        for link in links.as_array().unwrap() {
            let (name, path) = (link[0].as_str().unwrap(), link[1].as_str().unwrap());
            let response = self.server.get(path);
            assert_eq!(response.status, 200, "{path}");
            let path = directory.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, response.body).unwrap();
        }
        let commands = self.text("#command");
        let program = Path::new(env!("CARGO_BIN_EXE_wynot")).parent().unwrap();
        let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
        let mut shell = Command::new("sh");
        shell.args(["-e", "-c", &commands]).current_dir(&directory).env("PATH", path);
        shell.env("XDG_STATE_HOME", self.place.path("state"));
        let done = ran(&mut shell);
        assert_eq!(done.code, Some(0), "{commands}: {done:?}");
        directory
    }

    /// A file of the result, by its link in the page.
    pub fn downloaded(&mut self, id: &str, name: &str) -> Vec<u8> {
        let href = format!("/jobs/{id}/files/{name}");
        assert!(
            self.browser.is_true(&format!("document.querySelector('a[href={href:?}]') !== null")),
            "{}",
            self.browser.text("document.body.innerText")
        );
        let response = self.server.get(&href);
        assert_eq!(response.status, 200);
        response.body
    }
}

/// The bytes of a file.
pub fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
