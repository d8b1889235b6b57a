//! What people can ask for while a search runs: that it stops, or that a pass ends.

use crate::failure::Code;
use crate::keys;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The wishes of those who watch. Copies share them.
#[derive(Clone, Debug, Default)]
pub struct Control {
    stop: Arc<AtomicBool>,
    skip: Arc<AtomicBool>,
}

impl Control {
    /// Listens to signals: the first request to end asks for a stop, the second one ends wynot at once.
    pub fn listening() -> io::Result<Self> {
        let control = Self::default();
        let ignored = ignored_signals();
        // Whoever started wynot under nohup wants it to go on.
        let heard = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT];
        let heard = heard.into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
        let mut signals = Signals::new(heard)?;
        let stop = Arc::clone(&control.stop);
        std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
            for signal in signals.forever() {
                match signal {
                    SIGCONT => keys::back(),
                    // Ctrl-Z and Ctrl-\ do what they always do, but not to the terminal.
                    SIGTSTP | SIGQUIT => {
                        keys::restore();
                        let _ = emulate_default_handler(signal);
                    }
                    _ if stop.swap(true, Ordering::Relaxed) => {
                        keys::restore();
                        std::process::exit(Code::Interrupted as i32);
                    }
                    _ => {}
                }
            }
        })?;
        Ok(control)
    }

    /// Raised when the search has to stop.
    pub fn interrupt(&self) -> &AtomicBool {
        &self.stop
    }

    /// Asks for a stop that keeps what is found.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Asks for the end of the present pass.
    pub fn skip(&self) {
        self.skip.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked for the end of the present pass since the last time.
    pub fn take_skip(&self) -> bool {
        self.skip.swap(false, Ordering::Relaxed)
    }
}

/// The signals that were ignored when this process was started, a bit for each.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
}
