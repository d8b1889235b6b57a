//! Numbers, counts, percentages and times in a form for readers.

use std::time::Duration;

/// 1234567 as 1,234,567.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count and its noun: 1 byte, 2 bytes, 3 directories.
pub fn count(number: u64, noun: &str) -> String {
    let stem = noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']));
    let noun = match (number, stem) {
        (1, _) => noun.to_owned(),
        (_, Some(stem)) => format!("{stem}ies"),
        (_, None) => format!("{noun}s"),
    };
    format!("{} {noun}", grouped(number))
}

/// The share of `before` that is gone, in percent.
pub fn gone(before: u64, after: u64) -> String {
    if before == 0 {
        return "0 %".to_owned();
    }
    let percent = 100.0 * before.saturating_sub(after) as f64 / before as f64;
    // Never rounded up to 100 % if something is left.
    let shown = if after > 0 { percent.min(99.9) } else { percent };
    format!("{shown:.1} %")
}

/// A duration in a suitable unit.
pub fn time(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0 if duration.as_millis() < 10 => format!("{:.1} ms", duration.as_secs_f64() * 1000.0),
        0 => format!("{} ms", duration.as_millis()),
        1..60 => format!("{:.1} s", duration.as_secs_f64()),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", grouped(seconds / 3600), seconds % 3600 / 60),
    }
}

/// A duration from a record, which may hold any number.
pub(crate) fn seconds(seconds: f64) -> String {
    Duration::try_from_secs_f64(seconds).map_or_else(|_| "an unknown time".to_owned(), time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_nouns_agree() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(count(1, "byte"), "1 byte");
        assert_eq!(count(2000, "byte"), "2,000 bytes");
        assert_eq!(count(3, "directory"), "3 directories");
        assert_eq!((count(1, "entry"), count(2, "key")), ("1 entry".into(), "2 keys".into()));
    }

    #[test]
    fn percentages_do_not_promise_too_much() {
        assert_eq!(gone(1_000_000, 1), "99.9 %");
        assert_eq!(gone(10, 0), "100.0 %");
        assert_eq!(gone(10, 20), "0.0 %");
        assert_eq!(gone(0, 0), "0 %");
    }

    #[test]
    fn times_take_a_suitable_unit() {
        assert_eq!(time(Duration::from_micros(1_234)), "1.2 ms");
        assert_eq!(time(Duration::from_millis(999)), "999 ms");
        assert_eq!(time(Duration::from_millis(1_500)), "1.5 s");
        assert_eq!(time(Duration::from_secs(61)), "1 min 1 s");
        assert_eq!(time(Duration::from_secs(3_660)), "1 h 1 min");
        assert_eq!(seconds(-1.0), "an unknown time");
        assert_eq!(seconds(f64::INFINITY), "an unknown time");
    }
}
