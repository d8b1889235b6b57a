//! The configuration files: `wynot.toml` of the project and of the user, so that a team says once where tests run.
//!
//! The file of the project is in the current directory or in one above it, up to the root of the repository. What it says
//! takes precedence over the file of the user, and the command line over both.

use crate::error::Error;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use wynot_session::plain;

/// The name of the configuration file.
pub const CONFIG_FILE: &str = "wynot.toml";

/// A configuration, from one file or several.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The files that were read, in the order of precedence.
    pub files: Vec<PathBuf>,
    /// Where tests run.
    pub remote: RemoteConfig,
}

/// The section `remote`. Relative paths in it have been joined to the directory of the file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct RemoteConfig {
    /// The address of the service.
    pub executor: Option<String>,
    /// The number of tests that are in flight at the same time.
    pub jobs: Option<u16>,
    /// The properties that a worker must have.
    pub platform: BTreeMap<String, String>,
    /// The headers of requests.
    pub headers: BTreeMap<String, String>,
    /// A file with headers, one `NAME=VALUE` on each line.
    pub header_file: Option<PathBuf>,
    /// The environment variables of tests.
    pub env: BTreeMap<String, String>,
    /// The files and directories that tests need.
    pub with: Vec<PathBuf>,
    /// How long the search waits for a service that does not answer.
    pub timeout: Option<String>,
    /// Whether tests run on this machine, and only results are shared.
    pub cache_only: Option<bool>,
    /// The certificates of the authorities that may sign that of the service.
    pub tls_roots: Option<PathBuf>,
    /// The certificate of the client.
    pub tls_certificate: Option<PathBuf>,
    /// The key of the client's certificate.
    pub tls_key: Option<PathBuf>,
}

/// The contents of a file.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
struct ConfigFile {
    remote: RemoteConfig,
}

impl Config {
    /// The configuration for a search that starts in a directory.
    pub fn read(directory: &Path) -> Result<Self, Error> {
        let mut config = Self::default();
        for path in project_file(directory).into_iter().chain(user_file()) {
            if let Some(remote) = read_file(&path)? {
                config.remote.fill_from(remote);
                config.files.push(path);
            }
        }
        Ok(config)
    }
}

impl RemoteConfig {
    /// Takes over what another configuration says and this one does not.
    fn fill_from(&mut self, other: Self) {
        let fill = |map: &mut BTreeMap<String, String>, other: BTreeMap<String, String>| {
            for (name, value) in other {
                map.entry(name).or_insert(value);
            }
        };
        // What belongs to another service does not apply to this one.
        if self.executor.is_some() && other.executor.is_some() && self.executor != other.executor {
            return;
        }
        self.executor = self.executor.take().or(other.executor);
        self.jobs = self.jobs.or(other.jobs);
        fill(&mut self.platform, other.platform);
        fill(&mut self.headers, other.headers);
        fill(&mut self.env, other.env);
        self.header_file = self.header_file.take().or(other.header_file);
        self.with.extend(other.with);
        self.timeout = self.timeout.take().or(other.timeout);
        self.cache_only = self.cache_only.or(other.cache_only);
        self.tls_roots = self.tls_roots.take().or(other.tls_roots);
        self.tls_certificate = self.tls_certificate.take().or(other.tls_certificate);
        self.tls_key = self.tls_key.take().or(other.tls_key);
    }

    /// Joins relative paths to the directory of the file.
    fn resolve(&mut self, directory: &Path) {
        let tls = [&mut self.tls_roots, &mut self.tls_certificate, &mut self.tls_key];
        let files = tls.into_iter().chain([&mut self.header_file]).flatten();
        for path in files.chain(&mut self.with) {
            *path = directory.join(&path);
        }
    }
}

/// Reads a configuration file, if it exists.
fn read_file(path: &Path) -> Result<Option<RemoteConfig>, Error> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        // A program that runs for another user still has the home directory of the first one, which may be closed.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && !path.exists() => {
            return Ok(None);
        }
        Err(error) => {
            let message = format!("cannot read {}: {}", path.display(), plain(&error));
            return Err(Error::usage(message));
        }
    };
    let file: ConfigFile = toml::from_str(&text).map_err(|error| {
        // The text around an error may be a secret.
        let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        let message = format!("{}:{line}: {}", path.display(), error.message());
        Error::usage(message).hint("docs/remote.md describes the configuration file")
    })?;
    let mut remote = file.remote;
    remote.resolve(path.parent().unwrap_or(Path::new("")));
    Ok(Some(remote))
}

/// The file of the project: in a directory or above it, but not above the repository.
fn project_file(directory: &Path) -> Option<PathBuf> {
    for dir in directory.ancestors() {
        let file = dir.join(CONFIG_FILE);
        if file.is_file() {
            return Some(file);
        }
        if dir.join(".git").exists() {
            return None;
        }
    }
    None
}

/// The file of the user.
fn user_file() -> Option<PathBuf> {
    let config = std::env::var_os("XDG_CONFIG_HOME").filter(|dir| !dir.is_empty());
    let config = config.map(PathBuf::from).filter(|dir| dir.is_absolute());
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".config"));
    Some(config.or_else(home)?.join("wynot").join(CONFIG_FILE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_file_takes_precedence_and_others_fill_in() {
        let mut near: ConfigFile =
            toml::from_str("[remote]\nexecutor = 'grpc://a:1'\nplatform = { os = 'x' }").unwrap();
        let far: ConfigFile = toml::from_str(
            "[remote]\njobs = 9\nplatform = { os = 'y', cpu = 'z' }\nheader-file = 'h'",
        )
        .unwrap();
        near.remote.fill_from(far.remote);
        let remote = near.remote;
        assert_eq!((remote.executor.as_deref(), remote.jobs), (Some("grpc://a:1"), Some(9)));
        let platform: Vec<_> = remote.platform.into_iter().collect();
        let expected = [("cpu", "z"), ("os", "x")].map(|(n, v)| (n.to_owned(), v.to_owned()));
        assert_eq!(platform, expected);
        let other: ConfigFile =
            toml::from_str("[remote]\nexecutor = 'grpc://b:1'\nheaders = { token = 't' }").unwrap();
        let mut mine =
            RemoteConfig { executor: Some("grpc://a:1".to_owned()), ..Default::default() };
        mine.fill_from(other.remote);
        assert!(mine.headers.is_empty(), "headers of another service");
    }

    #[test]
    fn errors_name_the_file_and_the_line_but_show_no_contents() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(CONFIG_FILE);
        fs::write(&path, "[remote]\nheaders = { token = 'secret' }\nexecuter = 'x'\n").unwrap();
        let error = read_file(&path).unwrap_err().to_string();
        assert!(error.contains("wynot.toml:3: unknown field `executer`"), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }
}
