//! No process of a test survives wynot, whatever the test does and however wynot ends.

mod support;

use std::fs;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::{Place, ran};
use wynot_test_support::{Tool, require};

/// What tests start, see `containment/hostile.c`.
const KINDS: [&str; 12] = [
    "bomb",
    "daemon",
    "stopped",
    "traced",
    "threads",
    "subreaper",
    "vfork",
    "namespace",
    "kill",
    "stop",
    "trace",
    "forge",
];

/// The ways to run tests; the first option is the default.
const MODES: [&str; 3] = ["--limit=processes=4096", "--sandbox", "--share-processes"];

/// The time that processes have to disappear after the end of wynot, on a machine that does other things as well.
const MAX_SURVIVAL: Duration = Duration::from_secs(20);

/// A place with a test that starts such processes. They have the name of the place as an argument.
fn hostile_place(kind: &str, then: &str) -> (Place, String) {
    let place = Place::new();
    let tag = place.dir.path().file_name().unwrap().to_string_lossy().into_owned();
    support::gcc(&place, "hostile", &["-O1", "-pthread"], include_str!("containment/hostile.c"));
    let program = place.path("hostile");
    place.script(
        "t",
        &format!("{} {kind} {tag} > /dev/null 2>&1 < /dev/null\n{then}", program.display()),
    );
    place.write("in.txt", "a\nwant\nb\n");
    fs::set_permissions(place.dir.path(), fs::Permissions::from_mode(0o777)).unwrap();
    (place, tag)
}

/// The processes with this argument.
fn survivors(tag: &str) -> Vec<String> {
    let processes = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let lines = processes.filter_map(|path| {
        let line = fs::read(path.join("cmdline")).ok()?;
        let has_tag = line.split(|&byte| byte == 0).any(|word| word == tag.as_bytes());
        has_tag.then(|| path.display().to_string())
    });
    lines.collect()
}

