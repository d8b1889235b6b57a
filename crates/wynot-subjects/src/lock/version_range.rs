//! Versions and ranges of versions, as far as they tell which versions go together.

use std::cmp::Ordering;

/// The numbers of a version, such as 4, 7 and 8 in `v4.7.8-rc.1`.
pub(crate) fn numbers(version: &str) -> Vec<u64> {
    let release = version.trim_start_matches(['v', '=', ' ']);
    let release = release.split(['-', '+', ' ']).next().unwrap_or_default();
    release.split('.').map_while(|number| number.parse().ok()).collect()
}

/// Compares two versions by their numbers.
pub(crate) fn compare_versions(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (numbers(a), numbers(b));
    let length = a.len().max(b.len());
    a.resize(length, 0);
    b.resize(length, 0);
    a.cmp(&b)
}

/// Whether Cargo would take one version where the other was asked for without further signs.
pub(crate) fn is_compatible(a: &str, b: &str) -> bool {
    let (a, b) = (numbers(a), numbers(b));
    let significant = 1 + a.iter().take_while(|&&number| number == 0).count();
    let first =
        |version: &[u64]| version.iter().take(significant.min(3)).copied().collect::<Vec<_>>();
    first(&a) == first(&b)
}

/// Whether a range of npm contains a version; `None` if that is not known.
pub(crate) fn is_in_range(range: &str, version: &str) -> Option<bool> {
    if version.contains('-') {
        return None;
    }
    let version = numbers(version);
    let mut is_known = true;
    for alternative in range.split("||") {
        match alternative_contains(alternative.trim(), &version) {
            Some(true) => return Some(true),
            Some(false) => {}
            None => is_known = false,
        }
    }
    is_known.then_some(false)
}

/// Whether comparators that must all hold do so.
fn alternative_contains(text: &str, version: &[u64]) -> Option<bool> {
    if let Some((low, high)) = text.split_once(" - ") {
        let low = bounds(low.trim())?;
        let high = bounds(high.trim())?;
        return Some(*version >= *low.0 && *version < *high.1);
    }
    // A sign may stand apart from its version.
    let mut joined = text.to_owned();
    for sign in [">=", "<=", ">", "<", "~", "^", "="] {
        joined = joined.replace(&format!("{sign} "), sign);
    }
    let mut all = true;
    for comparator in joined.split_whitespace() {
        all &= comparator_contains(comparator, version)?;
    }
    Some(all)
}

fn comparator_contains(comparator: &str, version: &[u64]) -> Option<bool> {
    let sign = comparator.trim_end_matches(|c: char| !"<>=~^".contains(c));
    let (low, next) = bounds(&comparator[sign.len()..])?;
    let is_from = *version >= *low;
    Some(match sign {
        ">=" => is_from,
        ">" => *version >= *next,
        "<" => !is_from,
        "<=" => *version < *next,
        "" | "=" => is_from && *version < *next,
        "~" => is_from && *version < *tilde_end(&comparator[sign.len()..])?,
        "^" => is_from && *version < *caret_end(&comparator[sign.len()..])?,
        _ => return None,
    })
}

/// The given numbers of a version; those that are missing or `x` are left out. `None` if it is something else.
fn given(text: &str) -> Option<Vec<u64>> {
    let text = text.trim_start_matches('v');
    if text.contains('-') {
        return None;
    }
    let parts = text.split('+').next()?.split('.').filter(|part| !part.is_empty());
    let mut found = Vec::new();
    for part in parts {
        match part {
            "x" | "X" | "*" => break,
            number => found.push(number.parse().ok()?),
        }
    }
    Some(found)
}

/// The first version that a text stands for, and the first one after those.
fn bounds(text: &str) -> Option<(Vec<u64>, Vec<u64>)> {
    let given = given(text)?;
    Some((filled(&given), raised(&given, given.len())))
}

fn tilde_end(text: &str) -> Option<Vec<u64>> {
    let given = given(text)?;
    Some(raised(&given, given.len().min(2)))
}

fn caret_end(text: &str) -> Option<Vec<u64>> {
    let given = given(text)?;
    let zeros = given.iter().take_while(|&&number| number == 0).count();
    Some(raised(&given, (zeros + 1).min(given.len())))
}

fn filled(given: &[u64]) -> Vec<u64> {
    let mut numbers = given.to_vec();
    numbers.resize(3, 0);
    numbers
}

/// The first version whose first numbers are greater than the given ones.
fn raised(given: &[u64], length: usize) -> Vec<u64> {
    match length {
        0 => vec![u64::MAX],
        length => {
            let mut numbers = given[..length].to_vec();
            numbers[length - 1] += 1;
            filled(&numbers)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_npm_contain_versions() {
        for (range, version, expected) in [
            ("^4.17.0", "4.18.2", Some(true)),
            ("^4.17.0", "5.0.0", Some(false)),
            ("^0.2.3", "0.3.0", Some(false)),
            ("^0.0.3", "0.0.4", Some(false)),
            ("~1.2.3", "1.2.9", Some(true)),
            ("~1.2", "1.3.0", Some(false)),
            ("1.x", "1.9.0", Some(true)),
            ("*", "7.0.0", Some(true)),
            ("", "7.0.0", Some(true)),
            ("3.1.0", "3.1.2", Some(false)),
            ("^16.8.0 || ^17.0.0", "17.0.2", Some(true)),
            (">= 0.6 < 2", "1.0.0", Some(true)),
            (">1.2", "1.2.5", Some(false)),
            ("1.2 - 2.0", "2.0.7", Some(true)),
            ("npm:other@^1", "1.0.0", None),
            ("github:a/b", "1.0.0", None),
            ("^1.0.0", "1.1.0-rc.1", None),
        ] {
            assert_eq!(is_in_range(range, version), expected, "{range} {version}");
        }
    }

    #[test]
    fn versions_are_compatible_up_to_their_first_significant_number() {
        assert!(is_compatible("1.0.190", "1.2.0"));
        assert!(!is_compatible("0.5.1", "0.7.7"));
        assert!(is_compatible("0.1.12", "0.1.13"));
        assert!(!is_compatible("0.0.1", "0.0.2"));
        assert_eq!(compare_versions("1.10", "1.9.3"), Ordering::Greater);
    }
}
