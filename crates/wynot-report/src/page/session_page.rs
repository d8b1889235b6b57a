//! The page of a session, from its header to the list of steps.

use crate::page::answer_section::ResultSection;
use crate::page::document::{write_end, write_section, write_start};
use crate::page::headline::{StatusLine, headline};
use crate::page::history_sections::{WayBackSection, write_details};
use crate::page::sections::{CurveSection, Durations, TestSection};
use crate::page::session_summary::SessionSummary;
use crate::page::tables::{CountsTable, PassesTable, StepsTable};
use crate::text::escape::Inline;
use crate::text::number::grouped;
use std::fmt;

/// The HTML page of a session, which loads nothing else.
pub fn session_page(summary: &SessionSummary) -> String {
    SessionPage(summary).to_string()
}

struct SessionPage<'a>(&'a SessionSummary);

impl fmt::Display for SessionPage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let summary = self.0;
        let title = headline(summary);
        write_start(f, &title)?;
        self.write_header(f, &title)?;
        let history = summary.end.as_ref().and_then(|end| end.history.as_deref());
        write_section(f, "Result", &ResultSection(summary))?;
        match history {
            Some(history) => write_section(f, "The way back", &WayBackSection(history))?,
            None if summary.isolates() => {
                write_section(f, "How the sides closed in", &CurveSection(summary))?
            }
            None => write_section(f, "How it shrank", &CurveSection(summary))?,
        }
        if let Some(history) = history {
            write_details(f, history)?;
        }
        let passes = summary.end.as_ref().map_or(&[][..], |end| &end.passes);
        if !passes.is_empty() {
            let table =
                format!("<div class=\"wide\" tabindex=\"0\">\n{}</div>\n", PassesTable(passes));
            write_section(f, "Which passes paid", &table)?;
        }
        write_section(f, "The test", &TestSection(summary))?;
        write_section(f, "Tests", &format_args!("{}{}", CountsTable(summary), Durations(summary)))?;
        if !summary.steps.is_empty() {
            let table =
                format!("<div class=\"wide\" tabindex=\"0\">\n{}</div>\n", StepsTable(summary));
            write_section(f, "Steps", &table)?;
        } else if history.is_none() {
            write_section(f, "Steps", &"<p class=\"none\">No test was decisive.</p>\n")?;
        }
        write_end(f)
    }
}

