//! Stable bytes for the deltas of a place, by which a later search recognises its experiments.
//!
//! Programs run at fixed addresses, so the same program and runs always give the same writes. The bytes cover
//! all that an experiment with some of the deltas depends on: which changes belong to which delta, what each
//! change writes where, and the contents of the objects that are created.

use super::alteration::{Alteration, MemoryWrite, NewBlock, WriteAddress, WriteValue};
use super::state_differences::StateDifferences;
use crate::dwarf::Bits;
use crate::graph::memory_copy::MemoryCopy;

/// The version of the encoding, which changes with it.
const ENCODING_VERSION: u64 = 2;

impl<M: MemoryCopy> StateDifferences<'_, '_, M> {
    /// Bytes that are the same for the same deltas in the same order, and differ if any of their writes does.
    pub fn identity(&self) -> Vec<u8> {
        let mut encoder = Encoder::default();
        encoder.number(ENCODING_VERSION);
        encoder.number(self.deltas.len() as u64);
        for delta in &self.deltas {
            encoder.number(delta.changes.len() as u64);
        }
        encoder.alteration(&Alteration::of(self, &self.deltas));
        for delta in &self.outside {
            encoder.string(&delta.to_bytes());
        }
        encoder.bytes
    }
}

/// Writes numbers and byte strings without ambiguity: each string comes after its length.
#[derive(Default)]
struct Encoder {
    bytes: Vec<u8>,
}

impl Encoder {
    fn number(&mut self, number: u64) {
        self.bytes.extend(number.to_le_bytes());
    }

    fn string(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.bytes.extend(bytes);
    }

    fn alteration(&mut self, Alteration { blocks, writes, freed }: &Alteration) {
        self.number(blocks.len() as u64);
        for NewBlock { size, .. } in blocks {
            self.number(*size);
        }
        self.number(freed.len() as u64);
        for block in freed {
            self.address(block);
        }
        self.number(writes.len() as u64);
        for MemoryWrite { at, value } in writes {
            self.address(at);
            match value {
                WriteValue::Bytes(bytes) => {
                    self.number(0);
                    self.string(bytes);
                }
                WriteValue::Bits(Bits { first, count }, bytes) => {
                    self.number(1);
                    self.number(u64::from(*first));
                    self.number(u64::from(*count));
                    self.string(bytes);
                }
                WriteValue::Address(to, size) => {
                    self.number(2);
                    self.address(to);
                    self.number(*size);
                }
            }
        }
    }

    fn address(&mut self, address: &WriteAddress) {
        match address {
            WriteAddress::Fixed { address, .. } => {
                self.number(0);
                self.number(*address);
            }
            WriteAddress::NewBlock { number, offset } => {
                self.number(1);
                self.number(*number as u64);
                self.number(*offset);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::extraction::ExtractionHints;
    use crate::graph::memory_graph::MemoryGraph;
    use crate::tests::handmade_state::{list, list_root, types};

    /// The identity of the differences between two lists, with the failing one at this address.
    fn identity(passing: &[i32], failing: &[i32], address: u64) -> Vec<u8> {
        let types = types();
        let (here, there) = (list(0x1000, passing), list(address, failing));
        let roots = (list_root(0x1000), list_root(address));
        let hints = ExtractionHints::default();
        let passing = MemoryGraph::extract(&types, &here, &roots.0, &hints);
        let failing = MemoryGraph::extract(&types, &there, &roots.1, &hints);
        StateDifferences::of(&passing, &failing).identity()
    }

    #[test]
    fn the_same_states_have_the_same_identity() {
        let lists = (&[14, 18, 20, 22], &[14, 15, 18, 22]);
        let first = identity(lists.0, lists.1, 0x9000);
        assert_eq!(identity(lists.0, lists.1, 0x9000), first);
    }

    #[test]
    fn any_other_value_or_object_gives_another_identity() {
        let first = identity(&[14, 18, 20, 22], &[14, 15, 18, 22], 0x9000);
        for (passing, failing) in [
            (&[14, 18, 20, 22][..], &[14, 16, 18, 22][..]),
            (&[14, 18, 20, 22], &[14, 15, 18, 23]),
            (&[14, 18, 20, 22], &[14, 18, 22]),
            (&[14, 18, 20, 22], &[14, 15, 18, 22, 24]),
            (&[14, 18, 20, 22], &[14, 18, 20, 22]),
        ] {
            assert_ne!(identity(passing, failing, 0x9000), first, "{passing:?} {failing:?}");
        }
    }
}
