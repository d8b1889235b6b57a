//! Running an action on a worker, or finding its result in the cache of the service.

use crate::blob::{Blob, BlobDigest};
use crate::remote_error::{RemoteError, reason_of};
use crate::service::{MAX_MESSAGE_BYTES, REQUEST_TIMEOUT, Service};
use crate::storage::{Storage, status_of};
use bazel_remote_apis::build::bazel::remote::execution::v2::action_cache_client::ActionCacheClient;
use bazel_remote_apis::build::bazel::remote::execution::v2::execution_client::ExecutionClient;
use bazel_remote_apis::build::bazel::remote::execution::v2::{
    ActionResult, ExecuteRequest, ExecuteResponse, GetActionResultRequest, OutputFile,
    UpdateActionResultRequest, WaitExecutionRequest,
};
use bazel_remote_apis::google::longrunning::operations_client::OperationsClient;
use bazel_remote_apis::google::longrunning::{CancelOperationRequest, Operation, operation};
use prost::Message;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tonic::{Code, Status, Streaming};
use wynot_supervisor::runner::worker_record::{RECORD_FILE, WorkerRecord};

/// The time before a connection that was cut is made again.
const RECONNECT_DELAY: Duration = Duration::from_millis(200);

/// How often the wait for an operation is resumed before the action is executed again.
const MAX_RESUMED_WAITS: u32 = 60;

/// The time limit of the request to cancel an operation.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(2);

/// The number of characters of a runner's standard error in a message.
const MAX_ERROR_CHARACTERS: usize = 300;

/// An action with everything that a worker needs to run it.
#[derive(Clone, Debug)]
pub(crate) struct PreparedAction {
    pub digest: BlobDigest,
    /// The action, its command, its directories and its files.
    pub blobs: Vec<Blob>,
}

/// The record of an action.
#[derive(Debug)]
pub(crate) struct ActionRecord {
    pub record: WorkerRecord,
    /// Whether the action was not executed, since its result was known.
    pub is_cached: bool,
}

/// An operation of the service, by its name once that is known.
#[derive(Debug, Default)]
pub(crate) struct OperationName(Mutex<Option<String>>);

impl OperationName {
    fn set(&self, name: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(name);
    }

