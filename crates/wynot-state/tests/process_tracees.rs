//! Programs under control with threads and child processes, and what keeps them from being forked.

mod programs;

use programs::{Program, SOON, text};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::time::{Duration, Instant};
use wynot_state::dwarf::name_frames;
use wynot_state::process::{
    ExitStatus, ForkObstacle, Inferior, InferiorLimits, Pause, ProcessError,
};

/// The obstacle to forking a program in `here`.
fn obstacle(body: &str, flags: &[&str]) -> Option<ForkObstacle> {
    let source = format!(
        r#"
        #include <fcntl.h>
        #include <pthread.h>
        #include <signal.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <sys/epoll.h>
        #include <sys/mman.h>
        #include <sys/socket.h>
        #include <sys/time.h>
        #include <sys/wait.h>
        #include <unistd.h>
        void here(void) {{}}
        void *forever(void *nothing) {{ for (;;) pause(); }}
        int main(void) {{ int pair[2]; pthread_t thread; {body} here(); _exit(0); }}
        "#
    );
    let program = Program::built(&source, flags);
    let mut inferior = program.started_at("here", &[]);
    let obstacle = inferior.fork_obstacle().unwrap();
    assert_eq!(inferior.finish(SOON).unwrap().status, ExitStatus::Exit(0));
    obstacle
}

#[test]
fn fork_obstacles_are_found() {
    let none = "fopen(\"/etc/passwd\", \"r\"); malloc(1 << 25); open(\"/dev/null\", O_RDWR);";
    assert_eq!(obstacle(none, &[]), None);
    let thread = "pthread_create(&thread, 0, forever, 0);";
    assert_eq!(obstacle(thread, &["-pthread"]), Some(ForkObstacle::Threads(2)));
    let child = "if (fork() == 0) for (;;) pause();";
    assert_eq!(obstacle(child, &[]), Some(ForkObstacle::Children));
    let zombie = "if (fork() == 0) _exit(0); waitid(P_ALL, 0, 0, WEXITED | WNOWAIT);";
    assert_eq!(obstacle(zombie, &[]), Some(ForkObstacle::Children));
    let shared = "mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);";
    assert!(matches!(obstacle(shared, &[]), Some(ForkObstacle::SharedMemory(_))));
    assert_eq!(obstacle("pipe(pair);", &[]), Some(ForkObstacle::Stream("pipe".into())));
    let socket = "socketpair(AF_UNIX, SOCK_STREAM, 0, pair);";
    assert_eq!(obstacle(socket, &[]), Some(ForkObstacle::Stream("socket".into())));
    assert!(matches!(obstacle("tmpfile();", &[]), Some(ForkObstacle::WrittenFile(_))));
    assert_eq!(obstacle("epoll_create(1);", &[]), Some(ForkObstacle::Other("eventpoll".into())));
    assert!(matches!(obstacle("posix_openpt(O_RDWR);", &[]), Some(ForkObstacle::Device(_))));
    assert_eq!(obstacle("alarm(100);", &[]), Some(ForkObstacle::Timer));
    let blocked =
        "sigset_t all; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, 0); raise(SIGUSR1);";
    assert_eq!(obstacle(blocked, &[]), Some(ForkObstacle::PendingSignal));
}

const THREADS: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int hits;
__attribute__((noinline)) void hit(void) { __atomic_fetch_add(&hits, 1, __ATOMIC_SEQ_CST); }
void *work(void *nothing) { for (int i = 0; i < 100; i++) hit(); return 0; }
int main(int argc, char **argv) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
    printf("%d\n", hits);
    if (argc > 1) exit(9);
    pthread_exit(0);
}
"#;

#[test]
fn breakpoints_stop_all_threads() {
    let program = Program::built(THREADS, &["-pthread"]);
    for arguments in [&[][..], &["exit"]] {
        let mut inferior = program.start(arguments);
        let hit = program.at(&inferior, "hit");
        let mut hits = 0;
        let end = loop {
            match inferior.run_to(&[hit]).unwrap() {
                Pause::At(_) => hits += 1,
                Pause::Ended(end) => break end,
            }
        };
        assert_eq!((hits, text(&end.stdout)), (400, "400\n"));
        assert_eq!(end.status, ExitStatus::Exit(if arguments.is_empty() { 0 } else { 9 }));
    }
}

