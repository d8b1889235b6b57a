//! Results in words, for records, messages, the terminal and pages.
//!
//! Here: the answer of a search in a sentence (`answer_words`) and as a record (`recorded_answer`), the nouns of deltas (`nouns`),
//! the size of an isolated difference and a line for each of its changes (`difference`), the places where two sides differ
//! (`stretches`), and calls as command lines (`call_line`). Not here: printing, which belongs to the binary, and numbers in
//! words, which belong to `wynot-report`.

mod answer_words;
mod call_line;
mod difference;
mod nouns;
mod recorded_answer;
mod stretches;

pub use answer_words::{cause_in_words, change_in_words, isolated_in_words, reduced_in_words};
pub use call_line::command_line;
pub use difference::{describe_difference, difference_bytes};
pub use nouns::{delta_noun, noun_of_level};
pub(crate) use recorded_answer::recorded_answer;
