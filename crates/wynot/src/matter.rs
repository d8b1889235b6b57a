//! What varies: read from where it is and cut into deltas.

use crate::failure::{Code, Failure};
use crate::plan::Algorithm;
use crate::selections::Scope;
use crate::sessions::Typed;
use crate::versions::Versions;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};
use wynot_run::{Form, TestCommand, plain, take_in};
use wynot_subjects::{
    Assignment, EnvironmentSubject, Folder, FolderEntry, FolderSubject, Language, OptionsSubject,
    Subject, TextSide, TextSubject, Units, parse_environment,
};

/// Variables that a clean environment keeps: without them hardly any program works as usual.
const CLEAN: [&str; 6] = ["HOME", "USER", "LOGNAME", "SHELL", "TERM", "TZ"];

/// Where programs are found in a clean environment.
const CLEAN_PATH: &[u8] = b"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// What varies, and how a test gets to see it.
#[derive(Debug)]
pub struct Matter {
    pub circumstances: Subject,
    pub form: Form,
    /// What varies of a directory or several files, and what is there besides.
    pub varied: Folder,
    pub fixed: Folder,
    pub language: &'static Language,
    /// For people.
    pub name: OsString,
    /// Where the variant lies, seen from the test's directory.
    pub variant: PathBuf,
    /// Which places of a folder vary.
    pub places: Vec<PathBuf>,
    pub mode: u32,
}

impl Matter {
    /// Reads what was typed.
    pub fn new(
        typed: &Typed,
        algorithm: Algorithm,
        command: &TestCommand,
        project: Option<&Path>,
    ) -> Result<Self, Failure> {
        match (&typed.vary, typed.inputs.as_slice()) {
            (Some(_), _) => Self::of_call(typed, command),
            (None, [input]) if !input.is_dir() => Self::of_file(typed, input, algorithm, project),
            (None, _) => Self::of_folder(typed, algorithm, command, project),
        }
    }

    fn of_file(
        typed: &Typed,
        input: &Path,
        algorithm: Algorithm,
        project: Option<&Path>,
    ) -> Result<Self, Failure> {
        let original = read(&typed.original())?;
        if let Some(dir) = typed.passing.as_deref().filter(|passing| passing.is_dir()) {
            let message =
                format!("{} is a directory and {} is not", dir.display(), input.display());
            return Err(Failure::usage(message).hint("give two files or two directories"));
        }
        let baseline = typed.passing.as_deref().map(read).transpose()?.unwrap_or_default();
        if original == baseline {
            return Err(nothing_to_search(input, typed.passing.as_deref()));
        }
        let units = units(typed.input.unit.as_deref(), algorithm)?;
        let subject = TextSubject::between(&baseline, &original, &units).map_err(|error| {
            let passing = typed.passing.as_deref().filter(|_| error.side() == TextSide::Baseline);
            Failure::usage(format!("{}: {error}", passing.unwrap_or(input).display()))
        })?;
        let name = file_name(input)?;
        let named = typed.input.language.as_deref().and_then(Language::named);
        let language = named.unwrap_or_else(|| Language::guess(input, &original));
        Ok(Self {
            circumstances: Subject::Text(subject),
            form: Form::File,
            varied: Folder::default(),
            fixed: Folder::default(),
            language,
            variant: place_in_project(input, project, &name),
            places: Vec::new(),
            name,
            mode: fs::metadata(input).map_or(0o644, |m| m.permissions().mode() & 0o777),
        })
    }

