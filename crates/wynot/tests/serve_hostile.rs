//! Jobs that attack the server, its machine, or other jobs. None of them gets out, and the server goes on.

mod serve_support;
mod support;

use serde_json::{Value, json};
use serve_support::{Server, reduction};
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use support::{Place, gcc, ran};
use wynot_test_support::{Tool, require};

const INPUT: &[u8] = b"a\nwant\nb\n";

/// The exit code of an attempt that reached something.
const ESCAPED: i32 = 99;

/// Runs a reduction whose test first makes an attempt, as shell code. The attempt exits with 99 if it gets out.
fn attempt(
    server: &Server,
    code: &str,
    more_words: &[&str],
    files: &[(&str, &str, &[u8])],
) -> Value {
    let script = format!("#!/bin/bash\n{code}\n! grep -q want \"$1\"\n").into_bytes();
    let mut words = vec!["./t", "{}"];
    words.extend_from_slice(more_words);
    let request = json!({"verb": "reduce", "test": words, "options": ["--unit=line"]});
    let mut all: Vec<(&str, &str, &[u8])> =
        vec![("input", "in.txt", INPUT), ("file", "t", &script)];
    all.extend_from_slice(files);
    let id = server.accepted(&request, &all);
    server.ended(&id)
}

/// Checks that an attempt was contained: the job has found what its test looks for.
#[track_caller]
fn assert_contained(job: &Value) {
    assert_ne!(job["result"]["failure"]["ending"], format!("exit {ESCAPED}"), "{job}");
    assert_eq!(job["state"], "done", "{job}");
    assert_eq!(job["result"]["bytes"]["after"], 5, "{job}");
}

#[test]
fn files_of_the_machine_of_the_server_and_of_others_cannot_be_read() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let server = Server::start(&place, "");
    place.write("secret", "key\n");
    let other = attempt(&server, "true", &[], &[("file", "private.txt", b"of another job\n")]);
    assert_contained(&other);
    let data = place.path("data").canonicalize().unwrap();
    let of_other = data.join("jobs").join(other["id"].as_str().unwrap());
    let paths = [
        place.path("secret"),
        place.path("serve.log"),
        data.join("wynot.sqlite"),
        data.join("lock"),
        of_other.join("work/private.txt"),
        of_other.join("out/in.txt"),
        "/etc/shadow".into(),
        "/proc/1/environ".into(),
        format!("/proc/{}/environ", server.id()).into(),
        format!("/proc/{}/root/etc/shadow", server.id()).into(),
    ];
    let reads: String = paths
        .iter()
        .map(|path| {
            format!(
                "[ -s '{0}' ] && cat '{0}' 2>/dev/null | grep -q . && exit {ESCAPED}\n",
                path.display()
            )
        })
        .collect();
    assert_contained(&attempt(&server, &reads, &[], &[]));
    // Of all jobs, a test sees its own, and of the data directory nothing else.
    let lists = format!(
        "[ \"$(ls {0}/jobs | wc -l)\" -gt 1 ] && exit {ESCAPED}; [ \"$(ls {0})\" = jobs ] || exit {ESCAPED}",
        data.display()
    );
    assert_contained(&attempt(&server, &lists, &[], &[]));
    // A file that a command names is shown to tests, but not one of another job.
    let private = of_other.join("work/private.txt").display().to_string();
    let named = attempt(&server, &format!("cat \"$2\" && exit {ESCAPED}"), &[&private], &[]);
    assert_contained(&named);
    let writes: String =
        [data.join("wynot.sqlite"), place.path("new"), of_other.join("out/in.txt")]
            .iter()
            .map(|path| format!("echo x >> '{}'\n", path.display()))
            .collect();
    // Temporary directories of a test are its own, so that some of the writing works there.
    assert_contained(&attempt(&server, &format!("({writes}) 2>/dev/null"), &[], &[]));
    assert!(!place.path("new").exists());
    assert_eq!(fs::read_to_string(of_other.join("out/in.txt")).unwrap(), "want\n");
    assert_eq!(server.get("/api/v1/jobs").status, 200, "the database is whole");
}

