//! The tools: one entry for each, from which schemas, checks and command lines are made.

use crate::parameter::ParameterKind::{Count, Flag, Text, TextOrWords, Time, Words};
use crate::parameter::{Parameter, Role};
use serde_json::{Map, Value, json};

/// A tool.
#[derive(Debug)]
pub struct ToolEntry {
    /// The name; of a search, also the command of the command line.
    pub name: &'static str,
    /// What a call does.
    pub action: Action,
    /// What the tool is for, for agents.
    pub description: &'static str,
    /// An example of arguments, as JSON.
    pub example: &'static str,
    /// The parameters, in groups that tools share.
    pub parameters: &'static [&'static [Parameter]],
}

/// What a call of a tool does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Starts a search.
    Search,
    /// The state of searches.
    Status,
    /// Gives the result of a search.
    Result,
    /// Stops a search.
    Cancel,
}

impl ToolEntry {
    /// The tool with a name.
    pub fn find(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    /// All parameters.
    pub fn parameters(&self) -> impl Iterator<Item = &'static Parameter> + use<> {
        self.parameters.iter().copied().flatten()
    }

    /// The JSON schema of the arguments.
    pub fn schema(&self) -> Map<String, Value> {
        let properties: Map<String, Value> =
            self.parameters().map(|one| (one.name.to_owned(), one.schema())).collect();
        let required: Vec<&str> =
            self.parameters().filter(|one| one.is_required).map(|one| one.name).collect();
        let example: Value = serde_json::from_str(self.example).unwrap_or_default();
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("object"));
        schema.insert("properties".to_owned(), Value::Object(properties));
        schema.insert("required".to_owned(), json!(required));
        schema.insert("additionalProperties".to_owned(), json!(false));
        schema.insert("examples".to_owned(), json!([example]));
        schema
    }

    /// The description with the example.
    pub fn description(&self) -> String {
        format!("{} Example: {}", self.description, self.example)
    }
}

const INPUTS: &[Parameter] = &[
    Parameter::new(
        "input",
        TextOrWords,
        Role::Input,
        "The input that fails: the path of a file or directory, or several paths.",
    )
    .required(),
    Parameter::option(
        "unit",
        Text,
        "--unit",
        "The pieces to remove: line, token, char, byte, json, or a list such as line,char. By default the syntax of the \
         language decides, which gives the smallest results.",
    ),
    Parameter::option(
        "project",
        Text,
        "--in",
        "A directory: tests run in copies of it, in which the variant takes the place of the input. Otherwise the private \
         directory of a test has nothing but the variant.",
    ),
    Parameter::option(
        "language",
        Text,
        "--language",
        "The language of the input, such as c or python, where its name does not tell.",
    ),
];

const TEST: &[Parameter] = &[
    Parameter::new(
        "test",
        Words,
        Role::Test,
        "The test and its arguments, one word each; no shell is involved. Often it is the command that fails; a script that \
         exits 0 if the failure is present works, too. {} stands for the path of the variant, {options} for the options \
         that vary, {version} for a version of a row. Each test runs in a private directory: use absolute paths for other \
         files, but ./NAME for a script in the directory of the search.",
    )
    .required(),
];

const OUTCOMES: &[Parameter] = &[
    Parameter::option(
        "same_crash",
        Flag,
        "--same-crash",
        "Only the same crash counts: its signal or report, and the innermost functions.",
    ),
    Parameter::option(
        "any_failure",
        Flag,
        "--any-failure",
        "Every failure with the exit code or signal of the original counts. By default its message or crash must be the \
         same, too.",
    ),
    Parameter::option(
        "flaky",
        Flag,
        "--flaky",
        "The test fails only sometimes: tests are repeated until the outcome is clear.",
    ),
    Parameter::option(
        "sandbox",
        Flag,
        "--sandbox",
        "Tests have no network and no home directory, and write only to their private directories.",
    ),
    Parameter::option(
        "output",
        Text,
        "--output",
        "The path of the result. By default it is NAME.min.EXT beside the input; inputs stay as they are.",
    ),
];

const CONDITIONS: &[Parameter] = &[Parameter::option(
    "fail_when",
    Words,
    "--fail-when",
    "Conditions for the failure, all of which must hold: exit=1, signal=SEGV, timeout, stdout~REGEX, stderr~REGEX, and \
     exit!=0, stdout!~REGEX, stderr!~REGEX.",
)];

