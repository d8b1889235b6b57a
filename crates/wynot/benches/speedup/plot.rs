//! A plot of speed-ups by the number of workers, as SVG.

use std::fmt::Write;

/// The speed-ups of one case.
pub struct Series {
    pub name: String,
    /// Whether all tests took the same time.
    pub equal: bool,
    pub speedups: Vec<f64>,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 190.0;
const TOP: f64 = 20.0;
const BOTTOM: f64 = 50.0;
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#000000", "#cc79a7", "#e69f00"];

/// The plot. Both axes are logarithmic; lines are solid for equal durations and dashed for recorded ones.
pub fn svg(workers: &[usize], series: &[Series]) -> String {
    let most = series.iter().flat_map(|series| &series.speedups).copied().fold(2.0, f64::max);
    let last = workers.last().copied().unwrap_or(2) as f64;
    let x = |workers: f64| LEFT + (WIDTH - LEFT - RIGHT) * workers.log2() / last.log2();
    let y = |speedup: f64| {
        HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * speedup.log2() / most.log2().ceil()
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
    for &count in workers {
        let at = x(count as f64);
        let _ = writeln!(
            svg,
            "<path d=\"M{at:.1} {TOP}V{bottom}\" stroke=\"#ddd\"/>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{count}</text>",
            bottom + 18.0
        );
    }
    for power in 0..=most.log2().ceil() as i32 {
        let speedup = 2f64.powi(power);
        let at = y(speedup);
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {at:.1}H{right}\" stroke=\"#ddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{speedup}</text>",
            LEFT - 8.0,
            at + 4.0
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">workers</text>\
         <text transform=\"translate(16 {:.1}) rotate(-90)\" text-anchor=\"middle\">speed-up</text>",
        (LEFT + right) / 2.0,
        HEIGHT - 10.0,
        (TOP + bottom) / 2.0
    );
    let names = series.len() / 2;
    for (index, Series { name, equal, speedups }) in series.iter().enumerate() {
        let colour = COLOURS[index % names.max(1) % COLOURS.len()];
        let dash = if *equal { "" } else { " stroke-dasharray=\"5 4\"" };
        let points: Vec<String> = workers
            .iter()
            .zip(speedups)
            .map(|(&count, &speedup)| format!("{:.1},{:.1}", x(count as f64), y(speedup)))
            .collect();
        let durations = if *equal { "equal" } else { "recorded" };
        let line = TOP + 16.0 * index as f64 + 8.0;
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\"{dash}/>\
             <path d=\"M{:.1} {line}h24\" stroke=\"{colour}\" stroke-width=\"1.8\"{dash}/>\
             <text x=\"{:.1}\" y=\"{:.1}\">{name}, {durations}</text>",
            points.join(" "),
            right + 16.0,
            right + 46.0,
            line + 4.0
        );
    }
    svg.push_str("</svg>\n");
    svg
}
