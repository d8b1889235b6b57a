//! What compilers do not write down, and programmers know: which member of a union is in use, and how many
//! values a pointer leads to. People write it into a file, a line each.
//!
//! ```text
//! # Lua keeps the kind of a value beside it. Numbers may be ranges; "else" is what is left.
//! struct TValue.value_ by tt_: 3 -> i, 19 -> n, 4..127 -> gc, else -> p
//!
//! # Unions without a name have none here either.
//! struct token by kind: 0 -> number, 1 -> text
//!
//! # A pointer, and how many values it leads to.
//! struct vec.data[len]
//!
//! # A union of which only one member matters.
//! union StackValue is val
//! ```
//!
//! Types are named as in the program; `struct` and `union` may be left out. What says which member is in
//! use, or how many values there are, is a number in the same structure: `len`, `header.kind`.

mod rules;

pub use rules::Rules;

use std::ops::RangeInclusive;

/// What a person has written about a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HintFile {
    hints: Vec<(usize, Hint)>,
}

/// Something about a type.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hint {
    of: String,
    says: Says,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Says {
    /// Which member of a union is in use.
    By { union: String, tag: String, cases: Vec<Case> },
    /// How many values a pointer leads to.
    Counted { pointer: String, count: String },
    /// The only member that matters.
    Is(String),
}

/// Numbers, and the member that is in use if one of them is there.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Case {
    numbers: Numbers,
    member: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Numbers {
    These(RangeInclusive<i128>),
    Others,
}

/// A line of a hint file that says nothing, or nothing that fits the program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct HintError {
    /// From 1 on.
    pub line: usize,
    /// What is wrong with it.
    pub problem: String,
}

impl HintFile {
    /// Reads what is written in a hint file.
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
                let hint = hint(line).map_err(|problem| HintError { line: number, problem })?;
                hints.push((number, hint));
            }
        }
        Ok(Self { hints })
    }
}

fn hint(line: &str) -> Result<Hint, String> {
    if let Some((union, rest)) = line.split_once(" by ") {
        return by(union.trim(), rest.trim());
    }
    if let Some((of, member)) = line.split_once(" is ") {
        let says = Says::Is(name(member)?);
        return Ok(Hint { of: type_name(of)?, says });
    }
    if let Some((pointer, rest)) = line.split_once('[') {
        let Some(count) = rest.strip_suffix(']') else {
            return Err(format!("\"[\" without \"]\" in \"{line}\""));
        };
        let (of, pointer) = member_of(pointer)?;
        return Ok(Hint { of, says: Says::Counted { pointer, count: name(count)? } });
    }
    let known = "TYPE.UNION by MEMBER: 1 -> MEMBER, ..., TYPE.POINTER[MEMBER] or UNION is MEMBER";
    Err(format!("\"{line}\" is none of {known}"))
}

fn by(union: &str, rest: &str) -> Result<Hint, String> {
    let Some((tag, cases)) = rest.split_once(':') else {
        return Err(format!("no \":\" between \"{rest}\" and what its numbers stand for"));
    };
    let (of, union) = match union.rsplit_once('.') {
        Some(_) => member_of(union)?,
        None => (type_name(union)?, String::new()),
    };
    let cases = cases.split(',').map(case).collect::<Result<_, _>>()?;
    Ok(Hint { of, says: Says::By { union, tag: name(tag)?, cases } })
}

fn case(text: &str) -> Result<Case, String> {
    let Some((numbers, member)) = text.split_once("->") else {
        return Err(format!("no \"->\" in \"{}\"", text.trim()));
    };
    let (numbers, member) = (numbers.trim(), name(member)?);
    if numbers == "else" {
        return Ok(Case { numbers: Numbers::Others, member });
    }
    let (first, last) = match numbers.split_once("..") {
        Some((first, last)) => (integer(first)?, integer(last)?),
        None => (integer(numbers)?, integer(numbers)?),
    };
    if first > last {
        return Err(format!("there is nothing from {first} to {last}"));
    }
    Ok(Case { numbers: Numbers::These(first..=last), member })
}

fn integer(text: &str) -> Result<i128, String> {
    let text = text.trim();
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| format!("\"{text}\" is no number"))
}

fn member_of(text: &str) -> Result<(String, String), String> {
    let Some((of, member)) = text.rsplit_once('.') else {
        return Err(format!("no \".\" between the type and its member in \"{text}\""));
    };
    Ok((type_name(of)?, name(member)?))
}

fn type_name(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() { Err("a type has no name".to_owned()) } else { Ok(text.to_owned()) }
}

fn name(text: &str) -> Result<String, String> {
    let text = text.trim();
    let is_part = |part: &str| {
        !part.is_empty() && part.chars().all(|unit| unit.is_alphanumeric() || unit == '_')
    };
    match text.split('.').all(is_part) {
        true => Ok(text.to_owned()),
        false => Err(format!("\"{text}\" is no name of a member")),
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
        let Says::By { union, tag, cases } = &hints[0].1.says else { panic!() };
        assert_eq!((union.as_str(), tag.as_str()), ("value_", "tt_"));
        let numbers: Vec<_> = cases.iter().map(|case| case.numbers.clone()).collect();
        let expected = [Numbers::These(3..=3), Numbers::These(4..=127), Numbers::Others];
        assert_eq!(numbers, expected);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        assert_eq!(
            problem("\n\nstruct a.b by c"),
            "line 3: no \":\" between \"c\" and what its numbers stand for"
        );
        assert_eq!(problem("struct a.b by c: 1"), "line 1: no \"->\" in \"1\"");
        assert_eq!(problem("struct a.b by c: x -> y"), "line 1: \"x\" is no number");
        assert_eq!(problem("struct a.b by c: 3..1 -> y"), "line 1: there is nothing from 3 to 1");
        assert_eq!(
            problem("vec[len]"),
            "line 1: no \".\" between the type and its member in \"vec\""
        );
        assert_eq!(problem("struct vec.data[]"), "line 1: \"\" is no name of a member");
        assert!(problem("what").starts_with("line 1: \"what\" is none of "));
    }
}