impl SessionPage<'_> {
    /// Writes the title, the status and the facts about the search.
    fn write_header(&self, f: &mut fmt::Formatter<'_>, title: &str) -> fmt::Result {
        let (summary, run) = (self.0, &self.0.run);
        let StatusLine { status, meaning, is_finished } = StatusLine::of(summary);
        let class = if is_finished { "settled" } else { "open" };
        let units = run.units.split(',').map(str::trim).collect::<Vec<_>>().join(", ");
        let deltas = format!("{}s", summary.noun());
        let facts = [
            ("command", Inline(&run.command).to_string()),
            ("algorithm", Inline(&run.algorithm).to_string()),
            ("units", Inline(&units).to_string()),
            (&deltas, self.deltas()),
            ("steps", grouped(summary.steps.len() as u64)),
            ("time", summary.time().unwrap_or_default()),
        ];
        writeln!(f, "<header>\n<h1>{}</h1>", Inline(title))?;
        let (status, meaning) = (Inline(&status), Inline(&meaning));
        writeln!(f, "<p class=\"standing {class}\">{status}: {meaning}</p>")?;
        if let Some(failure) = summary.end.as_ref().and_then(|end| end.failure.as_ref()) {
            let other =
                if failure.same { "" } else { ", which is not the failure of the original" };
            let words = failure.to_string();
            writeln!(f, "<p class=\"failure\">The result shows {}{other}.</p>", Inline(&words))?;
        }
        f.write_str("<dl>\n")?;
        // A walk through a history searches versions before it searches deltas.
        let is_walk = summary.end.as_ref().is_some_and(|end| end.history.is_some());
        let is_shown = |name: &str| match name {
            "units" | "algorithm" => !is_walk,
            name if name == deltas => !is_walk && run.units != "syntax",
            _ => true,
        };
        let facts = facts.iter().filter(|(name, fact)| is_shown(name) && !fact.is_empty());
        for (name, fact) in facts {
            writeln!(f, "<div><dt>{}</dt><dd>{fact}</dd></div>", Inline(name))?;
        }
        f.write_str("</dl>\n</header>\n")
    }

    /// The number of deltas before and after the search.
    fn deltas(&self) -> String {
        let left = match self.0.isolates() {
            true => self.0.difference(),
            false => self.0.failing_deltas(),
        };
        match self.0.all_deltas() {
            all if all == left => grouped(all),
            all => format!("{} → {}", grouped(all), grouped(left)),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::page::session_summary::FirstRuns;
    use crate::page::session_summary::tests::{end, run, step, summary};
    use std::time::Duration;
    use wynot_session::{
        AnswerRecord, CauseRecord, Certificate, DifferenceRecord, EndRecord, EndStatus, Ending,
        PassCounts, Record, RunRecord, RunSummary, SearchPart, Side, Step, TestRecord, TextStretch,
    };

    /// A text that tries to be markup, with characters that change how others are displayed.
    pub(crate) const HOSTILE: &str =
        "</pre></title><script>alert(1)</script><!-- \"'&\0\x1b[2J\u{202e}é✘\r\n\tx";

    /// The name of the first tag that is not closed, or closed but not open.
    pub(crate) fn unbalanced(page: &str) -> Option<String> {
        let mut open: Vec<&str> = Vec::new();
        for tag in page.split('<').skip(1) {
            let (tag, _) = tag.split_once('>').unwrap_or((tag, ""));
            let name = tag.split_whitespace().next().unwrap_or("");
            let name = name.trim_end_matches('/');
            match name.strip_prefix('/') {
                Some(closed) if open.pop() != Some(closed) => return Some(name.to_owned()),
                None if !matches!(name, "!DOCTYPE" | "meta") && !tag.ends_with('/') => {
                    open.push(name)
                }
                _ => {}
            }
        }
        open.pop().map(str::to_owned)
    }

    /// An answer with text that tries to be markup wherever it holds text.
    fn hostile_answer() -> AnswerRecord {
        let text = || HOSTILE.to_owned();
        let stretch = |text: String| TextStretch { line: u64::MAX - 9, text };
        AnswerRecord {
            headline: text(),
            causes: vec![CauseRecord {
                headline: text(),
                lines: vec![text()],
                command: Some(text()),
                text: Some(text()),
                bytes: 1,
            }],
            notes: vec![text()],
            differences: vec![DifferenceRecord {
                file: Some(text()),
                passing: stretch(text()),
                failing: stretch(format!("{HOSTILE}<b>\n{HOSTILE}")),
            }],
        }
    }

    /// A summary with text that tries to be markup wherever it holds text.
    fn hostile() -> SessionSummary {
        let text = || HOSTILE.to_owned();
        let seen = || RunSummary {
            ending: Ending::Exit(1),
            micros: 5,
            stderr: vec![text(), text()],
            excerpt: vec![text(), text()],
            failure: None,
            crash: None,
        };
        let run = RunRecord {
            command: text(),
            algorithm: text(),
            units: text(),
            input: text(),
            test: vec![text(), text()],
            reading: text(),
            excerpt: text(),
            ..run("", 5, 5)
        };
        let test = TestRecord {
            digest: text(),
            outcome: text(),
            ending: Ending::Signal(999),
            micros: u64::MAX,
            bytes: 0,
            crash: None,
            reason: None,
            mentioned: Default::default(),
            summary: None,
            failure: None,
        };
        let end = EndRecord {
            status: EndStatus::Stopped,
            certificate: Certificate::one_minimal([text().as_str()]),
            seconds: f64::NAN,
            failing: text(),
            passing: Some(format!("{HOSTILE}<b>")),
            changes: vec![text()],
            passes: vec![PassCounts { name: text(), tests: 1, gains: 0, bytes: 0 }],
            answer: Some(hostile_answer()),
            ..end(1, 1)
        };
        let part = SearchPart { name: text(), noun: text(), tests: u64::MAX, deltas: 0, bytes: 0 };
        let step = Step { part: text(), ..step(1, Side::Passing, 3) };
        let records = [
            Record::Run(run),
            Record::Test(test.clone()),
            Record::Test(test),
            Record::Part(part),
            Record::Step(step),
            Record::End(end),
        ];
        let first = FirstRuns { original: seen(), passing: Some(seen()), timeout: Duration::MAX };
        SessionSummary {
            first_runs: Some(first),
            ..SessionSummary::from_records(&records).unwrap()
        }
    }

    #[test]
    fn the_checker_finds_tags_that_do_not_match() {
        assert_eq!(unbalanced("<p>a<br/><b>c</b></p>"), None);
        assert_eq!(unbalanced("<p><b></p>").as_deref(), Some("/p"));
        assert_eq!(unbalanced("<p><b></b>").as_deref(), Some("p"));
        assert_eq!(unbalanced("</p>").as_deref(), Some("/p"));
    }

    #[test]
    fn pages_are_well_formed_whatever_the_records_hold() {
        let steps: Vec<Step> = (1..300).map(|i| step(i, Side::Failing, 1000 - i)).collect();
        let summaries = [
            hostile(),
            SessionSummary { run: run("options", 9, 9), ..hostile() },
            SessionSummary { run: run("changes", 9, 9), ..hostile() },
            summary(run("reduce", 1000, 9), steps.clone(), Some(end(400, 700))),
            summary(run("reduce", 1000, 9), steps, None),
            summary(run("isolate", 0, 0), Vec::new(), None),
        ];
        for page in summaries.iter().map(session_page) {
            assert_eq!(unbalanced(&page), None, "{page}");
        }
    }

    #[test]
    fn hostile_text_is_shown_and_does_nothing() {
        let of = |command: &str| {
            let run = RunRecord { command: command.to_owned(), ..hostile().run };
            session_page(&SessionSummary { run, ..hostile() })
        };
        for page in [session_page(&hostile()), of("reduce"), of("options"), of("changes")] {
            let has_markup = ["<script", "<!--", "alert(1)</s"].iter().any(|m| page.contains(m));
            assert!(!has_markup, "{page}");
            assert!(!page.contains(|c: char| c.is_control() && c != '\n' && c != '\t'));
            assert!(!page.contains('\u{202e}'));
        }
        let page = session_page(&hostile());
        assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
        assert!(page.contains("\\x00") && page.contains("\\x1b") && page.contains("é✘"));
    }

    #[test]
    fn passes_are_listed_by_what_they_have_gained() {
        let tally = |name: &str, tests, gains, bytes| {
            let name = name.to_owned();
            PassCounts { name, tests, gains, bytes }
        };
        let passes = vec![tally("comments", 1, 1, 40), tally("syntax", 1234, 9, 60)];
        let page = session_page(&summary(
            run("reduce", 100, 9),
            Vec::new(),
            Some(EndRecord { passes, ..end(9, 3) }),
        ));
        let (syntax, comments) = (page.find(">syntax<"), page.find(">comments<"));
        assert!(syntax.is_some() && syntax < comments, "{page}");
        assert!(page.contains(">1,234</td>") && page.contains("width:60.0%"));
        let without = session_page(&summary(run("reduce", 100, 9), Vec::new(), Some(end(9, 3))));
        assert!(!without.contains("Which passes paid"));
    }

    #[test]
    fn a_page_loads_nothing_else() {
        let page = session_page(&hostile());
        for outside in ["http:", "https:", "src=", "href=", "url(", "@import"] {
            assert!(!page.contains(outside), "{outside}");
        }
    }

    #[test]
    fn a_run_that_was_cut_off_says_how_to_resume() {
        let interrupted = "interrupted: run the same command again to resume";
        let steps = vec![step(3, Side::Failing, 40)];
        let page = session_page(&summary(run("reduce", 100, 9), steps.clone(), None));
        assert!(page.contains(interrupted));
        assert!(page.contains("100 → 40 bytes (60.0 % gone) so far"));
        let done = session_page(&summary(run("reduce", 100, 9), steps, Some(end(9, 40))));
        assert!(!done.contains("interrupted") && done.contains("proved 1-minimal (char)"));
    }

    #[test]
    fn both_texts_are_shown_and_what_decides_is_marked() {
        let reduced = session_page(&summary(run("reduce", 25, 9), Vec::new(), Some(end(9, 3))));
        assert!(reduced.contains("<pre tabindex=\"0\">\nint main() { return 0; }\n</pre>"));
        assert!(reduced.contains("<pre tabindex=\"0\">\nint</pre>"));
        let sides = EndRecord {
            passing: Some("a = 2\n".to_owned()),
            failing: "a = 25\n".to_owned(),
            ..end(9, 7)
        };
        let isolated = session_page(&summary(run("isolate", 25, 9), Vec::new(), Some(sides)));
        assert!(isolated.contains("\na = 2\n</pre>"));
        assert!(isolated.contains("\na = 2<mark>5</mark>\n</pre>"));
    }

    #[test]
    fn excerpts_that_end_early_are_not_marked_for_it() {
        let sides = |failing: &str, passing: &str| {
            let (failing, passing) = (failing.to_owned(), Some(passing.to_owned()));
            session_page(&summary(
                run("isolate", 9999, 9),
                Vec::new(),
                Some(EndRecord { failing, passing, ..end(9, 9000) }),
            ))
        };
        let page = sides("xxINyyyyyy", "xxyyyyyyzz");
        assert!(page.contains("\nxx<mark>IN</mark>yyyyyy</pre>"), "{page}");
        assert!(page.contains("\nxxyyyyyyzz</pre>"));
    }
}
