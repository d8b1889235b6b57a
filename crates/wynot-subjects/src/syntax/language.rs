//! The known languages: how to recognise and parse them, and what may replace their constructs.
//!
//! A new language is one entry in [`language_table`](crate::syntax::language_table). Syntax only proposes candidates; a language that is missing
//! or a text that does not parse costs tests, never correctness.

use crate::syntax::brackets::{self, Detail};
use crate::syntax::not_parsed::NotParsed;
use crate::syntax::open_tags;
use crate::syntax::tree::SyntaxTree;
use crate::syntax::tree_sitter::Grammar;
use crate::syntax::{dimacs, llvm_ir, s_expressions};
use std::ops::Range;

/// The size above which a text gets a coarse tree.
const MAX_FINE_BYTES: usize = 2 << 20;

/// The size above which a text with declarations gets a coarse tree. It is larger, since passes that follow
/// names need the details.
const MAX_FINE_BYTES_WITH_DECLARATIONS: usize = 32 << 20;

/// The depth of brackets above which a text gets a coarse tree.
const MAX_FINE_DEPTH: usize = 5_000;

/// Texts with more bytes than this are parsed without extensions of their language that the grammar does not know.
const MAX_UNHIDDEN_BYTES: usize = 16 << 10;

/// The parser of a language.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Syntax {
    TreeSitter(Grammar),
    SExpressions,
    Dimacs,
    LlvmIr,
    Brackets,
}

/// A function that returns the bytes of a text's header and the header that matches the rest of the text.
pub(crate) type Header = fn(&[u8]) -> Option<(Range<usize>, Vec<u8>)>;

/// A function that returns replacements of spans of a text.
pub(crate) type Replacements = fn(&[u8]) -> Vec<(Range<usize>, Vec<u8>)>;

/// A function that returns a text of the same length in which something is hidden by blanks.
pub(crate) type Hide = fn(&[u8]) -> Vec<u8>;

/// How the definition of a function becomes a declaration without a body.
#[derive(Clone, Copy, Debug)]
pub struct Declaring {
    /// The keyword that begins a definition, and the one that begins a declaration.
    pub keywords: (&'static str, &'static str),
    /// The words before the name that a declaration must not have.
    pub without: &'static [&'static str],
}

/// A language and its rules. Kinds of nodes are those of its grammar.
#[derive(Clone, Copy, Debug)]
pub struct Language {
    /// The name on the command line.
    pub name: &'static str,
    pub(crate) extensions: &'static [&'static str],
    pub(crate) syntax: Syntax,
    /// The shortest body of a function.
    pub body: Option<&'static str>,
    /// Words before the body of a function that compilers evaluate.
    pub evaluated: &'static [&'static str],
    /// A form, and what may replace its argument wherever the form occurs, such as an asserted formula.
    pub trivial: Option<(&'static str, &'static str)>,
    /// What may replace an expression.
    pub expressions: &'static [&'static str],
    /// What may replace a type.
    pub types: &'static [&'static str],
    /// Small items around a type: what stands before and after it, with _ for a name.
    pub items_around_type: &'static [(&'static str, &'static str)],
    /// What may replace a statement or an item in a block where it cannot be removed.
    pub statements: &'static [&'static str],
    /// Kinds of nodes that belong to the sibling after them, such as attributes.
    pub attached: &'static [&'static str],
    /// Whether texts declare names, so that a declaration can be removed together with its uses.
    pub has_declarations: bool,
    /// Whether definitions and what mentions them are found by words alone, since no grammar knows them.
    pub has_lexical_definitions: bool,
    /// The header of a text that states the number of what follows.
    pub header: Option<Header>,
    /// The names for what a text numbers by its position.
    pub names_of_numbered: Option<Replacements>,
    /// How a function becomes a declaration.
    pub declaring: Option<Declaring>,
    /// The bytes with which names begin, other than letters and `_`.
    pub sigils: &'static [u8],
    /// The byte with which names begin that are known within one top-level element only.
    pub local_sigil: Option<u8>,
    /// What takes the place of a value whose definition goes. A definition then always goes with what mentions it.
    pub missing_value: Option<&'static str>,
    /// Kinds of nodes that a text can do without, such as modifiers.
    pub modifiers: &'static [&'static str],
    /// Whether a descendant may take the place of a node.
    pub has_hoists: bool,
    /// Whether line ends and blanks are part of the syntax.
    pub is_layout_sensitive: bool,
    /// Whether lines that begin with `#` are for a preprocessor.
    pub has_preprocessor: bool,
    /// Whether elements lie between a tag that opens and a tag that closes.
    pub has_tags: bool,
    /// What the parser sees of a long text: the same text with blanks in the place of what its grammar does not know.
    pub(crate) hidden: Option<Hide>,
}

impl Language {
    /// The tree of a text by brackets, lines and words alone, regardless of its language.
    pub fn parse_brackets(text: &[u8]) -> SyntaxTree {
        let is_coarse = text.len() > MAX_FINE_BYTES || brackets::depth(text) > MAX_FINE_DEPTH;
        let detail = if is_coarse { Detail::coarse(text) } else { Detail::FINE };
        brackets::parse(text, detail)
    }

    /// The syntax tree of a text; a tree of brackets and lines if the text is not understood.
    pub fn parse(&self, text: &[u8]) -> SyntaxTree {
        self.try_parse(text, &|| false).unwrap_or_else(|_| Self::parse_brackets(text))
    }

    /// The syntax tree of a text, unless it is not understood or `is_stopped` asks for an end. A very large or very
    /// deep text gets a coarse tree of brackets and lines.
    pub fn try_parse(
        &self,
        text: &[u8],
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<SyntaxTree, NotParsed> {
        let max_fine_bytes = match self.has_declarations {
            true => MAX_FINE_BYTES_WITH_DECLARATIONS,
            false => MAX_FINE_BYTES,
        };
        match self.syntax {
            _ if text.len() > max_fine_bytes || brackets::depth(text) > MAX_FINE_DEPTH => {
                Ok(brackets::parse(text, Detail::coarse(text)))
            }
            Syntax::TreeSitter(_) if self.has_tags && open_tags::are_too_many(text) => {
                Err(NotParsed::TooCostly)
            }
            Syntax::TreeSitter(grammar) => match self.hidden {
                // In a short text each part of an extension is worth an attempt.
                Some(hidden) if text.len() > MAX_UNHIDDEN_BYTES => {
                    grammar.parse(&hidden(text), is_stopped)
                }
                _ => grammar.parse(text, is_stopped),
            },
            Syntax::SExpressions => Ok(s_expressions::parse(text)),
            Syntax::Dimacs => Ok(dimacs::parse(text)),
            Syntax::LlvmIr => Ok(llvm_ir::parse(text)),
            Syntax::Brackets => Ok(brackets::parse(text, Detail::SECTIONS)),
        }
    }
}
