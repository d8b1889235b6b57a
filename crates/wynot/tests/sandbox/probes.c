/* Attempts to get out of a sandbox, one for each argument: "probes NAME" ends with 99 if something outside was reached,
   and with 0 if it was not. "probes list" prints the names. "probes outside" provides what the attempts look for, in the
   current directory and elsewhere: it prints "ready" and waits until its standard input ends. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <linux/bpf.h>
#include <linux/if_alg.h>
#include <linux/vm_sockets.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char here[4096];
static const char *tag;         /* makes names outside unique */

static const char *beside(const char *name)
{
    static char path[8192];
    snprintf(path, sizeof path, "%s/%s", here, name);
    return path;
}
static const char *tagged(const char *format)
{
    static char path[4096];
    snprintf(path, sizeof path, format, tag);
    return path;
}
static const char *at_home(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", getenv("HOME"), name);
    return path;
}
static int number(const char *name)
{
    int value = 0;
    FILE *file = fopen(beside(name), "r");
    if (file) { if (fscanf(file, "%d", &value) != 1) value = 0; fclose(file); }
    return value;
}
/* The process that started the shell script that started this one. */
static pid_t supervisor(void)
{
    char path[64];
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", getppid());
    FILE *file = fopen(path, "r");
    if (file) { if (fscanf(file, "%*d %*s %*c %d", &parent) != 1) parent = 0; fclose(file); }
    return parent ? parent : 1;
}
static int victim(void) { return number("victim"); }
static int can_open(const char *path, int flags)
{
    int fd = open(path, flags, 0600);
    if (fd < 0) return 0;
    close(fd);
    return 1;
}
static int can_create(const char *path) { return can_open(path, O_WRONLY | O_CREAT); }
static int can_write(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY);
    if (fd < 0) return 0;
    int written = write(fd, text, strlen(text)) > 0;
    close(fd);
    return written;
}
static int can_connect(int family, const void *address, socklen_t length)
{
    int fd = socket(family, SOCK_STREAM, 0);
    if (fd < 0) return 0;
    int connected = connect(fd, address, length) == 0;
    close(fd);
    return connected;
}
static int can_connect_path(const char *path, int abstract)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    strncpy(address.sun_path + abstract, path, sizeof address.sun_path - 2);
    return can_connect(AF_UNIX, &address, offsetof(struct sockaddr_un, sun_path) + abstract + strlen(path) + !abstract);
}
static int has_socket(int family, int type, int protocol)
{
    int fd = socket(family, type, protocol);
    if (fd < 0) return 0;
    close(fd);
    return 1;
}

/* files */
static int home_read(void) { return can_open(at_home("secret"), O_RDONLY); }
static int home_write(void) { return can_create(at_home("escaped")); }
static int home_list(void)
{
    DIR *dir = opendir(getenv("HOME"));
    struct dirent *entry;
    int found = 0;
    while (dir && (entry = readdir(dir))) found |= !strcmp(entry->d_name, "secret");
    return found;
}
static int here_write(void) { return can_create(beside("escaped")); }
static int here_change(void) { return can_write(beside("precious"), "x"); }
static int here_remove(void) { return unlink(beside("precious")) == 0; }
static int here_chmod(void) { return chmod(beside("precious"), 0600) == 0; }
static int usr_write(void) { return can_create("/usr/wynot-probe"); }
static int etc_write(void) { return can_create("/etc/wynot-probe"); }
static int etc_shadow(void) { int fd = open("/etc/shadow", O_RDONLY); char c; return fd >= 0 && read(fd, &c, 1) == 1; }
static int tmp_write(void) { can_create(tagged("/tmp/wynot-probe-%s")); return 0; } /* looked for outside */
static int root_remount(void) { return mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL) == 0; }
static int here_remount(void) { return mount(NULL, here, NULL, MS_REMOUNT | MS_BIND, NULL) == 0; }
static int here_unmount(void) { return umount2(here, MNT_DETACH) == 0; }
static int root_mount(void) { return mount("none", "/mnt", "tmpfs", 0, NULL) == 0; }
static int root_chroot(void) { return chroot("/usr") == 0; }
static int here_lock(void) { int fd = open(beside("locked"), O_RDONLY); return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0; }
static int file_handle(void)
{
    struct { struct file_handle handle; char space[128]; } file = { .handle = { .handle_bytes = 128 } };
    int mount;
    if (name_to_handle_at(AT_FDCWD, here, &file.handle, &mount, 0)) return 0;
    return open_by_handle_at(open(here, O_RDONLY), &file.handle, O_RDONLY) >= 0;
}

