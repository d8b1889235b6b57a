//! The system calls that are intercepted.

use wynot_process::Machine;

/// A system call that is answered in place of the system, or changed. Arguments are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InterceptedCall {
    /// Asks for random bytes.
    Random,
    /// Asks for the time in seconds, as the result.
    Time,
    /// Asks for the time in seconds and microseconds, written as two words.
    TimeOfDay,
    /// Asks for the time by one of the clocks, written as two numbers of this many bytes.
    Clock(u64),
    /// Asks for the times of the processor in clock ticks, written as four words; the result is the time by a clock.
    ProcessorTimes,
    /// Asks what the program has used: times of the processor, memory, switches and the like.
    Usage,
    /// Waits for an event, with a timeout in this argument.
    Wait(usize, TimeoutFormat),
    /// Waits by one of the clocks, for or until a time of two numbers of this many bytes.
    WaitByClock(u64),
    /// Sends a signal; this many of the first arguments identify the receiver.
    Signal(usize),
    /// Controls a device.
    Device,
    /// Asks for the processors on which the program may run.
    Processors,
    /// Opens the file whose path is in this argument; the next one says how.
    Open(usize),
    /// Asks about the file whose path is in this argument.
    Inspect(usize),
    /// Asks about the file whose path is in the first of these arguments, if it has a path; the answer is at the address in
    /// the second one, in this form.
    Describe(Option<usize>, usize, StatFormat),
    /// Waits for another thread, or wakes others.
    Futex,
    /// Gives up the processor.
    Yield,
}

/// How the answer about a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StatFormat {
    /// It begins with the number of the device.
    Stat,
    /// As `statx` writes it.
    Statx,
}

/// How a timeout is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeoutFormat {
    /// As a number of milliseconds.
    Milliseconds,
    /// As a pointer to seconds and microseconds, two numbers of this many bytes.
    Microseconds(u64),
    /// As a pointer to seconds and nanoseconds, two numbers of this many bytes.
    Nanoseconds(u64),
}

use InterceptedCall::{
    Clock, Describe, Device, Futex, Inspect, Open, ProcessorTimes, Processors, Random, Signal,
    Time, TimeOfDay, Usage, Wait, WaitByClock, Yield,
};
use StatFormat::{Stat, Statx};
use TimeoutFormat::{Microseconds, Milliseconds, Nanoseconds};

/// The numbers on x86-64.
const X86_64: [(i64, InterceptedCall); 32] = [
    (libc::SYS_open, Open(0)),
    (libc::SYS_stat, Describe(Some(0), 1, Stat)),
    (libc::SYS_fstat, Describe(None, 1, Stat)),
    (libc::SYS_lstat, Describe(Some(0), 1, Stat)),
    (libc::SYS_poll, Wait(2, Milliseconds)),
    (libc::SYS_ioctl, Device),
    (libc::SYS_access, Inspect(0)),
    (libc::SYS_sched_yield, Yield),
    (libc::SYS_select, Wait(4, Microseconds(8))),
    (libc::SYS_nanosleep, Wait(0, Nanoseconds(8))),
    (libc::SYS_kill, Signal(1)),
    (libc::SYS_gettimeofday, TimeOfDay),
    (libc::SYS_getrusage, Usage),
    (libc::SYS_times, ProcessorTimes),
    (libc::SYS_tkill, Signal(1)),
    (libc::SYS_time, Time),
    (libc::SYS_futex, Futex),
    (libc::SYS_sched_getaffinity, Processors),
    (libc::SYS_clock_gettime, Clock(8)),
    (libc::SYS_clock_nanosleep, WaitByClock(8)),
    (libc::SYS_epoll_wait, Wait(3, Milliseconds)),
    (libc::SYS_tgkill, Signal(2)),
    (libc::SYS_openat, Open(1)),
    (libc::SYS_newfstatat, Describe(Some(1), 2, Stat)),
    (libc::SYS_faccessat, Inspect(1)),
    (libc::SYS_pselect6, Wait(4, Nanoseconds(8))),
    (libc::SYS_ppoll, Wait(2, Nanoseconds(8))),
    (libc::SYS_epoll_pwait, Wait(3, Milliseconds)),
    (libc::SYS_getrandom, Random),
    (libc::SYS_statx, Describe(Some(1), 4, Statx)),
    (libc::SYS_faccessat2, Inspect(1)),
    (libc::SYS_epoll_pwait2, Wait(3, Nanoseconds(8))),
];

/// The numbers on 32-bit x86. Some calls have a second number for times after 2038.
const I386: [(i64, InterceptedCall); 36] = [
    (5, Open(0)),
    (13, Time),
    (33, Inspect(0)),
    (37, Signal(1)),
    (43, ProcessorTimes),
    (54, Device),
    (77, Usage),
    (78, TimeOfDay),
    (142, Wait(4, Microseconds(4))),
    (158, Yield),
    (162, Wait(0, Nanoseconds(4))),
    (168, Wait(2, Milliseconds)),
    (195, Describe(Some(0), 1, Stat)),
    (196, Describe(Some(0), 1, Stat)),
    (197, Describe(None, 1, Stat)),
    (238, Signal(1)),
    (240, Futex),
    (242, Processors),
    (256, Wait(3, Milliseconds)),
    (265, Clock(4)),
    (267, WaitByClock(4)),
    (270, Signal(2)),
    (295, Open(1)),
    (300, Describe(Some(1), 2, Stat)),
    (307, Inspect(1)),
    (308, Wait(4, Nanoseconds(4))),
    (309, Wait(2, Nanoseconds(4))),
    (319, Wait(3, Milliseconds)),
    (355, Random),
    (383, Describe(Some(1), 4, Statx)),
    (403, Clock(8)),
    (407, WaitByClock(8)),
    (413, Wait(4, Nanoseconds(8))),
    (414, Wait(2, Nanoseconds(8))),
    (441, Wait(3, Nanoseconds(8))),
    (439, Inspect(1)),
];

impl InterceptedCall {
    /// The intercepted call with a number.
    pub(crate) fn from_number(machine: Machine, number: u64) -> Option<Self> {
        let mut all = Self::all(machine).iter();
        all.find(|(known, _)| *known as u64 == number).map(|(_, call)| *call)
    }

    /// All intercepted calls with their numbers.
    pub(crate) fn all(machine: Machine) -> &'static [(i64, Self)] {
        match machine {
            Machine::X86_64 => &X86_64,
            Machine::I386 => &I386,
        }
    }
}
