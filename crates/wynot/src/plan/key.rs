//! The key of a session: the digest of everything that outcomes are known to depend on.

use super::Plan;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use wynot_exec::command::{StandardInput, WorkDir};
use wynot_session::judge::Condition;
use wynot_session::{Digest, Fingerprint};
use wynot_subjects::Variant;

impl Plan {
    /// The digest of everything that outcomes are known to depend on. The labels are part of the journal's format.
    pub(super) fn key(&self) -> Digest {
        let mut print = Fingerprint::default();
        print.add("format", "5").add_file(&self.command.program);
        if let Some(fallback) = &self.command.fallback {
            print.add_file(fallback);
        }
        for arg in &self.command.args {
            match Path::new(arg) {
                path if path.is_absolute() && path.is_file() => print.add_file(path),
                _ => print.add("argument", arg.as_bytes()),
            };
        }
        if let Some(build) = &self.command.build {
            print.add("build", build.as_bytes());
        }
        let place = match self.command.work_dir {
            WorkDir::Private => OsStr::new(""),
            WorkDir::Here => self.command.here.as_os_str(),
        };
        let reads_variant = self.command.stdin == StandardInput::Variant;
        let limits = self.limits;
        let criteria = &self.criteria;
        let conditions = |conditions: &[Condition]| {
            conditions.iter().map(|condition| format!("{condition}\n")).collect::<String>()
        };
        print
            .add("place", place.as_bytes())
            .add("stdin", [u8::from(reads_variant)])
            .add("variant", self.input.variant.as_os_str().as_bytes())
            .add("mode", self.input.mode.to_le_bytes())
            .add("original", Digest::of(&self.subject().original()).to_string())
            .add("passing", Digest::of(&self.subject().baseline()).to_string())
            .add("fixed", Digest::of(&Variant::Folder(self.input.fixed.clone())).to_string())
            .add(
                "reading",
                format!(
                    "{:?} {} {} {} {}",
                    criteria.exit_meaning,
                    criteria.same_output,
                    criteria.prevent,
                    criteria.same_failure,
                    criteria.no_new_errors
                ),
            )
            .add("fail", conditions(&criteria.fail_when))
            .add("pass", conditions(&criteria.pass_when))
            .add("timeout", format!("{:?}", self.timeout))
            .add(
                "quorum",
                format!("{:?} {} {limits:?} {:?}", self.quorum, self.flaky, self.isolation),
            );
        if let Some(validity) = &self.validity {
            print.add_file(&validity.program).add("validity", format!("{:?}", validity.args));
        }
        if let Some(crashes) = &self.crashes {
            print.add("crashes", format!("{crashes:?}"));
        }
        let protected = self.protection.description();
        if !protected.is_empty() {
            print.add("protected", protected);
        }
        for command in &self.outside_commands {
            print.add("reducer", command.text.as_bytes());
        }
        if let Some(remote) = &self.remote {
            let workers = (&remote.address, &remote.platform, &remote.environment);
            print.add("workers", format!("{workers:?} {:?}", remote.with));
        }
        if let Some(project) = &self.project {
            let written = self.written_files();
            let written: Vec<&Path> = written.iter().map(PathBuf::as_path).collect();
            print.add("project", project.as_os_str().as_bytes()).add_tree(project, &written);
        }
        print.digest()
    }

    /// The files that the search writes. In a project, they must not change its key.
    pub(crate) fn written_files(&self) -> Vec<PathBuf> {
        let results = [Some(&self.results.failing), self.results.passing.as_ref()];
        let written = results.into_iter().flatten().chain(&self.written);
        written.map(|path| path.canonicalize().unwrap_or_else(|_| path.clone())).collect()
    }
}
