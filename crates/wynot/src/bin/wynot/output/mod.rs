//! What is printed and written for users and scripts: results in words (`text`, `call`, `chain`), the JSON contract
//! (`json`), event files and traces, scripts for GDB. Not here: progress on the terminal.

pub mod call;
pub mod chain;
pub mod display_options;
pub mod explain_observer;
pub mod explanation_page;
pub mod gdb_script;
pub mod json;
pub mod json_chain;
pub mod search_observer;
pub mod text;
pub mod trace;
pub mod words;
