//! Texts as subjects: a passing and a failing text, and the deltas between them.
//!
//! [`TextSubject`] is defined here. [`mod@unit`] names the units, [`cut`] cuts a text into pieces of a unit,
//! [`diff`] compares two texts, [`levels`] groups fine deltas by coarser units,
//! [`header_inlining`] puts the headers of a text into it. Deltas that are elements of
//! JSON come from [`json`](crate::json); syntax trees belong to [`syntax`](crate::syntax).

pub(crate) mod cut;
pub(crate) mod diff;
pub(crate) mod error;
pub(crate) mod header_inlining;
pub(crate) mod levels;
pub(crate) mod unit;

use crate::json::diff::JsonDiff;
use crate::json::elements::Elements;
use crate::json::parse::Document;
use crate::text_delta::{TextDelta, TextSide};
use cut::TextCut;
use diff::{diff_segments, diff_texts};
use error::TextError;
use levels::{group_changes, group_pieces};
use std::ops::Range;
use unit::{Unit, Units};
use wynot_core::{Configuration, Grouping};

/// A text that fails, a baseline that passes, and the deltas that turn the baseline into the text.
#[derive(Debug)]
pub struct TextSubject {
    baseline: Vec<u8>,
    original: Vec<u8>,
    deltas: Deltas,
    levels: Vec<Grouping>,
    units: Units,
    /// The first delta of each segment that was compared on its own, but the first.
    segment_starts: Vec<u32>,
}

/// The deltas by the way in which they were made.
#[derive(Debug)]
enum Deltas {
    /// From the empty baseline: each delta inserts one piece of the original.
    Insertions(TextCut),
    /// Between two texts: changes in the order of the texts.
    Changes(Vec<TextDelta>),
    /// From an empty JSON text: each delta inserts one element.
    Elements(Elements),
    /// Between two JSON texts: changes of elements.
    JsonChanges(JsonDiff),
}

impl TextSubject {
    /// A subject whose baseline is empty, with one delta per piece of the original at the finest unit. With
    /// the unit json, the baseline is a pair of empty brackets if the original is an array or object.
    pub fn from_empty(original: &[u8], units: &Units) -> Result<Self, TextError> {
        check_size(original, TextSide::Original)?;
        if units.finest() == Unit::Json {
            return Self::of_json(b"", original);
        }
        let cut = TextCut::new(original, units.finest());
        let levels =
            units.as_slice().iter().map(|&unit| group_pieces(original, unit, &cut)).collect();
        Ok(Self {
            baseline: Vec::new(),
            original: original.to_vec(),
            deltas: Deltas::Insertions(cut),
            levels,
            units: units.clone(),
            segment_starts: Vec::new(),
        })
    }

    /// A subject whose deltas turn the baseline into the original, from a diff at the given units.
    pub fn between(baseline: &[u8], original: &[u8], units: &Units) -> Result<Self, TextError> {
        if baseline.is_empty() {
            return Self::from_empty(original, units);
        }
        check_size(baseline, TextSide::Baseline)?;
        check_size(original, TextSide::Original)?;
        if units.finest() == Unit::Json {
            return Self::of_json(baseline, original);
        }
        Self::of_changes(
            baseline,
            original,
            units,
            diff_texts(baseline, original, units.as_slice()),
        )
    }

    /// A subject whose deltas turn the baseline into the original, where only the two sides of each segment are compared.
    pub(crate) fn between_segments(
        baseline: &[u8],
        original: &[u8],
        segments: Vec<TextDelta>,
        units: &Units,
    ) -> Result<Self, TextError> {
        if baseline.is_empty() || units.finest() == Unit::Json {
            return Self::between(baseline, original, units);
        }
        check_size(baseline, TextSide::Baseline)?;
        check_size(original, TextSide::Original)?;
        let by_unit = diff_segments(baseline, original, segments.clone(), units.as_slice());
        let subject = Self::of_changes(baseline, original, units, by_unit)?;
        let segment_starts = segment_starts(&segments, &subject);
        Ok(Self { segment_starts, ..subject })
    }

    /// Whether a delta is the first one of a segment that was compared on its own, but not of the first.
    pub(crate) fn starts_segment(&self, delta: u32) -> bool {
        self.segment_starts.binary_search(&delta).is_ok()
    }

    /// A subject with these changes at each of its units.
    fn of_changes(
        baseline: &[u8],
        original: &[u8],
        units: &Units,
        mut by_unit: Vec<Vec<TextDelta>>,
    ) -> Result<Self, TextError> {
        let finest = by_unit.pop().expect("a list of units is not empty");
        let mut levels: Vec<Grouping> =
            by_unit.iter().map(|coarse| group_changes(coarse, &finest)).collect();
        levels.push(Grouping::singles(finest.len() as u32));
        Ok(Self {
            baseline: baseline.to_vec(),
            original: original.to_vec(),
            deltas: Deltas::Changes(finest),
            levels,
            units: units.clone(),
            segment_starts: Vec::new(),
        })
    }

