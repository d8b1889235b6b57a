//! Programs that run under control.
//!
//! An [`Inferior`] is a program that was started to be stopped: at places in its code, to look at its memory
//! and registers, to change them, and to be copied where it stands, so that many experiments can begin
//! there. Nothing here knows what the bytes mean.
//!
//! Runs are made as much alike as can be ([`comparable`]): programs lie at the same addresses, stacks begin
//! at the same place, and what the system calls random is the same each time.
//!
//! For Linux on x86-64 only, and programs for it and for x86 of 32 bits.

mod answers;
mod area;
mod breakpoints;
mod chance;
mod closeness;
mod control;
mod emulation;
mod ending;
mod error;
mod executable;
mod family;
mod image;
mod inferior;
mod injection;
mod invocation;
mod launch;
mod memory;
mod obstacle;
mod output;
mod registers;
mod requests;
mod service;
mod snapshot;
mod watchdog;

pub use area::{Area, Areas};
pub use error::ProcessError;
pub use image::Image;
pub use inferior::{Ending, Inferior, Pause, Status};
pub use invocation::{Invocation, Limits, comparable};
pub use obstacle::Obstacle;
pub use registers::Registers;
pub use service::Service;
