//! The sandbox: what a test can reach besides its private directories is as little as possible.
//!
//! The supervisor enters it once, before its first test, and its tests inherit it; so it costs nothing for each test.
//! Its parts, each of which holds by itself:
//!
//! - namespaces for users, processes (see [`process_namespace`](super::process_namespace)), mounts, network, System V
//!   memory, host names and control groups;
//! - a [view of the files](file_view): everything read-only, the home directories, temporary directories, sockets and
//!   devices of the system left out;
//! - no privileges, and none to be had ([`privileges`]);
//! - a [filter of system calls](system_call_filter) that have no place in a test;
//! - [Landlock](access_rules), which forbids writing outside of the private directories once more.

mod access_rules;
mod file_view;
mod loopback;
mod mount_table;
mod privileges;
mod system_call_filter;

use super::process_namespace::unshare;
use super::setup::{MissingPart, SandboxPlaces, SandboxSetup};
use file_view::FileView;
use rustix::thread::UnshareFlags;
use std::io;
use std::path::{Path, PathBuf};

/// The sandbox of this process.
#[derive(Debug, Default)]
pub(crate) struct Sandbox {
    /// The parts that the system cannot provide.
    pub missing: Vec<MissingPart>,
    /// The directories outside of the private ones to which tests can write.
    pub writable: Vec<PathBuf>,
    /// Whether tests have a view of the files of their own, and a `/proc` of their process namespace.
    pub has_file_view: bool,
}

/// The name of the part that most others need.
pub(crate) const NAMESPACES: &str = "user and process namespaces";

impl Sandbox {
    /// Moves this process and its future children into a sandbox. With a namespace, it is the first process of it;
    /// without, the sandbox has only the parts that need none.
    pub(crate) fn enter(
        places: &SandboxPlaces,
        sandbox: &SandboxSetup,
        has_namespace: bool,
    ) -> Self {
        let mut entered = Self::default();
        if !has_namespace {
            entered.missing.push(MissingPart { part: NAMESPACES.to_owned(), errno: 0 });
        } else {
            let namespaces = [
                ("a network namespace", UnshareFlags::NEWNET),
                ("an IPC namespace", UnshareFlags::NEWIPC),
                ("a namespace for host names", UnshareFlags::NEWUTS),
                ("a namespace for control groups", UnshareFlags::NEWCGROUP),
            ];
            for (part, namespace) in namespaces {
                entered.add(part, unshare(namespace).map_err(io::Error::from));
            }
            entered.add("the loopback network", loopback::enable());
            entered.enter_file_view(places, sandbox);
        }
        let private = places.private.iter();
        let writable: Vec<PathBuf> = private.chain(&entered.writable).cloned().collect();
        entered.add("dropping privileges", privileges::drop_all());
        entered.add("Landlock", access_rules::restrict(&writable));
        entered.add("a filter of system calls", system_call_filter::install());
        entered
    }

    /// Changes the view of the files.
    fn enter_file_view(&mut self, places: &SandboxPlaces, sandbox: &SandboxSetup) {
        match FileView::new(places, sandbox).enter() {
            Ok(writable) => (self.writable, self.has_file_view) = (writable, true),
            Err((part, error)) => self.missing.push(MissingPart::new(part, &error)),
        }
    }

    /// Records that a part is missing if the system reports an error.
    fn add(&mut self, part: &str, result: io::Result<()>) {
        if let Err(error) = result {
            self.missing.push(MissingPart::new(part, &error));
        }
    }
}

/// Whether a path is in one of these directories, or is one of them.
fn is_in_any(path: &Path, directories: &[PathBuf]) -> bool {
    directories.iter().any(|directory| path.starts_with(directory))
}
