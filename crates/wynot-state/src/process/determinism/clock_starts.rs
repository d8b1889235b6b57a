//! What the clocks show when a program starts.

/// The start of a program by clocks that show the date, in microseconds since 1970.
pub(crate) const REALTIME_START_MICROS: u64 = 1_700_000_000_000_000;

/// The start of a program by clocks that only count, in microseconds. By the system's own clock this must be
/// in the past: a program that waits until some time would wait for years otherwise.
pub(crate) const MONOTONIC_START_MICROS: u64 = 1_000_000;

/// The start of a program by clocks that show the time of the processor, in microseconds.
pub(crate) const PROCESSOR_START_MICROS: u64 = 0;

/// The bits of the number of a clock that say what it measures, and the value of those that belong to devices. Negative numbers
/// without that value are clocks of processes and threads.
const CLOCK_KIND: i32 = 3;

/// The time that a clock showed when the program started; `None` for clocks that measure the time of the processor.
pub(crate) fn wall_clock_start(clock: u64) -> Option<u64> {
    match clock as i32 {
        libc::CLOCK_REALTIME
        | libc::CLOCK_REALTIME_COARSE
        | libc::CLOCK_REALTIME_ALARM
        | libc::CLOCK_TAI => Some(REALTIME_START_MICROS),
        libc::CLOCK_MONOTONIC
        | libc::CLOCK_MONOTONIC_RAW
        | libc::CLOCK_MONOTONIC_COARSE
        | libc::CLOCK_BOOTTIME
        | libc::CLOCK_BOOTTIME_ALARM => Some(MONOTONIC_START_MICROS),
        _ => None,
    }
}

/// The time that a clock showed when the program started; `None` for clocks of devices.
pub(crate) fn clock_start(clock: u64) -> Option<u64> {
    wall_clock_start(clock).or(match clock as i32 {
        libc::CLOCK_PROCESS_CPUTIME_ID | libc::CLOCK_THREAD_CPUTIME_ID => {
            Some(PROCESSOR_START_MICROS)
        }
        number if number < 0 && number & CLOCK_KIND != CLOCK_KIND => Some(PROCESSOR_START_MICROS),
        _ => None,
    })
}
