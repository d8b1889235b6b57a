//! The storage of a service, which is addressed by digests: what is missing is uploaded, results are read.

use crate::blob::{Blob, BlobDigest};
use crate::remote_error::RemoteError;
use crate::service::{MAX_MESSAGE_BYTES, REQUEST_TIMEOUT, Service};
use bazel_remote_apis::build::bazel::remote::execution::v2::content_addressable_storage_client::ContentAddressableStorageClient;
use bazel_remote_apis::build::bazel::remote::execution::v2::{
    BatchReadBlobsRequest, BatchUpdateBlobsRequest, FindMissingBlobsRequest,
    batch_update_blobs_request,
};
use bazel_remote_apis::google::bytestream::byte_stream_client::ByteStreamClient;
use bazel_remote_apis::google::bytestream::{ReadRequest, WriteRequest};
use bazel_remote_apis::google::rpc::Status as RpcStatus;
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tonic::{Code, Status};

/// The number of digests in one question for missing blobs.
const MAX_DIGESTS_PER_QUESTION: usize = 4096;

/// The number of bytes in one message of a stream.
const STREAM_CHUNK_BYTES: usize = 512 << 10;

/// The number of bytes that a blob needs in a batch besides its own: digest and tags.
const BATCH_OVERHEAD_BYTES: usize = 128;

/// The number of bytes of a blob for which a stream may take another second.
const STREAM_BYTES_PER_SECOND: u64 = 1 << 20;

/// The storage of a service.
#[derive(Debug, Default)]
pub(crate) struct Storage {
    /// The blobs that the service has.
    known: Mutex<HashSet<BlobDigest>>,
}

impl Storage {
    /// Forgets what the service has, because it has lost some of it.
    pub(crate) fn forget(&self) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn is_known(&self, digest: &BlobDigest) -> bool {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).contains(digest)
    }

    fn learn(&self, digests: impl Iterator<Item = BlobDigest>) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).extend(digests);
    }

    /// Uploads the blobs that the service does not have.
    pub(crate) async fn upload(
        &self,
        service: &Service,
        blobs: &[Blob],
    ) -> Result<(), RemoteError> {
        let mut seen = HashSet::new();
        let unknown: Vec<&Blob> = blobs
            .iter()
            .filter(|blob| !self.is_known(&blob.digest) && seen.insert(blob.digest))
            .collect();
        for part in unknown.chunks(MAX_DIGESTS_PER_QUESTION) {
            let missing = find_missing(service, part).await?;
            let missing: Vec<&Blob> =
                part.iter().copied().filter(|blob| missing.contains(&blob.digest)).collect();
            let fits =
                |blob: &&Blob| blob.bytes().len() + BATCH_OVERHEAD_BYTES <= service.max_batch_bytes;
            let (small, large): (Vec<&Blob>, Vec<&Blob>) = missing.into_iter().partition(fits);
            for batch in batches(&small, service.max_batch_bytes) {
                upload_batch(service, batch).await?;
            }
            for blob in large {
                upload_stream(service, blob).await?;
            }
            self.learn(part.iter().map(|blob| blob.digest));
        }
        Ok(())
    }

    /// Reads a blob. `None` if the service does not have it.
    pub(crate) async fn read(
        &self,
        service: &Service,
        digest: BlobDigest,
    ) -> Result<Option<Vec<u8>>, RemoteError> {
        if digest.size == 0 {
            return Ok(Some(Vec::new()));
        }
        let bytes = match digest.size as usize + BATCH_OVERHEAD_BYTES <= service.max_batch_bytes {
            true => read_batch(service, digest).await?,
            false => read_stream(service, digest).await?,
        };
        // A storage that returns something else is broken.
        Ok(bytes.filter(|bytes| BlobDigest::of(bytes) == digest))
    }
}

/// The blobs that a service does not have.
async fn find_missing(
    service: &Service,
    blobs: &[&Blob],
) -> Result<HashSet<BlobDigest>, RemoteError> {
    let message = FindMissingBlobsRequest {
        instance_name: service.address.instance.clone(),
        blob_digests: blobs.iter().map(|blob| blob.digest.to_proto()).collect(),
        digest_function: 0,
    };
    let request = service.request(message, Some(REQUEST_TIMEOUT));
    let reply = client(service).find_missing_blobs(request).await.map_err(of_status)?;
    let missing = &reply.get_ref().missing_blob_digests;
    Ok(missing.iter().filter_map(BlobDigest::from_proto).collect())
}

