//! Tests as actions: the request to the runner, the input root, and the command.

use crate::blob::{Blob, BlobDigest};
use crate::execution::PreparedAction;
use crate::merkle_tree::{TreeNode, UnsendablePath};
use crate::needed_files::NeededFiles;
use crate::remote_options::RemoteOptions;
use crate::runner_program::runner_blob;
use bazel_remote_apis::build::bazel::remote::execution::v2::command::EnvironmentVariable;
use bazel_remote_apis::build::bazel::remote::execution::v2::{Action, Command, Platform, platform};
use bazel_remote_apis::google::protobuf::Duration as ProtoDuration;
use prost::Message;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use wynot_exec::{TestSpec, VariantForm, call_for, test_dir_setup};
use wynot_session::files::read_tree;
use wynot_subjects::{Folder, FolderEntry, Variant};
use wynot_supervisor::runner::worker_record::RECORD_FILE;
use wynot_supervisor::runner::worker_request::{
    CALL_FILE, FILES, FORMAT, PRIVATE_PATH, PROJECT, REQUEST_FILE, VARIANT, VariantPlace,
    WorkerRequest,
};
use wynot_supervisor::supervisor::setup::{Bytes, Containment, Setup};
use wynot_supervisor::{Output, Timeout};

/// The name of the runner in the input root.
const RUNNER_FILE: &str = "wynot-runner";

/// The search path of tests on workers, unless the user gives another.
const USUAL_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The time that a worker may take in addition to the time limit of a test, which counts processor time.
const MAX_EXTRA_TIME: Duration = Duration::from_secs(120);

/// How many times its time limit a test may take on a worker that runs others as well.
const MAX_SLOWNESS: u32 = 8;

/// What the actions of one specification have in common.
#[derive(Debug)]
pub(crate) struct ActionTemplate {
    request: WorkerRequest,
    build: Option<std::ffi::OsString>,
    needed: NeededFiles,
    /// The input root without the request and the variant.
    root: TreeNode,
    /// The blobs of what is in it.
    blobs: Vec<Blob>,
    platform: Option<Platform>,
    /// The identity of the specification, for tests that run several times.
    pub key: BlobDigest,
}

/// The digests of files by the digest that wynot itself uses, which is computed once for all variants.
pub(crate) type ContentDigests = HashMap<[u8; 32], BlobDigest>;

impl ActionTemplate {
    /// The template of a specification.
    pub(crate) fn new(
        spec: &TestSpec,
        options: &RemoteOptions,
        has_output_paths: bool,
    ) -> Result<Self, String> {
        let needed = NeededFiles::new(spec, &options.needed);
        let private = Path::new(PRIVATE_PATH);
        let mut test_dir = test_dir_setup(spec, private);
        needed.redirect(&mut test_dir.program);
        test_dir
            .fallback
            .iter_mut()
            .chain(&mut test_dir.args)
            .for_each(|word| needed.redirect(word));
        let mut build = spec.command.build.clone().map(Bytes::from);
        build.iter_mut().for_each(|build| needed.redirect(build));
        let nowhere = || Bytes::from(Path::new(""));
        let request = WorkerRequest {
            format: FORMAT,
            setup: Setup {
                test_dirs: vec![test_dir],
                slot: 0,
                temp: nowhere(),
                project: None,
                original: None,
                build: build.clone(),
                executor_cleans: spec.form == VariantForm::Folder,
                root: nowhere(),
                containment: Containment {
                    own_processes: !spec.isolation.shares_processes,
                    sandbox: None,
                },
                limits: spec.limits,
                crashes: spec.crashes,
            },
            timeout: Duration::ZERO.into(),
            alone: false,
            variant: match spec.form {
                VariantForm::File => {
                    VariantPlace::File { name: spec.name.as_path().into(), mode: spec.mode }
                }
                VariantForm::Folder => VariantPlace::Folder { modes: Vec::new() },
                VariantForm::Call => VariantPlace::Call,
            },
            records_reads: spec.records_reads,
            repetition: 0,
        };
        let (mut root, mut blobs) = (TreeNode::default(), Vec::new());
        let runner = runner_blob()?;
        root.add_file(Path::new(RUNNER_FILE), runner.digest, true).map_err(plain)?;
        blobs.push(runner);
        if let Some(project) = &spec.project {
            let folder = read_tree(project, Path::new(""), &options.excluded)
                .map_err(|error| error.to_string())?;
            let digest = seal(&folder, &mut blobs).map_err(plain)?;
            root.add_sealed(PROJECT, digest);
        }
        let files = needed.read().map_err(|error| error.to_string())?;
        if !files.is_empty() {
            root.add_sealed(FILES, seal(&files, &mut blobs).map_err(plain)?);
        }
        let platform = platform_of(&options.platform);
        let command = command(options, spec, platform.clone(), has_output_paths);
        let json = serde_json::to_vec(&request).map_err(|error| error.to_string())?;
        let mut identity = json;
        identity.extend(command.encode_to_vec());
        blobs.push(Blob::new(command.encode_to_vec()));
        let build = build.map(|build| build.os());
        Ok(Self { request, build, needed, root, blobs, platform, key: BlobDigest::of(&identity) })
    }

