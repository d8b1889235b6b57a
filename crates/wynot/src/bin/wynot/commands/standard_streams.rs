//! `-` in place of a file: standard input as the input, standard output for the result.

use crate::output::standard_output;
use std::fs;
use std::io::{Read, stdin};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use wynot::request::{Request, Verb};
use wynot::{Error, SearchReport};

/// The name of standard input and standard output on the command line.
const STREAM: &str = "-";

/// The files that stand for standard input and standard output while a search runs. They are removed when it ends.
#[derive(Debug)]
pub struct StandardStreams {
    directory: PathBuf,
    /// Whether the result is written to standard output.
    has_output: bool,
}

impl StandardStreams {
    /// Replaces `-` in a request by files; `None` if there is none.
    pub fn replace(request: &mut Request) -> Result<Option<Self>, Error> {
        let is_stream = |path: &Path| path == Path::new(STREAM);
        let has_input = request.inputs.iter().any(|input| is_stream(input));
        let has_output = match &request.output {
            Some(output) => is_stream(output),
            None => has_input,
        };
        if !has_input && !has_output {
            return Ok(None);
        }
        let is_text = request.verb == Verb::Reduce && request.inputs.len() == 1;
        let is_patch = matches!(request.verb, Verb::Changes | Verb::History) && !has_input;
        if !is_text && !is_patch {
            let message = match request.verb {
                Verb::Reduce => {
                    "- is standard input, which cannot be one of several inputs".to_owned()
                }
                verb => format!("- is not for wynot {}", verb.name()),
            };
            return Err(Error::usage(message)
                .hint("write the input to a file, and give that")
                .next("cat > input"));
        }
        let name = format!("wynot-{}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error: std::io::Error| Error::cannot_write(&path, &error)
        };
        fs::DirBuilder::new().mode(0o700).create(&directory).map_err(failed(&directory))?;
        let streams = Self { directory: directory.clone(), has_output };
        if has_input {
            let mut bytes = Vec::new();
            stdin().read_to_end(&mut bytes).map_err(|error| Error::unexpected(&error))?;
            let path = directory.join("stdin");
            fs::write(&path, bytes).map_err(failed(&path))?;
            request.inputs = vec![path];
        }
        if has_output {
            request.output = Some(streams.result());
            standard_output::divert();
        }
        Ok(Some(streams))
    }

    fn result(&self) -> PathBuf {
        self.directory.join("result")
    }

    /// Writes the result to standard output.
    pub fn print(&self, report: &SearchReport) -> Result<(), Error> {
        if !self.has_output {
            return Ok(());
        }
        let path = report.patch.as_ref().unwrap_or(&report.plan.outputs.failing);
        let bytes = fs::read(path).map_err(|error| Error::unexpected(&error))?;
        standard_output::print_result(&bytes);
        Ok(())
    }
}

impl Drop for StandardStreams {
    fn drop(&mut self) {
        // Temporary files that cannot be removed do no harm.
        let _ = fs::remove_dir_all(&self.directory);
    }
}
