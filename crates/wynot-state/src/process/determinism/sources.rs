//! The random bytes and the clock that a program sees.

use super::intercepted_call::StatFormat;
use std::fs::File;
use std::io::{self, Write};
use std::rc::Rc;

/// The number of the first device without hardware, as programs see it.
const FIRST_DEVICE: u64 = 40;

/// The length of the files that stand in for devices of random bytes.
const RANDOM_DEVICE_BYTES: usize = 1 << 20;

/// The time in microseconds that passes from one question for the time to the next, so that loops that wait
/// for a time come to an end.
const MICROS_PER_QUESTION: u64 = 100;

/// The state of everything that would differ from run to run: as good as random, and always the same.
#[derive(Clone, Debug)]
pub(crate) struct DeterministicSources {
    /// The state of the random number generator.
    random: u64,
    /// The time since the start of the program, in microseconds.
    pub(crate) elapsed_micros: u64,
    /// The file that stands in for devices of random bytes, once the program has opened one.
    random_device: Option<Rc<File>>,
    /// System calls that were changed and have not returned yet.
    pub(crate) pending_calls: Vec<PendingCall>,
    /// The process numbers of the programs that this one is a fork of.
    pub(crate) former_pids: Vec<i32>,
    /// Whether the program has asked for a terminal.
    pub(crate) asked_for_terminal: bool,
    /// The numbers of the devices without hardware that the program has met, in this order. The private view of the
    /// working directory has another one in each run.
    devices: Vec<u64>,
}

/// A system call that has not returned yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingCall {
    pub(crate) tid: i32,
    pub(crate) at_exit: AtExit,
}

/// What to do when a system call returns.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AtExit {
    /// Let this many microseconds pass if the call returns 0, which means that it has timed out.
    AddTime(u64),
    /// Set the first two arguments to these values again.
    RestoreArguments([u64; 2]),
    /// Replace the number of the device in the answer about a file, at this address.
    ReplaceDevice(u64, StatFormat),
}

impl Default for DeterministicSources {
    fn default() -> Self {
        Self {
            random: 0x9e37_79b9_7f4a_7c15,
            elapsed_micros: 0,
            random_device: None,
            pending_calls: Vec::new(),
            former_pids: Vec::new(),
            asked_for_terminal: false,
            devices: Vec::new(),
        }
    }
}

impl DeterministicSources {
    /// The sources for a fork of the process with a number.
    pub(crate) fn for_fork(&self, original: i32) -> Self {
        let mut copy = self.clone();
        copy.pending_calls.clear();
        copy.former_pids.push(original);
        copy
    }

    /// The number that stands for a device without hardware: equal for equal devices, and the same in all runs.
    pub(crate) fn device(&mut self, number: u64) -> u64 {
        let known = self.devices.iter().position(|known| *known == number);
        let index = known.unwrap_or_else(|| {
            self.devices.push(number);
            self.devices.len() - 1
        });
        FIRST_DEVICE + index as u64
    }

    /// The next random byte, by the generator `xorshift64*`.
    pub(crate) fn random_byte(&mut self) -> u8 {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        (self.random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 56) as u8
    }

    /// The time in seconds and microseconds, by a clock that showed `start_micros` when the program started.
    pub(crate) fn read_clock(&mut self, start_micros: u64) -> [u64; 2] {
        self.elapsed_micros = self.elapsed_micros.saturating_add(MICROS_PER_QUESTION);
        let now = start_micros.saturating_add(self.elapsed_micros);
        [now / 1_000_000, now % 1_000_000]
    }

    /// The file that stands in for devices of random bytes. All programs read the same bytes from it.
    pub(crate) fn random_device(&mut self) -> io::Result<Rc<File>> {
        if self.random_device.is_none() {
            let mut stream = Self::default();
            let bytes: Vec<u8> = (0..RANDOM_DEVICE_BYTES).map(|_| stream.random_byte()).collect();
            let mut file = tempfile::tempfile()?;
            file.write_all(&bytes)?;
            self.random_device = Some(Rc::new(file));
        }
        self.random_device.clone().ok_or(io::ErrorKind::NotFound.into())
    }
}
