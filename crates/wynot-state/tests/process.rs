//! Programs under control: breakpoints, steps, forks, crashes and injected calls.

mod programs;

use programs::{Program, SOON, machines, text};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};
use wynot_crash::Cause;
use wynot_state::dwarf::name_frames;
use wynot_state::process::{
    ExitStatus, Inferior, InferiorLimits, Invocation, Pause, ProcessError, SystemCall,
};
use wynot_test_support::{Tool, has, require};

fn integer(inferior: &Inferior, address: u64) -> i32 {
    let mut bytes = [0; 4];
    inferior.read(address, &mut bytes).unwrap();
    i32::from_ne_bytes(bytes)
}

const RECURSIVE: &str = r#"
#include <stdio.h>
#include <stdlib.h>
int value = 1;
__attribute__((noinline)) int down(int n) { value += n; return n ? down(n - 1) + 1 : 0; }
int main(int argc, char **argv) {
    printf("%d\n", down(argc > 1 ? atoi(argv[1]) : 5));
    printf("value %d\n", value);
    return 7;
}
"#;

#[test]
fn a_breakpoint_is_hit_once_for_each_call() {
    let kinds: [&[&str]; 8] = [
        &[],
        &["-no-pie"],
        &["-static"],
        &["-O2"],
        &["-fcf-protection=full"],
        &["-m32"],
        &["-m32", "-no-pie", "-fcf-protection=full"],
        &["-m32", "-static"],
    ];
    let has_32_bits = has!(Tool::Gcc32);
    for flags in kinds.into_iter().filter(|flags| has_32_bits || !flags.contains(&"-m32")) {
        let program = Program::built(RECURSIVE, flags);
        let mut inferior = program.start(&["9"]);
        let (main, down) = (program.at(&inferior, "main"), program.at(&inferior, "down"));
        assert_eq!(inferior.run_to(&[main]).unwrap(), Pause::At(main));
        inferior.pin_cpu().unwrap();
        inferior.unpin_cpu().unwrap();
        inferior.pin_cpu().unwrap();
        let mut hits = 0;
        let end = loop {
            match inferior.run_to(&[down]).unwrap() {
                Pause::At(address) => assert_eq!(address, down),
                Pause::Ended(end) => break end,
            }
            if flags.contains(&"-m32") {
                let argument = inferior.registers().sp() + 4;
                assert_eq!(integer(&inferior, argument), 9 - hits);
            } else if !flags.contains(&"-O2") {
                assert_eq!(inferior.registers().by_dwarf_number()[5] as i32, 9 - hits);
            }
            hits += 1;
        };
        if !flags.contains(&"-O2") {
            assert_eq!(hits, 10, "{flags:?}");
        }
        assert_eq!(end.status, ExitStatus::Exit(7));
        assert_eq!(text(&end.stdout), "9\nvalue 46\n");
        assert_eq!(end.crash, None);
    }
}

#[test]
fn a_program_can_be_stepped_and_then_finished() {
    for &flags in machines(has!(Tool::Gcc32)) {
        let program = Program::built(RECURSIVE, flags);
        let mut inferior = program.started_at("down", &["2"]);
        let down = inferior.registers().ip();
        let Pause::At(next) = inferior.step().unwrap() else { panic!() };
        assert_eq!(next, down + 1, "push %rbp");
        for _ in 0..20 {
            assert!(matches!(inferior.step().unwrap(), Pause::At(_)));
        }
        let end = inferior.finish(SOON).unwrap();
        assert_eq!(text(&end.stdout), "2\nvalue 4\n");
        assert!(matches!(inferior.resume(), Err(ProcessError::Ended)));
    }
}

#[test]
fn breakpoints_do_not_change_the_effect_of_instructions() {
    check_instructions(
        r#"
        void code(void);
        __asm__(
            "code: endbr64; nop; push %rbp; mov %rsp,%rbp; push %r12; push %rax; push %rsp;"
            "sub $0x18,%rsp; sub $-0x80,%rsp; sub $0x12340,%rsp; add $0x12300,%rsp;"
            "test %rsp,%rsp; leaq code(%rip),%rax; jmp end; nop; end: xor %eax,%eax; leave; ret");
        int main(void) { code(); }"#,
        &[],
    );
    require!(Tool::Gcc32);
    check_instructions(
        r#"
        void code(void);
        __asm__(
            "code: endbr32; nop; push %ebp; mov %esp,%ebp; push %ebx; push %eax; push %esp;"
            "sub $0x18,%esp; sub $-0x80,%esp; sub $0x12340,%esp; add $0x12300,%esp;"
            "test %esp,%esp; inc %eax; jmp end; nop; end: xor %eax,%eax; leave; ret");
        int main(void) { code(); }"#,
        &["-m32"],
    );
}

