//! Standard output. An error does not end a search, whose results are on disk; it is reported at the end.

use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use wynot::{Error, ErrorKind};
use wynot_session::plain;

/// The first error of standard output, in words.
static FIRST_ERROR: OnceLock<String> = OnceLock::new();

/// Whether standard output is for the result alone, so that lines go to standard error.
static IS_DIVERTED: AtomicBool = AtomicBool::new(false);

/// Keeps standard output for the result.
pub fn divert() {
    IS_DIVERTED.store(true, Ordering::Relaxed);
}

/// Whether standard output is for the result alone.
pub fn is_diverted() -> bool {
    IS_DIVERTED.load(Ordering::Relaxed)
}

/// Prints the result to standard output, whether lines are printed there or not.
pub fn print_result(bytes: &[u8]) {
    write_with(|out| out.write_all(bytes));
}

/// Prints a line. After an error, nothing more is printed.
pub fn print(line: fmt::Arguments<'_>) {
    if is_diverted() {
        print_error_line!("{line}");
        return;
    }
    write_with(|out| writeln!(out, "{line}"));
}

/// Prints bytes as they are.
pub fn print_bytes(bytes: &[u8]) {
    write_with(|out| out.write_all(bytes));
}

/// Prints a page for a pager, which may be closed early.
pub fn print_page(page: &[u8]) {
    // Not by way of the buffer, which would keep what a closed pager does not take.
    let written = io::stdout().as_fd().try_clone_to_owned().map(File::from);
    match written.and_then(|mut out| out.write_all(page)) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => keep(&error),
        _ => {}
    }
}

fn write_with(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
    if FIRST_ERROR.get().is_none()
        && let Err(error) = write(&mut io::stdout())
    {
        keep(&error);
    }
}

/// Keeps an error of standard output, unless there was an earlier one.
pub fn keep(error: &io::Error) {
    FIRST_ERROR.get_or_init(|| plain(error));
}

/// Writes what is buffered. An error if anything could not be written.
pub fn finish() -> Result<(), Error> {
    write_with(|out| out.flush());
    match FIRST_ERROR.get() {
        None => Ok(()),
        Some(reason) => {
            let message = format!("cannot write to standard output: {reason}");
            Err(Error::new(ErrorKind::Unexpected, message))
        }
    }
}
