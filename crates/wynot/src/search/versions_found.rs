//! The result of a search in a row of versions.

use wynot_core::{Gap, Posterior};
use wynot_report::number::{count, grouped};
use wynot_session::judge::Rate;

/// The versions of a row between which the failure came.
#[derive(Clone, Debug, PartialEq)]
pub struct VersionsFound {
    /// The last good version.
    pub good: String,
    /// The first bad version.
    pub bad: String,
    /// The versions between them, which could not be tested or were not reached.
    pub untested: Vec<String>,
    /// The number of versions in the row.
    pub row: usize,
    /// Whether the search came to its end.
    pub complete: bool,
    /// How sure the answer is, if the test fails only sometimes.
    pub confidence: Option<RowConfidence>,
}

/// How sure an answer about a row of versions or commits is, and the runs that it rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct RowConfidence {
    /// The probability that the first bad version lies where the answer says.
    pub probability: f64,
    /// The number of runs.
    pub runs: u64,
    /// The runs of each version that was run, in the order of the row.
    pub versions: Vec<(String, Rate)>,
}

impl RowConfidence {
    /// The confidence of a posterior over versions with these names.
    pub(super) fn of(posterior: &Posterior, names: &[String]) -> Self {
        let counts = names.iter().zip(posterior.counts());
        let versions = counts.filter(|(_, counts)| counts.runs() > 0);
        let versions: Vec<(String, Rate)> = versions
            .map(|(name, counts)| (name.clone(), Rate { fails: counts.fails, runs: counts.runs() }))
            .collect();
        Self {
            probability: posterior.located().probability,
            runs: versions.iter().map(|(_, rate)| u64::from(rate.runs)).sum(),
            versions,
        }
    }

    /// The confidence of two bisections, of which the second continues the first.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.versions.extend(other.versions);
        let probability = self.probability * other.probability;
        Self { probability, runs: self.runs + other.runs, versions: self.versions }
    }

    /// The runs of each version, a line each.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.versions.iter().map(|(version, Rate { fails, runs })| {
            format!("{version}: fails in {fails} of {}", count(u64::from(*runs), "run"))
        })
    }

    /// The probability in words. It is never rounded up to certainty.
    pub fn in_words(&self) -> String {
        let percent = (self.probability * 10_000.0).floor().min(9_999.0) / 100.0;
        format!("{percent:.2} %")
    }
}

impl VersionsFound {
    /// The versions around a gap in a row.
    pub(super) fn between(names: &[String], gap: Gap, complete: bool) -> Self {
        Self {
            good: names[gap.passing].clone(),
            bad: names[gap.failing].clone(),
            untested: names[gap.passing + 1..gap.failing].to_vec(),
            row: names.len(),
            complete,
            confidence: None,
        }
    }

    /// The answer in a sentence without its end.
    pub fn headline(&self) -> String {
        let Self { good, bad, .. } = self;
        let row = grouped(self.row as u64);
        let confidence = match &self.confidence {
            Some(confidence) => format!(" with a confidence of {}", confidence.in_words()),
            None => String::new(),
        };
        // A search by single runs has a most probable answer at any time.
        let beginning = match (self.complete, &self.confidence) {
            (true, _) => "",
            (false, Some(_)) => "not decided yet: ",
            (false, None) => "left to search: ",
        };
        match self.untested.is_empty() {
            true => format!(
                "{beginning}{bad} is the first bad version of {row}, {good} the last good one{confidence}"
            ),
            false => format!(
                "{beginning}the failure came after {good} and not after {bad}, of {row} versions{confidence}"
            ),
        }
    }

    /// The details: versions without an outcome, and the runs of each version.
    pub fn details(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.untested.is_empty() {
            let reason = match self.complete || self.confidence.is_some() {
                true => "could not be tested",
                false => "not tested",
            };
            let number = count(self.untested.len() as u64, "version");
            lines.push(format!("{number} between them {reason}: {}", self.untested.join(", ")));
        }
        lines.extend(self.confidence.iter().flat_map(RowConfidence::lines));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wynot_core::Outcome;

    fn names() -> Vec<String> {
        (1..=5).map(|number| format!("v{number}")).collect()
    }

    #[test]
    fn an_answer_is_a_version_or_a_range() {
        let found = |passing, failing, complete| {
            VersionsFound::between(&names(), Gap { passing, failing }, complete)
        };
        let one = found(1, 2, true);
        assert_eq!(one.headline(), "v3 is the first bad version of 5, v2 the last good one");
        assert!(one.details().is_empty());
        let range = found(0, 3, true);
        assert_eq!(range.headline(), "the failure came after v1 and not after v4, of 5 versions");
        assert_eq!(range.details(), ["2 versions between them could not be tested: v2, v3"]);
        let open = found(0, 4, false);
        let left = "left to search: the failure came after v1 and not after v5, of 5 versions";
        assert_eq!(open.headline(), left);
        assert_eq!(open.details(), ["3 versions between them not tested: v2, v3, v4"]);
    }

    #[test]
    fn a_confidence_is_not_rounded_up() {
        let mut posterior = Posterior::new(5, 19, 20);
        for _ in 0..40 {
            posterior.add(2, Outcome::Pass);
            posterior.add(3, Outcome::Fail);
        }
        let confidence = RowConfidence::of(&posterior, &names());
        assert_eq!((confidence.runs, confidence.in_words()), (80, "99.99 %".to_owned()));
        assert_eq!(confidence.versions[0], ("v3".to_owned(), Rate { fails: 0, runs: 40 }));
        let gap = posterior.located().gap;
        let stopped = VersionsFound {
            confidence: Some(confidence),
            ..VersionsFound::between(&names(), gap, false)
        };
        let answer = "not decided yet: v4 is the first bad version of 5, v3 the last good one with \
                      a confidence of 99.99 %";
        assert_eq!(stopped.headline(), answer);
    }
}