#[test]
fn all_known_attempts_to_leave_the_sandbox_fail_in_jobs() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let server = Server::start(&place, "");
    gcc(&place, "probes", &["-O1", "-static"], include_str!("sandbox/probes.c"));
    let here = place.dir.path().canonicalize().unwrap();
    fs::write(place.path("precious"), "keep me\n").unwrap();
    let tag = here.file_name().unwrap().to_string_lossy().trim_start_matches('.').to_owned();
    let mut outside = Command::new(place.path("probes"))
        .args(["outside", &tag])
        .arg(&here)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // The place is in a temporary directory, which tests have of their own; `sandbox_probes.rs` has the attempts on others.
    let names = ran(Command::new(place.path("probes")).arg("list")).stdout;
    // Without its key, which is in a hidden file, the one for queues makes a queue of its own.
    let is_meant = |name: &&str| !name.starts_with("here_") && *name != "sysv_queue";
    let names: Vec<&str> = names.lines().filter(is_meant).collect();
    let probes = place.read("probes");
    let script: &[u8] =
        b"#!/bin/sh\n$2 $3 $4 $5 2>/dev/null; [ $? = 99 ] && exit 99\n! grep -q want \"$1\"\n";
    let here = here.display().to_string();
    let jobs: Vec<(&str, String)> = names
        .iter()
        .map(|name| {
            let test = json!(["./t", "{}", "./probes", name, tag, here]);
            let request = json!({"verb": "reduce", "test": test, "options": ["--unit=line"]});
            let files: [(&str, &str, &[u8]); 3] =
                [("input", "in.txt", INPUT), ("file", "t", script), ("file", "probes", &probes)];
            (*name, server.accepted(&request, &files))
        })
        .collect();
    let ended: Vec<(&str, Value)> =
        jobs.iter().map(|(name, id)| (*name, server.ended(id))).collect();
    drop(outside.stdin.take());
    let reached = outside.wait_with_output().unwrap().stdout;
    let reached = String::from_utf8_lossy(&reached).replace("ready\n", "");
    for (name, job) in &ended {
        assert_eq!(job["result"]["bytes"]["after"], 5, "{name}: {job}");
    }
    assert_eq!(reached, "");
    assert_eq!(place.text("precious"), "keep me\n");
}

#[test]
fn the_network_and_other_processes_cannot_be_reached() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let server = Server::start(&place, "");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let victim = Command::new("sleep").arg("1000").spawn();
    let mut victim = victim.unwrap();
    let port = |address: &str| address.rsplit(':').next().unwrap().to_owned();
    let ports = [port(&server.url), listener.local_addr().unwrap().port().to_string()];
    let code: String = ports
        .iter()
        .map(|port| format!("(exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null && exit {ESCAPED}\n"))
        .collect();
    assert_contained(&attempt(&server, &code, &[], &[]));
    let ids = [victim.id(), server.id(), std::process::id()];
    let kills: String =
        ids.iter().map(|id| format!("kill -9 {id} 2>/dev/null && exit {ESCAPED}\n")).collect();
    assert_contained(&attempt(&server, &kills, &[], &[]));
    assert!(listener.accept().is_err(), "a job has connected");
    assert!(victim.try_wait().unwrap().is_none(), "a job has killed another process");
    // Whatever it kills are its own processes; its supervisor and the server go on.
    let job = attempt(&server, "kill -9 -1 2>/dev/null", &[], &[]);
    assert!(["done", "failed"].contains(&job["state"].as_str().unwrap()), "{job}");
    assert_eq!(server.get("/healthz").status, 200);
    victim.kill().unwrap();
    victim.wait().unwrap();
}

/// The number of processes of all users.
fn processes() -> usize {
    let is_number =
        |name: std::ffi::OsString| name.to_string_lossy().bytes().all(|byte| byte.is_ascii_digit());
    fs::read_dir("/proc").unwrap().flatten().filter(|entry| is_number(entry.file_name())).count()
}

