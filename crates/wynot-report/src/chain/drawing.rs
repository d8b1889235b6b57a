//! The drawings of a chain, as SVG: the places in time, and the path to each variable.

use crate::chain::cause_words::label;
use crate::page::chart_width::ChartWidth;
use crate::text::escape::Inline;
use crate::text::shortened::{around_difference, beginning, ending, in_columns};
use std::fmt;
use wynot_session::{ChainCause, ChainRecord};

/// The number of colours that steps take in turn.
pub(crate) const STEP_COLOURS: usize = 4;

/// The places at which the runs were compared, in the order of execution.
pub(crate) struct Timeline<'a>(pub &'a ChainRecord, pub ChartWidth);

/// The approximate width of a character of a place's name.
const CHARACTER_WIDTH: usize = 8;

impl fmt::Display for Timeline<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places = &self.0.places;
        let width = self.1.units() as usize;
        let (left, right, middle) = (12, width - 12, 40);
        // The names of the first and of the last place lie beside each other.
        let max_place_chars = (right - left) / 2 / CHARACTER_WIDTH;
        let at =
            |index: usize| left + (right - left) * index / places.len().saturating_sub(1).max(1);
        writeln!(
            f,
            "<svg viewBox=\"0 0 {width} 76\" role=\"img\" aria-label=\"places in order\">"
        )?;
        writeln!(f, "<path class=\"grid\" d=\"M{left} {middle}H{right}\"/>")?;
        let (numbers, mut last) = (self.0.numbers(), None);
        for (index, place) in places.iter().enumerate() {
            let x = at(index);
            let number = place.step.and_then(|step| numbers.get(step));
            let class = match number {
                Some(number) => format!("dot c{}", (number - 1) % STEP_COLOURS),
                None => "dot none".to_owned(),
            };
            writeln!(
                f,
                "<circle class=\"{class}\" cx=\"{x}\" cy=\"{middle}\" r=\"6\"><title>{}</title></circle>",
                Inline(&place.name)
            )?;
            if let Some(number) = number
                && last != Some(number)
            {
                writeln!(f, "<text class=\"middle\" x=\"{x}\" y=\"24\">{number}</text>")?;
                last = Some(number);
            }
        }
        let (first, end) = (places.first(), places.last());
        if let (Some(first), Some(end)) = (first, end) {
            writeln!(
                f,
                "<text x=\"{left}\" y=\"68\">{}</text>",
                Inline(&ending(&first.name, max_place_chars))
            )?;
            writeln!(
                f,
                "<text class=\"end\" x=\"{right}\" y=\"68\">{}</text>",
                Inline(&ending(&end.name, max_place_chars))
            )?;
        }
        writeln!(f, "</svg>")
    }
}

/// The objects through which a variable is reached, and its values in both runs.
pub(crate) struct AccessPath<'a>(pub &'a ChainCause, pub ChartWidth);

/// The width and the height of a box.
const BOX: (usize, usize) = (160, 44);

/// The distance from one box to the next, beside each other.
const BOX_DISTANCE: usize = 192;

/// The distance from one box to the next, below each other.
const ROW_HEIGHT: usize = 64;

/// The number of objects that are drawn; of longer paths, the middle is left out.
const MAX_BOXES: usize = 3;

/// The largest width of the boxes with the two values, if there is place.
const MAX_VALUE_WIDTH: usize = 360;

/// The width of a column of the font in boxes, and of both margins.
const COLUMN_WIDTH: f64 = 7.25;
const BOX_MARGINS: usize = 20;

