//! The view on a terminal while a search runs: how far it is, its curve, what it tries, what it has.

use super::keys::{Keys, was_stopped};
use rustix::process::getpgrp;
use rustix::termios::{tcgetpgrp, tcgetwinsize};
use std::fmt::Write as _;
use std::io::{Write as _, stderr};
use unicode_width::UnicodeWidthChar;

/// How many lines of the best so far are shown at most.
const EXCERPT: usize = 8;

/// The lines besides those of the best so far.
const OTHERS: usize = 5;

/// The heights of the curve.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// What the view shows.
#[derive(Debug)]
pub struct ViewContents<'a> {
    /// Sizes and what is being done, in words.
    pub headline: &'a str,
    pub details: &'a str,
    /// The size after each gain: number of tests, bytes.
    pub gains: &'a [(u64, u64)],
    pub tests: u64,
    /// The beginning of the best so far, if it is one text.
    pub best: Option<&'a [u8]>,
    /// Whether a pass can be skipped.
    pub skippable: bool,
}

/// A few lines at the bottom of the terminal.
#[derive(Debug)]
pub struct TerminalView {
    keys: Option<Keys>,
    /// How many lines are there now.
    shown: usize,
    colour: bool,
}

impl TerminalView {
    pub fn new() -> Self {
        let colour = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self { keys: Keys::new(), shown: 0, colour }
    }

    /// A key that was pressed since the last time.
    pub fn pressed(&self) -> Option<u8> {
        self.keys.as_ref()?.pressed()
    }

    /// Draws the contents over the one before.
    pub fn draw(&mut self, contents: &ViewContents<'_>) {
        if !is_ours() {
            return;
        }
        if was_stopped() {
            self.shown = 0;
        }
        let size = tcgetwinsize(stderr());
        let (rows, columns) = match size {
            Ok(size) if size.ws_row > 0 => (usize::from(size.ws_row), usize::from(size.ws_col)),
            _ => (24, 80),
        };
        let lines = self.lines(contents, rows, columns.saturating_sub(1).max(20));
        let mut text = up(self.shown);
        for line in &lines {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{line}\x1b[K");
        }
        text.push_str("\x1b[J");
        self.shown = lines.len();
        let _ = stderr().write_all(text.as_bytes());
    }

    /// Takes it off the terminal.
    pub fn hide(&mut self) {
        if self.shown > 0 {
            let _ = write!(stderr(), "{}\x1b[J", up(self.shown));
            self.shown = 0;
        }
    }

    fn lines(&self, contents: &ViewContents<'_>, rows: usize, columns: usize) -> Vec<String> {
        let mut lines = vec![cut(contents.headline, columns)];
        if rows < OTHERS + 2 {
            return lines;
        }
        lines.push(curve(contents.gains, contents.tests, columns));
        lines.push(cut(contents.details, columns));
        if let Some(best) = contents.best {
            lines.push(self.grey(&"─".repeat(columns.min(60))));
            let room = (rows - OTHERS - 1).min(EXCERPT);
            lines.extend(excerpt(best, room, columns));
        }
        if self.keys.is_some() {
            let skip = if contents.skippable { "s: skip this pass · " } else { "" };
            lines.push(self.grey(&cut(&format!("{skip}q: stop and keep the result"), columns)));
        }
        lines
    }

    fn grey(&self, text: &str) -> String {
        match self.colour {
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

/// Whether the terminal shows what is in the foreground to this process; a job in the background must
/// not draw over others.
fn is_ours() -> bool {
    tcgetpgrp(stderr()).map_or(true, |group| group == getpgrp())
}

/// Back to the beginning of what was drawn before.
fn up(lines: usize) -> String {
    match lines {
        0 => "\r".to_owned(),
        lines => format!("\x1b[{lines}F"),
    }
}

/// How the size went down over the tests so far, on a logarithmic scale.
fn curve(gains: &[(u64, u64)], tests: u64, columns: usize) -> String {
    let Some(&(_, largest)) = gains.first() else { return String::new() };
    let scale = |bytes: u64| ((bytes + 1) as f64).log2();
    let columns = columns.min(60) as u64;
    let mut left = gains.iter().peekable();
    let mut size = largest;
    (1..=columns)
        .map(|column| {
            let until = tests * column / columns;
            while let Some(&(_, bytes)) = left.next_if(|(at, _)| *at <= until) {
                size = bytes;
            }
            let share = scale(size) / scale(largest).max(1.0);
            HEIGHTS[((share * HEIGHTS.len() as f64) as usize).min(HEIGHTS.len() - 1)]
        })
        .collect()
}

/// The first lines of a text, made harmless.
fn excerpt(text: &[u8], rows: usize, columns: usize) -> Vec<String> {
    let text = String::from_utf8_lossy(&text[..text.len().min(rows * columns * 4)]).into_owned();
    text.lines().take(rows).map(|line| cut(line, columns)).collect()
}

/// As much of a line as fits, without anything that a terminal would obey.
fn cut(line: &str, columns: usize) -> String {
    let mut width = 0;
    let shown = line.chars().flat_map(|c| match c {
        '\t' => [Some(' '), Some(' ')],
        c if c.is_control() || is_format(c) => [Some('·'), None],
        c => [Some(c), None],
    });
    let fits = |c: &char| {
        width += c.width().unwrap_or(1);
        width <= columns
    };
    shown.flatten().take_while(fits).collect()
}

/// Whether a character changes how others are shown.
fn is_format(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_and_cannot_command_the_terminal() {
        assert_eq!(cut("\x1b[2Ja\tb\u{202e}c", 80), "·[2Ja  b·c");
        assert_eq!(cut("日本語", 5), "日本");
        assert_eq!(excerpt(b"one\ntwo\r\n\xffthree\nfour", 3, 4), ["one", "two", "\u{fffd}thr"]);
    }

    #[test]
    fn the_curve_goes_down_with_the_size() {
        assert_eq!(curve(&[], 10, 8), "");
        let drawn = curve(&[(0, 65_535), (5, 255), (8, 0)], 8, 8);
        assert_eq!(drawn, "████▅▅▅▁");
    }

    #[test]
    fn a_low_terminal_gets_one_line() {
        let view = TerminalView { keys: None, shown: 0, colour: false };
        let contents = ViewContents {
            headline: "9 → 5 bytes",
            details: "3 tests",
            gains: &[(0, 9), (2, 5)],
            tests: 3,
            best: Some(b"a\nb\n"),
            skippable: true,
        };
        assert_eq!(view.lines(&contents, 4, 40), ["9 → 5 bytes"]);
        let whole = view.lines(&contents, 24, 4);
        assert_eq!(whole, ["9 → ", "██▇▇", "3 te", "────", "a", "b"]);
    }
}
