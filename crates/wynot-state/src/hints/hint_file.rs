//! Hint files: which member of a union is in use, and how many values a pointer leads to, one hint a line.
//!
//! ```text
//! # Lua stores the kind of a value beside it. Numbers may be ranges; "else" is for all others.
//! struct TValue.value_ by tt_: 3 -> i, 19 -> n, 4..127 -> gc, else -> p
//!
//! # A union without a name is left out.
//! struct token by kind: 0 -> number, 1 -> text
//!
//! # A pointer, and how many values it leads to.
//! struct vec.data[len]
//!
//! # A union of which only one member is used.
//! union StackValue is val
//!
//! # Blocks that start with such a structure hold objects of other types.
//! struct chunk is pool
//! ```
//!
//! Types have the names that they have in the program; `struct` and `union` may be left out. The tag of a
//! union and the count of a pointer are numbers in the same structure: `len`, `header.kind`.

use std::ops::RangeInclusive;

/// The hints of a hint file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HintFile {
    /// The hints with the numbers of their lines.
    pub(super) hints: Vec<(usize, Hint)>,
}

/// A fact about a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hint {
    /// The name of the type.
    pub of: String,
    pub fact: HintFact,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum HintFact {
    /// A tag says which member of a union is in use.
    UnionByTag { union: String, tag: String, cases: Vec<TagCase> },
    /// A member says how many values a pointer leads to.
    CountedPointer { pointer: String, count: String },
    /// Only this member of the union is used; `pool` says of a structure that it starts a pool.
    OnlyMember(String),
}

/// Values of a tag, and the member that is in use for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TagCase {
    pub tags: TagValues,
    pub member: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TagValues {
    Range(RangeInclusive<i128>),
    Else,
}

/// A line of a hint file that cannot be read, or that does not fit the program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct HintError {
    /// The number of the line, counted from 1.
    pub line: usize,
    /// What is wrong with the line.
    pub problem: String,
}

impl HintFile {
    /// Parses the text of a hint file.
    ///
    /// ```
    /// use wynot_state::HintFile;
    ///
    /// assert!(HintFile::parse("struct vec.data[len]  # a comment").is_ok());
    /// let error = HintFile::parse("\nstruct vec.data[len").unwrap_err();
    /// assert_eq!(error.to_string(), "line 2: \"[\" without \"]\" in \"struct vec.data[len\"");
    /// ```
    pub fn parse(text: &str) -> Result<Self, HintError> {
        let mut hints = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.split_once('#').map_or(line, |(before, _)| before).trim();
            if !line.is_empty() {
                let number = index + 1;
                let hint =
                    parse_hint(line).map_err(|problem| HintError { line: number, problem })?;
                hints.push((number, hint));
            }
        }
        Ok(Self { hints })
    }
}

fn parse_hint(line: &str) -> Result<Hint, String> {
    if let Some((union, rest)) = line.split_once(" by ") {
        return parse_union_by_tag(union.trim(), rest.trim());
    }
    if let Some((of, member)) = line.split_once(" is ") {
        let fact = HintFact::OnlyMember(member_name(member)?);
        return Ok(Hint { of: type_name(of)?, fact });
    }
    if let Some((pointer, rest)) = line.split_once('[') {
        let Some(count) = rest.strip_suffix(']') else {
            return Err(format!("\"[\" without \"]\" in \"{line}\""));
        };
        let (of, pointer) = type_and_member(pointer)?;
        let fact = HintFact::CountedPointer { pointer, count: member_name(count)? };
        return Ok(Hint { of, fact });
    }
    let known = "TYPE.UNION by MEMBER: 1 -> MEMBER, ..., TYPE.POINTER[MEMBER], UNION is MEMBER or \
                 STRUCTURE is pool";
    Err(format!("\"{line}\" is not one of {known}"))
}

