//! Facts about a machine that explain why a test ends otherwise than on another one.

use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// The number of bytes of a program that identify it.
const PROGRAM_SAMPLE_BYTES: u64 = 16 << 20;

/// Facts about a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerFacts {
    /// The name of the operating system.
    pub system: Option<String>,
    /// The release of the kernel.
    pub kernel: String,
    /// The hardware architecture.
    pub machine: String,
    /// The digest of the program of the test; `None` if it is not there.
    pub program: Option<String>,
}

impl WorkerFacts {
    /// The facts about this machine, for a test that runs this program.
    pub fn of_this_machine(program: &Path) -> Self {
        let uname = rustix::system::uname();
        Self {
            system: system_name(),
            kernel: uname.release().to_string_lossy().into_owned(),
            machine: uname.machine().to_string_lossy().into_owned(),
            program: digest_of_program(program),
        }
    }

    /// How a worker differs from this machine, in words.
    pub fn differences(&self, here: &Self, program: &Path) -> Vec<String> {
        let mut found = Vec::new();
        match (&self.program, &here.program) {
            (None, Some(_)) => found.push(format!("the worker has no {}", program.display())),
            (Some(there), Some(here)) if there != here => {
                found.push(format!("{} is another file there", program.display()));
            }
            _ => {}
        }
        let name = |facts: &Self| facts.system.clone().unwrap_or_else(|| "unknown".to_owned());
        let pairs = [
            ("system", name(self), name(here)),
            ("architecture", self.machine.clone(), here.machine.clone()),
            ("kernel", self.kernel.clone(), here.kernel.clone()),
        ];
        for (what, there, here) in pairs {
            if there != here {
                found.push(format!("the {what} is {there} there and {here} here"));
            }
        }
        found
    }
}

/// The name of the operating system, from `/etc/os-release`.
fn system_name() -> Option<String> {
    let text = ["/etc/os-release", "/usr/lib/os-release"]
        .iter()
        .find_map(|path| fs::read_to_string(path).ok())?;
    let line = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(line.trim_matches('"').to_owned())
}

/// A digest of the beginning of a program and of its size.
fn digest_of_program(program: &Path) -> Option<String> {
    let file = File::open(program).ok()?;
    let size = file.metadata().ok()?.len();
    let mut hasher = blake3::Hasher::new();
    hasher.update(&size.to_le_bytes());
    hasher.update_reader(file.take(PROGRAM_SAMPLE_BYTES)).ok()?;
    Some(hasher.finalize().to_hex()[..32].to_owned())
}
