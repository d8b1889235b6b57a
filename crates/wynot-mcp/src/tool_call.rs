//! A call of a tool: its arguments, checked, and the command line that they stand for.

use crate::parameter::Role;
use crate::tool_table::ToolEntry;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The limit of a search that does not name one, so that no agent waits for a search without an end.
const DEFAULT_MAX_TIME: &str = "10m";

/// The options that the server itself gives.
const OWN_OPTIONS: [&str; 2] = ["--json", "--events"];

/// The arguments of a call, checked.
#[derive(Debug)]
pub struct Arguments {
    tool: &'static ToolEntry,
    words: BTreeMap<&'static str, Vec<String>>,
}

/// A search that a call asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchCall {
    /// The name of the tool.
    pub tool: &'static str,
    /// The arguments of the command line.
    pub command_line: Vec<String>,
    /// The working directory.
    pub directory: PathBuf,
    /// Whether the call returns before the search ends.
    pub is_background: bool,
}

impl Arguments {
    /// Checks the arguments of a call.
    pub fn check(tool: &'static ToolEntry, arguments: &Map<String, Value>) -> Result<Self, String> {
        let mut words = BTreeMap::new();
        for (name, value) in arguments {
            let Some(parameter) = tool.parameters().find(|one| one.name == name) else {
                let names: Vec<&str> = tool.parameters().map(|one| one.name).collect();
                return Err(format!(
                    "{} has no parameter {name:?}; its parameters are {}",
                    tool.name,
                    names.join(", ")
                ));
            };
            if let Some(found) = parameter.words(value)? {
                words.insert(parameter.name, found);
            }
        }
        let mut required = tool.parameters().filter(|one| one.is_required);
        match required.find(|one| !words.contains_key(one.name)) {
            Some(missing) => Err(format!("{} needs \"{}\"", tool.name, missing.name)),
            None => Ok(Self { tool, words }),
        }
    }

    /// The only word of a parameter.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.words.get(name)?.first().map(String::as_str)
    }

    /// The search of these arguments. Relative directories refer to that of this process.
    pub fn search(&self) -> Result<SearchCall, String> {
        let directory = std::path::absolute(self.text("directory").unwrap_or("."))
            .map_err(|error| format!("cannot find the directory of the search: {error}"))?;
        if !directory.is_dir() {
            return Err(format!("cannot search in {}: it is no directory", directory.display()));
        }
        Ok(SearchCall {
            tool: self.tool.name,
            command_line: self.command_line()?,
            directory,
            is_background: self.words.contains_key("background"),
        })
    }

    fn command_line(&self) -> Result<Vec<String>, String> {
        // Events and the result come on one pipe: nothing is left in a file if both processes are killed.
        let mut line = vec![self.tool.name.to_owned(), "--json".to_owned()];
        line.push("--events=/dev/stdout".to_owned());
        let (mut inputs, mut test) = (Vec::new(), Vec::new());
        let given = self.tool.parameters().filter_map(|one| Some((one, self.words.get(one.name)?)));
        for (parameter, words) in given {
            match parameter.role {
                Role::Option(option) if words.is_empty() => line.push(option.to_owned()),
                // In one word, because a value may begin with a hyphen.
                Role::Option(option) => {
                    line.extend(words.iter().map(|word| format!("{option}={word}")))
                }
                Role::MoreOptions => {
                    check_options(words)?;
                    line.extend_from_slice(words);
                }
                Role::Input => inputs.extend(words.iter().map(|path| as_path(path))),
                Role::Test => test = words.clone(),
                Role::Server => {}
            }
        }
        if !line.iter().any(|word| word.split('=').next() == Some("--max-time")) {
            line.push(format!("--max-time={DEFAULT_MAX_TIME}"));
        }
        line.append(&mut inputs);
        if !test.is_empty() {
            line.push("--".to_owned());
            line.append(&mut test);
        }
        Ok(line)
    }
}

/// Refuses options that the server gives, and the word that ends options.
fn check_options(words: &[String]) -> Result<(), String> {
    let is_wrong = |word: &&String| {
        let option = word.split('=').next().unwrap_or_default();
        option == "--" || OWN_OPTIONS.contains(&option)
    };
    match words.iter().find(is_wrong) {
        Some(word) => Err(format!("\"more_options\" cannot contain {word:?}")),
        None => Ok(()),
    }
}

/// A path that cannot be taken for an option.
fn as_path(path: &str) -> String {
    if path.starts_with('-') { format!("./{path}") } else { path.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(tool: &str, arguments: Value) -> Result<SearchCall, String> {
        let tool = ToolEntry::find(tool).unwrap();
        Arguments::check(tool, arguments.as_object().unwrap())?.search()
    }

    #[test]
    fn arguments_become_a_command_line() {
        let arguments = json!({
            "input": ["-a.c", "b.c"], "test": ["cc", "-c", "{}"], "fail_when": ["exit=1", "stderr~x"],
            "flaky": true, "sandbox": false, "max_tests": 9, "more_options": ["--jobs", "2"],
            "unit": null, "background": true,
        });
        let call = call("reduce", arguments).unwrap();
        assert!(call.is_background);
        assert_eq!(
            call.command_line.join(" "),
            "reduce --json --events=/dev/stdout --fail-when=exit=1 --fail-when=stderr~x --flaky \
             --max-tests=9 --jobs 2 --max-time=10m ./-a.c b.c -- cc -c {}"
        );
    }

    #[test]
    fn the_time_limit_is_that_of_the_caller() {
        for (name, value) in
            [("max_time", json!("2h")), ("more_options", json!(["--max-time", "2h"]))]
        {
            let call =
                call("explain", json!({"pass": "./a", "fail": "./a 1", name: value})).unwrap();
            let limits = call.command_line.iter().filter(|word| word.contains("--max-time"));
            assert_eq!(limits.count(), 1, "{call:?}");
        }
    }

    #[test]
    fn wrong_calls_are_refused_with_a_reason() {
        let wrong = [
            (json!({"test": ["t"]}), "needs \"input\""),
            (json!({"input": "x"}), "needs \"test\""),
            (json!({"input": "x", "test": ["t"], "tests": 1}), "no parameter \"tests\""),
            (json!({"input": "x", "test": "t"}), "list of strings"),
            (json!({"input": "x", "test": ["t"], "directory": "/nowhere"}), "no directory"),
            (json!({"input": "x", "test": ["t"], "more_options": ["--"]}), "cannot contain"),
            (
                json!({"input": "x", "test": ["t"], "more_options": ["--events=x"]}),
                "cannot contain",
            ),
        ];
        for (arguments, reason) in wrong {
            let error = call("reduce", arguments.clone()).unwrap_err();
            assert!(error.contains(reason), "{arguments}: {error}");
        }
    }
}
