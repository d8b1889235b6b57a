//! Durations in arguments.

use std::time::Duration;

/// The shortest duration that is accepted.
const MIN_DURATION: Duration = Duration::from_millis(1);

/// The longest duration that is accepted: a year.
const MAX_DURATION: Duration = Duration::from_secs(365 * 24 * 3600);

/// Parses a number of seconds, or a number followed by ms, s, m, min, h or d.
pub fn duration(text: &str) -> Result<Duration, String> {
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        _ => return Err(format!("'{unit}' is no unit of time: use ms, s, m, h or d")),
    };
    let number: f64 =
        number.parse().map_err(|_| "use a time such as 500ms, 10s or 2m".to_owned())?;
    match Duration::try_from_secs_f64(number * factor) {
        Ok(duration) if (MIN_DURATION..=MAX_DURATION).contains(&duration) => Ok(duration),
        _ => Err("use a time from 1ms to 8760h".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1.5"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(duration("90d"), Ok(Duration::from_secs(90 * 86_400)));
        for bad in ["", "s", "5w", "0", "0.1ms", "9999999h", "1e9999999999s"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }
}
