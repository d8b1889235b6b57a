//! Certificates: what is proved about a result, as data.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A claim that tests have proved: no set of up to `order` of these atoms can be removed (or, for a maximal passing
/// side, added).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Certificate {
    /// Whether the result is minimal or maximal.
    pub extremum: Extremum,
    /// The largest number of atoms that were removed (or added) together.
    pub order: u8,
    /// The kinds of atoms that were tried, such as `token` and `byte`.
    pub atoms: Vec<String>,
}

/// The two directions in which a result can be extremal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Extremum {
    /// No atom can be removed.
    Minimal,
    /// No atom can be added.
    Maximal,
}

impl Certificate {
    /// Certifies 1-minimality in the given kinds of atoms; `None` without any.
    pub fn one_minimal<'a>(atoms: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let atoms: Vec<String> = atoms.into_iter().map(ToOwned::to_owned).collect();
        (!atoms.is_empty()).then_some(Self { extremum: Extremum::Minimal, order: 1, atoms })
    }

    /// Whether atoms of this kind were tried.
    pub fn covers(&self, atom: &str) -> bool {
        self.atoms.iter().any(|known| known == atom)
    }
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let extremum = match self.extremum {
            Extremum::Minimal => "minimal",
            Extremum::Maximal => "maximal",
        };
        write!(f, "{}-{extremum} ({})", self.order, self.atoms.join(", "))
    }
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EndStatus {
    /// Everything was tried, and the result was tested once more.
    Minimal,
    /// A limit or an interruption ended the search early.
    Stopped,
    /// The test contradicted itself about the result.
    Indeterminate,
}

impl EndStatus {
    /// The name of the status in JSON output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Stopped => "stopped",
            Self::Indeterminate => "indeterminate",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_reads_as_in_the_paper_and_survives_the_journal() {
        let certificate = Certificate::one_minimal(["token", "byte"]).unwrap();
        assert_eq!(certificate.to_string(), "1-minimal (token, byte)");
        assert!(certificate.covers("byte") && !certificate.covers("file"));
        let line = serde_json::to_string(&certificate).unwrap();
        assert_eq!(serde_json::from_str::<Certificate>(&line).unwrap(), certificate);
        assert_eq!(Certificate::one_minimal([]), None);
    }
}
