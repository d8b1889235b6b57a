//! The passes of the rounds that make a text small and plain, and their order.

use crate::alterations::Alterations;
use crate::pass::one_by_one::OneByOne;
use crate::pass::run_pass::PassResult;
use crate::pass::{AnyPass, Pass};
use crate::passes::{
    Effort, blank_lines, blanks, block_merging, definitions, equal_words, everywhere, exchange,
    flattening, inlining, literals, merging, methods, moving, names, optional, orphans, positions,
    recasting, redirecting, returns, substitution, syntax, tags, unwrapping, wildcards, windows,
    word_pairs,
};
use crate::text::parsed_text::ParsedText;

/// The passes of one round, before anything is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinePass {
    Blanks,
    Names,
    Positions,
    BlockMerging,
    Merging,
    Substitution,
    Inlining,
    Methods,
    Moving,
    Exchange,
    Recasting,
    Returns,
    Flattening,
    Unwrapping,
    Tags,
    WordPairs,
    Optional,
    Literals,
    Windows,
    Syntax,
    Orphans,
    Definitions,
    Everywhere,
    Wildcards,
    EqualWords,
    Redirecting,
}

/// The order of the passes of one round. Moving and exchange run again while one of them gains.
pub const FINE_PASSES: [FinePass; 26] = [
    FinePass::Blanks,
    FinePass::Names,
    FinePass::Positions,
    FinePass::BlockMerging,
    FinePass::Merging,
    FinePass::Substitution,
    FinePass::Inlining,
    FinePass::Methods,
    FinePass::Moving,
    FinePass::Exchange,
    FinePass::Recasting,
    FinePass::Returns,
    FinePass::Flattening,
    FinePass::Unwrapping,
    FinePass::Tags,
    FinePass::WordPairs,
    FinePass::Optional,
    FinePass::Literals,
    FinePass::Windows,
    FinePass::Syntax,
    FinePass::Orphans,
    FinePass::Definitions,
    FinePass::Everywhere,
    FinePass::Wildcards,
    FinePass::EqualWords,
    FinePass::Redirecting,
];

/// The passes that read programs by tokens, brackets and expressions. Where a text is a list of instructions and each edit is
/// completed by what follows from it, they gain nothing.
const PASSES_OVER_EXPRESSIONS: [FinePass; 6] = [
    FinePass::Merging,
    FinePass::Substitution,
    FinePass::Moving,
    FinePass::Exchange,
    FinePass::Unwrapping,
    FinePass::Windows,
];

impl FinePass {
    /// The pass over a text; an empty one if it gains nothing there or is not permitted.
    pub fn pass<'h>(self, parsed: &ParsedText, permitted: Alterations) -> Box<dyn AnyPass + 'h> {
        let is_completed = parsed.language.missing_value.is_some();
        if is_completed && PASSES_OVER_EXPRESSIONS.contains(&self) {
            return boxed(OneByOne::empty("skipped"));
        }
        match self {
            Self::Blanks if !permitted.layout => boxed(blank_lines(parsed)),
            Self::Names | Self::EqualWords | Self::Redirecting if !permitted.names => {
                boxed(OneByOne::empty("names"))
            }
            Self::Literals if !permitted.literals => boxed(OneByOne::empty("literals")),
            Self::Blanks => boxed(blanks(parsed)),
            Self::Names => boxed(names(parsed)),
            Self::Positions => boxed(positions(parsed)),
            Self::BlockMerging => boxed(block_merging(parsed)),
            Self::Merging => boxed(merging(parsed)),
            Self::Substitution => boxed(substitution(parsed)),
            Self::Inlining => boxed(inlining(parsed)),
            Self::Methods => boxed(methods(parsed)),
            Self::Moving => boxed(moving(parsed)),
            Self::Exchange => boxed(exchange(parsed)),
            Self::Recasting => boxed(recasting(parsed)),
            Self::Returns => boxed(returns(parsed)),
            Self::Flattening => boxed(flattening(parsed)),
            Self::Unwrapping => boxed(unwrapping(parsed)),
            Self::Tags => boxed(tags(parsed)),
            Self::WordPairs => boxed(word_pairs(parsed)),
            Self::Optional => boxed(optional(parsed)),
            Self::Literals => boxed(literals(parsed)),
            Self::Windows => boxed(windows(parsed)),
            Self::Syntax => boxed(syntax(parsed, Effort::Thorough)),
            Self::Orphans => boxed(orphans(parsed, true)),
            Self::Definitions => boxed(definitions(parsed)),
            Self::Everywhere => boxed(everywhere(parsed)),
            Self::Wildcards => boxed(wildcards(parsed)),
            Self::EqualWords => boxed(equal_words(parsed)),
            Self::Redirecting => boxed(redirecting(parsed)),
        }
    }
}

/// A pass as one of many.
pub fn boxed<'h>(pass: impl Pass + 'h) -> Box<dyn AnyPass + 'h> {
    Box::new(pass)
}

/// The index of the pass after a pass of a round; `None` at the end of the round.
pub fn next_fine_pass(index: usize, result: PassResult) -> Option<usize> {
    let moving = FINE_PASSES.iter().position(|pass| *pass == FinePass::Moving);
    match FINE_PASSES[index] {
        FinePass::Moving | FinePass::Exchange if result.gained => moving,
        _ => Some(index + 1).filter(|next| *next < FINE_PASSES.len()),
    }
}
