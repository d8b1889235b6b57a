//! The blockers of a walk as bars: one row for each, from the oldest to the newest version that needs its patch.

use crate::page::verdict_words::short_id;
use crate::page::version_axis::VersionAxis;
use crate::text::escape::Inline;
use crate::text::number::{count, grouped};
use std::fmt;
use wynot_session::BlockerRecord;

/// The largest number of rows that are high enough for labels.
const MAX_LABELLED_ROWS: usize = 24;

/// The height of a row with a label.
const LABELLED_ROW: f64 = 19.0;

/// The largest height of a row without a label.
const MAX_ROW: f64 = 10.0;

/// The height of all rows without labels.
const ROWS_HEIGHT: f64 = 320.0;

/// The height of the line above the rows.
const TITLE_HEIGHT: f64 = 26.0;

/// The smallest width of a bar.
const MIN_BAR_WIDTH: f64 = 4.0;

/// The width of the name of a blocker in its label, in characters.
const NAME_WIDTH: usize = 36;

/// The approximate width of a character of a label.
const CHARACTER_WIDTH: f64 = 6.4;

/// The distance of a label from the end of its bar.
const LABEL_DISTANCE: f64 = 5.0;

/// The rows of blockers below the versions.
pub(crate) struct BlockerBars<'a> {
    blockers: &'a [BlockerRecord],
}

impl<'a> BlockerBars<'a> {
    /// A row for each blocker, in this order.
    pub(crate) fn of(blockers: &'a [BlockerRecord]) -> Self {
        Self { blockers }
    }

    /// The height of the rows and of the line above them.
    pub(crate) fn height(&self) -> f64 {
        match self.blockers.len() {
            0 => 0.0,
            rows => TITLE_HEIGHT + rows as f64 * self.row_height(),
        }
    }

    fn has_labels(&self) -> bool {
        self.blockers.len() <= MAX_LABELLED_ROWS
    }

    fn row_height(&self) -> f64 {
        match self.has_labels() {
            true => LABELLED_ROW,
            false => MAX_ROW.min(ROWS_HEIGHT / self.blockers.len() as f64),
        }
    }

    /// Draws the rows from a position downwards.
    pub(crate) fn draw(
        &self,
        f: &mut fmt::Formatter<'_>,
        versions: &VersionAxis<'_>,
        top: f64,
    ) -> fmt::Result {
        if self.blockers.is_empty() {
            return Ok(());
        }
        let (left, y) = (versions.left, top + TITLE_HEIGHT - 9.0);
        let blockers = count(self.blockers.len() as u64, "blocker");
        writeln!(f, r#"<text x="{left:.1}" y="{y:.1}">{blockers}</text>"#)?;
        for (row, blocker) in self.blockers.iter().enumerate() {
            let y = top + TITLE_HEIGHT + row as f64 * self.row_height();
            self.draw_row(f, versions, blocker, y)?;
        }
        Ok(())
    }

    fn draw_row(
        &self,
        f: &mut fmt::Formatter<'_>,
        versions: &VersionAxis<'_>,
        blocker: &BlockerRecord,
        y: f64,
    ) -> fmt::Result {
        let (x, width) = versions.span(blocker.interval, MIN_BAR_WIDTH);
        let height = self.row_height() * 0.8;
        writeln!(f, "<g class=\"blocker\">\n<title>{}</title>", BlockerTitle(blocker))?;
        writeln!(
            f,
            r#"<rect x="{x:.1}" y="{y:.2}" width="{width:.1}" height="{height:.2}" rx="1.5"/>"#
        )?;
        if self.has_labels() {
            let label = format!("{}, {}", shortened(&blocker.name), mended_lines(blocker));
            let label_width = columns(&label) as f64 * CHARACTER_WIDTH + 2.0 * LABEL_DISTANCE;
            // To the right of the bar if there is room, else to the left of it, else inside.
            let (class, at) = if x + width + label_width <= versions.right {
                ("", x + width + LABEL_DISTANCE)
            } else if x - label_width >= versions.left {
                ("end", x - LABEL_DISTANCE)
            } else {
                ("", x.max(versions.left) + LABEL_DISTANCE)
            };
            let (y, label) = (y + height - 3.8, Inline(&label));
            writeln!(f, r#"<text class="{class}" x="{at:.1}" y="{y:.1}">{label}</text>"#)?;
        }
        writeln!(f, "</g>")
    }
}

/// The size of a blocker's patch in words; a patch that changes no line renames files.
pub(crate) fn mended_lines(blocker: &BlockerRecord) -> String {
    match blocker.lines {
        0 => "other names of files".to_owned(),
        lines => count(lines as u64, "line"),
    }
}

/// A blocker in words, as the title of its bar.
struct BlockerTitle<'a>(&'a BlockerRecord);

impl fmt::Display for BlockerTitle<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BlockerRecord { name, interval: [newest, oldest], ids, .. } = self.0;
        let [newest, oldest] = [newest, oldest].map(|&number| grouped(number as u64));
        let [newest_id, oldest_id] = [&ids[0], &ids[1]].map(|id| Inline(short_id(id)));
        write!(
            f,
            "{}, {}: from version {newest}, {newest_id}, back to version {oldest}, {oldest_id}",
            Inline(name),
            mended_lines(self.0)
        )
    }
}

/// The beginning of a name, as long as a label has room.
fn shortened(name: &str) -> String {
    if columns(name) <= NAME_WIDTH {
        return name.to_owned();
    }
    let mut used = 1;
    let fits = |c: &char| {
        used += column_width(*c);
        used <= NAME_WIDTH
    };
    let start: String = name.chars().take_while(fits).collect();
    format!("{}…", start.trim_end())
}

/// The approximate width of a text, in ASCII characters.
fn columns(text: &str) -> usize {
    text.chars().map(column_width).sum()
}

/// The width of a character; those that are escaped need as much as their escape.
fn column_width(c: char) -> usize {
    match c {
        ' '..='~' | '…' => 1,
        c => Inline(c.encode_utf8(&mut [0; 4])).to_string().len().max(2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_shortened_to_the_width_of_a_label() {
        assert_eq!(shortened("error: no rule"), "error: no rule");
        for long in ["a long name ".repeat(9), "日本".repeat(40), "\u{202e}\0".repeat(40)] {
            let short = shortened(&long);
            assert!(columns(&short) <= NAME_WIDTH && short.ends_with('…'), "{short}");
            assert!(short.chars().count() > 4);
        }
    }
}
