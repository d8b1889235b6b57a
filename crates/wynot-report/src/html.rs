//! The page.

use crate::Story;
use crate::escape::Line;
use crate::headline::{Standing, headline};
use crate::number::{grouped, seconds};
use crate::section::{Course, Findings, Pace, Test};
use crate::table::{Kinds, Passes, Steps};
use std::fmt;

/// Writes a story down as a page of HTML that needs nothing else.
pub fn html(story: &Story) -> String {
    Page(story).to_string()
}

struct Page<'a>(&'a Story);

impl fmt::Display for Page<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let story = self.0;
        let title = headline(story);
        begin(f, &title)?;
        self.header(f, &title)?;
        let course = if story.isolates() { "How the sides closed in" } else { "How it shrank" };
        section(f, course, &Course(story))?;
        section(f, "Result", &Findings(story))?;
        let passes = story.end.as_ref().map_or(&[][..], |end| &end.passes);
        if !passes.is_empty() {
            let table =
                format_args!("<div class=\"wide\">\n{}</div>\n", Passes(passes)).to_string();
            section(f, "Which passes paid", &table)?;
        }
        section(f, "The test", &Test(story))?;
        section(f, "Tests", &format_args!("{}{}", Kinds(story), Pace(story)))?;
        if story.steps.is_empty() {
            section(f, "Steps", &"<p class=\"none\">No test was decisive.</p>\n")?;
        } else {
            section(f, "Steps", &format_args!("<div class=\"wide\">\n{}</div>\n", Steps(story)))?;
        }
        end(f)
    }
}

/// What every page begins with.
pub(crate) fn begin(f: &mut fmt::Formatter<'_>, title: &str) -> fmt::Result {
    // The policy is a second wall behind the escaping: even markup that got through does nothing.
    writeln!(
        f,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{} · wynot</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>",
        Line(title),
        include_str!("style.css"),
    )
}

/// What every page ends with.
pub(crate) fn end(f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let version = env!("CARGO_PKG_VERSION");
    writeln!(f, "<footer>wynot {version}</footer>\n</main>\n</body>\n</html>")
}

impl Page<'_> {
    fn header(&self, f: &mut fmt::Formatter<'_>, title: &str) -> fmt::Result {
        let (story, run) = (self.0, &self.0.run);
        let Standing { word, meaning, settled } = Standing::of(story);
        let class = if settled { "settled" } else { "open" };
        let units = run.units.split(',').map(str::trim).collect::<Vec<_>>().join(", ");
        let facts = [
            ("command", Line(&run.command).to_string()),
            ("algorithm", Line(&run.algorithm).to_string()),
            ("units", Line(&units).to_string()),
            ("deltas", self.deltas()),
            ("steps", grouped(story.steps.len() as u64)),
            ("time", story.end.as_ref().map_or(String::new(), |end| seconds(end.seconds))),
        ];
        writeln!(f, "<header>\n<h1>{}</h1>", Line(title))?;
        let (word, meaning) = (Line(&word), Line(&meaning));
        writeln!(f, "<p class=\"standing {class}\">{word}: {meaning}</p>")?;
        f.write_str("<dl>\n")?;
        for (name, fact) in facts.iter().filter(|(_, fact)| !fact.is_empty()) {
            writeln!(f, "<div><dt>{name}</dt><dd>{fact}</dd></div>")?;
        }
        f.write_str("</dl>\n</header>\n")
    }

    fn deltas(&self) -> String {
        let left = match self.0.isolates() {
            true => self.0.difference(),
            false => self.0.failing_deltas(),
        };
        match self.0.run.deltas {
            all if all == left => grouped(all),
            all => format!("{} → {}", grouped(all), grouped(left)),
        }
    }
}

