//! Tokens by which programs and people show what they may do.
//!
//! A token is 160 random bits. The database has only its hash, so that a copy of the database opens nothing; with that many
//! random bits, a plain hash cannot be reversed by trying.

use super::job::random_bytes;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;

/// What a request may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Right {
    /// See jobs and their files.
    Read,
    /// Submit jobs in environments, cancel and retry them, and give feedback.
    Submit,
    /// Submit jobs with commands of their own.
    Commands,
    /// Make environments and see metrics.
    Administer,
}

impl Right {
    /// All rights.
    pub const ALL: [Self; 4] = [Self::Read, Self::Submit, Self::Commands, Self::Administer];

    /// The name of the right.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Submit => "submit",
            Self::Commands => "commands",
            Self::Administer => "administer",
        }
    }

    /// The right of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|right| right.name() == name)
    }
}

/// A set of rights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct AccessRights(u8);

impl AccessRights {
    /// All rights.
    pub fn all() -> Self {
        Right::ALL.into_iter().collect()
    }

    /// Whether a right is among them.
    pub fn has(self, right: Right) -> bool {
        self.0 & (1 << right as u8) != 0
    }

    /// The rights of a list of names, separated by commas.
    pub fn parse(names: &str) -> Result<Self, String> {
        let right = |name: &str| Right::of_name(name.trim()).ok_or_else(|| name.trim().to_owned());
        names.split(',').map(right).collect()
    }
}

impl FromIterator<Right> for AccessRights {
    fn from_iter<I: IntoIterator<Item = Right>>(rights: I) -> Self {
        Self(rights.into_iter().fold(0, |all, right| all | 1 << right as u8))
    }
}

impl fmt::Display for AccessRights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> =
            Right::ALL.into_iter().filter(|right| self.has(*right)).map(Right::name).collect();
        f.write_str(&names.join(","))
    }
}

/// A token as the database has it.
#[derive(Clone, Debug)]
pub struct TokenRow {
    /// Its name.
    pub name: String,
    /// What it allows.
    pub rights: AccessRights,
    /// When it was made.
    pub created: i64,
    /// When it was used last, to the hour.
    pub last_used: Option<i64>,
}

/// A new token, as it is shown once.
pub fn new_token() -> String {
    let hex = random_bytes::<20>().map(|byte| format!("{byte:02x}")).concat();
    format!("wynot_{hex}")
}

/// The hash by which the database knows a token.
pub fn token_hash(token: &str) -> String {
    Sha256::digest(token.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rights_are_sets_with_names() {
        let rights = AccessRights::parse("read, submit").unwrap();
        assert!(rights.has(Right::Read) && rights.has(Right::Submit));
        assert!(!rights.has(Right::Commands) && !rights.has(Right::Administer));
        assert_eq!(rights.to_string(), "read,submit");
        assert_eq!(AccessRights::parse("read,root"), Err("root".to_owned()));
        assert_eq!(AccessRights::all().to_string(), "read,submit,commands,administer");
    }

    #[test]
    fn tokens_differ_and_hashes_do_not_show_them() {
        let token = new_token();
        assert_ne!(token, new_token());
        assert_eq!(token.len(), 46);
        assert!(!token_hash(&token).contains(&token[6..12]));
    }
}
