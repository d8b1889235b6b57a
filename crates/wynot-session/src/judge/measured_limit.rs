//! Limits of what a test uses, as conditions: its time and its memory.
//!
//! Measurements vary a little from run to run, and time grows beside other programs. So there is a margin above each
//! limit within which a measurement says nothing. Load only adds to the time: what is below the limit under load is below
//! it, what is far above the limit is above it, and what is between is measured again without other tests.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;
use wynot_supervisor::{Observation, size};

/// Whether a condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    /// It holds.
    Holds,
    /// It does not hold.
    Fails,
    /// A measurement is so near to its limit that it says nothing.
    Open,
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Self::Holds } else { Self::Fails }
    }
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    /// The time that the test has used after its build: that of all processors, and that in which all its processes waited.
    Seconds,
    /// The peak of the resident memory of its largest process.
    Memory,
}

/// A limit of a measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MeasuredLimit {
    pub measure: Measure,
    /// Whether the condition holds above the limit, instead of below it.
    pub is_above: bool,
    /// The limit in microseconds or bytes; `None` if it follows from the first runs.
    pub limit: Option<u64>,
}

/// The factor by which the programs beside a test may increase its time.
const MAX_CONTENTION: f64 = 2.0;

/// How much more the original must use than the passing side, for a limit between them.
const MIN_RATIO: f64 = 4.0;

impl Measure {
    /// The measurement of a run, in microseconds or bytes.
    pub(super) fn of(self, observation: &Observation) -> u64 {
        match self {
            Self::Seconds => observation.time_after_build().as_micros() as u64,
            Self::Memory => observation.memory,
        }
    }

    /// The factor above the limit within which a measurement says nothing.
    fn margin(self) -> f64 {
        match self {
            Self::Seconds => 1.25,
            Self::Memory => 1.02,
        }
    }

    /// What a run that does nothing may be measured with. The clock of the system counts in hundredths of a second.
    fn least(self) -> u64 {
        match self {
            Self::Seconds => 50_000,
            Self::Memory => 16 << 20,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Seconds => "seconds",
            Self::Memory => "memory",
        }
    }

    /// A measurement in words.
    pub(super) fn in_words(self, value: u64) -> String {
        match self {
            Self::Seconds => format!("{:.2} s", Duration::from_micros(value).as_secs_f64()),
            Self::Memory => format!("{} MB", value >> 20),
        }
    }
}

impl MeasuredLimit {
    /// Whether the condition holds for a run; it is open within the margin above the limit.
    pub(super) fn truth(&self, observation: &Observation) -> Truth {
        let Some(limit) = self.limit else { return Truth::Open };
        let value = self.measure.of(observation);
        if value as f64 >= limit as f64 * self.measure.margin() {
            Truth::from(self.is_above)
        } else if value <= limit {
            Truth::from(!self.is_above)
        } else {
            Truth::Open
        }
    }

    /// Whether another run of the same test might lead to another answer.
    pub(super) fn depends_on_load(&self, observation: &Observation) -> bool {
        let (Measure::Seconds, Some(limit)) = (self.measure, self.limit) else { return false };
        let value = self.measure.of(observation);
        let certain = limit as f64 * self.measure.margin() * MAX_CONTENTION;
        value > limit && (value as f64) < certain
    }

    /// The limit between two runs; `None` if the original does not use much more than the passing side (or less, if that is
    /// the failure).
    pub(super) fn between(self, original: &Observation, passing: &Observation) -> Option<u64> {
        let [original, passing] =
            [original, passing].map(|run| self.measure.of(run).max(self.measure.least()) as f64);
        (original >= passing * MIN_RATIO).then(|| (original * passing).sqrt() as u64)
    }
}

impl FromStr for MeasuredLimit {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let measures = [Measure::Seconds, Measure::Memory];
        let named = |measure: &&Measure| text.starts_with(measure.name());
        let measure = *measures.iter().find(named).ok_or(())?;
        let rest = &text[measure.name().len()..];
        if rest.is_empty() {
            return Ok(Self { measure, is_above: true, limit: None });
        }
        let is_above = rest.starts_with('>');
        let value = rest.strip_prefix(['>', '<']).ok_or(())?.trim();
        let limit = match measure {
            Measure::Seconds => seconds(value),
            Measure::Memory => size(value).ok(),
        };
        Ok(Self { measure, is_above, limit: Some(limit.filter(|limit| *limit > 0).ok_or(())?) })
    }
}

/// Microseconds, from a number of seconds with or without a unit.
fn seconds(text: &str) -> Option<u64> {
    let (number, factor) = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(number), _) => (number, 1e3),
        (None, Some(number)) => (number, 1e6),
        (None, None) => (text, 1e6),
    };
    let number = number.parse::<f64>().ok().filter(|number| (0.0..1e9).contains(number))?;
    Some((number * factor) as u64)
}

impl fmt::Display for MeasuredLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.is_above { '>' } else { '<' };
        match (self.measure, self.limit) {
            (measure, None) => f.write_str(measure.name()),
            (Measure::Seconds, Some(limit)) => {
                write!(f, "seconds{sign}{}", Duration::from_micros(limit).as_secs_f64())
            }
            (Measure::Memory, Some(limit)) if limit % (1 << 20) == 0 => {
                write!(f, "memory{sign}{}M", limit >> 20)
            }
            (Measure::Memory, Some(limit)) => write!(f, "memory{sign}{limit}"),
        }
    }
}
