//! The tables of a session's page: the tests by kind, the passes, and the steps one by one.

use crate::page::session_summary::SessionSummary;
use crate::text::escape::Inline;
use crate::text::number::{count, grouped};
use std::cmp::Reverse;
use std::fmt;
use std::ops::Range;
use wynot_session::{Counts, PassCounts, Side, Step};

/// The number of steps that are listed in full.
const MAX_LISTED_STEPS: usize = 200;

/// The number of steps that are listed at each end if there are more.
const STEPS_AT_EACH_END: usize = 50;

/// The numbers of tests by kind, each with an explanation. Kinds that did not occur are left out.
pub(crate) struct CountsTable<'a>(pub &'a SessionSummary);

impl CountsTable<'_> {
    /// The rows: kind, CSS classes, number and explanation.
    fn rows(&self) -> [(&'static str, &'static str, u64, &'static str); 11] {
        let Counts {
            executed,
            cached,
            pass,
            fail,
            unresolved,
            timeouts,
            shared,
            replayed,
            implied,
            speculative,
            runs,
        } = self.0.counts();
        let all = match &self.0.end {
            Some(_) => "different configurations whose outcome the search used",
            None => "outcomes in the journal, whether the search had got to use them or not",
        };
        [
            ("executed", "", executed, all),
            ("runs", "part", runs, "of the test, as each of these takes several"),
            ("pass", "pass part", pass, "of these, did not show the failure"),
            ("fail", "fail part", fail, "of these, showed the failure"),
            (
                "unresolved",
                "unresolved part",
                unresolved,
                "of these, gave neither result: something else happened",
            ),
            (
                "timeouts",
                "part",
                timeouts,
                "of these, exceeded the time limit; with more time, they might fail",
            ),
            (
                "shared",
                "part",
                shared,
                "of these, had the same bytes as another one, so no process was started",
            ),
            (
                "replayed",
                "part",
                replayed,
                "of these, were known from an earlier run of this session",
            ),
            ("cached", "", cached, "repeated configurations, answered from memory"),
            (
                "implied",
                "",
                implied,
                "outcomes that follow from others, since the failure is assumed to be monotone",
            ),
            ("speculative", "", speculative, "ran ahead of time on idle cores and were not needed"),
        ]
    }
}

impl fmt::Display for CountsTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { executed, pass, fail, unresolved, .. } = self.0.counts();
        if executed > 0 {
            f.write_str("<div class=\"bar\" aria-hidden=\"true\">")?;
            for (class, number) in [("pass", pass), ("fail", fail), ("unresolved", unresolved)] {
                if number > 0 {
                    write!(f, "<span class=\"{class}\" style=\"flex-grow:{number}\"></span>")?;
                }
            }
            f.write_str("</div>\n")?;
        }
        f.write_str("<table class=\"kinds\">\n<tbody>\n")?;
        for (kind, class, number, words) in self.rows() {
            if number > 0 || kind == "executed" {
                let number = grouped(number);
                writeln!(
                    f,
                    "<tr class=\"{class}\"><th scope=\"row\">{kind}</th>\
                     <td class=\"number\">{number}</td><td class=\"words\">{words}</td></tr>"
                )?;
            }
        }
        f.write_str("</tbody>\n</table>\n")
    }
}

/// What each pass cost and gained, the one that removed most first.
pub(crate) struct PassesTable<'a>(pub &'a [PassCounts]);

