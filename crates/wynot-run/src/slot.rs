//! A slot: a supervisor process and the private directories of its tests, its *rooms*.

use crate::checkout::Checkout;
use crate::command::{Place, Stdin};
use crate::local::{Form, LocalSetup};
use crate::wire::{Bytes, Call, Disturbed, Reply, Request, RoomSetup, Setup, gone, receive, send};
use crate::{ExecutorError, Ticket, supervisor};
use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use wynot_subjects::Variant;

pub(crate) struct Slot {
    pub process: Child,
    pub socket: UnixStream,
    pub rooms: Vec<Room>,
    pub temp: PathBuf,
    pub own_cpu: Duration,
}

pub(crate) struct Room {
    pub path: PathBuf,
    pub variant: PathBuf,
    /// The test that runs here or waits to.
    pub occupied: Option<Ticket>,
    /// What is in it, where folders vary.
    checkout: Checkout,
}

impl Slot {
    pub(crate) fn new(
        setup: &LocalSetup<'_>,
        scratch: &Path,
        index: usize,
    ) -> Result<Self, ExecutorError> {
        let make = |name: String| {
            let path = scratch.join(name);
            let failed =
                |source| ExecutorError::Scratch { action: "make", path: path.clone(), source };
            fs::create_dir(&path).map_err(failed)?;
            Ok(path)
        };
        // With one slot tests come strictly one after the other, and copies of a project are dear.
        let rooms = if setup.slots > 1 && setup.project.is_none() { 2 } else { 1 };
        // Names of equal length, so that nothing a test prints depends on its room but the number.
        let rooms = (0..rooms).map(|room| make(format!("{index:03}-{room}")));
        let rooms = rooms.collect::<Result<Vec<PathBuf>, ExecutorError>>()?;
        let temp = make(format!("{index:03}-tmp"))?;
        let (ours, theirs) = UnixStream::pair().map_err(ExecutorError::Supervisor)?;
        let mut command = Command::new(&setup.supervisor.0);
        command
            .args(&setup.supervisor.1)
            .env("TMPDIR", &temp)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .process_group(0);
        if setup.command.place == Place::Private {
            // It would name the wrong directory.
            command.env_remove("PWD");
        }
        for (name, value) in &setup.command.env {
            if std::env::var_os(name).is_none() {
                command.env(name, value);
            }
        }
        let process = command.spawn().map_err(ExecutorError::Supervisor)?;
        let message = Setup {
            rooms: rooms.iter().map(|path| room_setup(setup, path)).collect(),
            temp: temp.as_path().into(),
            project: setup.project.map(Bytes::from),
            build: setup.command.build.clone().map(Bytes::from),
            left_alone: setup.form == Form::Folder,
            sandbox: setup.sandbox,
            limits: setup.limits,
            crashes: setup.crashes,
        };
        let encoded = serde_json::to_vec(&message).map_err(io::Error::from);
        encoded.and_then(|bytes| send(&ours, &bytes)).map_err(ExecutorError::Supervisor)?;
        let rooms = rooms.into_iter().map(|path| Room {
            variant: placed(&path, setup.name),
            checkout: Checkout::new(path.clone(), setup.keeps_products),
            path,
            occupied: None,
        });
        let rooms = rooms.collect();
        Ok(Self { process, socket: ours, rooms, temp, own_cpu: Duration::ZERO })
    }

    pub(crate) fn ask(&mut self, request: &Request) -> Result<(), ExecutorError> {
        match send(&self.socket, &request.encode()) {
            Ok(()) => Ok(()),
            // The supervisor may have left a last word before it went: `wait` will find it.
            Err(error) if gone(&error) => Ok(()),
            Err(error) => Err(ExecutorError::Supervisor(error)),
        }
    }

