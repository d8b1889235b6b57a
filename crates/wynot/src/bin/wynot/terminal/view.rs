//! The view on a terminal while a search runs: its sizes, the curve of sizes, its latest test, and its best variant.

use super::keys::{Keys, was_stopped};
use rustix::process::getpgrp;
use rustix::termios::{tcgetpgrp, tcgetwinsize};
use std::fmt::Write as _;
use std::io::{Write as _, stderr};
use std::time::Duration;
use unicode_width::UnicodeWidthChar;

/// The number of lines of the view besides those of the curve and of the best variant.
const OTHER_LINES: usize = 5;

/// The number of rows of a terminal from which the curve is several lines high.
const HIGH_TERMINAL: usize = 40;

/// The height of the curve there.
const HIGH_CURVE: usize = 4;

/// The minimum width of the view, in columns.
const MIN_COLUMNS: usize = 20;

/// The characters of the curve, from the lowest to the highest.
const CURVE_CHARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// What the view shows.
#[derive(Debug)]
pub struct ViewContents<'a> {
    /// The first line: the sizes.
    pub headline: &'a str,
    /// How long the search has run.
    pub elapsed: Duration,
    /// The lines below the curve: facts about the tests.
    pub details: &'a [String],
    /// After each gain: the number of tests, and the size in bytes.
    pub gains: &'a [(u64, u64)],
    /// The number of tests so far.
    pub tests: u64,
    /// The beginning of the best variant, if there is only one.
    pub best: Option<&'a [u8]>,
    /// Whether a pass can be skipped.
    pub is_skippable: bool,
    /// What a key has requested.
    pub request: Option<&'a str>,
}

/// A few lines at the bottom of the terminal.
#[derive(Debug)]
pub struct TerminalView {
    keys: Option<Keys>,
    /// The number of lines that are drawn now.
    drawn_lines: usize,
    has_colour: bool,
}

impl TerminalView {
    pub fn new() -> Self {
        let has_colour = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self { keys: Keys::new(), drawn_lines: 0, has_colour }
    }

    /// The next key that was pressed, without waiting for one.
    pub fn pressed(&self) -> Option<u8> {
        self.keys.as_ref()?.pressed()
    }

    /// Draws the contents over those that were drawn before.
    pub fn draw(&mut self, contents: &ViewContents<'_>) {
        if !is_in_foreground() {
            return;
        }
        if was_stopped() {
            self.drawn_lines = 0;
        }
        let size = tcgetwinsize(stderr());
        let (rows, columns) = match size {
            Ok(size) if size.ws_row > 0 => (usize::from(size.ws_row), usize::from(size.ws_col)),
            _ => (24, 80),
        };
        let lines = self.lines(contents, rows, columns.saturating_sub(1).max(MIN_COLUMNS));
        let mut text = cursor_up(self.drawn_lines);
        for line in &lines {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{line}\x1b[K");
        }
        text.push_str("\x1b[J");
        self.drawn_lines = lines.len();
        let _ = stderr().write_all(text.as_bytes());
    }

    /// Removes the view from the terminal.
    pub fn hide(&mut self) {
        if self.drawn_lines > 0 {
            let _ = write!(stderr(), "{}\x1b[J", cursor_up(self.drawn_lines));
            self.drawn_lines = 0;
        }
    }

    /// The lines of the view on a terminal of this size.
    fn lines(&self, contents: &ViewContents<'_>, rows: usize, columns: usize) -> Vec<String> {
        let mut lines = vec![with_clock(contents.headline, contents.elapsed, columns)];
        if rows < OTHER_LINES + 2 {
            return lines;
        }
        let height = if rows >= HIGH_TERMINAL { HIGH_CURVE } else { 1 };
        lines.extend(curve(contents.gains, contents.tests, columns, height));
        lines.extend(wrapped(contents.details, columns));
        if let Some(best) = contents.best {
            lines.push(self.grey(&"─".repeat(columns)));
            let left = rows.saturating_sub(lines.len() + 3);
            lines.extend(excerpt(best, left.min(rows / 2), columns));
        }
        if let Some(request) = contents.request {
            lines.push(fit(&format!("{request} …"), columns));
        } else if self.keys.is_some() {
            let skip = if contents.is_skippable { "s: skip this pass · " } else { "" };
            lines.push(self.grey(&fit(&format!("{skip}q: stop and keep the result"), columns)));
        }
        lines
    }

    /// The text in grey, if colours are shown.
    fn grey(&self, text: &str) -> String {
        match self.has_colour {
            true => format!("\x1b[90m{text}\x1b[0m"),
            false => text.to_owned(),
        }
    }
}

impl Drop for TerminalView {
    fn drop(&mut self) {
        self.hide();
    }
}

/// Whether the process is in the foreground of the terminal. A job in the background must not draw.
fn is_in_foreground() -> bool {
    tcgetpgrp(stderr()).map_or(true, |group| group == getpgrp())
}

/// The sequence that moves the cursor to the beginning of the line this many lines above.
fn cursor_up(lines: usize) -> String {
    match lines {
        0 => "\r".to_owned(),
        lines => format!("\x1b[{lines}F"),
    }
}

/// A line with the time at its right end.
fn with_clock(line: &str, elapsed: Duration, columns: usize) -> String {
    let seconds = elapsed.as_secs();
    let clock = match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    };
    let line = fit(line, columns.saturating_sub(clock.len() + 1));
    let width: usize = line.chars().map(|c| c.width().unwrap_or(1)).sum();
    let gap = columns.saturating_sub(width + clock.len());
    format!("{line}{}{clock}", " ".repeat(gap))
}