impl fmt::Display for PassesTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.0.iter().map(|tally| tally.bytes).sum::<u64>().max(1);
        let mut passes: Vec<&PassCounts> = self.0.iter().collect();
        passes.sort_by_key(|tally| (Reverse(tally.bytes), Reverse(tally.gains), tally.tests));
        f.write_str(
            "<table>\n<thead>\n<tr><th scope=\"col\">pass</th><th scope=\"col\" class=\"number\">tests\
             </th><th scope=\"col\" class=\"number\">gains</th><th scope=\"col\" class=\"number\">\
             bytes gone</th><th scope=\"col\">share</th></tr>\n</thead>\n<tbody>\n",
        )?;
        for PassCounts { name, tests, gains, bytes } in passes {
            let share = *bytes as f64 * 100.0 / all as f64;
            let [tests, gains, gone] = [*tests, *gains, *bytes].map(grouped);
            writeln!(
                f,
                "<tr><th scope=\"row\">{}</th><td class=\"number\">{tests}</td>\
                 <td class=\"number\">{gains}</td><td class=\"number\">{gone}</td>\
                 <td class=\"share\"><span class=\"fail\" style=\"width:{share:.1}%\"></span></td></tr>",
                Inline(name)
            )?;
        }
        f.write_str("</tbody>\n</table>\n")
    }
}

/// All steps, or the first and the last ones of very many. Columns that say the same in each row are left out.
pub(crate) struct StepsTable<'a>(pub &'a SessionSummary);

/// Whether some columns of the table of steps say something.
#[derive(Clone, Copy)]
struct StepColumns {
    level: bool,
    side: bool,
    deltas: bool,
}

impl StepColumns {
    fn of(summary: &SessionSummary) -> Self {
        let steps = &summary.steps;
        let differs = |is_other: fn(&Step, &Step) -> bool| {
            steps.first().is_some_and(|first| steps.iter().any(|step| is_other(first, step)))
        };
        Self {
            level: differs(|first, step| step.level != first.level),
            side: summary.isolates() || differs(|first, step| step.side != first.side),
            deltas: steps.iter().any(|step| step.deltas != step.bytes),
        }
    }

    fn count(self) -> usize {
        3 + [self.level, self.side, self.deltas].iter().filter(|is_shown| **is_shown).count()
    }
}

impl StepsTable<'_> {
    /// Writes the rows of some steps, with the name of a part before its first one.
    fn write_rows(
        &self,
        f: &mut fmt::Formatter<'_>,
        columns: StepColumns,
        steps: Range<usize>,
    ) -> fmt::Result {
        for index in steps {
            for (part, _) in self.0.parts.iter().filter(|(_, start)| *start == index) {
                let name = Inline(&part.name);
                let width = columns.count();
                writeln!(f, "<tr class=\"gap\"><td colspan=\"{width}\">{name}</td></tr>")?;
            }
            self.write_row(f, columns, &self.0.steps[index])?;
        }
        Ok(())
    }

    /// Writes the row of a step.
    fn write_row(
        &self,
        f: &mut fmt::Formatter<'_>,
        columns: StepColumns,
        step: &Step,
    ) -> fmt::Result {
        let (class, side) = match step.side {
            Side::Failing => ("fail", "failing"),
            Side::Passing => ("pass", "passing"),
        };
        let level = match self.0.unit(step.level) {
            _ if self.0.part_of(step).is_some_and(|part| part.noun == "commit") => {
                "commit".to_owned()
            }
            "" => grouped(step.level as u64),
            unit => Inline(unit).to_string(),
        };
        let [tests, bytes, deltas] = [step.tests, step.bytes, step.deltas].map(grouped);
        write!(f, "<tr><td class=\"number\">{tests}</td>")?;
        if columns.level {
            write!(f, "<td>{level}</td>")?;
        }
        write!(f, "<td>{}</td>", Inline(&step.part))?;
        if columns.side {
            write!(f, "<td class=\"side {class}\">{side}</td>")?;
        }
        write!(f, "<td class=\"number\">{bytes}</td>")?;
        if columns.deltas {
            write!(f, "<td class=\"number\">{deltas}</td>")?;
        }
        writeln!(f, "</tr>")
    }
}

