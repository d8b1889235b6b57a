//! What is shown of a search, and how.

use std::path::PathBuf;

/// The output that the user asked for.
#[derive(Clone, Debug, Default)]
pub struct DisplayOptions {
    /// Whether the result is printed as one JSON object.
    pub json: bool,
    /// The file for events.
    pub events: Option<PathBuf>,
    /// The file for the HTML report.
    pub report: Option<PathBuf>,
    /// Whether a line is printed for each test.
    pub trace: bool,
    /// Whether nothing but errors and the result is printed.
    pub quiet: bool,
    /// Whether more is printed.
    pub verbose: bool,
}
