//! The HTML document around every page: its head with the style sheet, its sections and its end.

use crate::text::escape::Inline;
use std::fmt;

/// Writes everything before the content of a page.
pub(crate) fn write_start(f: &mut fmt::Formatter<'_>, title: &str) -> fmt::Result {
    // The policy is a second defence after the escaping: markup that gets through does nothing.
    writeln!(
        f,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{} · wynot</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>",
        Inline(title),
        include_str!("style.css"),
    )
}

/// Writes everything after the content of a page.
pub(crate) fn write_end(f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let version = env!("CARGO_PKG_VERSION");
    writeln!(f, "<footer>wynot {version}</footer>\n</main>\n</body>\n</html>")
}

/// Writes a section with its title.
pub(crate) fn write_section(
    f: &mut fmt::Formatter<'_>,
    title: &str,
    body: &dyn fmt::Display,
) -> fmt::Result {
    writeln!(f, "<section>\n<h2>{title}</h2>\n{body}</section>")
}
