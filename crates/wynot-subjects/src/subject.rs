//! The subject of a search: what varies, with its two sides and the deltas between them.

use crate::call::environment::EnvironmentSubject;
use crate::call::options::OptionsSubject;
use crate::call::version_row::VersionRow;
use crate::folder::diff::FolderSubject;
use crate::lock::upgrade::UpgradeSubject;
use crate::text::TextSubject;
use crate::variant::Variant;
use std::sync::Arc;
use wynot_core::{Configuration, Grouping};

/// What varies. Every configuration composes to a variant: no deltas give the passing side, all of them
/// the failing side.
#[derive(Debug)]
pub enum Subject {
    /// A text.
    Text(TextSubject),
    /// A directory or several files. It is shared, since the comparison of large trees takes long.
    Folder(Arc<FolderSubject>),
    /// Two lock files of a project.
    Upgrades(Arc<UpgradeSubject>),
    /// The options of a command.
    Options(OptionsSubject),
    /// The environment variables of a command.
    Environment(EnvironmentSubject),
    /// A row of versions with names. A configuration with n deltas is the n-th version after the first.
    Versions(VersionRow),
}

impl Subject {
    /// The number of deltas at the finest level.
    pub fn deltas(&self) -> u32 {
        match self {
            Self::Text(text) => text.deltas(),
            Self::Folder(folder) => folder.deltas(),
            Self::Upgrades(upgrades) => upgrades.deltas(),
            Self::Options(options) => options.deltas(),
            Self::Environment(environment) => environment.deltas(),
            Self::Versions(row) => row.deltas(),
        }
    }

    /// The groupings of the deltas from coarse to fine.
    pub fn levels(&self) -> &[Grouping] {
        match self {
            Self::Text(text) => text.levels(),
            Self::Folder(folder) => folder.levels(),
            Self::Upgrades(upgrades) => upgrades.levels(),
            Self::Options(options) => options.levels(),
            Self::Environment(environment) => environment.levels(),
            Self::Versions(row) => row.levels(),
        }
    }

    /// What a group of each level is, in the singular: "file", "line" and so on.
    pub fn level_names(&self) -> Vec<&'static str> {
        match self {
            Self::Text(text) => {
                (0..text.levels().len()).map(|level| text.unit(level).name()).collect()
            }
            Self::Folder(folder) => folder.level_names().to_vec(),
            Self::Upgrades(_) => vec!["upgrade"],
            Self::Options(_) => vec!["option"],
            Self::Environment(environment) => match environment.levels().len() {
                1 => vec!["variable"],
                _ => vec!["variable", "entry"],
            },
            Self::Versions(_) => vec!["version"],
        }
    }

    /// Replaces `variant` by the variant of a configuration.
    pub fn compose(&self, configuration: &Configuration, variant: &mut Variant) {
        match self {
            Self::Text(text) => text.compose(configuration, variant.make_bytes()),
            Self::Folder(folder) => {
                *variant = Variant::Folder(folder.compose(configuration));
            }
            Self::Upgrades(upgrades) => {
                *variant = Variant::Folder(upgrades.compose(configuration));
            }
            Self::Options(options) => *variant = options.compose(configuration),
            Self::Environment(environment) => *variant = environment.compose(configuration),
            Self::Versions(row) => *variant = row.variant(configuration.len()),
        }
    }

    /// The variant that fails: all deltas.
    pub fn original(&self) -> Variant {
        let mut variant = Variant::default();
        self.compose(&Configuration::full(self.deltas()), &mut variant);
        variant
    }

    /// The variant that passes: no deltas.
    pub fn baseline(&self) -> Variant {
        let mut variant = Variant::default();
        self.compose(&Configuration::empty(), &mut variant);
        variant
    }

    /// The size of the failing side in bytes.
    pub fn size(&self) -> u64 {
        match self {
            Self::Text(text) => text.original().len() as u64,
            Self::Folder(folder) => folder.original().size(),
            Self::Upgrades(upgrades) => upgrades.original().size(),
            Self::Options(_) | Self::Environment(_) | Self::Versions(_) => self.original().size(),
        }
    }
}
