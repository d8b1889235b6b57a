//! Which thread of the program runs: one at a time, see [`thread_turns`](crate::process::tracing::thread_turns).
//!
//! A thread that waits is seen by the system calls that are intercepted: it stops again when the call returns, and goes
//! on when it is its turn. A thread that waits in another call is stopped in it, and makes the call again at its next turn. So
//! is a thread that uses the processor for so long that it may wait for another thread in a loop; only then does the order
//! depend on time.

use super::Inferior;
use super::stops::unless_dead;
use crate::process::error::ProcessError;
use std::thread::sleep;
use std::time::{Duration, Instant};
use wynot_process::process_stat::ProcessStat;
use wynot_process::ptrace::TraceEvent;
use wynot_process::{Registers, ptrace};

/// The processor time after which a thread that does not stop loses its turn.
const MAX_TURN: Duration = Duration::from_millis(500);

/// The number of checks in a row in which a thread sleeps before it loses its turn: it may sleep for a moment in any call.
const MAX_SLEEPING_CHECKS: u32 = 3;

/// The time between two looks at a thread that is about to wait or to stop.
const LOOK_INTERVAL: Duration = Duration::from_micros(10);

/// The longest time in which a thread that was woken is expected to stop.
const MAX_TIME_TO_STOP: Duration = Duration::from_millis(200);

impl Inferior {
    /// The number of the thread that has stopped, in the order in which the threads were started; the first one has 1.
    pub fn thread_number(&self) -> usize {
        self.tracees.thread_number(self.thread)
    }

    /// Whether the program has ever had other threads.
    pub fn had_threads(&self) -> bool {
        self.tracees.had_threads()
    }

    /// The other threads of the program by their numbers, each with its registers. A thread that waits has those
    /// from before the call in which it waits.
    pub fn other_threads(&self) -> Vec<(usize, Registers)> {
        let threads = self.tracees.threads().filter(|tid| *tid != self.thread);
        let with_registers = threads.filter_map(|tid| {
            let stopped = || ptrace::registers(tid).ok().map(Registers);
            let registers = self.turns.registers_before_waiting(tid).or_else(stopped)?;
            Some((self.tracees.thread_number(tid), registers))
        });
        with_registers.collect()
    }

    /// Waits until a new thread has stopped before its first instruction, and puts it behind the others.
    pub(super) fn await_new_thread(&mut self, tid: i32) -> Result<(), ProcessError> {
        self.await_stop(tid)?;
        if self.tracees.take_polled(tid).is_some() {
            self.turns.add_ready(tid, 0);
        }
        Ok(())
    }

    /// Waits until a thread that is about to stop has stopped or ended. Returns whether it has.
    fn await_stop(&mut self, tid: i32) -> Result<bool, ProcessError> {
        let started = Instant::now();
        while !self.tracees.poll(tid)? {
            if started.elapsed() > MAX_TIME_TO_STOP {
                return Ok(false);
            }
            sleep(LOOK_INTERVAL);
        }
        Ok(true)
    }

    /// Lets a thread make a call that may wait. If it does wait, the next thread has the turn.
    pub(super) fn let_wait(&mut self, tid: i32) -> Result<(), ProcessError> {
        let registers = match ptrace::registers(tid) {
            Ok(registers) => Registers(registers),
            Err(error) => return Ok(unless_dead(Err(error))?),
        };
        unless_dead(ptrace::resume_to_syscall_exit(tid))?;
        loop {
            if self.tracees.poll(tid)? {
                // The call has returned, or the thread has ended.
                return Ok(());
            }
            if self.state_of(tid) == Some('S') {
                break;
            }
            sleep(LOOK_INTERVAL);
        }
        self.turns.add_waiting(tid, registers);
        match tid == self.thread {
            true => self.pass_turn(),
            false => Ok(()),
        }
    }

    /// Puts a stopped thread behind the others that can go on. If no thread has the turn, it goes on at once.
    pub(super) fn make_ready(&mut self, tid: i32, signal: i32) -> Result<(), ProcessError> {
        self.turns.add_ready(tid, signal);
        match self.turn_is_free {
            true => self.pass_turn(),
            false => Ok(()),
        }
    }

    /// Gives the turn to the next thread that can go on, if there is one.
    pub(super) fn pass_turn(&mut self) -> Result<(), ProcessError> {
        self.settle_waiting()?;
        (self.turn_checks, self.turn_started, self.turn_is_free) = (0, None, true);
        if let Some(next) = self.turns.take_next() {
            (self.thread, self.turn_is_free) = (next.tid, false);
            unless_dead(ptrace::resume(next.tid, next.signal))?;
        }
        Ok(())
    }

    /// Waits until each thread that no longer waits has stopped, so that the order of those that can go on is the
    /// one in which they began to wait.
    pub(super) fn settle_waiting(&mut self) -> Result<(), ProcessError> {
        let started = Instant::now();
        for tid in self.turns.waiting() {
            while !self.tracees.poll(tid)?
                && self.state_of(tid).is_some_and(|state| state != 'S')
                && started.elapsed() < MAX_TIME_TO_STOP
            {
                sleep(LOOK_INTERVAL);
            }
            if let Some(status) = self.tracees.take_polled(tid) {
                unless_dead(self.finish_pending_call(tid))?;
                let is_signal = TraceEvent::from_wait_status(status).is_none();
                self.turns.add_ready(tid, if is_signal { libc::WSTOPSIG(status) } else { 0 });
            }
        }
        Ok(())
    }

    /// Looks at the thread that has the turn and has been silent for a while.
    pub(super) fn check_turn(&mut self) -> Result<(), ProcessError> {
        let stat = ProcessStat::of_thread(self.pid(), self.thread);
        let is_sleeping = stat.as_ref().is_some_and(|stat| stat.state == 'S');
        self.turn_checks = if is_sleeping { self.turn_checks + 1 } else { 0 };
        let used = stat.as_ref().map_or(Duration::ZERO, ProcessStat::own_cpu);
        let started = *self.turn_started.get_or_insert(used);
        match stat.map(|stat| stat.state) {
            Some('S') if self.turn_checks >= MAX_SLEEPING_CHECKS => self.stop_turn(),
            // The first thread may end before the others; the system reports that at the end of the last one.
            None | Some('Z' | 'X') => self.pass_turn(),
            Some(_) if used.saturating_sub(started) >= MAX_TURN => self.stop_turn(),
            Some(_) => Ok(()),
        }
    }

    /// Stops the thread that has the turn, and passes the turn, unless the thread stops for another reason first.
    fn stop_turn(&mut self) -> Result<(), ProcessError> {
        let tid = self.thread;
        (self.turn_checks, self.turn_started) = (0, None);
        unless_dead(ptrace::send_signal(self.pid(), tid, libc::SIGSTOP))?;
        let is_stop = |status: i32| libc::WIFSTOPPED(status) && status >> 8 == libc::SIGSTOP;
        if self.await_stop(tid)? && self.tracees.take_polled_if(tid, is_stop) {
            self.turns.add_ready(tid, 0);
            self.pass_turn()?;
        }
        Ok(())
    }

    fn state_of(&self, tid: i32) -> Option<char> {
        ProcessStat::of_thread(self.pid(), tid).map(|stat| stat.state)
    }
}
