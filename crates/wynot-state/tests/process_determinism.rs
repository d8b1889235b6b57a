//! Time and random bytes are the same in all runs.

mod programs;

use programs::{Program, SOON, machines, text};
use std::time::Instant;
use wynot_state::process::ExitStatus;
use wynot_test_support::{Tool, has};

/// The output of two runs.
fn prints(source: &str, flags: &[&str]) -> [String; 2] {
    let program = Program::built(source, flags);
    [(); 2].map(|()| {
        let end = program.start(&[]).finish(SOON).unwrap();
        assert_eq!(end.status, ExitStatus::Exit(0), "{flags:?} {}", text(&end.stdout));
        text(&end.stdout).to_owned()
    })
}

const CLOCKS: &str = r#"
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static void print(int clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    printf("%ld.%06ld ", (long)now.tv_sec, now.tv_nsec / 1000);
}
int main(void) {
    struct timeval day;
    gettimeofday(&day, 0);
    time_t kept = 0, now = syscall(SYS_time, &kept);
    printf("%ld.%06ld %d %ld ", (long)day.tv_sec, (long)day.tv_usec, kept == now, (long)time(0));
    print(CLOCK_REALTIME);
    print(CLOCK_REALTIME_COARSE);
    print(CLOCK_MONOTONIC);
    print(CLOCK_BOOTTIME);
    printf("%d\n", clock_gettime(CLOCK_REALTIME, &(struct timespec){0}));
}
"#;

#[test]
fn the_clock_starts_at_the_same_time_and_advances() {
    for &flags in machines(has!(Tool::Gcc32)) {
        let [first, second] = prints(CLOCKS, flags);
        assert_eq!(first, second, "{flags:?}");
        let mut words: Vec<&str> = first.split_whitespace().collect();
        assert_eq!(words.pop(), Some("0"));
        let [day, kept, time, rest @ ..] = words.as_slice() else { panic!("{first}") };
        assert_eq!((*kept, *time), ("1", "1700000000"));
        assert_eq!(*day, "1700000000.000100");
        assert_eq!(rest[..2], ["1700000000.000400", "1700000000.000500"]);
        assert_eq!(rest[2..], ["1.000600", "1.000700"]);
    }
}

#[test]
fn the_time_of_the_processor_passes_like_other_times() {
    let source = r#"
        #define _GNU_SOURCE
        #include <errno.h>
        #include <stdio.h>
        #include <string.h>
        #include <sys/resource.h>
        #include <sys/syscall.h>
        #include <sys/times.h>
        #include <time.h>
        #include <unistd.h>
        int main(void) {
            struct timespec now, exact;
            struct rusage used, children, rest;
            struct tms ticks;
            volatile long work = 0;
            for (long i = 0; i < 30 * 1000 * 1000; i++) work += i;
            if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)) return 1;
            if (now.tv_sec || now.tv_nsec != 100 * 1000) return 2;
            if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) || now.tv_nsec != 200 * 1000) return 3;
            if (getrusage(RUSAGE_SELF, &used) || used.ru_utime.tv_usec != 300) return 4;
            memset(&rest, 0, sizeof rest);
            rest.ru_utime.tv_usec = 300;
            if (memcmp(&used, &rest, sizeof rest)) return 5;
            if (getrusage(RUSAGE_CHILDREN, &children) || children.ru_utime.tv_usec) return 6;
            for (int i = 0; i < 100; i++) clock();
            if (times(&ticks) != 101 || ticks.tms_utime != 1 || ticks.tms_stime) return 7;
            clockid_t own;
            if (clock_getcpuclockid(0, &own) || clock_gettime(own, &now)) return 8;
            if (now.tv_nsec != (3 + 100 + 1 + 1) * 100 * 1000) return 9;
            if (clock_getres(CLOCK_MONOTONIC, &exact) || exact.tv_sec) return 10;
            // The system still returns its errors.
            if (clock_gettime(4711, &now) != -1 || errno != EINVAL) return 11;
            if (syscall(SYS_clock_gettime, CLOCK_REALTIME, 16) != -1 || errno != EFAULT) return 12;
            if (syscall(SYS_getrusage, 4711, &used) != -1 || errno != EINVAL) return 13;
            return 0;
        }"#;
    for &flags in machines(has!(Tool::Gcc32)) {
        assert_eq!(prints(source, flags), ["", ""], "{flags:?}");
    }
}

const WAITING: &str = r#"
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>
static long before;
static void passed(const char *name) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long micros = now.tv_sec * 1000000 + now.tv_nsec / 1000;
    printf("%s %ld\n", name, micros - before);
    before = micros;
}
int main(void) {
    int pair[2];
    pipe(pair);
    struct pollfd reading = {pair[0], POLLIN}, writing = {pair[1], POLLOUT};
    struct timespec ten = {0, 10 * 1000 * 1000}, until;
    struct timeval span = {0, 10 * 1000};
    passed("start");
    usleep(10 * 1000); passed("usleep");
    nanosleep(&ten, 0); passed("nanosleep");
    sleep(0); passed("sleep");
    poll(0, 0, 10); passed("poll");
    poll(&reading, 1, 10); passed("poll-read");
    poll(&writing, 1, 10000); passed("poll-write");
    poll(&writing, 1, -1); passed("poll-ever");
    ppoll(&reading, 1, &ten, 0); passed("ppoll");
    select(0, 0, 0, 0, &span); passed("select");
    pselect(0, 0, 0, 0, &ten, 0); passed("pselect");
    epoll_wait(epoll_create(1), &(struct epoll_event){0}, 1, 10); passed("epoll");
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += 100;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, 0); passed("until");
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 100;
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, 0); passed("until-real");
    // Waiting until an absolute time must not take years.
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_condattr_t kind;
    pthread_cond_t never;
    pthread_condattr_init(&kind);
    pthread_condattr_setclock(&kind, CLOCK_MONOTONIC);
    pthread_cond_init(&never, &kind);
    clock_gettime(CLOCK_MONOTONIC, &until);
    pthread_mutex_lock(&lock);
    printf("%d\n", pthread_cond_timedwait(&never, &lock, &until) != 0);
}
"#;

