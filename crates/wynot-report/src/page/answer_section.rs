//! The result of a session: the input before and after, each cause, the change, or the places where two sides differ.

use crate::page::session_summary::SessionSummary;
use crate::page::verdict_words::VerdictSentence;
use crate::text::changed_line::ChangedLine;
use crate::text::char_diff::{MarkedText, NumberedText, Spans, char_diff};
use crate::text::escape::{Inline, Preformatted};
use crate::text::number::count;
use crate::text::sentence::capitalised;
use std::fmt;
use std::ops::Range;
use wynot_session::{AnswerRecord, CauseRecord, DifferenceRecord, EndRecord, Side};

/// What the search has found.
pub(crate) struct ResultSection<'a>(pub &'a SessionSummary);

impl fmt::Display for ResultSection<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(end) = &self.0.end else {
            writeln!(f, "<div class=\"pair\">\n{}</div>", self.before())?;
            return writeln!(
                f,
                "<p class=\"note\">What has been found so far is in the output file.</p>"
            );
        };
        if let Some(history) = &end.history {
            write!(f, "{}", VerdictSentence(history))?;
        }
        match (&end.answer, self.0.run.command.as_str()) {
            (_, "changes" | "history") => self.write_patch(f, end),
            (Some(answer), _) if !answer.differences.is_empty() => {
                self.write_differences(f, end, answer)
            }
            (Some(answer), "options") if !answer.causes.is_empty() => self.write_calls(f, answer),
            (answer, _) => self.write_texts(f, end, answer.as_ref()),
        }
    }
}

