//! Making runs repeatable.
//!
//! Programs get random bytes to guard stacks and pointers, and ask for more of them, or for the time, to
//! spread the keys of hash tables. None of that is meant to be compared between two runs, yet it decides the
//! order of keys and so what a program does. Here all runs get the same bytes in the same order, and the same
//! time passes between two questions for the time, and while a program waits. The time of the processor, as by
//! `CLOCK_PROCESS_CPUTIME_ID`, `times` and `getrusage`, passes in the same way, and what else `getrusage` says is 0.
//!
//! - [`intercepted_call`] lists the system calls that are concerned;
//! - [`seccomp`] makes the system stop a program before it makes one of them;
//! - [`clock_starts`] has what the clocks show at first;
//! - [`sources`] holds the random bytes and the clock that the program sees.
//!
//! The calls are answered in `inferior/intercept.rs` and `inferior/clocks.rs`. Three things stay as they are: process numbers, because
//! programs look for themselves in `/proc` and send signals by number; instructions that produce random numbers
//! or count cycles; and what comes from other programs and the network.

pub(super) mod clock_starts;
pub(super) mod intercepted_call;
pub(super) mod seccomp;
pub(super) mod sources;
pub(super) mod system_files;
