//! The page of a walk back through a history, made from handmade records.

use crate::page::chart_width::ChartWidth::{self, Broad, Narrow};
use crate::page::history_plot::HistoryPlot;
use crate::page::history_sections::WayBackSection;
use crate::page::session_page::session_page;
use crate::page::session_page::tests::{HOSTILE, unbalanced};
use crate::page::session_summary::SessionSummary;
use crate::page::session_summary::tests::{end, run, summary};
use crate::page::verdict_words::VerdictSentence;
use std::collections::BTreeMap;
use wynot_session::{
    BlockerRecord, DerivationRecord, EndRecord, HistoryRecord, VersionRecord, VisitRecord,
};

/// An object name that begins with the number of its version.
fn id(index: usize) -> String {
    format!("{index:06x}{:034x}", index.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

fn version(index: usize, year: u32) -> VersionRecord {
    let (date, subject) = (format!("{year}-03-20T10:00:00Z"), format!("Change {index} & more"));
    VersionRecord { id: id(index), date, subject }
}

fn visit(index: usize, outcome: &str, patch_lines: usize) -> VisitRecord {
    let reason = (outcome == "unresolved").then(|| "build".to_owned());
    let outcome = outcome.to_owned();
    VisitRecord { index, id: id(index), outcome, reason, patch_lines, conflicts: 0 }
}

fn blocker(interval: [usize; 2], name: &str, lines: usize) -> BlockerRecord {
    let patch = format!("--- a/x.c\n+++ b/x.c\n@@ -1 +1 @@\n-int {name};\n+long {name};\n");
    let (name, ids) = (name.to_owned(), interval.map(id));
    BlockerRecord { name, interval, ids, lines, tests: 120, patch }
}

fn derivation(index: usize, lines: [usize; 2], is_fix: bool) -> DerivationRecord {
    let reasons = BTreeMap::from([("build".to_owned(), 90), ("timeout".to_owned(), 2)]);
    DerivationRecord { index, is_fix, lines, tests: 335, reasons }
}

/// A regression in the middle of a history, with blockers on the way.
fn regression() -> HistoryRecord {
    let conflicting = VisitRecord { conflicts: 2, ..visit(380, "unresolved", 14) };
    HistoryRecord {
        verdict: "regression".to_owned(),
        versions: 475,
        failing: version(360, 2010),
        passing: Some(version(359, 2009)),
        visits: vec![
            visit(474, "fail", 0),
            visit(440, "fail", 0),
            visit(400, "unresolved", 0),
            visit(400, "fail", 14),
            conflicting,
            visit(380, "fail", 23),
            visit(353, "pass", 31),
            visit(360, "fail", 31),
            visit(359, "pass", 31),
        ],
        blockers: vec![
            blocker([420, 359], "x.c:3: error: unknown type name 'size_t' in declaration of f", 14),
            blocker([380, 359], "undefined reference to `parse'", 9),
            blocker([362, 361], "test.sh: not found", 0),
        ],
        derivations: vec![
            derivation(400, [344, 14], false),
            derivation(380, [57, 9], false),
            derivation(359, [1133, 272], true),
        ],
        fix_lines: Some(2),
        fix_patch: Some("--- a/x.c\n+++ b/x.c\n+fixed\n".to_owned()),
        tests_by_part: [("walk", 9), ("blockers", 1670), ("fix point", 0)]
            .map(|(part, tests)| (part.to_owned(), tests))
            .to_vec(),
    }
}

/// A long history that fails everywhere, with as many visits and blockers as given.
fn long(versions: usize, visits: usize, blockers: usize) -> HistoryRecord {
    let place = |part: usize, of: usize| (versions - 1) * part / of.max(1);
    let outcomes = ["fail", "fail", "unresolved"];
    HistoryRecord {
        verdict: "always".to_owned(),
        versions,
        failing: version(0, 1998),
        visits: (0..visits)
            .map(|i| visit(place(visits - 1 - i, visits - 1), outcomes[i % 3], i * 7 % 900))
            .collect(),
        blockers: (0..blockers)
            .map(|i| {
                let newest = place(blockers - i, blockers);
                blocker([newest, newest / 2], &format!("error {i}"), i)
            })
            .collect(),
        derivations: (0..blockers)
            .map(|i| derivation(place(i, blockers), [i * 90, i], i % 2 == 1))
            .collect(),
        ..HistoryRecord::default()
    }
}

fn session(history: HistoryRecord) -> SessionSummary {
    let history = Some(Box::new(history));
    summary(run("history", 9000, 40), Vec::new(), Some(EndRecord { history, ..end(1679, 51) }))
}

fn page(history: HistoryRecord) -> String {
    session_page(&session(history))
}

/// All numbers of an attribute, in order.
fn numbers(svg: &str, attribute: &str) -> Vec<f64> {
    let opening = format!(" {attribute}=\"");
    let values = svg.split(&opening).skip(1).filter_map(|rest| rest.split('"').next());
    values.map(|value| value.parse().unwrap()).collect()
}

/// The part of a drawing from a text on.
fn after<'a>(svg: &'a str, text: &str) -> &'a str {
    let at = svg.find(text).unwrap_or_else(|| panic!("no {text} in {svg}"));
    &svg[at..]
}