impl fmt::Display for StepsTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nouns = self.0.parts_with_steps();
        let is_one = nouns.iter().all(|(part, _)| part.noun == nouns[0].0.noun);
        let deltas = if is_one { format!("{}s", self.0.noun()) } else { "size".to_owned() };
        let columns = StepColumns::of(self.0);
        let headings = [
            ("test", "number", true),
            ("level", "", columns.level),
            ("part", "", true),
            ("side", "", columns.side),
            ("bytes", "number", true),
            (&deltas, "number", columns.deltas),
        ];
        f.write_str("<table class=\"steps\">\n<thead><tr>")?;
        for (heading, class, _) in headings.iter().filter(|(_, _, is_shown)| *is_shown) {
            write!(f, "<th scope=\"col\" class=\"{class}\">{}</th>", Inline(heading))?;
        }
        writeln!(f, "</tr></thead>\n<tbody>")?;
        let steps = &self.0.steps;
        let left_out =
            if steps.len() > MAX_LISTED_STEPS { steps.len() - 2 * STEPS_AT_EACH_END } else { 0 };
        let first = if left_out > 0 { STEPS_AT_EACH_END } else { steps.len() };
        self.write_rows(f, columns, 0..first)?;
        if left_out > 0 {
            let more = count(left_out as u64, "more step");
            let width = columns.count();
            writeln!(f, "<tr class=\"gap\"><td colspan=\"{width}\">… {more} …</td></tr>")?;
        }
        self.write_rows(f, columns, first + left_out..steps.len())?;
        f.write_str("</tbody>\n</table>\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::session_summary::tests::{end, run, step, summary};
    use wynot_session::EndRecord;

    fn rows(steps: u64) -> (usize, bool) {
        let steps = (1..=steps).map(|tests| step(tests, Side::Failing, 9)).collect();
        let table = StepsTable(&summary(run("reduce", 9, 9), steps, None)).to_string();
        (table.matches("<tr><td").count(), table.contains("class=\"gap\""))
    }

    #[test]
    fn very_many_steps_are_listed_from_both_ends() {
        assert_eq!(rows(0), (0, false));
        assert_eq!(rows(200), (200, false));
        assert_eq!(rows(201), (100, true));
        let steps = (1..=5000).map(|tests| step(tests, Side::Failing, 9)).collect();
        let table = StepsTable(&summary(run("reduce", 9, 9), steps, None)).to_string();
        assert!(table.contains("… 4,900 more steps …"));
        let shown = |test: &str| table.contains(&format!("<td class=\"number\">{test}</td>"));
        assert!(shown("50") && !shown("51") && !shown("4,950") && shown("4,951"));
    }

    #[test]
    fn columns_that_say_nothing_are_left_out() {
        let headings = |steps: Vec<Step>, command: &str| {
            let table = StepsTable(&summary(run(command, 9, 9), steps, None)).to_string();
            let headings = table.split("<th ").skip(1);
            let words = headings.filter_map(|rest| rest.split(['>', '<']).nth(1));
            words.collect::<Vec<_>>().join(" ")
        };
        let same = || vec![step(1, Side::Failing, 9), step(2, Side::Failing, 8)];
        assert_eq!(headings(same(), "reduce"), "test part bytes");
        assert_eq!(headings(same(), "isolate"), "test part side bytes");
        let other = vec![
            step(1, Side::Failing, 9),
            Step { level: 1, deltas: 3, ..step(2, Side::Failing, 8) },
        ];
        assert_eq!(headings(other, "reduce"), "test level part bytes characters");
    }

    #[test]
    fn kinds_of_tests_that_did_not_occur_are_left_out() {
        let tests = Counts { executed: 7, fail: 3, pass: 4, cached: 2000, ..Counts::default() };
        let end = EndRecord { tests, ..end(0, 1) };
        let table = CountsTable(&summary(run("reduce", 9, 9), Vec::new(), Some(end))).to_string();
        assert!(table.contains(">cached</th><td class=\"number\">2,000</td>"));
        for absent in ["unresolved", "timeouts", "shared", "replayed", "speculative", "implied"] {
            assert!(!table.contains(&format!(">{absent}</th>")), "{absent}");
        }
    }
}