fn section(f: &mut fmt::Formatter<'_>, title: &str, body: &dyn fmt::Display) -> fmt::Result {
    writeln!(f, "<section>\n<h2>{title}</h2>\n{body}</section>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::FirstRuns;
    use crate::story::tests::{end, run, step, story};
    use std::time::Duration;
    use wynot_session::{
        EndRecord, Ending, PassCounts, Record, RunRecord, RunSummary, Side, Step, TestRecord,
    };

    const HOSTILE: &str =
        "</pre></title><script>alert(1)</script><!-- \"'&\0\x1b[2J\u{202e}é✘\r\n\tx";

    /// The name of the first tag that is not closed, or closed but not open.
    fn unbalanced(page: &str) -> Option<String> {
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

    /// Text that tries to be something else, in every place that holds text.
    fn hostile() -> Story {
        let text = || HOSTILE.to_owned();
        let seen = || RunSummary {
            ending: Ending::Exit(1),
            micros: 5,
            stderr: vec![text(), text()],
            gist: None,
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
        };
        let end = EndRecord {
            status: text(),
            certificate: Certificate::one_minimal([text().as_str()]),
            seconds: f64::NAN,
            failing: text(),
            passing: Some(format!("{HOSTILE}<b>")),
            changes: vec![text()],
            passes: vec![PassCounts { name: text(), tests: 1, gains: 0, bytes: 0 }],
            ..end(1, 1)
        };
        let step = Step { part: text(), ..step(1, Side::Passing, 3) };
        let records = [
            Record::Run(run),
            Record::Test(test.clone()),
            Record::Test(test),
            Record::Step(step),
            Record::End(end),
        ];
        let first = FirstRuns { original: seen(), passing: seen(), timeout: Duration::MAX };
        Story { first_runs: Some(first), ..Story::from_records(&records).unwrap() }
    }

    #[test]
    fn the_checker_finds_tags_that_do_not_match() {
        assert_eq!(unbalanced("<p>a<br/><b>c</b></p>"), None);
        assert_eq!(unbalanced("<p><b></p>").as_deref(), Some("/p"));
        assert_eq!(unbalanced("<p><b></b>").as_deref(), Some("p"));
        assert_eq!(unbalanced("</p>").as_deref(), Some("/p"));
    }

    #[test]
    fn pages_are_well_formed_whatever_is_in_the_records() {
        let steps: Vec<Step> = (1..300).map(|i| step(i, Side::Failing, 1000 - i)).collect();
        let stories = [
            hostile(),
            story(run("reduce", 1000, 9), steps.clone(), Some(end(400, 700))),
            story(run("reduce", 1000, 9), steps, None),
            story(run("isolate", 0, 0), Vec::new(), None),
        ];
        for page in stories.iter().map(html) {
            assert_eq!(unbalanced(&page), None, "{page}");
        }
    }

    #[test]
    fn hostile_text_is_shown_and_does_nothing() {
        let page = html(&hostile());
        assert!(
            !page.contains("<script") && !page.contains("<!--") && !page.contains("alert(1)</s")
        );
        assert!(!page.contains(|c: char| c.is_control() && c != '\n' && c != '\t'));
        assert!(!page.contains('\u{202e}'));
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
        let page = html(&story(
            run("reduce", 100, 9),
            Vec::new(),
            Some(EndRecord { passes, ..end(9, 3) }),
        ));
        let (syntax, comments) = (page.find(">syntax<"), page.find(">comments<"));
        assert!(syntax.is_some() && syntax < comments, "{page}");
        assert!(page.contains(">1,234</td>") && page.contains("width:60.0%"));
        let without = html(&story(run("reduce", 100, 9), Vec::new(), Some(end(9, 3))));
        assert!(!without.contains("Which passes paid"));
    }

    #[test]
    fn a_page_needs_nothing_else() {
        let page = html(&hostile());
        for outside in ["http:", "https:", "src=", "href=", "url(", "@import"] {
            assert!(!page.contains(outside), "{outside}");
        }
    }

    #[test]
    fn a_run_that_was_cut_off_says_how_to_go_on() {
        let interrupted = "interrupted: run the same command again to resume";
        let steps = vec![step(3, Side::Failing, 40)];
        let page = html(&story(run("reduce", 100, 9), steps.clone(), None));
        assert!(page.contains(interrupted));
        assert!(page.contains("100 → 40 bytes (60.0 % gone) so far"));
        let done = html(&story(run("reduce", 100, 9), steps, Some(end(9, 40))));
        assert!(!done.contains("interrupted") && done.contains("proved 1-minimal (char)"));
    }

    #[test]
    fn both_texts_are_shown_and_what_decides_is_marked() {
        let reduced = html(&story(run("reduce", 25, 9), Vec::new(), Some(end(9, 3))));
        assert!(reduced.contains("<pre tabindex=\"0\">\nint main() { return 0; }\n</pre>"));
        assert!(reduced.contains("<pre tabindex=\"0\">\nint</pre>"));
        let sides = EndRecord {
            passing: Some("a = 2\n".to_owned()),
            failing: "a = 25\n".to_owned(),
            ..end(9, 7)
        };
        let isolated = html(&story(run("isolate", 25, 9), Vec::new(), Some(sides)));
        assert!(isolated.contains("\na = 2\n</pre>"));
        assert!(isolated.contains("\na = 2<mark>5</mark>\n</pre>"));
    }

    #[test]
    fn excerpts_that_end_early_are_not_marked_for_it() {
        let sides = |failing: &str, passing: &str| {
            let (failing, passing) = (failing.to_owned(), Some(passing.to_owned()));
            html(&story(
                run("isolate", 9999, 9),
                Vec::new(),
                Some(EndRecord { failing, passing, ..end(9, 9000) }),
            ))
        };
        let page = sides("xxINyyyyyy", "xxyyyyyyzz");
        assert!(page.contains("\nxx<mark>IN</mark>yyyyyy</pre>"), "{page}");
        assert!(page.contains("\nxxyyyyyyzz</pre>"));
        assert!(sides("same", "same").contains("differ behind what is shown"));
    }
}
