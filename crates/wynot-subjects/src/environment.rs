//! Environments as deltas: variables, and the entries of values that are lists.

use crate::Artefact;
use crate::difference::of_lists;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use wynot_core::{Configuration, Grouping};

/// What separates the entries of a list such as PATH.
const SEPARATOR: u8 = b':';

/// A name and a value.
pub type Assignment = (Vec<u8>, Vec<u8>);

/// Two environments and the deltas between them.
#[derive(Debug)]
pub struct Environment {
    /// What is the same in both.
    common: Vec<Vec<u8>>,
    /// What differs, one variable after the other.
    variables: Vec<Variable>,
    levels: Vec<Grouping>,
}

/// A variable that differs.
#[derive(Debug)]
struct Variable {
    name: Vec<u8>,
    old: Option<Vec<u8>>,
    new: Option<Vec<u8>>,
    /// Where the new value is a list: entries of the old one that give way to entries of the new one.
    changes: Vec<(Range<u32>, Range<u32>)>,
    /// The number of its first delta.
    first: u32,
}

/// A dump that is no environment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no NAME=value: an environment is dumped with env -0")]
pub struct BadEnvironment(String);

impl Environment {
    /// The differences between two environments. What one variable holds last counts.
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
            let changes = match is.filter(|value| value.contains(&SEPARATOR)) {
                Some(value) => of_lists(&entries(was), &entries(Some(value))),
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

    /// Reads what `env -0` writes.
    pub fn parse(dump: &[u8]) -> Result<Vec<Assignment>, BadEnvironment> {
        let lines = dump.split(|&byte| byte == 0).filter(|line| !line.is_empty());
        lines
            .map(|line| match line.iter().position(|&byte| byte == b'=') {
                Some(at) if at > 0 => Ok((line[..at].to_vec(), line[at + 1..].to_vec())),
                _ => Err(BadEnvironment(String::from_utf8_lossy(line).chars().take(60).collect())),
            })
            .collect()
    }

    /// How many deltas there are: variables, or entries of those that are lists.
    pub fn deltas(&self) -> u32 {
        self.variables.last().map_or(0, |last| last.first + last.deltas())
    }

    /// Variables; then entries, where there are any.
    pub fn levels(&self) -> &[Grouping] {
        &self.levels
    }

    /// The environment of a configuration.
    pub fn compose(&self, configuration: &Configuration) -> Artefact {
        let mut all = self.common.clone();
        for variable in &self.variables {
            let chosen = |change: u32| configuration.contains(variable.first + change);
            all.extend(variable.value(chosen).map(|value| assignment(&variable.name, &value)));
        }
        all.sort();
        Artefact::Environment(all)
    }

    /// A delta in words.
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
                    lossy(&slice(&entries(value.as_ref()), range).join(&SEPARATOR))
                };
                let (gone, come) = (list(&variable.old, old), list(&variable.new, new));
                match (old.is_empty(), new.is_empty()) {
                    (true, _) => format!("{come} in {name}"),
                    (_, true) => format!("without {gone} in {name}"),
                    _ => format!("{come} instead of {gone} in {name}"),
                }
            }
        }
    }
}

impl Variable {
    fn deltas(&self) -> u32 {
        self.changes.len().max(1) as u32
    }

    /// Its value when some of its changes are made.
    fn value(&self, chosen: impl Fn(u32) -> bool) -> Option<Vec<u8>> {
        let count = (0..self.deltas()).filter(|change| chosen(*change)).count() as u32;
        if count == 0 {
            return self.old.clone();
        }
        if count == self.deltas() {
            return self.new.clone();
        }
        let (old, new) = (entries(self.old.as_ref()), entries(self.new.as_ref()));
        let mut value = Vec::new();
        let mut copied = 0;
        for (index, (gone, come)) in self.changes.iter().enumerate() {
            if chosen(index as u32) {
                value.extend_from_slice(&old[copied..gone.start as usize]);
                value.extend_from_slice(slice(&new, come));
                copied = gone.end as usize;
            }
        }
        value.extend_from_slice(&old[copied..]);
        Some(value.join(&SEPARATOR))
    }
}

fn assignment(name: &[u8], value: &[u8]) -> Vec<u8> {
    [name, b"=", value].concat()
}

/// The entries of a list; none of a variable that is not there.
fn entries(value: Option<&Vec<u8>>) -> Vec<Vec<u8>> {
    let split =
        |value: &Vec<u8>| value.split(|&byte| byte == SEPARATOR).map(<[u8]>::to_vec).collect();
    value.map(split).unwrap_or_default()
}

fn slice<'a>(list: &'a [Vec<u8>], range: &Range<u32>) -> &'a [Vec<u8>] {
    &list[range.start as usize..range.end as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(text: &str) -> Vec<Assignment> {
        Environment::parse(text.replace(' ', "\0").as_bytes()).unwrap()
    }

    fn composed(environment: &Environment, deltas: &[u32]) -> String {
        match environment.compose(&Configuration::from_deltas(deltas.iter().copied())) {
            Artefact::Environment(list) => String::from_utf8(list.join(&b' ')).unwrap(),
            other => panic!("{other:?} is no environment"),
        }
    }

    #[test]
    fn variables_come_first_then_entries_of_lists() {
        let (old, new) = ("HOME=/h PATH=/bin:/usr/bin X=1", "HOME=/h PATH=/a:/bin:/b:/c Y=2");
        let all = Environment::between(environment(old), environment(new));
        assert_eq!(all.levels()[0].len(), 3, "PATH, X and Y");
        assert_eq!(all.deltas(), 5, "three changes of PATH");
        assert_eq!(composed(&all, &[]), old);
        assert_eq!(composed(&all, &[0, 1, 2, 3, 4]), new);
        assert_eq!(composed(&all, &[0, 4]), "HOME=/h PATH=/a:/bin:/usr/bin X=1 Y=2");
        assert_eq!(composed(&all, &[3]), "HOME=/h PATH=/bin:/usr/bin");
        let names: Vec<String> = (0..5).map(|delta| all.name(delta)).collect();
        let expected =
            ["/a in PATH", "/b instead of /usr/bin in PATH", "/c in PATH", "X unset", "Y=2"];
        assert_eq!(names, expected);
    }

    #[test]
    fn a_new_list_may_come_in_part() {
        let all = Environment::between(Vec::new(), environment("L=a:b:c"));
        assert_eq!(all.deltas(), 3);
        assert_eq!(composed(&all, &[]), "");
        assert_eq!(composed(&all, &[1]), "L=b");
    }

    #[test]
    fn what_is_no_dump_is_named() {
        let error = Environment::parse(b"A=1\0nonsense").unwrap_err();
        assert!(error.to_string().starts_with("'nonsense' is no NAME=value"));
    }
}
