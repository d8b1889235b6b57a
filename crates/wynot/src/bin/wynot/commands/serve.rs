//! `wynot serve`: a server to which failures are submitted.

use super::duration::duration;
use crate::exit_code::Code;
use clap::{Args, Subcommand, ValueHint};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::io::IsTerminal;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use wynot::Error;
use wynot_serve::store::{AccessRights, DataDirectory, Store, TestEnvironment};
use wynot_serve::{JobLimits, ServeError, ServerConfig, ServerLog, Started, serve};

/// The arguments of `wynot serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    #[command(subcommand)]
    command: Option<ServeCommand>,

    /// The address to listen on; one that others can reach needs tokens and all limits
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8411")]
    listen: SocketAddr,

    #[command(flatten)]
    data: DataArgs,

    /// How many jobs run at the same time [default: half of the processors]
    #[arg(long, value_name = "N")]
    slots: Option<usize>,

    /// How much memory a job may use, all its processes together
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = wynot_exec::size)]
    memory: u64,

    /// How many processes a job may have
    #[arg(long, value_name = "N", default_value_t = 512)]
    processes: u64,

    /// How large the files of a job may be together
    #[arg(long, value_name = "SIZE", default_value = "2G", value_parser = wynot_exec::size)]
    disk: u64,

    /// How long a job may take; it then ends with the best so far
    #[arg(long, value_name = "TIME", default_value = "2h", value_parser = duration)]
    time: Duration,

    /// Remove jobs this long after their end (90d, 12h) [default: keep them]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    keep: Option<Duration>,

    /// How large a submission may be
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = wynot_exec::size)]
    max_upload: u64,

    /// How many jobs of one submitter may wait
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    max_queued: u64,

    /// How many submissions one submitter may make in a second, on average
    #[arg(long, value_name = "N", default_value_t = 100)]
    submissions_per_second: u32,

    /// The user of jobs, if the server is started by root
    #[arg(long, value_name = "USER", default_value = "nobody")]
    job_user: String,

    /// The address that browsers use, if a proxy is in between, such as https://wynot.example
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,

    /// Go on without those parts of the sandbox that this system does not have
    #[arg(long)]
    sandbox_partial: bool,
}

/// Where the data is.
#[derive(Clone, Debug, Args)]
pub struct DataArgs {
    /// The directory with the database and all jobs [default: wynot-serve in the user's data directory]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, global = true)]
    data: Option<PathBuf>,
}

/// What an administrator does.
#[derive(Debug, Subcommand)]
enum ServeCommand {
    /// Tokens, by which programs and people show what they may do
    #[command(subcommand)]
    Token(TokenCommand),
    /// Environments: named descriptions of how tests run
    #[command(subcommand)]
    Environment(EnvironmentCommand),
}

/// What is done to tokens.
#[derive(Debug, Subcommand)]
enum TokenCommand {
    /// Make a token and print it, this once
    Add {
        /// Its name
        name: String,
        /// What it allows: read, submit, commands, administer
        #[arg(long, value_name = "RIGHTS", default_value = "read,submit", value_parser = rights)]
        rights: AccessRights,
    },
    /// List all tokens
    List,
    /// Remove a token; its logins end
    Remove {
        /// Its name
        name: String,
    },
}

/// What is done to environments.
#[derive(Debug, Subcommand)]
enum EnvironmentCommand {
    /// Add an environment, or a new version of it, from a file in JSON or TOML
    Add {
        /// The file
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
    /// List all environments
    List,
}

fn rights(names: &str) -> Result<AccessRights, String> {
    AccessRights::parse(names).map_err(|name| {
        format!(
            "'{name}' is no right: use read, submit, commands and administer, separated by commas"
        )
    })
}

/// Runs the server, or does what an administrator wants.
pub fn run(args: ServeArgs) -> Result<ExitCode, Error> {
    let data = args.data.path()?;
    match args.command {
        Some(ServeCommand::Token(command)) => run_token(command, &store(&data)?),
        Some(ServeCommand::Environment(command)) => run_environment(command, &store(&data)?),
        None => run_server(args, data),
    }
}

impl DataArgs {
    /// The data directory.
    fn path(&self) -> Result<PathBuf, Error> {
        let default = || {
            let base = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from);
            let home = || Some(std::env::home_dir()?.join(".local/share"));
            Some(base.filter(|path| path.is_absolute()).or_else(home)?.join("wynot-serve"))
        };
        self.data.clone().or_else(default).ok_or_else(|| {
            Error::usage("there is no home directory for the data").hint("use --data DIR")
        })
    }
}