    /// A subject by elements of JSON; by lines, if the texts do not even begin like JSON.
    fn of_json(baseline: &[u8], original: &[u8]) -> Result<Self, TextError> {
        let not_json = |side| move |error| TextError::NotJson { side, error };
        let parsed = match baseline {
            [] => Elements::new(original)
                .map(|elements| {
                    let baseline = elements.baseline(original);
                    (baseline, elements.levels(), Deltas::Elements(elements))
                })
                .map_err(not_json(TextSide::Original)),
            _ => JsonDiff::new(baseline, original)
                .map(|diff| (baseline.to_vec(), diff.levels(), Deltas::JsonChanges(diff)))
                .map_err(|(side, error)| not_json(side)(error)),
        };
        let units = |unit| Units::new(vec![unit]).expect("one unit is a list");
        match parsed {
            Ok((baseline, levels, deltas)) => Ok(Self {
                baseline,
                original: original.to_vec(),
                deltas,
                levels,
                units: units(Unit::Json),
                segment_starts: Vec::new(),
            }),
            Err(_) if [baseline, original].iter().all(|text| !Document::begins_like_json(text)) => {
                Self::between(baseline, original, &units(Unit::Line))
            }
            Err(error) => Err(error),
        }
    }

    /// The number of deltas at the finest unit.
    pub fn deltas(&self) -> u32 {
        match &self.deltas {
            Deltas::Insertions(cut) => cut.len(),
            Deltas::Changes(changes) => changes.len() as u32,
            Deltas::Elements(elements) => elements.len(),
            Deltas::JsonChanges(diff) => diff.deltas().len() as u32,
        }
    }

    /// The groupings of the deltas from coarse to fine; [`TextSubject::unit`] is the unit of each.
    pub fn levels(&self) -> &[Grouping] {
        &self.levels
    }

    /// The unit of a level. JSON has as many levels as its nesting needs.
    pub fn unit(&self, level: usize) -> Unit {
        self.units.as_slice().get(level).copied().unwrap_or_else(|| self.units.finest())
    }

    /// The units in which the text is cut.
    pub fn units(&self) -> &Units {
        &self.units
    }

    /// The text that fails.
    pub fn original(&self) -> &[u8] {
        &self.original
    }

    /// The text that passes.
    pub fn baseline(&self) -> &[u8] {
        &self.baseline
    }

    /// Replaces the contents of `variant` by the text of a configuration.
    pub fn compose(&self, configuration: &Configuration, variant: &mut Vec<u8>) {
        variant.clear();
        match &self.deltas {
            Deltas::Insertions(cut) => {
                for range in configuration.ranges() {
                    variant.extend_from_slice(&self.original[cut.bytes(range.start..range.end)]);
                }
            }
            Deltas::Changes(changes) => {
                let mut copied = 0;
                for delta in configuration.iter().map(|delta| &changes[delta as usize]) {
                    variant.extend_from_slice(&self.baseline[copied..delta.old.start as usize]);
                    variant.extend_from_slice(
                        &self.original[delta.new.start as usize..delta.new.end as usize],
                    );
                    copied = delta.old.end as usize;
                }
                variant.extend_from_slice(&self.baseline[copied..]);
            }
            Deltas::Elements(elements) => {
                elements.compose(&self.original, configuration, variant, None);
            }
            Deltas::JsonChanges(diff) => {
                diff.compose([&self.baseline, &self.original], configuration, variant, None);
            }
        }
    }

    /// The bytes that a delta contributes to the variant of a configuration that contains it.
    pub fn range_in_variant(&self, configuration: &Configuration, delta: u32) -> Range<usize> {
        let start = match &self.deltas {
            Deltas::Insertions(cut) => configuration
                .ranges()
                .iter()
                .take_while(|range| range.start < delta)
                .map(|range| cut.bytes(range.start..range.end.min(delta)).len())
                .sum(),
            Deltas::Changes(changes) => {
                let before = configuration.iter().take_while(|&other| other < delta);
                before.fold(changes[delta as usize].old.start as usize, |offset, other| {
                    let change = &changes[other as usize];
                    offset + change.new.len() - change.old.len()
                })
            }
            // Elements inside may be missing, so only composition shows where an element begins and ends.
            Deltas::Elements(elements) => {
                let variant = &mut Vec::new();
                return elements.compose(&self.original, configuration, variant, Some(delta));
            }
            Deltas::JsonChanges(diff) => {
                let (texts, variant) = ([&*self.baseline, &*self.original], &mut Vec::new());
                return diff.compose(texts, configuration, variant, Some(delta));
            }
        };
        start..start + self.delta(delta).new.len()
    }

