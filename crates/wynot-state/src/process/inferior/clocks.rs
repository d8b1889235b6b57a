//! Answering questions for the time, so that all runs get the same.

use super::Inferior;
use super::intercept::CallEntry;
use crate::process::determinism::clock_starts::{
    MONOTONIC_START_MICROS, PROCESSOR_START_MICROS, REALTIME_START_MICROS, clock_start,
};
use crate::process::determinism::intercepted_call::InterceptedCall;
use std::io;

/// The number of the clock tick of `times` in a second.
const TICKS_PER_SECOND: u64 = 100;

/// The number of words in which `times` answers.
const WORDS_OF_TIMES: usize = 4;

/// The number of words in which `getrusage` answers.
const WORDS_OF_USAGE: usize = 18;

/// An answer to a question for the time.
struct TimeAnswer {
    /// Where it is written; 0 for nowhere.
    at: u64,
    /// The size in bytes of each number.
    size: u64,
    numbers: Vec<u64>,
    result: u64,
}

impl Inferior {
    /// Answers a question for the time, or for the time of the processor.
    pub(super) fn give_time(
        &mut self,
        call: CallEntry,
        intercepted: InterceptedCall,
    ) -> io::Result<()> {
        let Some(answer) = self.time_answer(&call, intercepted) else { return Ok(()) };
        let TimeAnswer { at, size, numbers, result } = answer;
        let bytes: Vec<u8> = numbers
            .iter()
            .flat_map(|number| number.to_le_bytes().into_iter().take(size as usize))
            .collect();
        if at != 0 && call.memory(&self.memory).write(at, &bytes).is_err() {
            // There is no memory at this address, and the system will return the error.
            return Ok(());
        }
        call.skip_with_result(result)
    }

    /// The answer to a question for the time; `None` if the system answers it.
    fn time_answer(
        &mut self,
        call: &CallEntry,
        intercepted: InterceptedCall,
    ) -> Option<TimeAnswer> {
        let word = call.registers.machine().word_size();
        let [first, second, ..] = call.arguments;
        let mut clock = |start| self.sources.read_clock(start);
        Some(match intercepted {
            InterceptedCall::Time => {
                let [seconds, _] = clock(REALTIME_START_MICROS);
                TimeAnswer { at: first, size: word, numbers: vec![seconds], result: seconds }
            }
            InterceptedCall::Clock(size) => {
                let [seconds, micros] = clock(clock_start(first)?);
                let numbers = vec![seconds, micros * 1000];
                TimeAnswer { at: second, size, numbers, result: 0 }
            }
            InterceptedCall::ProcessorTimes => {
                let [seconds, micros] = clock(PROCESSOR_START_MICROS);
                let used = seconds * TICKS_PER_SECOND + micros * TICKS_PER_SECOND / 1_000_000;
                let mut numbers = vec![0; WORDS_OF_TIMES];
                numbers[0] = used;
                let start = MONOTONIC_START_MICROS * TICKS_PER_SECOND / 1_000_000;
                TimeAnswer { at: first, size: word, numbers, result: start + used }
            }
            InterceptedCall::Usage => {
                let mut numbers = vec![0; WORDS_OF_USAGE];
                match first as i32 {
                    libc::RUSAGE_SELF | libc::RUSAGE_THREAD => {
                        numbers[..2].copy_from_slice(&clock(PROCESSOR_START_MICROS));
                    }
                    libc::RUSAGE_CHILDREN => {}
                    _ => return None,
                }
                TimeAnswer { at: second, size: word, numbers, result: 0 }
            }
            _ => {
                let numbers = clock(REALTIME_START_MICROS).to_vec();
                TimeAnswer { at: first, size: word, numbers, result: 0 }
            }
        })
    }
}
