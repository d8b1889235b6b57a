//! What the server remembers: a database of jobs, environments, tokens and feedback, and a directory for each job.
//!
//! The [`Store`] has one connection that writes and several that read; SQLite's write-ahead log lets them work at the same
//! time. Every change is one transaction. Files of a job are complete before its row exists, so that a server that is
//! killed at any moment has no job without its input; directories without a row are removed at the next start.
//! Not here: what rows mean to requests, which belongs to `http`, and running jobs, which belongs to `jobs`.

pub mod access_queries;
pub mod access_token;
pub mod bad_submission;
pub mod data_directory;
pub mod database;
pub mod incoming_directory;
pub mod job;
pub mod job_directory;
pub mod job_files;
pub mod job_queries;
pub mod served_options;
pub mod submission;
pub mod test_environment;

pub use access_token::{AccessRights, Right, TokenRow};
pub use bad_submission::{BadSubmission, check_file_name};
pub use data_directory::DataDirectory;
pub use database::{Store, StoreError};
pub use incoming_directory::IncomingDirectory;
pub use job::{JobCode, JobState, ServedJob};
pub(crate) use job::{now, random_bytes};
pub use job_directory::JobDirectory;
pub use job_queries::{Feedback, JobEnd, JobFilter};
pub use served_options::ServedVerb;
pub use submission::{FileRole, Submission, UploadedFile};
pub use test_environment::TestEnvironment;
