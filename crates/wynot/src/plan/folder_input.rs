//! Directories, and several files, as subjects.

use super::input::{SearchInput, file_name, nothing_to_search};
use crate::error::Error;
use crate::notes::Notes;
use crate::request::{Algorithm, Request};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use wynot_exec::{TestCommand, VariantForm};
use wynot_session::files::read_tree;
use wynot_session::{plain, shown_path};
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
    check_options(request, algorithm)?;
    let name = joint_name(inputs, here)?;
    let Inputs { places, roots, mut varied } = read_inputs(request, project, notes)?;
    let mut fixed = match project {
        None => Folder::default(),
        Some(dir) => {
            let all = read_tree(dir, Path::new(""), &[]).map_err(Error::usage)?;
            let is_input = |path: &Path| places.iter().any(|place| path.starts_with(place));
            let is_fixed: Vec<bool> = all.leaves().map(|(path, _)| !is_input(path)).collect();
            all.with_leaves(|leaf| is_fixed[leaf])
        }
    };
    fixed = fixed.overlay(&roots.into_iter().collect());
    move_to_fixed(&mut varied, &mut fixed, &paths_of_test(request, &places, command));
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

/// Refuses options that directories and several files do not support.
fn check_options(request: &Request, algorithm: Algorithm) -> Result<(), Error> {
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
    /// The directories among the inputs. They never vary, so that tests can always enter them.
    roots: Vec<(PathBuf, FolderEntry)>,
    /// The files among the inputs and in these directories.
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
        let omitted = [path.join(".git")];
        if omitted[0].is_dir() {
            notes.note(&format!("leaving out {}", input.join(".git").display()));
        }
        let found = read_tree(&path, &place, &omitted).map_err(|error| {
            let shown = error.path.strip_prefix(&request.directory).unwrap_or(&error.path);
            Error::usage(format!("cannot read {}: {}", shown_path(shown), plain(&error.source)))
        })?;
        let root = found.get(&place).filter(|entry| entry.is_directory()).cloned();
        roots.extend(root.map(|entry| (place.clone(), entry)));
        let is_varied: Vec<bool> =
            found.leaves().map(|(leaf, _)| **leaf != *place || path.is_file()).collect();
        varied = varied.overlay(&found.with_leaves(|leaf| is_varied[leaf]));
        places.push(place);
    }
    Ok(Inputs { places, roots, varied })
}

/// The path of a directory, or of one of several files, in the directory of a test: its path relative to `here`, or to the
/// project if there is one.
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
    let is_below_here = plain.components().all(|part| matches!(part, Component::Normal(_)));
    if is_below_here { Ok(plain) } else { file_name(input, here).map(PathBuf::from) }
}

/// The paths of the test's own files within the inputs. These files must not vary.
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

/// Moves the entries with these paths from `varied` to `fixed`.
fn move_to_fixed(varied: &mut Folder, fixed: &mut Folder, paths: &[PathBuf]) {
    if paths.is_empty() {
        return;
    }
    let is_moved: Vec<bool> =
        varied.leaves().map(|(path, _)| paths.iter().any(|moved| **path == **moved)).collect();
    *fixed = fixed.overlay(&varied.with_leaves(|leaf| is_moved[leaf]));
    *varied = varied.with_leaves(|leaf| !is_moved[leaf]);
}

/// The units inside files; `None` if files are taken whole.
fn units_in_files(text: Option<&str>, algorithm: Algorithm) -> Result<Option<Units>, Error> {
    let units = match (text, algorithm) {
        (None, Algorithm::Smart) | (Some("file"), _) => return Ok(None),
        (None, _) => "line",
        (Some("json"), _) => {
            return Err(Error::usage("--unit json is for single files, not for directories"));
        }
        (Some(list), _) => list.strip_prefix("file,").unwrap_or(list),
    };
    units.parse().map(Some).map_err(Error::usage)
}