const RUN: &[Parameter] = &[
    Parameter::new(
        "directory",
        Text,
        Role::Server,
        "The working directory, to which relative paths refer. By default it is that of the server.",
    ),
    Parameter::option(
        "max_time",
        Time,
        "--max-time",
        "Stop after this time with the best so far, such as \"90s\", \"10m\" or \"2h\". The default is \"10m\".",
    ),
    Parameter::option(
        "max_tests",
        Count,
        "--max-tests",
        "Stop after this many tests with the best so far.",
    ),
    Parameter::new(
        "background",
        Flag,
        Role::Server,
        "Return the id of the search at once; ask for it with status and result.",
    ),
    Parameter::new(
        "more_options",
        Words,
        Role::MoreOptions,
        "Further options of the command line, one word each, as `wynot help` has them, such as [\"--timeout=5s\", \
         \"--jobs=2\"].",
    ),
];

const PASSING: &[Parameter] = &[Parameter::option(
    "passing",
    Text,
    "--passing",
    "A similar input that passes: a file, or a directory if the input is one. By default it is the empty input.",
)];

const VARY: &[Parameter] = &[
    Parameter::option(
        "vary",
        Text,
        "--vary",
        "The options that vary, in one string, such as \"-O2 -g -flto\".",
    ),
    Parameter::option(
        "vary_file",
        Text,
        "--vary-file",
        "A file with one option per line, instead of vary.",
    ),
    Parameter::option(
        "env",
        Flag,
        "--env",
        "Vary the environment variables of the server instead of options, against a clean environment.",
    ),
    Parameter::option(
        "prevent",
        Flag,
        "--prevent",
        "Find what makes the failure go away instead of what causes it.",
    ),
    Parameter::option("all", Flag, "--all", "Find all causes, one after the other."),
];

const BUILD: Parameter = Parameter::option(
    "build",
    Text,
    "--build",
    "A shell command that builds a version before each test; a version that does not build is neither good nor bad.",
);

const VERSIONS: &[Parameter] = &[
    Parameter::option(
        "good",
        Text,
        "--good",
        "A version that passes: a git revision, a directory, an archive or a lock file. Needed unless versions is given.",
    ),
    Parameter::option(
        "bad",
        Text,
        "--bad",
        "A version that fails. Needed unless versions is given.",
    ),
    Parameter::option(
        "versions",
        Text,
        "--versions",
        "A file with the names of versions, one per line, the oldest first: the first bad one is searched.",
    ),
    BUILD,
];

const HISTORY: &[Parameter] = &[
    Parameter::option("from", Text, "--from", "The git revision that fails. The default is HEAD."),
    Parameter::option("until", Text, "--until", "The oldest git revision to test."),
    BUILD,
];

const RUNS: &[Parameter] = &[
    Parameter::option(
        "pass",
        Text,
        "--pass",
        "A run that passes: a program with debug information and its arguments, < FILE for its input.",
    )
    .required(),
    Parameter::option("fail", Text, "--fail", "A run of the same program that fails.").required(),
    Parameter::option(
        "at",
        Words,
        "--at",
        "Places to compare: FUNCTION, FUNCTION:HIT, FILE:LINE or FILE:LINE:HIT. By default they are found.",
    ),
];

const ID: Parameter =
    Parameter::new("id", Text, Role::Server, "The id of the search, such as \"reduce-1\".");

const WAIT: Parameter = Parameter::new(
    "wait_seconds",
    Count,
    Role::Server,
    "Wait up to this many seconds, at most 600, for the end of the search. By default the answer comes at once.",
);

