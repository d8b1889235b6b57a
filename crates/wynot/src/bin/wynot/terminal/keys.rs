//! Single keys from the terminal, without waiting for the return key.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::read;
use rustix::process::getpgrp;
use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetpgrp, tcsetattr,
};
use std::io::{IsTerminal, stdin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// How the terminal was before, as long as it is different now.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

/// Whether single keys are wanted, even if the terminal is not ours at the moment.
static WANTED: AtomicBool = AtomicBool::new(false);

/// Whether the process was stopped and went on since anybody asked.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// The keyboard, while it gives single keys.
#[derive(Debug)]
pub struct Keys(());

impl Keys {
    /// Makes the terminal give single keys, if there is one and it is ours.
    pub fn new() -> Option<Self> {
        WANTED.store(true, Ordering::Relaxed);
        (stdin().is_terminal() && single_keys().is_some()).then_some(Self(()))
    }

    /// A key that was pressed since the last time.
    pub fn pressed(&self) -> Option<u8> {
        // Whoever reads from the background is stopped.
        if !in_foreground() {
            return None;
        }
        let input = stdin();
        let mut waiting = [PollFd::new(&input, PollFlags::IN)];
        let ready = poll(&mut waiting, Some(&Timespec::default())).is_ok_and(|ready| ready > 0);
        let mut key = [0];
        (ready && read(stdin(), &mut key).is_ok_and(|read| read == 1)).then_some(key[0])
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        WANTED.store(false, Ordering::Relaxed);
        restore();
    }
}

/// Makes the terminal give single keys, if it is ours.
fn single_keys() -> Option<()> {
    if !in_foreground() {
        return None;
    }
    let before = tcgetattr(stdin()).ok()?;
    let mut modes = before.clone();
    // Ctrl-C goes on being a signal.
    modes.local_modes -= LocalModes::ICANON | LocalModes::ECHO;
    modes.special_codes[SpecialCodeIndex::VMIN] = 0;
    modes.special_codes[SpecialCodeIndex::VTIME] = 0;
    tcsetattr(stdin(), OptionalActions::Now, &modes).ok()?;
    *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = Some(before);
    Some(())
}

/// After the process was stopped and goes on: the terminal gives single keys again.
pub fn continue_after_stop() {
    STOPPED.store(true, Ordering::Relaxed);
    if WANTED.load(Ordering::Relaxed) {
        // In the background there is no terminal to change.
        let _ = single_keys();
    }
}

/// Whether the process was stopped and went on since the last time; then others have written to the
/// terminal.
pub fn was_stopped() -> bool {
    STOPPED.swap(false, Ordering::Relaxed)
}

/// Makes the terminal as it was before.
pub fn restore() {
    let before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(before) = before.filter(|_| in_foreground()) {
        // A terminal that is gone needs no restoring.
        let _ = tcsetattr(stdin(), OptionalActions::Now, &before);
    }
}

/// Whether the terminal is ours at the moment.
fn in_foreground() -> bool {
    tcgetpgrp(stdin()).is_ok_and(|group| group == getpgrp())
}