impl ResultSection<'_> {
    /// The input as it was.
    fn before(&self) -> Panel<'_> {
        let run = &self.0.run;
        Panel { title: "Before", class: "", text: &run.excerpt, size: Some(run.bytes), marks: &[] }
    }

    /// Writes the input before and after, or both sides of a difference of which no places are known.
    fn write_texts(
        &self,
        f: &mut fmt::Formatter<'_>,
        end: &EndRecord,
        answer: Option<&AnswerRecord>,
    ) -> fmt::Result {
        if let Some(passing) = &end.passing {
            return self.write_sides(f, end, passing);
        }
        write_list(f, &end.changes)?;
        let size = Some(end.bytes);
        let after = Panel { title: "After", class: "fail", text: &end.failing, size, marks: &[] };
        writeln!(f, "<div class=\"pair\">\n{}{after}</div>", self.before())?;
        let Some(answer) = answer else { return Ok(()) };
        for CauseRecord { headline, text, bytes, .. } in &answer.causes {
            let (title, text) = (headline.as_str(), text.as_deref().unwrap_or_default());
            write!(f, "{}", Panel { title, class: "fail", text, size: Some(*bytes), marks: &[] })?;
        }
        write_list(f, &answer.notes)
    }

    /// Writes each cause in the call of a test, with a command line that shows it.
    fn write_calls(&self, f: &mut fmt::Formatter<'_>, answer: &AnswerRecord) -> fmt::Result {
        let is_numbered = answer.causes.len() > 1;
        for (number, CauseRecord { headline, lines, command, .. }) in (1..).zip(&answer.causes) {
            let number = if is_numbered { format!("{number}. ") } else { String::new() };
            writeln!(f, "<h3>{number}{}</h3>", Inline(headline))?;
            write_list(f, lines)?;
            if let Some(command) = command {
                let command = Preformatted(command);
                writeln!(f, "<pre class=\"wrap command\" tabindex=\"0\">\n{command}</pre>")?;
            }
        }
        write_list(f, &answer.notes)?;
        let before = Panel { title: "All that varied", ..self.before() };
        writeln!(f, "<details><summary>All that varied</summary>\n{before}</details>")
    }

    /// Writes the change between two versions: what it is, what the audit showed, and the patch.
    fn write_patch(&self, f: &mut fmt::Formatter<'_>, end: &EndRecord) -> fmt::Result {
        let is_evidence =
            |line: &&String| line.starts_with("audit: ") || line.starts_with("revert: ");
        let (evidence, changes): (Vec<&String>, Vec<&String>) =
            end.changes.iter().partition(is_evidence);
        write_list(f, changes)?;
        write_list(f, end.answer.iter().flat_map(|answer| &answer.notes))?;
        for line in evidence {
            let (name, words) = line.split_once(": ").unwrap_or_default();
            let title = if name == "audit" { "Audit" } else { "Revert" };
            writeln!(
                f,
                "<h3>{title}</h3>\n<p>{}</p>",
                Inline(&format!("{}.", capitalised(words)))
            )?;
        }
        let versions = Inline(self.0.run.excerpt.trim());
        // A search that has found no change has no patch, nor has a row of versions.
        if end.failing.is_empty() || self.0.run.units == "version" {
            return writeln!(f, "<p>{versions}</p>");
        }
        let size = Some(end.bytes);
        let patch = Panel { title: "Patch", class: "fail", text: &end.failing, size, marks: &[] };
        writeln!(f, "<p class=\"note\">{versions}</p>\n{patch}")?;
        let Some(text) = end.history.as_ref().and_then(|history| history.fix_patch.as_deref())
        else {
            return Ok(());
        };
        let title = "Fix for the newest version";
        write!(f, "{}", Panel { title, class: "pass", text, size: None, marks: &[] })
    }

    /// Writes the places where the sides differ; the whole sides are folded.
    fn write_differences(
        &self,
        f: &mut fmt::Formatter<'_>,
        end: &EndRecord,
        answer: &AnswerRecord,
    ) -> fmt::Result {
        write_list(f, &end.changes)?;
        for DifferenceRecord { file, passing, failing } in &answer.differences {
            if let Some(file) = file {
                writeln!(f, "<h3><code>{}</code></h3>", Inline(file))?;
            }
            let (in_passing, in_failing) =
                char_diff(&passing.text, &failing.text).unwrap_or_default();
            writeln!(f, "<div class=\"pair\">")?;
            let sides = [
                ("Passing", "pass", passing, in_passing),
                ("Failing", "fail", failing, in_failing),
            ];
            for (title, class, stretch, marks) in sides {
                writeln!(f, "<section class=\"panel\">\n<h3 class=\"{class}\">{title}</h3>")?;
                match stretch.text.is_empty() {
                    true => writeln!(f, "<p class=\"none\">nothing at all</p>")?,
                    false => {
                        let text = NumberedText {
                            text: &stretch.text,
                            marks: &marks,
                            first_line: stretch.line,
                        };
                        writeln!(f, "<pre tabindex=\"0\">\n{text}</pre>")?;
                    }
                }
                writeln!(f, "</section>")?;
            }
            writeln!(f, "</div>")?;
        }
        let Some(passing) = &end.passing else { return Ok(()) };
        writeln!(f, "<details><summary>Both sides</summary>")?;
        self.write_both(f, end, passing)?;
        writeln!(f, "</details>")
    }

    /// Writes the changes and both sides.
    fn write_sides(
        &self,
        f: &mut fmt::Formatter<'_>,
        end: &EndRecord,
        passing: &str,
    ) -> fmt::Result {
        write_list(f, &end.changes)?;
        self.write_both(f, end, passing)
    }

    /// Writes both sides, with what differs marked.
    fn write_both(
        &self,
        f: &mut fmt::Formatter<'_>,
        end: &EndRecord,
        passing: &str,
    ) -> fmt::Result {
        let cut = is_cut(&end.failing, end.bytes);
        let size = self.0.last_step(Side::Passing).map(|step| step.bytes);
        let differences =
            char_diff(passing, &end.failing).map(|(in_passing, in_failing)| match cut {
                true => (without_last(in_passing, passing), without_last(in_failing, &end.failing)),
                false => (in_passing, in_failing),
            });
        let (in_passing, in_failing) = differences.unwrap_or_default();
        let passing =
            Panel { title: "Passing", class: "pass", text: passing, size, marks: &in_passing };
        let failing = Panel {
            title: "Failing",
            class: "fail",
            text: &end.failing,
            size: Some(end.bytes),
            marks: &in_failing,
        };
        writeln!(f, "<div class=\"pair\">\n{passing}{failing}</div>")
    }
}

/// Writes a list of sentences, if there are any.
fn write_list<'l>(
    f: &mut fmt::Formatter<'_>,
    lines: impl IntoIterator<Item = &'l String>,
) -> fmt::Result {
    let mut lines = lines.into_iter().peekable();
    if lines.peek().is_none() {
        return Ok(());
    }
    writeln!(f, "<ul class=\"changes\">")?;
    lines.try_for_each(|line| writeln!(f, "<li>{}</li>", ChangedLine(line)))?;
    writeln!(f, "</ul>")
}

