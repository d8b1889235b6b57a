//! Directories and several files as what varies.

use super::input::{SearchInput, file_name, nothing_to_search};
use crate::error::Error;
use crate::notes::Notes;
use crate::request::{Algorithm, Request};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use wynot_exec::{TestCommand, VariantForm};
use wynot_session::files::read_tree;
use wynot_session::plain;
use wynot_subjects::{Folder, FolderEntry, FolderSubject, Subject, Units};

/// Reads a directory or several files.
pub(super) fn read(
    request: &Request,
    algorithm: Algorithm,
    command: &TestCommand,
    project: Option<&Path>,
    notes: &mut dyn Notes,
) -> Result<SearchInput, Error> {
    let (inputs, here) = (&request.inputs, &request.directory);
    check(request, algorithm)?;
    let name = joint_name(inputs, here)?;
    let Inputs { places, roots, mut varied } = read_inputs(request, project, notes)?;
    let mut fixed = match project {
        None => Folder::default(),
        Some(dir) => {
            let all = read_tree(dir, Path::new(""), &[]).map_err(Error::usage)?;
            let varies = |path: &Path| places.iter().any(|place| path.starts_with(place));
            let leaves: Vec<bool> = all.leaves().map(|(path, _)| !varies(path)).collect();
            all.with_leaves(|leaf| leaves[leaf])
        }
    };
    fixed = fixed.overlay(&roots.into_iter().collect());
    keep_fixed(&mut varied, &mut fixed, &paths_of_test(request, &places, command));
    let baseline = match &request.passing {
        None => fixed.clone(),
        Some(passing) => match places.as_slice() {
            [place] if here.join(passing).is_dir() => {
                fixed.overlay(&read_tree(&here.join(passing), place, &[]).map_err(Error::usage)?)
            }
            _ => {
                let message = format!("{} is no directory", passing.display());
                return Err(Error::usage(message).hint("give two files or two directories"));
            }
        },
    };
    let original = fixed.overlay(&varied);
    if original == baseline {
        return Err(nothing_to_search(&inputs[0], request.passing.as_deref()));
    }
    let units = units_in_files(request.input.unit.as_deref(), algorithm)?;
    let folders = FolderSubject::between(&baseline, original, units.as_ref())
        .map_err(|error| Error::usage(format!("{}: {error}", inputs[0].display())))?;
    Ok(SearchInput {
        varied,
        fixed,
        variant: match places.as_slice() {
            [place] => place.clone(),
            _ => PathBuf::new(),
        },
        places,
        ..SearchInput::new(Subject::Folder(folders.into()), VariantForm::Folder, name)
    })
}

fn check(request: &Request, algorithm: Algorithm) -> Result<(), Error> {
    if request.input.in_place {
        let message = "--in-place takes one file; directories are written beside the input";
        return Err(Error::usage(message));
    }
    if request.input.all_causes && algorithm == Algorithm::Smart {
        let message = "--all-causes takes one file, or --unit file or file,line with directories";
        return Err(Error::usage(message));
    }
    Ok(())
}

/// The name of several inputs, for messages.
fn joint_name(inputs: &[PathBuf], here: &Path) -> Result<OsString, Error> {
    match inputs {
        [input] => file_name(input, here),
        [first, rest @ ..] => {
            let mut name = file_name(first, here)?;
            name.push(format!(" and {} more", rest.len()));
            Ok(name)
        }
        [] => Err(Error::usage("there is no input")),
    }
}

/// The inputs as they are on disk.
struct Inputs {
    /// The paths of the inputs in the directory of the test.
    places: Vec<PathBuf>,
    /// The directories among the inputs, which stay, so that tests can go there.
    roots: Vec<(PathBuf, FolderEntry)>,
    /// The files in them.
    varied: Folder,
}

