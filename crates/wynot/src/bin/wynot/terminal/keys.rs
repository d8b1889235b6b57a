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

/// The modes of the terminal before they were changed; `None` while they are not changed.
static SAVED_MODES: Mutex<Option<Termios>> = Mutex::new(None);

/// Whether single keys are enabled, even if the process is in the background at the moment.
static IS_ENABLED: AtomicBool = AtomicBool::new(false);

/// Whether the process was stopped and continued since `was_stopped` was called.
static WAS_STOPPED: AtomicBool = AtomicBool::new(false);

/// The keyboard, while the terminal delivers single keys.
#[derive(Debug)]
pub struct Keys(());

impl Keys {
    /// Makes the terminal deliver single keys; `None` if there is no terminal or the process is in the background.
    pub fn new() -> Option<Self> {
        IS_ENABLED.store(true, Ordering::Relaxed);
        (stdin().is_terminal() && enable_single_keys().is_some()).then_some(Self(()))
    }

    /// The next key that was pressed, without waiting for one.
    pub fn pressed(&self) -> Option<u8> {
        // The system stops processes that read from the terminal in the background.
        if !is_in_foreground() {
            return None;
        }
        let input = stdin();
        let mut polled = [PollFd::new(&input, PollFlags::IN)];
        let is_ready = poll(&mut polled, Some(&Timespec::default())).is_ok_and(|ready| ready > 0);
        let mut key = [0];
        (is_ready && read(stdin(), &mut key).is_ok_and(|read| read == 1)).then_some(key[0])
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        IS_ENABLED.store(false, Ordering::Relaxed);
        restore();
    }
}

/// Makes the terminal deliver single keys; `None` if that is not possible.
fn enable_single_keys() -> Option<()> {
    if !is_in_foreground() {
        return None;
    }
    let saved = tcgetattr(stdin()).ok()?;
    let mut modes = saved.clone();
    // Ctrl-C still sends a signal: ISIG stays.
    modes.local_modes -= LocalModes::ICANON | LocalModes::ECHO;
    modes.special_codes[SpecialCodeIndex::VMIN] = 0;
    modes.special_codes[SpecialCodeIndex::VTIME] = 0;
    tcsetattr(stdin(), OptionalActions::Now, &modes).ok()?;
    *SAVED_MODES.lock().unwrap_or_else(PoisonError::into_inner) = Some(saved);
    Some(())
}

/// Enables single keys again after the process was stopped and continued.
pub fn continue_after_stop() {
    WAS_STOPPED.store(true, Ordering::Relaxed);
    if IS_ENABLED.load(Ordering::Relaxed) {
        // A process that continues in the background must not change the terminal.
        let _ = enable_single_keys();
    }
}

/// Whether the process was stopped and continued since the last call. Then other processes have written to the terminal.
pub fn was_stopped() -> bool {
    WAS_STOPPED.swap(false, Ordering::Relaxed)
}

/// Restores the modes of the terminal.
pub fn restore() {
    let saved = SAVED_MODES.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(saved) = saved.filter(|_| is_in_foreground()) {
        // A terminal that was closed needs no restoring.
        let _ = tcsetattr(stdin(), OptionalActions::Now, &saved);
    }
}

/// Whether the process is in the foreground of its terminal.
fn is_in_foreground() -> bool {
    tcgetpgrp(stdin()).is_ok_and(|group| group == getpgrp())
}
