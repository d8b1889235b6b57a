//! The two widths in which charts are drawn: for a page on a desk, and for one on a phone. The style sheet shows one of
//! them, so that letters are readable on both.

use std::fmt;

/// The width of a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChartWidth {
    /// For windows of the usual width.
    Broad,
    /// For phones.
    Narrow,
}

impl ChartWidth {
    /// The width in units of the SVG.
    pub(crate) fn units(self) -> f64 {
        match self {
            Self::Broad => 760.0,
            Self::Narrow => 340.0,
        }
    }

    fn class(self) -> &'static str {
        match self {
            Self::Broad => "broad",
            Self::Narrow => "narrow",
        }
    }
}

/// A chart in both widths.
pub(crate) struct InBothWidths<C>(pub C);

impl<D: fmt::Display, C: Fn(ChartWidth) -> D> fmt::Display for InBothWidths<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for width in [ChartWidth::Broad, ChartWidth::Narrow] {
            writeln!(f, "<div class=\"{}\">\n{}</div>", width.class(), self.0(width))?;
        }
        Ok(())
    }
}
