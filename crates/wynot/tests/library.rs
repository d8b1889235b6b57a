//! The application as a library: from many threads at once, in different directories, without printing, and with
//! cancellation. This program supervises its own tests, so it has no test harness.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;
use wynot::explain::ExplainRequest;
use wynot::request::Verb;
use wynot::search::Status;
use wynot::{
    Control, Counts, ErrorKind, Event, Listener, Notes, Observer, Request, Silent, explain, search,
};
use wynot_session::Stop;

/// Counts steps, and stops the search after some of them.
struct StopAfter<'a> {
    steps: u32,
    control: &'a Control,
    seen: &'a AtomicU64,
}

impl Listener for StopAfter<'_> {
    fn on(&mut self, event: &Event<'_>, _: &Counts) {
        if let Event::Step { .. } = event {
            self.seen.fetch_add(1, Ordering::Relaxed);
            self.steps = self.steps.saturating_sub(1);
            if self.steps == 0 {
                self.control.stop();
            }
        }
    }
}

impl Notes for StopAfter<'_> {}

impl Observer for StopAfter<'_> {}

/// A request to find the line with a word in a text of a hundred lines.
fn request(directory: &Path, word: &str) -> Request {
    let lines = (0..100).map(|n| if n == 61 { format!("{word}\n") } else { format!("line {n}\n") });
    fs::write(directory.join("input.txt"), lines.collect::<String>()).unwrap();
    let test = ["sh".to_owned(), "-c".to_owned(), format!("! grep -q {word} input.txt")];
    let mut request = Request::reduce(directory, "input.txt", test);
    request.run.session = Some("session".into());
    request
}

fn searches_run_at_the_same_time_in_different_directories() {
    let here = std::env::current_dir().unwrap();
    thread::scope(|scope| {
        for word in ["alpha", "beta", "gamma", "delta"] {
            scope.spawn(move || {
                let dir = tempfile::tempdir().unwrap();
                let request = request(dir.path(), word);
                let report = search(&request, &mut Silent, &Control::default()).unwrap();
                assert!(matches!(report.status(), Status::Minimal), "{:?}", report.status());
                assert_eq!(fs::read(dir.path().join("input.min.txt")).unwrap(), word.as_bytes());
                assert_eq!(report.plan.outputs.failing, Path::new("input.min.txt"));
                let page = wynot::page(&report.plan.session).unwrap();
                assert!(page.contains("input.txt"));
            });
        }
    });
    assert_eq!(std::env::current_dir().unwrap(), here, "the process is as it was");
}

fn a_search_is_stopped_and_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let request = request(dir.path(), "needle");
    let (control, seen) = (Control::default(), AtomicU64::new(0));
    let mut observer = StopAfter { steps: 1, control: &control, seen: &seen };
    let report = search(&request, &mut observer, &control).unwrap();
    assert!(matches!(report.status(), Status::Stopped(Stop::Interrupted)));
    assert_eq!(seen.load(Ordering::Relaxed), 1);
    let between = fs::read_to_string(dir.path().join("input.min.txt")).unwrap();
    assert!(between.contains("needle") && between.len() > "needle".len());
    let report = search(&request, &mut Silent, &Control::default()).unwrap();
    assert!(report.resumed && report.counts().replayed > 0);
    assert_eq!(fs::read(dir.path().join("input.min.txt")).unwrap(), b"needle");
}

fn errors_are_values() {
    let dir = tempfile::tempdir().unwrap();
    let missing = Request::reduce(dir.path(), "nothing.txt", ["true"]);
    let error = search(&missing, &mut Silent, &Control::default()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Usage);
    assert!(error.to_string().contains("cannot read nothing.txt"), "{error}");
    let mut options = Request::new(Verb::Options, dir.path(), ["true"]);
    options.vary = Some(Default::default());
    let error = search(&options, &mut Silent, &Control::default()).unwrap_err();
    assert!(error.hints.iter().any(|hint| hint.contains("{options}")), "{error:?}");
    let runs = ExplainRequest::new(dir.path(), "./program 1", "");
    let error = explain(&runs, &mut Silent, &Control::default()).err().unwrap();
    assert_eq!(error.kind, ErrorKind::Usage);
}

fn main() {
    wynot::init();
    // A test of the library must not hang a whole run.
    thread::spawn(|| {
        thread::sleep(Duration::from_secs(300));
        eprintln!("the tests of the library hang");
        std::process::exit(1);
    });
    let tests: [(&str, fn()); 3] = [
        (
            "searches_run_at_the_same_time_in_different_directories",
            searches_run_at_the_same_time_in_different_directories,
        ),
        ("a_search_is_stopped_and_goes_on", a_search_is_stopped_and_goes_on),
        ("errors_are_values", errors_are_values),
    ];
    println!("\nrunning {} tests", tests.len());
    for (name, test) in tests {
        test();
        println!("test {name} ... ok");
    }
    println!("\ntest result: ok. {} passed; 0 failed; 0 ignored\n", tests.len());
}
