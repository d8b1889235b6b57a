//! The mechanisms by which a program is controlled.
//!
//! [`tracees`] knows all threads and processes that are traced and waits for them; [`breakpoints`] are kept
//! in the memory of the program, and [`simple_instruction`] passes them cheaply; [`watchdog`] enforces the
//! time limit, which [`run_time`] measures; [`thread_turns`] says which thread runs; [`cpu_pinning`] makes stops faster. What is done with them is decided in `inferior`.

pub(super) mod breakpoints;
pub(super) mod cpu_pinning;
pub(super) mod run_time;
pub(super) mod simple_instruction;
pub(super) mod thread_turns;
pub(super) mod tracees;
pub(super) mod watchdog;