    /// Replaces the paths of this machine in the output of a test, as a runner replaces those of a worker.
    pub(crate) fn hide_paths(&self, output: &mut Output) {
        self.needed.hide(output);
    }

    /// The paths that a command mentions, and that workers may not have.
    pub(crate) fn doubtful_paths(&self) -> &[std::path::PathBuf] {
        self.needed.doubtful()
    }

    /// The action that tests a variant.
    pub(crate) fn action(
        &self,
        variant: &Variant,
        run: &RunParameters,
        digests: &mut ContentDigests,
    ) -> Result<PreparedAction, String> {
        let mut request = self.request.clone();
        request.timeout = run.timeout;
        request.alone = run.alone;
        request.repetition = run.repetition;
        let (mut root, mut blobs) = (self.root.clone(), self.blobs.clone());
        let mut add = |root: &mut TreeNode, name: &str, bytes: Vec<u8>| {
            let blob = Blob::new(bytes);
            let added = root.add_file(Path::new(name), blob.digest, false);
            blobs.push(blob);
            added.map_err(plain)
        };
        match variant {
            Variant::Bytes(bytes) => add(&mut root, VARIANT, bytes.clone())?,
            Variant::Folder(folder) => {
                if let VariantPlace::Folder { modes } = &mut request.variant {
                    *modes = unusual_modes(folder);
                }
                let tree = tree_of(folder, digests, &mut blobs).map_err(plain)?;
                let digest = tree.encode(&mut blobs);
                root.add_sealed(VARIANT, digest);
            }
            Variant::Words(_) | Variant::Environment(_) | Variant::Version(_) => {
                let setup = &request.setup.test_dirs[0];
                if let Some(call) = call_for(variant, setup, self.build.as_deref()) {
                    let json = serde_json::to_vec(&call).map_err(|error| error.to_string())?;
                    add(&mut root, CALL_FILE, json)?;
                }
            }
        }
        let json = serde_json::to_vec(&request).map_err(|error| error.to_string())?;
        let request = Blob::new(json);
        root.add_file(Path::new(REQUEST_FILE), request.digest, false).map_err(plain)?;
        blobs.push(request);
        let input_root = root.encode(&mut blobs);
        let command = self.blobs.last().map(|command| command.digest.to_proto());
        let limit = run.timeout.whole * MAX_SLOWNESS + MAX_EXTRA_TIME;
        let action = Action {
            command_digest: command,
            input_root_digest: Some(input_root.to_proto()),
            timeout: Some(ProtoDuration { seconds: limit.as_secs() as i64, nanos: 0 }),
            do_not_cache: !run.is_cached,
            salt: Vec::new(),
            platform: self.platform.clone(),
        };
        let action = Blob::new(action.encode_to_vec());
        let digest = action.digest;
        blobs.push(action);
        Ok(PreparedAction { digest, blobs })
    }
}

