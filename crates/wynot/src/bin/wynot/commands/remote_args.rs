//! The arguments about tests that run on the workers of a service, together with the configuration files.

use super::duration::duration;
use super::secret_headers;
use clap::{Args, ValueHint};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use wynot::Error;
use wynot::config::{Config, RemoteConfig};
use wynot::remote_request::{RemoteRequest, USUAL_PATIENCE};
use wynot_remote::{Header, ServiceAddress, TlsFiles};
use wynot_session::plain;

/// The name that stands for this machine, whatever the configuration files say.
const THIS_MACHINE: &str = "local";

/// The arguments about tests on workers.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Tests on workers")]
pub struct RemoteArgs {
    /// Run tests on the workers of a service that speaks the Remote Execution API, at
    /// grpc[s]://HOST:PORT[/INSTANCE] [default: local, or what wynot.toml says]
    #[arg(long, value_name = "ADDRESS")]
    pub executor: Option<String>,

    /// A property that workers must have (repeatable), such as OSFamily=linux
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    pub platform: Vec<(String, String)>,

    /// Set a variable of tests on workers (repeatable); without a value, to what it is here
    #[arg(long, value_name = "NAME[=VALUE]", value_parser = variable)]
    pub remote_env: Vec<(String, String)>,

    /// Add a header to all requests (repeatable), such as authorization='Bearer TOKEN'. Its value is never shown;
    /// WYNOT_REMOTE_HEADER holds further headers, one on each line
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    pub remote_header: Vec<(String, String)>,

    /// A file with headers, one NAME=VALUE on each line
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub remote_header_file: Option<PathBuf>,

    /// How long to wait for a service that does not answer [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub remote_timeout: Option<Duration>,

    /// Run tests on this machine, and only share their results with the service
    #[arg(long)]
    pub remote_cache_only: bool,

    /// The certificates (PEM) of the authorities that may sign that of the service [default: those of the system]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub tls_roots: Option<PathBuf>,

    /// The certificate (PEM) by which the service knows this client
    #[arg(long, value_name = "FILE", requires = "tls_key", value_hint = ValueHint::FilePath)]
    pub tls_certificate: Option<PathBuf>,

    /// The key (PEM) of that certificate
    #[arg(long, value_name = "FILE", requires = "tls_certificate", value_hint = ValueHint::FilePath)]
    pub tls_key: Option<PathBuf>,
}

/// The files that tests on workers need, where these are not a part of the version that is tested.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Tests on workers")]
pub struct NeededArgs {
    /// Send a file or directory that tests need to workers (repeatable); those that the test names are sent anyway
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub with: Vec<PathBuf>,
}

/// Where tests run, and what is said about that with `--verbose`.
#[derive(Debug, Default)]
pub struct ChosenExecutor {
    pub remote: Option<RemoteRequest>,
    /// The number of tests in flight that the configuration wants.
    pub jobs: Option<u16>,
    /// The service, if a configuration file names it: what is not on the command line is said in any case.
    pub notice: Option<String>,
    /// The settings in words, without secrets.
    pub settings: Vec<String>,
}

impl RemoteArgs {
    /// Where tests of a search in a directory run, by these arguments and the configuration files.
    pub fn choose(self, needed: NeededArgs, directory: &Path) -> Result<ChosenExecutor, Error> {
        let config = Config::read(directory)?;
        let files = config.files.iter().map(|file| format!("configuration: {}", file.display()));
        let mut settings: Vec<String> = files.collect();
        // What the configuration says about one service does not apply to another.
        let configured = match (&self.executor, &config.remote.executor) {
            (Some(given), Some(configured)) if given != configured => RemoteConfig::default(),
            _ => config.remote,
        };
        let is_configured = self.executor.is_none();
        let address = self.executor.as_ref().or(configured.executor.as_ref());
        let Some(address) = address.filter(|address| *address != THIS_MACHINE) else {
            self.refuse_without_service(&needed)?;
            return Ok(ChosenExecutor { settings, ..ChosenExecutor::default() });
        };
        let address: ServiceAddress = address.parse().map_err(Error::usage)?;
        let remote = self.merge(address, needed, &configured, directory)?;
        settings.extend(describe(&remote));
        let notice = format!("tests run at {}, as wynot.toml says", remote.address);
        let notice = Some(notice).filter(|_| is_configured && !remote.cache_only);
        Ok(ChosenExecutor { remote: Some(remote), jobs: configured.jobs, notice, settings })
    }

