//! One test on a worker, from the input root to the record.

use super::staging::{copy_file, copy_tree};
use super::worker_facts::WorkerFacts;
use super::worker_record::{RECORD_FILE, RecordDetails, WorkerRecord};
use super::worker_request::{
    CALL_FILE, FILES, FORMAT, PROJECT, REQUEST_FILE, VARIANT, VariantPlace, WorkerRequest,
    call_on_worker,
};
use crate::access_times::RecordedReads;
use crate::file_tree::remove;
use crate::hidden_path::hide_path;
use crate::job_id::JobId;
use crate::observation::Observation;
use crate::supervisor::protocol::{Call, Run, SupervisorReply, SupervisorRequest, receive, send};
use crate::supervisor::setup::{Bytes, Setup};
use std::fs::{self, Permissions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The number of the only test.
const ONLY_JOB: JobId = JobId(0);

/// Runs the test that the current directory describes, and writes the record. `supervisor` starts the program with which
/// the supervisor begins; it gets its socket as standard input.
///
/// An error means that there is no observation: the infrastructure failed, not the test.
pub fn run_on_worker(supervisor: impl Fn() -> io::Result<Command>) -> io::Result<()> {
    let root = std::env::current_dir()?;
    let request: WorkerRequest = serde_json::from_slice(&fs::read(root.join(REQUEST_FILE))?)?;
    if request.format != FORMAT {
        return Err(io::Error::other("the request has another format than this runner reads"));
    }
    let call: Option<Call> = match fs::read(root.join(CALL_FILE)) {
        Ok(bytes) => Some(serde_json::from_slice(&bytes)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let scratch = Scratch::new(&root)?;
    let (private, files) = (scratch.private(), root.join(FILES));
    let call = call.map(|call| call_on_worker(call, &private, &files));
    let request = request.on_worker(&private, &files);
    let mut worker = Worker { root, scratch, request, call };
    let record = worker.run(supervisor)?;
    fs::write(worker.root.join(RECORD_FILE), record.encode())
}

/// The directories of the test. They are in the input root, so that the service removes what a killed runner leaves.
struct Scratch(PathBuf);

impl Scratch {
    fn new(root: &Path) -> io::Result<Self> {
        let path = root.join(format!("wynot-scratch-{:07}", std::process::id()));
        fs::create_dir(&path)?;
        Ok(Self(path))
    }

    /// The private directory. The names are as long as those on this machine.
    fn private(&self) -> PathBuf {
        self.0.join("000-0")
    }

    fn temporary(&self) -> PathBuf {
        self.0.join("000-tmp")
    }

    fn supervisor_root(&self) -> PathBuf {
        self.0.join("000-root")
    }

    /// Makes the directories, empty.
    fn make(&self) -> io::Result<()> {
        for path in [self.private(), self.temporary(), self.supervisor_root()] {
            remove(&path)?;
            fs::create_dir_all(&path)?;
        }
        Ok(())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is removed with the input root.
        let _ = remove(&self.0);
    }
}

/// A test on a worker.
struct Worker {
    root: PathBuf,
    scratch: Scratch,
    request: WorkerRequest,
    call: Option<Call>,
}

impl Worker {
    fn run(&mut self, supervisor: impl Fn() -> io::Result<Command>) -> io::Result<WorkerRecord> {
        let (mut child, socket) = self.start(&supervisor)?;
        let record = self.observe(&socket);
        drop(socket);
        child.wait()?;
        record
    }

    /// Starts a supervisor that is ready for the test, without a process namespace where there is none.
    fn start(
        &mut self,
        supervisor: &impl Fn() -> io::Result<Command>,
    ) -> io::Result<(Child, UnixStream)> {
        loop {
            self.scratch.make()?;
            let (child, socket) = self.spawn(supervisor()?)?;
            match receive_reply(&socket)? {
                SupervisorReply::Ready { .. } => return Ok((child, socket)),
                SupervisorReply::CannotIsolate { .. }
                    if self.request.setup.containment.own_processes =>
                {
                    self.request.setup.containment.own_processes = false;
                    end(child, socket)?;
                }
                other => {
                    end(child, socket)?;
                    return Err(io::Error::other(format!("the supervisor replies {other:?}")));
                }
            }
        }
    }

    fn spawn(&self, mut command: Command) -> io::Result<(Child, UnixStream)> {
        let (ours, theirs) = UnixStream::pair()?;
        let child = command
            .env("TMPDIR", self.scratch.temporary())
            .env_remove("PWD")
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .process_group(0)
            .spawn()?;
        let project = Some(self.root.join(PROJECT)).filter(|project| project.is_dir());
        let setup = Setup {
            slot: std::process::id(),
            temp: self.scratch.temporary().as_path().into(),
            root: self.scratch.supervisor_root().as_path().into(),
            project: None,
            original: project.as_deref().map(Bytes::from),
            ..self.request.setup.clone()
        };
        send(&ours, &serde_json::to_vec(&setup)?)?;
        Ok((child, ours))
    }

    /// Runs the test and waits for its observation.
    fn observe(&self, socket: &UnixStream) -> io::Result<WorkerRecord> {
        let paths = self.stage()?.filter(|_| self.request.records_reads);
        // Where access times cannot be set, the reads stay unknown.
        let reads =
            paths.and_then(|paths| RecordedReads::begin(&self.scratch.private(), paths).ok());
        let run = Run {
            job: ONLY_JOB,
            test_dir: 0,
            timeout: self.request.timeout,
            alone: self.request.alone,
            call: self.call.clone(),
        };
        send(socket, &SupervisorRequest::Run(run).encode())?;
        let mut reply = receive_reply(socket)?;
        if let SupervisorReply::Observed { observation, .. } = &mut reply {
            self.hide_paths(observation);
        }
        let program = self.request.setup.test_dirs.first().map(|dir| dir.program.path());
        let worker = WorkerFacts::of_this_machine(&program.unwrap_or_default());
        let read = reads.and_then(RecordedReads::end);
        Ok(WorkerRecord { reply, details: RecordDetails { read, worker } })
    }

    /// Puts the project and the variant into the private directory. Returns the paths of a varying folder.
    fn stage(&self) -> io::Result<Option<Vec<PathBuf>>> {
        let (private, variant) = (self.scratch.private(), self.root.join(VARIANT));
        let project = self.root.join(PROJECT);
        if project.is_dir() {
            copy_tree(&project, &private)?;
        }
        match &self.request.variant {
            VariantPlace::Call => Ok(None),
            VariantPlace::File { name, mode } => {
                let path = private.join(name.path());
                fs::create_dir_all(path.parent().unwrap_or(&private))?;
                remove(&path)?;
                copy_file(&variant, &path, Some(*mode))?;
                Ok(None)
            }
            VariantPlace::Folder { modes } => {
                copy_tree(&variant, &private)?;
                // The modes of directories come after those of what they contain.
                for (path, mode) in modes.iter().rev() {
                    let path = private.join(path.path());
                    fs::set_permissions(path, Permissions::from_mode(*mode))?;
                }
                leaves(&private).map(Some)
            }
        }
    }

    /// Replaces the paths of this worker in the output of the test.
    fn hide_paths(&self, observation: &mut Observation) {
        let files = self.root.join(FILES);
        for output in [&mut observation.stdout, &mut observation.stderr] {
            for path in [self.scratch.private(), self.scratch.temporary(), files.clone()] {
                let before = output.kept.len();
                output.kept = hide_path(std::mem::take(&mut output.kept), &path);
                output.total -= (before - output.kept.len()) as u64;
            }
        }
    }
}

/// The files, links and empty directories below a directory.
fn leaves(root: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut found, mut pending) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(dir) = pending.pop() {
        let mut is_empty = true;
        for entry in fs::read_dir(root.join(&dir))? {
            let entry = entry?;
            is_empty = false;
            let path = dir.join(entry.file_name());
            match entry.file_type()?.is_dir() {
                true => pending.push(path),
                false => found.push(path),
            }
        }
        if is_empty && !dir.as_os_str().is_empty() {
            found.push(dir);
        }
    }
    Ok(found)
}

/// Receives a reply of the supervisor.
fn receive_reply(socket: &UnixStream) -> io::Result<SupervisorReply> {
    match receive(socket)? {
        Some(frame) => SupervisorReply::decode(&frame),
        None => Err(io::Error::other("the supervisor has died")),
    }
}

/// Ends a supervisor.
fn end(mut child: Child, socket: UnixStream) -> io::Result<()> {
    drop(socket);
    child.wait().map(drop)
}