impl AccessPath<'_> {
    /// The objects that are drawn.
    fn boxes(&self) -> Vec<(String, String)> {
        let mut boxes: Vec<(String, String)> = self.0.access_path.clone();
        if boxes.len() > MAX_BOXES {
            let last = boxes.split_off(boxes.len() - (MAX_BOXES - 1));
            boxes.truncate(1);
            boxes.extend(last);
        }
        boxes
    }

    /// Draws the boxes from left to right.
    fn draw_row(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let boxes = self.boxes();
        let width = self.1.units().max((boxes.len() * BOX_DISTANCE + BOX.0 + 12) as f64);
        writeln!(
            f,
            "<svg viewBox=\"0 0 {width} 130\" role=\"img\" aria-label=\"the way to what differs\">"
        )?;
        for (index, (name, value)) in boxes.iter().enumerate() {
            let x = 2 + index * BOX_DISTANCE;
            Object::common(name, value).draw(f, (x, 43), "common", BOX.0)?;
            if index + 1 < boxes.len() {
                draw_arrow(f, (x + BOX.0, 65), (x + BOX_DISTANCE, 65), "grid")?;
            }
        }
        let (from, x) = (
            2 + boxes.len().saturating_sub(1) * BOX_DISTANCE + BOX.0,
            2 + boxes.len() * BOX_DISTANCE,
        );
        if !boxes.is_empty() {
            draw_arrow(f, (from, 58), (x, 28), "line fail")?;
            draw_arrow(f, (from, 72), (x, 102), "line pass")?;
        }
        let value_width = (width as usize).saturating_sub(x + 2).clamp(BOX.0, MAX_VALUE_WIDTH);
        let [failing, passing] = Object::both(self.0);
        failing.draw(f, (x, 6), "fail", value_width)?;
        passing.draw(f, (x, 80), "pass", value_width)?;
        writeln!(f, "</svg>")
    }

    /// Draws the boxes from top to bottom.
    fn draw_column(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (boxes, width) = (self.boxes(), self.1.units() as usize);
        let last = boxes.len() * ROW_HEIGHT;
        let height = last + BOX.1 + 8;
        writeln!(
            f,
            "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" \
             aria-label=\"the way to what differs\">"
        )?;
        let left = (width - BOX.0) / 2;
        let bottom = |index: usize| 4 + index * ROW_HEIGHT + BOX.1;
        for (index, (name, value)) in boxes.iter().enumerate() {
            let place = (left, 4 + index * ROW_HEIGHT);
            Object::common(name, value).draw(f, place, "common", BOX.0)?;
            if index + 1 < boxes.len() {
                let (x, y) = (width / 2, bottom(index));
                writeln!(f, "<path class=\"grid\" d=\"M{x} {y}V{}\"/>", y + ROW_HEIGHT - BOX.1)?;
            }
        }
        let [failing, passing] = Object::both(self.0);
        for (class, x, object) in [("fail", 2, failing), ("pass", width - BOX.0 - 2, passing)] {
            if let Some(above) = boxes.len().checked_sub(1) {
                let (from, to) = (width / 2, x + BOX.0 / 2);
                let (y, end) = (bottom(above), 4 + last);
                writeln!(f, "<path class=\"line {class}\" d=\"M{from} {y}L{to} {end}\"/>")?;
            }
            object.draw(f, (x, 4 + last), class, BOX.0)?;
        }
        writeln!(f, "</svg>")
    }
}

impl fmt::Display for AccessPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            ChartWidth::Broad => self.draw_row(f),
            ChartWidth::Narrow => self.draw_column(f),
        }
    }
}

/// An object in a box: its name and its value.
struct Object<'a> {
    name: String,
    value: &'a str,
    /// The value of the other run, from which it differs; what differs stays visible.
    other: Option<&'a str>,
}

impl<'a> Object<'a> {
    fn common(name: &str, value: &'a str) -> Self {
        Self { name: name.to_owned(), value, other: None }
    }

    /// What differs, in the failing and in the passing run.
    fn both(cause: &'a ChainCause) -> [Self; 2] {
        let ChainCause { passing, failing, .. } = cause;
        [(failing, passing), (passing, failing)].map(|(value, other)| Self {
            name: label(cause),
            value,
            other: Some(other),
        })
    }

    /// Draws the box.
    fn draw(
        &self,
        f: &mut fmt::Formatter<'_>,
        (x, y): (usize, usize),
        class: &str,
        width: usize,
    ) -> fmt::Result {
        let columns = ((width - BOX_MARGINS) as f64 / COLUMN_WIDTH) as usize;
        let (name, name_columns) = in_columns(&self.name, columns);
        let (value, value_columns) = in_columns(self.value, columns);
        let value = match self.other.map(|other| in_columns(other, columns).0) {
            Some(other) => around_difference(&value, &other, value_columns),
            None => beginning(&value, value_columns),
        };
        writeln!(
            f,
            "<g class=\"box {class}\"><title>{}</title>\
             <rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{}\" rx=\"6\"/>\
             <text x=\"{}\" y=\"{}\">{}</text><text class=\"value\" x=\"{}\" y=\"{}\">{}</text></g>",
            Inline(&format!("{}: {}", self.name, self.value)),
            BOX.1,
            x + BOX_MARGINS / 2,
            y + 18,
            Inline(&ending(&name, name_columns)),
            x + BOX_MARGINS / 2,
            y + 35,
            Inline(&value),
        )
    }
}

/// Draws an arrow from one point to another.
fn draw_arrow(
    f: &mut fmt::Formatter<'_>,
    (x1, y1): (usize, usize),
    (x2, y2): (usize, usize),
    class: &str,
) -> fmt::Result {
    writeln!(f, "<path class=\"{class}\" d=\"M{x1} {y1}L{x2} {y2}\"/>")?;
    writeln!(
        f,
        "<path class=\"{class}\" d=\"M{} {}L{x2} {y2}L{} {}\"/>",
        x2 - 8,
        y2 - 5,
        x2 - 8,
        y2 + 5
    )
}
