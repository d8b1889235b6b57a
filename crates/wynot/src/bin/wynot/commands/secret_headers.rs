//! Headers on the command line or in the environment, which must not be seen in the list of processes or by tests.
//!
//! A process that gets such headers starts itself again without them, and hands them over in memory that is gone when it
//! was read.

use rustix::fs::{MemfdFlags, memfd_create};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::OnceLock;

/// The option with a header.
const OPTION: &str = "--remote-header";

/// The variable with headers, one on each line.
const VARIABLE: &str = "WYNOT_REMOTE_HEADER";

/// The variable with the number of the descriptor that hands headers over.
const DESCRIPTOR: &str = "WYNOT_HEADERS_FROM";

/// The headers that were handed over.
static RECEIVED: OnceLock<String> = OnceLock::new();

/// Starts this program again if its arguments or its environment contain headers. Returns if they do not, or if there are no
/// means to hide them; then the arguments are as they were.
pub fn hide() {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let (kept, mut headers) = without_headers(&arguments);
    if let Some(text) = std::env::var_os(VARIABLE) {
        headers.push(text);
    }
    if headers.is_empty() {
        return;
    }
    let joined =
        headers.iter().map(|header| header.as_bytes()).collect::<Vec<_>>().join(&b"\n"[..]);
    // An error means that the headers stay visible, which is better than a search without them.
    let Ok(memory) = in_memory(&joined) else { return };
    let Ok(program) = std::env::current_exe() else { return };
    let mut command = Command::new(program);
    if let Some(name) = kept.first() {
        command.arg0(name);
    }
    command.args(kept.iter().skip(1)).env_remove(VARIABLE);
    command.env(DESCRIPTOR, memory.as_raw_fd().to_string());
    // It returns only if the program cannot be started.
    let _ = command.exec();
}

/// The headers that were handed over to this process, one on each line.
pub fn received() -> io::Result<String> {
    if let Some(headers) = RECEIVED.get() {
        return Ok(headers.clone());
    }
    let number = std::env::var(DESCRIPTOR).ok().and_then(|number| number.parse::<i32>().ok());
    let mut headers = String::new();
    if let Some(number) = number {
        #[expect(unsafe_code, reason = "a descriptor that was inherited has no other owner")]
        // SAFETY: this program opened the descriptor for this purpose before it started itself again, and this function
        // takes it once.
        let descriptor = unsafe { OwnedFd::from_raw_fd(number) };
        File::from(descriptor).read_to_string(&mut headers)?;
    }
    Ok(RECEIVED.get_or_init(|| headers).clone())
}

/// The variables by which processes that this one starts get the headers, each of them by itself: what is in memory can be
/// read only once. `None` removes a variable.
pub fn environment_to_hand_on() -> io::Result<Vec<(&'static str, Option<String>)>> {
    let headers = received()?;
    match headers.is_empty() {
        true => Ok(Vec::new()),
        false => Ok(vec![(DESCRIPTOR, None), (VARIABLE, Some(headers))]),
    }
}

/// A file in memory with some contents, which programs that this one starts inherit.
fn in_memory(contents: &[u8]) -> io::Result<File> {
    let mut file = File::from(memfd_create("wynot-headers", MemfdFlags::empty())?);
    file.write_all(contents)?;
    file.rewind()?;
    Ok(file)
}

/// The arguments without headers, and the headers.
fn without_headers(arguments: &[OsString]) -> (Vec<OsString>, Vec<OsString>) {
    let (mut kept, mut headers) = (Vec::new(), Vec::new());
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "--" {
            kept.push(argument.clone());
            kept.extend(rest.by_ref().cloned());
        } else if argument == OPTION {
            headers.extend(rest.next().cloned());
        } else if let Some(value) = argument.as_bytes().strip_prefix(b"--remote-header=") {
            headers.push(OsStr::from_bytes(value).to_owned());
        } else {
            kept.push(argument.clone());
        }
    }
    (kept, headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_headers_of_wynot_are_taken_out() {
        let arguments = ["wynot", "reduce", "--remote-header", "a=b", "x", "--remote-header=c=d"];
        let test = ["--", "curl", "--remote-header", "e"];
        let arguments: Vec<OsString> = arguments.iter().chain(&test).map(OsString::from).collect();
        let (kept, headers) = without_headers(&arguments);
        assert_eq!(kept, ["wynot", "reduce", "x", "--", "curl", "--remote-header", "e"]);
        assert_eq!(headers, ["a=b", "c=d"]);
    }
}
