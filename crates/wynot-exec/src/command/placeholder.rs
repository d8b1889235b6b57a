//! Placeholders for the variant, for varying options and for a version in the words of a test.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use wynot_subjects::quote;

/// The placeholder for the path of the variant.
pub(crate) const VARIANT_PLACEHOLDER: &[u8] = b"{}";

/// The placeholder for the options that vary.
pub(crate) const OPTIONS_PLACEHOLDER: &[u8] = b"{options}";

/// The placeholder for the version under test.
pub(crate) const VERSION_PLACEHOLDER: &[u8] = b"{version}";

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

/// A word or path with a version in place of its placeholder.
pub fn with_version(word: &OsStr, version: &str) -> OsString {
    substitute(word, VERSION_PLACEHOLDER, OsStr::new(version))
}

/// A shell command with a version in place of its placeholder. A version with characters that a shell takes for something
/// else is quoted.
pub(crate) fn shell_command_with_version(command: &OsStr, version: &str) -> OsString {
    let is_harmless = |c: char| c.is_ascii_alphanumeric() || "_-./:,+@%=".contains(c);
    match version.chars().all(is_harmless) {
        true => with_version(command, version),
        false => with_version(command, &format!("'{}'", version.replace('\'', r"'\''"))),
    }
}

/// Whether a word contains the placeholder of the version.
pub fn mentions_version(word: &OsStr) -> bool {
    find_placeholder(VERSION_PLACEHOLDER, word.as_bytes()).is_some()
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

    #[test]
    fn versions_are_quoted_in_shell_commands_only() {
        let with = |version| shell_command_with_version(OsStr::new("get x=={version} {}"), version);
        assert_eq!(with("1.2-rc+1"), "get x==1.2-rc+1 {}");
        assert_eq!(with("a b"), "get x=='a b' {}");
        assert_eq!(with("$(id)'{1..2}"), r"get x=='$(id)'\''{1..2}' {}");
        assert_eq!(with_version(OsStr::new("-v{version}/{version}"), "$x y"), "-v$x y/$x y");
        assert!(mentions_version(OsStr::new("a{version}")) && !mentions_version(OsStr::new("{}")));
    }
}
