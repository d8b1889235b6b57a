//! Functions and variables.

use super::lines::SourcePlace;
use super::types::TypeId;
use std::ops::Range;
use std::sync::Arc;

/// One of the functions of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub(crate) u32);

/// Addresses, as in the file, from the first up to one behind the last of each range.
pub type Ranges = Arc<[Range<u64>]>;

/// A function that there is code of. All addresses are as in the file.
#[derive(Clone, Debug)]
pub struct Function {
    /// As a programmer would type it in a debugger: `main`, `Class::method`, `crate::module::function`.
    pub name: String,
    /// The name for the linker, if it is another one.
    pub linkage_name: Option<Arc<str>>,
    /// Where its code is, first the part that it begins with.
    pub ranges: Ranges,
    /// Its first instruction.
    pub entry: u64,
    /// Where its arguments have been put where they are said to be: debuggers stop there.
    pub body: u64,
    /// Parameters, local variables, and those of functions that were put into this one.
    pub variables: Vec<Variable>,
    /// Where it is declared.
    pub place: Option<SourcePlace>,
    pub(super) unit: u32,
    pub(super) frame_base: Location,
}

/// A variable. All addresses are as in the file.
#[derive(Clone, Debug)]
pub struct Variable {
    /// As it is written; of those outside of functions, with all that it is inside of.
    pub name: Arc<str>,
    /// What it is.
    pub of: TypeId,
    /// Whether the caller of a function gives it.
    pub parameter: bool,
    /// Whether it belongs to a function that was put into the one that it is found in.
    pub inlined: bool,
    /// Where it can be seen; nowhere means everywhere, as for globals.
    pub visible: Ranges,
    /// Where it is declared.
    pub declared: Option<SourcePlace>,
    pub(super) unit: u32,
    pub(super) location: Location,
}

impl Variable {
    /// Whether it can be seen from an address.
    pub fn is_visible(&self, address: u64) -> bool {
        self.visible.is_empty() || self.visible.iter().any(|range| range.contains(&address))
    }
}

/// How to find out where something is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Location {
    /// It is nowhere: the compiler did without it.
    Nowhere,
    /// At an address of the file.
    Address(u64),
    /// As an expression says, which lies here in `.debug_info`.
    Expression(Range<usize>),
    /// As one of a list of expressions says that begins here, depending on the instruction.
    List(usize),
    /// It is always this.
    Constant(Box<[u8]>),
}
