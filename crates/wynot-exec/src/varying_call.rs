//! The call of a test whose variant is part of the call.

use crate::command::{shell_command_with_version, with_options, with_version};
use std::ffi::{OsStr, OsString};
use wynot_subjects::Variant;
use wynot_supervisor::supervisor::protocol::{Call, Environment};
use wynot_supervisor::supervisor::setup::{Bytes, TestDirSetup};

/// The variable with the version under test.
const VERSION_VARIABLE: &str = "WYNOT_VERSION";

/// The call of a test in a private directory, if the variant is part of the call.
pub fn call_for(variant: &Variant, setup: &TestDirSetup, build: Option<&OsStr>) -> Option<Call> {
    let to_bytes = |words: &[Vec<u8>]| words.iter().map(Bytes::from).collect();
    let unchanged = Call {
        program: setup.program.clone(),
        fallback: None,
        args: setup.args.clone(),
        build: None,
        environment: Environment::With(Vec::new()),
    };
    match variant {
        Variant::Bytes(_) | Variant::Folder(_) => None,
        Variant::Words(words) => {
            let args: Vec<OsString> = setup.args.iter().map(Bytes::os).collect();
            let words: Vec<OsString> = to_os(words);
            let args = with_options(&args, &words).into_iter().map(Bytes::from).collect();
            Some(Call { args, ..unchanged })
        }
        Variant::Environment(variables) => {
            Some(Call { environment: Environment::Only(to_bytes(variables)), ..unchanged })
        }
        Variant::Version(version) => {
            let with_version = |word: &Bytes| Bytes::from(with_version(&word.os(), version));
            let build = build.map(|build| shell_command_with_version(build, version).into());
            let variable = OsString::from(format!("{VERSION_VARIABLE}={version}"));
            Some(Call {
                program: with_version(&setup.program),
                fallback: setup.fallback.as_ref().map(with_version),
                args: setup.args.iter().map(with_version).collect(),
                build,
                environment: Environment::With(vec![variable.into()]),
            })
        }
    }
}

fn to_os(words: &[Vec<u8>]) -> Vec<OsString> {
    words.iter().map(|word| Bytes::from(word).os()).collect()
}
