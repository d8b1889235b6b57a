//! Several inputs in the command of a test: what `{}` stands for, and what was probably meant.

use crate::error::Error;
use crate::plan::Plan;
use crate::request::Verb;
use wynot_subjects::quote;

/// The test with the names of several inputs in place of `{}`, which is their directory, if it mentions that.
pub(super) fn with_names(plan: &Plan) -> Option<String> {
    let places = &plan.results.places;
    let mut words = plan.command.args.iter().map(|arg| arg.to_string_lossy());
    if places.len() < 2 || !words.any(|word| word == "{}") {
        return None;
    }
    let names = || places.iter().map(|place| place.display().to_string());
    let program = plan.command.program.display().to_string();
    let mut test = vec![program];
    let mut is_named = false;
    for arg in &plan.command.args {
        match arg.to_string_lossy() {
            word if word != "{}" => test.push(word.into_owned()),
            _ if is_named => {}
            _ => {
                is_named = true;
                // Some may be named beside it already.
                let is_missing =
                    |name: &String| !plan.command.args.iter().any(|arg| *arg == **name);
                test.extend(names().filter(is_missing));
            }
        }
    }
    Some(quote::command(&test))
}

/// Adds how to compare two inputs, if two were given to be varied together.
pub(super) fn two_inputs(error: Error, plan: &Plan) -> Error {
    let places: Vec<String> =
        plan.results.places.iter().map(|place| place.display().to_string()).collect();
    let (Verb::Isolate, [passing, failing]) = (plan.verb, places.as_slice()) else { return error };
    let test = std::iter::once(plan.command.program.display().to_string())
        .chain(plan.command.args.iter().map(|arg| arg.to_string_lossy().into_owned()));
    let [passing, failing] =
        [passing, failing].map(|name| quote::command(std::slice::from_ref(name)));
    let test = quote::command(&test.collect::<Vec<_>>());
    let line = format!("wynot isolate --passing {passing} {failing} -- {test}");
    error.hint(format!("to compare two inputs: {line}")).next(line)
}

/// What stands for the input in a command to repeat a run by hand.
pub(super) fn input_path(plan: &Plan) -> String {
    match plan.results.places.len() {
        0 | 1 => plan.input.name.to_string_lossy().into_owned(),
        _ => ".".to_owned(),
    }
}