fn assert_inside(svg: &str, width: ChartWidth) {
    let width = width.units();
    let view = after(svg, "viewBox=\"0 0 ").split(['"', ' ']).nth(4).unwrap();
    let height: f64 = view.parse().unwrap();
    for (attributes, size) in [(["x", "cx"], width), (["y", "cy"], height)] {
        for place in attributes.iter().flat_map(|attribute| numbers(svg, attribute)) {
            assert!((0.0..=size).contains(&place), "{place} in {svg}");
        }
    }
    for rectangle in svg.split("<rect ").skip(1) {
        let of = |attribute| numbers(&format!(" {rectangle}"), attribute)[0];
        assert!(of("x") + of("width") <= width && of("y") + of("height") <= height, "{rectangle}");
        assert!(of("width") >= 3.9, "{rectangle}");
    }
    for path in svg.split(" d=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
        for number in path.split(|c: char| c.is_alphabetic() || c == ' ').filter(|n| !n.is_empty())
        {
            let place: f64 = number.parse().unwrap();
            assert!((0.0..=width.max(height)).contains(&place), "{place} in {path}");
        }
    }
    assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{svg}");
}

#[test]
fn pages_of_all_sizes_are_well_formed_and_drawn_inside() {
    let histories = [
        HistoryRecord::default(),
        HistoryRecord { versions: 1, ..HistoryRecord::default() },
        regression(),
        long(1, 1, 0),
        long(1, 1, 1),
        long(2, 2, 60),
        long(475, 150, 3),
        long(100_000, 1, 0),
        long(100_000, 2_000, 60),
        long(100_000, 2_000, 3_000),
    ];
    for history in histories {
        let page = page(history.clone());
        assert_eq!(unbalanced(&page), None, "{page}");
        for width in [Broad, Narrow] {
            let plot = HistoryPlot::of(&history, width).to_string();
            assert_inside(&plot, width);
            assert!(page.contains(&plot));
        }
        let plot = HistoryPlot::of(&history, Broad).to_string();
        let newest = history.visits.iter().map(|visit| visit.index).max();
        let is_drawn = newest.is_some_and(|newest| newest + 1 < history.versions);
        let marks = history.visits.len() + usize::from(is_drawn);
        assert_eq!(plot.matches("<circle").count(), marks);
        assert_eq!(plot.matches("class=\"blocker\"").count(), history.blockers.len());
        assert_eq!(plot, HistoryPlot::of(&history, Broad).to_string());
    }
}

