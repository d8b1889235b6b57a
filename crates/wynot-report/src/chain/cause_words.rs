//! The causes of a chain in words.

use crate::text::shortened::{around_difference, ending};
use wynot_session::{ChainCause, ChainRecord};

/// The number of characters of a variable's name, and of a value, that a title shows.
const MAX_TITLE_CHARS: usize = 40;

/// The chain in a sentence.
pub(crate) fn chain_title(chain: &ChainRecord) -> String {
    match chain.steps.last().and_then(|step| step.causes.first()) {
        Some(cause) => {
            let name = ending(&spoken_name(cause), MAX_TITLE_CHARS);
            let value = around_difference(&cause.failing, &cause.passing, MAX_TITLE_CHARS);
            format!("It fails since {name} was {value}")
        }
        None => "No chain was found".to_owned(),
    }
}

/// A cause as the reason of what follows.
pub(crate) fn reason(cause: &ChainCause) -> String {
    format!("{} was {}", spoken_name(cause), cause.failing)
}

/// What differs, with its noun unless it is a variable, and its function.
fn spoken_name(cause: &ChainCause) -> String {
    let (noun, name, owner) = subject(cause);
    let noun = if noun.ends_with("variable ") { "" } else { &noun };
    format!("{noun}{name}{owner}")
}

/// What differs: what it is, its name, and whose it is.
pub(crate) fn subject(cause: &ChainCause) -> (String, &str, String) {
    let noun = if cause.noun.is_empty() { String::new() } else { format!("{} ", cause.noun) };
    let owner = cause.owner.as_ref().map(|owner| format!(" of {owner}")).unwrap_or_default();
    (noun, &cause.variable, owner)
}

/// The name in a drawing, where there is no place for more.
pub(crate) fn label(cause: &ChainCause) -> String {
    match cause.noun.rsplit(' ').next() {
        Some(noun @ ("register" | "descriptor" | "file")) => format!("{noun} {}", cause.variable),
        _ => cause.variable.clone(),
    }
}
