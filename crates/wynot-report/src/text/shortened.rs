//! Texts that are too long for their place, cut where that hurts least.

use crate::text::escape::escape;

/// The beginning of a text that is too long, before an ellipsis.
pub(crate) fn beginning(text: &str, max_chars: usize) -> String {
    let chars: Vec<char> = text.chars().collect();
    window(&chars, 0, max_chars)
}

/// The end of a text that is too long, after an ellipsis.
pub(crate) fn ending(text: &str, max_chars: usize) -> String {
    let chars: Vec<char> = text.chars().collect();
    window(&chars, chars.len(), max_chars)
}

/// The part of a text that is too long around its first difference from another one.
pub(crate) fn around_difference(text: &str, other: &str, max_chars: usize) -> String {
    let chars: Vec<char> = text.chars().collect();
    let common = text.chars().zip(other.chars()).take_while(|(one, two)| one == two).count();
    match text == other {
        true => window(&chars, 0, max_chars),
        false => window(&chars, common.saturating_sub(max_chars / 3), max_chars),
    }
}

/// At most so many characters from a place on, or from before it if less follow; ellipses stand for the rest.
fn window(chars: &[char], from: usize, max_chars: usize) -> String {
    if chars.len() <= max_chars {
        return chars.iter().collect();
    }
    let start = from.min(chars.len() - max_chars);
    let end = start + max_chars;
    let is_cut = [(start > 0, start), (end < chars.len(), end.saturating_sub(1))];
    let shown = (start..end).zip(&chars[start..end]).map(|(at, c)| {
        let is_ellipsis = is_cut.iter().any(|(cut, place)| *cut && *place == at);
        if is_ellipsis { '…' } else { *c }
    });
    shown.collect()
}

/// A text for a place that has so many columns of a monospaced font: invisible characters as their escapes, and half as
/// many columns if some characters may need two.
pub(crate) fn in_columns(text: &str, columns: usize) -> (String, usize) {
    let visible: String =
        text.chars().map(|c| escape(c).unwrap_or_else(|| c.to_string())).collect();
    let is_wide = visible.chars().any(|c| matches!(u32::from(c), 0x1100..=0x11ff | 0x2e80..));
    (visible, if is_wide { columns / 2 } else { columns })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_of_two_long_texts_stays_visible() {
        let text = |name: &str| format!("{}{name}{}", "x".repeat(50), "y".repeat(50));
        let (one, other) = (text("bob"), text("dob"));
        let shown = around_difference(&one, &other, 19);
        assert_eq!(shown, "…xxxxxbobyyyyyyyyy…");
        assert_eq!(around_difference(&other, &one, 19), "…xxxxxdobyyyyyyyyy…");
        let (short, long) = ("x".repeat(30), "x".repeat(29) + "z");
        assert_eq!(around_difference(&long, &short, 10), "…xxxxxxxxz");
        assert_eq!(around_difference("a", "b", 10), "a");
        for (length, place) in (0..40).flat_map(|length| (0..40).map(move |at| (length, at))) {
            let one: String = (0..length).map(|at| if at == place { '1' } else { 'x' }).collect();
            let shown = around_difference(&one, &"x".repeat(length), 12);
            assert!(place >= length || shown.contains('1'), "{length} {place} {shown}");
            assert!(shown.chars().count() <= 12);
        }
    }

    #[test]
    fn long_texts_keep_their_beginning_or_their_end() {
        assert_eq!((beginning("abcdef", 4), ending("abcdef", 4)), ("abc…".into(), "…def".into()));
        assert_eq!(beginning("abcd", 4), "abcd");
        assert_eq!(in_columns("a\n日", 20), ("a\\n日".to_owned(), 10));
    }
}