/// Divides blobs into batches that fit into a message.
fn batches<'b>(blobs: &'b [&'b Blob], max_bytes: usize) -> Vec<&'b [&'b Blob]> {
    let (mut batches, mut start, mut bytes) = (Vec::new(), 0, 0);
    for (index, blob) in blobs.iter().enumerate() {
        let size = blob.bytes().len() + BATCH_OVERHEAD_BYTES;
        if bytes + size > max_bytes && index > start {
            batches.push(&blobs[start..index]);
            (start, bytes) = (index, 0);
        }
        bytes += size;
    }
    if start < blobs.len() {
        batches.push(&blobs[start..]);
    }
    batches
}

async fn upload_batch(service: &Service, blobs: &[&Blob]) -> Result<(), RemoteError> {
    let requests = blobs.iter().map(|blob| batch_update_blobs_request::Request {
        digest: Some(blob.digest.to_proto()),
        data: blob.bytes().to_vec(),
        compressor: 0,
    });
    let message = BatchUpdateBlobsRequest {
        instance_name: service.address.instance.clone(),
        requests: requests.collect(),
        digest_function: 0,
    };
    let request = service.request(message, Some(REQUEST_TIMEOUT));
    let reply = client(service).batch_update_blobs(request).await.map_err(of_status)?;
    let statuses = reply.into_inner().responses.into_iter().filter_map(|response| response.status);
    match statuses.map(status_of).find(|status| status.code() != Code::Ok) {
        Some(status) => Err(of_status(status)),
        None => Ok(()),
    }
}

async fn upload_stream(service: &Service, blob: &Blob) -> Result<(), RemoteError> {
    let digest = blob.digest;
    let name = format!("uploads/{}/blobs/{}/{}", unique_id(), digest.hex(), digest.size);
    let name = resource_name(service, &name);
    let count = blob.bytes().len().div_ceil(STREAM_CHUNK_BYTES);
    let blob = blob.clone();
    let chunks = (0..count).map(move |index| {
        let bytes = blob.bytes();
        let offset = index * STREAM_CHUNK_BYTES;
        let end = (offset + STREAM_CHUNK_BYTES).min(bytes.len());
        WriteRequest {
            // The first message names the resource; the others may leave the name out.
            resource_name: if index == 0 { name.clone() } else { String::new() },
            write_offset: offset as i64,
            finish_write: end == bytes.len(),
            data: bytes[offset..end].to_vec(),
        }
    });
    let request = service.request(tokio_stream::iter(chunks), Some(stream_timeout(digest)));
    let mut client = ByteStreamClient::new(service.channel());
    match client.write(request).await {
        Ok(_) => Ok(()),
        Err(status) if status.code() == Code::AlreadyExists => Ok(()),
        Err(status) => Err(of_status(status)),
    }
}

async fn read_batch(service: &Service, digest: BlobDigest) -> Result<Option<Vec<u8>>, RemoteError> {
    let message = BatchReadBlobsRequest {
        instance_name: service.address.instance.clone(),
        digests: vec![digest.to_proto()],
        acceptable_compressors: Vec::new(),
        digest_function: 0,
    };
    let request = service.request(message, Some(REQUEST_TIMEOUT));
    let reply = client(service).batch_read_blobs(request).await.map_err(of_status)?;
    let Some(response) = reply.into_inner().responses.into_iter().next() else { return Ok(None) };
    let status = response.status.map(status_of);
    match status.filter(|status| status.code() != Code::Ok) {
        Some(status) if status.code() == Code::NotFound => Ok(None),
        Some(status) => Err(of_status(status)),
        None => Ok(Some(response.data)),
    }
}

async fn read_stream(
    service: &Service,
    digest: BlobDigest,
) -> Result<Option<Vec<u8>>, RemoteError> {
    let name = resource_name(service, &format!("blobs/{}/{}", digest.hex(), digest.size));
    let message = ReadRequest { resource_name: name, read_offset: 0, read_limit: 0 };
    let request = service.request(message, Some(stream_timeout(digest)));
    let mut client = ByteStreamClient::new(service.channel());
    let mut stream = match client.read(request).await {
        Ok(reply) => reply.into_inner(),
        Err(status) if status.code() == Code::NotFound => return Ok(None),
        Err(status) => return Err(of_status(status)),
    };
    let mut bytes = Vec::with_capacity(digest.size as usize);
    while let Some(part) = stream.message().await.map_err(of_status)? {
        bytes.extend_from_slice(&part.data);
    }
    Ok(Some(bytes))
}

fn client(service: &Service) -> ContentAddressableStorageClient<tonic::transport::Channel> {
    ContentAddressableStorageClient::new(service.channel())
        .max_decoding_message_size(MAX_MESSAGE_BYTES)
}

/// The name of a resource in the instance of the service.
fn resource_name(service: &Service, name: &str) -> String {
    match &*service.address.instance {
        "" => name.to_owned(),
        instance => format!("{instance}/{name}"),
    }
}

fn stream_timeout(digest: BlobDigest) -> Duration {
    REQUEST_TIMEOUT + Duration::from_secs(digest.size / STREAM_BYTES_PER_SECOND)
}

/// A random identifier in the usual form of groups of hexadecimal digits.
fn unique_id() -> String {
    let random = || RandomState::new().hash_one(0u8);
    let (a, b) = (random(), random());
    format!(
        "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
        a >> 32,
        a >> 16 & 0xffff,
        a & 0xfff,
        b >> 52,
        b & 0xffff_ffff_ffff
    )
}

fn of_status(status: Status) -> RemoteError {
    RemoteError::of_status(&status)
}

/// A status inside of a reply.
pub(crate) fn status_of(status: RpcStatus) -> Status {
    Status::new(Code::from_i32(status.code), status.message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_fit_into_messages() {
        let blobs: Vec<Blob> = [10, 500, 500, 900, 1].map(|size| Blob::new(vec![0; size])).into();
        let blobs: Vec<&Blob> = blobs.iter().collect();
        let sizes =
            |max| -> Vec<usize> { batches(&blobs, max).into_iter().map(<[&Blob]>::len).collect() };
        assert_eq!(sizes(1300), [2, 1, 2]);
        assert_eq!(sizes(1100), [2, 1, 1, 1]);
        assert_eq!(sizes(1 << 20), [5]);
        assert!(batches(&[], 10).is_empty());
    }
}
