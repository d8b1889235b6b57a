//! The view on a terminal while a search runs: its sizes, the curve of sizes, its latest test, and its best variant.

use super::keys::{Keys, was_stopped};
use rustix::process::getpgrp;
use rustix::termios::{tcgetpgrp, tcgetwinsize};
use std::fmt::Write as _;
use std::io::{Write as _, stderr};
use unicode_width::UnicodeWidthChar;

/// The maximum number of lines of the best variant.
const MAX_EXCERPT_LINES: usize = 8;

/// The number of lines of the view besides those of the best variant.
const OTHER_LINES: usize = 5;

/// The maximum width of the curve and of the rule below it, in columns.
const MAX_CURVE_COLUMNS: usize = 60;

/// The minimum width of the view, in columns.
const MIN_COLUMNS: usize = 20;

/// The characters of the curve, from the lowest to the highest.
const CURVE_CHARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// What the view shows.
#[derive(Debug)]
pub struct ViewContents<'a> {
    /// The first line: the sizes.
    pub headline: &'a str,
    /// The line below the curve: the tests.
    pub details: &'a str,
    /// After each gain: the number of tests, and the size in bytes.
    pub gains: &'a [(u64, u64)],
    /// The number of tests so far.
    pub tests: u64,
    /// The beginning of the best variant, if there is only one.
    pub best: Option<&'a [u8]>,
    /// Whether a pass can be skipped.
    pub is_skippable: bool,
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
        let mut lines = vec![fit(contents.headline, columns)];
        if rows < OTHER_LINES + 2 {
            return lines;
        }
        lines.push(curve(contents.gains, contents.tests, columns));
        lines.push(fit(contents.details, columns));
        if let Some(best) = contents.best {
            lines.push(self.grey(&"─".repeat(columns.min(MAX_CURVE_COLUMNS))));
            let excerpt_rows = (rows - OTHER_LINES - 1).min(MAX_EXCERPT_LINES);
            lines.extend(excerpt(best, excerpt_rows, columns));
        }
        if self.keys.is_some() {
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

/// The curve of sizes over the tests so far, on a logarithmic scale.
fn curve(gains: &[(u64, u64)], tests: u64, columns: usize) -> String {
    let Some(&(_, largest)) = gains.first() else { return String::new() };
    let scale = |bytes: u64| ((bytes + 1) as f64).log2();
    let columns = columns.min(MAX_CURVE_COLUMNS) as u64;
    let mut remaining = gains.iter().peekable();
    let mut size = largest;
    (1..=columns)
        .map(|column| {
            let until = tests * column / columns;
            while let Some(&(_, bytes)) = remaining.next_if(|(at, _)| *at <= until) {
                size = bytes;
            }
            let share = scale(size) / scale(largest).max(1.0);
            let height = (share * CURVE_CHARS.len() as f64) as usize;
            CURVE_CHARS[height.min(CURVE_CHARS.len() - 1)]
        })
        .collect()
}

/// The first lines of a text, each fitted to the width.
fn excerpt(text: &[u8], rows: usize, columns: usize) -> Vec<String> {
    let text = String::from_utf8_lossy(&text[..text.len().min(rows * columns * 4)]).into_owned();
    text.lines().take(rows).map(|line| fit(line, columns)).collect()
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
        assert_eq!(curve(&[], 10, 8), "");
        let drawn = curve(&[(0, 65_535), (5, 255), (8, 0)], 8, 8);
        assert_eq!(drawn, "████▅▅▅▁");
    }

    #[test]
    fn a_low_terminal_gets_one_line() {
        let view = TerminalView { keys: None, drawn_lines: 0, has_colour: false };
        let contents = ViewContents {
            headline: "9 → 5 bytes",
            details: "3 tests",
            gains: &[(0, 9), (2, 5)],
            tests: 3,
            best: Some(b"a\nb\n"),
            is_skippable: true,
        };
        assert_eq!(view.lines(&contents, 4, 40), ["9 → 5 bytes"]);
        let whole = view.lines(&contents, 24, 4);
        assert_eq!(whole, ["9 → ", "██▇▇", "3 te", "────", "a", "b"]);
    }
}