/// Whether a process exists and is no zombie.
fn is_alive(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

fn numbers(bytes: &[u8]) -> Vec<i32> {
    text(bytes).split_whitespace().map(|word| word.parse().unwrap()).collect()
}

const BREEDING: &str = r#"
#include <stdio.h>
#include <unistd.h>
void here(void) {}
int main(int argc, char **argv) {
    setbuf(stdout, 0);
    for (int i = 0; i < 3; i++)
        if (fork() == 0) {
            here();
            if (i == 1) setsid();
            if (fork() == 0 && i == 2) setsid();
            printf("%7d\n", getpid());
            for (;;) pause();
        }
    while (lseek(1, 0, SEEK_END) < 6 * 8) usleep(1000);
    here();
    if (argc > 1) for (;;) pause();
    return 0;
}
"#;

#[test]
fn no_process_is_left_behind() {
    let program = Program::new(BREEDING);
    let check = |ended: &[u8], leader: i32| {
        let numbers = numbers(ended);
        assert_eq!(numbers.len(), 6, "{numbers:?}");
        for number in numbers.into_iter().chain([leader]) {
            assert!(!is_alive(number), "{number}");
        }
    };
    // At the end of the program,
    let mut inferior = program.start(&[]);
    let end = inferior.finish(SOON).unwrap();
    assert_eq!(end.status, ExitStatus::Exit(0));
    check(&end.stdout, inferior.pid());
    // after the time limit, with breakpoints that only exist in the first process,
    let limits = InferiorLimits { time: Duration::from_secs(2), ..InferiorLimits::default() };
    let mut inferior =
        Inferior::start(&program.invocation(&["stay"]), &limits, name_frames).unwrap();
    let here = program.at(&inferior, "here");
    assert_eq!(inferior.run_to(&[here]).unwrap(), Pause::At(here));
    let Pause::Ended(end) = inferior.resume().unwrap() else { panic!() };
    assert_eq!(end.status, ExitStatus::TimedOut);
    check(&end.stdout, inferior.pid());
    // and when the inferior is dropped.
    let mut inferior = program.start(&["stay"]);
    inferior.run_to(&[here]).unwrap();
    let (copy, leader) = (inferior.fork().unwrap(), inferior.pid());
    let copied = copy.pid();
    assert!(is_alive(copied) && is_alive(leader));
    drop(copy);
    assert!(!is_alive(copied) && is_alive(leader));
    drop(inferior);
    assert!(!is_alive(leader));
}

#[test]
fn a_fork_bomb_is_stopped() {
    let source = "#include <unistd.h>\nint main(void) { for (;;) if (fork() == 0) pause(); }";
    let program = Program::new(source);
    let limits = InferiorLimits { time: Duration::from_millis(100), ..InferiorLimits::default() };
    let begun = Instant::now();
    let mut inferior = Inferior::start(&program.invocation(&[]), &limits, name_frames).unwrap();
    let Pause::Ended(end) = inferior.resume().unwrap() else { panic!() };
    assert_eq!(end.status, ExitStatus::TimedOut);
    assert!(begun.elapsed() < SOON);
    let of_program = |pid: &i32| {
        let name = fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
        name == program.path
    };
    let all = fs::read_dir("/proc").unwrap().flatten();
    let mut all = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    assert_eq!(all.find(of_program), None);
}

#[test]
fn other_programs_can_be_started_but_not_executed_in_place() {
    let source = r#"
        #include <stdio.h>
        #include <stdlib.h>
        #include <unistd.h>
        __attribute__((noinline)) void here(void) {}
        int main(int argc, char **argv) {
            for (int i = 0; i < 5; i++) { here(); system("echo from the shell"); }
            if (argc > 1) execl("/bin/true", "true", (char *)0);
            return 3;
        }"#;
    let program = Program::new(source);
    let mut inferior = program.start(&[]);
    let here = program.at(&inferior, "here");
    for _ in 0..5 {
        assert_eq!(inferior.run_to(&[here]).unwrap(), Pause::At(here));
    }
    let Pause::Ended(end) = inferior.resume().unwrap() else { panic!() };
    assert_eq!(end.status, ExitStatus::Exit(3));
    assert_eq!(text(&end.stdout), "from the shell\n".repeat(5));
    let mut inferior = program.start(&["become"]);
    let error = inferior.finish(SOON).unwrap_err();
    assert!(matches!(&error, ProcessError::Becomes(name) if name.ends_with("true")), "{error}");
    assert!(!is_alive(inferior.pid()));
}

/// A process that is killed while it starts a thread does not report that thread, and does not end before the end of the
/// thread has been waited for.
#[test]
fn a_program_that_another_process_kills_while_it_starts_a_thread_is_seen_to_end() {
    let source = r#"
        #include <pthread.h>
        void *end(void *nothing) { return nothing; }
        int main(void) {
            for (;;) { pthread_t t; pthread_create(&t, 0, end, 0); pthread_join(t, 0); }
        }"#;
    let (done, is_done) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let program = Program::built(source, &["-pthread"]);
        let time = Duration::from_millis(200);
        let limits = InferiorLimits { time, ..InferiorLimits::default() };
        for run in 0..100 {
            let mut inferior =
                Inferior::start(&program.invocation(&[]), &limits, name_frames).unwrap();
            let pid = inferior.pid();
            let killer = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_micros(3_000 + run * 37));
                // On a busy machine, its time may have been used up before.
                let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
            });
            let Pause::Ended(end) = inferior.resume().unwrap() else { panic!() };
            assert!(matches!(end.status, ExitStatus::Signal(9) | ExitStatus::TimedOut), "{end:?}");
            killer.join().unwrap();
            done.send(()).unwrap();
        }
    });
    for run in 0..100 {
        assert!(is_done.recv_timeout(6 * SOON).is_ok(), "run {run} does not end");
    }
}

#[test]
fn processes_of_other_programs_do_not_affect_breakpoints() {
    // The shell starts processes while the program goes on, and both are loaded at the same addresses.
    let source = r#"
        #include <stdio.h>
        #include <stdlib.h>
        #include <sys/wait.h>
        #include <unistd.h>
        void here(int number) {}
        int main(void) {
            FILE *shell = popen("for i in 1 2 3 4 5 6 7 8; do /bin/true; (exit 0); done; echo done", "r");
            char line[10] = "";
            for (int i = 0; i < 3000; i++) here(i);
            if (!fgets(line, sizeof line, shell)) return 1;
            printf("%s", line);
            return pclose(shell);
        }"#;
    let program = Program::new(source);
    let mut inferior = program.start(&[]);
    let address = program.at(&inferior, "here");
    inferior.set_breakpoints(&[address]).unwrap();
    let mut hits = 0;
    let end = loop {
        match inferior.resume().unwrap() {
            Pause::At(_) => hits += 1,
            Pause::Ended(end) => break end,
        }
    };
    assert_eq!((hits, end.status), (3000, ExitStatus::Exit(0)));
    assert_eq!(text(&end.stdout), "done\n");
}
