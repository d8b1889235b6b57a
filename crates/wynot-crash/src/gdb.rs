//! Backtraces of gdb, for systems and programs on which our own does not work.

use crate::name;
use crate::{Cause, Crash};

/// The arguments for gdb that make it print the backtrace of a process and leave.
pub fn arguments(pid: i32, tid: i32) -> Vec<String> {
    let switch = format!(
        "python [t.switch() for t in gdb.selected_inferior().threads() if t.ptid[1] == {tid}]"
    );
    let process = pid.to_string();
    let words =
        ["-batch", "-nx", "-iex", "set auto-load off", "-iex", "set debuginfod enabled off"];
    let commands = ["-p", &process, "-ex", &switch, "-ex", "bt 1000", "-ex", "detach"];
    words.into_iter().chain(commands).map(ToOwned::to_owned).collect()
}

/// Reads what gdb has printed.
pub fn read(cause: Cause, text: &str) -> Crash {
    let lines = text.lines().filter(|line| line.starts_with('#'));
    let frames: Vec<String> = lines.filter_map(frame).collect();
    let more = text.contains("(More stack frames follow...)");
    let broken = text.lines().any(|line| line.starts_with("Backtrace stopped:"));
    let complete = !frames.is_empty() && !more && !broken;
    Crash { cause, frames, complete }
}

/// `#1  0x0000555555555168 in ns::f<int> (n=0) at seg.c:3`
fn frame(line: &str) -> Option<String> {
    let (_, rest) = line.split_once(' ')?;
    let rest = rest.trim_start();
    let rest = match rest.split_once(" in ") {
        Some((address, behind)) if address.starts_with("0x") => behind,
        _ => rest,
    };
    // The arguments are behind a blank: those of the name itself are not.
    let function = match rest.find(" (") {
        Some(at) => &rest[..at],
        None => rest,
    };
    // What the C library calls its own functions by.
    let function = function.strip_prefix("__GI_").unwrap_or(function);
    Some(if function == "??" { "?".to_owned() } else { name::plain(function) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_gdb_lose_addresses_and_arguments() {
        let text = "0x1 in g () at s.c:2\n#0  0x0000555555555135 in g (p=0x0) at seg.c:2\n\
                    #1  ns::f<int> (n=0) at seg.c:3\n#2  0x00007ffff7e0 in ?? () from /lib/libc.so.6\n\
                    #3  0x000055 in std::vector<int>::at(unsigned long) ()\n";
        let crash = read(Cause::Signal(11), text);
        assert_eq!(crash.frames, ["g", "ns::f", "?", "std::vector::at"]);
        assert!(crash.complete);
    }
}
