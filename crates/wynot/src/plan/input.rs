//! The input of a search: its subject, and how tests receive its variants.

use super::project_headers::with_project_headers;
use super::result_names::backup_path;
use super::versions::VersionPair;
use crate::error::{Error, ErrorKind};
use crate::notes::Notes;
use crate::request::{Algorithm, ChangeScope, Request};
use crate::similar_name::similar_file;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use wynot_exec::VariantForm;
use wynot_session::files::{UnsuitableFile, read_file};
use wynot_session::{plain, shown_path};
use wynot_subjects::{Folder, Language, Subject, TextSide, TextSubject, Units};

/// The permission bits of variants whose input has none.
const DEFAULT_MODE: u32 = 0o644;

/// The input of a search, read and divided into deltas.
#[derive(Debug)]
pub struct SearchInput {
    /// The subject: both sides and the deltas between them.
    pub subject: Subject,
    /// The form of variants: a file, a folder or a call.
    pub form: VariantForm,
    /// The files that vary, if the input is a directory or several files.
    pub varied: Folder,
    /// The files that each variant contains unchanged, if the input is a directory or several files.
    pub fixed: Folder,
    /// The language of the input.
    pub language: &'static Language,
    /// The name of the input, for messages.
    pub name: OsString,
    /// The path of the variant, relative to the directory of the test.
    pub variant: PathBuf,
    /// The paths of the inputs in a folder variant.
    pub places: Vec<PathBuf>,
    /// The directory of the input, if it is a single file.
    pub directory: Option<PathBuf>,
    /// The permission bits of the variant.
    pub mode: u32,
    /// Whether the user has given a passing input.
    pub is_compared: bool,
}

impl SearchInput {
    /// An input that has no language and no fixed files.
    pub(super) fn new(subject: Subject, form: VariantForm, name: OsString) -> Self {
        Self {
            subject,
            form,
            varied: Folder::default(),
            fixed: Folder::default(),
            language: Language::guess(Path::new(""), b""),
            name,
            variant: PathBuf::new(),
            places: Vec::new(),
            directory: None,
            mode: DEFAULT_MODE,
            is_compared: false,
        }
    }

    /// Reads a single file.
    pub(super) fn from_file(
        request: &Request,
        input: &Path,
        algorithm: Algorithm,
        project: Option<&Path>,
        notes: &mut dyn Notes,
    ) -> Result<Self, Error> {
        let here = &request.directory;
        let original = match request.resumed && request.input.in_place {
            true => read(&backup_path(input), here)?,
            false => read(input, here)?,
        };
        let original = match request.input.inline_includes {
            true => with_project_headers(&original, input, request, notes)?,
            false => original,
        };
        let passing = request.passing.as_deref();
        if let Some(dir) = passing.filter(|passing| here.join(passing).is_dir()) {
            let message =
                format!("{} is a directory and {} is not", dir.display(), input.display());
            return Err(Error::usage(message).hint("give two files or two directories"));
        }
        let baseline = passing.map(|path| read(path, here)).transpose()?.unwrap_or_default();
        if original == baseline {
            return Err(nothing_to_search(input, passing));
        }
        let units = units(request.input.unit.as_deref(), algorithm)?;
        let subject = TextSubject::between(&baseline, &original, &units).map_err(|error| {
            let side = passing.filter(|_| error.side() == TextSide::Baseline);
            Error::usage(format!("{}: {error}", side.unwrap_or(input).display()))
        })?;
        let name = file_name(input, here)?;
        let named = request.input.language.as_deref().and_then(Language::named);
        let metadata = fs::metadata(here.join(input));
        Ok(Self {
            language: named.unwrap_or_else(|| Language::guess(input, &original)),
            variant: path_in_project(&here.join(input), project, &name),
            mode: metadata.map_or(DEFAULT_MODE, |m| m.permissions().mode() & 0o777),
            directory: here.join(input).parent().map(Path::to_owned),
            is_compared: passing.is_some(),
            ..Self::new(Subject::Text(subject), VariantForm::File, name)
        })
    }

