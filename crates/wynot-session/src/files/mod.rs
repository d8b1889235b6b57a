//! Trees of files on disk.
//!
//! This module reads trees into folders, writes files and folders atomically, changes a directory from one folder to
//! the next, removes trees whatever permissions a test has left there, decides when data is flushed to the disk, and
//! checks that files belong to this user alone. The code that decides which files are read
//! or written belongs elsewhere: results in `results`, private directories of tests in the executor.

mod atomic;
mod checkout;
mod durability;
mod ownership;
mod read;

pub use atomic::{
    size_of_tree, sync_name, sync_tree, write_file_atomically, write_folder_atomically,
};
pub use checkout::{Checkout, write_folder};
pub use durability::{Durability, SyncPace};
pub use ownership::{NotPrivate, check_private, create_private_dir, is_private_dir};
pub use read::{UnreadableFile, UnsuitableFile, read_file, read_tree, special_file};
pub use wynot_supervisor::{Mark, clear, is_dir, open_up, remove};
