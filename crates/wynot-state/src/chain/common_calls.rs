//! The calls that two runs have in common.

use super::common_places::{CommonPlaces, find_common_places};
use crate::dwarf::Function;
use crate::experiment::experiment_error::ExperimentError;
use crate::experiment::run_pair::RunPair;

/// The number of common calls of the program's own functions below which those of its dependencies are added.
const MIN_OWN_CALLS: usize = 20;

/// The number of common calls below which those of the toolchain's libraries are added.
const MIN_CALLS: usize = 2;

/// The calls that two runs have in common: of the program's own functions, and if these are few, of all that
/// it was built with. Those of the compiler's libraries only if there are hardly any others.
pub fn find_common_calls(runs: &RunPair<'_>) -> Result<CommonPlaces, ExperimentError> {
    use FunctionSource::{Dependency, Own, Toolchain};
    let bodies = |sources: &[FunctionSource]| -> Vec<u64> {
        let functions = runs.program.functions().iter();
        let wanted = functions.filter(|function| sources.contains(&FunctionSource::of(function)));
        wanted.map(|function| function.body).collect()
    };
    let mut watched = bodies(&[Own]);
    let mut common = find_common_places(runs, &watched)?;
    let wider =
        [(MIN_OWN_CALLS, &[Own, Dependency][..]), (MIN_CALLS, &[Own, Dependency, Toolchain])];
    for (min_calls, sources) in wider {
        let wider = bodies(sources);
        if common.places.len() < min_calls && wider.len() > watched.len() {
            watched = wider;
            common = find_common_places(runs, &watched)?;
        }
    }
    Ok(common)
}

/// Where the source of a function comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FunctionSource {
    /// The program itself.
    Own,
    /// A library that was built together with the program.
    Dependency,
    /// The compiler and its libraries.
    Toolchain,
}

impl FunctionSource {
    pub(crate) fn of(function: &Function) -> Self {
        function.declared.as_ref().map_or(Self::Toolchain, |place| Self::of_file(&place.file))
    }

    /// The source of the functions in a file.
    pub(crate) fn of_file(file: &str) -> Self {
        const TOOLCHAIN_PATHS: [&str; 5] =
            ["/usr/include/", "/usr/lib/", "/rustc/", "/rust/deps/", "/rustlib/src/"];
        match file {
            file if TOOLCHAIN_PATHS.iter().any(|part| file.contains(part)) => Self::Toolchain,
            file if file.contains("/.cargo/registry/") => Self::Dependency,
            _ => Self::Own,
        }
    }
}
