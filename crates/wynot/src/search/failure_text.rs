//! What a failure is about, as a text whose words point to changes.
//!
//! The text must not depend on where a search runs: the directories of the user and of the tests are no part of it.

use crate::plan::Plan;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// The number of bytes of a script that are read.
const MAX_SCRIPT_BYTES: u64 = 64 << 10;

/// What the failure is about, for a comparison of words: the command, the programs and files that it names, and what the
/// bad version prints.
pub(super) fn failure_text(plan: &Plan, printed: &[String]) -> Vec<u8> {
    let command = &plan.command;
    let arguments = command.args.iter().map(|argument| argument.as_os_str());
    let mut text = Vec::new();
    for word in std::iter::once(command.program.as_os_str()).chain(arguments) {
        text.extend(without_directories(&word.to_string_lossy()));
        text.extend(script(&command.here.join(word)));
    }
    text.extend(printed.iter().flat_map(|line| without_directories(line)));
    text
}

/// The beginning of a file, if it is a text.
fn script(path: &Path) -> Vec<u8> {
    let mut script = Vec::new();
    // Opening a pipe would wait for its other end. A file that cannot be read says nothing.
    let is_file = fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    let is_read = is_file
        && File::open(path)
            .and_then(|file| file.take(MAX_SCRIPT_BYTES).read_to_end(&mut script))
            .is_ok();
    match is_read && std::str::from_utf8(&script).is_ok() {
        true => script,
        false => Vec::new(),
    }
}

/// A line in which absolute paths are only the names of their files.
fn without_directories(line: &str) -> Vec<u8> {
    let is_border = |c: char| c.is_whitespace() || "\"'`()[]<>=,;:".contains(c);
    let name = |word: &str| match word.strip_prefix('/') {
        Some(path) => path.rsplit('/').next().unwrap_or_default().to_owned(),
        None => word.to_owned(),
    };
    let words: Vec<String> = line.split(is_border).map(name).collect();
    (words.join(" ") + "\n").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_no_part_of_the_text() {
        let line = "  File \"/dev/shm/wynot-Xyz/1/src/a.py\", line 3, in ./lib/b: no 'name'";
        let text = String::from_utf8(without_directories(line)).unwrap();
        let words: Vec<&str> = text.split_whitespace().collect();
        assert_eq!(words, ["File", "a.py", "line", "3", "in", "./lib/b", "no", "name"]);
    }
}
