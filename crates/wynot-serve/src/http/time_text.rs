//! Times as texts.

/// A time in milliseconds since 1970, as RFC 3339 writes it, in UTC.
pub fn rfc3339(milliseconds: i64) -> String {
    let seconds = milliseconds.div_euclid(1000);
    let (days, of_day) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = date(days);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// The date of a number of days since 1970, in years that begin in March, so that leap days come last.
fn date(days: i64) -> (i64, i64, i64) {
    let since_0 = days + 719_468;
    let (era, of_era) = (since_0.div_euclid(146_097), since_0.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// How long ago a time was, in a few words.
pub fn ago(milliseconds: i64, now: i64) -> String {
    let seconds = ((now - milliseconds) / 1000).max(0);
    let count = |number: i64, unit: &str| match number {
        1 => format!("1 {unit} ago"),
        _ => format!("{number} {unit}s ago"),
    };
    match seconds {
        0..5 => "just now".to_owned(),
        5..60 => count(seconds, "second"),
        60..3600 => count(seconds / 60, "minute"),
        3600..172_800 => count(seconds / 3600, "hour"),
        _ => count(seconds / 86_400, "day"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00Z");
        assert_eq!(rfc3339(951_782_400_000), "2000-02-29T00:00:00Z");
        assert_eq!(rfc3339(1_795_046_399_999), "2026-11-18T23:59:59Z");
        assert_eq!(rfc3339(-1), "1969-12-31T23:59:59Z");
    }

    #[test]
    fn recent_times_are_said_in_words() {
        assert_eq!(ago(1000, 2000), "just now");
        assert_eq!(ago(0, 60_000), "1 minute ago");
        assert_eq!(ago(0, 7_200_000), "2 hours ago");
        assert_eq!(ago(0, 400_000_000), "4 days ago");
    }
}
