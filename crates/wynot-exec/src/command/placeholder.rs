//! Placeholders for the variant and for varying options in the arguments of a test.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use wynot_subjects::quote;

/// The placeholder for the path of the variant.
pub(crate) const VARIANT_PLACEHOLDER: &[u8] = b"{}";

/// The placeholder for the options that vary.
pub(crate) const OPTIONS_PLACEHOLDER: &[u8] = b"{options}";

/// The position of a placeholder in a text.
pub(crate) fn find_placeholder(placeholder: &[u8], text: &[u8]) -> Option<usize> {
    text.windows(placeholder.len()).position(|window| window == placeholder)
}

/// Replaces a placeholder in an argument, wherever it occurs.
pub(crate) fn substitute(arg: &OsStr, placeholder: &[u8], replacement: &OsStr) -> OsString {
    let mut rest = arg.as_bytes();
    let mut result = Vec::with_capacity(rest.len());
    while let Some(at) = find_placeholder(placeholder, rest) {
        result.extend_from_slice(&rest[..at]);
        result.extend_from_slice(replacement.as_bytes());
        rest = &rest[at + placeholder.len()..];
    }
    result.extend_from_slice(rest);
    OsString::from_vec(result)
}

/// Inserts options into arguments. They replace an argument that is exactly the placeholder; where the placeholder is
/// only a part of an argument, they are quoted for a shell.
pub fn with_options(args: &[OsString], options: &[OsString]) -> Vec<OsString> {
    // Options that are not Unicode cannot be quoted and stay as they are.
    let quoted: Vec<OsString> = options
        .iter()
        .map(|option| option.to_str().map_or_else(|| option.clone(), |o| quote::quoted(o).into()))
        .collect();
    let quoted = quoted.join(OsStr::new(" "));
    let mut result = Vec::with_capacity(args.len() + options.len());
    for arg in args {
        match arg.as_bytes() == OPTIONS_PLACEHOLDER {
            true => result.extend_from_slice(options),
            false => result.push(substitute(arg, OPTIONS_PLACEHOLDER, &quoted)),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_become_separate_arguments_or_are_quoted_for_a_shell() {
        let args = ["-c", "{options}", "gcc_{options}_x"].map(OsString::from);
        let options = [OsString::from("-O2"), OsString::from("-DA=b c")];
        let expected = ["-c", "-O2", "-DA=b c", "gcc_-O2 '-DA=b c'_x"];
        assert_eq!(with_options(&args, &options), expected.map(OsString::from));
        assert_eq!(with_options(&args, &[]), ["-c", "gcc__x"].map(OsString::from));
    }
}
