//! The time limit of programs under control is about the time that they use, not about the load of the machine.

mod programs;

use programs::Program;
use std::process::{Child, Command};
use std::time::{Duration, Instant};
use wynot_state::process::ExitStatus;

/// Programs that use all the processor time they get, until they are dropped.
struct BusyPrograms(Vec<Child>);

impl BusyPrograms {
    fn new(count: usize) -> Self {
        let start = |_| Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        Self((0..count).map(start).collect())
    }
}

impl Drop for BusyPrograms {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[test]
fn a_program_that_gets_no_processor_uses_no_time() {
    let program = Program::new(
        "void here(void) {} int main(void) { here(); for (volatile long i = 0; i < 50000000; i++); }",
    );
    let mut inferior = program.started_at("here", &[]);
    let _busy = BusyPrograms::new(12);
    // With 12 other programs on few processors, this takes longer than the limit by the clock.
    for _ in 0..2 {
        let end = inferior.fork().unwrap().finish(Duration::from_millis(600)).unwrap();
        assert_eq!(end.status, ExitStatus::Exit(0));
    }
}

#[test]
fn programs_that_never_end_are_ended_under_load() {
    let bodies = ["for (;;);", "for (;;) pause();", "raise(SIGSTOP); pause();"];
    let _busy = BusyPrograms::new(4);
    for body in bodies {
        let source = format!(
            "#include <signal.h>\n#include <unistd.h>\n\
             void here(void) {{}} int main(void) {{ here(); {body} }}"
        );
        let program = Program::new(&source);
        let begun = Instant::now();
        let end = program.started_at("here", &[]).finish(Duration::from_millis(200)).unwrap();
        assert_eq!(end.status, ExitStatus::TimedOut, "{body}");
        assert!(begun.elapsed() < Duration::from_secs(60), "{body}: {:?}", begun.elapsed());
    }
}
