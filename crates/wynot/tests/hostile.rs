//! Tests and inputs that misbehave, and what a user then sees.

mod support;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::{Duration, Instant};
use support::{Place, ran};
use wynot_test_support::{Tool, require};

/// An input of which only the x matters.
fn place_with(test: &str) -> Place {
    let place = Place::new();
    place.write("in.txt", "abcxdef");
    place.script("t", test);
    place
}

#[test]
fn a_missing_test_is_named() {
    place_with("")
        .wynot("reduce in.txt -- ./nope {}")
        .ends(2, "cannot run ./nope: no such file or command");
    place_with("").wynot("reduce in.txt -- no-such-command").ends(2, "cannot run no-such-command");
    let without_dot = place_with("exit 1").wynot("reduce in.txt -- t {}");
    without_dot.ends(2, "for the file here, write ./t");
}

#[test]
fn a_test_that_is_not_executable_gets_the_command_to_mend_it() {
    let place = place_with("exit 0");
    fs::set_permissions(place.path("t"), fs::Permissions::from_mode(0o644)).unwrap();
    let ran = place.wynot("reduce in.txt -- ./t {}");
    ran.ends(2, "cannot run ./t: permission denied");
    ran.ends(2, "hint: chmod +x ./t");
}

#[test]
fn a_script_without_interpreter_is_an_error_and_never_an_outcome() {
    let place = place_with("");
    place.write("t", "grep -q x $1\n");
    fs::set_permissions(place.path("t"), fs::Permissions::from_mode(0o755)).unwrap();
    place.wynot("reduce in.txt -- ./t {}").ends(2, "hint: begin ./t with a line such as #!/bin/sh");
    place.write("t", "#!/no/such/interpreter\n");
    let ran = place.wynot("reduce in.txt -- ./t {}");
    ran.ends(1, "no such file or directory");
    ran.ends(1, "does the interpreter named in its first line exist?");
}

#[test]
fn death_by_a_signal_is_a_failure_of_its_own() {
    let place = place_with(
        r#"case $(cat "$1") in *x*) kill -SEGV $$;; *a*) kill -ABRT $$;; *) exit 0;; esac"#,
    );
    let ran = place.wynot("reduce in.txt -- ./t {}");
    ran.ends(0, "signal SEGV in ");
    assert_eq!(place.text("in.min.txt"), "x");
}

