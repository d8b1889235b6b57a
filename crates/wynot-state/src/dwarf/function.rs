//! Functions and variables.

use super::lines::SourcePlace;
use super::types::TypeId;
use std::ops::Range;
use std::sync::Arc;

/// The identifier of a function of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub(crate) u32);

/// Ranges of addresses of the file.
pub type Ranges = Arc<[Range<u64>]>;

/// A function with code. All addresses are those of the file.
#[derive(Clone, Debug)]
pub struct Function {
    /// The name as in a debugger: `main`, `Class::method`, `crate::module::function`.
    pub name: String,
    /// The name for the linker, if it is a different one.
    pub linkage_name: Option<Arc<str>>,
    /// The addresses of its code, first those of the part with the entry.
    pub ranges: Ranges,
    /// The address of its first instruction.
    pub entry: u64,
    /// The address at which its body begins, after the prologue: from there on the parameters are where the
    /// debug information says. Debuggers stop there.
    pub body: u64,
    /// The parameters and local variables, also those of functions that are inlined into this one.
    pub variables: Vec<Variable>,
    /// The place of its declaration.
    pub declared: Option<SourcePlace>,
    pub(super) unit: u32,
    pub(super) frame_base: LocationDescription,
}

/// A variable. All addresses are those of the file.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The name; for a variable outside of functions, with its namespaces and classes.
    pub name: Arc<str>,
    /// The type.
    pub of: TypeId,
    /// Whether it is a parameter of a function.
    pub parameter: bool,
    /// Whether it belongs to a function that is inlined into the one that has it.
    pub inlined: bool,
    /// The code from which it is visible; if empty, all code, as for global variables.
    pub visible: Ranges,
    /// The place of its declaration.
    pub declared: Option<SourcePlace>,
    pub(super) unit: u32,
    pub(super) description: LocationDescription,
}

impl Variable {
    /// Whether it is visible from the code at an address.
    pub fn is_visible(&self, address: u64) -> bool {
        self.visible.is_empty() || self.visible.iter().any(|range| range.contains(&address))
    }
}

/// How to find a variable, as DWARF describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LocationDescription {
    /// Nowhere: the compiler has optimized it away.
    OptimizedOut,
    /// At an address of the file.
    Address(u64),
    /// By the expression in this part of `.debug_info`.
    Expression(Range<usize>),
    /// By one of a list of expressions, depending on the instruction. The list begins at this offset.
    List(usize),
    /// It always has this value.
    Constant(Box<[u8]>),
}
