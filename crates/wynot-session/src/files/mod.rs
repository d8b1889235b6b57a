//! Trees of files on disk: reading them into folders, writing folders in one step, bringing a directory from one folder to
//! the next, removing whatever a test has left. Not here: which files are read or written, and why.

mod atomic;
mod checkout;
mod file_tree;
mod read;

pub use atomic::{size_of_tree, write_file_atomically, write_folder_atomically};
pub use checkout::{Checkout, write_folder};
pub use file_tree::{Mark, clear, is_dir, open_up, remove};
pub use read::{UnreadableFile, read_tree};
