//! Landlock: the kernel checks each access to a file against rules that no process can take back.
//!
//! The rules repeat what the view of the files says, and add what mounts cannot: pipes and devices in read-only
//! directories cannot be written, and tests cannot send signals out of the sandbox.

use landlock::{
    ABI, Access, AccessFs, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetStatus, Scope,
};
use rustix::io::Errno;
use std::io;
use std::path::{Path, PathBuf};

/// The newest version of Landlock whose rules are used. An older kernel ignores those that it does not know.
const VERSION: ABI = ABI::V6;

/// Restricts this process and its future children to writing in these directories, and to the files in `/dev` and
/// `/proc` that the view of the files contains.
pub(crate) fn restrict(writable: &[PathBuf]) -> io::Result<()> {
    let status = try_restrict(writable).map_err(io::Error::other)?;
    match status {
        RulesetStatus::NotEnforced => Err(Errno::OPNOTSUPP.into()),
        _ => Ok(()),
    }
}

fn try_restrict(
    writable: &[PathBuf],
) -> Result<RulesetStatus, Box<dyn std::error::Error + Send + Sync>> {
    let all = AccessFs::from_all(VERSION);
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .scope(Scope::from_all(VERSION))?
        .create()?
        .add_rule(PathBeneath::new(PathFd::new("/")?, AccessFs::from_read(VERSION)))?;
    let in_place = AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev;
    for (path, access) in writable
        .iter()
        .map(|path| (path.as_path(), all))
        .chain(["/dev", "/proc"].map(|path| (Path::new(path), in_place)))
    {
        rules = rules.add_rule(PathBeneath::new(PathFd::new(path)?, access))?;
    }
    Ok(rules.restrict_self()?.ruleset)
}
