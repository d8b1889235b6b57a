/* Processes that try to outlive the test that starts them: "hostile KIND TAG". The tag is for those who look for them. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BOMB_PROCESSES = 250 };

static void ignore_signals(void)
{
    for (int signal_number = 1; signal_number < 65; signal_number++) signal(signal_number, SIG_IGN);
}
static void stay(void)
{
    for (;;) sleep(1000);
}
static void *stay_in_thread(void *nothing)
{
    stay();
    return nothing;
}
/* Starts a process that leaves the session and the process group of the test. */
static int daemonize(void)
{
    if (fork()) return 0;
    setsid();
    if (fork()) _exit(0);
    ignore_signals();
    return 1;
}
/* The process that started the shell script that started this one. */
static pid_t supervisor(void)
{
    char path[64];
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", getppid());
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%*d %*s %*c %d", &parent) != 1) parent = 0;
    return parent ? parent : 1;
}
/* Processes that start others in the place of those that are killed, up to a number. */
static void bomb(void)
{
    pid_t *places = mmap(NULL, BOMB_PROCESSES * sizeof *places, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!daemonize()) return;
    for (unsigned at = 0;; at = (at + 7) % BOMB_PROCESSES) {
        pid_t before = places[at];
        if (before && (kill(before, 0) == 0 || errno != ESRCH)) continue;
        if (!__sync_bool_compare_and_swap(&places[at], before, getpid())) continue;
        if (fork() == 0) {
            places[at] = getpid();
            setsid();
        }
    }
}

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    const char *kind = argv[1];
    if (!strcmp(kind, "bomb")) {
        bomb();
    } else if (!strcmp(kind, "daemon")) {
        if (daemonize()) stay();
    } else if (!strcmp(kind, "stopped")) {
        if (daemonize()) { raise(SIGSTOP); stay(); }
    } else if (!strcmp(kind, "traced")) {
        if (daemonize()) {
            pid_t child = fork();
            if (child == 0) { ptrace(PTRACE_TRACEME, 0, 0, 0); raise(SIGSTOP); stay(); }
            stay();
        }
    } else if (!strcmp(kind, "threads")) {
        if (daemonize()) {
            pthread_t thread;
            for (int i = 0; i < 20; i++) pthread_create(&thread, NULL, stay_in_thread, NULL);
            pthread_exit(NULL); /* the process goes on without its first thread */
        }
    } else if (!strcmp(kind, "subreaper")) {
        if (daemonize()) { prctl(PR_SET_CHILD_SUBREAPER, 1); if (daemonize()) stay(); stay(); }
    } else if (!strcmp(kind, "vfork")) {
        if (daemonize() && vfork() == 0) stay();
    } else if (!strcmp(kind, "namespace")) {
        if (daemonize()) { if (unshare(CLONE_NEWPID) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWPID) == 0) fork(); stay(); }
    } else if (!strcmp(kind, "kill")) {
        if (daemonize()) stay();
        kill(supervisor(), SIGKILL);
    } else if (!strcmp(kind, "stop")) {
        if (daemonize()) stay();
        kill(supervisor(), SIGSTOP);
    } else if (!strcmp(kind, "trace")) {
        pid_t target = supervisor();
        if (daemonize()) { ptrace(PTRACE_ATTACH, target, 0, 0); stay(); }
        usleep(20000);
    } else if (!strcmp(kind, "forge")) {
        if (daemonize()) stay();
        int pidfd = syscall(SYS_pidfd_open, supervisor(), 0);
        for (int number = 0; number < 64; number++) {
            int stolen = syscall(438 /* pidfd_getfd */, pidfd, number, 0);
            if (stolen >= 0 && write(stolen, "\xff\xff\xff\x7f", 4) < 0) close(stolen);
        }
    } else {
        return 2;
    }
    return 0;
}