/// Facts beside each other, in as many lines as they need, of which at most two are shown.
fn wrapped(facts: &[String], columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for fact in facts {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 3 + fact.chars().count() <= columns => {
                line.push_str(" · ");
                line.push_str(fact);
            }
            _ => lines.push(fact.clone()),
        }
    }
    lines.iter().take(2).map(|line| fit(line, columns)).collect()
}

/// The curve of sizes over the tests so far, on a logarithmic scale, from top to bottom.
fn curve(gains: &[(u64, u64)], tests: u64, columns: usize, height: usize) -> Vec<String> {
    let Some(&(first, largest)) = gains.first() else { return Vec::new() };
    let scale = |size: u64| ((size + 1) as f64).log2();
    let columns = columns as u64;
    let steps = CURVE_CHARS.len() * height;
    let mut remaining = gains.iter().peekable();
    let mut size = largest;
    let heights: Vec<usize> = (1..=columns)
        .map(|column| {
            let until = first + tests.saturating_sub(first) * column / columns;
            while let Some(&(_, now)) = remaining.next_if(|(at, _)| *at <= until) {
                size = now;
            }
            let share = scale(size) / scale(largest).max(1.0);
            ((share * steps as f64) as usize).clamp(1, steps)
        })
        .collect();
    let row = |row: usize| {
        let below = (height - 1 - row) * CURVE_CHARS.len();
        let char_of = |filled: &usize| match filled.saturating_sub(below) {
            0 => ' ',
            eighths => CURVE_CHARS[eighths.min(CURVE_CHARS.len()) - 1],
        };
        heights.iter().map(char_of).collect()
    };
    (0..height).map(row).collect()
}

/// The first lines of a text, each fitted to the width.
fn excerpt(text: &[u8], rows: usize, columns: usize) -> Vec<String> {
    let text = String::from_utf8_lossy(&text[..text.len().min(rows * columns * 4)]).into_owned();
    // What was removed at the beginning often leaves empty lines.
    let lines = text.lines().skip_while(|line| line.trim().is_empty());
    lines.take(rows).map(|line| fit(line, columns)).collect()
}

/// As much of a line as fits into the width, with control and format characters replaced.
fn fit(line: &str, columns: usize) -> String {
    let mut width = 0;
    let visible = line.chars().flat_map(|c| match c {
        '\t' => [Some(' '), Some(' ')],
        c if c.is_control() || is_format(c) => [Some('·'), None],
        c => [Some(c), None],
    });
    let fits = |c: &char| {
        width += c.width().unwrap_or(1);
        width <= columns
    };
    visible.flatten().take_while(fits).collect()
}

/// Whether a character is invisible and changes how others are shown.
fn is_format(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_and_contain_no_control_characters() {
        assert_eq!(fit("\x1b[2Ja\tb\u{202e}c", 80), "·[2Ja  b·c");
        assert_eq!(fit("日本語", 5), "日本");
        assert_eq!(excerpt(b"one\ntwo\r\n\xffthree\nfour", 3, 4), ["one", "two", "\u{fffd}thr"]);
    }

    #[test]
    fn the_curve_goes_down_with_the_size() {
        assert!(curve(&[], 10, 8, 1).is_empty());
        let gains = [(0, 65_535), (5, 255), (8, 0)];
        assert_eq!(curve(&gains, 8, 8, 1), ["████▄▄▄▁"]);
        assert_eq!(curve(&gains, 8, 8, 2), ["████    ", "███████▁"]);
        // A later part of a search begins at a later test.
        assert_eq!(curve(&[(100, 255), (104, 0)], 108, 8, 1), ["███▁▁▁▁▁"]);
    }

    fn contents<'a>(details: &'a [String]) -> ViewContents<'a> {
        ViewContents {
            headline: "9 → 5 bytes",
            elapsed: Duration::from_secs(83),
            details,
            gains: &[(0, 9), (2, 5)],
            tests: 3,
            best: Some(b"a\nb\n"),
            is_skippable: true,
            request: None,
        }
    }

    #[test]
    fn a_low_terminal_gets_one_line() {
        let view = TerminalView { keys: None, drawn_lines: 0, has_colour: false };
        let details = ["3 tests".to_owned()];
        let contents = contents(&details);
        assert_eq!(view.lines(&contents, 4, 20), ["9 → 5 bytes     1:23"]);
        let whole = view.lines(&contents, 24, 8);
        assert_eq!(whole, ["9 → 1:23", "█████▆▆▆", "3 tests", "────────", "a", "b"]);
    }

    #[test]
    fn a_large_terminal_is_used_in_its_whole_width_and_height() {
        let view = TerminalView { keys: None, drawn_lines: 0, has_colour: false };
        let details = ["3 tests", "2 running", "gaining"].map(str::to_owned);
        let best: String = (0..90).map(|line| format!("line {line}\n")).collect();
        let contents = ViewContents { best: Some(best.as_bytes()), ..contents(&details) };
        let lines = view.lines(&contents, 50, 199);
        assert_eq!(lines[0].chars().count(), 199);
        assert_eq!(lines[1].chars().count(), 199);
        assert_eq!(lines[1 + HIGH_CURVE], "3 tests · 2 running · gaining");
        assert_eq!(lines.iter().filter(|line| line.starts_with("line ")).count(), 25);
        assert!(lines.len() <= 50);
        let narrow = view.lines(&contents, 24, 20);
        assert_eq!(narrow[2..4], ["3 tests · 2 running", "gaining"]);
    }

    #[test]
    fn what_a_key_has_requested_is_shown_instead_of_the_keys() {
        let view = TerminalView { keys: None, drawn_lines: 0, has_colour: false };
        let contents = ViewContents { request: Some("stopping"), ..contents(&[]) };
        assert_eq!(view.lines(&contents, 24, 20).last().map(String::as_str), Some("stopping …"));
    }
}