fn run_server(args: ServeArgs, data: PathBuf) -> Result<ExitCode, Error> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let slots = args.slots.unwrap_or(processors / 2).max(1);
    let tests_per_job = (processors / slots).max(1);
    let is_root = rustix::process::getuid().is_root();
    let job_user = if is_root { Some(user_ids(&args.job_user)?) } else { None };
    let program = std::env::current_exe().map_err(|error| Error::unexpected(&error))?;
    let config = ServerConfig {
        listen: args.listen,
        data,
        program,
        slots,
        tests_per_job,
        limits: JobLimits {
            memory: args.memory,
            processes: args.processes,
            cpu_percent: 100 * tests_per_job as u64,
            disk: args.disk,
            time: args.time,
        },
        keep: args.keep,
        max_upload_bytes: args.max_upload,
        max_queued: args.max_queued,
        submissions_per_second: args.submissions_per_second,
        job_user,
        public_url: args.public_url.map(|url| url.trim_end_matches('/').to_owned()),
        is_partial: args.sandbox_partial,
    };
    let stop = stop_flag().map_err(|error| Error::unexpected(&error))?;
    let log = ServerLog::new(|entry| print_error_line!("{entry}"));
    serve(config, log, &stop, print_start).map_err(error_of)?;
    Ok(ExitCode::SUCCESS)
}

/// A flag that the first signal sets; the second one ends the process at once.
fn stop_flag() -> std::io::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        let code = Code::Interrupted as i32;
        signal_hook::flag::register_conditional_shutdown(signal, code, Arc::clone(&flag))?;
        signal_hook::flag::register(signal, Arc::clone(&flag))?;
    }
    Ok(flag)
}

/// Prints where the server is, and what it does not do.
fn print_start(started: &Started) {
    for missing in &started.missing {
        print_error_line!("wynot: warning: {missing}");
    }
    print_error_line!("wynot: listening on http://{}", started.address);
    if started.is_open {
        print_error_line!("wynot: there are no tokens: everybody on this machine has all rights");
    }
    if started.waiting > 0 {
        print_error_line!("wynot: {} jobs wait", started.waiting);
    }
    if std::io::stderr().is_terminal() {
        print_error_line!("wynot: Ctrl-C stops it; running jobs go on at the next start");
    }
}

fn error_of(error: ServeError) -> Error {
    let message = error.to_string();
    let hint = match &error {
        ServeError::InUse(_) => Some("stop it, or use another --data DIR"),
        ServeError::Listen { .. } => {
            Some("is another server running? --listen 127.0.0.1:PORT chooses another port")
        }
        ServeError::NotContained(_) => Some(
            "--sandbox-partial leaves out what this system does not have; --job-user needs a user that can run wynot",
        ),
        ServeError::Exposed { .. } => {
            Some("--listen 127.0.0.1:8411 is reached from this machine alone")
        }
        _ => None,
    };
    let error = Error::new(wynot::ErrorKind::Unexpected, message);
    match hint {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

/// The numbers of a user and its group.
fn user_ids(name: &str) -> Result<(u32, u32), Error> {
    let passwd = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let found = passwd.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        let (&user, &id, &group) = (fields.first()?, fields.get(2)?, fields.get(3)?);
        (user == name || id == name).then(|| Some((id.parse().ok()?, group.parse().ok()?)))?
    });
    match found {
        Some((0, _)) => Err(Error::usage("--job-user: jobs do not run as root")),
        Some(ids) => Ok(ids),
        None => Err(Error::usage(format!("--job-user: there is no user {name}"))),
    }
}

fn store(data: &Path) -> Result<Store, Error> {
    std::fs::create_dir_all(data).map_err(|error| Error::cannot_write(data, &error))?;
    let (database, snapshot) = DataDirectory::database_files(data);
    Store::open(&database, &snapshot).map_err(|error| Error::unexpected(&error))
}

fn run_token(command: TokenCommand, store: &Store) -> Result<ExitCode, Error> {
    let unexpected = |error: wynot_serve::store::StoreError| Error::unexpected(&error);
    match command {
        TokenCommand::Add { name, rights } => {
            print_line!("{}", store.add_token(&name, rights).map_err(unexpected)?);
        }
        TokenCommand::List => {
            for token in store.tokens().map_err(unexpected)? {
                print_line!("{}  {}", token.name, token.rights);
            }
        }
        TokenCommand::Remove { name } => {
            if !store.remove_token(&name).map_err(unexpected)? {
                return Err(Error::usage(format!("there is no token {name}")));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn run_environment(command: EnvironmentCommand, store: &Store) -> Result<ExitCode, Error> {
    let unexpected = |error: wynot_serve::store::StoreError| Error::unexpected(&error);
    match command {
        EnvironmentCommand::Add { file } => {
            let environment = read_environment(&file)?;
            let version = store.add_environment(&environment, None).map_err(unexpected)?;
            print_line!("{} version {version}", environment.name);
        }
        EnvironmentCommand::List => {
            for (environment, version) in store.environments().map_err(unexpected)? {
                let command = wynot_subjects::quote::command(&environment.command);
                print_line!("{} version {version}: {command}", environment.name);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn read_environment(file: &Path) -> Result<TestEnvironment, Error> {
    let shown = file.display();
    let text = std::fs::read_to_string(file)
        .map_err(|error| Error::usage(format!("cannot read {shown}: {error}")))?;
    let environment: TestEnvironment = match text.trim_start().starts_with('{') {
        true => serde_json::from_str(&text).map_err(|error| error.to_string()),
        false => toml::from_str(&text).map_err(|error| error.to_string()),
    }
    .map_err(|error| Error::usage(format!("{shown}: {error}")))?;
    environment.check().map_err(|error| Error::usage(format!("{shown}: {error}")))?;
    Ok(environment)
}