/// A text under a title with its size.
struct Panel<'a> {
    title: &'a str,
    class: &'a str,
    text: &'a str,
    size: Option<u64>,
    marks: &'a [Range<usize>],
}

impl fmt::Display for Panel<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { title, class, text, size, marks } = self;
        write!(f, "<section class=\"panel\">\n<h3 class=\"{class}\">{}", Inline(title))?;
        if let Some(size) = size {
            let begin = if is_cut(text, *size) { ", the beginning" } else { "" };
            write!(f, " <small>{}{begin}</small>", count(*size, "byte"))?;
        }
        f.write_str("</h3>\n")?;
        if text.is_empty() {
            f.write_str("<p class=\"none\">nothing at all</p>\n")?;
        } else {
            // HTML ignores a line end right after <pre>, so this one protects that of the text.
            writeln!(f, "<pre tabindex=\"0\">\n{}</pre>", MarkedText { text, marks })?;
        }
        f.write_str("</section>\n")
    }
}

/// Whether an excerpt is shorter than the text it is taken from.
fn is_cut(excerpt: &str, bytes: u64) -> bool {
    (excerpt.len() as u64) < bytes
}

/// Marks without one at the very end of an excerpt: there, one excerpt merely reaches further than the other.
fn without_last(mut marks: Spans, text: &str) -> Spans {
    marks.pop_if(|last| last.end == text.len());
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::session_summary::tests::{end, run, summary};
    use wynot_session::TextStretch;

    fn section(command: &str, end: EndRecord) -> String {
        ResultSection(&summary(run(command, 25, 9), Vec::new(), Some(end))).to_string()
    }

    #[test]
    fn every_cause_in_a_call_is_shown_with_its_command() {
        let cause = |option: &str| CauseRecord {
            headline: "1 option of 31 causes the failure".to_owned(),
            lines: vec![option.to_owned()],
            command: Some(format!("./mean.sh {option}")),
            ..Default::default()
        };
        let causes = vec![cause("-ffinite-math-only"), cause("-ffast-math")];
        let answer = Some(AnswerRecord { headline: "both".into(), causes, ..Default::default() });
        let html = section("options", EndRecord { answer, ..end(14, 9) });
        assert!(html.contains("<h3>1. 1 option") && html.contains("<h3>2. 1 option"), "{html}");
        assert!(html.contains("./mean.sh -ffast-math</pre>"), "{html}");
        assert!(html.contains("./mean.sh -ffinite-math-only</pre>"), "{html}");
    }

    #[test]
    fn what_the_audit_of_a_change_showed_is_a_paragraph_of_its_own() {
        let changes = vec![
            "a.c, line 3: fails with \"x\"".to_owned(),
            "audit: the good version fails with this alone".to_owned(),
        ];
        let html = section("changes", EndRecord { changes, ..end(9, 3) });
        assert!(html.contains("<h3>Audit</h3>\n<p>The good version fails with this alone.</p>"));
        assert!(html.contains("<li>a.c, line 3"), "{html}");
    }

    #[test]
    fn the_places_where_the_sides_differ_are_shown_with_their_lines() {
        let stretch = |text: &str| TextStretch { line: 62, text: text.to_owned() };
        let differences = vec![DifferenceRecord {
            file: None,
            passing: stretch("a\nb = 2\n"),
            failing: stretch("a\nb = 25\n"),
        }];
        let answer =
            Some(AnswerRecord { headline: "one".into(), differences, ..Default::default() });
        let html = section("isolate", EndRecord { answer, ..end(9, 7) });
        assert!(html.contains("63  </span>b = 2<mark>5</mark>"), "{html}");
        assert!(html.contains("63  </span>b = 2\n"), "{html}");
    }

    #[test]
    fn further_causes_in_an_input_are_shown_with_their_texts() {
        let cause = CauseRecord {
            headline: "cause 2".to_owned(),
            text: Some("(second)".to_owned()),
            bytes: 8,
            ..Default::default()
        };
        let answer =
            AnswerRecord { headline: "x".into(), causes: vec![cause], ..Default::default() };
        let html = section("reduce", EndRecord { answer: Some(answer), ..end(9, 3) });
        assert!(
            html.contains(">cause 2 <small>8 bytes</small>") && html.contains("\n(second)</pre>")
        );
    }
}