    fn of_folder(
        typed: &Typed,
        algorithm: Algorithm,
        command: &TestCommand,
        project: Option<&Path>,
    ) -> Result<Self, Failure> {
        let inputs = &typed.inputs;
        if typed.input.in_place {
            let message = "--in-place takes one file; directories are written beside the input";
            return Err(Failure::usage(message));
        }
        if typed.input.all_causes && algorithm == Algorithm::Smart {
            let message =
                "--all-causes takes one file, or --unit file or file,line with directories";
            return Err(Failure::usage(message));
        }
        let name = match inputs.as_slice() {
            [input] => file_name(input)?,
            [first, rest @ ..] => {
                let mut name = file_name(first)?;
                name.push(format!(" and {} more", rest.len()));
                name
            }
            [] => return Err(Failure::usage("there is no input")),
        };
        let mut places = Vec::new();
        let mut roots: Vec<(PathBuf, FolderEntry)> = Vec::new();
        let mut varied = Folder::default();
        for input in inputs {
            let place = place_of(input, project)?;
            if places.contains(&place) {
                return Err(Failure::usage(format!("{} is there twice", input.display())));
            }
            let left_out = [input.join(".git")];
            if left_out[0].is_dir() && !typed.args.output.quiet {
                told!("wynot: leaving out {}", left_out[0].display());
            }
            let read = take_in(input, &place, &left_out).map_err(Failure::usage)?;
            let root = read.get(&place).filter(|entry| entry.is_directory()).cloned();
            // The directory itself stays, so that tests can go there.
            roots.extend(root.map(|entry| (place.clone(), entry)));
            let below: Vec<bool> =
                read.leaves().map(|(path, _)| **path != *place || input.is_file()).collect();
            varied = varied.overlay(&read.with_leaves(|leaf| below[leaf]));
            places.push(place);
        }
        let mut fixed = match project {
            None => Folder::default(),
            Some(dir) => {
                let all = take_in(dir, Path::new(""), &[]).map_err(Failure::usage)?;
                let varies = |path: &Path| places.iter().any(|place| path.starts_with(place));
                let leaves: Vec<bool> = all.leaves().map(|(path, _)| !varies(path)).collect();
                all.with_leaves(|leaf| leaves[leaf])
            }
        };
        fixed = fixed.overlay(&roots.into_iter().collect());
        take_out(&mut varied, &mut fixed, &test_in(inputs, &places, command));
        let baseline = match &typed.passing {
            None => fixed.clone(),
            Some(passing) => match places.as_slice() {
                [place] if passing.is_dir() => {
                    fixed.overlay(&take_in(passing, place, &[]).map_err(Failure::usage)?)
                }
                _ => {
                    let message = format!("{} is no directory", passing.display());
                    return Err(Failure::usage(message).hint("give two files or two directories"));
                }
            },
        };
        let original = fixed.overlay(&varied);
        if original == baseline {
            return Err(nothing_to_search(&inputs[0], typed.passing.as_deref()));
        }
        let units = folder_units(typed.input.unit.as_deref(), algorithm)?;
        let folders = FolderSubject::between(&baseline, original, units.as_ref())
            .map_err(|error| Failure::usage(format!("{}: {error}", inputs[0].display())))?;
        Ok(Self {
            circumstances: Subject::Folder(folders.into()),
            form: Form::Folder,
            varied,
            fixed,
            language: Language::guess(Path::new(""), b""),
            name,
            variant: match places.as_slice() {
                [place] => place.clone(),
                _ => PathBuf::new(),
            },
            places,
            mode: 0o644,
        })
    }

    /// All that differs between two versions.
    pub fn of_versions(versions: &Versions, group: Option<Scope>) -> Result<Self, Failure> {
        let folders = versions.compared(&versions.good, &versions.bad, group)?;
        if folders.deltas() == 0 {
            let message = format!("{} and {} are the same", versions.names.0, versions.names.1);
            return Err(Failure::new(Code::NoFailure, message));
        }
        Ok(Self {
            circumstances: Subject::Folder(folders.into()),
            form: Form::Folder,
            varied: Folder::default(),
            fixed: Folder::default(),
            language: Language::guess(Path::new(""), b""),
            name: versions.names.1.clone().into(),
            variant: PathBuf::new(),
            places: Vec::new(),
            mode: 0o644,
        })
    }

    fn of_call(typed: &Typed, command: &TestCommand) -> Result<Self, Failure> {
        let vary = typed.vary.clone().unwrap_or_default();
        let (circumstances, name) = if vary.env {
            let parse = |path: &PathBuf| {
                let dump = read(path)?;
                parse_environment(&dump)
                    .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
            };
            let passing = vary.passing_env.as_ref().map(parse).transpose()?;
            let failing = vary.failing_env.as_ref().map(parse).transpose()?;
            let environment = EnvironmentSubject::between(
                passing.unwrap_or_else(clean_environment),
                failing.unwrap_or_else(this_environment),
            );
            (Subject::Environment(environment), "environment")
        } else {
            if !command.mentions_options() {
                return Err(Failure::usage("the test does not say where the options go")
                    .hint("write {options} among its arguments"));
            }
            let options = match (&vary.vary, &vary.vary_file) {
                (Some(text), _) => OptionsSubject::parse(text.as_bytes()),
                (None, Some(file)) => OptionsSubject::parse_lines(&read(file)?),
                (None, None) => OptionsSubject::parse(b""),
            };
            (Subject::Options(options.map_err(Failure::usage)?), "options")
        };
        if circumstances.deltas() == 0 {
            let message = "the two environments are the same: no difference to search";
            return Err(Failure::new(Code::NoFailure, message));
        }
        Ok(Self {
            circumstances,
            form: Form::Call,
            varied: Folder::default(),
            fixed: Folder::default(),
            language: Language::guess(Path::new(""), b""),
            name: name.into(),
            variant: PathBuf::from("variant"),
            places: Vec::new(),
            mode: 0o644,
        })
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|error| {
        Failure::usage(format!("cannot read {}: {}", path.display(), plain(&error)))
    })
}

