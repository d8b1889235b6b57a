//! Anything that may matter to a failure, with its two sides and the deltas between them.

use crate::{Artefact, Environment, Folders, Options, Subject};
use std::rc::Rc;
use wynot_core::{Configuration, Grouping};

/// What is varied. Any configuration composes to an artefact: no deltas give the passing side, all of
/// them the failing one.
#[derive(Debug)]
pub enum Circumstances {
    /// An input.
    Input(Subject),
    /// A directory or several files; large trees are compared once for all who ask.
    Folders(Rc<Folders>),
    /// Options of a command.
    Options(Options),
    /// Variables of the environment.
    Environment(Environment),
}

impl Circumstances {
    /// How many deltas there are at the finest level.
    pub fn deltas(&self) -> u32 {
        match self {
            Self::Input(subject) => subject.deltas(),
            Self::Folders(folders) => folders.deltas(),
            Self::Options(options) => options.deltas(),
            Self::Environment(environment) => environment.deltas(),
        }
    }

    /// Groups of deltas from coarse to fine.
    pub fn levels(&self) -> &[Grouping] {
        match self {
            Self::Input(subject) => subject.levels(),
            Self::Folders(folders) => folders.levels(),
            Self::Options(options) => options.levels(),
            Self::Environment(environment) => environment.levels(),
        }
    }

    /// What the deltas of each level are.
    pub fn names(&self) -> Vec<&'static str> {
        match self {
            Self::Input(subject) => {
                (0..subject.levels().len()).map(|level| subject.unit(level).name()).collect()
            }
            Self::Folders(folders) => folders.names().to_vec(),
            Self::Options(_) => vec!["option"],
            Self::Environment(environment) => match environment.levels().len() {
                1 => vec!["variable"],
                _ => vec!["variable", "entry"],
            },
        }
    }

    /// Writes what a configuration stands for in the place of what is in `artefact`.
    pub fn compose(&self, configuration: &Configuration, artefact: &mut Artefact) {
        match self {
            Self::Input(subject) => subject.compose(configuration, artefact.as_file()),
            Self::Folders(folders) => {
                *artefact = Artefact::Folder(folders.compose(configuration));
            }
            Self::Options(options) => *artefact = options.compose(configuration),
            Self::Environment(environment) => *artefact = environment.compose(configuration),
        }
    }

    /// The side that fails.
    pub fn original(&self) -> Artefact {
        let mut artefact = Artefact::default();
        self.compose(&Configuration::full(self.deltas()), &mut artefact);
        artefact
    }

    /// The side that passes.
    pub fn baseline(&self) -> Artefact {
        let mut artefact = Artefact::default();
        self.compose(&Configuration::empty(), &mut artefact);
        artefact
    }

    /// The size of the failing side.
    pub fn size(&self) -> u64 {
        match self {
            Self::Input(subject) => subject.original().len() as u64,
            Self::Folders(folders) => folders.original().size(),
            Self::Options(_) | Self::Environment(_) => self.original().size(),
        }
    }
}