/* descriptors */
static int fd_inherited(void)
{
    for (int fd = 3; fd < 256; fd++)
        if (fcntl(fd, F_GETFD) >= 0 && openat(fd, "escaped", O_WRONLY | O_CREAT, 0600) >= 0) return 1;
    return 0;
}
static int fd_parent(void)
{
    for (int fd = 0; fd < 256; fd++) {
        char path[8192];
        snprintf(path, sizeof path, "/proc/self/fd/%d/../../../../%s/escaped", fd, here + 1);
        if (fd > 2 && can_create(path)) return 1;
    }
    return 0;
}
static int fd_of_supervisor(void)
{
    for (int fd = 0; fd < 64; fd++) {
        char path[64], target[64];
        snprintf(path, sizeof path, "/proc/%d/fd/%d", supervisor(), fd);
        if (readlink(path, target, sizeof target) > 0 || can_open(path, O_RDONLY)) return 1;
    }
    return 0;
}
static int root_of_supervisor(void) { return can_create("/proc/1/root/usr/wynot-probe") || can_create("/proc/1/cwd/escaped"); }
static int memory_of_supervisor(void) { char path[64]; snprintf(path, sizeof path, "/proc/%d/mem", supervisor());
    return can_open(path, O_RDWR); }
static int pidfd_of_supervisor(void) { int fd = syscall(SYS_pidfd_open, supervisor(), 0);
    return fd >= 0 && syscall(438, fd, 0, 0) >= 0; }

/* terminal */
static int terminal_type(void)
{
    char letter = 'x';
    int tty = open("/dev/tty", O_RDWR | O_NOCTTY);
    for (int fd = 0; fd < 64; fd++)
        if (ioctl(fd, TIOCSTI, &letter) == 0) return 1;
    return tty >= 0 && ioctl(tty, TIOCSTI, &letter) == 0;
}
static int terminal_masked(void) { char letter = 'x'; int tty = open("/dev/tty", O_RDWR);
    return syscall(SYS_ioctl, tty, 0x100000000ul | TIOCSTI, &letter) == 0; }
static int terminal_open(void) { return can_open("/dev/tty", O_RDWR); }

/* processes */
static int process_see(void) { return victim() && kill(victim(), 0) == 0; }
static int process_stop(void) { return victim() && kill(victim(), SIGSTOP) == 0; }
static int process_nice(void) { return victim() && setpriority(PRIO_PROCESS, victim(), 19) == 0; }
static int process_nice_user(void) { setpriority(PRIO_USER, getuid(), 7); return 0; } /* looked for outside */
static int process_kill_all(void) { kill(-1, SIGWINCH); return 0; } /* looked for outside */
static int process_affinity(void) { cpu_set_t set; CPU_ZERO(&set); CPU_SET(0, &set);
    return victim() && sched_setaffinity(victim(), sizeof set, &set) == 0; }
static int process_limit(void) { struct rlimit limit = { 8, 8 }; return victim() && prlimit(victim(), RLIMIT_CORE, &limit, NULL) == 0; }
static int process_trace(void) { return victim() && ptrace(PTRACE_SEIZE, victim(), 0, 0) == 0; }
static int process_memory(void) { char byte; struct iovec l = { &byte, 1 }, r = { (void *)&here, 1 };
    return victim() && process_vm_readv(victim(), &l, 1, &r, 1, 0) == 1; }
static int supervisor_trace(void) { return ptrace(PTRACE_SEIZE, supervisor(), 0, 0) == 0; }
static int supervisor_memory(void) { char byte; struct iovec l = { &byte, 1 }, r = { (void *)&here, 1 };
    return process_vm_readv(supervisor(), &l, 1, &r, 1, 0) == 1; }

