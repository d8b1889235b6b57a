//! The calls that two runs have in common.

use crate::case::{Case, CaseError, Common};
use crate::dwarf::Function;

/// With fewer places in a program's own functions, those of the libraries it was built with count, too.
const FEW: usize = 20;

/// The calls that two runs have in common: of the program's own functions, and if these are few, of all that
/// it was built with. Those of compilers and their libraries only if there are no others.
pub fn common_calls(case: &Case<'_>) -> Result<Common, CaseError> {
    let bodies = |origins: &[Origin]| -> Vec<u64> {
        let functions = case.program.functions().iter();
        let wanted = functions.filter(|function| origins.contains(&Origin::of(function)));
        wanted.map(|function| function.body).collect()
    };
    let mut watched = bodies(&[Origin::Own]);
    let mut common = case.common_sites(&watched)?;
    for more in [&[Origin::Own, Origin::Dependency][..], &Origin::ALL] {
        let few = if more.len() < Origin::ALL.len() { FEW } else { 2 };
        let wider = bodies(more);
        if common.sites.len() < few && wider.len() > watched.len() {
            watched = wider;
            common = case.common_sites(&watched)?;
        }
    }
    Ok(common)
}

/// Where a function comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Own,
    /// A library that was built together with the program.
    Dependency,
    /// The compiler and its libraries.
    Toolchain,
}

impl Origin {
    const ALL: [Self; 3] = [Self::Own, Self::Dependency, Self::Toolchain];

    fn of(function: &Function) -> Self {
        const TOOLCHAIN: [&str; 5] =
            ["/usr/include/", "/usr/lib/", "/rustc/", "/rust/deps/", "/rustlib/src/"];
        let Some(place) = &function.declared else { return Self::Toolchain };
        match &place.file {
            file if TOOLCHAIN.iter().any(|part| file.contains(part)) => Self::Toolchain,
            file if file.contains("/.cargo/registry/") => Self::Dependency,
            _ => Self::Own,
        }
    }
}
