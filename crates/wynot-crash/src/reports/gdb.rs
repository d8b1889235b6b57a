//! Backtraces that gdb prints, for systems and programs that [`Backtracer`](crate::Backtracer) does not support.

use crate::crash::{Cause, Crash};
use crate::library_functions::culprit;
use wynot_process::demangle;

/// The arguments that make gdb attach to a process, print the backtrace of a thread, and detach.
pub fn arguments(pid: i32, tid: i32) -> Vec<String> {
    let switch = format!(
        "python [t.switch() for t in gdb.selected_inferior().threads() if t.ptid[1] == {tid}]"
    );
    let process = pid.to_string();
    let options =
        ["-batch", "-nx", "-iex", "set auto-load off", "-iex", "set debuginfod enabled off"];
    let commands = ["-p", &process, "-ex", &switch, "-ex", "bt 1000", "-ex", "detach"];
    options.into_iter().chain(commands).map(ToOwned::to_owned).collect()
}

/// Reads the backtrace that gdb has printed.
pub fn read(cause: Cause, text: &str) -> Crash {
    let lines = text.lines().filter(|line| line.starts_with('#'));
    let frames: Vec<String> = lines.filter_map(frame).collect();
    let is_cut_off = text.contains("(More stack frames follow...)");
    let is_broken = text.lines().any(|line| line.starts_with("Backtrace stopped:"));
    let complete = !frames.is_empty() && !is_cut_off && !is_broken;
    let culprit = culprit(frames.iter().map(|name| (name.as_str(), false)));
    Crash { culprit, ..Crash::new(cause, frames, complete) }
}

/// The function of a line such as `#1  0x0000555555555168 in ns::f<int> (n=0) at seg.c:3`.
fn frame(line: &str) -> Option<String> {
    let (_, rest) = line.split_once(' ')?;
    let rest = rest.trim_start();
    let rest = match rest.split_once(" in ") {
        Some((address, function)) if address.starts_with("0x") => function,
        _ => rest,
    };
    // The arguments follow a blank; parentheses that belong to the name do not.
    let function = match rest.find(" (") {
        Some(at) => &rest[..at],
        None => rest,
    };
    // The prefix of functions that the C library calls itself.
    let function = function.strip_prefix("__GI_").unwrap_or(function);
    Some(if function == "??" { "?".to_owned() } else { demangle::plain_name(function) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_without_addresses_and_arguments() {
        let text = "0x1 in g () at s.c:2\n#0  0x0000555555555135 in g (p=0x0) at seg.c:2\n\
                    #1  ns::f<int> (n=0) at seg.c:3\n#2  0x00007ffff7e0 in ?? () from /lib/libc.so.6\n\
                    #3  0x000055 in std::vector<int>::at(unsigned long) ()\n";
        let crash = read(Cause::Signal(11), text);
        assert_eq!(crash.frames, ["g", "ns::f", "?", "std::vector::at"]);
        assert!(crash.complete);
    }
}
