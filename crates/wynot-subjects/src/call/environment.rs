//! The environment of a command as deltas: variables, and the entries of values that are lists.

use crate::text::diff::diff_lists;
use crate::variant::Variant;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use wynot_core::{Configuration, Grouping};

/// The byte between the entries of a list such as PATH.
const LIST_SEPARATOR: u8 = b':';

/// The name and the value of a variable.
pub type Assignment = (Vec<u8>, Vec<u8>);

/// Two environments and the deltas between them.
#[derive(Debug)]
pub struct EnvironmentSubject {
    /// The variables that are the same in both, as `NAME=value`.
    common: Vec<Vec<u8>>,
    /// The variables that differ, sorted by name.
    variables: Vec<Variable>,
    levels: Vec<Grouping>,
}

/// A variable that differs between the two environments.
#[derive(Debug)]
struct Variable {
    name: Vec<u8>,
    old: Option<Vec<u8>>,
    new: Option<Vec<u8>>,
    /// If the new value is a list: the entries of the old list that are replaced by entries of the new one.
    changes: Vec<(Range<u32>, Range<u32>)>,
    /// The number of the first delta of this variable.
    first: u32,
}

/// A line that does not belong in a dump of an environment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not of the form NAME=value: dump an environment with env -0")]
pub struct EnvironmentError(String);

impl EnvironmentSubject {
    /// A subject whose deltas turn the old environment into the new one. If a variable is assigned more than
    /// once, its last value counts.
    pub fn between(
        old: impl IntoIterator<Item = Assignment>,
        new: impl IntoIterator<Item = Assignment>,
    ) -> Self {
        let old: BTreeMap<_, _> = old.into_iter().collect();
        let new: BTreeMap<_, _> = new.into_iter().collect();
        let mut common = Vec::new();
        let mut variables = Vec::new();
        let mut deltas = 0;
        let mut starts = Vec::new();
        let names: BTreeSet<&Vec<u8>> = old.keys().chain(new.keys()).collect();
        for name in names {
            let (was, is) = (old.get(name), new.get(name));
            if was == is {
                common.extend(was.map(|value| assignment(name, value)));
                continue;
            }
            let changes = match is.filter(|value| value.contains(&LIST_SEPARATOR)) {
                Some(value) => diff_lists(&entries(was), &entries(Some(value))),
                None => Vec::new(),
            };
            starts.push(deltas);
            let (old, new) = (was.cloned(), is.cloned());
            let variable = Variable { name: name.clone(), old, new, changes, first: deltas };
            deltas += variable.deltas();
            variables.push(variable);
        }
        let mut levels = vec![match starts.len() as u32 {
            same if same == deltas => Grouping::singles(deltas),
            _ => Grouping::new(starts, deltas),
        }];
        if levels[0].len() < deltas {
            levels.push(Grouping::singles(deltas));
        }
        Self { common, variables, levels }
    }

    /// The number of deltas: variables, or entries of variables that are lists.
    pub fn deltas(&self) -> u32 {
        self.variables.last().map_or(0, |last| last.first + last.deltas())
    }

    /// The levels: variables, then entries if there are any.
    pub fn levels(&self) -> &[Grouping] {
        &self.levels
    }

    /// The environment of a configuration.
    pub fn compose(&self, configuration: &Configuration) -> Variant {
        let mut all = self.common.clone();
        for variable in &self.variables {
            let is_chosen = |change: u32| configuration.contains(variable.first + change);
            all.extend(variable.value(is_chosen).map(|value| assignment(&variable.name, &value)));
        }
        all.sort();
        Variant::Environment(all)
    }

    /// A delta in words, for display.
    pub fn name(&self, delta: u32) -> String {
        let at = self.variables.partition_point(|variable| variable.first <= delta) - 1;
        let variable = &self.variables[at];
        let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let name = lossy(&variable.name);
        match (variable.changes.get((delta - variable.first) as usize), &variable.new) {
            (None, Some(value)) => format!("{name}={}", lossy(value)),
            (None, None) => format!("{name} unset"),
            (Some((old, new)), _) => {
                let list = |value: &Option<Vec<u8>>, range: &Range<u32>| {
                    lossy(&slice(&entries(value.as_ref()), range).join(&LIST_SEPARATOR))
                };
                let (removed, inserted) = (list(&variable.old, old), list(&variable.new, new));
                match (old.is_empty(), new.is_empty()) {
                    (true, _) => format!("{inserted} in {name}"),
                    (_, true) => format!("without {removed} in {name}"),
                    _ => format!("{inserted} instead of {removed} in {name}"),
                }
            }
        }
    }
}

