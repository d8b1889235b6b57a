//! A session as the body of an issue, in Markdown.

use crate::issue::code_text::{changed_item, fenced, plain};
use crate::issue::command_text::command_text;
use crate::page::headline::{StatusLine, headline};
use crate::page::session_summary::SessionSummary;
use crate::text::number::count;
use crate::text::sentence::capitalised;
use std::fmt::Write;
use std::path::Path;
use wynot_session::EndRecord;
use wynot_subjects::quote;

/// The number of bytes of a result that are quoted; an issue is read by people and programs that pay by the word.
const MAX_RESULT_BYTES: usize = 2_000;

/// The body of an issue about a session. `environment` describes the machine, a line for each fact.
pub fn issue_body(summary: &SessionSummary, environment: &[String]) -> String {
    let mut body = format!("## {}\n\n", plain(&headline(summary)));
    // Writing to a string does not fail.
    let _ = write_body(&mut body, summary, environment);
    body
}

fn write_body(
    body: &mut String,
    summary: &SessionSummary,
    environment: &[String],
) -> std::fmt::Result {
    let run = &summary.run;
    let StatusLine { status, meaning, .. } = StatusLine::of(summary);
    writeln!(body, "{}: {}.\n", capitalised(&status), plain(&meaning))?;
    if let Some(line) = &run.command_line {
        writeln!(body, "### Command\n\n{}\n", fenced(&command_text(line), "sh"))?;
    }
    writeln!(body, "### Failure\n\nOutcomes: {}.", plain(&run.reading))?;
    if let Some(failure) = summary.end.as_ref().and_then(|end| end.failure.as_ref()) {
        writeln!(body, "The result shows {}.", plain(&failure.to_string()))?;
    }
    if let Some(end) = &summary.end {
        write_result(body, summary, end)?;
    }
    if !environment.is_empty() {
        writeln!(body, "\n### Environment\n")?;
        environment.iter().try_for_each(|fact| writeln!(body, "- {}", plain(fact)))?;
    }
    write_repetition(body, summary)
}

/// Writes what was found.
fn write_result(body: &mut String, summary: &SessionSummary, end: &EndRecord) -> std::fmt::Result {
    let is_patch = matches!(summary.run.command.as_str(), "changes" | "history");
    let extension = Path::new(&summary.run.input).extension().and_then(|name| name.to_str());
    let language = if is_patch { "diff" } else { extension.unwrap_or_default() };
    writeln!(body, "\n### Result\n")?;
    for line in &end.changes {
        writeln!(body, "{}", changed_item(line))?;
    }
    let answer = end.answer.iter();
    for cause in answer.clone().flat_map(|answer| &answer.causes) {
        writeln!(body, "- {}: {}", plain(&cause.headline), plain(&cause.lines.join(" ")))?;
        if let Some(command) = &cause.command {
            writeln!(body, "\n{}", fenced(command, "sh"))?;
        }
    }
    for note in answer.flat_map(|answer| &answer.notes) {
        writeln!(body, "{}", changed_item(note))?;
    }
    if end.passing.is_none() && summary.run.command != "options" && !end.failing.is_empty() {
        let start = floor(&end.failing, MAX_RESULT_BYTES);
        let gap = if end.changes.is_empty() { "" } else { "\n" };
        writeln!(body, "{gap}{}", fenced(&end.failing[..start], language))?;
        if start < end.failing.len() {
            writeln!(body, "(the beginning of {})", count(end.bytes, "byte"))?;
        }
    }
    if let Some(fix) = end.history.as_ref().and_then(|history| history.fix_patch.as_ref()) {
        writeln!(body, "\n### Fix\n\nWith this patch, the newest version passes the test.\n")?;
        writeln!(body, "{}", fenced(fix, "diff"))?;
    }
    let tests = count(end.tests.executed, "test");
    let time = summary.time().map(|time| format!(", {time}")).unwrap_or_default();
    writeln!(body, "\nFound in {tests}{time}.")
}

/// Writes how to see the failure again.
fn write_repetition(body: &mut String, summary: &SessionSummary) -> std::fmt::Result {
    let run = &summary.run;
    let Some(line) = &run.command_line else { return Ok(()) };
    let output = Path::new(&line.output).file_name().and_then(|name| name.to_str());
    writeln!(body, "\n### How to repeat\n")?;
    let is_input = matches!(run.command.as_str(), "reduce" | "isolate");
    let mut commands = Vec::new();
    if let Some(output) = output.filter(|_| is_input) {
        let test: Vec<String> = run.test.iter().map(|word| word.replace("{}", output)).collect();
        commands.push(quote::command(&test));
        commands.push(format!("wynot verify {}", quote::command(&[output.to_owned()])));
    } else {
        commands.push(command_text(line));
    }
    writeln!(body, "{}", fenced(&commands.join("\n"), "sh"))
}

/// The largest index of a character up to a number of bytes.
fn floor(text: &str, bytes: usize) -> usize {
    (0..=bytes.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::session_summary::tests::{end, run, summary};
    use wynot_session::{CommandLine, RunRecord};

    fn body(failing: &str, input: &str) -> String {
        let line = CommandLine {
            arguments: ["reduce", input, "--", "gcc", "{}"].map(str::to_owned).to_vec(),
            directory: "/".to_owned(),
            output: format!("/somewhere/min.{input}"),
        };
        let run =
            RunRecord { input: input.to_owned(), command_line: Some(line), ..run("reduce", 99, 9) };
        let end = EndRecord { failing: failing.to_owned(), ..end(9, failing.len() as u64) };
        let environment = ["Linux 6.1 x86_64".to_owned()];
        issue_body(&summary(run, Vec::new(), Some(end)), &environment)
    }

    #[test]
    fn an_issue_has_command_result_environment_certificate_and_repetition() {
        let body = body("int x;\n", "bug.c");
        for part in [
            "## bug.c: 99 → 7 bytes",
            "proved 1-minimal (char)",
            "```sh\nwynot reduce bug.c -- gcc {}\n```",
            "```c\nint x;\n```",
            "- Linux 6.1 x86\\_64",
            "gcc -c min.bug.c\nwynot verify min.bug.c",
        ] {
            assert!(body.contains(part), "{part} is not in {body}");
        }
    }

    #[test]
    fn hostile_text_is_no_markup() {
        let body = body("```\n</details><script>\n````\u{202e}", "<b>*@all.c");
        assert!(body.contains("`````c\n```\n"), "{body}");
        assert!(body.contains("\\u{202e}") && !body.contains('\u{202e}'), "{body}");
        assert!(body.contains("## \\<b\\>\\*\\@all.c"), "{body}");
    }

    #[test]
    fn long_results_are_cut() {
        let body = body(&"é".repeat(5_000), "a.txt");
        assert!(body.len() < 4_000 && body.contains("(the beginning of 10,000 bytes)"), "{body}");
    }
}