fn read_inputs(
    request: &Request,
    project: Option<&Path>,
    notes: &mut dyn Notes,
) -> Result<Inputs, Error> {
    let mut places = Vec::new();
    let mut roots: Vec<(PathBuf, FolderEntry)> = Vec::new();
    let mut varied = Folder::default();
    for input in &request.inputs {
        let place = place_of(input, project, &request.directory)?;
        if places.contains(&place) {
            return Err(Error::usage(format!("{} is there twice", input.display())));
        }
        let path = request.at(input);
        let left_out = [path.join(".git")];
        if left_out[0].is_dir() {
            notes.note(&format!("leaving out {}", input.join(".git").display()));
        }
        let found = read_tree(&path, &place, &left_out).map_err(|error| {
            let shown = error.path.strip_prefix(&request.directory).unwrap_or(&error.path);
            Error::usage(format!("cannot read {}: {}", shown.display(), plain(&error.source)))
        })?;
        let root = found.get(&place).filter(|entry| entry.is_directory()).cloned();
        roots.extend(root.map(|entry| (place.clone(), entry)));
        let below: Vec<bool> =
            found.leaves().map(|(leaf, _)| **leaf != *place || path.is_file()).collect();
        varied = varied.overlay(&found.with_leaves(|leaf| below[leaf]));
        places.push(place);
    }
    Ok(Inputs { places, roots, varied })
}

/// The path of a directory or of one of several files in the directory of a test: the same as from here, or as in the
/// project.
fn place_of(input: &Path, project: Option<&Path>, here: &Path) -> Result<PathBuf, Error> {
    if let Some(dir) = project {
        let whole = here.join(input).canonicalize().map_err(|error| {
            Error::usage(format!("cannot read {}: {}", input.display(), plain(&error)))
        })?;
        return whole.strip_prefix(dir).map(Path::to_owned).map_err(|_| {
            let message = format!("{} is not in {}", input.display(), dir.display());
            Error::usage(message)
                .hint("with --in, directories and several files must be part of it")
        });
    }
    let plain: PathBuf = input.components().filter(|part| *part != Component::CurDir).collect();
    let simple = plain.components().all(|part| matches!(part, Component::Normal(_)));
    if simple { Ok(plain) } else { file_name(input, here).map(PathBuf::from) }
}

/// The paths of the test itself within what varies, if it lies there. They have to stay.
fn paths_of_test(request: &Request, places: &[PathBuf], command: &TestCommand) -> Vec<PathBuf> {
    let words = command.args.iter().map(|arg| Path::new(arg).to_owned());
    let files = std::iter::once(command.program.clone()).chain(words);
    let found = files.filter_map(|file| {
        let file = file.is_absolute().then(|| file.canonicalize().ok()).flatten()?;
        request.inputs.iter().zip(places).find_map(|(input, place)| {
            let below = file.strip_prefix(request.at(input).canonicalize().ok()?).ok()?;
            Some(place.join(below))
        })
    });
    found.collect()
}

/// Moves some entries from what varies to what does not.
fn keep_fixed(varied: &mut Folder, fixed: &mut Folder, paths: &[PathBuf]) {
    if paths.is_empty() {
        return;
    }
    let stays: Vec<bool> =
        varied.leaves().map(|(path, _)| paths.iter().any(|stays| **path == **stays)).collect();
    *fixed = fixed.overlay(&varied.with_leaves(|leaf| stays[leaf]));
    *varied = varied.with_leaves(|leaf| !stays[leaf]);
}

/// The units inside files; `None` if files are taken whole.
fn units_in_files(text: Option<&str>, algorithm: Algorithm) -> Result<Option<Units>, Error> {
    let inside = match (text, algorithm) {
        (None, Algorithm::Smart) | (Some("file"), _) => return Ok(None),
        (None, _) => "line",
        (Some("json"), _) => {
            return Err(Error::usage("--unit json is for single files, not for directories"));
        }
        (Some(list), _) => list.strip_prefix("file,").unwrap_or(list),
    };
    inside.parse().map(Some).map_err(Error::usage)
}
