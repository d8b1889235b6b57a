//! A passing and a failing text, and the deltas between them.

use crate::difference::changes;
use crate::edits::Edits;
use crate::elements::Elements;
use crate::json::{Document, NotJson};
use crate::{Cut, Unit, Units};
use std::ops::Range;
use wynot_core::{Configuration, Grouping};

/// One change: bytes of the baseline give way to bytes of the original. Either may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delta {
    /// Where in the baseline.
    pub old: Range<u32>,
    /// What comes instead, in the original.
    pub new: Range<u32>,
}

/// A text that fails, a baseline that passes, and the deltas that lead from one to the other.
#[derive(Debug)]
pub struct Subject {
    baseline: Vec<u8>,
    original: Vec<u8>,
    deltas: Deltas,
    levels: Vec<Grouping>,
    units: Units,
}

#[derive(Debug)]
enum Deltas {
    /// From the empty baseline: each piece of the original is inserted on its own.
    Insertions(Cut),
    /// Between two texts: sorted changes.
    Changes(Vec<Delta>),
    /// From the empty baseline: elements within elements of JSON.
    Elements(Elements),
    /// Between two texts: changes of JSON's elements.
    Edits(Edits),
}

/// One of the two texts of a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The one that passes.
    Baseline,
    /// The one that fails.
    Original,
}

/// Why there can be no subject of a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// It does not fit into what one run handles.
    #[error("{bytes} bytes are too many: the limit is 4,294,967,295")]
    TooLarge {
        /// Which text.
        side: Side,
        /// Its size.
        bytes: usize,
    },
    /// It is not JSON, which the unit asks for.
    #[error("it is not JSON: {error}")]
    NotJson {
        /// Which text.
        side: Side,
        /// The place.
        error: NotJson,
    },
}

impl Unfit {
    /// Which of the two texts it is about.
    pub fn side(&self) -> Side {
        match self {
            Self::TooLarge { side, .. } | Self::NotJson { side, .. } => *side,
        }
    }
}

impl Subject {
    /// Deltas that build the original from nothing, one per piece at the finest unit. With the unit json
    /// nothing is what JSON calls so: empty brackets, if the whole text stands in some.
    pub fn from_empty(original: &[u8], units: &Units) -> Result<Self, Unfit> {
        check_size(original, Side::Original)?;
        if units.finest() == Unit::Json {
            return Self::of_json(b"", original);
        }
        let cut = Cut::new(original, units.finest());
        let levels = units.as_slice().iter().map(|&unit| nested(original, unit, &cut)).collect();
        Ok(Self {
            baseline: Vec::new(),
            original: original.to_vec(),
            deltas: Deltas::Insertions(cut),
            levels,
            units: units.clone(),
        })
    }

    /// Deltas that turn the baseline into the original, from a diff at the given units.
    pub fn between(baseline: &[u8], original: &[u8], units: &Units) -> Result<Self, Unfit> {
        if baseline.is_empty() {
            return Self::from_empty(original, units);
        }
        check_size(baseline, Side::Baseline)?;
        check_size(original, Side::Original)?;
        if units.finest() == Unit::Json {
            return Self::of_json(baseline, original);
        }
        let mut by_unit = changes(baseline, original, units.as_slice());
        let finest = by_unit.pop().expect("a list of units is not empty");
        let mut levels: Vec<Grouping> =
            by_unit.iter().map(|coarse| containing(coarse, &finest)).collect();
        levels.push(Grouping::singles(finest.len() as u32));
        Ok(Self {
            baseline: baseline.to_vec(),
            original: original.to_vec(),
            deltas: Deltas::Changes(finest),
            levels,
            units: units.clone(),
        })
    }

