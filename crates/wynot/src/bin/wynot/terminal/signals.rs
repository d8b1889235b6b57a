//! Signals: the first one that requests the end stops the search, the second one ends the process at once.

use super::keys;
use crate::exit_code::Code;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::io;
use wynot::Control;

/// Handles signals on a thread of its own.
pub fn listen(control: &Control) -> io::Result<()> {
    let ignored = ignored_signals();
    // Signals that were ignored at the start, as under nohup, stay ignored.
    let handled = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT];
    let handled = handled.into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let mut signals = Signals::new(handled)?;
    let control = control.clone();
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals.forever() {
            match signal {
                SIGCONT => keys::continue_after_stop(),
                // Ctrl-Z and Ctrl-\ have their usual effect, after the terminal is restored.
                SIGTSTP | SIGQUIT => {
                    keys::restore();
                    let _ = emulate_default_handler(signal);
                }
                _ if control.stop() => {
                    keys::restore();
                    std::process::exit(Code::Interrupted as i32);
                }
                _ => {}
            }
        }
    })?;
    Ok(())
}

/// The mask of the signals that were ignored when this process was started.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
}
