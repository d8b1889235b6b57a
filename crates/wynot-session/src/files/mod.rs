//! Trees of files on disk.
//!
//! This module reads trees into folders, writes files and folders atomically, changes a directory from one folder to
//! the next, and removes trees whatever permissions a test has left there. The code that decides which files are read
//! or written belongs elsewhere: results in `results`, private directories of tests in the executor.

mod atomic;
mod checkout;
mod file_tree;
mod read;

pub use atomic::{size_of_tree, write_file_atomically, write_folder_atomically};
pub use checkout::{Checkout, write_folder};
pub use file_tree::{Mark, clear, is_dir, open_up, remove};
pub use read::{UnreadableFile, read_tree};
