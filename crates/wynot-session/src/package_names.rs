//! The names of packages in the messages of an installer that refuses a mixture of versions.

use regex::bytes::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Packages with a version (`flask==3.0.0`, `minimist@1.2.8`), and the two sides of a requirement.
static PACKAGE: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?:^|[\s'`(])(@?[A-Za-z0-9][\w./-]*)(?:==|@)v?\d+\.\d|([A-Za-z][\w./-]*)`?(?: v?\d[\w.+-]*)? (?:depends on|requires) `?([A-Za-z0-9][\w./-]*)|required by package `([\w-]+) v\d";
    Regex::new(pattern).expect("the pattern is valid")
});

/// A line of a file of requirements, as pip names it.
static REQUIREMENT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"([\w./+-]+) \(line (\d+)\)").expect("the pattern is valid"));

/// Adds the packages that a line names. Lines of requirements have the form `PATH:LINE`.
pub(crate) fn add_packages(line: &[u8], found: &mut BTreeSet<String>) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    for parts in PACKAGE.captures_iter(line) {
        found.extend(parts.iter().skip(1).flatten().map(|name| text(name.as_bytes())));
    }
    for parts in REQUIREMENT.captures_iter(line) {
        found.insert(format!("{}:{}", text(&parts[1]), text(&parts[2])));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn installers_name_the_packages_that_do_not_go_together() {
        for (line, names) in [
            (
                "ERROR: Cannot install -r requirements.txt (line 5) and Werkzeug==2.3.7 because",
                &["Werkzeug", "requirements.txt:5"][..],
            ),
            ("    flask 3.0.0 depends on Werkzeug>=3.0.0", &["Werkzeug", "flask"]),
            (
                "The package `flask` requires `werkzeug>=3.0.0`, but `2.3.7` is installed",
                &["flask", "werkzeug"],
            ),
            ("npm error Missing: minimist@1.2.8 from lock file", &["minimist"]),
            (
                "npm error Invalid: lock file's @types/node@1.0.0 does not satisfy @types/node@2.0.0",
                &["@types/node"],
            ),
            ("... required by package `serde_json v1.0.120`", &["serde_json"]),
            (
                "go: example.com/a@v1.2.0 requires example.com/b@v1.3.0",
                &["example.com/a", "example.com/b"],
            ),
            ("error: x>=3 is no statement", &[]),
        ] {
            let mut found = BTreeSet::new();
            add_packages(line.as_bytes(), &mut found);
            assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), names, "{line}");
        }
    }
}
