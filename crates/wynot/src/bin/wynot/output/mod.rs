//! What is printed and written for users and scripts.
//!
//! Here: results in words (`text`, `call`, `chain`, with the phrases in `words`), the JSON contract (`json`,
//! `json_chain`), where both go (`standard_output`), pages and scripts for GDB, and the observers that write event files and traces during a search. Not
//! here: the display of progress, which belongs to `terminal`, and the layout of pages, which belongs to `wynot-report`.

pub mod call;
pub mod chain;
pub mod display_options;
pub mod explain_observer;
pub mod explanation_page;
pub mod gdb_script;
mod history_text;
pub mod json;
pub mod json_chain;
mod json_changes;
mod json_history;
pub mod search_observer;
pub mod standard_output;
pub mod text;
pub mod trace;
pub mod words;