#[test]
fn time_passes_while_programs_wait() {
    for &flags in machines(has!(Tool::Gcc32)) {
        let begun = Instant::now();
        let [first, second] = prints(WAITING, &[flags, &["-pthread"]].concat());
        assert!(begun.elapsed() < SOON);
        assert_eq!(first, second);
        let waits = |name: &str, micros: u64| {
            assert!(
                first.contains(&format!("{name} {}\n", micros + 100)),
                "{flags:?} {name} {first}"
            );
        };
        for name in
            ["usleep", "nanosleep", "poll", "poll-read", "ppoll", "select", "pselect", "epoll"]
        {
            waits(name, 10_000);
        }
        for name in ["sleep", "poll-write", "poll-ever"] {
            waits(name, 0);
        }
        waits("until", 100_000_100);
        waits("until-real", 100_000_100);
        assert!(first.ends_with("\n1\n"), "{first}");
    }
}

#[test]
fn a_loop_that_polls_the_time_ends() {
    let source = r#"
        #include <stdio.h>
        #include <time.h>
        #include <unistd.h>
        int main(void) {
            time_t end = time(0) + 2;
            int count = 0;
            while (time(0) < end) { usleep(20 * 1000); count++; }
            printf("%d\n", count);
        }"#;
    for &flags in machines(has!(Tool::Gcc32)) {
        assert_eq!(prints(source, flags), ["100\n", "100\n"], "{flags:?}");
    }
}

#[test]
fn random_devices_give_the_same_bytes_in_all_runs() {
    let source = r#"
        #include <fcntl.h>
        #include <stdio.h>
        #include <unistd.h>
        int main(void) {
            const char *names[] = {"/dev/urandom", "/dev/random"};
            for (int i = 0; i < 2; i++) {
                unsigned long long number = 0;
                FILE *file = fopen(names[i], "r");
                int direct = open(names[i], O_RDONLY);
                fread(&number, sizeof number, 1, file);
                printf("%llx ", number);
                printf("%ld %s\n", (long)read(direct, &number, sizeof number), names[i]);
            }
            printf("%d\n", open("/dev/urandomly", O_RDONLY));
        }"#;
    for &flags in machines(has!(Tool::Gcc32)) {
        let [first, second] = prints(source, flags);
        assert_eq!(first, second, "{flags:?}");
        assert!(first.contains(" 8 /dev/urandom\n") && first.ends_with("\n-1\n"), "{first}");
        assert!(!first.starts_with("0 "), "{first}");
    }
}

const SIGNALS: &str = r#"
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
volatile int got;
void handler(int signal) { got++; }
void here(void) {}
int main(void) {
    setbuf(stdout, 0);
    signal(SIGUSR1, handler);
    int known = getpid(), thread = syscall(SYS_gettid);
    here();
    raise(SIGUSR1);
    kill(getpid(), SIGUSR1);
    kill(known, SIGUSR1);
    syscall(SYS_tkill, thread, SIGUSR1);
    syscall(SYS_tgkill, known, thread, SIGUSR1);
    kill(0, SIGUSR1);
    printf("%d\n", got);
    kill(known, SIGTERM);
}
"#;

#[test]
fn a_fork_that_signals_itself_reaches_itself() {
    for &flags in machines(has!(Tool::Gcc32)) {
        let program = Program::built(SIGNALS, flags);
        let mut template = program.started_at("here", &[]);
        for _ in 0..3 {
            let end = template.fork().unwrap().finish(SOON).unwrap();
            assert_eq!(end.status, ExitStatus::Signal(libc::SIGTERM));
            assert_eq!(text(&end.stdout), "6\n");
        }
        assert_eq!(template.fork_obstacle().unwrap(), None);
        let end = template.finish(SOON).unwrap();
        assert_eq!((end.status, text(&end.stdout)), (ExitStatus::Signal(libc::SIGTERM), "6\n"));
    }
}

#[test]
fn a_pinned_program_still_sees_all_processors() {
    let source = r#"
        #define _GNU_SOURCE
        #include <sched.h>
        #include <stdio.h>
        int main(void) {
            cpu_set_t processors;
            sched_getaffinity(0, sizeof processors, &processors);
            printf("%d\n", CPU_COUNT(&processors));
        }"#;
    for &flags in machines(has!(Tool::Gcc32)) {
        let program = Program::built(source, flags);
        let free = program.start(&[]).finish(SOON).unwrap();
        let mut inferior = program.start(&[]);
        inferior.pin_cpu().unwrap();
        assert_eq!(inferior.finish(SOON).unwrap(), free);
    }
}
