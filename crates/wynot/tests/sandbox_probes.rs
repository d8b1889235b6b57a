//! Attempts to get out of the sandbox, as root and as an ordinary user.

mod support;

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use support::{Place, ran};
use wynot_test_support::{Tool, require};

/// The exit code of an attempt that reached something outside.
const ESCAPED: &str = "99";

/// What the attempts look for outside of the sandbox, as long as this process runs.
struct Outside {
    process: Child,
}

impl Outside {
    fn start(mut command: Command, place: &Place) -> Self {
        let here = place.dir.path().canonicalize().unwrap();
        command.args(["outside", &tag(place)]).arg(here);
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let printed = process.stdout.as_mut().unwrap();
        BufReader::new(printed).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        Self { process }
    }

    /// Ends the process. Returns the names of the attempts that have reached it without noticing.
    fn end(mut self) -> String {
        drop(self.process.stdin.take());
        let mut reached = String::new();
        self.process.stdout.take().unwrap().read_to_string(&mut reached).unwrap();
        self.process.wait().unwrap();
        reached
    }
}

/// A name for things outside that no other test has.
fn tag(place: &Place) -> String {
    place.dir.path().file_name().unwrap().to_string_lossy().trim_start_matches('.').to_owned()
}

/// The home directory of the user, beside the place.
fn home(place: &Place) -> PathBuf {
    let mut name = place.dir.path().as_os_str().to_owned();
    name.push("-home");
    PathBuf::from(name)
}

/// The commands of this test: `wynot` and `probes`, as root or as another user.
struct User {
    setpriv: Option<[&'static str; 3]>,
}

impl User {
    fn command(&self, place: &Place, program: &Path) -> Command {
        let mut command = match self.setpriv {
            Some(options) => {
                let mut command = Command::new("setpriv");
                command.args(options).arg(program);
                command
            }
            None => Command::new(program),
        };
        place.prepare(&mut command);
        command.env("HOME", home(place));
        command
    }
}

/// Runs all attempts in the sandbox. Returns the names of those that got out.
fn escapes(user: &User) -> Vec<String> {
    let place = Place::new();
    support::gcc(&place, "probes", &["-O1"], include_str!("sandbox/probes.c"));
    let own = fs::read(env!("CARGO_BIN_EXE_wynot")).unwrap();
    let wynot = place.write("wynot", own);
    place.write("in.txt", "a\nwant\nb\n");
    place.write("precious", "keep me\n");
    fs::create_dir(home(&place)).unwrap();
    fs::write(home(&place).join("secret"), "key\n").unwrap();
    let here = place.dir.path().canonicalize().unwrap();
    let test = format!(
        "{0}/probes $PROBE {1} {0}; [ $? = {ESCAPED} ] && exit {ESCAPED}\n! grep -q want \"$1\"",
        here.display(),
        tag(&place)
    );
    place.script("t", &test);
    for (path, mode) in [(".", 0o777), ("precious", 0o666), ("wynot", 0o755)] {
        fs::set_permissions(place.path(path), Permissions::from_mode(mode)).unwrap();
    }
    fs::set_permissions(home(&place), Permissions::from_mode(0o777)).unwrap();
    let probes = place.path("probes");
    let outside = Outside::start(user.command(&place, &probes), &place);
    let names = ran(Command::new(&probes).arg("list")).stdout;
    assert!(names.lines().count() >= 80, "{names}");
    let mut escaped = Vec::new();
    for name in names.lines() {
        // An open directory, as a shell could leave it to wynot.
        let line = "exec 9< .; exec \"$@\"";
        let mut command = user.command(&place, Path::new("/bin/sh"));
        command.args(["-c", line, "sh"]).arg(&wynot).env("PROBE", name);
        let ran = ran(command
            .args(["reduce", "--fresh", "--sandbox", "-o", "out", "in.txt"])
            .args(["--", "./t", "{}"]));
        if ran.code == Some(0) && ran.stderr.contains("exit 1 without a message") {
            continue;
        }
        assert!(ran.stdout.contains(ESCAPED) || ran.stderr.contains(ESCAPED), "{name}: {ran:?}");
        escaped.push(name.to_owned());
    }
    escaped.extend(outside.end().lines().map(str::to_owned));
    assert_eq!(place.text("precious"), "keep me\n");
    assert!(!place.path("escaped").exists() && !home(&place).join("escaped").exists());
    fs::remove_dir_all(home(&place)).unwrap();
    escaped
}

#[test]
fn nothing_outside_of_the_sandbox_can_be_reached() {
    require!(Tool::UserNamespaces);
    assert_eq!(escapes(&User { setpriv: None }), Vec::<String>::new());
}

#[test]
fn nothing_outside_of_the_sandbox_can_be_reached_by_an_ordinary_user() {
    require!(Tool::UserNamespaces, Tool::Setpriv);
    if !is_root() {
        return; // The test above is this one.
    }
    let setpriv = Some(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    assert_eq!(escapes(&User { setpriv }), Vec::<String>::new());
}

/// Whether this process is root.
fn is_root() -> bool {
    ran(Command::new("id").arg("-u")).stdout == "0\n"
}