/// Parses the output of `env -0`.
pub fn parse_environment(dump: &[u8]) -> Result<Vec<Assignment>, EnvironmentError> {
    let lines = dump.split(|&byte| byte == 0).filter(|line| !line.is_empty());
    lines
        .map(|line| match line.iter().position(|&byte| byte == b'=') {
            Some(at) if at > 0 => Ok((line[..at].to_vec(), line[at + 1..].to_vec())),
            _ => Err(EnvironmentError(String::from_utf8_lossy(line).chars().take(60).collect())),
        })
        .collect()
}

impl Variable {
    fn deltas(&self) -> u32 {
        self.changes.len().max(1) as u32
    }

    /// The value after the changes that `is_chosen` accepts.
    fn value(&self, is_chosen: impl Fn(u32) -> bool) -> Option<Vec<u8>> {
        let count = (0..self.deltas()).filter(|change| is_chosen(*change)).count() as u32;
        if count == 0 {
            return self.old.clone();
        }
        if count == self.deltas() {
            return self.new.clone();
        }
        let (old, new) = (entries(self.old.as_ref()), entries(self.new.as_ref()));
        let mut value = Vec::new();
        let mut copied = 0;
        for (index, (removed, inserted)) in self.changes.iter().enumerate() {
            if is_chosen(index as u32) {
                value.extend_from_slice(&old[copied..removed.start as usize]);
                value.extend_from_slice(slice(&new, inserted));
                copied = removed.end as usize;
            }
        }
        value.extend_from_slice(&old[copied..]);
        Some(value.join(&LIST_SEPARATOR))
    }
}

fn assignment(name: &[u8], value: &[u8]) -> Vec<u8> {
    [name, b"=", value].concat()
}

/// The entries of a list; no entries if the variable is not set.
fn entries(value: Option<&Vec<u8>>) -> Vec<Vec<u8>> {
    let split =
        |value: &Vec<u8>| value.split(|&byte| byte == LIST_SEPARATOR).map(<[u8]>::to_vec).collect();
    value.map(split).unwrap_or_default()
}

fn slice<'a>(list: &'a [Vec<u8>], range: &Range<u32>) -> &'a [Vec<u8>] {
    &list[range.start as usize..range.end as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(text: &str) -> Vec<Assignment> {
        parse_environment(text.replace(' ', "\0").as_bytes()).unwrap()
    }

    fn compose(environment: &EnvironmentSubject, deltas: &[u32]) -> String {
        match environment.compose(&Configuration::from_deltas(deltas.iter().copied())) {
            Variant::Environment(list) => String::from_utf8(list.join(&b' ')).unwrap(),
            other => panic!("{other:?} is not an environment"),
        }
    }

    #[test]
    fn variables_come_first_then_entries_diff_lists() {
        let (old, new) = ("HOME=/h PATH=/bin:/usr/bin X=1", "HOME=/h PATH=/a:/bin:/b:/c Y=2");
        let all = EnvironmentSubject::between(environment(old), environment(new));
        assert_eq!(all.levels()[0].len(), 3, "PATH, X and Y");
        assert_eq!(all.deltas(), 5, "three changes of PATH");
        assert_eq!(compose(&all, &[]), old);
        assert_eq!(compose(&all, &[0, 1, 2, 3, 4]), new);
        assert_eq!(compose(&all, &[0, 4]), "HOME=/h PATH=/a:/bin:/usr/bin X=1 Y=2");
        assert_eq!(compose(&all, &[3]), "HOME=/h PATH=/bin:/usr/bin");
        let names: Vec<String> = (0..5).map(|delta| all.name(delta)).collect();
        let expected =
            ["/a in PATH", "/b instead of /usr/bin in PATH", "/c in PATH", "X unset", "Y=2"];
        assert_eq!(names, expected);
    }

    #[test]
    fn part_of_a_new_list_can_be_set() {
        let all = EnvironmentSubject::between(Vec::new(), environment("L=a:b:c"));
        assert_eq!(all.deltas(), 3);
        assert_eq!(compose(&all, &[]), "");
        assert_eq!(compose(&all, &[1]), "L=b");
    }

    #[test]
    fn errors_name_the_line() {
        let error = parse_environment(b"A=1\0nonsense").unwrap_err();
        assert!(error.to_string().starts_with("'nonsense' is not of the form NAME=value"));
    }
}