#[track_caller]
fn assert_nothing_survives(tag: &str, what: &str) {
    let ended = Instant::now();
    loop {
        let survivors = survivors(tag);
        if survivors.is_empty() {
            return;
        }
        assert!(ended.elapsed() < MAX_SURVIVAL, "{what}: {survivors:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// wynot, where the private directories are in the place itself.
fn command(place: &Place, mode: &str) -> Command {
    let scratch = place.path("scratch");
    fs::create_dir_all(&scratch).unwrap();
    let mut command = place.command();
    command
        .args(["reduce", "--fresh", "-j", "2", "--timeout", "20s", mode, "--scratch"])
        .arg(scratch);
    command.args(["in.txt", "--", "./t", "{}"]);
    command
}

fn start(place: &Place, mode: &str) -> Child {
    let mut command = command(place, mode);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn nothing_survives_a_run_that_ends_by_itself() {
    require!(Tool::UserNamespaces);
    for kind in KINDS {
        for mode in MODES {
            let (place, tag) = hostile_place(kind, "! grep -q want \"$1\"");
            let ran = ran(&mut command(&place, mode));
            assert_nothing_survives(&tag, &format!("{kind} {mode}"));
            let is_attack = ["kill", "stop", "trace", "forge"].contains(&kind);
            if is_attack && ran.code == Some(1) {
                ran.ends(1, "the test may have killed, stopped or traced it");
            } else {
                assert_eq!(ran.code, Some(0), "{kind} {mode}: {ran:?}");
                assert_eq!(place.text("in.min.txt").trim(), "want", "{kind} {mode}");
            }
            let left = fs::read_dir(place.path("scratch")).unwrap().count();
            assert_eq!(left, 0, "{kind} {mode} leaves directories");
        }
    }
}

#[test]
fn nothing_survives_a_run_that_is_killed() {
    require!(Tool::UserNamespaces);
    for (number, kind) in KINDS.iter().enumerate() {
        for mode in MODES {
            let (place, tag) = hostile_place(kind, "touch \"$PWD/started\"; sleep 60");
            let mut wynot = start(&place, mode);
            let deadline = Instant::now() + Duration::from_secs(20);
            while survivors(&tag).is_empty() && Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(Duration::from_millis(7 * number as u64));
            wynot.kill().unwrap();
            wynot.wait().unwrap();
            assert_nothing_survives(&tag, &format!("{kind} {mode}"));
            let ended = Instant::now();
            while fs::read_dir(place.path("scratch")).unwrap().count() > 0 {
                assert!(ended.elapsed() < MAX_SURVIVAL, "{kind} {mode} leaves directories");
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }
}

#[test]
fn nothing_survives_that_an_ordinary_user_starts() {
    require!(Tool::UserNamespaces, Tool::Setpriv);
    let own = fs::read(env!("CARGO_BIN_EXE_wynot")).unwrap();
    for kind in ["bomb", "daemon", "kill", "stop", "trace", "forge"] {
        for mode in MODES {
            let (place, tag) = hostile_place(kind, "! grep -q want \"$1\"");
            let copy = place.write("wynot", &own);
            fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).unwrap();
            let mut command = Command::new("setpriv");
            place.prepare(&mut command);
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(copy);
            command.args(["reduce", "--timeout", "20s", mode, "in.txt", "--", "./t", "{}"]);
            let ran = ran(&mut command);
            assert_nothing_survives(&tag, &format!("{kind} {mode}"));
            if ran.code == Some(1) {
                assert!(mode == "--share-processes" && kind != "bomb", "{kind} {mode}: {ran:?}");
            } else {
                assert_eq!(ran.code, Some(0), "{kind} {mode}: {ran:?}");
                assert_eq!(place.text("in.min.txt").trim(), "want", "{kind} {mode}");
            }
        }
    }
}

#[test]
fn too_many_processes_and_too_much_memory_end_a_test() {
    let place = Place::new();
    place.write("in.txt", "a\nwant\nb\n");
    place.script(
        "many",
        "grep -q want \"$1\" && for i in 1 2 3 4 5 6 7 8 9; do sleep 60 & done; wait; exit 1",
    );
    place
        .wynot("reduce --limit processes=5 in.txt -- ./many {}")
        .ends(3, "the test started more than 5 processes; --limit processes=N allows more");
    place.script("big", "grep -q want \"$1\" && { x=$(head -c 200000000 /dev/zero | tr '\\0' x); sleep 60; }; exit 1");
    place
        .wynot("reduce --limit resident=100M in.txt -- ./big {}")
        .ends(3, "the test used more than 100 MB of memory; --limit resident=SIZE allows more");
    place.wynot("reduce --limit resident=much in.txt -- ./big {}").ends(2, "is no limit");
}

/// Programs that write to `/dev/null` replace it by a file if root runs them: compilers rename their output, assemblers remove it.
/// The test takes a device that hardly anything needs, and puts it back if it is gone.
#[test]
fn a_test_of_root_cannot_remove_a_device() {
    const DEVICE: &str = "/dev/full";
    let is_device =
        || fs::metadata(DEVICE).is_ok_and(|metadata| metadata.file_type().is_char_device());
    if !rustix::process::getuid().is_root() || !is_device() {
        return;
    }
    let place = Place::new();
    place.write("in.txt", "a\nwant\nb\n");
    place.script(
        "t",
        "rm -f /dev/full; touch new; mv -f new /dev/full; [ -c /dev/full ] && ! grep -q want \"$1\"",
    );
    let ran = place.wynot("reduce in.txt -- ./t {}");
    let is_kept = is_device();
    if !is_kept {
        let again = Command::new("mknod").args(["-m", "666", DEVICE, "c", "1", "7"]).status();
        assert!(again.is_ok_and(|status| status.success()), "{DEVICE} is gone");
    }
    assert!(is_kept, "{ran:?}");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(place.text("in.min.txt").trim(), "want");
}

#[test]
fn tests_that_run_at_the_same_time_have_different_process_ids() {
    let place = Place::new();
    let lines: Vec<String> = (0..40).map(|number| format!("line {number}\n")).collect();
    place.write("in.txt", lines.concat());
    let ids = place.path("ids");
    let note =
        format!("echo $$ $TMPDIR >> {}; sleep 0.05; ! grep -q 'line 7' in.txt", ids.display());
    place.script("t", &note);
    let ran = place.wynot("reduce -j 2 --algorithm ddmin --unit line in.txt -- ./t");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let text = fs::read_to_string(ids).unwrap();
    let used: Vec<(&str, &str)> = text.lines().filter_map(|line| line.split_once(' ')).collect();
    // Each slot has a TMPDIR of its own.
    let clash =
        used.iter().find(|(id, slot)| used.iter().any(|(other, at)| other == id && at != slot));
    let slots: std::collections::BTreeSet<&str> = used.iter().map(|(_, slot)| *slot).collect();
    assert!(slots.len() == 2 && clash.is_none(), "{clash:?} in {text}");
}
