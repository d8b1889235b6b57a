//! What programs ask the system for, and which of that is shown to whoever controls them.

use crate::Machine;
use libc::{c_ulong, sock_filter, sock_fprog};

/// Something that the system is asked for. Numbers are those of arguments, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// Random bytes.
    Random,
    /// The time in seconds, as the result.
    Time,
    /// The time, written as two words.
    TimeOfDay,
    /// The time by one of the clocks, written as two numbers of so many bytes.
    Clock(u64),
    /// To wait: until something happens or some time has passed.
    Wait(usize, Span),
    /// To wait by one of the clocks, for a while or until some time, of two numbers of so many bytes.
    WaitByClock(u64),
    /// To send a signal; so many of the first arguments say to whom.
    Signal(usize),
    /// Something about a device.
    Device,
    /// Which processors there are.
    Processors,
    /// To open the file with this name.
    Open(usize),
}

/// How a stretch of time is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Span {
    /// As a number.
    Milliseconds,
    /// Two numbers of so many bytes, of which the second one is in microseconds.
    Micro(u64),
    /// Two numbers of so many bytes, of which the second one is in nanoseconds.
    Nano(u64),
}

/// For x86-64, by number.
const X86_64: [(i64, Request); 20] = [
    (libc::SYS_open, Request::Open(0)),
    (libc::SYS_poll, Request::Wait(2, Span::Milliseconds)),
    (libc::SYS_ioctl, Request::Device),
    (libc::SYS_select, Request::Wait(4, Span::Micro(8))),
    (libc::SYS_nanosleep, Request::Wait(0, Span::Nano(8))),
    (libc::SYS_kill, Request::Signal(1)),
    (libc::SYS_gettimeofday, Request::TimeOfDay),
    (libc::SYS_tkill, Request::Signal(1)),
    (libc::SYS_time, Request::Time),
    (libc::SYS_sched_getaffinity, Request::Processors),
    (libc::SYS_clock_gettime, Request::Clock(8)),
    (libc::SYS_clock_nanosleep, Request::WaitByClock(8)),
    (libc::SYS_epoll_wait, Request::Wait(3, Span::Milliseconds)),
    (libc::SYS_tgkill, Request::Signal(2)),
    (libc::SYS_openat, Request::Open(1)),
    (libc::SYS_pselect6, Request::Wait(4, Span::Nano(8))),
    (libc::SYS_ppoll, Request::Wait(2, Span::Nano(8))),
    (libc::SYS_epoll_pwait, Request::Wait(3, Span::Milliseconds)),
    (libc::SYS_getrandom, Request::Random),
    (libc::SYS_epoll_pwait2, Request::Wait(3, Span::Nano(8))),
];

/// For x86 of 32 bits, by number. Some have a second one for times after 2038.
const I386: [(i64, Request); 24] = [
    (5, Request::Open(0)),
    (13, Request::Time),
    (37, Request::Signal(1)),
    (54, Request::Device),
    (78, Request::TimeOfDay),
    (142, Request::Wait(4, Span::Micro(4))),
    (162, Request::Wait(0, Span::Nano(4))),
    (168, Request::Wait(2, Span::Milliseconds)),
    (238, Request::Signal(1)),
    (242, Request::Processors),
    (256, Request::Wait(3, Span::Milliseconds)),
    (265, Request::Clock(4)),
    (267, Request::WaitByClock(4)),
    (270, Request::Signal(2)),
    (295, Request::Open(1)),
    (308, Request::Wait(4, Span::Nano(4))),
    (309, Request::Wait(2, Span::Nano(4))),
    (319, Request::Wait(3, Span::Milliseconds)),
    (355, Request::Random),
    (403, Request::Clock(8)),
    (407, Request::WaitByClock(8)),
    (413, Request::Wait(4, Span::Nano(8))),
    (414, Request::Wait(2, Span::Nano(8))),
    (441, Request::Wait(3, Span::Nano(8))),
];

impl Request {
    /// What a system call asks for, if that is one of these.
    pub(super) fn of(machine: Machine, number: u64) -> Option<Self> {
        let all = Self::all(machine);
        all.iter().find(|(known, _)| *known as u64 == number).map(|(_, request)| *request)
    }

    fn all(machine: Machine) -> &'static [(i64, Self)] {
        match machine {
            Machine::X86_64 => &X86_64,
            Machine::I386 => &I386,
        }
    }
}

/// How filters call the machines.
const MACHINES: [(u32, Machine); 2] =
    [(0xc000_003e, Machine::X86_64), (0x4000_0003, Machine::I386)];

/// Where filters find the number of a system call, and the machine.
const NUMBER: u32 = 0;
const MACHINE: u32 = 4;

/// A filter that shows the requests of programs for any of the machines. The numbers of system calls differ
/// between them, so the machine is looked at first.
pub(super) fn filter() -> Vec<sock_filter> {
    let step = |code: u32, k: u32, yes: usize, no: usize| sock_filter {
        code: code as u16,
        jt: yes as u8,
        jf: no as u8,
        k,
    };
    let load = |from| step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, from, 0, 0);
    let is = |k, yes, no| step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, k, yes, no);
    let answer = |answer| step(libc::BPF_RET | libc::BPF_K, answer, 0, 0);
    let mut steps = vec![load(MACHINE)];
    for (name, machine) in MACHINES {
        let requests = Request::all(machine);
        let count = requests.len();
        steps.push(is(name, 0, count + 3));
        steps.push(load(NUMBER));
        // Those that are equal skip the rest and the answer to all others.
        steps
            .extend((0..).zip(requests).map(|(at, (number, _))| is(*number as u32, count - at, 0)));
        steps.push(answer(libc::SECCOMP_RET_ALLOW));
        steps.push(answer(libc::SECCOMP_RET_TRACE));
    }
    steps.push(answer(libc::SECCOMP_RET_ALLOW));
    steps
}

/// Makes the program that this process becomes stop before such requests. To be called between fork and
/// exec. On systems that cannot do that, chance stays what it is.
pub(super) fn show(filter: &mut [sock_filter]) {
    let filter = sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    let one: c_ulong = 1;
    let mode = libc::SECCOMP_MODE_FILTER as c_ulong;
    #[expect(
        unsafe_code,
        reason = "system calls only, and the filter is there until they are made"
    )]
    unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, one, 0, 0, 0);
        libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const filter);
    }
}