    /// The change that a delta makes.
    pub fn delta(&self, delta: u32) -> TextDelta {
        match &self.deltas {
            Deltas::Insertions(cut) => {
                let bytes = cut.bytes(delta..delta + 1);
                TextDelta { old: 0..0, new: bytes.start as u32..bytes.end as u32 }
            }
            Deltas::Changes(changes) => changes[delta as usize].clone(),
            Deltas::Elements(elements) => {
                let bytes = elements.bytes(delta);
                TextDelta { old: 0..0, new: bytes.start as u32..bytes.end as u32 }
            }
            Deltas::JsonChanges(diff) => diff.deltas()[delta as usize].clone(),
        }
    }
}

/// The first delta of each segment but the first.
fn segment_starts(segments: &[TextDelta], subject: &TextSubject) -> Vec<u32> {
    let mut starts = Vec::new();
    let mut at = 0;
    for index in 0..subject.deltas() {
        let delta = subject.delta(index);
        let is_in = |segment: &TextDelta| {
            let is_old = !delta.old.is_empty() && delta.old.start < segment.old.end;
            let is_new = !delta.new.is_empty() && delta.new.start < segment.new.end;
            is_old || is_new
        };
        let next = at + segments[at..].iter().position(is_in).unwrap_or(0);
        if next > at {
            starts.push(index);
        }
        at = next;
    }
    starts
}

fn check_size(text: &[u8], side: TextSide) -> Result<(), TextError> {
    match u32::try_from(text.len()) {
        Ok(_) => Ok(()),
        Err(_) => Err(TextError::TooLarge { side, bytes: text.len() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn compose(subject: &TextSubject, configuration: &Configuration) -> Vec<u8> {
        let mut variant = b"old contents".to_vec();
        subject.compose(configuration, &mut variant);
        variant
    }

    fn units() -> impl Strategy<Value = Units> {
        const LISTS: &[&str] =
            &["byte", "char", "token", "line", "line,char", "line,token,char", "token,byte"];
        proptest::sample::select(LISTS).prop_map(|list| list.parse().unwrap())
    }

    fn text() -> impl Strategy<Value = Vec<u8>> {
        let byte = proptest::sample::select(b"ab \n\n;(\xc3\xa9\xff".as_slice());
        proptest::collection::vec(byte, 0..60)
    }

    proptest! {
        #[test]
        fn no_deltas_give_the_baseline_and_all_of_them_the_original(
            old in text(), new in text(), units in units()
        ) {
            let subject = TextSubject::between(&old, &new, &units).unwrap();
            prop_assert_eq!(compose(&subject, &Configuration::empty()), old);
            prop_assert_eq!(compose(&subject, &Configuration::full(subject.deltas())), new);
        }

        #[test]
        fn the_range_of_a_delta_holds_its_text(
            old in text(), new in text(), units in units(), mask in any::<u64>()
        ) {
            let subject = TextSubject::between(&old, &new, &units).unwrap();
            let some = (0..subject.deltas()).filter(|delta| mask >> (delta % 64) & 1 == 1);
            let configuration = Configuration::from_deltas(some);
            let variant = compose(&subject, &configuration);
            for delta in configuration.iter() {
                let TextDelta { new: bytes, .. } = subject.delta(delta);
                let text = &new[bytes.start as usize..bytes.end as usize];
                prop_assert!(variant[subject.range_in_variant(&configuration, delta)] == *text);
            }
        }

        #[test]
        fn levels_nest_and_end_with_single_deltas(
            old in text(), new in text(), units in units()
        ) {
            let subject = TextSubject::between(&old, &new, &units).unwrap();
            let levels = subject.levels();
            prop_assert_eq!(levels.len(), units.as_slice().len());
            prop_assert_eq!(levels.last().unwrap().len(), subject.deltas());
            for pair in levels.windows(2) {
                for group in 0..pair[0].len() {
                    let deltas = pair[0].deltas_of(&Configuration::from([group]));
                    let finer = pair[1].groups_in(&deltas);
                    prop_assert_eq!(pair[1].deltas_of(&finer), deltas);
                }
            }
        }
    }

    #[test]
    fn a_changed_line_is_one_delta_by_lines_and_several_by_characters() {
        let (old, new) = (b"x\nab\ny\n", b"x\nacd\ny\nz\n");
        let by_line = TextSubject::between(old, new, &"line".parse().unwrap()).unwrap();
        assert_eq!(by_line.deltas(), 2);
        assert_eq!(compose(&by_line, &Configuration::from([1])), b"x\nab\ny\nz\n");
        let by_char = TextSubject::between(old, new, &"line,char".parse().unwrap()).unwrap();
        assert_eq!(by_char.levels()[0].len(), 2);
        assert_eq!(
            by_char.deltas(),
            4,
            "b becomes c, d is inserted, z and its line end are inserted"
        );
        assert_eq!(compose(&by_char, &Configuration::from([0])), b"x\nac\ny\n");
    }
}
