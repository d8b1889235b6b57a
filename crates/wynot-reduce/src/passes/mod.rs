//! The passes of the default reducer, one file each, named as the pass is named in reports.
//!
//! A file has a function of the pass's name that looks for proposals in a parsed text and returns something
//! that implements [`Pass`](crate::pass::Pass). Most return [`OneByOne`](crate::pass::one_by_one::OneByOne)
//! or [`ByHalves`](crate::pass::by_halves::ByHalves); passes that decide by what was accepted have a type of
//! their own. A new pass needs a file here and a line in `pass_order`.

mod blank_lines;
mod blanks;
mod block_merging;
mod bodies;
mod byte_windows;
mod chunks;
mod comments;
mod definitions;
mod equal_words;
mod everywhere;
mod exchange;
mod flattening;
mod inlining;
mod literals;
mod merging;
mod methods;
mod modifiers;
mod moving;
mod names;
mod naming;
mod normal_names;
mod normal_order;
mod opening;
mod optional;
mod orphans;
mod outside;
mod parts;
mod payloads;
mod positions;
mod reachable;
mod recasting;
mod redirecting;
mod repeats;
mod returns;
mod rewriting;
mod singles;
mod substitution;
mod syntax;
mod tags;
mod trimming;
mod trivial;
mod unwrapping;
mod wildcards;
mod windows;
mod word_pairs;

pub use blank_lines::blank_lines;
pub use blanks::blanks;
pub use block_merging::block_merging;
pub use bodies::bodies_by_depth;
pub use byte_windows::byte_windows;
pub use chunks::chunks;
pub use comments::{comments, line_markers};
pub use definitions::definitions;
pub use equal_words::equal_words;
pub use everywhere::everywhere;
pub use exchange::exchange;
pub use flattening::flattening;
pub use inlining::inlining;
pub use literals::literals;
pub use merging::merging;
pub use methods::methods;
pub use modifiers::modifiers;
pub use moving::moving;
pub use names::names;
pub use naming::naming;
pub use normal_names::normal_names;
pub use normal_order::normal_order;
pub use opening::opening;
pub use optional::optional;
pub use orphans::orphans;
pub use outside::outside;
pub use parts::parts;
pub use payloads::payloads;
pub use positions::positions;
pub use reachable::reachable;
pub use recasting::recasting;
pub use redirecting::redirecting;
pub use repeats::repeats;
pub use returns::returns;
pub use rewriting::rewriting;
pub use singles::{single_bytes, single_tokens};
pub use substitution::substitution;
pub use syntax::{Effort, syntax};
pub use tags::tags;
pub use trimming::trimming;
pub use trivial::trivial;
pub use unwrapping::unwrapping;
pub use wildcards::wildcards;
pub use windows::windows;
pub use word_pairs::word_pairs;

/// What the tests of passes share.
#[cfg(test)]
mod tests {
    use crate::hooks::NoHooks;
    use crate::pass::Pass;
    use crate::text::parsed_text::ParsedText;
    use wynot_subjects::Language;

    /// A text in the language of that name.
    pub fn parse(language: &str, text: &str) -> ParsedText {
        ParsedText::new(text.as_bytes().to_vec(), Language::named(language).unwrap(), &NoHooks)
    }

    /// The texts that a pass proposes if none of them is accepted.
    pub fn proposals(mut pass: impl Pass, parsed: &ParsedText) -> Vec<String> {
        let proposed = std::iter::from_fn(|| pass.propose(parsed));
        proposed.map(|edits| String::from_utf8(parsed.with_edits(&edits).text()).unwrap()).collect()
    }
}
