//! The speed of experiments from a fork, compared with experiments from the beginning.

mod programs;

use programs::{Program, SOON, text};
use std::time::{Duration, Instant};
use wynot_state::process::{ExitStatus, Pause};

/// Computes for a while, calls `here`, and ends soon after.
const LATE: &str = r#"
#include <stdio.h>
volatile unsigned long sum;
int value = 1;
void here(void) {}
int main(void) {
    for (unsigned long i = 0; i < 80 * 1000 * 1000; i++) sum += i;
    here();
    printf("%d\n", value);
}
"#;

#[test]
fn experiments_from_a_fork_are_many_times_as_fast_as_reruns() {
    const TESTS: i32 = 20;
    let program = Program::new(LATE);
    let mut template = program.started_at("here", &[]);
    let (here, value) = (program.at(&template, "here"), program.at(&template, "value"));
    let mut times = [Duration::ZERO; 2];
    for number in 0..TESTS {
        let begun = Instant::now();
        let mut copy = template.fork().unwrap();
        copy.write(value, &number.to_ne_bytes()).unwrap();
        let copied = copy.finish(SOON).unwrap();
        times[0] += begun.elapsed();
        let begun = Instant::now();
        let mut rerun = program.start(&[]);
        assert_eq!(rerun.run_to(&[here]).unwrap(), Pause::At(here));
        rerun.write(value, &number.to_ne_bytes()).unwrap();
        let reran = rerun.finish(SOON).unwrap();
        times[1] += begun.elapsed();
        assert_eq!(copied, reran);
        assert_eq!(reran.status, ExitStatus::Exit(0));
        assert_eq!(text(&reran.stdout), format!("{number}\n"));
    }
    let [copies, reruns] = times.map(|time| time / TESTS as u32);
    println!("a copy takes {copies:?}, a rerun {reruns:?}");
    assert!(copies * 5 < reruns, "{copies:?} {reruns:?}");
}