/* communication between processes */
static int sysv_memory(void) { return shmget(number("key"), 0, 0) >= 0; }
static int sysv_queue(void) { return msgget(number("key"), 0) >= 0; }
static int sysv_semaphore(void) { return semget(number("key"), 0, 0) >= 0; }
static int posix_queue(void) { return mq_open(tagged("/wynot-%s"), O_RDONLY) >= 0; }
static int posix_memory(void) { return shm_open(tagged("/wynot-%s"), O_RDWR, 0) >= 0; }
static int fifo_here(void) { return can_open(beside("fifo"), O_WRONLY | O_NONBLOCK); }
static int fifo_tmp(void) { return can_open(tagged("/tmp/wynot-fifo-%s"), O_WRONLY | O_NONBLOCK); }

/* sockets */
static int socket_here(void) { if (chdir(here)) return 0; return can_connect_path("socket", 0); }
static int socket_tmp(void) { return can_connect_path(tagged("/tmp/wynot-socket-%s"), 0); }
static int socket_abstract(void) { return can_connect_path(tagged("wynot-%s"), 1); }
static int socket_loopback(void) { struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(number("port")), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    return can_connect(AF_INET, &a, sizeof a); }
static int socket_route(void) { struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(0xc0000201) };
    int fd = socket(AF_INET, SOCK_DGRAM, 0); return connect(fd, (void *)&a, sizeof a) == 0; }
static int socket_vsock(void) { return has_socket(AF_VSOCK, SOCK_STREAM, 0); }
static int socket_alg(void) { return has_socket(AF_ALG, SOCK_SEQPACKET, 0); }
static int socket_packet(void) { return has_socket(AF_PACKET, SOCK_RAW, 0); }
static int socket_bluetooth(void) { return has_socket(AF_BLUETOOTH, SOCK_RAW, 1); }
static int socket_can(void) { return has_socket(29, SOCK_RAW, 1); }
static int socket_raw(void) { return has_socket(AF_INET, SOCK_RAW, IPPROTO_ICMP); }

/* devices, /proc, /sys */
static int device_loop(void) { return can_open("/dev/loop-control", O_RDWR) || can_open("/dev/loop0", O_RDWR); }
static int device_memory(void) { return can_open("/dev/mem", O_RDONLY) || can_open("/dev/kmsg", O_WRONLY); }
static int device_others(void) { return can_open("/dev/fuse", O_RDWR) || can_open("/dev/kvm", O_RDWR) || can_open("/dev/net/tun", O_RDWR) || can_open("/dev/vda", O_RDONLY) || can_open("/dev/sda", O_RDONLY); }
static int device_make(void) { return mknod("made", S_IFBLK | 0600, makedev(7, 0)) == 0 || mknod("made", S_IFCHR | 0600, makedev(1, 1)) == 0; }
static int proc_core_pattern(void) { return can_open("/proc/sys/kernel/core_pattern", O_WRONLY); }
static int proc_sysrq(void) { return can_open("/proc/sysrq-trigger", O_WRONLY); }
static int proc_modprobe(void) { return can_open("/proc/sys/kernel/modprobe", O_WRONLY); }
static int proc_kcore(void) { int fd = open("/proc/kcore", O_RDONLY); char c; return fd >= 0 && read(fd, &c, 1) == 1; }
static int proc_others(void) { char path[64]; snprintf(path, sizeof path, "/proc/%d/environ", victim()); return victim() && can_open(path, O_RDONLY); }
static int sys_write(void) { return can_open("/sys/kernel/uevent_helper", O_WRONLY) || can_open("/sys/power/state", O_WRONLY) || can_open("/sys/kernel/mm/ksm/run", O_WRONLY); }

/* control groups, namespaces, privileges, time */
static int cgroup_write(void) { return can_open("/sys/fs/cgroup/cgroup.procs", O_WRONLY) || can_open("/sys/fs/cgroup/unified/cgroup.procs", O_WRONLY)
    || can_open("/sys/fs/cgroup/pids/cgroup.procs", O_WRONLY) || mkdir("/sys/fs/cgroup/wynot-probe", 0700) == 0 || mkdir("/sys/fs/cgroup/pids/wynot-probe", 0700) == 0; }
