//! Nouns for deltas.

use wynot_subjects::Subject;

/// The noun for a delta of a subject, in words of people.
pub fn delta_noun(subject: &Subject) -> String {
    subject.level_names().last().map_or("part", |name| noun_of_level(name)).to_owned()
}

/// The noun for the deltas of a level.
pub fn noun_of_level(level: &str) -> &str {
    match level {
        // An environment variable, or an entry of a list such as PATH.
        "entry" => "setting",
        "char" => "character",
        "json" => "element",
        other => other,
    }
}
