//! Reduces a file with progress, and stops after a minute: `cargo run --example reduce -- crash.c gcc -O2 -c {}`

use std::time::Duration;
use wynot::{Control, Counts, Error, Event, Listener, Notes, Observer, Request, search};

struct Progress;

impl Listener for Progress {
    fn on(&mut self, event: &Event<'_>, counts: &Counts) {
        if let Event::Step { step, .. } = event {
            println!("{} bytes after {} tests", step.bytes, counts.executed);
        }
    }
}

impl Notes for Progress {}
impl Observer for Progress {}

fn main() -> Result<(), Error> {
    wynot::init();
    let mut arguments = std::env::args().skip(1);
    let input = arguments.next().ok_or_else(|| Error::usage("which file?"))?;
    let request = Request::reduce(std::env::current_dir().unwrap_or_default(), input, arguments);
    let control = Control::default();
    let timer = control.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(60));
        timer.stop();
    });
    let report = search(&request, &mut Progress, &control)?;
    println!("{} bytes: {}", report.varied_size(), report.plan.outputs.failing.display());
    Ok(())
}