    /// Deltas by elements of JSON; by lines, if the texts do not even begin like JSON.
    fn of_json(baseline: &[u8], original: &[u8]) -> Result<Self, Unfit> {
        let bad = |side| move |error| Unfit::NotJson { side, error };
        let made = match baseline {
            [] => Elements::new(original)
                .map(|elements| {
                    let without = elements.baseline(original);
                    (without, elements.levels(), Deltas::Elements(elements))
                })
                .map_err(bad(Side::Original)),
            _ => Edits::new(baseline, original)
                .map(|edits| (baseline.to_vec(), edits.levels(), Deltas::Edits(edits)))
                .map_err(|(side, error)| bad(side)(error)),
        };
        let units = |unit| Units::new(vec![unit]).expect("one unit is a list");
        match made {
            Ok((baseline, levels, deltas)) => Ok(Self {
                baseline,
                original: original.to_vec(),
                deltas,
                levels,
                units: units(Unit::Json),
            }),
            Err(_) if [baseline, original].iter().all(|text| Document::is_plain(text)) => {
                Self::between(baseline, original, &units(Unit::Line))
            }
            Err(error) => Err(error),
        }
    }

    /// How many deltas there are at the finest unit.
    pub fn deltas(&self) -> u32 {
        match &self.deltas {
            Deltas::Insertions(cut) => cut.len(),
            Deltas::Changes(changes) => changes.len() as u32,
            Deltas::Elements(elements) => elements.len(),
            Deltas::Edits(edits) => edits.deltas().len() as u32,
        }
    }

    /// Groups of deltas from the coarsest to the finest; [`Subject::unit`] says of what unit.
    pub fn levels(&self) -> &[Grouping] {
        &self.levels
    }

    /// The unit of a level. Json has as many levels as it needs.
    pub fn unit(&self, level: usize) -> Unit {
        self.units.as_slice().get(level).copied().unwrap_or_else(|| self.units.finest())
    }

    /// The units of the levels.
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