fn check_instructions(source: &str, flags: &[&str]) {
    let program = Program::built(source, flags);
    let mut stepping = program.started_at("code", &[]);
    let mut running = program.started_at("code", &[]);
    let mut places = vec![running.registers().ip()];
    for _ in 0..15 {
        let Pause::At(next) = stepping.step().unwrap() else { panic!() };
        places.push(next);
        assert_eq!(running.run_to(&places).unwrap(), Pause::At(next));
        let (stepped, ran) = (stepping.registers(), running.registers());
        assert_eq!(stepped.by_dwarf_number(), ran.by_dwarf_number());
        assert_eq!(stepped.0.eflags & 0x8d5, ran.0.eflags & 0x8d5, "{next:#x}");
        let mut tops = [[0; 16]; 2];
        stepping.read(stepped.sp(), &mut tops[0]).unwrap();
        running.read(ran.sp(), &mut tops[1]).unwrap();
        assert_eq!(tops[0], tops[1]);
    }
    assert_eq!(stepping.finish(SOON).unwrap(), running.finish(SOON).unwrap());
}

#[test]
fn a_fork_starts_at_the_same_place_and_has_its_own_output() {
    for &flags in machines(has!(Tool::Gcc32)) {
        let program = Program::built(RECURSIVE, flags);
        let mut template = program.started_at("down", &["3"]);
        let value = program.at(&template, "value");
        for number in 0..200 {
            let mut copy = template.fork().unwrap();
            assert_eq!(copy.registers().ip(), template.registers().ip());
            copy.write(value, &i32::to_ne_bytes(number)).unwrap();
            let end = copy.finish(SOON).unwrap();
            assert_eq!(end.status, ExitStatus::Exit(7));
            assert_eq!(text(&end.stdout), format!("3\nvalue {}\n", number + 6));
        }
        assert_eq!(integer(&template, value), 1);
        let end = template.finish(SOON).unwrap();
        assert_eq!(text(&end.stdout), "3\nvalue 7\n");
    }
}

#[test]
fn forks_of_forks_and_the_original_continue_independently() {
    let program = Program::new(RECURSIVE);
    let mut first = program.started_at("down", &["3"]);
    let down = first.registers().ip();
    let mut second = first.fork().unwrap();
    assert_eq!(second.run_to(&[down]).unwrap(), Pause::At(down));
    let mut third = second.fork().unwrap();
    assert_eq!(third.registers().by_dwarf_number()[5], 2);
    assert_eq!(text(&third.finish(SOON).unwrap().stdout), "3\nvalue 7\n");
    assert_eq!(text(&second.finish(SOON).unwrap().stdout), "3\nvalue 7\n");
    assert_eq!(first.run_to(&[down]).unwrap(), Pause::At(down));
    assert_eq!(first.registers().by_dwarf_number()[5], 2);
    assert_eq!(text(&first.finish(SOON).unwrap().stdout), "3\nvalue 7\n");
}

const READER: &str = r#"
#include <stdio.h>
#include <unistd.h>
void half(void) {}
int main(void) {
    char bytes[64];
    read(0, bytes, 10);
    write(1, "start ", 6);
    half();
    long count = read(0, bytes, sizeof bytes);
    write(1, bytes, count);
    return 0;
}
"#;

#[test]
fn each_fork_reads_the_rest_of_the_input() {
    for &flags in machines(has!(Tool::Gcc32)) {
        let program = Program::built(READER, flags);
        let input = program.path.with_file_name("input");
        fs::write(&input, "0123456789abcdef").unwrap();
        let invocation = Invocation { input: Some(input), ..program.invocation(&[]) };
        let mut template =
            Inferior::start(&invocation, &InferiorLimits::default(), name_frames).unwrap();
        let half = program.at(&template, "half");
        template.run_to(&[half]).unwrap();
        assert_eq!(template.fork_obstacle().unwrap(), None);
        for _ in 0..3 {
            let end = template.fork().unwrap().finish(SOON).unwrap();
            assert_eq!(text(&end.stdout), "start abcdef");
        }
        assert_eq!(text(&template.finish(SOON).unwrap().stdout), "start abcdef");
    }
}

