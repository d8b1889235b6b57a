//! A failure that only the private directory of the tests has: the input needs a file that is beside it, such as a header or a
//! module, and the test complains that there is none.

use super::test_advice::test_in_words;
use super::untracked_files::is_about_missing_file;
use crate::error::{Error, ErrorKind};
use crate::plan::Plan;
use crate::request::Verb;
use std::path::Path;
use wynot_exec::VariantForm;
use wynot_exec::command::WorkDir;
use wynot_session::judge::{ExitMeaning, TestJudge};
use wynot_session::{Observation, RunSummary};
use wynot_subjects::quote;

/// What the names of private directories contain.
const PRIVATE: &str = "wynot-scratch-";

/// The languages whose inputs can have their headers in them.
const LANGUAGES_WITH_HEADERS: [&str; 2] = ["c", "cpp"];

/// The refusal of such a failure, unless the user has said what the failure is.
pub(super) fn missing_neighbour(
    plan: &Plan,
    judge: &TestJudge,
    original: &Observation,
) -> Option<Error> {
    let is_alone = plan.project.is_none() && plan.command.work_dir == WorkDir::Private;
    let is_input = plan.version_names().is_none() && plan.input.form != VariantForm::Call;
    let is_asked_for = !plan.criteria.fail_when.is_empty() || !plan.criteria.same_failure;
    if !is_alone
        || !is_input
        || is_asked_for
        || judge.record().exit_meaning == ExitMeaning::Interesting
    {
        return None;
    }
    let message = RunSummary::judged(original, judge).failure?.message?;
    if !is_about_missing_file(&message) {
        return None;
    }
    let directory = plan.input.directory.as_ref().unwrap_or(&plan.command.here);
    let name = plan.input.name.to_string_lossy();
    let extension = Path::new(&*name).extension().map(|extension| extension.to_string_lossy());
    let is_there = |path: &str| {
        path != name
            && plan.input.varied.get(Path::new(path)).is_none()
            && directory.join(path).is_file()
    };
    let missing = named_paths(&message).find_map(|path| {
        let module = extension.as_ref().map(|extension| format!("{path}.{extension}"));
        [Some(path.to_owned()), module].into_iter().flatten().find(|path| is_there(path))
    })?;
    Some(refusal(plan, &missing, &message))
}

fn refusal(plan: &Plan, missing: &str, message: &str) -> Error {
    let name = plan.input.name.to_string_lossy();
    let error = Error::new(
        ErrorKind::NoFailure,
        format!("the test misses {missing}, which is beside {name}: this is no failure of {name}"),
    );
    let verb = match plan.verb {
        Verb::Isolate => "isolate",
        _ => "reduce",
    };
    let error = error
        .detail(format!("    {message}"))
        .hint(format!("tests run in a private directory that holds {name} and nothing else; --in . adds the files here"));
    let error = match LANGUAGES_WITH_HEADERS.contains(&plan.input.language.name)
        && plan.verb == Verb::Reduce
    {
        true => error.hint(format!(
            "--inline-includes puts {missing} into {name}, so that it shrinks as well"
        )),
        false => error,
    };
    let error =
        error.hint("if this is the failure to search for, say so: --fail-when 'stderr~TEXT'");
    match plan.input.is_compared || plan.input.form == VariantForm::Folder {
        true => error,
        false => {
            let input = quote::command(&[name.into_owned()]);
            let line = format!("wynot {verb} --in . {input} -- {}", test_in_words(plan));
            error.hint(format!("with the files beside it: {line}")).next(line)
        }
    }
}

/// The words of a message that may be paths below the directory of the test.
fn named_paths(message: &str) -> impl Iterator<Item = &str> {
    let is_outside = |c: char| c.is_whitespace() || "'\"‘’`:;,()<>".contains(c);
    message.split(is_outside).filter_map(|word| {
        let word = match word.split_once(PRIVATE) {
            Some((_, inside)) => inside.rsplit('/').next()?,
            None => word.trim_start_matches("./"),
        };
        let is_path = Path::new(word).is_relative() && word.contains(char::is_alphabetic);
        is_path.then_some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_compilers_and_interpreters_name_what_they_miss() {
        for (line, path) in [
            ("./main.c:2:10: fatal error: util.h: No such file or directory", "util.h"),
            ("ModuleNotFoundError: No module named 'helper'", "helper"),
            ("Error: Cannot find module './lib/helper'", "lib/helper"),
            ("error[E0583]: file not found for module `helper`", "helper"),
            (
                "cannot load such file -- /dev/shm/wynot-scratch-0001-x/000-0/helper (LoadError)",
                "helper",
            ),
        ] {
            assert!(is_about_missing_file(line), "{line}");
            assert!(named_paths(line).any(|word| word == path), "{line}");
        }
    }
}
