//! What programs are given in place of chance and time.

use std::fs::File;
use std::io::{self, Write};
use std::rc::Rc;

/// How many bytes devices for random bytes have. Nobody needs more.
const DEVICE: usize = 1 << 20;

/// How many microseconds pass from one question for the time to the next: loops that wait for it get on.
const TICK: u64 = 100;

/// When programs start by clocks that people read, in microseconds since 1970.
pub(super) const START: u64 = 1_700_000_000_000_000;

/// When programs start by clocks that only go on, in microseconds. It must have been before by the system's
/// own clock: who waits until some time would wait for years otherwise.
pub(super) const BEGIN: u64 = 1_000_000;

/// What programs are given when they ask: as good as random, and always the same.
#[derive(Clone, Debug)]
pub(super) struct Chance {
    state: u64,
    /// In microseconds since the program has started.
    pub(super) time: u64,
    /// What is read from devices, if somebody has opened one.
    device: Option<Rc<File>>,
    /// System calls that are being made, and what is to be done when they are over.
    pub(super) pending: Vec<Pending>,
    /// What this process was called when it was still the one that it is a copy of.
    pub(super) former: Vec<i32>,
    /// Whether the program has asked for a terminal.
    pub(super) terminal: bool,
}

/// A system call that is being made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    pub member: i32,
    pub end: End,
}

/// What is to be done when a system call is over.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    /// If it says that nothing has happened, so many microseconds have passed.
    Wait(u64),
    /// Arguments are what they were.
    Restore([u64; 2]),
}

impl Default for Chance {
    fn default() -> Self {
        Self {
            state: 0x9e37_79b9_7f4a_7c15,
            time: 0,
            device: None,
            pending: Vec::new(),
            former: Vec::new(),
            terminal: false,
        }
    }
}

impl Chance {
    /// What a copy of a process is given.
    pub(super) fn of_copy(&self, original: i32) -> Self {
        let mut copy = self.clone();
        copy.pending.clear();
        copy.former.push(original);
        copy
    }

    /// The generator `xorshift64*`.
    pub(super) fn byte(&mut self) -> u8 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        (self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 56) as u8
    }

    /// Seconds, and microseconds of the next one, by a clock that began at some time.
    pub(super) fn time(&mut self, begin: u64) -> [u64; 2] {
        self.time = self.time.saturating_add(TICK);
        let now = begin.saturating_add(self.time);
        [now / 1_000_000, now % 1_000_000]
    }

    /// A file with what is read from devices for random bytes. All that open one read the same.
    pub(super) fn device(&mut self) -> io::Result<Rc<File>> {
        if self.device.is_none() {
            let mut stream = Self::default();
            let bytes: Vec<u8> = (0..DEVICE).map(|_| stream.byte()).collect();
            let mut file = tempfile::tempfile()?;
            file.write_all(&bytes)?;
            self.device = Some(Rc::new(file));
        }
        self.device.clone().ok_or(io::ErrorKind::NotFound.into())
    }
}
