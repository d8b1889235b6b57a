//! Tables: how many tests there were and of which kind, and the steps one by one.

use crate::Story;
use crate::escape::Line;
use crate::number::{count, grouped};
use std::cmp::Reverse;
use std::fmt;
use wynot_session::{Counts, PassCounts, Side, Step};

/// Up to this many steps are listed in full.
const ALL: usize = 200;

/// How many steps of more than that are listed at each end.
const EDGE: usize = 50;

/// The tests by kind, each with an explanation. Kinds that did not occur are left out.
pub(crate) struct Kinds<'a>(pub &'a Story);

impl Kinds<'_> {
    fn rows(&self) -> [(&'static str, &'static str, u64, &'static str); 9] {
        let Counts {
            executed,
            cached,
            pass,
            fail,
            unresolved,
            shared,
            replayed,
            implied,
            speculative,
        } = self.0.counts();
        let all = match &self.0.end {
            Some(_) => "different configurations whose outcome the search used",
            None => "outcomes in the journal, whether the search had got to use them or not",
        };
        [
            ("executed", "", executed, all),
            ("pass", "pass part", pass, "of these, did not show the failure"),
            ("fail", "fail part", fail, "of these, showed the failure"),
            (
                "unresolved",
                "unresolved part",
                unresolved,
                "of these, gave neither result: something else happened",
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
            ("cached", "", cached, "questions that came up again, answered from memory"),
            (
                "implied",
                "",
                implied,
                "answers that follow from others, as the failure is taken to be monotone",
            ),
            ("speculative", "", speculative, "ran ahead of time on idle cores and were not needed"),
        ]
    }
}

impl fmt::Display for Kinds<'_> {
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

/// What each pass has cost and gained, those that paid most first.
pub(crate) struct Passes<'a>(pub &'a [PassCounts]);

impl fmt::Display for Passes<'_> {
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
                Line(name)
            )?;
        }
        f.write_str("</tbody>\n</table>\n")
    }
}

/// The steps, or the first and the last of very many.
pub(crate) struct Steps<'a>(pub &'a Story);

impl Steps<'_> {
    fn row(&self, f: &mut fmt::Formatter<'_>, step: &Step) -> fmt::Result {
        let (class, side) = match step.side {
            Side::Failing => ("fail", "failing"),
            Side::Passing => ("pass", "passing"),
        };
        let level = match self.0.unit(step.level) {
            "" => grouped(step.level as u64),
            unit => Line(unit).to_string(),
        };
        let [tests, bytes, deltas] = [step.tests, step.bytes, step.deltas].map(grouped);
        writeln!(
            f,
            "<tr><td class=\"number\">{tests}</td><td>{level}</td><td>{}</td>\
             <td class=\"side {class}\">{side}</td>\
             <td class=\"number\">{bytes}</td><td class=\"number\">{deltas}</td></tr>",
            Line(&step.part)
        )
    }
}

impl fmt::Display for Steps<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "<table class=\"steps\">\n<thead><tr><th scope=\"col\" class=\"number\">test</th>\
             <th scope=\"col\">level</th><th scope=\"col\">part</th><th scope=\"col\">side</th>\
             <th scope=\"col\" class=\"number\">bytes</th>\
             <th scope=\"col\" class=\"number\">deltas</th></tr></thead>\n<tbody>\n",
        )?;
        let steps = &self.0.steps;
        let between = if steps.len() > ALL { steps.len() - 2 * EDGE } else { 0 };
        let first = if between > 0 { EDGE } else { steps.len() };
        steps[..first].iter().try_for_each(|step| self.row(f, step))?;
        if between > 0 {
            let more = count(between as u64, "more step");
            writeln!(f, "<tr class=\"gap\"><td colspan=\"6\">… {more} …</td></tr>")?;
        }
        steps[first + between..].iter().try_for_each(|step| self.row(f, step))?;
        f.write_str("</tbody>\n</table>\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::tests::{end, run, step, story};
    use wynot_session::EndRecord;

    fn rows(steps: u64) -> (usize, bool) {
        let steps = (1..=steps).map(|tests| step(tests, Side::Failing, 9)).collect();
        let table = Steps(&story(run("reduce", 9, 9), steps, None)).to_string();
        (table.matches("<tr><td").count(), table.contains("class=\"gap\""))
    }

    #[test]
    fn very_many_steps_are_listed_from_both_ends() {
        assert_eq!(rows(0), (0, false));
        assert_eq!(rows(200), (200, false));
        assert_eq!(rows(201), (100, true));
        let steps = (1..=5000).map(|tests| step(tests, Side::Failing, 9)).collect();
        let table = Steps(&story(run("reduce", 9, 9), steps, None)).to_string();
        assert!(table.contains("… 4,900 more steps …"));
        let shown = |test: &str| table.contains(&format!("<td class=\"number\">{test}</td>"));
        assert!(shown("50") && !shown("51") && !shown("4,950") && shown("4,951"));
    }

    #[test]
    fn kinds_of_tests_that_did_not_occur_are_left_out() {
        let tests = Counts { executed: 7, fail: 3, pass: 4, cached: 2000, ..Counts::default() };
        let end = EndRecord { tests, ..end(0, 1) };
        let table = Kinds(&story(run("reduce", 9, 9), Vec::new(), Some(end))).to_string();
        assert!(table.contains(">cached</th><td class=\"number\">2,000</td>"));
        for absent in ["unresolved", "shared", "replayed", "speculative", "implied"] {
            assert!(!table.contains(&format!(">{absent}</th>")), "{absent}");
        }
    }
}
