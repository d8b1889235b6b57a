//! The page of a cause-effect chain from the input to the failure.

use crate::chain::cause_words::{chain_title, reason, subject};
use crate::chain::drawing::{AccessPath, STEP_COLOURS, Timeline};
use crate::page::chart_width::InBothWidths;
use crate::page::document;
use crate::text::escape::{Inline, Preformatted};
use crate::text::number::{count, grouped, seconds};
use crate::text::shortened::beginning;
use std::fmt;
use wynot_session::{ChainRecord, ChainStep};

/// The number of characters of a place that a title shows.
const MAX_PLACE_CHARS: usize = 70;

/// The HTML page of a chain, which loads nothing else.
pub fn chain_page(chain: &ChainRecord) -> String {
    ChainPage(chain).to_string()
}

struct ChainPage<'a>(&'a ChainRecord);

impl fmt::Display for ChainPage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let chain = self.0;
        let title = chain_title(chain);
        document::write_start(f, &title)?;
        self.write_header(f, &title)?;
        writeln!(f, "<section>\n<h2>From start to end</h2>\n<figure>")?;
        write!(f, "{}", InBothWidths(|width| Timeline(chain, width)))?;
        writeln!(
            f,
            "<figcaption>Each dot is a place where both runs were stopped and compared. The numbers \
             and colours are those of the steps below; hollow dots have no cause that was captured.\
             </figcaption>\n</figure>\n</section>"
        )?;
        let numbered: Vec<(usize, &ChainStep)> = chain.steps.iter().enumerate().collect();
        for (number, group) in (1..).zip(numbered.chunk_by(|_, (_, step)| step.is_similar)) {
            self.write_group(f, number, group)?;
        }
        self.write_ending(f)?;
        document::write_end(f)
    }
}

impl ChainPage<'_> {
    /// Writes the title, both command lines and the facts about the search.
    fn write_header(&self, f: &mut fmt::Formatter<'_>, title: &str) -> fmt::Result {
        let ChainRecord { tests, places, .. } = self.0;
        let passing = (&self.0.passing_command, &self.0.passing_ending);
        let failing = (&self.0.failing_command, &self.0.failing_ending);
        writeln!(f, "<header>\n<h1>{}</h1>", Inline(title))?;
        writeln!(f, "<div class=\"pair\">")?;
        for (class, name, (command, ending)) in
            [("pass", "passes", passing), ("fail", "fails", failing)]
        {
            writeln!(
                f,
                "<div><h2 class=\"small {class}\">{name}</h2><pre class=\"wrap\" tabindex=\"0\">{}</pre>\
                 <p class=\"note\">{}</p></div>",
                Preformatted(command),
                Inline(ending)
            )?;
        }
        writeln!(
            f,
            "</div>\n<dl><div><dt>experiments</dt><dd>{}</dd></div><div><dt>places</dt><dd>{}</dd></div>\
             <div><dt>time</dt><dd>{}</dd></div></dl>\n</header>",
            grouped(*tests),
            places.len(),
            seconds(self.0.seconds)
        )
    }

    /// Writes a step, and those that are similar to it, which are folded.
    fn write_group(
        &self,
        f: &mut fmt::Formatter<'_>,
        number: usize,
        group: &[(usize, &ChainStep)],
    ) -> fmt::Result {
        let Some(((index, first), similar)) = group.split_first() else { return Ok(()) };
        self.write_step(f, *index, (number, &number.to_string()), first)?;
        if similar.is_empty() {
            return Ok(());
        }
        let steps = count(similar.len() as u64, "similar step");
        writeln!(f, "<details class=\"similar\"><summary>{steps}</summary>")?;
        for (place, (index, step)) in (1..).zip(similar) {
            self.write_step(f, *index, (number, &format!("{number}.{place}")), step)?;
        }
        writeln!(f, "</details>")
    }

    /// Writes one cause of the chain, by its place among all and by its number.
    fn write_step(
        &self,
        f: &mut fmt::Formatter<'_>,
        index: usize,
        (number, shown_number): (usize, &str),
        step: &ChainStep,
    ) -> fmt::Result {
        writeln!(
            f,
            "<section class=\"step c{}\">\n<h2><span class=\"number\">{shown_number}</span> Execution reaches {}</h2>",
            (number - 1) % STEP_COLOURS,
            Inline(&beginning(&step.place, MAX_PLACE_CHARS))
        )?;
        let before = index.checked_sub(1).map(|before| &self.0.steps[before]);
        let because = match before.and_then(|before| before.causes.first()) {
            Some(cause) => reason(cause),
            None => format!("the program was invoked as {}", self.0.failing_command),
        };
        writeln!(f, "<p>Since {},</p>", Inline(&because))?;
        for cause in &step.causes {
            let (noun, name, owner) = subject(cause);
            writeln!(
                f,
                "<p class=\"fact\">{}<code>{}</code>{} is now <mark>{}</mark> \
                 <span class=\"words\">instead of {}</span></p>\n{}",
                Inline(&noun),
                Inline(name),
                Inline(&owner),
                Inline(&cause.failing),
                Inline(&cause.passing),
                InBothWidths(|width| AccessPath(cause, width))
            )?;
        }
        if let Some(transition) = &step.transition {
            writeln!(f, "<p class=\"note\">The cause has changed {}.</p>", Inline(transition))?;
        }
        write_source(f, &step.source, &step.lines)?;
        let confirmation =
            if step.verified { "confirmed by runs from the beginning" } else { "not confirmed" };
        writeln!(
            f,
            "<p class=\"note\">{} among {} vertices, {}, {confirmation}</p>",
            count(step.deltas as u64, "difference"),
            grouped(step.vertices),
            count(step.tests, "test"),
        )?;
        writeln!(
            f,
            "<details><summary>Replay it with GDB</summary>\n<pre tabindex=\"0\">{}</pre></details>\n</section>",
            Preformatted(&step.script)
        )
    }

    /// Writes the failure, and what was not found out.
    fn write_ending(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ChainRecord { steps, failing_ending, passing_ending, open_questions, .. } = self.0;
        if let Some(cause) = steps.last().and_then(|step| step.causes.first()) {
            writeln!(
                f,
                "<section>\n<h2><span class=\"number\">{}</span> Execution ends</h2>\n\
                 <p>Since {},</p>\n<p class=\"fact\">the program ends with <mark>{}</mark> \
                 <span class=\"words\">instead of {}</span></p>",
                self.0.numbers().last().unwrap_or(&0) + 1,
                Inline(&reason(cause)),
                Inline(failing_ending),
                Inline(passing_ending)
            )?;
            write_source(f, &self.0.last_source, &[self.0.last_line])?;
            writeln!(f, "</section>")?;
        }
        for question in open_questions {
            writeln!(f, "<p class=\"note\">{}</p>", Inline(question))?;
        }
        Ok(())
    }
}

