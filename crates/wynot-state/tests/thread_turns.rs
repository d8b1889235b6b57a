//! Programs with threads, of which one runs at a time: all runs of them are alike.

mod programs;

use programs::{Program, SOON, machines, text};
use wynot_state::process::{ExitStatus, Pause};
use wynot_test_support::{Tool, has};

/// Workers that take jobs from a queue, each for a while, and notes of which worker has done what.
const QUEUE: &str = r#"
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER, less = PTHREAD_COND_INITIALIZER;
static int queue[4], length, done;
static char notes[4000], *end = notes;
void job(long worker, int number) {
    for (volatile int i = 0; i < number * 1000; i++);
    end += sprintf(end, "%ld:%d ", worker, number);
    if (number % 3 == 0) sched_yield();
}
void *work(void *number) {
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!length && !done) pthread_cond_wait(&more, &lock);
        if (!length) return pthread_mutex_unlock(&lock), NULL;
        int next = queue[--length];
        pthread_cond_signal(&less);
        pthread_mutex_unlock(&lock);
        job((long) number, next);
    }
}
int main(void) {
    pthread_t threads[5];
    for (long i = 0; i < 5; i++) pthread_create(&threads[i], 0, work, (void *) i);
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&lock);
        while (length == 4) pthread_cond_wait(&less, &lock);
        queue[length++] = i;
        pthread_cond_signal(&more);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 5; i++) pthread_join(threads[i], 0);
    puts(notes);
}
"#;

/// The thread at each call of a function, and what the program prints.
fn calls(program: &Program, function: &str) -> (Vec<usize>, String) {
    let mut inferior = program.start(&[]);
    let address = program.at(&inferior, function);
    inferior.set_breakpoints(&[address]).unwrap();
    let mut threads = Vec::new();
    loop {
        match inferior.resume().unwrap() {
            Pause::At(_) => threads.push(inferior.thread_number()),
            Pause::Ended(end) => {
                assert_eq!(end.status, ExitStatus::Exit(0));
                return (threads, text(&end.stdout).to_owned());
            }
        }
    }
}

#[test]
fn the_order_of_what_threads_do_is_always_the_same() {
    for flags in machines(has!(Tool::Gcc32)) {
        let program = Program::built(QUEUE, &[*flags, &["-pthread"]].concat());
        let first = calls(&program, "job");
        assert_eq!(first.0.len(), 100);
        assert!(first.0.iter().any(|thread| *thread != first.0[0]), "{:?}", first.0);
        for _ in 0..10 {
            assert_eq!(calls(&program, "job"), first);
        }
        // Stops do not matter.
        let end = program.start(&[]).finish(SOON).unwrap();
        assert_eq!(text(&end.stdout), first.1);
    }
}

/// What a program prints that ends with exit code 0 within the usual time.
fn printed(source: &str) -> String {
    let program = Program::built(source, &["-pthread"]);
    let end = program.start(&[]).finish(SOON).unwrap();
    assert_eq!(end.status, ExitStatus::Exit(0), "{}", text(&end.stderr));
    text(&end.stdout).to_owned()
}

#[test]
fn threads_may_wait_in_calls_that_are_not_intercepted() {
    let source = r#"
        #include <pthread.h>
        #include <stdio.h>
        #include <unistd.h>
        static int there[2], back[2];
        void *echo(void *nothing) {
            char byte;
            while (read(there[0], &byte, 1) == 1) byte++, write(back[1], &byte, 1);
            return NULL;
        }
        int main(void) {
            pthread_t thread;
            char byte = 'a';
            pipe(there), pipe(back);
            pthread_create(&thread, 0, echo, 0);
            for (int i = 0; i < 10; i++) write(there[1], &byte, 1), read(back[0], &byte, 1);
            close(there[1]);
            pthread_join(thread, 0);
            printf("%c\n", byte);
        }"#;
    assert_eq!(printed(source), "k\n");
}

#[test]
fn a_thread_that_waits_in_a_loop_loses_its_turn() {
    let source = r#"
        #include <pthread.h>
        #include <stdio.h>
        static volatile int ready;
        void *set(void *nothing) { ready = 1; return NULL; }
        int main(void) {
            pthread_t thread;
            pthread_create(&thread, 0, set, 0);
            while (!ready);
            pthread_join(thread, 0);
            puts("over");
        }"#;
    assert_eq!(printed(source), "over\n");
}

#[test]
fn the_first_thread_may_end_before_the_others() {
    let source = r#"
        #include <pthread.h>
        #include <stdio.h>
        #include <stdlib.h>
        static pthread_t first;
        void *last(void *nothing) { pthread_join(first, 0); puts("last"); exit(0); }
        int main(void) {
            pthread_t thread;
            first = pthread_self();
            pthread_create(&thread, 0, last, 0);
            pthread_exit(NULL);
        }"#;
    assert_eq!(printed(source), "last\n");
}

#[test]
fn threads_may_sleep_wait_with_a_limit_and_be_interrupted() {
    let source = r#"
        #include <pthread.h>
        #include <signal.h>
        #include <stdio.h>
        #include <time.h>
        #include <unistd.h>
        static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
        static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
        static volatile sig_atomic_t signals;
        void count(int signal) { signals++; }
        void *sleeper(void *nothing) { usleep(20000); return NULL; }
        void *waiter(void *nothing) {
            struct timespec until;
            clock_gettime(CLOCK_REALTIME, &until);
            pthread_mutex_lock(&lock);
            pthread_cond_timedwait(&never, &lock, &until);
            pthread_mutex_unlock(&lock);
            return NULL;
        }
        void *pauser(void *nothing) { while (!signals) usleep(1000); return NULL; }
        int main(void) {
            pthread_t threads[3];
            signal(SIGUSR1, count);
            pthread_create(&threads[0], 0, sleeper, 0);
            pthread_create(&threads[1], 0, waiter, 0);
            pthread_create(&threads[2], 0, pauser, 0);
            usleep(5000);
            pthread_kill(threads[2], SIGUSR1);
            for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
            printf("%d\n", (int) signals);
        }"#;
    assert_eq!(printed(source), "1\n");
}
