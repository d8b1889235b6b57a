//! What is printed and written for users and scripts: results in words (`text`, `call`, `chain`), the JSON contract
//! (`json`), event files and traces, scripts for GDB. Not here: progress on the terminal.

pub mod call;
pub mod events;
pub mod json;
pub mod text;
pub mod trace;