    /// Waits for the rooms: a project that is still being copied would overwrite a variant.
    pub(crate) fn wait_until_ready(&self) -> Result<(), ExecutorError> {
        let frame = receive(&self.socket).map_err(ExecutorError::Supervisor)?;
        let frame = frame.ok_or(ExecutorError::SupervisorDied)?;
        match Reply::decode(&frame).map_err(ExecutorError::Supervisor)? {
            Reply::Ready => Ok(()),
            Reply::Scratch { action, errno } => Err(self.scratch_error(action, errno)),
            Reply::CannotTrace { errno } => {
                Err(ExecutorError::CannotTrace(io::Error::from_raw_os_error(errno)))
            }
            _ => Err(ExecutorError::SupervisorDied),
        }
    }

    pub(crate) fn scratch_error(&self, action: u8, errno: i32) -> ExecutorError {
        let source = io::Error::from_raw_os_error(errno);
        let action = match action {
            supervisor::SANDBOX => return ExecutorError::Sandbox(source),
            supervisor::COPY => "copy the project to",
            _ => "clean",
        };
        ExecutorError::Scratch { action, path: self.rooms[0].path.clone(), source }
    }

    pub(crate) fn tests(&self) -> usize {
        self.rooms.iter().filter(|room| room.occupied.is_some()).count()
    }
}

/// A place in a room; no place is the room itself.
fn placed(room: &Path, place: &Path) -> PathBuf {
    if place.as_os_str().is_empty() { room.to_owned() } else { room.join(place) }
}

fn room_setup(setup: &LocalSetup<'_>, path: &Path) -> RoomSetup {
    let variant = placed(path, setup.name);
    let cwd = match setup.command.place {
        Place::Private => path,
        Place::Here => &setup.command.here,
    };
    // What lies in the project is run and read in the copy of it.
    let copied = |word: &OsStr| {
        let inside = setup.project.and_then(|project| Path::new(word).strip_prefix(project).ok());
        inside.map_or_else(|| word.to_owned(), |inside| path.join(inside).into_os_string())
    };
    let args = setup.command.args_for(&variant);
    RoomSetup {
        path: path.into(),
        // A program that has no absolute path is one of the files that vary.
        program: path.join(copied(setup.command.program.as_os_str())).into_os_string().into(),
        args: args.iter().map(|arg| copied(arg).into()).collect(),
        cwd: cwd.into(),
        stdin: (setup.command.stdin == Stdin::Variant).then(|| variant.as_path().into()),
    }
}

impl Room {
    /// Puts a variant where the test finds it; what of it belongs into the call.
    pub(crate) fn put(&mut self, variant: &Variant, mode: u32) -> io::Result<Option<Call>> {
        let list = |words: &[Vec<u8>]| words.iter().map(Bytes::from).collect();
        match variant {
            Variant::Bytes(bytes) => self.write_variant(bytes, mode).map(|()| None),
            Variant::Folder(folder) => self.checkout.bring_to(folder).map(|()| None),
            Variant::Words(words) => Ok(Some(Call::Words(list(words)))),
            Variant::Environment(variables) => Ok(Some(Call::Environment(list(variables)))),
        }
    }

    /// Takes note that the test has ended, and of what it has changed.
    pub(crate) fn is_left(&mut self, disturbed: &Disturbed) {
        self.occupied = None;
        let paths: Vec<PathBuf> = disturbed.iter().map(Bytes::path).collect();
        self.checkout.was_disturbed(&paths);
    }

    /// Makes room again, if the variant could not be put there whole.
    pub(crate) fn give_up(&mut self, variant: &Variant) {
        // What cannot be removed is reported when the next variant is put there.
        let _ = match variant {
            Variant::Folder(_) => self.checkout.clear(),
            _ => fs::remove_file(&self.variant),
        };
    }

    fn write_variant(&self, bytes: &[u8], mode: u32) -> io::Result<()> {
        // Always a new file: what is there may be a link, or not writable.
        let open =
            || OpenOptions::new().write(true).create_new(true).mode(mode).open(&self.variant);
        let mut file = match open() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(self.variant.parent().unwrap_or(&self.path))?;
                open()?
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                fs::remove_file(&self.variant)?;
                open()?
            }
            file => file?,
        };
        file.write_all(bytes)
    }
}