static int cgroup_mount(void) { mkdir("cg", 0700); return mount("none", "cg", "cgroup2", 0, NULL) == 0; }
static int namespace_user(void) { return unshare(CLONE_NEWUSER) == 0; }
static int namespace_clone(void) { int pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0); if (pid == 0) _exit(0); if (pid > 0) waitpid(pid, NULL, 0); return pid > 0; }
static int namespace_mount(void) { return unshare(CLONE_NEWNS) == 0; }
static int namespace_join(void) { int fd = open("/proc/1/ns/mnt", O_RDONLY); return fd >= 0 && setns(fd, CLONE_NEWNS) == 0; }
static int host_name(void) { char name[65]; gethostname(name, 64); return sethostname(name, strlen(name)) == 0; }
static int status_line(const char *format, unsigned long long otherwise)
{
    unsigned long long value = otherwise;
    char line[256];
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status)) sscanf(line, format, &value);
    return value != 0;
}
static int privileges_effective(void) { return status_line("CapEff: %llx", 0); }
static int privileges_bounding(void) { return status_line("CapBnd: %llx", 0); }
static int privileges_new(void) { return !status_line("NoNewPrivs: %llx", 0); }
static int time_set(void) { struct timespec now; clock_gettime(CLOCK_REALTIME, &now); return clock_settime(CLOCK_REALTIME, &now) == 0; }
static int time_adjust(void) { struct timex t = { .modes = ADJ_TICK }; struct timex old = { 0 }; adjtimex(&old); t.tick = old.tick; return adjtimex(&t) >= 0; }

/* keys and other doors of the kernel */
static int key_search(void) { return syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_USER_KEYRING, "user", tagged("wynot-%s"), 0) >= 0; }
static int key_session(void) { return syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0) >= 0; }
static int key_add(void) { return syscall(SYS_add_key, "user", "wynot-escaped", "x", 1, KEY_SPEC_USER_KEYRING) >= 0; }
static int kernel_bpf(void) { union bpf_attr a; memset(&a, 0, sizeof a); a.map_type = BPF_MAP_TYPE_ARRAY; a.key_size = 4; a.value_size = 4; a.max_entries = 1;
    return syscall(SYS_bpf, BPF_MAP_CREATE, &a, sizeof a) >= 0; }
static int kernel_perf(void) { struct perf_event_attr a; memset(&a, 0, sizeof a); a.size = sizeof a; a.type = PERF_TYPE_SOFTWARE; a.exclude_kernel = 1;
    return syscall(SYS_perf_event_open, &a, 0, -1, -1, 0) >= 0; }
static int kernel_userfault(void) { return syscall(SYS_userfaultfd, 1) >= 0; }
static int kernel_ring(void) { char params[256] = { 0 }; return syscall(425, 4, params) >= 0; }
static int kernel_module(void) { return syscall(SYS_init_module, "", 0, "") == 0; }

static const struct { const char *name; int (*attempt)(void); } probes[] = {
#define P(name) { #name, name }
    P(home_read), P(home_write), P(home_list), P(here_write), P(here_change), P(here_remove), P(here_chmod), P(here_lock),
    P(usr_write), P(etc_write), P(etc_shadow), P(tmp_write), P(root_remount), P(here_remount), P(here_unmount), P(root_mount),
    P(root_chroot), P(file_handle), P(fd_inherited), P(fd_parent), P(fd_of_supervisor), P(root_of_supervisor),
    P(memory_of_supervisor), P(pidfd_of_supervisor), P(terminal_type), P(terminal_masked), P(terminal_open), P(process_see),
    P(process_stop), P(process_nice), P(process_nice_user), P(process_kill_all), P(process_affinity), P(process_limit),
    P(process_trace), P(process_memory), P(supervisor_trace), P(supervisor_memory), P(sysv_memory), P(sysv_queue),
    P(sysv_semaphore), P(posix_queue), P(posix_memory), P(fifo_here), P(fifo_tmp), P(socket_here), P(socket_tmp),
    P(socket_abstract), P(socket_loopback), P(socket_route), P(socket_vsock), P(socket_alg), P(socket_packet),
    P(socket_bluetooth), P(socket_can), P(socket_raw), P(device_loop), P(device_memory), P(device_others), P(device_make),
    P(proc_core_pattern), P(proc_sysrq), P(proc_modprobe), P(proc_kcore), P(proc_others), P(sys_write), P(cgroup_write),
    P(cgroup_mount), P(namespace_user), P(namespace_clone), P(namespace_mount), P(namespace_join), P(host_name),
    P(privileges_effective), P(privileges_bounding), P(privileges_new), P(time_set), P(time_adjust), P(key_search),
    P(key_session), P(key_add), P(kernel_bpf), P(kernel_perf), P(kernel_userfault), P(kernel_ring), P(kernel_module),
};

