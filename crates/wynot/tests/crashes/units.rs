//! Toy telemetry crate: sensors report samples, samples get calibrated,
//! and the calibrated values are folded into per-channel summaries.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Add, Mul};

/// Identifies one sensor line on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Channel {
    Voltage,
    Current,
    Temperature,
}

impl fmt::Display for Channel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let label = match self {
            Channel::Voltage => "voltage",
            Channel::Current => "current",
            Channel::Temperature => "temperature",
        };
        write!(out, "{label}")
    }
}

/// A raw reading straight from the converter.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    pub channel: Channel,
    pub tick: u64,
    pub raw: i32,
}

/// Linear correction applied to each raw reading.
pub struct Calibration {
    offset: i32,
    gain: i32,
}

impl Calibration {
    pub fn new(offset: i32, gain: i32) -> Self {
        Calibration { offset, gain }
    }

    pub fn apply(&self, raw: i32) -> i32 {
        (raw + self.offset) * self.gain
    }
}

/// A pair of counters that can be summed element by element.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    hits: u32,
    misses: u32,
}

impl Add for Tally {
    type Output = Tally;
    fn add(self, rhs: Tally) -> Tally {
        Tally { hits: self.hits + rhs.hits, misses: self.misses + rhs.misses }
    }
}

/// A number tagged with a scale factor.
pub struct Scaled<F>(F);

impl<F> Mul<Scaled<<f32 as Mul<F>>::Output>> for f32
where
    Scaled<Self::Output>:,
{
    type Output = ();
    fn mul(self, _rhs: Scaled<<f32 as Mul<F>>::Output>) {}
}

/// Running summary of one channel.
#[derive(Debug)]
pub struct Summary {
    count: usize,
    low: i32,
    high: i32,
    total: i64,
}

impl Summary {
    fn start(value: i32) -> Self {
        Summary { count: 1, low: value, high: value, total: i64::from(value) }
    }

    fn push(&mut self, value: i32) {
        self.count += 1;
        self.low = self.low.min(value);
        self.high = self.high.max(value);
        self.total += i64::from(value);
    }

    pub fn mean(&self) -> i64 {
        self.total / self.count as i64
    }
}

/// Groups samples by channel and summarises each group.
pub fn summarise(samples: &[Sample], cal: &Calibration) -> BTreeMap<Channel, Summary> {
    let mut table: BTreeMap<Channel, Summary> = BTreeMap::new();
    for sample in samples {
        let value = cal.apply(sample.raw);
        table
            .entry(sample.channel)
            .and_modify(|entry| entry.push(value))
            .or_insert_with(|| Summary::start(value));
    }
    table
}
