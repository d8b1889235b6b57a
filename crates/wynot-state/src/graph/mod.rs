//! The state of a stopped program as a memory graph: objects, and the pointers between them.
//!
//! - [`memory_graph`] is the graph of [`memory_object`]s, read from a [`memory_copy`].
//! - [`extraction`] finds the objects along each [`lead`], with the help of
//!   [`object_discovery`] (what a pointer says), [`object_extent`] (how large they are), [`heap`] (the
//!   allocator's blocks), [`address_index`] (which object lies where) and [`shortest_path`] (which pointer an
//!   object is named after).
//! - [`pool_search`] finds the blocks in which a program allocates on its own, by each [`interior_pointer`] that
//!   contradicts the type of its block, and divides them; [`type_votes`] says which type a block has where pointers
//!   disagree.
//! - [`layout`] divides values into their smallest parts, each a [`leaf`], and [`object_leaves`] whole objects;
//!   [`element_types`] says what vectors and tables of Rust hold.
//! - [`container_entry`]: the keys of nodes of maps; [`hash_table`]: where the values of Rust's hash tables are.
//! - [`free_blocks`]: which blocks the program has freed.
//! - [`register_address`] gives addresses to variables in registers.
//!
//! Nothing here needs a process or a file: a graph is a function of bytes, types and variables. Names and
//! values in words are in [`describe`](crate::describe).

pub mod address_index;
pub(crate) mod container_entry;
pub(crate) mod element_types;
pub mod extraction;
pub(crate) mod free_blocks;
pub(crate) mod hash_table;
pub mod heap;
pub mod interior_pointer;
pub mod layout;
pub mod lead;
pub mod leaf;
pub mod memory_copy;
pub mod memory_graph;
pub mod memory_object;
pub mod object_discovery;
pub mod object_extent;
pub mod object_leaves;
pub mod pool_search;
pub mod register_address;
pub mod shortest_path;
pub mod type_votes;
