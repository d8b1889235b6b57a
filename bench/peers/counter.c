/* Stands between a reducer and the test of a case, so that tests are counted alike for every reducer.
 *
 *     counter [... FILE]       FILE is the candidate; without it, $COUNTER_CANDIDATE in the current directory
 *
 * Runs `sh $COUNTER_TEST FILE` and exits as it does. Each execution leaves two lines in $COUNTER_LOG:
 *
 *     start BEGIN SIZE HASH
 *     end BEGIN END STATUS CPU
 *
 * BEGIN and END are nanoseconds of the monotonic clock, which has the same origin for all processes; CPU is
 * microseconds spent by the test and this program. A start without an end is a test that the reducer cut short.
 *
 * Linux weighs sessions before processes. If $COUNTER_NICE is set, the session gets that priority, which matters for
 * reducers that start a session for each test. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CANNOT_RUN = 127 };

static long long nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long long cpu_microseconds(int whose) {
    struct rusage usage;
    getrusage(whose, &usage);
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000LL + usage.ru_utime.tv_usec +
           usage.ru_stime.tv_usec;
}

/* A line is one write in append mode, so those of concurrent tests do not mix. */
static void append(const char *line, int length) {
    int log = open(getenv("COUNTER_LOG"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (log < 0 || write(log, line, length) != length) {
        perror("counter: cannot write to $COUNTER_LOG");
        exit(CANNOT_RUN);
    }
    close(log);
}

/* Size and FNV-1a hash; a candidate that cannot be read has size -1. */
static long long measure(const char *path, uint64_t *hash) {
    static unsigned char buffer[1 << 16];
    long long size = 0;
    ssize_t count;
    *hash = 14695981039346656037u;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    while ((count = read(file, buffer, sizeof buffer)) > 0) {
        for (ssize_t i = 0; i < count; i++) *hash = (*hash ^ buffer[i]) * 1099511628211u;
        size += count;
    }
    close(file);
    return size;
}

static void set_priority(const char *nice) {
    int session = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
    if (session < 0) return; /* a system without such priorities */
    if (write(session, nice, strlen(nice)) < 0) perror("counter: cannot set the priority of the session");
    close(session);
}

static int run(const char *test, const char *candidate) {
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a reducer that kills this program means the test */
        int null = open("/dev/null", O_RDWR);
        for (int stream = 0; stream <= 2; stream++) dup2(null, stream);
        execl("/bin/sh", "sh", test, candidate, (char *)NULL);
        _exit(CANNOT_RUN);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) < 0) return CANNOT_RUN;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int count, char **arguments) {
    const char *test = getenv("COUNTER_TEST");
    const char *candidate = count > 1 ? arguments[count - 1] : getenv("COUNTER_CANDIDATE");
    if (!test || !candidate || !getenv("COUNTER_LOG")) {
        fputs("counter: $COUNTER_TEST, $COUNTER_LOG and a candidate are needed\n", stderr);
        return CANNOT_RUN;
    }
    if (getenv("COUNTER_NICE")) set_priority(getenv("COUNTER_NICE"));
    char line[120];
    long long begin = nanoseconds();
    uint64_t hash;
    long long size = measure(candidate, &hash);
    append(line, snprintf(line, sizeof line, "start %lld %lld %016llx\n", begin, size, (unsigned long long)hash));
    int status = run(test, candidate);
    long long cpu = cpu_microseconds(RUSAGE_SELF) + cpu_microseconds(RUSAGE_CHILDREN);
    append(line, snprintf(line, sizeof line, "end %lld %lld %d %lld\n", begin, nanoseconds(), status, cpu));
    return status;
}
