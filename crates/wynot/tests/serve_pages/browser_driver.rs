//! A real browser for tests, driven by a script.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A browser, which ends with it.
pub struct BrowserDriver {
    child: Child,
    actions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl BrowserDriver {
    /// Starts a browser.
    pub fn start() -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/serve_pages/drive.py");
        let mut child = Command::new(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .spawn()
            .unwrap();
        let actions = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().unwrap());
        Self { child, actions, answers }
    }

    /// Does something, which must be possible.
    fn act(&mut self, action: &Value) -> Value {
        let actions = self.actions.as_mut().unwrap();
        actions.write_all(format!("{action}\n").as_bytes()).unwrap();
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        let mut answer: Value = serde_json::from_str(&line)
            .unwrap_or_else(|error| panic!("{action}: {error}: the browser has ended"));
        assert!(answer["error"].is_null(), "{}", answer["error"].as_str().unwrap_or_default());
        answer["value"].take()
    }

    /// Opens a page.
    pub fn open(&mut self, url: &str) {
        self.act(&json!(["open", url]));
    }

    /// What a script in the page returns.
    pub fn eval(&mut self, script: &str) -> Value {
        self.act(&json!(["eval", script]))
    }

    /// The same for a script that returns text.
    pub fn text(&mut self, script: &str) -> String {
        match self.eval(script) {
            Value::String(text) => text,
            other => {
                let page = self.eval("location.href + '\\n' + document.body.innerText");
                panic!("{script} returns {other} in {page}")
            }
        }
    }

    /// The same for a script that returns whether something is so.
    pub fn is_true(&mut self, script: &str) -> bool {
        self.eval(script) == true
    }

    /// Waits until a script returns something true.
    pub fn wait(&mut self, script: &str) {
        self.act(&json!(["wait", script]));
    }

    /// Clicks an element.
    pub fn click(&mut self, selector: &str) {
        self.act(&json!(["click", selector]));
    }

    /// Clicks an element that leads to another page.
    pub fn send(&mut self, selector: &str) {
        self.act(&json!(["send", selector]));
    }

    /// Presses a key.
    pub fn press(&mut self, key: &str) {
        self.act(&json!(["press", key]));
    }

    /// Types a text into a field, in place of what is there.
    pub fn fill(&mut self, selector: &str, text: &str) {
        self.act(&json!(["fill", selector, text]));
    }

    /// Chooses files.
    pub fn choose(&mut self, selector: &str, files: &[&PathBuf]) {
        let mut action = vec![json!("choose"), json!(selector)];
        action.extend(files.iter().map(|file| json!(file)));
        self.act(&Value::Array(action));
    }

    /// Sets the size of the window, and whether the page is `light` or `dark`.
    pub fn set_size(&mut self, width: u32, height: u32, scheme: &str) {
        self.act(&json!(["size", width, height, scheme]));
    }

    /// Switches the scripts of pages on or off.
    pub fn set_script(&mut self, is_on: bool) {
        self.act(&json!(["script", is_on]));
    }
}

impl Drop for BrowserDriver {
    fn drop(&mut self) {
        // The script ends when it has nothing more to read, and ends the browser.
        self.actions = None;
        let _ = self.child.wait();
    }
}