    fn get(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Asks the service to end the operation. Services that cannot do that ignore it.
    pub(crate) async fn cancel(&self, service: &Service) {
        let Some(name) = self.get() else { return };
        let message = CancelOperationRequest { name };
        let request = service.request(message, Some(CANCEL_TIMEOUT));
        let _ = OperationsClient::new(service.channel()).cancel_operation(request).await;
    }
}

/// The result of an action in the cache, if there is a valid one.
pub(crate) async fn cached_record(
    service: &Service,
    storage: &Storage,
    digest: BlobDigest,
) -> Result<Option<WorkerRecord>, RemoteError> {
    let message = GetActionResultRequest {
        instance_name: service.address.instance.clone(),
        action_digest: Some(digest.to_proto()),
        inline_stdout: false,
        inline_stderr: false,
        inline_output_files: vec![RECORD_FILE.to_owned()],
        digest_function: 0,
    };
    let request = service.request(message, Some(REQUEST_TIMEOUT));
    let mut client =
        ActionCacheClient::new(service.channel()).max_decoding_message_size(MAX_MESSAGE_BYTES);
    let result = match client.get_action_result(request).await {
        Ok(reply) => reply.into_inner(),
        Err(status) if status.code() == Code::NotFound => return Ok(None),
        Err(status) => return Err(RemoteError::of_status(&status)),
    };
    // A result of a broken worker may be in the cache. It is no result, and the action is executed.
    match record_of(service, storage, &result).await {
        Ok(record) => Ok(Some(record)),
        Err(RemoteError::NoObservation(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Stores the record of a test that ran on this machine as the result of its action.
pub(crate) async fn share_record(
    service: &Service,
    storage: &Storage,
    action: &PreparedAction,
    record: Vec<u8>,
) -> Result<(), RemoteError> {
    let record = Blob::new(record);
    let file = OutputFile {
        path: RECORD_FILE.to_owned(),
        digest: Some(record.digest.to_proto()),
        ..OutputFile::default()
    };
    let mut blobs = action.blobs.clone();
    blobs.push(record);
    storage.upload(service, &blobs).await?;
    let message = UpdateActionResultRequest {
        instance_name: service.address.instance.clone(),
        action_digest: Some(action.digest.to_proto()),
        action_result: Some(ActionResult { output_files: vec![file], ..ActionResult::default() }),
        results_cache_policy: None,
        digest_function: 0,
    };
    let request = service.request(message, Some(REQUEST_TIMEOUT));
    let mut client = ActionCacheClient::new(service.channel());
    client.update_action_result(request).await.map_err(|status| RemoteError::of_status(&status))?;
    Ok(())
}

/// Uploads what an action needs, executes it, and reads its record.
pub(crate) async fn execute(
    service: &Service,
    storage: &Storage,
    action: &PreparedAction,
    skip_cache_lookup: bool,
    name: &OperationName,
) -> Result<ActionRecord, RemoteError> {
    storage.upload(service, &action.blobs).await?;
    let message = ExecuteRequest {
        instance_name: service.address.instance.clone(),
        skip_cache_lookup,
        action_digest: Some(action.digest.to_proto()),
        inline_output_files: vec![RECORD_FILE.to_owned()],
        ..ExecuteRequest::default()
    };
    let request = service.request(message, None);
    let mut client = execution_client(service);
    let stream = client.execute(request).await;
    let stream = stream.map_err(|status| RemoteError::of_status(&status))?.into_inner();
    let response = wait(service, stream, name).await?;
    let status = status_of(response.status.unwrap_or_default());
    if status.code() != Code::Ok {
        return Err(of_failed_execution(&status));
    }
    let result = response.result.unwrap_or_default();
    let record = record_of(service, storage, &result).await?;
    Ok(ActionRecord { record, is_cached: response.cached_result })
}

/// What follows from the status of an action that was not executed to its end.
fn of_failed_execution(status: &Status) -> RemoteError {
    match status.code() {
        Code::DeadlineExceeded => {
            RemoteError::NoObservation("a worker did not end the test in time".to_owned())
        }
        Code::NotFound => RemoteError::MissingBlobs(reason_of(status)),
        Code::Internal | Code::Unknown | Code::Cancelled | Code::Aborted => {
            RemoteError::NoObservation(format!("a worker failed: {}", reason_of(status)))
        }
        _ => RemoteError::of_status(status),
    }
}

/// Waits for the end of an operation. A connection that is cut is made again.
async fn wait(
    service: &Service,
    mut stream: Streaming<Operation>,
    name: &OperationName,
) -> Result<ExecuteResponse, RemoteError> {
    let mut resumed = 0;
    loop {
        let cut = match stream.message().await {
            Ok(Some(operation)) => {
                name.set(operation.name.clone());
                if operation.done {
                    return response_of(operation);
                }
                continue;
            }
            Ok(None) => Status::unavailable("the service ended the connection"),
            Err(status) => status,
        };
        let error = RemoteError::of_status(&cut);
        let RemoteError::Transient(_) = error else { return Err(error) };
        let Some(name) = name.get() else { return Err(error) };
        stream = loop {
            resumed += 1;
            if resumed > MAX_RESUMED_WAITS {
                return Err(error);
            }
            tokio::time::sleep(RECONNECT_DELAY).await;
            let request = service.request(WaitExecutionRequest { name: name.clone() }, None);
            match execution_client(service).wait_execution(request).await {
                Ok(reply) => break reply.into_inner(),
                // A service that does not know the operation, or cannot be asked, executes the action once more.
                Err(status) if is_forgotten(&status) => return Err(error),
                Err(_) => {}
            }
        };
    }
}

fn is_forgotten(status: &Status) -> bool {
    matches!(status.code(), Code::NotFound | Code::Unimplemented | Code::InvalidArgument)
}

fn response_of(operation: Operation) -> Result<ExecuteResponse, RemoteError> {
    let unreadable =
        || RemoteError::Refused("its reply to an execution is not readable".to_owned());
    match operation.result.ok_or_else(unreadable)? {
        operation::Result::Error(status) => Err(of_failed_execution(&status_of(status))),
        operation::Result::Response(any) => {
            ExecuteResponse::decode(&*any.value).map_err(|_| unreadable())
        }
    }
}

/// The record among the outputs of an action.
async fn record_of(
    service: &Service,
    storage: &Storage,
    result: &ActionResult,
) -> Result<WorkerRecord, RemoteError> {
    let file = result.output_files.iter().find(|file| file.path == RECORD_FILE);
    let bytes = match file {
        Some(file) if !file.contents.is_empty() => Some(file.contents.clone()),
        Some(file) => match file.digest.as_ref().and_then(BlobDigest::from_proto) {
            Some(digest) => storage.read(service, digest).await?,
            None => None,
        },
        None => None,
    };
    match bytes.and_then(|bytes| WorkerRecord::decode(&bytes).ok()) {
        Some(record) => Ok(record),
        None => Err(RemoteError::NoObservation(no_record(service, storage, result).await)),
    }
}

/// Why there is no valid record, as far as the runner or the worker says it.
async fn no_record(service: &Service, storage: &Storage, result: &ActionResult) -> String {
    let mut stderr = result.stderr_raw.clone();
    let digest = result.stderr_digest.as_ref().and_then(BlobDigest::from_proto);
    if let Some(digest) = digest.filter(|_| stderr.is_empty()) {
        stderr = storage.read(service, digest).await.ok().flatten().unwrap_or_default();
    }
    let text = String::from_utf8_lossy(&stderr);
    let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let last: String = last.trim().chars().take(MAX_ERROR_CHARACTERS).collect();
    let end = format!("a worker returned no observation (exit code {}", result.exit_code);
    match last.is_empty() {
        true => format!("{end})"),
        false => format!("{end}: {last})"),
    }
}

fn execution_client(service: &Service) -> ExecutionClient<tonic::transport::Channel> {
    ExecutionClient::new(service.channel()).max_decoding_message_size(MAX_MESSAGE_BYTES)
}
