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
    /// The number of tests on which the claim rests although they timed out. With more time, they might refute it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub timeouts: u64,
    /// What was left as it is on request, such as `names`: removals that would change it were not tried.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub apart_from: Box<[String]>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
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
        let extremum = Extremum::Minimal;
        (!atoms.is_empty()).then_some(Self {
            extremum,
            order: 1,
            atoms,
            timeouts: 0,
            apart_from: Box::default(),
        })
    }

    /// The same certificate, resting on this number of tests that timed out.
    #[must_use]
    pub fn resting_on(self, timeouts: u64) -> Self {
        Self { timeouts, ..self }
    }

    /// The same certificate, apart from what was left as it is on request.
    #[must_use]
    pub fn apart_from(self, exceptions: &[&str]) -> Self {
        let apart_from = exceptions.iter().map(|exception| (*exception).to_owned()).collect();
        Self { apart_from, ..self }
    }

    /// The claim without the tests on which it rests, such as `1-minimal (token, byte)`.
    pub fn claim(&self) -> String {
        let extremum = match self.extremum {
            Extremum::Minimal => "minimal",
            Extremum::Maximal => "maximal",
        };
        let exceptions = match &*self.apart_from {
            [] => String::new(),
            exceptions => format!(" apart from {}", exceptions.join(" and ")),
        };
        format!("{}-{extremum} ({}){exceptions}", self.order, self.atoms.join(", "))
    }

    /// The condition under which the claim holds, as the end of a sentence; empty if it holds in any case.
    pub fn condition(&self) -> String {
        match self.timeouts {
            0 => String::new(),
            1 => ", unless the test on which this rests although it timed out fails with more time"
                .to_owned(),
            number => format!(
                ", unless one of {number} tests on which this rests although they timed out fails with more time"
            ),
        }
    }

    /// Whether atoms of this kind were tried.
    pub fn covers(&self, atom: &str) -> bool {
        self.atoms.iter().any(|known| known == atom)
    }
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.claim(), self.condition())
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
        assert!(!line.contains("timeouts"), "{line}");
        assert_eq!(serde_json::from_str::<Certificate>(&line).unwrap(), certificate);
        assert_eq!(Certificate::one_minimal([]), None);
    }

    #[test]
    fn a_certificate_says_what_was_left_as_it_is() {
        let certificate = Certificate::one_minimal(["token"]).unwrap();
        let kept = certificate.clone().apart_from(&["what is kept", "names"]);
        assert_eq!(kept.to_string(), "1-minimal (token) apart from what is kept and names");
        let line = serde_json::to_string(&kept).unwrap();
        assert_eq!(serde_json::from_str::<Certificate>(&line).unwrap(), kept);
        assert_eq!(certificate.clone().apart_from(&[]), certificate);
    }

    #[test]
    fn a_certificate_that_rests_on_timeouts_says_so() {
        let certificate = Certificate::one_minimal(["byte"]).unwrap().resting_on(38);
        assert_eq!(
            certificate.to_string(),
            "1-minimal (byte), unless one of 38 tests on which this rests although they timed out fails with more time"
        );
        assert_eq!(certificate.claim(), "1-minimal (byte)");
        let line = serde_json::to_string(&certificate).unwrap();
        assert_eq!(serde_json::from_str::<Certificate>(&line).unwrap(), certificate);
    }
}