/// All tools.
pub const TOOLS: &[ToolEntry] = &[
    ToolEntry {
        name: "reduce",
        action: Action::Search,
        description: "Make a failing input as small as possible while it still fails in the same way: source code that \
                      crashes a compiler, a file that crashes a program, a directory, a JSON test case. Use it before \
                      reading a large reproducer or reporting a bug.",
        example: r#"{"input": "crash.c", "test": ["gcc", "-O2", "-c", "{}", "-o", "/dev/null"], "directory": "/home/me/bug"}"#,
        parameters: &[INPUTS, TEST, CONDITIONS, OUTCOMES, RUN],
    },
    ToolEntry {
        name: "isolate",
        action: Action::Search,
        description: "Find the difference between a passing and a failing input that decides. It takes few tests.",
        example: r#"{"input": "new.conf", "passing": "old.conf", "test": ["./server", "--check", "{}"], "directory": "/home/me/bug"}"#,
        parameters: &[INPUTS, PASSING, TEST, CONDITIONS, OUTCOMES, RUN],
    },
    ToolEntry {
        name: "options",
        action: Action::Search,
        description: "Find the command line options or environment variables that cause a failure, or prevent it.",
        example: r#"{"vary": "-O2 -funroll-loops -ffast-math", "test": ["./build-and-test.sh", "{options}"], "directory": "/home/me/bug"}"#,
        parameters: &[VARY, TEST, CONDITIONS, OUTCOMES, RUN],
    },
    ToolEntry {
        name: "changes",
        action: Action::Search,
        description: "Find the commit, and the lines of it, that broke a program between a good and a bad version; or the \
                      dependency upgrade between two lock files; or the first bad version of a list. The checkout is not \
                      touched. Exit codes of the test are those of git bisect run: 0 is good, 125 skips, others are bad.",
        example: r#"{"good": "v1.2", "bad": "HEAD", "build": "make -j2", "test": ["./run-tests.sh"], "directory": "/home/me/project"}"#,
        parameters: &[VERSIONS, TEST, CONDITIONS, OUTCOMES, RUN],
    },
    ToolEntry {
        name: "history",
        action: Action::Search,
        description: "Find the commit that broke a program where no good version is known: walk back through the git \
                      history, patch old versions that do not build any more, and make a fix for today. Often this takes \
                      longer than 10 minutes: give max_time and background.",
        example: r#"{"build": "make -j2", "test": ["./reproduce.sh"], "max_time": "2h", "background": true, "directory": "/home/me/project"}"#,
        parameters: &[HISTORY, TEST, CONDITIONS, OUTCOMES, RUN],
    },
    ToolEntry {
        name: "explain",
        action: Action::Search,
        description: "Find the variables that carry a failure from the input to the crash, by experiments in a passing and \
                      a failing run of one program in C, C++ or Rust with debug information (-g, best with -O0). The runs \
                      use the working directory itself.",
        example: r#"{"pass": "./sort 7 8 9", "fail": "./sort 11 14", "fail_when": ["stdout~^0 "], "directory": "/home/me/bug"}"#,
        parameters: &[RUNS, CONDITIONS, RUN],
    },
    ToolEntry {
        name: "status",
        action: Action::Status,
        description: "How searches stand: whether they wait, run or have ended, and their tests, bytes and seconds. Without \
                      an id, all searches of this server.",
        example: r#"{"id": "reduce-1"}"#,
        parameters: &[&[ID]],
    },
    ToolEntry {
        name: "result",
        action: Action::Result,
        description: "The result of a search that has ended, or the best so far of one that runs.",
        example: r#"{"id": "reduce-1", "wait_seconds": 60}"#,
        parameters: &[&[ID.required(), WAIT]],
    },
    ToolEntry {
        name: "cancel",
        action: Action::Cancel,
        description: "Stop a search and return its best so far. The same call of its tool goes on from there later.",
        example: r#"{"id": "reduce-1"}"#,
        parameters: &[&[ID.required()]],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool_call::Arguments;
    use std::collections::BTreeSet;

    #[test]
    fn examples_are_valid_calls() {
        for tool in TOOLS {
            let Value::Object(example) = serde_json::from_str(tool.example).unwrap() else {
                panic!("{} is no object", tool.example)
            };
            Arguments::check(tool, &example).unwrap();
        }
    }

    #[test]
    fn names_are_unique() {
        let names: BTreeSet<&str> = TOOLS.iter().map(|tool| tool.name).collect();
        assert_eq!(names.len(), TOOLS.len());
        for tool in TOOLS {
            let parameters: Vec<&str> = tool.parameters().map(|one| one.name).collect();
            let unique: BTreeSet<&str> = parameters.iter().copied().collect();
            assert_eq!(unique.len(), parameters.len(), "{}", tool.name);
        }
    }
}