fn size_of(path: &Path) -> u64 {
    let sizes = ran(Command::new("du").arg("-sk").arg(path)).stdout;
    sizes.split_whitespace().next().unwrap().parse::<u64>().unwrap() * 1024
}

#[test]
fn what_jobs_use_is_limited_and_the_server_answers_meanwhile() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let limits = "--slots 1 --memory 300M --processes 100 --disk 200M --time 20s";
    let server = Server::start(&place, limits);
    let before = processes();
    let hostile = [
        ("a fork bomb", "bomb() { bomb | bomb & }; bomb; sleep 1"),
        ("10 GB of memory", "tail /dev/zero > /dev/null 2>&1"),
        ("10 GB in a file", "dd if=/dev/zero of=big bs=1M count=10000 2>/dev/null"),
        (
            "10 GB in many files",
            "for i in $(seq 100); do head -c 100M /dev/zero > big$i || break; done 2>/dev/null",
        ),
        (
            "10 GB in temporary files",
            "head -c 10G /dev/zero > /tmp/big 2>/dev/null; head -c 10G /dev/zero > /dev/shm/big",
        ),
        ("10 GB of output", "head -c 10G /dev/zero"),
        ("an endless loop", "while :; do :; done"),
        ("a daemon", "setsid sh -c 'sleep 1000' > /dev/null 2>&1 &"),
    ];
    let mut slowest = Duration::ZERO;
    for (name, code) in hostile {
        let script = format!("#!/bin/bash\n{code}\n! grep -q want \"$1\"\n").into_bytes();
        let options = json!({"verb": "reduce", "test": ["./t", "{}"], "options": ["--timeout=3s", "--unit=line"]});
        let files: [(&str, &str, &[u8]); 2] = [("input", "in.txt", INPUT), ("file", "t", &script)];
        let id = server.accepted(&options, &files);
        let started = Instant::now();
        loop {
            let asked = Instant::now();
            let job = server.job(&id);
            slowest = slowest.max(asked.elapsed());
            if !["queued", "running"].contains(&job["state"].as_str().unwrap()) {
                break;
            }
            // The limit of its time, and that of its end.
            assert!(started.elapsed() < Duration::from_secs(100), "{name}: {job}");
            assert!(size_of(&place.path("data")) < 400 << 20, "{name} fills the disk");
            std::thread::sleep(Duration::from_millis(50));
        }
        assert_eq!(server.get("/readyz").status, 200, "{name}");
    }
    // A bound for a busy machine; docs/serve.md has what was measured on a quiet one.
    assert!(slowest < Duration::from_secs(10), "an answer took {slowest:?}");
    let started = Instant::now();
    while processes() > before + 20 {
        assert!(started.elapsed() < Duration::from_secs(30), "processes are left: {}", processes());
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn archives_that_lead_outside_are_refused() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let server = Server::start(&place, "");
    place.write("victim", "x\n");
    let tar = |name: &str, commands: &str| {
        let script = format!("rm -rf tree; mkdir tree; cd tree; {commands}");
        let mut sh = Command::new("sh");
        place.prepare(&mut sh);
        assert_eq!(ran(sh.args(["-c", &script])).code, Some(0), "{name}");
        place.read("evil.tar")
    };
    let fine = tar("fine", "echo y > code; tar cf ../evil.tar code");
    let archives = [
        tar(
            "a name with ..",
            "echo y > code; tar cPf ../evil.tar code --transform 's,code,../../../escaped,'",
        ),
        tar(
            "an absolute name",
            "echo y > code; tar cPf ../evil.tar code --transform 's,code,/tmp/wynot-escaped,'",
        ),
        tar(
            "a link",
            "ln -s /etc x; tar cf ../evil.tar x; mkdir y; echo z > y/passwd; tar rf ../evil.tar y --transform 's,^y,x,'",
        ),
        b"not an archive".to_vec(),
    ];
    for (index, archive) in archives.iter().enumerate() {
        let request = json!({"verb": "changes", "test": ["/bin/sh", "-c", "! grep -q y code"]});
        let files: [(&str, &str, &[u8]); 2] =
            [("good", "good.tar", &fine), ("bad", "bad.tar", archive)];
        let id = server.accepted(&request, &files);
        let job = server.ended(&id);
        assert_eq!(job["state"], "failed", "{index}: {job}");
    }
    assert!(!Path::new("/tmp/wynot-escaped").exists());
    let bundle = json!({"verb": "history", "test": ["true"]});
    let id = server.accepted(&bundle, &[("repository", "x.bundle", b"no bundle")]);
    let job = server.ended(&id);
    assert!(job["message"].as_str().unwrap().contains("is not a git bundle"), "{job}");
}