fn parse_union_by_tag(union: &str, rest: &str) -> Result<Hint, String> {
    let Some((tag, cases)) = rest.split_once(':') else {
        return Err(format!("no \":\" between \"{rest}\" and what its numbers stand for"));
    };
    let (of, union) = match union.rsplit_once('.') {
        Some(_) => type_and_member(union)?,
        None => (type_name(union)?, String::new()),
    };
    let cases = cases.split(',').map(parse_case).collect::<Result<_, _>>()?;
    Ok(Hint { of, fact: HintFact::UnionByTag { union, tag: member_name(tag)?, cases } })
}

fn parse_case(text: &str) -> Result<TagCase, String> {
    let Some((numbers, member)) = text.split_once("->") else {
        return Err(format!("no \"->\" in \"{}\"", text.trim()));
    };
    let (numbers, member) = (numbers.trim(), member_name(member)?);
    if numbers == "else" {
        return Ok(TagCase { tags: TagValues::Else, member });
    }
    let (first, last) = match numbers.split_once("..") {
        Some((first, last)) => (integer(first)?, integer(last)?),
        None => (integer(numbers)?, integer(numbers)?),
    };
    if first > last {
        return Err(format!("the range {first}..{last} is empty"));
    }
    Ok(TagCase { tags: TagValues::Range(first..=last), member })
}

fn integer(text: &str) -> Result<i128, String> {
    let text = text.trim();
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| format!("\"{text}\" is not a number"))
}

fn type_and_member(text: &str) -> Result<(String, String), String> {
    let Some((of, member)) = text.rsplit_once('.') else {
        return Err(format!("no \".\" between the type and its member in \"{text}\""));
    };
    Ok((type_name(of)?, member_name(member)?))
}

fn type_name(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() { Err("a type has no name".to_owned()) } else { Ok(text.to_owned()) }
}

fn member_name(text: &str) -> Result<String, String> {
    let text = text.trim();
    let is_part = |part: &str| {
        !part.is_empty() && part.chars().all(|unit| unit.is_alphanumeric() || unit == '_')
    };
    match text.split('.').all(is_part) {
        true => Ok(text.to_owned()),
        false => Err(format!("\"{text}\" is not a member name")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        HintFile::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn hints_are_lines() {
        let text = "# nothing\n\n struct TValue.value_ by tt_: 0x3 -> i, 4..127 -> gc , else->p # x\n\
                    struct vec.data[head.len]\nunion StackValue is val\nstruct t by k: -1 -> a";
        let HintFile { hints } = HintFile::parse(text).unwrap();
        let lines: Vec<_> = hints.iter().map(|(line, hint)| (*line, hint.of.as_str())).collect();
        let expected =
            [(3, "struct TValue"), (4, "struct vec"), (5, "union StackValue"), (6, "struct t")];
        assert_eq!(lines, expected);
        let HintFact::UnionByTag { union, tag, cases } = &hints[0].1.fact else { panic!() };
        assert_eq!((union.as_str(), tag.as_str()), ("value_", "tt_"));
        let tags: Vec<_> = cases.iter().map(|case| case.tags.clone()).collect();
        let expected = [TagValues::Range(3..=3), TagValues::Range(4..=127), TagValues::Else];
        assert_eq!(tags, expected);
    }

    #[test]
    fn errors_name_their_line() {
        assert_eq!(
            problem("\n\nstruct a.b by c"),
            "line 3: no \":\" between \"c\" and what its numbers stand for"
        );
        assert_eq!(problem("struct a.b by c: 1"), "line 1: no \"->\" in \"1\"");
        assert_eq!(problem("struct a.b by c: x -> y"), "line 1: \"x\" is not a number");
        assert_eq!(problem("struct a.b by c: 3..1 -> y"), "line 1: the range 3..1 is empty");
        assert_eq!(
            problem("vec[len]"),
            "line 1: no \".\" between the type and its member in \"vec\""
        );
        assert_eq!(problem("struct vec.data[]"), "line 1: \"\" is not a member name");
        assert!(problem("what").starts_with("line 1: \"what\" is not one of "));
    }
}
