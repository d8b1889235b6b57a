//! The files that go to a server with a job, and those that come back.

use super::submit_client::{ServerClient, UploadPart};
use clap::ArgMatches;
use serde_json::Value;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;
use wynot::Error;

/// The tag of the failing side of a pair.
const FAILING_TAG: &str = "failing";

/// The files of a submission.
#[derive(Debug)]
pub struct SubmittedFiles {
    here: PathBuf,
    /// The parts of the form.
    pub parts: Vec<UploadPart>,
    /// The name of the input, if it is a directory.
    pub directory: Option<String>,
}

/// Whether a text is the path of a file or directory that exists.
pub fn is_reached(text: &str, here: &Path) -> bool {
    here.join(text).exists()
}

impl SubmittedFiles {
    /// No files, of a command that runs here.
    pub fn new(here: &Path) -> Self {
        Self { here: here.to_owned(), parts: Vec::new(), directory: None }
    }

    /// Where the command runs.
    pub fn here(&self) -> &Path {
        &self.here
    }

    /// Adds an input: a file, or a directory with all its files.
    pub fn add_input(&mut self, path: &str) -> Result<(), Error> {
        let full = self.here.join(path);
        if !full.is_dir() {
            return self.add("input", path);
        }
        let name = name_of(&full)?;
        let mut files = Vec::new();
        collect(&full, &mut files)?;
        for file in files {
            let inside = file.strip_prefix(&full).unwrap_or(&file).to_string_lossy().into_owned();
            self.parts.push(UploadPart::file("input", &format!("{name}/{inside}"), read(&file)?));
        }
        self.directory = Some(name);
        Ok(())
    }

    /// Adds a file under its own name.
    pub fn add(&mut self, role: &'static str, path: &str) -> Result<(), Error> {
        let full = self.here.join(path);
        if full.is_dir() {
            let message = format!("{path} is a directory, and a server needs an archive of it");
            let hint = format!("tar czf {0}.tar.gz -C {0} .", path.trim_end_matches('/'));
            return Err(Error::usage(message).hint(hint));
        }
        self.parts.push(UploadPart::file(role, &name_of(&full)?, read(&full)?));
        Ok(())
    }

    /// Adds a file or directory below this one that a test needs.
    pub fn add_needed(&mut self, path: &str) -> Result<(), Error> {
        let full = self.here.join(path);
        if !full.is_dir() {
            read(&full)?;
            return self.add_named(path);
        }
        let mut files = Vec::new();
        collect(&full, &mut files)?;
        for file in files {
            let relative = file.strip_prefix(&self.here).unwrap_or(&file).to_string_lossy();
            self.add_named(&relative)?;
        }
        Ok(())
    }

    /// Adds a file that a test names, if the word is the relative path of one.
    pub fn add_named(&mut self, word: &str) -> Result<(), Error> {
        let path = Path::new(word);
        let full = self.here.join(path);
        if path.is_absolute() || !full.is_file() {
            return Ok(());
        }
        let parts: Vec<Component<'_>> =
            path.components().filter(|part| *part != Component::CurDir).collect();
        if parts.iter().any(|part| !matches!(part, Component::Normal(_))) {
            let message = format!("{word} is not below this directory, so it cannot be submitted");
            return Err(Error::usage(message).hint("start wynot in a directory that contains it"));
        }
        let name = parts.iter().collect::<PathBuf>().to_string_lossy().into_owned();
        if !self.parts.iter().any(|part| part.is_called(&name)) {
            self.parts.push(UploadPart::file("file", &name, read(&full)?));
        }
        Ok(())
    }

    /// Adds the repository of this directory with its whole history.
    pub fn add_repository(&mut self) -> Result<(), Error> {
        let bundle = tempfile_path();
        let output = Command::new("git")
            .args(["bundle", "create", "--quiet"])
            .arg(&bundle)
            .args(["HEAD", "--all"])
            .current_dir(&self.here)
            .output()
            .map_err(|error| Error::unexpected(&error))?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(Error::usage(format!("the repository cannot be submitted: {text}"))
                .hint("start wynot in a git repository, or give archives to --good and --bad"));
        }
        let contents = read(&bundle);
        // It is in the temporary directory, where others remove it.
        let _ = fs::remove_file(&bundle);
        self.parts.push(UploadPart::file("repository", "repository.bundle", contents?));
        Ok(())
    }
}

/// A path in the temporary directory that no other process uses.
fn tempfile_path() -> PathBuf {
    std::env::temp_dir().join(format!("wynot-submit-{}.bundle", std::process::id()))
}

fn name_of(path: &Path) -> Result<String, Error> {
    let absolute = path.canonicalize().map_err(|error| {
        Error::usage(format!("cannot read {}: {}", path.display(), wynot_session::plain(&error)))
    })?;
    match absolute.file_name() {
        Some(name) => Ok(name.to_string_lossy().into_owned()),
        None => Err(Error::usage("the root directory cannot be submitted")),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(|error| {
        Error::usage(format!("cannot read {}: {}", path.display(), wynot_session::plain(&error)))
    })
}

/// All files of a tree, in their order.
fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    let entries = fs::read_dir(directory).map_err(|error| Error::unexpected(&error))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// Writes the files of a result where the local verb writes them, and others beside.
pub fn write_outputs(
    client: &ServerClient,
    job: &Value,
    matches: &ArgMatches,
    verb: &str,
    here: &Path,
) -> Result<Vec<PathBuf>, Error> {
    let tag = if verb == "isolate" { FAILING_TAG } else { "min" };
    let path_of = |id: &str| {
        let mut values = matches.try_get_raw(id).ok().flatten()?;
        values.next().map(|value| here.join(value))
    };
    let input = path_of("inputs");
    let mut written = Vec::new();
    for file in job["outputs"].as_array().into_iter().flatten() {
        let (Some(name), Some(url)) = (file["name"].as_str(), file["url"].as_str()) else {
            continue;
        };
        let output = path_of("output").or_else(|| input.as_deref().map(|input| beside(input, tag)));
        let path = match &output {
            Some(output) => local_path(output, name, input.as_deref()),
            None => here.join(name),
        };
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|error| Error::cannot_write(parent, &error))?;
        }
        fs::write(&path, client.download(url)?)
            .map_err(|error| Error::cannot_write(&path, &error))?;
        written.push(path);
    }
    Ok(written)
}

/// Where a file of a result belongs: the result itself at `output`, a file of a directory in it, and any other one beside
/// it, with the same beginning of its name.
fn local_path(output: &Path, name: &str, input: Option<&Path>) -> PathBuf {
    if let Some((_, inside)) = name.split_once('/') {
        return output.join(inside);
    }
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let input_name = input.and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    if input.is_none() || name == input_name {
        return output.to_owned();
    }
    let rest = name.strip_prefix(&stem(input.unwrap_or(output))).unwrap_or(name);
    let own = stem(output);
    let own = own.strip_suffix(&format!(".{FAILING_TAG}")).unwrap_or(&own);
    output.with_file_name(format!("{own}{rest}"))
}

/// NAME.TAG.EXT beside an input.
fn beside(input: &Path, tag: &str) -> PathBuf {
    let stem = input.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let name = match input.extension() {
        Some(extension) => format!("{stem}.{tag}.{}", extension.to_string_lossy()),
        None => format!("{stem}.{tag}"),
    };
    input.with_file_name(name)
}
