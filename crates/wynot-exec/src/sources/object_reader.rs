//! The process that reads the objects of a repository.

use super::git_error::GitError;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A `git cat-file --batch` process, which prints objects on request.
#[derive(Debug)]
pub(super) struct ObjectReader {
    process: Child,
    requests: ChildStdin,
    replies: BufReader<ChildStdout>,
}

impl Drop for ObjectReader {
    fn drop(&mut self) {
        // The errors mean that the process has already ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl ObjectReader {
    /// Starts the process for the repository of a git command without arguments.
    pub(super) fn start(mut command: Command) -> Result<Self, GitError> {
        let mut process = command
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(GitError::Missing)?;
        let broken_pipe = || io::Error::from(io::ErrorKind::BrokenPipe);
        let requests = process.stdin.take().ok_or_else(broken_pipe)?;
        let replies = BufReader::new(process.stdout.take().ok_or_else(broken_pipe)?);
        Ok(Self { process, requests, replies })
    }

    /// Reads an object by its name.
    pub(super) fn read(&mut self, id: &str) -> Result<Vec<u8>, GitError> {
        writeln!(self.requests, "{id}")?;
        self.requests.flush()?;
        let mut header = String::new();
        self.replies.read_line(&mut header)?;
        // The header is "ID KIND SIZE"; otherwise the object is missing, as in a partial clone without network.
        let size = header.split_whitespace().nth(2).and_then(|size| size.parse::<usize>().ok());
        let size = size.ok_or(GitError::MissingObject(id.to_owned()))?;
        let mut bytes = vec![0; size + 1];
        self.replies.read_exact(&mut bytes)?;
        bytes.pop();
        Ok(bytes)
    }
}
