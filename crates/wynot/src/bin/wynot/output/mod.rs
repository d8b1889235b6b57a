//! What is printed and written for users and scripts.
//!
//! Here: results in words (`text`, `call`, `chain`, with the phrases in `words`), the JSON contract (`json`,
//! `json_chain`), where both go (`standard_output`), and the observers that write event files and traces during a search. Not
//! here: the display of progress, which belongs to `terminal`, and the layout of pages, which belongs to `wynot-report`.

pub mod call;
#[cfg(target_arch = "x86_64")]
pub mod chain;
pub mod display_options;
#[cfg(target_arch = "x86_64")]
pub mod explain_observer;
mod history_text;
pub mod json;
#[cfg(target_arch = "x86_64")]
pub mod json_chain;
mod json_changes;
mod json_history;
pub mod search_observer;
mod short_result;
pub mod standard_output;
pub mod text;
pub mod trace;
pub mod words;