static void note(const char *name, int value)
{
    FILE *file = fopen(beside(name), "w");
    fprintf(file, "%d\n", value);
    fclose(file);
}
static void listen_at(const char *path, int abstract)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    strncpy(address.sun_path + abstract, path, sizeof address.sun_path - 2);
    if (!abstract) unlink(path);
    if (bind(fd, (void *)&address, offsetof(struct sockaddr_un, sun_path) + abstract + strlen(path) + !abstract) || listen(fd, 9))
        perror(path);
}

/* Provides what the attempts look for, until standard input ends. */
static int outside(void)
{
    int key = 0x77790000 + (getpid() & 0xffff), from = getpid();
    pid_t child = fork();
    if (child == 0) { signal(SIGWINCH, _exit); for (;;) pause(); }
    note("victim", child);
    note("key", key);
    int memory = shmget(key, 4096, IPC_CREAT | 0600), queue = msgget(key, IPC_CREAT | 0600), semaphore = semget(key, 1, IPC_CREAT | 0600);
    mq_open(tagged("/wynot-%s"), O_CREAT | O_RDWR, 0600, NULL);
    shm_open(tagged("/wynot-%s"), O_CREAT | O_RDWR, 0600);
    mkfifo(beside("fifo"), 0600);
    open(beside("fifo"), O_RDONLY | O_NONBLOCK);
    mkfifo(tagged("/tmp/wynot-fifo-%s"), 0600);
    open(tagged("/tmp/wynot-fifo-%s"), O_RDONLY | O_NONBLOCK);
    flock(open(beside("locked"), O_RDONLY | O_CREAT, 0600), LOCK_EX);
    listen_at("socket", 0);
    listen_at(tagged("/tmp/wynot-socket-%s"), 0);
    listen_at(tagged("wynot-%s"), 1);
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof address;
    int server = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(server, (void *)&address, length) || listen(server, 9) || getsockname(server, (void *)&address, &length)) perror("tcp");
    note("port", ntohs(address.sin_port));
    syscall(SYS_add_key, "user", tagged("wynot-%s"), "secret", 6, KEY_SPEC_USER_KEYRING);
    puts("ready");
    fflush(stdout);
    char byte;
    while (read(0, &byte, 1) > 0) {}
    /* What the attempts without an answer of their own have done. */
    int escaped = 0, status = 0, nice = getpriority(PRIO_PROCESS, child);
    if (waitpid(child, &status, WNOHANG) == child) { puts("process_kill_all"); escaped = 1; }
    if (nice == 7) { puts("process_nice_user"); escaped = 1; }
    if (access(tagged("/tmp/wynot-probe-%s"), F_OK) == 0) { puts("tmp_write"); escaped = 1; }
    kill(child, SIGKILL);
    shmctl(memory, IPC_RMID, NULL);
    msgctl(queue, IPC_RMID, NULL);
    semctl(semaphore, 0, IPC_RMID);
    mq_unlink(tagged("/wynot-%s"));
    shm_unlink(tagged("/wynot-%s"));
    unlink(tagged("/tmp/wynot-fifo-%s"));
    unlink(tagged("/tmp/wynot-socket-%s"));
    unlink(tagged("/tmp/wynot-probe-%s"));
    return from == getpid() ? escaped : 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "list")) {
        for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) puts(probes[i].name);
        return 0;
    }
    if (argc != 4) return 2;
    tag = argv[2];
    snprintf(here, sizeof here, "%s", argv[3]);
    if (!strcmp(argv[1], "outside")) return outside();
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++)
        if (!strcmp(argv[1], probes[i].name)) return probes[i].attempt() ? 99 : 0;
    return 2;
}
