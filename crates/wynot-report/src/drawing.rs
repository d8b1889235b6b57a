//! Drawings of chains.

use crate::chain::{ChainCause, ChainStory};
use crate::escape::Line;
use std::fmt;

/// How many colours steps take turns in.
pub(crate) const COLOURS: usize = 4;

/// The places that were looked at, one after the other.
pub(crate) struct Timeline<'a>(pub &'a ChainStory);

const WIDTH: usize = 960;

impl fmt::Display for Timeline<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places = &self.0.places;
        let (left, right, middle) = (20, WIDTH - 20, 40);
        let at =
            |index: usize| left + (right - left) * index / places.len().saturating_sub(1).max(1);
        writeln!(
            f,
            "<svg viewBox=\"0 0 {WIDTH} 76\" role=\"img\" aria-label=\"places in order\">"
        )?;
        writeln!(f, "<path class=\"grid\" d=\"M{left} {middle}H{right}\"/>")?;
        let mut last = None;
        for (index, place) in places.iter().enumerate() {
            let x = at(index);
            let class = match place.step {
                Some(step) => format!("dot c{}", step % COLOURS),
                None => "dot none".to_owned(),
            };
            writeln!(
                f,
                "<circle class=\"{class}\" cx=\"{x}\" cy=\"{middle}\" r=\"6\"><title>{}</title></circle>",
                Line(&place.name)
            )?;
            if let Some(step) = place.step
                && last != Some(step)
            {
                writeln!(f, "<text class=\"middle\" x=\"{x}\" y=\"24\">{}</text>", step + 1)?;
                last = Some(step);
            }
        }
        let (first, end) = (places.first(), places.last());
        if let (Some(first), Some(end)) = (first, end) {
            writeln!(
                f,
                "<text x=\"{left}\" y=\"68\">{}</text>",
                Line(&shortened(&first.name, 50))
            )?;
            writeln!(
                f,
                "<text class=\"end\" x=\"{right}\" y=\"68\">{}</text>",
                Line(&shortened(&end.name, 50))
            )?;
        }
        writeln!(f, "</svg>")
    }
}

/// From a variable through objects to what differs.
pub(crate) struct Way<'a>(pub &'a ChainCause);

/// The size of a box, and how far it is to the next one.
const BOX: (usize, usize) = (190, 44);
const STEP: usize = 230;

/// How many boxes are drawn; of longer ways the middle is left out.
const MOST: usize = 3;

impl fmt::Display for Way<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ChainCause { variable, passing, failing, way } = self.0;
        let mut boxes: Vec<(String, String)> = way.clone();
        if boxes.len() > MOST {
            let last = boxes.split_off(boxes.len() - (MOST - 1));
            boxes.truncate(1);
            boxes.extend(last);
        }
        let width = boxes.len() * STEP + BOX.0 + 20;
        writeln!(
            f,
            "<svg class=\"way\" viewBox=\"0 0 {} 130\" style=\"max-width:{}px\" role=\"img\" \
             aria-label=\"the way to what differs\">",
            width.max(WIDTH / 2),
            width.max(WIDTH / 2)
        )?;
        for (index, (name, holds)) in boxes.iter().enumerate() {
            let x = 10 + index * STEP;
            draw(f, x, 43, "common", name, holds)?;
            if index + 1 < boxes.len() {
                arrow(f, (x + BOX.0, 65), (x + STEP, 65), "grid")?;
            }
        }
        let (from, x) =
            (10 + boxes.len().saturating_sub(1) * STEP + BOX.0, 10 + boxes.len() * STEP);
        arrow(f, (from, 58), (x, 28), "line fail")?;
        arrow(f, (from, 72), (x, 102), "line pass")?;
        draw(f, x, 6, "fail", variable, failing)?;
        draw(f, x, 80, "pass", variable, passing)?;
        writeln!(f, "</svg>")
    }
}

fn draw(
    f: &mut fmt::Formatter<'_>,
    x: usize,
    y: usize,
    class: &str,
    name: &str,
    holds: &str,
) -> fmt::Result {
    let (width, height) = BOX;
    writeln!(
        f,
        "<g class=\"box {class}\"><title>{}</title>\
         <rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"6\"/>\
         <text x=\"{}\" y=\"{}\">{}</text><text class=\"value\" x=\"{}\" y=\"{}\">{}</text></g>",
        Line(&format!("{name}: {holds}")),
        x + 10,
        y + 18,
        Line(&shortened(name, 26)),
        x + 10,
        y + 35,
        Line(&shortened(holds, 26)),
    )
}

fn arrow(
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

/// Names of which only the end matters lose their begin.
fn shortened(text: &str, longest: usize) -> String {
    let count = text.chars().count();
    match count > longest {
        true => format!("…{}", text.chars().skip(count - longest + 1).collect::<String>()),
        false => text.to_owned(),
    }
}
