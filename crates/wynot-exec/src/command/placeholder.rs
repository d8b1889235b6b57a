//! What stands for the variant, or for options that vary, in the arguments of a test.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use wynot_subjects::quote;

/// In an argument, stands for the path of the variant.
pub(crate) const VARIANT: &[u8] = b"{}";

/// In an argument, stands for the options that vary.
pub(crate) const OPTIONS: &[u8] = b"{options}";

pub(crate) fn find_placeholder(placeholder: &[u8], text: &[u8]) -> Option<usize> {
    text.windows(placeholder.len()).position(|window| window == placeholder)
}

pub(crate) fn substitute(arg: &OsStr, placeholder: &[u8], by: &OsStr) -> OsString {
    let mut rest = arg.as_bytes();
    let mut result = Vec::with_capacity(rest.len());
    while let Some(at) = find_placeholder(placeholder, rest) {
        result.extend_from_slice(&rest[..at]);
        result.extend_from_slice(by.as_bytes());
        rest = &rest[at + placeholder.len()..];
    }
    result.extend_from_slice(rest);
    OsString::from_vec(result)
}

/// Puts options into arguments: in the place of an argument that is the placeholder, or, quoted for a shell,
/// where the placeholder is a part of one.
pub fn with_options(args: &[OsString], options: &[OsString]) -> Vec<OsString> {
    // What is no Unicode is no word of a shell either, and stays as it is.
    let quoted: Vec<OsString> = options
        .iter()
        .map(|option| option.to_str().map_or_else(|| option.clone(), |o| quote::quoted(o).into()))
        .collect();
    let quoted = quoted.join(OsStr::new(" "));
    let mut result = Vec::with_capacity(args.len() + options.len());
    for arg in args {
        match arg.as_bytes() == OPTIONS {
            true => result.extend_from_slice(options),
            false => result.push(substitute(arg, OPTIONS, &quoted)),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_words_of_their_own_or_quoted_for_a_shell() {
        let args = ["-c", "{options}", "gcc_{options}_x"].map(OsString::from);
        let options = [OsString::from("-O2"), OsString::from("-DA=b c")];
        let expected = ["-c", "-O2", "-DA=b c", "gcc_-O2 '-DA=b c'_x"];
        assert_eq!(with_options(&args, &options), expected.map(OsString::from));
        assert_eq!(with_options(&args, &[]), ["-c", "gcc__x"].map(OsString::from));
    }
}
