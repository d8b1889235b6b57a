//! The units in which texts are cut into deltas, and lists of units from coarse to fine.

use std::fmt;
use std::str::FromStr;

/// The unit of one delta in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// An element of a JSON array or a member of a JSON object.
    Json,
    /// A line with its line end.
    Line,
    /// A word, a number or a single punctuation character, with the blanks after it.
    Token,
    /// A character; where the text is not UTF-8, a byte.
    Char,
    /// A byte.
    Byte,
}

impl Unit {
    const ALL: [Self; 5] = [Self::Json, Self::Line, Self::Token, Self::Char, Self::Byte];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Line => "line",
            Self::Token => "token",
            Self::Char => "char",
            Self::Byte => "byte",
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One or more units from coarse to fine, such as `line,char`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Units(Vec<Unit>);

impl Units {
    /// A list of the given units, which must go from coarse to fine.
    pub fn new(units: Vec<Unit>) -> Result<Self, UnitsError> {
        if units.is_empty() {
            return Err(UnitsError::None);
        }
        if units.len() > 1 && units.contains(&Unit::Json) {
            return Err(UnitsError::Json);
        }
        match units.windows(2).find(|pair| pair[0] >= pair[1]) {
            Some(pair) => Err(UnitsError::Order { coarse: pair[1], fine: pair[0] }),
            None => Ok(Self(units)),
        }
    }

    /// The units in order.
    pub fn as_slice(&self) -> &[Unit] {
        &self.0
    }

    /// The last and finest unit.
    pub fn finest(&self) -> Unit {
        *self.0.last().expect("a list of units is not empty")
    }
}

impl FromStr for Units {
    type Err = UnitsError;

    fn from_str(text: &str) -> Result<Self, UnitsError> {
        let unit = |name: &str| {
            let found = Unit::ALL.into_iter().find(|unit| unit.name() == name.trim());
            found.ok_or_else(|| UnitsError::Unknown { name: name.to_owned() })
        };
        Self::new(text.split(',').map(unit).collect::<Result<_, _>>()?)
    }
}

impl fmt::Display for Units {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, unit) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}{unit}")?;
        }
        Ok(())
    }
}

/// Why a list of units is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnitsError {
    /// The list is empty.
    #[error("no unit given")]
    None,
    /// A name is not that of a unit.
    #[error(
        "there is no unit '{name}': use line, token, char, byte, json, or a list such as line,char"
    )]
    Unknown {
        /// The unknown name.
        name: String,
    },
    /// The unit json stands beside another unit.
    #[error("json cannot be in a list: it goes from outer to inner elements by itself")]
    Json,
    /// A coarse unit comes after a finer one, or a unit comes twice.
    #[error("units go from coarse to fine: '{coarse}' cannot come after '{fine}'")]
    Order {
        /// The coarse unit, which comes too late.
        coarse: Unit,
        /// The unit before it.
        fine: Unit,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_go_from_coarse_to_fine() {
        let units: Units = "line,token,char".parse().unwrap();
        assert_eq!(units.to_string(), "line,token,char");
        assert_eq!(units.finest(), Unit::Char);
        let message = |text: &str| text.parse::<Units>().unwrap_err().to_string();
        assert_eq!(
            message("char,line"),
            "units go from coarse to fine: 'line' cannot come after 'char'"
        );
        assert!(message("json,char").starts_with("json cannot be in a list"));
        assert!(message("word").starts_with("there is no unit 'word'"));
    }
}