#[test]
fn hostile_text_in_a_history_does_nothing() {
    let text = || HOSTILE.to_owned();
    let hostile = || VersionRecord { id: text(), date: text(), subject: text() };
    for verdict in ["regression", "always", "unknown", HOSTILE] {
        let page = page(HistoryRecord {
            verdict: verdict.to_owned(),
            versions: usize::MAX,
            failing: hostile(),
            passing: Some(hostile()),
            visits: vec![VisitRecord {
                index: usize::MAX,
                id: text(),
                outcome: text(),
                reason: Some(text()),
                patch_lines: usize::MAX,
                conflicts: usize::MAX,
            }],
            blockers: vec![BlockerRecord {
                interval: [0, usize::MAX],
                ids: [text(), text()],
                patch: text(),
                tests: u64::MAX,
                ..blocker([0, 0], HOSTILE, usize::MAX)
            }],
            derivations: vec![
                DerivationRecord {
                    tests: u64::MAX,
                    reasons: BTreeMap::from([(text(), u64::MAX)]),
                    ..derivation(usize::MAX, [0, usize::MAX], true)
                };
                2
            ],
            fix_lines: Some(usize::MAX),
            fix_patch: Some(text()),
            tests_by_part: vec![(text(), u64::MAX)],
        });
        assert_eq!(unbalanced(&page), None, "{page}");
        assert!(!page.contains("<script") && !page.contains("<!--") && !page.contains('\u{202e}'));
        assert!(!page.contains(|c: char| c.is_control() && c != '\n' && c != '\t'));
        assert_inside(after(&page, "<svg").split("</svg>").next().unwrap(), Broad);
    }
}

#[test]
fn versions_are_ordered_from_left_to_right() {
    let plot = HistoryPlot::of(&regression(), Broad).to_string();
    let mark = |title: &str| {
        let circle = plot.split("<circle").skip(1).find(|circle| circle.contains(title));
        numbers(circle.unwrap_or_else(|| panic!("no {title} in {plot}")), "cx")[0]
    };
    let [passing, failing] =
        [format!("version 359, {}: pass", &id(359)[..12]), "version 360".to_owned()]
            .map(|title| mark(&title));
    assert!(
        passing < failing && failing < mark("version 440") && mark("version 440") < Broad.units()
    );
    assert_eq!(mark("version 400"), mark(": fail, with 14 lines of patch"));

    // A bar lies from its oldest to its newest version.
    let bar = after(&plot, "undefined reference");
    let (start, width) = (numbers(bar, "x")[0], numbers(bar, "width")[0]);
    assert!((start - passing).abs() < 0.2, "{start} and {passing}");
    assert!((start + width - mark("version 380")).abs() < 0.2);

    // The gap is where the failure came, and is wide enough to be seen.
    let gap = after(&plot, "class=\"gap\"");
    let (start, width) = (numbers(gap, "x")[0], numbers(gap, "width")[0]);
    assert!(start <= passing + 0.1 && start + width >= failing - 0.1 && width >= 4.0);
    assert!(plot.contains(&format!("introduced by {}", &id(360)[..12])));
}

#[test]
fn the_axis_reaches_the_newest_version_and_is_flat_without_patches() {
    let visits = vec![visit(3, "fail", 0), visit(2, "pass", 0)];
    let bare = HistoryRecord {
        versions: 5,
        visits,
        failing: version(3, 2026),
        passing: Some(version(2, 2026)),
        blockers: Vec::new(),
        derivations: Vec::new(),
        ..regression()
    };
    let plot = HistoryPlot::of(&bare, Broad).to_string();
    assert!(plot.contains("<title>version 4, the newest: fail, without a patch</title>"), "{plot}");
    assert!(numbers(&plot, "cx").iter().any(|x| *x > 700.0), "{plot}");
    assert!(!plot.contains("lines of patch by number"), "{plot}");
    let height: f64 = after(&plot, "viewBox").split(['"', ' ']).nth(4).unwrap().parse().unwrap();
    assert!(height < 150.0, "{height}");
    assert_inside(&plot, Broad);
}

#[test]
fn the_fix_is_on_the_page() {
    let fix = "--- a/x.c\n+++ b/x.c\n+fixed\n";
    let end = EndRecord { failing: "patch".to_owned(), ..end(1679, 51) };
    let history = Some(Box::new(regression()));
    let end = EndRecord { history, ..end };
    let page = session_page(&summary(run("history", 9, 4), Vec::new(), Some(end)));
    assert!(
        page.contains(&format!("Fix for the newest version</h3>\n<pre tabindex=\"0\">\n{fix}"))
    );
}