    /// The request that these arguments and the configuration make together.
    fn merge(
        self,
        address: ServiceAddress,
        needed: NeededArgs,
        configured: &RemoteConfig,
        directory: &Path,
    ) -> Result<RemoteRequest, Error> {
        let at = |path: PathBuf| directory.join(path);
        let tls = TlsFiles {
            roots: self.tls_roots.map(at).or_else(|| configured.tls_roots.clone()),
            certificate: self.tls_certificate.map(at).or(configured.tls_certificate.clone()),
            key: self.tls_key.map(at).or_else(|| configured.tls_key.clone()),
        };
        let mut headers: Vec<Header> = Vec::new();
        let file = self.remote_header_file.map(at).or_else(|| configured.header_file.clone());
        let given = self.remote_header.into_iter().map(|(name, value)| Header { name, value });
        let secret = secret_headers::received().map_err(|error| Error::unexpected(&error))?;
        let listed = configured.headers.iter();
        let listed = listed.map(|(n, v)| Header { name: n.clone(), value: v.clone() });
        let from_file = file.map(|file| read_headers(&file)).transpose()?.unwrap_or_default();
        for header in given.chain(parse_headers(&secret)?).chain(from_file).chain(listed) {
            if !headers.iter().any(|known| known.name.eq_ignore_ascii_case(&header.name)) {
                headers.push(header);
            }
        }
        let timeout = configured.timeout.as_deref().map(duration).transpose();
        let timeout = timeout.map_err(|error| Error::usage(format!("wynot.toml: {error}")))?;
        let pairs = |map: &std::collections::BTreeMap<String, String>| -> Vec<(String, String)> {
            map.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
        };
        Ok(RemoteRequest {
            address,
            platform: merged(self.platform, pairs(&configured.platform)),
            headers,
            tls,
            patience: self.remote_timeout.or(timeout).unwrap_or(USUAL_PATIENCE),
            environment: merged(self.remote_env, pairs(&configured.env)),
            with: needed.with.into_iter().chain(configured.with.iter().cloned()).collect(),
            cache_only: self.remote_cache_only || configured.cache_only.unwrap_or_default(),
        })
    }

    /// An error if there are arguments about a service, but none is named.
    fn refuse_without_service(&self, needed: &NeededArgs) -> Result<(), Error> {
        let given = [
            ("--platform", !self.platform.is_empty()),
            ("--remote-env", !self.remote_env.is_empty()),
            ("--with", !needed.with.is_empty()),
            ("--remote-header-file", self.remote_header_file.is_some()),
            ("--remote-timeout", self.remote_timeout.is_some()),
            ("--remote-cache-only", self.remote_cache_only),
            ("--tls-roots", self.tls_roots.is_some()),
            ("--tls-certificate", self.tls_certificate.is_some()),
        ];
        match given.iter().find(|(_, is_given)| *is_given && self.executor.is_none()) {
            Some((name, _)) => {
                let message = format!("{name} is about tests on workers, and no service is named");
                Err(Error::usage(message).hint("--executor grpc://HOST:PORT names one"))
            }
            None => Ok(()),
        }
    }
}

/// What was chosen, in words. The values of headers are left out.
fn describe(remote: &RemoteRequest) -> Vec<String> {
    let list = |pairs: &[(String, String)]| -> String {
        let words: Vec<String> = pairs.iter().map(|(n, v)| format!("{n}={v}")).collect();
        words.join(", ")
    };
    let names: Vec<&str> = remote.headers.iter().map(|header| &*header.name).collect();
    let file = |file: &Option<PathBuf>| file.as_ref().map(|file| file.display().to_string());
    let with: Vec<String> = remote.with.iter().map(|path| path.display().to_string()).collect();
    let settings = [
        ("executor", remote.address.to_string()),
        ("only its cache is used", if remote.cache_only { "yes".into() } else { String::new() }),
        ("platform", list(&remote.platform)),
        ("variables on workers", list(&remote.environment)),
        ("files for workers", with.join(", ")),
        ("headers, not shown", names.join(", ")),
        ("certificates of authorities", file(&remote.tls.roots).unwrap_or_default()),
        ("certificate of the client", file(&remote.tls.certificate).unwrap_or_default()),
    ];
    let given = settings.into_iter().filter(|(_, value)| !value.is_empty());
    given.map(|(name, value)| format!("{name}: {value}")).collect()
}

/// Pairs of names and values, of which the first with a name counts.
fn merged(
    mut pairs: Vec<(String, String)>,
    others: Vec<(String, String)>,
) -> Vec<(String, String)> {
    for (name, value) in others {
        if !pairs.iter().any(|(known, _)| *known == name) {
            pairs.push((name, value));
        }
    }
    pairs
}

/// The headers in a file.
fn read_headers(path: &Path) -> Result<Vec<Header>, Error> {
    let text = fs::read_to_string(path).map_err(|error| {
        Error::usage(format!("cannot read {}: {}", path.display(), plain(&error)))
    })?;
    parse_headers(&text)
}

/// Headers, one on each line. Errors do not show them.
fn parse_headers(text: &str) -> Result<Vec<Header>, Error> {
    let lines =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let parsed = lines.map(|line| {
        let (name, value) = pair(line).map_err(|_| {
            Error::usage("a header is no NAME=VALUE (it is not shown, as it may be secret)")
        })?;
        Ok(Header { name, value })
    });
    parsed.collect()
}

/// Parses `NAME=VALUE`. The message has no value, which may be secret.
fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("use NAME=VALUE".to_owned()),
    }
}

/// Parses `NAME=VALUE`, or a `NAME` whose value is that of the variable here.
fn variable(text: &str) -> Result<(String, String), String> {
    match text.contains('=') {
        true => pair(text),
        false => match std::env::var(text) {
            Ok(value) => Ok((text.to_owned(), value)),
            Err(_) => Err(format!("the variable {text} is not set here; use NAME=VALUE")),
        },
    }
}
