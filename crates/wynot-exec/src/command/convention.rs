//! The conventions by which other tools call their tests, so that scripts written for them run unchanged.

use super::placeholder::VARIANT_PLACEHOLDER;
use super::test_command::{StandardInput, TestCommand, WorkDir};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::str::FromStr;
use wynot_session::judge::ExitMeaning;

/// A tool whose way of calling tests is reproduced exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convention {
    /// C-Reduce: no argument, the variant under its own name in the current directory.
    Creduce,
    /// C-Vise: the same as C-Reduce.
    Cvise,
    /// Shrink Ray: the variant as the last argument, on standard input and under its own name.
    Shrinkray,
    /// Picire: the variant as the only argument.
    Picire,
    /// treereduce: the variant replaces arguments that start with `@@`; without any, it is on standard input.
    Treereduce,
    /// halfempty: the variant on standard input, in the current directory of the user.
    Halfempty,
    /// Lithium: a Python module with a function `interesting(args, prefix)`.
    Lithium,
    /// git bisect run: exit 0 is good, 125 skips, other codes up to 127 are bad.
    GitBisect,
}

impl Convention {
    /// All conventions.
    pub const ALL: [Self; 8] = [
        Self::Creduce,
        Self::Cvise,
        Self::Shrinkray,
        Self::Picire,
        Self::Treereduce,
        Self::Halfempty,
        Self::Lithium,
        Self::GitBisect,
    ];

    /// The name of the convention on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Creduce => "creduce",
            Self::Cvise => "cvise",
            Self::Shrinkray => "shrinkray",
            Self::Picire => "picire",
            Self::Treereduce => "treereduce",
            Self::Halfempty => "halfempty",
            Self::Lithium => "lithium",
            Self::GitBisect => "git-bisect",
        }
    }

    /// The meaning of exit codes under this convention.
    pub fn exit_meaning(self) -> ExitMeaning {
        match self {
            Self::GitBisect => ExitMeaning::Bisect,
            _ => ExitMeaning::Interesting,
        }
    }

    /// Whether the tool starts scripts through a shell, so that they need no `#!` line.
    pub(crate) fn runs_scripts_by_sh(self) -> bool {
        matches!(self, Self::Creduce | Self::Cvise | Self::Halfempty | Self::GitBisect)
    }

    /// Sets arguments, standard input and working directory as the tool does.
    pub(crate) fn apply(self, command: &mut TestCommand) {
        let variant = || OsStr::from_bytes(VARIANT_PLACEHOLDER).to_owned();
        match self {
            Self::Creduce | Self::Cvise | Self::GitBisect => {}
            Self::Shrinkray => {
                command.args.push(variant());
                command.stdin = StandardInput::Variant;
            }
            Self::Picire => command.args.push(variant()),
            Self::Treereduce => {
                let is_marker = |arg: &OsString| arg.as_bytes().starts_with(b"@@");
                let has_marker = command.args.iter().any(is_marker);
                command
                    .args
                    .iter_mut()
                    .filter(|arg| is_marker(arg))
                    .for_each(|arg| *arg = variant());
                command.stdin =
                    if has_marker { StandardInput::Nothing } else { StandardInput::Variant };
                command.work_dir = WorkDir::Here;
            }
            Self::Halfempty => {
                command.stdin = StandardInput::Variant;
                command.work_dir = WorkDir::Here;
                command.env.push(("MALLOC_CHECK_", "2"));
            }
            Self::Lithium => {
                unreachable!("a Lithium condition is a Python module and has its own command")
            }
        }
    }
}

/// An unknown name of a convention.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no convention '{0}'")]
pub struct BadConvention(String);

impl FromStr for Convention {
    type Err = BadConvention;

    fn from_str(name: &str) -> Result<Self, BadConvention> {
        let found = Self::ALL.into_iter().find(|convention| convention.name() == name);
        found.ok_or_else(|| BadConvention(name.to_owned()))
    }
}
