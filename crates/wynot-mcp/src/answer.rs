//! What a call of a tool returns: a short text, and an object.

use crate::result_file::show_result;
use crate::search_registry::{RegisteredSearch, SearchRegistry};
use crate::search_state::{Ending, Phase, SearchState};
use crate::summary::{cut, error_lines, printed_hints, result_lines, result_path};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};
use std::path::Path;

/// The most characters of the facts, without the contents of a file.
const MAX_FACTS: usize = 1200;

/// The most characters of a command line that is shown.
const MAX_COMMAND_LINE: usize = 300;

/// An error of a call, and what to do next.
pub fn refusal(message: &str, hint: &str) -> CallToolResult {
    let object = json!({"status": "error", "message": message, "hints": [hint]});
    answer(format!("error: {message}\nhint: {hint}"), object, true)
}

/// How one search stands, or all of them.
pub fn status_of(searches: &[&RegisteredSearch], registry: &SearchRegistry) -> CallToolResult {
    let mut lines = Vec::new();
    let mut objects = Vec::new();
    for search in searches {
        let state = search.state();
        lines.push(format!("{}: {}", search.id, standing(search, &state, registry)));
        objects.push(state.object(&search.id, search.call.tool));
    }
    if lines.is_empty() {
        lines.push("there are no searches".to_owned());
    }
    // The newest ones matter most.
    lines.reverse();
    answer(facts(&lines), json!({"searches": objects}), false)
}

/// The beginning of a search in the background.
pub fn started(search: &RegisteredSearch, registry: &SearchRegistry) -> CallToolResult {
    let (id, state) = (&search.id, search.state());
    let text = format!(
        "{id}: {}\nnext: status {{\"id\": \"{id}\"}}, result {{\"id\": \"{id}\", \"wait_seconds\": 60}} or cancel",
        standing(search, &state, registry)
    );
    answer(text, state.object(id, search.call.tool), false)
}

/// The result of a search, or its best so far.
pub fn result_of(search: &RegisteredSearch, registry: &SearchRegistry) -> CallToolResult {
    let state = search.state();
    match state.ending() {
        Some(ending) if ending.has_failed() => failure(search, &state, ending),
        Some(ending) => success(search, ending),
        None => {
            let mut lines = vec![format!("{}: {}", search.id, standing(search, &state, registry))];
            lines.extend(state.decision.iter().map(|decision| format!("failure: {decision}")));
            let text = with_contents(lines, state.output.as_deref(), "best so far");
            answer(text, state.object(&search.id, search.call.tool), false)
        }
    }
}

fn success(search: &RegisteredSearch, ending: &Ending) -> CallToolResult {
    let object = ending.object.clone().unwrap_or_default();
    let mut lines = vec![format!("search {}", search.id)];
    lines.extend(result_lines(&object));
    lines.extend(printed_hints(&ending.errors));
    let path = result_path(&object, &search.call.directory);
    let text = with_contents(lines, path.as_deref(), "result");
    answer(text, object, false)
}

fn failure(search: &RegisteredSearch, state: &SearchState, ending: &Ending) -> CallToolResult {
    let mut lines = vec![format!("search {} has no result", search.id)];
    lines.extend(error_lines(ending));
    let words = search.call.command_line.join(" ");
    lines.push(format!("command: wynot {}", cut(&words, MAX_COMMAND_LINE)));
    // The best so far is kept even if the process was killed.
    let best =
        state.output.as_deref().filter(|path| state.bytes < state.bytes_before && path.exists());
    let text = match best {
        Some(path) => with_contents(lines, Some(path), "best so far"),
        None => facts(&lines),
    };
    let object = ending.object.clone().unwrap_or_else(|| {
        json!({
            "command": search.call.tool,
            "status": "error",
            "message": ending.process,
            "details": ending.errors.lines().collect::<Vec<_>>(),
            "hints": [],
        })
    });
    answer(text, object, true)
}

/// How a search stands, in a line.
fn standing(search: &RegisteredSearch, state: &SearchState, registry: &SearchRegistry) -> String {
    match state.phase {
        Phase::Waiting => waiting_line(search, registry),
        Phase::Running => format!("running for {} s, {}", state.seconds(), state.line()),
        Phase::Ended(_) => {
            format!("{} after {} s, {}", state.phase_name(), state.seconds(), state.line())
        }
    }
}

/// That a search waits, and for how many others.
pub fn waiting_line(search: &RegisteredSearch, registry: &SearchRegistry) -> String {
    let ahead = registry.ahead_of(search);
    format!("waiting, because other searches run; {ahead} are ahead of this one")
}

/// The facts, and the file of the result with its contents.
fn with_contents(mut lines: Vec<String>, path: Option<&Path>, name: &str) -> String {
    let Some(path) = path else { return facts(&lines) };
    let Some(contents) = show_result(path) else { return facts(&lines) };
    let at = format!("{name}: {}", path.display());
    lines.insert(1.min(lines.len()), at);
    format!("{}\n{name}:\n{contents}", facts(&lines))
}

fn facts(lines: &[String]) -> String {
    cut(&lines.join("\n"), MAX_FACTS)
}

fn answer(text: String, object: Value, is_error: bool) -> CallToolResult {
    let content = vec![ContentBlock::text(text)];
    let mut result = match is_error {
        true => CallToolResult::error(content),
        false => CallToolResult::success(content),
    };
    result.structured_content = Some(object);
    result
}
