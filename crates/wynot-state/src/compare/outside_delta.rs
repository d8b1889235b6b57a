//! Differences between two runs outside of their memory: open files, and files that are opened later.

use super::descriptor_delta::{DescriptorDelta, descriptor_deltas};
use crate::process::{Invocation, OpenFile, SubstitutedFile};
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;

/// The address that stands for the first descriptor. Neither memory nor registers have it.
const FIRST_DESCRIPTOR_ADDRESS: u64 = 0xffff_9000_0000_0000;

/// The address that stands for the first substituted file.
const FIRST_FILE_ADDRESS: u64 = 0xffff_9100_0000_0000;

/// A difference outside of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutsideDelta {
    /// A descriptor leads to another file, or to another place of it.
    Descriptor(DescriptorDelta),
    /// A file has other contents when it is opened. The number is its position among those files.
    File(u32, SubstitutedFile),
}

/// The differences outside of memory between two runs with some open files.
pub(crate) fn outside_deltas(
    files: (&BTreeMap<i32, OpenFile>, &BTreeMap<i32, OpenFile>),
    (passing, failing): (&Invocation, &Invocation),
) -> Vec<OutsideDelta> {
    let descriptors = descriptor_deltas(files.0, files.1).into_iter().map(OutsideDelta::Descriptor);
    let other = failing.substituted.iter().filter(|file| !passing.substituted.contains(file));
    let files = (0..).zip(other).map(|(number, file)| OutsideDelta::File(number, file.clone()));
    descriptors.chain(files).collect()
}

impl OutsideDelta {
    /// An address that stands for what differs, and that no variable has.
    pub(crate) fn address(&self) -> u64 {
        match self {
            Self::Descriptor(delta) => {
                FIRST_DESCRIPTOR_ADDRESS + u64::from(delta.number.unsigned_abs())
            }
            Self::File(number, _) => FIRST_FILE_ADDRESS + u64::from(*number),
        }
    }

    /// Stable bytes for what the delta does.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Descriptor(delta) => delta.to_bytes(),
            Self::File(number, file) => {
                let paths = [&file.path, &file.contents].map(|path| path.as_os_str().as_bytes());
                [&number.to_le_bytes()[..], &paths.join(&0)].concat()
            }
        }
    }
}
