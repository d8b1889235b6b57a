//! The errors of a run, such as those of a compiler.

use super::complaint::Complaint;
use super::input_words::InputWords;
use super::message_words::is_code;
use super::pattern::MessagePattern;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The errors of a run: by their codes if they have some, otherwise by their messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorSet {
    codes: BTreeSet<String>,
    messages: Vec<MessagePattern>,
}

impl ErrorSet {
    /// The errors among some complaints, given the words of the input from which messages may take names.
    pub fn of(complaints: &[Complaint], input: &InputWords) -> Self {
        let mut set = Self::default();
        for complaint in complaints {
            match code(complaint) {
                Some(code) => {
                    set.codes.insert(code.to_owned());
                }
                None => set.messages.push(MessagePattern::of_words(&complaint.words, input)),
            }
        }
        set
    }

    /// Whether all complaints are among these errors.
    pub fn contains_all(&self, complaints: &[Complaint], input: &InputWords) -> bool {
        complaints.iter().all(|complaint| match code(complaint) {
            Some(code) => self.codes.contains(code),
            None => self.messages.iter().any(|known| known.matches_words(&complaint.words, input)),
        })
    }
}

/// The code of a complaint, such as `E0502`.
fn code(complaint: &Complaint) -> Option<&str> {
    complaint.words.iter().map(|word| word.constant.as_str()).find(|word| is_code(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_known_by_their_codes_or_messages() {
        let read = |text: &str| Complaint::all(b"", text.as_bytes());
        let none = InputWords::default();
        let known = ErrorSet::of(
            &read("error[E0502]: cannot borrow `x`\nx.c:3:1: error: expected ';'\n"),
            &none,
        );
        let contains_all = |text: &str| known.contains_all(&read(text), &none);
        assert!(contains_all("error[E0502]: it is borrowed\n"));
        assert!(contains_all("y.c:1:1: error: expected ';'\n"));
        assert!(!contains_all("error[E0502]: a\nerror[E0425]: b\n"));
        assert!(!contains_all("y.c:1:1: error: expected ')'\n"));
        assert!(contains_all(""));
    }
}
