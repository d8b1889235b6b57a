//! What `git bisect run` answers to the same question, if it is given the very first commit as a good one.

use super::Repository;
use crate::support::ran;
use std::process::Command;

/// The answer of git.
#[derive(Debug, PartialEq, Eq)]
pub enum Bisected {
    /// The first bad commit, by its subject.
    Commit(String),
    /// One of so many commits: what is left can only be skipped.
    OnlySkipped(usize),
    /// The test ends with this code in the good version too.
    BogusCode(i32),
}

impl Bisected {
    pub fn commit(subject: &str) -> Self {
        Self::Commit(subject.to_owned())
    }
}

impl Repository {
    /// Runs git in a clone.
    #[track_caller]
    pub fn bisected(&self) -> Bisected {
        self.sh("rm -rf ../bisected; git clone -q . ../bisected; cd ../bisected
             git bisect start HEAD $(git rev-list --max-parents=0 HEAD)");
        let mut command = Command::new("git");
        self.place.prepare(&mut command);
        command.current_dir(self.place.path("bisected")).env("LC_ALL", "C");
        let done = ran(command.args(["bisect", "run", "sh", "-c", &self.script()]));
        let first =
            done.stdout.lines().find_map(|line| line.strip_suffix(" is the first bad commit"));
        if let Some(id) = first {
            return Bisected::Commit(self.subject(id));
        }
        if let Some((_, code)) = done.stderr.split_once("bogus exit code ") {
            return Bisected::BogusCode(code.split(' ').next().unwrap().parse().unwrap());
        }
        let left = done.stdout.split_once("The first bad commit could be any of:\n");
        let (_, left) = left.unwrap_or_else(|| panic!("git bisect has another answer: {done:?}"));
        let is_id = |line: &&str| line.len() == 40 && line.bytes().all(|b| b.is_ascii_hexdigit());
        Bisected::OnlySkipped(left.lines().take_while(is_id).count())
    }
}
