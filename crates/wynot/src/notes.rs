//! Remarks about a request, for the caller.

/// Receives remarks about a request.
pub trait Notes {
    /// A remark, such as a directory that is left out.
    fn note(&mut self, text: &str) {
        let _ = text;
    }

    /// A remark that the user should see in any case, such as a file that was renamed.
    fn warn(&mut self, text: &str) {
        let _ = text;
    }
}
