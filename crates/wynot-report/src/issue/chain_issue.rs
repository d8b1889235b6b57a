//! An explanation as the body of an issue, in Markdown.

use crate::chain::cause_words::{chain_title, subject};
use crate::issue::code_text::{code_span, fenced, plain};
use crate::issue::command_text::command_text;
use crate::text::number::{count, seconds};
use std::fmt::Write;
use wynot_session::{ChainRecord, ChainStep, RunRecord};

/// The body of an issue about an explanation. `environment` describes the machine, a line for each fact.
pub fn chain_issue_body(run: &RunRecord, chain: &ChainRecord, environment: &[String]) -> String {
    let mut body = format!("## {}\n\n", plain(&chain_title(chain)));
    // Writing to a string does not fail.
    let _ = write_body(&mut body, run, chain, environment);
    body
}

fn write_body(
    body: &mut String,
    run: &RunRecord,
    chain: &ChainRecord,
    environment: &[String],
) -> std::fmt::Result {
    let places = count(chain.places.len() as u64, "place");
    let tests = count(chain.tests, "experiment");
    writeln!(body, "Found by {tests} in {places}, {}.\n", seconds(chain.seconds))?;
    if let Some(stop) = &chain.stopped {
        writeln!(body, "The search was stopped ({}); there may be more steps.\n", plain(stop))?;
    }
    if let Some(line) = &run.command_line {
        writeln!(body, "### Command\n\n{}\n", fenced(&command_text(line), "sh"))?;
    }
    writeln!(body, "### Failure\n")?;
    for (command, ending) in [
        (&chain.failing_command, &chain.failing_ending),
        (&chain.passing_command, &chain.passing_ending),
    ] {
        writeln!(body, "- {} ends with {}", code_span(command), plain(ending))?;
    }
    writeln!(body, "\n### Chain\n")?;
    let numbers = chain.numbers();
    for (number, step) in numbers.iter().zip(&chain.steps).filter(|(_, step)| !step.is_similar) {
        write_step(body, *number, step)?;
    }
    if !chain.steps.is_empty() {
        let number = numbers.last().unwrap_or(&0) + 1;
        let (failing, passing) = (plain(&chain.failing_ending), plain(&chain.passing_ending));
        write!(body, "{number}. The program ends with **{failing}** instead of {passing}.")?;
        write_source(body, &chain.last_source, &[chain.last_line])?;
    }
    for question in &chain.open_questions {
        writeln!(body, "\n{}", plain(question))?;
    }
    if !environment.is_empty() {
        writeln!(body, "\n### Environment\n")?;
        environment.iter().try_for_each(|fact| writeln!(body, "- {}", plain(fact)))?;
    }
    let Some(line) = &run.command_line else { return Ok(()) };
    let commands = format!("{} --gdb steps\ngdb -batch -x steps/1.gdb", command_text(line));
    writeln!(body, "\n### How to repeat\n\n{}", fenced(&commands, "sh"))
}

/// Writes a step as an item of a numbered list.
fn write_step(body: &mut String, number: usize, step: &ChainStep) -> std::fmt::Result {
    write!(body, "{number}. In {}, ", plain(&step.place))?;
    let causes = step.causes.iter().map(|cause| {
        let (noun, name, owner) = subject(cause);
        let [failing, passing] = [&cause.failing, &cause.passing].map(|value| code_span(value));
        format!(
            "{}{}{} is {failing} instead of {passing}",
            plain(&noun),
            code_span(name),
            plain(&owner)
        )
    });
    write!(body, "{}.", causes.collect::<Vec<_>>().join(", and "))?;
    write_source(body, &step.source, &step.lines)
}

/// Writes the line of source code that has made the difference, and ends the item.
fn write_source(body: &mut String, source: &[(u32, String)], lines: &[u32]) -> std::fmt::Result {
    let is_quoted =
        |(number, text): &&(u32, String)| lines.contains(number) && text.trim().len() > 1;
    for (number, text) in source.iter().filter(is_quoted) {
        write!(body, " Line {number}: {}", code_span(text.trim()))?;
    }
    writeln!(body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::chain_page::tests::chain;
    use crate::page::session_summary::tests::run;
    use wynot_session::CommandLine;

    #[test]
    fn an_issue_about_a_chain_has_its_steps_and_its_repetition() {
        let words = ["explain", "--report", "r.html", "--pass", "./p 1", "--fail", "./p 2"];
        let line =
            CommandLine { arguments: words.map(str::to_owned).to_vec(), ..Default::default() };
        let run = RunRecord { command_line: Some(line), ..run("explain", 0, 0) };
        let body = chain_issue_body(&run, &chain(), &["Linux".to_owned()]);
        for part in [
            "## It fails since b of main was NULL",
            "wynot explain --pass './p 1' --fail './p 2'\n",
            "1. In main at p.c:1, the content of the input file `in.txt` is ",
            "2. In move at p.c:9, variable `b` of main is `NULL` instead of `\"x\"`.",
            "3. The program ends with **signal SEGV in move** instead of exit 0.",
            "--gdb steps\ngdb -batch -x steps/1.gdb",
            "- Linux",
        ] {
            assert!(body.contains(part), "{part} is not in {body}");
        }
    }
}