const CRASHING: &str = r#"
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <unistd.h>
int *nothing;
void handler(int signal) { _exit(3); }
void inner(char how) {
    switch (how) {
        case 's': *nothing = 1;
        case 'a': abort();
        case 'k': raise(SIGKILL);
        case 'u': signal(SIGUSR1, handler); raise(SIGUSR1);
        case 't': raise(SIGTERM);
        case 'S': raise(SIGSTOP); _exit(4);
        case 'i': __asm__("int3"); _exit(5);
    }
}
int main(int argc, char **argv) { inner(argv[1][0]); }
"#;

#[test]
fn an_end_by_a_crash_signal_has_a_backtrace() {
    for &flags in machines(has!(Tool::Gcc32)) {
        let program = Program::built(CRASHING, flags);
        let run = |how| {
            let mut inferior = program.started_at("inner", &[how]);
            let copied = inferior.fork().unwrap().finish(SOON).unwrap();
            assert_eq!(copied, inferior.finish(SOON).unwrap());
            copied
        };
        for (how, signal) in [("s", libc::SIGSEGV), ("a", libc::SIGABRT), ("i", libc::SIGTRAP)] {
            let end = run(how);
            assert_eq!(end.status, ExitStatus::Signal(signal));
            let crash = end.crash.unwrap();
            assert_eq!(crash.cause, Cause::Signal(signal));
            assert!(crash.frames.contains(&"inner".to_owned()), "{:?}", crash.frames);
        }
        for (how, signal) in [("k", libc::SIGKILL), ("t", libc::SIGTERM)] {
            let end = run(how);
            assert_eq!((end.status, end.crash), (ExitStatus::Signal(signal), None));
        }
        for (how, code) in [("u", 3), ("S", 4)] {
            assert_eq!(run(how).status, ExitStatus::Exit(code));
        }
    }
}

#[test]
fn a_crash_under_a_breakpoint_is_a_crash() {
    for &flags in machines(has!(Tool::Gcc32)) {
        let program = Program::built(CRASHING, flags);
        let mut stepping = program.started_at("inner", &["s"]);
        let mut last = 0;
        let stepped = loop {
            match stepping.step().unwrap() {
                Pause::At(address) => last = address,
                Pause::Ended(end) => break end,
            }
        };
        assert_eq!(stepped.status, ExitStatus::Signal(libc::SIGSEGV));
        let mut running = program.started_at("inner", &["s"]);
        assert_eq!(running.run_to(&[last]).unwrap(), Pause::At(last));
        assert_eq!(running.run_to(&[last]).unwrap(), Pause::Ended(stepped));
        assert!(matches!(running.run_to(&[last]), Err(ProcessError::Ended)));
    }
}

const ALLOCATING: &str = r#"
#include <stdlib.h>
#include <stdio.h>
char *text = "old";
long calls = 0;
double half = 0.5;
long nested(long a, long b, long c, long d, long e, long f) {
    calls++;
    half = half * 3.0;
    return a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * f;
}
char *allocate(long size) { nested(0, 0, 0, 0, 0, 0); return malloc(size); }
void crash(void) { *(int *)0 = 1; }
void here(void) {}
int main(void) {
    double before = half + 1.0;
    here();
    printf("%s %ld %g\n", text, calls, before);
}
"#;