/// What differs between the runs of one test.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunParameters {
    pub timeout: Timeout,
    pub alone: bool,
    pub repetition: u32,
    /// Whether the result may be kept for others.
    pub is_cached: bool,
}

/// The command of all actions: it starts the runner.
#[expect(deprecated, reason = "older services read the platform and the outputs of a command here")]
fn command(
    options: &RemoteOptions,
    spec: &TestSpec,
    platform: Option<Platform>,
    has_output_paths: bool,
) -> Command {
    let mut variables: BTreeMap<String, String> = BTreeMap::new();
    variables.insert("PATH".to_owned(), USUAL_PATH.to_owned());
    for (name, value) in &spec.command.env {
        variables.insert((*name).to_owned(), (*value).to_owned());
    }
    variables.extend(options.environment.iter().cloned());
    let environment_variables =
        variables.into_iter().map(|(name, value)| EnvironmentVariable { name, value }).collect();
    let (output_paths, output_files) = match has_output_paths {
        true => (vec![RECORD_FILE.to_owned()], Vec::new()),
        false => (Vec::new(), vec![RECORD_FILE.to_owned()]),
    };
    Command {
        arguments: vec![format!("./{RUNNER_FILE}")],
        environment_variables,
        output_files,
        output_paths,
        platform,
        ..Command::default()
    }
}

/// The properties that workers must have, in the order of their names.
fn platform_of(properties: &[(String, String)]) -> Option<Platform> {
    let mut sorted = properties.to_vec();
    sorted.sort();
    let property = |(name, value)| platform::Property { name, value };
    let properties: Vec<platform::Property> = sorted.into_iter().map(property).collect();
    (!properties.is_empty()).then_some(Platform { properties })
}

/// Encodes a folder that all actions share.
fn seal(folder: &Folder, blobs: &mut Vec<Blob>) -> Result<BlobDigest, UnsendablePath> {
    Ok(tree_of(folder, &mut ContentDigests::new(), blobs)?.encode(blobs))
}

/// A folder as a directory of the input root. The blobs of its files are added to `blobs`.
fn tree_of(
    folder: &Folder,
    digests: &mut ContentDigests,
    blobs: &mut Vec<Blob>,
) -> Result<TreeNode, UnsendablePath> {
    let mut tree = TreeNode::default();
    for (path, entry) in folder.entries() {
        match entry {
            FolderEntry::File { contents, mode, .. } => {
                let known = digests.entry(*contents.digest());
                let digest = *known.or_insert_with(|| BlobDigest::of(contents.bytes()));
                blobs.push(Blob::of_file(digest, contents));
                tree.add_file(path, digest, mode & 0o100 != 0)?;
            }
            FolderEntry::Link(target) => tree.add_link(path, target)?,
            FolderEntry::Directory { .. } => tree.add_directory(path)?,
        }
    }
    Ok(tree)
}

/// The paths of a folder whose permission bits are not the usual ones, which are all that a service keeps.
fn unusual_modes(folder: &Folder) -> Vec<(Bytes, u32)> {
    let unusual = |(path, entry): (&Arc<Path>, &FolderEntry)| {
        let (mode, usual) = match entry {
            FolderEntry::File { mode, .. } if mode & 0o100 != 0 => (*mode, 0o755),
            FolderEntry::File { mode, .. } => (*mode, 0o644),
            FolderEntry::Directory { mode } => (*mode, 0o755),
            FolderEntry::Link(_) => return None,
        };
        (mode & 0o7777 != usual).then(|| (Bytes::from(&**path), mode & 0o7777))
    };
    folder.entries().filter_map(unusual).collect()
}

fn plain(error: UnsendablePath) -> String {
    error.to_string()
}