#[test]
fn titles_say_what_was_tested_with_what() {
    let plot = HistoryPlot::of(&regression(), Broad).to_string();
    let short = &id(380)[..12];
    let title = format!(
        "<title>version 380, {short}: unresolved (build), with 14 lines of patch, 2 hunks not applied<"
    );
    assert!(plot.contains(&title), "{plot}");
    assert!(plot.contains("<title>version 400, blocker: 344 → 14 lines, 335 tests</title>"));
    assert!(plot.contains("logarithmic"));
    // The ends of what was visited; only some years are known.
    let (oldest, newest) = (&id(353)[..12], &id(474)[..12]);
    assert!(plot.contains(&format!(">{oldest}</text>")) && plot.contains(&format!(">{newest}<")));
    let both = HistoryRecord {
        visits: vec![visit(360, "fail", 1), visit(359, "pass", 1)],
        ..regression()
    };
    let plot = HistoryPlot::of(&both, Broad).to_string();
    assert!(plot.contains(&format!(">{}, 2009</text>", &id(359)[..12])), "{plot}");
    assert!(plot.contains(&format!(">{}, 2010</text>", &id(360)[..12])), "{plot}");
}

#[test]
fn many_blockers_have_titles_only() {
    let labels = |blockers| {
        let plot = HistoryPlot::of(&long(500, 90, blockers), Broad).to_string();
        plot.split("class=\"blocker\"").skip(1).filter(|row| row.contains("<text")).count()
    };
    assert_eq!((labels(0), labels(24), labels(60)), (0, 24, 0));
}

#[test]
fn the_verdict_is_a_sentence() {
    let words = |verdict: &str, passing: Option<VersionRecord>| {
        let history = HistoryRecord { verdict: verdict.to_owned(), passing, ..regression() };
        VerdictSentence(&history).to_string()
    };
    let (failing, passing) = (&id(360)[..12], &id(359)[..12]);
    let oldest = format!("<code>{failing}</code> of 2010-03-20 (“Change 360 &amp; more”)");
    let found = words("regression", Some(version(359, 2009)));
    assert!(found.contains(&format!("introduced by commit {oldest}. The version before it")));
    let patches = format!("<code>{passing}</code>, passes with the patches of 2 blockers.");
    assert!(found.contains(&patches) && found.contains("with a fix of 2 changed lines"), "{found}");
    let bare = words("regression", Some(version(358, 2009)));
    assert!(bare.contains("passes without patches"));
    let always = words("always", None);
    assert!(always.contains(&format!("can be tested; the oldest of them is {oldest}.")));
    assert!(words("unknown", None).contains("not known yet whether a version passes"));
    assert!(words("", Some(version(3, 1999))).contains("not known yet which version introduced"));
}

#[test]
fn reasons_and_patches_are_listed() {
    let page = page(regression());
    let reason = |name: &str, number: u64| {
        page.contains(&format!(">{name}</th><td class=\"number\">{number}</td>"))
    };
    assert!(reason("fail", 5) && reason("pass", 2) && reason("unresolved", 2), "{page}");
    assert!(reason("a patch does not apply", 1) && reason("build", 1));
    assert!(!page.contains(">fix point</th>"), "parts without tests are left out");
    assert!(reason("walk", 9) && page.contains(">1,670</td>"));
    assert!(page.contains(">1,133 → 272</td><td class=\"number\">76.0 %</td>"));
    assert!(page.contains(">1,005</td><td class=\"words\">270 build, 6 timeout</td>"));
    assert!(page.contains("<summary>Patch: 14 lines</summary>\n<pre tabindex=\"0\">\n--- a/x.c"));
    assert!(page.contains("<h3 class=\"fail\">Patch"), "as for changes");
    assert!(page.contains("<h2>The way back</h2>") && !page.contains("How it shrank"));
    assert!(!page.contains("No test was decisive"), "visits are no steps");
}

#[test]
fn a_run_without_a_record_of_its_walk_has_a_page_too() {
    let unfinished = session_page(&summary(run("history", 9, 9), Vec::new(), None));
    assert!(unfinished.contains("history: not known yet") && !unfinished.contains("The way back"));
    assert_eq!(unbalanced(&unfinished), None);
    let nothing = WayBackSection(&HistoryRecord::default()).to_string();
    assert!(nothing.contains("None of 0 versions was visited."));
}