#[test]
fn functions_are_called_in_the_program() {
    for &flags in machines(has!(Tool::Gcc32)) {
        let program = Program::built(ALLOCATING, flags);
        let mut template = program.started_at("here", &[]);
        let address = |name| program.at(&template, name);
        let (nested, allocate, crash) = (address("nested"), address("allocate"), address("crash"));
        let place = address("text");
        let mut copy = template.fork().unwrap();
        copy.set_breakpoints(&[nested]).unwrap();
        let before = copy.registers();
        assert_eq!(copy.call(nested, &[1, 2, 3, 4, 5, 6]).unwrap(), 654_321);
        let new = copy.call(allocate, &[100_000]).unwrap();
        copy.write(new, b"new\0").unwrap();
        copy.write(place, &new.to_ne_bytes()[..copy.machine().word_size() as usize]).unwrap();
        assert_eq!(copy.registers().by_dwarf_number(), before.by_dwarf_number());
        assert!(matches!(copy.call(crash, &[]), Err(ProcessError::Call(libc::SIGSEGV))));
        let pid = copy.system_call(SystemCall::GetPid, [0; 6]).unwrap();
        assert_eq!(pid, i64::from(copy.pid()));
        assert_eq!(text(&copy.finish(SOON).unwrap().stdout), "new 2 1.5\n");
        assert_eq!(text(&template.finish(SOON).unwrap().stdout), "old 0 1.5\n");
    }
}

#[test]
fn a_program_that_takes_too_long_is_killed() {
    let program = Program::new("void here(void) {} int main(void) { here(); for (;;); }");
    let limits = InferiorLimits { time: Duration::from_millis(200), ..InferiorLimits::default() };
    let begun = Instant::now();
    let mut inferior = Inferior::start(&program.invocation(&[]), &limits, name_frames).unwrap();
    let here = program.at(&inferior, "here");
    inferior.run_to(&[here]).unwrap();
    let copied = inferior.fork().unwrap().finish(Duration::from_millis(100)).unwrap();
    assert_eq!(copied.status, ExitStatus::TimedOut);
    let Pause::Ended(end) = inferior.resume().unwrap() else { panic!() };
    assert_eq!((end.status, end.crash), (ExitStatus::TimedOut, None));
    assert!(begun.elapsed() < Duration::from_secs(60));
    let main = {
        let mut inferior = Inferior::start(&program.invocation(&[]), &limits, name_frames).unwrap();
        inferior.run_to(&[here]).unwrap();
        inferior.call(program.at(&inferior, "main"), &[])
    };
    assert!(matches!(main, Err(ProcessError::TimedOut)));
}

#[test]
fn output_is_cut_off_at_the_limit() {
    let source = r#"
        #include <unistd.h>
        #include <string.h>
        char block[1 << 20];
        int main(void) {
            memset(block, 'x', sizeof block);
            for (int i = 0; i < 100; i++) write(1, block, sizeof block);
            write(2, "done", 4);
        }"#;
    let end = Program::new(source).start(&[]).finish(SOON).unwrap();
    assert_eq!(
        (end.status, end.stdout.len()),
        (ExitStatus::Exit(0), InferiorLimits::default().output)
    );
    assert_eq!(text(&end.stderr), "done");
}

#[test]
fn errors_explain_why_a_program_cannot_be_controlled() {
    let directory = tempfile::tempdir().unwrap();
    let say = |path: &str, contents: &[u8], mode: u32| {
        let path = directory.path().join(path);
        fs::write(&path, contents).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let invocation = Invocation::new(&path, [""; 0]);
        Inferior::start(&invocation, &InferiorLimits::default(), name_frames).err().unwrap()
    };
    let program = fs::read("/bin/true").unwrap();
    assert!(matches!(say("script", b"#!/bin/sh\n", 0o755), ProcessError::NotBinary(_)));
    assert!(matches!(say("text", &program, 0o644), ProcessError::NotExecutable(_)));
    assert!(matches!(say("other-user", &program, 0o4755), ProcessError::Privileged(_)));
    let mut foreign = program.clone();
    foreign[18] = 183;
    let error = say("foreign", &foreign, 0o755).to_string();
    assert!(error.contains("a program for 64-bit ARM"), "{error}");
    let start = |invocation| {
        Inferior::start(&invocation, &InferiorLimits::default(), name_frames).err().unwrap()
    };
    let missing = Invocation::new("/nowhere/program", [""; 0]);
    assert!(matches!(start(missing), ProcessError::Program { .. }));
    let call = Invocation::new("/bin/true", [""; 0]);
    let lost = Invocation { directory: "/nowhere".into(), ..call.clone() };
    assert!(matches!(start(lost), ProcessError::Directory(_)));
    let hungry = Invocation { input: Some("/nowhere".into()), ..call };
    assert!(matches!(start(hungry), ProcessError::Input { .. }));
}
