//! Descriptors that lead to different files, or to different places of a file, in the two runs.

use crate::process::OpenFile;
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;

/// A descriptor whose file differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescriptorDelta {
    /// The number of the descriptor.
    pub number: i32,
    /// The file in the passing run, if the descriptor is open there.
    pub passing: Option<OpenFile>,
    /// The file in the failing run, if the descriptor is open there.
    pub failing: Option<OpenFile>,
}

/// The descriptors whose files differ.
pub fn descriptor_deltas(
    passing: &BTreeMap<i32, OpenFile>,
    failing: &BTreeMap<i32, OpenFile>,
) -> Vec<DescriptorDelta> {
    let mut numbers: Vec<i32> = passing.keys().chain(failing.keys()).copied().collect();
    numbers.sort_unstable();
    numbers.dedup();
    let all = numbers.into_iter().map(|number| DescriptorDelta {
        number,
        passing: passing.get(&number).cloned(),
        failing: failing.get(&number).cloned(),
    });
    all.filter(|delta| delta.passing != delta.failing).collect()
}

impl DescriptorDelta {
    /// Stable bytes for what the delta does.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.number.to_le_bytes().to_vec();
        if let Some(OpenFile { path, position, .. }) = &self.failing {
            bytes.extend(position.to_le_bytes());
            bytes.extend(path.as_os_str().as_bytes());
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, position: u64) -> OpenFile {
        OpenFile { path: path.into(), name: path.to_owned(), position }
    }

    #[test]
    fn files_positions_and_closed_descriptors_differ() {
        let passing = BTreeMap::from([(0, file("a", 0)), (3, file("b", 0)), (4, file("c", 7))]);
        let failing = BTreeMap::from([(0, file("a", 0)), (3, file("x", 0)), (5, file("c", 7))]);
        let deltas = descriptor_deltas(&passing, &failing);
        let numbers: Vec<i32> = deltas.iter().map(|delta| delta.number).collect();
        assert_eq!(numbers, [3, 4, 5]);
        assert_eq!(deltas[1].failing, None);
        assert_ne!(deltas[0].to_bytes(), deltas[2].to_bytes());
    }
}
