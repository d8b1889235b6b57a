//! An axis: from numbers to positions on it, and the numbers to write beside it.

/// The largest ratio of values that a linear axis shows.
const MAX_LINEAR_RATIO: u64 = 50;

/// The approximate largest number of ticks.
const MAX_TICKS: u64 = 6;

/// Maps the numbers `low..=high` to 0..=1.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Axis {
    low: u64,
    high: u64,
    logarithmic: bool,
}

impl Axis {
    /// A linear axis from 0.
    pub(crate) fn linear(high: u64) -> Self {
        Self { low: 0, high: high.max(1), logarithmic: false }
    }

    /// A linear axis that need not begin at 0.
    pub(crate) fn between(low: u64, high: u64) -> Self {
        Self { low, high: high.max(low), logarithmic: false }
    }

    /// An axis for all the values: linear, unless the small ones would be too close to 0.
    pub(crate) fn fitting(values: impl Iterator<Item = u64> + Clone) -> Self {
        let high = values.clone().max().unwrap_or(0);
        let low = values.clone().filter(|&value| value > 0).min().unwrap_or(high);
        if low.saturating_mul(MAX_LINEAR_RATIO) >= high {
            return Self::linear(high);
        }
        // A full decade at the bottom; zero, if it is a value, has a position below one.
        let has_zero = values.clone().any(|value| value == 0);
        let low = if has_zero { 0 } else { 10_u64.pow(low.ilog10()) };
        Self { low, high, logarithmic: true }
    }

    pub(crate) fn is_logarithmic(&self) -> bool {
        self.logarithmic
    }

    /// The position of a value; values outside of the axis are at its ends.
    pub(crate) fn position(&self, value: u64) -> f64 {
        if self.low == self.high {
            return 0.5;
        }
        if !self.logarithmic {
            let above = value.clamp(self.low, self.high) - self.low;
            return above as f64 / (self.high - self.low) as f64;
        }
        // Zero has no logarithm; on an axis with zero, each value is taken plus one.
        let stretch = |value: u64| match self.low {
            0 => (value as f64).ln_1p(),
            low => (value.max(low) as f64).ln(),
        };
        let (low, high) = (stretch(self.low), stretch(self.high));
        ((stretch(value) - low) / (high - low)).clamp(0.0, 1.0)
    }

    /// The values to write beside the axis, in ascending order.
    pub(crate) fn ticks(&self) -> Vec<u64> {
        if !self.logarithmic {
            let step = self.step();
            let next = |tick: &u64| tick.checked_add(step).filter(|&tick| tick <= self.high);
            let first = self.low.div_ceil(step).checked_mul(step).filter(|&tick| tick <= self.high);
            return std::iter::successors(first, next).collect();
        }
        let decades = std::iter::successors(Some(1_u64), |decade| decade.checked_mul(10));
        let within = |tick: &u64| (self.low..=self.high).contains(tick);
        let mut ticks: Vec<u64> = decades.filter(within).collect();
        if ticks.len() <= 2 {
            let between = |decade: u64| [1, 2, 5].map(|factor| decade.saturating_mul(factor));
            ticks = ticks.into_iter().flat_map(between).filter(within).collect();
        } else if ticks.len() as u64 > MAX_TICKS {
            ticks = ticks.into_iter().step_by(2).collect();
        }
        if self.low == 0 {
            ticks.insert(0, 0);
        }
        ticks
    }

    /// The distance between ticks: 1, 2 or 5 times a power of ten.
    fn step(&self) -> u64 {
        let mut decade = 1_u64;
        loop {
            for factor in [1, 2, 5] {
                let step = decade.saturating_mul(factor);
                if (self.high - self.low) / step <= MAX_TICKS {
                    return step;
                }
            }
            decade = decade.saturating_mul(10);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitting(values: &[u64]) -> Axis {
        Axis::fitting(values.iter().copied())
    }

    #[test]
    fn a_wide_range_is_logarithmic() {
        assert!(!fitting(&[5000, 100]).is_logarithmic());
        assert!(fitting(&[5000, 99]).is_logarithmic());
        assert!(!fitting(&[800, 401, 400, 0]).is_logarithmic(), "zero alone makes no wide range");
        assert!(!fitting(&[]).is_logarithmic());
    }

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(Axis::linear(812).ticks(), [0, 200, 400, 600, 800]);
        assert_eq!(Axis::linear(1).ticks(), [0, 1]);
        assert_eq!(fitting(&[2328, 40]).ticks(), [10, 100, 1000]);
        assert_eq!(fitting(&[90, 1, 0]).ticks(), [0, 1, 2, 5, 10, 20, 50]);
        for high in [0, 3, 7, 99, 12_345, u64::MAX] {
            let few = 2..=8;
            assert!(few.contains(&Axis::linear(high).ticks().len()), "{high}");
            let wide = fitting(&[high, 1, 0]).ticks();
            assert!(wide.is_sorted() && wide.len() <= 12, "{wide:?}");
        }
    }

    #[test]
    fn an_axis_can_begin_anywhere() {
        let axis = Axis::between(353, 475);
        assert_eq!(axis.ticks(), [360, 380, 400, 420, 440, 460]);
        assert_eq!([353, 414, 475].map(|value| axis.position(value)), [0.0, 0.5, 1.0]);
        let single = Axis::between(7, 7);
        assert_eq!((single.ticks(), single.position(7)), (vec![7], 0.5));
        let last = Axis::between(u64::MAX - 1, u64::MAX);
        assert!(last.ticks().len() <= 2 && last.position(u64::MAX) == 1.0);
    }

    #[test]
    fn positions_ascend_from_one_end_to_the_other() {
        for axis in [Axis::linear(1000), fitting(&[1000, 1, 0]), fitting(&[1000, 10])] {
            let positions: Vec<f64> = (0..=1200).map(|value| axis.position(value)).collect();
            assert!(positions.is_sorted());
            assert_eq!((positions[0], positions[1000], positions[1200]), (0.0, 1.0, 1.0));
            assert!(positions[500] > 0.4 && positions[500] < 1.0);
        }
        let largest = fitting(&[u64::MAX, 0, 1]);
        assert!((0.0..=1.0).contains(&largest.position(u64::MAX / 2)));
    }
}
