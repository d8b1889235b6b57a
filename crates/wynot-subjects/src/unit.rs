//! The sizes of deltas, and lists of them from coarse to fine.

use std::fmt;
use std::str::FromStr;

/// What one delta covers in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// An element of an array or a member of an object.
    Json,
    /// A line with its line end.
    Line,
    /// A word, a number or a single sign, with the blanks behind it.
    Token,
    /// A character; where the text is not UTF-8, a byte.
    Char,
    /// A byte.
    Byte,
}

impl Unit {
    const ALL: [Self; 5] = [Self::Json, Self::Line, Self::Token, Self::Char, Self::Byte];

    /// Its name on the command line.
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
    /// The given units, which must go from coarse to fine.
    pub fn new(units: Vec<Unit>) -> Result<Self, BadUnits> {
        if units.is_empty() {
            return Err(BadUnits::None);
        }
        if units.len() > 1 && units.contains(&Unit::Json) {
            return Err(BadUnits::Json);
        }
        match units.windows(2).find(|pair| pair[0] >= pair[1]) {
            Some(pair) => Err(BadUnits::Order { coarse: pair[1], fine: pair[0] }),
            None => Ok(Self(units)),
        }
    }

    /// The units in order.
    pub fn as_slice(&self) -> &[Unit] {
        &self.0
    }

    /// The last and smallest.
    pub fn finest(&self) -> Unit {
        *self.0.last().expect("a list of units is not empty")
    }
}

impl FromStr for Units {
    type Err = BadUnits;

    fn from_str(text: &str) -> Result<Self, BadUnits> {
        let unit = |name: &str| {
            let found = Unit::ALL.into_iter().find(|unit| unit.name() == name.trim());
            found.ok_or_else(|| BadUnits::Unknown { name: name.to_owned() })
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

/// Why a list of units cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadUnits {
    /// No unit at all.
    #[error("no unit given")]
    None,
    /// A name that is no unit.
    #[error(
        "there is no unit '{name}': use line, token, char, byte, json, or a list such as line,char"
    )]
    Unknown {
        /// The name.
        name: String,
    },
    /// Json beside another unit.
    #[error("json cannot be in a list: it goes from outer to inner elements by itself")]
    Json,
    /// A coarse unit after a finer one, or the same twice.
    #[error("units go from coarse to fine: '{coarse}' cannot come after '{fine}'")]
    Order {
        /// The unit that comes too late.
        coarse: Unit,
        /// The one before it.
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
