//! The name that was probably meant by one that does not exist.

use std::path::Path;

/// The name that is nearest to a misspelt one, if one is near enough.
pub(crate) fn similar_name<'n>(
    misspelt: &str,
    names: impl IntoIterator<Item = &'n str>,
) -> Option<&'n str> {
    // One letter in three may be wrong, but never more than two.
    let most = (misspelt.chars().count() / 3).clamp(1, 2);
    let near = names.into_iter().map(|name| (distance(misspelt, name), name));
    near.filter(|(distance, _)| (1..=most).contains(distance)).min().map(|(_, name)| name)
}

/// The path of a file beside a missing one whose name is similar.
pub(crate) fn similar_file(missing: &Path, here: &Path) -> Option<String> {
    let parent = missing.parent().unwrap_or(Path::new(""));
    let entries = std::fs::read_dir(here.join(parent)).ok()?;
    let names: Vec<String> =
        entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let name = similar_name(missing.file_name()?.to_str()?, names.iter().map(String::as_str))?;
    // `./x` stays what it is: in a command it is another word than `x`.
    Some(match missing.starts_with(".") && parent == Path::new(".") {
        true => format!("./{name}"),
        false => parent.join(name).display().to_string(),
    })
}

/// The number of letters to add, remove or exchange, where two neighbours that change places count once.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let exchanged = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = exchanged.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_a_slip_are_recognised() {
        let names = ["budget.sheet", "budget.min.sheet", "calc.pl"];
        assert_eq!(similar_name("budget.shet", names), Some("budget.sheet"));
        assert_eq!(similar_name("budget.sehet", names), Some("budget.sheet"));
        assert_eq!(similar_name("clac.pl", names), Some("calc.pl"));
        assert_eq!(similar_name("orders.json", names), None);
        assert_eq!(similar_name("v2", ["v1", "main"]), Some("v1"));
        // The name itself is no help.
        assert_eq!(similar_name("calc.pl", ["calc.pl"]), None);
    }
}
