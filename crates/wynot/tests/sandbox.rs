//! Tests in a sandbox, as a user sees it. What a hostile test can reach is in `sandbox_probes.rs`.

mod support;

use std::process::Command;
use support::{Place, ran};
use wynot_test_support::{Tool, require};

#[test]
fn a_sandbox_has_no_network_and_nothing_else_to_write_to() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let here = place.path(".").canonicalize().unwrap();
    place.write("in.txt", "a\nb\nwant\nc\n");
    place.write("precious", "keep me\n");
    place.script(
        "t",
        &format!(
            "exec 2>/dev/null
             echo x > {0}/precious && exit 99
             echo x > {0}/new && exit 98
             rm -f {0}/precious && exit 97
             echo x > /tmp/wynot-sandbox-test; test \"$(ls /tmp | grep -c '^wynot-sandbox-test$')\" = 1 || exit 96
             mount -o remount,rw / && exit 95
             test \"$(ls /sys/class/net 2>/dev/null | grep -vc '^lo$')\" -gt 0 && test -e /proc/net/route &&
                 test \"$(wc -l < /proc/net/route)\" -gt 1 && exit 94
             echo scratch > own-file && mktemp > /dev/null && echo ok > /dev/null || exit 93
             ! grep -q want \"$1\"",
            here.display()
        ),
    );
    for jobs in ["1", "3"] {
        let args = ["reduce", "--fresh", "--sandbox", "-j", jobs, "in.txt", "--", "./t", "{}"];
        let ran = place.run(args);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stderr.contains("exit 1 without a message is the failure"), "{ran:?}");
        assert_eq!(place.text("in.min.txt").trim(), "want");
    }
    assert_eq!(place.text("precious"), "keep me\n");
    assert!(!place.path("new").exists());
    assert!(!std::path::Path::new("/tmp/wynot-sandbox-test").exists());
}

#[test]
fn a_sandbox_that_the_system_forbids_is_an_error() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    place.write("in.txt", "x");
    place.script("t", "exit 1");
    // A user namespace that may have no further ones inside.
    let mut command = Command::new("unshare");
    place.prepare(&mut command);
    let inner = format!(
        "echo 0 > /proc/sys/user/max_user_namespaces; exec {} reduce --sandbox in.txt -- ./t {{}}",
        env!("CARGO_BIN_EXE_wynot")
    );
    command.args(["--user", "--map-root-user", "sh", "-c", &inner]);
    ran(&mut command).ends(1, "cannot make a sandbox");
}
