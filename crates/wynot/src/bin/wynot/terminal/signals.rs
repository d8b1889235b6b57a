//! Signals: the first one that requests the end stops the search, the second one ends the process at once.
//!
//! A search looks at the stop flag between tests, while tests run and while it parses. Where it does something else for
//! longer than [`GRACE`], the process ends without it: the best result and the journal are on disk.

use super::keys;
use crate::exit_code::Code;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::io;
use std::time::{Duration, Instant};
use wynot::Control;
use wynot_process::process_stat;

/// How long a search may take to stop, without the time in which it waits for a processor.
const GRACE: Duration = Duration::from_millis(700);

/// How long a search may take to stop in any case. On a busy machine, its threads together can wait longer than time goes by.
const MAX_GRACE: Duration = Duration::from_secs(8);

/// The time between two looks at whether the search has stopped.
const PAUSE: Duration = Duration::from_millis(20);

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
                _ if control.stop() => end_process(),
                _ => end_after_grace(&control),
            }
        }
    })?;
    Ok(())
}

/// Ends the process, unless the search stops in time.
fn end_after_grace(control: &Control) {
    let control = control.clone();
    let (signalled, delay_before) = (Instant::now(), run_delay());
    let watch = move || {
        while !control.has_ended() {
            let delay = run_delay().saturating_sub(delay_before);
            let elapsed = signalled.elapsed();
            if elapsed.saturating_sub(delay) >= GRACE || elapsed >= MAX_GRACE {
                keys::restore();
                print_error_line!("wynot: interrupted");
                print_error_line!("hint: run the same command again to go on from here");
                end_process();
            }
            std::thread::sleep(PAUSE);
        }
    };
    // Without a thread, the second signal ends the process.
    let _ = std::thread::Builder::new().name("grace".to_owned()).spawn(watch);
}

/// The time that threads of this process have waited for a processor: on a busy machine, a search takes longer to stop.
fn run_delay() -> Duration {
    process_stat::run_delay(std::process::id() as i32)
}

/// Ends the process as interrupted.
fn end_process() -> ! {
    keys::restore();
    std::process::exit(Code::Interrupted as i32);
}

/// The mask of the signals that were ignored when this process was started.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
}
