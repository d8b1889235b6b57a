//! The time limit of programs under control is about the time that they use, not about the load of the machine.

mod programs;

use programs::Program;
use std::process::{Child, Command};
use std::time::{Duration, Instant};
use wynot_process::process_stat::ProcessStat;
use wynot_state::process::ExitStatus;
use wynot_test_support::{Tool, require};

/// Programs that use all the processor time they get, until they are dropped.
struct BusyPrograms(Vec<Child>);

impl BusyPrograms {
    fn new(count: usize) -> Self {
        // In sessions of their own, because some systems distribute processors among sessions first.
        let start =
            |_| Command::new("setsid").args(["sh", "-c", "while :; do :; done"]).spawn().unwrap();
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
    require!(Tool::Setsid);
    let program = Program::new(
        "void here(void) {} int main(void) { here(); for (volatile long i = 0; i < 200000000; i++); return 0; }",
    );
    let cpu_of_children = || {
        let own = std::process::id() as i32;
        ProcessStat::of_process(own).unwrap().reaped_cpu()
    };
    let before = cpu_of_children();
    assert!(Command::new(&program.path).status().unwrap().success());
    let limit = (cpu_of_children() - before) * 4;
    let mut inferior = program.started_at("here", &[]);
    let _busy = BusyPrograms::new(16);
    // Beside 16 other programs on few processors, this takes longer than the limit by the clock.
    for _ in 0..2 {
        let end = inferior.fork().unwrap().finish(limit).unwrap();
        assert_eq!(end.status, ExitStatus::Exit(0));
    }
}

#[test]
fn programs_that_never_end_are_ended_under_load() {
    require!(Tool::Setsid);
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