fn nothing_to_search(input: &Path, passing: Option<&Path>) -> Failure {
    let input = input.display();
    let message = match passing {
        Some(passing) => {
            format!("{input} and {} are the same: no difference to search", passing.display())
        }
        None => format!("{input} is empty: nothing can be removed from it"),
    };
    Failure::new(Code::NoFailure, message)
}

/// The name of an input; of `.` and the like that of the directory it stands for.
pub fn file_name(input: &Path) -> Result<OsString, Failure> {
    let named = match input.components().next_back() {
        Some(Component::Normal(name)) => Some(name.to_owned()),
        _ => input.canonicalize().ok().and_then(|path| path.file_name().map(OsStr::to_owned)),
    };
    named.ok_or_else(|| Failure::usage(format!("{} has no name", input.display())))
}

/// The input's own place if it is part of the project, else its name at the top.
fn place_in_project(input: &Path, project: Option<&Path>, name: &OsStr) -> PathBuf {
    // By its own directory, not by where it may lead as a link.
    let parent = input.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new(".")).canonicalize().ok();
    let inside = project.and_then(|dir| parent.as_ref()?.strip_prefix(dir).ok());
    inside.map_or_else(|| PathBuf::from(name), |dir| dir.join(name))
}

/// Where a directory or one of several files is seen by tests: where it is seen from here, or in the
/// project.
fn place_of(input: &Path, project: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(dir) = project {
        let whole = input.canonicalize().map_err(|error| {
            Failure::usage(format!("cannot read {}: {}", input.display(), plain(&error)))
        })?;
        return whole.strip_prefix(dir).map(Path::to_owned).map_err(|_| {
            let message = format!("{} is not in {}", input.display(), dir.display());
            Failure::usage(message)
                .hint("with --in, directories and several files must be part of it")
        });
    }
    let plain: PathBuf = input.components().filter(|part| *part != Component::CurDir).collect();
    let simple = plain.components().all(|part| matches!(part, Component::Normal(_)));
    if simple { Ok(plain) } else { file_name(input).map(PathBuf::from) }
}

/// Where the test itself lies within what varies, if it does. It has to stay.
fn test_in(inputs: &[PathBuf], places: &[PathBuf], command: &TestCommand) -> Vec<PathBuf> {
    let words = command.args.iter().map(|arg| Path::new(arg).to_owned());
    let files = std::iter::once(command.program.clone()).chain(words);
    let found = files.filter_map(|file| {
        let file = file.is_absolute().then(|| file.canonicalize().ok()).flatten()?;
        inputs.iter().zip(places).find_map(|(input, place)| {
            let below = file.strip_prefix(input.canonicalize().ok()?).ok()?;
            Some(place.join(below))
        })
    });
    found.collect()
}

/// Moves some entries from what varies to what does not.
fn take_out(varied: &mut Folder, fixed: &mut Folder, paths: &[PathBuf]) {
    if paths.is_empty() {
        return;
    }
    let stays: Vec<bool> =
        varied.leaves().map(|(path, _)| paths.iter().any(|stays| **path == **stays)).collect();
    *fixed = fixed.overlay(&varied.with_leaves(|leaf| stays[leaf]));
    *varied = varied.with_leaves(|leaf| !stays[leaf]);
}

fn units(text: Option<&str>, algorithm: Algorithm) -> Result<Units, Failure> {
    let chosen = match (text, algorithm) {
        // The default reducer cuts by syntax; the bytes are what it is measured in.
        (None, Algorithm::Smart) => "byte",
        (None, Algorithm::Ddmin | Algorithm::Gather) => "line,token,char",
        (None, Algorithm::Dd | Algorithm::Ddmax) => "line,char",
        (Some(list), _) => list,
    };
    chosen.parse().map_err(Failure::usage)
}

/// The units inside files; `None` if files are taken whole.
fn folder_units(text: Option<&str>, algorithm: Algorithm) -> Result<Option<Units>, Failure> {
    let inside = match (text, algorithm) {
        (None, Algorithm::Smart) | (Some("file"), _) => return Ok(None),
        (None, _) => "line",
        (Some("json"), _) => {
            return Err(Failure::usage("--unit json is for single files, not for directories"));
        }
        (Some(list), _) => list.strip_prefix("file,").unwrap_or(list),
    };
    inside.parse().map(Some).map_err(Failure::usage)
}

fn this_environment() -> Vec<Assignment> {
    let bytes = |text: OsString| text.as_bytes().to_vec();
    std::env::vars_os().map(|(name, value)| (bytes(name), bytes(value))).collect()
}

fn clean_environment() -> Vec<Assignment> {
    let kept = this_environment().into_iter();
    let kept = kept.filter(|(name, _)| CLEAN.iter().any(|clean| clean.as_bytes() == name));
    kept.chain([(b"PATH".to_vec(), CLEAN_PATH.to_vec())]).collect()
}
