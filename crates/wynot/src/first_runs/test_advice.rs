//! What was probably meant by a test whose words suggest a misunderstanding: placeholders of other tools, operators that only
//! a shell understands, a script that looks for files which are not in its directory.

use crate::error::Error;
use crate::plan::Plan;
use std::fs;
use std::io::Read;
use std::path::Path;
use wynot_exec::VariantForm;
use wynot_exec::command::WorkDir;
use wynot_subjects::quote;

/// What stands for the input in the commands of other tools.
const OTHER_PLACEHOLDERS: [&str; 8] =
    ["@@", "%s", "{input}", "{file}", "{path}", "{0}", "{variant}", "{FILE}"];

/// Words that only a shell understands.
const SHELL_OPERATORS: [&str; 13] =
    ["|", "||", "&&", ";", "&", ">", ">>", "<", "2>", "2>&1", "|&", ">/dev/null", "2>/dev/null"];

/// The shells that take a script after `-c`.
const SHELLS: [&str; 4] = ["sh", "bash", "dash", "zsh"];

/// The bytes at the beginning of a script that are searched for names of files.
const MAX_SCRIPT_BYTES: u64 = 64 * 1024;

/// Adds what to type instead, if the words of the test suggest it.
pub(super) fn with_test_advice(error: Error, plan: &Plan) -> Error {
    if plan.version_names().is_some() || plan.input.form == VariantForm::Call {
        return error;
    }
    let words = test_words(plan);
    match other_placeholder(&words).or_else(|| shell_words(&words)).or_else(|| shell_script(&words)) {
        Some((reason, test)) => error.hint(format!("{reason}; write -- {test}")),
        None => match missed_file(plan) {
            Some(file) => error.hint(format!(
                "the test names {file}, which is not in the private directory in which it runs; add --in ."
            )),
            None => error,
        },
    }
}

/// The test as it is typed.
pub(super) fn test_in_words(plan: &Plan) -> String {
    quote::command(&test_words(plan))
}

fn test_words(plan: &Plan) -> Vec<String> {
    let words = std::iter::once(plan.command.program.as_os_str())
        .chain(plan.command.args.iter().map(|arg| arg.as_os_str()));
    words.map(|word| word.to_string_lossy().into_owned()).collect()
}

/// The test with `{}` in the place of another tool's placeholder.
fn other_placeholder(words: &[String]) -> Option<(String, String)> {
    let found = words.iter().find(|word| OTHER_PLACEHOLDERS.contains(&word.as_str()))?;
    if words.iter().any(|word| word.contains("{}")) {
        return None;
    }
    let test = words.iter().map(|word| if word == found { "{}".to_owned() } else { word.clone() });
    let reason = format!("the path of the input is {{}}, not {found}");
    Some((reason, quote::command(&test.collect::<Vec<_>>())))
}

/// The test as a script of a shell, if one of its words is an operator.
fn shell_words(words: &[String]) -> Option<(String, String)> {
    let is_operator = |word: &String| SHELL_OPERATORS.contains(&word.as_str());
    let found = words.iter().find(|word| is_operator(word))?;
    let quoted = words.iter().map(|word| match is_operator(word) {
        true => word.clone(),
        false => quote::command(std::slice::from_ref(word)),
    });
    let script = quoted.collect::<Vec<_>>().join(" ");
    let test = ["sh".to_owned(), "-c".to_owned(), script];
    let reason = format!("no shell reads the test, so {found} is one of its arguments");
    Some((reason, quote::command(&test)))
}

/// The test with its arguments in the script of the shell, if they are behind it.
fn shell_script(words: &[String]) -> Option<(String, String)> {
    let [shell, option, script, rest @ ..] = words else { return None };
    let name = Path::new(shell).file_name()?.to_str()?;
    let is_unused = SHELLS.contains(&name) && option == "-c" && !script.contains('$');
    if !is_unused || !rest.iter().any(|word| word == "{}") || script.contains("{}") {
        return None;
    }
    let script = format!("{script} {}", rest.join(" "));
    let test = [name.to_owned(), "-c".to_owned(), script];
    let reason = format!("{name} -c reads its first word as a script, not those behind it");
    Some((reason, quote::command(&test)))
}

/// A file of this directory that a script names by a relative path, but does not find where it runs.
fn missed_file(plan: &Plan) -> Option<String> {
    if plan.project.is_some() || plan.command.work_dir == WorkDir::Here {
        return None;
    }
    let mut text = String::new();
    let file = fs::File::open(&plan.command.program).ok()?;
    file.take(MAX_SCRIPT_BYTES).read_to_string(&mut text).ok()?;
    let is_part = |c: char| c.is_alphanumeric() || "._-/".contains(c);
    let input = plan.input.name.to_string_lossy();
    text.strip_prefix("#!")?;
    text.lines()
        .skip(1)
        .flat_map(|line| line.split(|c: char| !is_part(c)))
        .filter(|word| word.starts_with("./") && word.len() > 2)
        .find(|word| word[2..] != *input && plan.command.here.join(word).is_file())
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split('_').map(str::to_owned).collect()
    }

    #[test]
    fn operators_of_a_shell_become_a_script() {
        let test = |line: &str| shell_words(&words(line)).map(|(_, test)| test);
        assert_eq!(test("cat_{}_|_./calc").as_deref(), Some("sh -c 'cat {} | ./calc'"));
        assert_eq!(test("cat_{}"), None);
    }

    #[test]
    fn arguments_behind_a_script_go_into_it() {
        let test = |line: &str| shell_script(&words(line)).map(|(_, test)| test);
        assert_eq!(test("/bin/sh_-c_./calc_{}").as_deref(), Some("sh -c './calc {}'"));
        assert_eq!(test("sh_-c_./calc $0_{}"), None);
        assert_eq!(test("sh_-c_./calc {}"), None);
    }

    #[test]
    fn placeholders_of_other_tools_are_known() {
        let test = |line: &str| other_placeholder(&words(line)).map(|(_, test)| test);
        assert_eq!(test("./calc_@@").as_deref(), Some("./calc {}"));
        assert_eq!(test("./calc_{}_@@"), None);
    }
}
