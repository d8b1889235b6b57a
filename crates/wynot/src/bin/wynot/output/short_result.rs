//! Results that are short enough to be printed.

/// The size up to which a result is printed, in bytes.
pub(super) const MAX_BYTES_PRINTED: usize = 2_000;

/// The number of lines up to which a result is printed.
const MAX_LINES_PRINTED: usize = 30;

/// The line above and below a printed result.
const RULE: &str = "────────────────────────────────────────";

/// Prints a result that is short and has no control characters.
pub(super) fn print_short(result: &[u8]) {
    let text = String::from_utf8_lossy(result);
    let is_short = result.len() <= MAX_BYTES_PRINTED && text.lines().count() <= MAX_LINES_PRINTED;
    if is_short && text.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t' | '\r')) {
        print_line!("{RULE}");
        print_line!("{}", text.trim_end_matches('\n'));
        print_line!("{RULE}");
    }
}