#[test]
fn a_hang_is_a_failure_too_and_does_not_take_forever() {
    let place = place_with(r#"case $(cat "$1") in *x*) sleep 600;; esac"#);
    let started = Instant::now();
    let ran = place.wynot("reduce --timeout 300ms --unit char in.txt -- ./t {}");
    ran.ends(0, "timeout is the failure");
    assert_eq!(place.text("in.min.txt"), "x");
    assert!(started.elapsed() < Duration::from_secs(30));
}

#[test]
fn variants_that_hang_are_unresolved() {
    let place = place_with(r#"case $(cat "$1") in *b*x*) exit 1;; *x*) sleep 600;; esac"#);
    let result = place.json("reduce --timeout 300ms --unit char in.txt -- ./t {}");
    assert_eq!(place.text("in.min.txt"), "bx");
    assert!(result["tests"]["unresolved"].as_u64().unwrap() > 0);
}

#[test]
fn a_test_that_ignores_polite_requests_is_killed() {
    let place = place_with(
        "trap '' TERM INT HUP\ncase $(cat \"$1\") in *x*) while :; do sleep 1; done;; esac",
    );
    let ran = place.wynot("reduce --timeout 300ms --unit char in.txt -- ./t {}");
    ran.ends(0, "timeout is the failure");
    assert_eq!(place.text("in.min.txt"), "x");
}

/// Whether a process with this argument runs, other than the one that asks.
fn runs(argument: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines
        .into_iter()
        .any(|line| line.split(|&byte| byte == 0).any(|word| word == argument.as_bytes()))
}

#[test]
fn daemons_in_sessions_of_their_own_are_killed() {
    require!(Tool::Setsid);
    let place = place_with(
        "setsid sh -c 'setsid sleep 4207.125 & sleep 4207.25' > /dev/null 2>&1 &\n! grep -q x \"$1\"",
    );
    let ran = place.wynot("reduce in.txt -- ./t {}");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(place.text("in.min.txt"), "x");
    assert!(!runs("4207.125") && !runs("4207.25"), "a daemon has survived");
}

#[test]
fn tests_die_with_wynot_even_by_kill_9() {
    require!(Tool::Setsid);
    let place = place_with("setsid sleep 4208.5 &\ngrep -q x \"$1\" && sleep 4208.75");
    let mut wynot = place.command();
    let mut wynot = wynot.args(["reduce", "in.txt", "--", "./t", "{}"]).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    while !runs("4208.75") {
        assert!(Instant::now() < deadline, "the test never started");
        std::thread::sleep(Duration::from_millis(5));
    }
    wynot.kill().unwrap();
    wynot.wait().unwrap();
    while runs("4208.75") || runs("4208.5") {
        assert!(Instant::now() < deadline, "a test has survived");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_gigabyte_of_output_costs_no_memory() {
    let place = place_with("head -c 1073741824 /dev/zero\n! grep -q x \"$1\"");
    place.write("in.txt", "ax");
    // Not even half of the output would fit into what wynot may use.
    let mut command = Command::new("sh");
    place.prepare(&mut command);
    let limited = format!(
        "ulimit -v 400000; exec {} reduce --unit char --fail-when stdout~. --fail-when exit=1 in.txt -- ./t {{}}",
        env!("CARGO_BIN_EXE_wynot")
    );
    let ran = ran(command.args(["-c", &limited]));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(place.text("in.min.txt"), "x");
}

#[test]
fn a_test_may_delete_its_directory() {
    let place = place_with("grep -q x \"$1\"; found=$?\nrm -rf \"$PWD\"\n[ $found -ne 0 ]");
    let ran = place.wynot("reduce in.txt -- ./t {}");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(place.text("in.min.txt"), "x");
}

#[test]
fn litter_of_one_test_is_not_seen_by_the_next() {
    let place = place_with(
        "[ \"$(ls | wc -l)\" = 1 ] || exit 3\n[ \"$(ls $TMPDIR | wc -l)\" = 0 ] || exit 4\n\
         mkdir -p deep/er; touch deep/er/f $TMPDIR/g; chmod 0 deep\n! grep -q x \"$1\"",
    );
    let result = place.json("reduce in.txt -- ./t {}");
    assert_eq!(place.text("in.min.txt"), "x");
    assert_eq!(result["tests"]["unresolved"], 0);
}

/// Runs wynot where its private directories have four megabytes.
fn on_a_small_disk(place: &Place, args: &str) -> support::Ran {
    fs::create_dir_all(place.path("small")).unwrap();
    let script = format!(
        "mount -t tmpfs -o size=4m tmpfs small && exec {} reduce --scratch small {args}",
        env!("CARGO_BIN_EXE_wynot")
    );
    let mut command = Command::new("unshare");
    place.prepare(&mut command);
    ran(command.args(["-rm", "sh", "-c", &script]))
}

#[test]
fn a_test_that_fills_the_disk_harms_no_other_test() {
    require!(Tool::UserNamespaces);
    let place = place_with(
        "grep -q x \"$1\"; found=$?\ncat /dev/zero > fill 2> /dev/null\n[ $found -ne 0 ]",
    );
    let ran = on_a_small_disk(&place, "-j 1 in.txt -- ./t {}");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(place.text("in.min.txt"), "x");
    // Beside each other, variants wait for room instead of failing.
    let ran = on_a_small_disk(&place, "--fresh -j 2 in.txt -- ./t {}");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(place.text("in.min.txt"), "x");
}

#[test]
fn a_disk_without_room_for_the_input_is_named() {
    require!(Tool::UserNamespaces);
    let place = place_with("exit 1");
    place.write("in.txt", vec![b'x'; 6 << 20]);
    let ran = on_a_small_disk(&place, "in.txt -- ./t {}");
    ran.ends(1, "no space left on device");
    ran.ends(1, "hint: use --scratch DIR");
}

#[test]
fn a_test_that_changes_its_mind_is_reported() {
    // The failure vanishes after the sixth run, that is, when the result is asked about again.
    let place = place_with("");
    let log = place.path("runs");
    place.script(
        "t",
        &format!("echo >> {0}\n[ $(wc -l < {0}) -gt 6 ] || ! grep -q x \"$1\"", log.display()),
    );
    let ran = place.wynot("reduce -j 1 --unit char in.txt -- ./t {}");
    ran.ends(4, "the test contradicts itself");
    ran.ends(4, "hint: it is flaky; try --flaky");
}

#[test]
fn a_quorum_outvotes_single_slips() {
    let place = place_with("");
    let log = place.path("runs");
    // Every fourth run says pass whatever the input.
    place.script(
        "t",
        &format!(
            "echo >> {0}\n[ $(($(wc -l < {0}) % 4)) = 3 ] || ! grep -q x \"$1\"",
            log.display()
        ),
    );
    let ran = place.wynot("reduce -j 1 --unit char --repeat 3 --quorum 2 in.txt -- ./t {}");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(place.text("in.min.txt"), "x");
    place
        .wynot("reduce --repeat 3 --quorum 4 in.txt -- ./t {}")
        .ends(2, "use a number from 1 to 3");
}

#[test]
fn a_test_cannot_kill_its_supervisor_unless_it_shares_processes() {
    let place = place_with("grep -q x \"$1\" && exit 1\n[ -s \"$1\" ] && kill -9 $PPID\nexit 0");
    place
        .wynot("reduce --unit char --share-processes in.txt -- ./t {}")
        .ends(1, "the process that supervises the tests has died");
    assert!(place.text("in.min.txt").contains('x'), "the best so far is there");
    require!(Tool::UserNamespaces);
    assert_eq!(place.wynot("reduce --unit char --fresh in.txt -- ./t {}").code, Some(0));
    assert_eq!(place.text("in.min.txt"), "x");
}

#[test]
fn limits_hold_for_the_test() {
    let place = place_with("head -c 200000 /dev/zero > big || exit 9\n! grep -q x \"$1\"");
    let small = place.wynot("reduce --limit file=100K in.txt -- ./t {}");
    assert_eq!(small.code, Some(3), "every test ends alike now: {small:?}");
    assert_eq!(place.wynot("reduce in.txt -- ./t {}").code, Some(0));
    place.wynot("reduce --limit disk=1G in.txt -- ./t {}").ends(2, "is no limit");
}

#[test]
fn the_test_never_writes_core_files() {
    let place = place_with(
        "ulimit -c > core-limit; [ $(cat core-limit) = 0 ] || exit 0\n! grep -q x \"$1\"",
    );
    assert_eq!(place.wynot("reduce in.txt -- ./t {}").code, Some(0));
}

#[test]
fn an_empty_input_has_nothing_to_remove() {
    let place = place_with("exit 1");
    place.write("in.txt", "");
    place
        .wynot("reduce in.txt -- ./t {}")
        .ends(3, "in.txt is empty: nothing can be removed from it");
    place.wynot("isolate --passing in.txt in.txt -- ./t {}").ends(3, "are the same");
}

#[test]
fn one_byte_is_minimal_without_a_search() {
    let place = place_with("! grep -q x \"$1\"");
    place.write("in.txt", "x");
    let result = place.json("reduce in.txt -- ./t {}");
    assert_eq!(result["tests"]["executed"], 0);
    assert_eq!(place.text("in.min.txt"), "x");
}

#[test]
fn inputs_that_cannot_be_read_are_named() {
    require!(Tool::Setpriv);
    let place = place_with("exit 1");
    place
        .wynot("reduce none.txt -- ./t {}")
        .ends(2, "cannot read none.txt: no such file or directory");
    fs::create_dir(place.path("dir")).unwrap();
    place.wynot("reduce dir -- ./t {}").ends(3, "dir is empty");
    place.wynot("isolate --passing dir in.txt -- ./t {}").ends(2, "dir is a directory");
    place.wynot("reduce dir none -- ./t").ends(2, "cannot read none: no such file or directory");
    fs::set_permissions(place.path("in.txt"), fs::Permissions::from_mode(0o000)).unwrap();
    fs::set_permissions(place.dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    // Nobody may read it; root may, so a test run by root becomes nobody first.
    let mut command = match fs::read(place.path("in.txt")) {
        Err(_) => place.command(),
        Ok(_) => {
            let own = fs::read(env!("CARGO_BIN_EXE_wynot")).unwrap();
            let copy = place.write("wynot", own);
            fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).unwrap();
            let mut command = Command::new("setpriv");
            place.prepare(&mut command);
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(copy);
            command
        }
    };
    ran(command.args(["reduce", "in.txt", "--", "./t", "{}"]))
        .ends(2, "cannot read in.txt: permission denied");
}

#[test]
fn bytes_that_are_no_text_are_kept_as_they_are() {
    let place = place_with("! grep -q x \"$1\"");
    place.write("in.bin", b"\xff\xfe\x00x\xc3\x28\n\x80");
    place.script("t", "! od -An -v -tx1 \"$1\" | tr -d ' \\n' | grep -q fe00");
    let result = place.json("reduce in.bin -- ./t {}");
    assert_eq!(place.read("in.min.bin"), b"\xfe\x00");
    assert_eq!(result["minimality"], "1-minimal (byte)");
}

#[test]
fn names_that_are_no_text_work() {
    let place = place_with("! grep -q x \"$1\"");
    let name = OsStr::from_bytes(b"in\xff.txt");
    fs::write(place.path(name), "axb").unwrap();
    let args: Vec<&OsStr> =
        vec![OsStr::new("reduce"), name, OsStr::new("--"), OsStr::new("./t"), OsStr::new("{}")];
    let ran = place.run(args);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(place.read(OsStr::from_bytes(b"in\xff.min.txt")), b"x");
}

#[test]
fn ten_megabytes_are_reduced_by_lines() {
    let place = place_with("! grep -q needle \"$1\"");
    let mut text = String::new();
    while text.len() < 10_000_000 {
        text.push_str(&format!("an ordinary line of a log, number {}\n", text.len()));
        if (5_000_000..5_000_050).contains(&text.len()) {
            text.push_str("the needle\n");
        }
    }
    place.write("big.log", text);
    let result = place.json("reduce --unit line big.log -- ./t {}");
    assert_eq!(place.text("big.min.log"), "the needle\n");
    assert!(result["tests"]["executed"].as_u64().unwrap() < 60, "{result}");
}

#[test]
fn a_passing_side_that_fails_too_is_refused_with_both_runs() {
    let place = place_with("echo broken >&2; exit 7");
    let ran = place.wynot("reduce in.txt -- ./t {}");
    ran.ends(3, "the test ends on the empty input as it does on the original, so it is not clear what the failure is");
    ran.ends(3, "original: exit 7");
    ran.ends(3, "empty input: exit 7");
    ran.ends(3, "broken");
    ran.ends(3, "--fail-when");
    assert!(!place.path("in.min.txt").exists(), "no result is pretended");
}

#[test]
fn an_original_that_passes_is_refused() {
    let ran = place_with("exit 0").wynot("reduce in.txt -- ./t {}");
    ran.ends(3, "the test succeeds on the original and on the empty input");
    let ran = place_with("exit 2").wynot("reduce --fail-when exit=1 in.txt -- ./t {}");
    ran.ends(3, "the failure does not reproduce");
    let ran = place_with("exit 125").wynot("reduce in.txt -- ./t {}");
    ran.ends(3, "the test says 'unresolved' about the original");
}

#[test]
fn isolating_needs_a_side_that_passes() {
    let place = place_with("grep -q x \"$1\" && exit 1; exit 2");
    let ran = place.wynot("isolate in.txt -- ./t {}");
    ran.ends(3, "the passing side does not pass");
    ran.ends(3, "--pass-when");
    assert_eq!(place.wynot("isolate --pass-when exit=2 in.txt -- ./t {}").code, Some(0));
    assert_eq!(place.wynot("reduce in.txt -- ./t {}").code, Some(0), "reducing does not need it");
}

#[test]
fn a_command_that_the_test_cannot_find_is_hinted_at() {
    let place = place_with("no-such-command-at-all");
    place
        .wynot("reduce in.txt -- ./t {}")
        .ends(3, "usually mean that a command inside the test was not found");
}

#[test]
fn results_that_cannot_be_written_stop_the_run_at_once() {
    let place = place_with("! grep -q x \"$1\"");
    let ran = place.wynot("reduce -o no/such/dir/out in.txt -- ./t {}");
    ran.ends(2, "cannot write no/such/dir/out: there is no such directory");
    place.wynot("reduce -o in.txt in.txt -- ./t {}").ends(2, "that is the input itself");
    assert_eq!(place.text("in.txt"), "abcxdef");
}
