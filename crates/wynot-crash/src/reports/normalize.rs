//! Parts of messages that do not depend on the input.

/// A message up to the first number or quotation: the rest may differ from input to input.
pub(crate) fn constant_part(message: &str) -> String {
    let end = message.find(|c: char| c.is_ascii_digit() || "'\"`‘“:([{<".contains(c));
    message[..end.unwrap_or(message.len())].trim().to_owned()
}

/// The source file of a place such as `src/lib.rs:12:5`, without line and column. Of an absolute path only the
/// file name is kept, since its directories may belong to this run only.
pub(super) fn source_file(place: &str) -> &str {
    let path = place.trim_end_matches(|c: char| c.is_ascii_digit() || c == ':');
    match path.strip_prefix('/') {
        Some(_) => path.rsplit('/').next().unwrap_or(path),
        None => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_cut_off_where_they_may_differ() {
        assert_eq!(constant_part("index out of bounds: the len is 3"), "index out of bounds");
        assert_eq!(constant_part("no entry for 'x'"), "no entry for");
        assert_eq!(
            source_file("compiler/rustc_abi/src/lib.rs:12:5"),
            "compiler/rustc_abi/src/lib.rs"
        );
        assert_eq!(source_file("/home/me/x/src/lib.rs:12:5"), "lib.rs");
    }
}
