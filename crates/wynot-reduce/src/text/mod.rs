//! What passes share about a text: its syntax tree, the edits against it, and the drafts that are tested.
//!
//! A [`ParsedText`](parsed_text::ParsedText) is parsed once and collects the accepted edits; every
//! [`TextDraft`](draft::TextDraft) is that text and some more edits. The other files answer questions about
//! the tree: which children form a list, which declaration uses which name, what kind of node may stand
//! where. Nothing here proposes anything; proposing is what `passes` do.

pub mod binary_text;
pub mod consequences;
pub mod definition_removal;
pub mod draft;
pub mod edit;
pub mod element_deletion;
pub mod function_bodies;
pub mod kinds;
pub mod leaves;
pub mod lexical_definitions;
pub mod lexical_values;
pub mod list;
pub mod name_keys;
pub mod newly_unused;
pub mod parsed_text;
pub mod plainness;
pub mod program_items;
pub mod reach;
pub mod references;
pub mod span_set;
pub mod spans;
pub mod text_entries;
pub mod tokens;