    /// A remark if another unit than the requested one varies.
    pub(super) fn remark_on_unit(&self, request: &Request) -> Option<String> {
        let is_json = self.subject.level_names().contains(&"json");
        let is_wanted = request.input.unit.as_deref() == Some("json");
        let name = self.name.to_string_lossy();
        (is_wanted && !is_json).then(|| format!("{name} is not JSON, so its lines vary"))
    }

    /// The difference between two versions.
    pub(super) fn from_versions(
        versions: &VersionPair,
        group: Option<ChangeScope>,
    ) -> Result<Self, Error> {
        let subject = match &versions.upgrades {
            Some(upgrades) => Subject::Upgrades(Arc::clone(upgrades)),
            None => {
                let folders = versions.compared(&versions.good, &versions.bad, group)?;
                Subject::Folder(folders.into())
            }
        };
        if subject.deltas() == 0 {
            let message = format!("{} and {} are the same", versions.names.0, versions.names.1);
            return Err(Error::new(ErrorKind::NoFailure, message)
                .hint("--good is the version that works, --bad the one that does not"));
        }
        Ok(Self::new(subject, VariantForm::Folder, versions.names.1.clone().into()))
    }
}

/// Reads a file; messages name it as the user wrote it.
pub(super) fn read(path: &Path, here: &Path) -> Result<Vec<u8>, Error> {
    read_file(&here.join(path)).map_err(|error| {
        let refusal = Error::usage(format!("cannot read {}: {}", shown_path(path), plain(&error)));
        match UnsuitableFile::of(&error) {
            Some(UnsuitableFile::Special(_)) => refusal.hint("write its contents to a file first"),
            None if error.kind() == io::ErrorKind::NotFound => match similar_file(path, here) {
                Some(similar) => refusal.hint(format!("did you mean {similar}?")),
                None => refusal,
            },
            _ => refusal,
        }
    })
}

/// The error of an input that is empty or the same as the passing one.
pub(super) fn nothing_to_search(input: &Path, passing: Option<&Path>) -> Error {
    let input = input.display();
    match passing {
        Some(passing) => {
            let passing = passing.display();
            let message = format!("{input} and {passing} are the same: no difference to search");
            Error::new(ErrorKind::NoFailure, message).hint(
                "--passing FILE is the input that works, and the other one is that which fails",
            )
        }
        None => {
            let message = format!("{input} is empty: nothing can be removed from it");
            Error::new(ErrorKind::NoFailure, message).hint(format!(
                "to compare it with an input that passes: wynot isolate --passing FILE {input} -- TEST"
            ))
        }
    }
}

/// The file name of an input; for paths such as `.`, the name of the directory that the path leads to.
pub(super) fn file_name(input: &Path, here: &Path) -> Result<OsString, Error> {
    let name = match input.components().next_back() {
        Some(Component::Normal(name)) => Some(name.to_owned()),
        _ => {
            let whole = here.join(input).canonicalize().ok();
            whole.and_then(|path| path.file_name().map(OsStr::to_owned))
        }
    };
    name.ok_or_else(|| {
        Error::usage(format!("{} has no name", input.display()))
            .hint("give a file, or a directory below it")
    })
}

/// The path of an input relative to its project, or its name if it is not part of a project.
fn path_in_project(input: &Path, project: Option<&Path>, name: &OsStr) -> PathBuf {
    // The parent is resolved, not the input: a symbolic link in the project stays at its own place.
    let parent = input.parent().and_then(|parent| parent.canonicalize().ok());
    let inside = project.and_then(|dir| parent.as_ref()?.strip_prefix(dir).ok());
    inside.map_or_else(|| PathBuf::from(name), |dir| dir.join(name))
}

/// The units that were requested, or those that suit the algorithm.
fn units(text: Option<&str>, algorithm: Algorithm) -> Result<Units, Error> {
    let chosen = match (text, algorithm) {
        // The default reducer removes by syntax; its sizes are counted in bytes.
        (None, Algorithm::Smart) => "byte",
        (None, Algorithm::Ddmin | Algorithm::DdminNext | Algorithm::Gather) => "line,token,char",
        (None, Algorithm::Dd | Algorithm::Ddmax) => "line,char",
        (Some(list), _) => list,
    };
    chosen.parse().map_err(Error::usage)
}