#[test]
fn a_program_that_is_explained_is_contained_as_well() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let server = Server::start(&place, "");
    let data = place.path("data").canonicalize().unwrap();
    place.write("secret", "key\n");
    let port = server.url.rsplit(':').next().unwrap();
    // If it reaches anything, it does not fail any more.
    let source = format!(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n#include <signal.h>\n#include <arpa/inet.h>\n\
         #include <sys/socket.h>\n\
         static int reads(const char *path) {{ char c; FILE *f = fopen(path, \"r\"); return f && fread(&c, 1, 1, f) == 1; }}\n\
         static int connects(void) {{ struct sockaddr_in to = {{ .sin_family = AF_INET, .sin_port = htons({port}) }};\n\
           to.sin_addr.s_addr = htonl(0x7f000001); int s = socket(AF_INET, SOCK_STREAM, 0);\n\
           return connect(s, (void *)&to, sizeof to) == 0; }}\n\
         int main(int n, char **v) {{\n\
           int wanted = atoi(v[1]);\n\
           if (reads(\"{0}/wynot.sqlite\") || reads(\"{1}\") || reads(\"/etc/shadow\") || connects() || kill({2}, 0) == 0) return 0;\n\
           symlink(\"{1}\", \"../out/leak.txt\"); symlink(\"{1}\", \"../logs/messages-2.txt\");\n\
           symlink(\"{1}\", \"../logs/result-2.json\"); unlink(\"../out/report.html\"); symlink(\"{1}\", \"../out/report.html\");\n\
           int sum = wanted * 2; if (sum > 10) abort(); printf(\"%d\\n\", sum); return 0; }}\n",
        data.display(),
        place.path("secret").display(),
        server.id()
    );
    gcc(&place, "program", &["-g", "-O0"], &source);
    let request = json!({"verb": "explain", "pass": "./program 3", "fail": "./program 7"});
    let program = place.read("program");
    let id = server.accepted(&request, &[("file", "program", &program)]);
    let job = server.ended(&id);
    assert_eq!(job["state"], "done", "{job}");
    for path in ["files/leak.txt", "report"] {
        let response = server.get(&format!("/api/v1/jobs/{id}/{path}"));
        assert!(!response.text().contains("key"), "{path}: {}", response.text());
    }
    // The next attempt does not write through the links that the first one has left.
    assert_eq!(server.request("POST", &format!("/api/v1/jobs/{id}/retry"), &[], &[]).status, 200);
    server.ended(&id);
    assert_eq!(place.text("secret"), "key\n");
}

#[test]
fn a_job_cannot_reach_more_by_its_options() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let server = Server::start(&place, "");
    for options in [
        json!(["--in=/"]),
        json!(["--sandbox-read=/root"]),
        json!(["--share-processes"]),
        json!(["--output=/tmp/x"]),
        json!(["--executor=grpc://127.0.0.1:1"]),
        json!(["--passing=/etc/passwd"]),
    ] {
        let mut request = reduction();
        request["options"] = options.clone();
        let response = server.submit(&request, &[("input", "a", INPUT)]);
        assert_eq!(response.status, 422, "{options}: {}", response.text());
    }
    let changes =
        json!({"verb": "changes", "test": ["true"], "options": ["--good=/etc", "--bad=/root"]});
    assert_eq!(server.submit(&changes, &[]).status, 422);
}