    /// Writes the variant that a configuration stands for into `variant`, in place of what is there.
    pub fn compose(&self, configuration: &Configuration, variant: &mut Vec<u8>) {
        variant.clear();
        match &self.deltas {
            Deltas::Insertions(cut) => {
                for run in configuration.ranges() {
                    variant.extend_from_slice(&self.original[cut.bytes(run.start..run.end)]);
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
            Deltas::Edits(edits) => {
                edits.compose([&self.baseline, &self.original], configuration, variant, None);
            }
        }
    }

    /// Where the text of a delta is in the variant of a configuration that has it.
    pub fn place(&self, configuration: &Configuration, delta: u32) -> Range<usize> {
        let start = match &self.deltas {
            Deltas::Insertions(cut) => configuration
                .ranges()
                .iter()
                .take_while(|run| run.start < delta)
                .map(|run| cut.bytes(run.start..run.end.min(delta)).len())
                .sum(),
            Deltas::Changes(changes) => {
                let before = configuration.iter().take_while(|&other| other < delta);
                before.fold(changes[delta as usize].old.start as usize, |offset, other| {
                    let change = &changes[other as usize];
                    offset + change.new.len() - change.old.len()
                })
            }
            // An element of JSON is what is left of it, so only composing it tells.
            Deltas::Elements(elements) => {
                let variant = &mut Vec::new();
                return elements.compose(&self.original, configuration, variant, Some(delta));
            }
            Deltas::Edits(edits) => {
                let (texts, variant) = ([&*self.baseline, &*self.original], &mut Vec::new());
                return edits.compose(texts, configuration, variant, Some(delta));
            }
        };
        start..start + self.delta(delta).new.len()
    }

    /// The change that a delta stands for.
    pub fn delta(&self, delta: u32) -> Delta {
        match &self.deltas {
            Deltas::Insertions(cut) => {
                let bytes = cut.bytes(delta..delta + 1);
                Delta { old: 0..0, new: bytes.start as u32..bytes.end as u32 }
            }
            Deltas::Changes(changes) => changes[delta as usize].clone(),
            Deltas::Elements(elements) => {
                let bytes = elements.bytes(delta);
                Delta { old: 0..0, new: bytes.start as u32..bytes.end as u32 }
            }
            Deltas::Edits(edits) => edits.deltas()[delta as usize].clone(),
        }
    }
}

fn check_size(text: &[u8], side: Side) -> Result<(), Unfit> {
    match u32::try_from(text.len()) {
        Ok(_) => Ok(()),
        Err(_) => Err(Unfit::TooLarge { side, bytes: text.len() }),
    }
}

/// The pieces of a coarser unit, as groups of the finest pieces. A coarse border that falls inside a
/// fine piece is dropped, so that levels nest.
fn nested(text: &[u8], unit: Unit, finest: &Cut) -> Grouping {
    let deltas = finest.len();
    let coarse = Cut::new(text, unit);
    if coarse.len() == deltas {
        return Grouping::singles(deltas);
    }
    let mut starts = Vec::with_capacity(coarse.len() as usize);
    let mut piece = 0;
    for group in 0..coarse.len() {
        let at = coarse.bytes(group..group).start;
        while piece < deltas && finest.bytes(piece..piece).start < at {
            piece += 1;
        }
        if piece < deltas && starts.last() != Some(&piece) {
            starts.push(piece);
        }
    }
    Grouping::new(starts, deltas)
}

/// Coarse changes as groups of the fine changes inside them.
fn containing(coarse: &[Delta], fine: &[Delta]) -> Grouping {
    let mut starts = Vec::with_capacity(coarse.len());
    let mut next = 0;
    for change in coarse {
        let inside = |delta: &Delta| {
            delta.old.start >= change.old.start
                && delta.old.end <= change.old.end
                && delta.new.start >= change.new.start
                && delta.new.end <= change.new.end
        };
        if fine.get(next).is_some_and(inside) {
            starts.push(next as u32);
        }
        while fine.get(next).is_some_and(inside) {
            next += 1;
        }
    }
    match fine.len() as u32 {
        0 => Grouping::singles(0),
        deltas => Grouping::new(starts, deltas),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn composed(subject: &Subject, configuration: &Configuration) -> Vec<u8> {
        let mut variant = b"left over".to_vec();
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
            let subject = Subject::between(&old, &new, &units).unwrap();
            prop_assert_eq!(composed(&subject, &Configuration::empty()), old);
            prop_assert_eq!(composed(&subject, &Configuration::full(subject.deltas())), new);
        }

        #[test]
        fn a_delta_is_found_where_its_text_begins(
            old in text(), new in text(), units in units(), mask in any::<u64>()
        ) {
            let subject = Subject::between(&old, &new, &units).unwrap();
            let some = (0..subject.deltas()).filter(|delta| mask >> (delta % 64) & 1 == 1);
            let configuration = Configuration::from_deltas(some);
            let variant = composed(&subject, &configuration);
            for delta in configuration.iter() {
                let Delta { new: bytes, .. } = subject.delta(delta);
                let text = &new[bytes.start as usize..bytes.end as usize];
                prop_assert!(variant[subject.place(&configuration, delta)] == *text);
            }
        }

        #[test]
        fn levels_nest_and_end_with_single_deltas(
            old in text(), new in text(), units in units()
        ) {
            let subject = Subject::between(&old, &new, &units).unwrap();
            let levels = subject.levels();
            prop_assert_eq!(levels.len(), units.as_slice().len());
            prop_assert_eq!(levels.last().unwrap().len(), subject.deltas());
            for pair in levels.windows(2) {
                for group in 0..pair[0].len() {
                    let deltas = pair[0].deltas_of(&Configuration::from_deltas([group]));
                    let finer = pair[1].groups_in(&deltas);
                    prop_assert_eq!(pair[1].deltas_of(&finer), deltas);
                }
            }
        }
    }

    #[test]
    fn a_changed_line_is_one_delta_by_lines_and_several_by_characters() {
        let (old, new) = (b"x\nab\ny\n", b"x\nacd\ny\nz\n");
        let by_line = Subject::between(old, new, &"line".parse().unwrap()).unwrap();
        assert_eq!(by_line.deltas(), 2);
        assert_eq!(composed(&by_line, &Configuration::from_deltas([1])), b"x\nab\ny\nz\n");
        let by_char = Subject::between(old, new, &"line,char".parse().unwrap()).unwrap();
        assert_eq!(by_char.levels()[0].len(), 2);
        assert_eq!(by_char.deltas(), 4, "b to c, d inserted, z and its line end inserted");
        assert_eq!(composed(&by_char, &Configuration::from_deltas([0])), b"x\nac\ny\n");
    }
}