/// Writes lines of source code, with the one marked that has made the difference.
fn write_source(
    f: &mut fmt::Formatter<'_>,
    source: &[(u32, String)],
    marked: &[u32],
) -> fmt::Result {
    if source.is_empty() {
        return Ok(());
    }
    writeln!(f, "<pre tabindex=\"0\">")?;
    for (number, text) in source {
        let line = format!("{number:>5}  {text}");
        match marked.contains(number) {
            true => writeln!(f, "<mark>{}</mark>", Preformatted(&line))?,
            false => writeln!(f, "{}", Preformatted(&line))?,
        }
    }
    writeln!(f, "</pre>")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::page::session_page::tests::unbalanced;
    use wynot_session::{ChainCause, ChainPlace};

    /// A chain of two steps: a file, and a variable.
    pub(crate) fn chain() -> ChainRecord {
        let text =
            |name: &str| format!("\"{} move alice {name} 5 {}\"", "x".repeat(60), "y".repeat(60));
        let file = ChainCause {
            noun: "the content of the input file".to_owned(),
            variable: "in.txt".to_owned(),
            passing: text("bob"),
            failing: text("dob"),
            ..Default::default()
        };
        let variable = ChainCause {
            noun: "variable".to_owned(),
            variable: "b".to_owned(),
            owner: Some("main".to_owned()),
            passing: "\"x\"".to_owned(),
            failing: "NULL".to_owned(),
            access_path: vec![("b".to_owned(), "int {93824992257264, 93824992257264}".to_owned())],
        };
        let step = |place: &str, cause: ChainCause| ChainStep {
            place: place.to_owned(),
            causes: vec![cause],
            verified: true,
            ..Default::default()
        };
        ChainRecord {
            passing_command: "./p 1".to_owned(),
            failing_command: "./p 2".to_owned(),
            passing_ending: "exit 0".to_owned(),
            failing_ending: "signal SEGV in move".to_owned(),
            steps: vec![step("main at p.c:1", file), step("move at p.c:9", variable)],
            places: vec![ChainPlace { name: "main at p.c:1".to_owned(), step: Some(0) }],
            ..Default::default()
        }
    }

    #[test]
    fn steps_have_the_numbers_of_the_terminal() {
        let mut chain = chain();
        let similar = ChainStep { is_similar: true, ..chain.steps[0].clone() };
        chain.steps.splice(1..1, [similar.clone(), similar]);
        chain.places.push(ChainPlace { name: "move at p.c:9".to_owned(), step: Some(3) });
        let page = chain_page(&chain);
        let numbers = page.split("<span class=\"number\">").skip(1);
        let numbers: Vec<&str> = numbers.filter_map(|rest| rest.split('<').next()).collect();
        assert_eq!(numbers, ["1", "1.1", "1.2", "2", "3"]);
        assert!(page.contains(">2</text>") && !page.contains(">4</text>"), "{page}");
        assert_eq!(unbalanced(&page), None);
    }

    #[test]
    fn what_differs_is_seen_in_the_boxes() {
        let page = chain_page(&chain());
        let values = page.split("<text class=\"value\"").skip(1);
        let values: Vec<&str> =
            values.filter_map(|rest| rest.split('>').nth(1)?.split('<').next()).collect();
        assert!(values[0].contains("alice dob") && values[1].contains("alice bob"), "{values:?}");
        assert!(values.iter().all(|value| value.chars().count() <= 48), "{values:?}");
    }

    #[test]
    fn a_file_and_a_register_are_no_variables() {
        let mut chain = chain();
        chain.steps[1].causes[0] = ChainCause {
            noun: "register".to_owned(),
            variable: "rax".to_owned(),
            failing: "0".to_owned(),
            ..Default::default()
        };
        let page = chain_page(&chain);
        assert!(page.contains(">the content of the input file <code>in.txt</code> is now"));
        assert!(page.contains(">register <code>rax</code> is now"), "{page}");
        assert!(page.contains("<h1>It fails since register rax was 0</h1>"), "{page}");
    }

    #[test]
    fn titles_are_short() {
        let mut chain = chain();
        let cause = &mut chain.steps[1].causes[0];
        (cause.variable, cause.owner) = ("a.".repeat(50) + "name", None);
        (cause.failing, cause.passing) = ("z".repeat(99) + "1", "z".repeat(99) + "2");
        chain.steps[1].place = "very::".repeat(50);
        let page = chain_page(&chain);
        let title = page.split("<h1>").nth(1).unwrap().split("</h1>").next().unwrap();
        assert!(
            title.chars().count() <= 100 && title.contains("name was ") && title.ends_with("z1"),
            "{title}"
        );
    }
}
