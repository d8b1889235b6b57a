//! A step of a chain as a script for GDB.

use super::chain_words::facts;
use super::place_names::name;
use super::runs::ComparedRuns;
use std::ffi::{OsStr, OsString};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use wynot_state::dwarf::Program;
use wynot_state::process::Invocation;
use wynot_state::{PlaceCause, SUBSTITUTE_COMMAND};
use wynot_subjects::quote::quoted;

/// A script that replays a cause: it stops the passing run at the place of the cause and alters its state, so that the run
/// fails.
pub fn gdb_script(runs: &ComparedRuns, program: &Program, cause: &PlaceCause) -> String {
    let Invocation { arguments, input, directory, .. } = &runs.passing;
    let words = arguments.iter().map(|word| quoted(&word.to_string_lossy()));
    let mut words: Vec<String> = words.collect();
    words.extend(input.as_ref().map(|input| format!("< {}", quoted(&input.to_string_lossy()))));
    let facts = facts(&cause.deciding).join("\n").replace('\n', "\n#");
    let place = name(program, cause.place);
    // In some languages, `main` is the name of a module as well.
    let start = ["_start", "main"].into_iter().find_map(|name| Some((name, program.symbol(name)?)));
    let (start, address) = start.unwrap_or(("main", 0));
    let view = View::of(directory, &cause.gdb_commands);
    let directory = view.as_ref().map_or(directory.as_path(), |view| &view.directory);
    let mut script = vec![
        format!("# The passing run, stopped in {place}, fails if"),
        format!("#{facts}"),
        "# Run it with: gdb -batch -x THIS-FILE".to_owned(),
        "set confirm off".to_owned(),
        "set pagination off".to_owned(),
        "set language c".to_owned(),
    ];
    script.extend(view.iter().map(View::prepare));
    script.extend([
        format!("file {:?}", runs.program.display().to_string()),
        format!("set cwd {}", directory.display()),
        format!("set args {}", words.join(" ")),
        environment(&runs.passing, |name| std::env::var_os(name)),
        "starti".to_owned(),
        format!("set $base = (unsigned long)&{start} - {address:#x}"),
        format!("break *($base + {:#x})", cause.place.address),
        format!("ignore $bpnum {}", cause.place.hits.0.saturating_sub(1)),
        "continue".to_owned(),
        "delete".to_owned(),
    ]);
    script.extend(cause.gdb_commands.iter().map(|command| match &view {
        Some(view) => view.substituted(command).unwrap_or_else(|| command.clone()),
        None => command.clone(),
    }));
    script.push("continue".to_owned());
    script.push(String::new());
    script.join("\n")
}

/// The command that gives the program the variables of the compared runs and no others, since what lies on the stack depends on
/// them. The values of those that were `inherited` are not written down, as some are secrets: they come from the environment in which GDB
/// is run.
fn environment(passing: &Invocation, inherited: impl Fn(&OsStr) -> Option<OsString>) -> String {
    let mut command = "set exec-wrapper env -i".to_owned();
    for (name, value) in &passing.environment {
        let is_inherited = inherited(name).as_ref() == Some(value);
        let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
        // A command of GDB is one line.
        let is_one_line = !name.contains('\n') && !value.contains('\n');
        if is_inherited && is_variable_name(&name) {
            command += &format!(" {name}=\"${name}\"");
        } else if is_one_line && !is_inherited {
            command += &format!(" {}", quoted(&format!("{name}={value}")));
        }
    }
    command
}

/// Whether a shell reads `$` and this name as a variable.
fn is_variable_name(name: &str) -> bool {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    name.chars().all(is_word) && !name.starts_with(|first: char| first.is_ascii_digit())
}

/// A directory with links to all files of the working directory, in which a file can be replaced while GDB has stopped the
/// program.
struct View {
    /// The working directory.
    original: PathBuf,
    directory: PathBuf,
}

impl View {
    /// The view that a script needs in which a file is substituted; `None` for other scripts.
    fn of(original: &Path, commands: &[String]) -> Option<Self> {
        commands.iter().find_map(|command| substitution(command))?;
        let mut hasher = DefaultHasher::new();
        original.hash(&mut hasher);
        let directory = std::env::temp_dir().join(format!("wynot-view-{:016x}", hasher.finish()));
        Some(Self { original: original.to_owned(), directory })
    }

    /// The command that makes the view.
    fn prepare(&self) -> String {
        let [original, directory] = [&self.original, &self.directory].map(|path| shell_word(path));
        format!("shell rm -rf {directory} && mkdir {directory} && cp -rs {original}/. {directory}")
    }

    /// The command that substitutes a file, if that is what a command of an experiment does.
    fn substituted(&self, command: &str) -> Option<String> {
        let (path, contents) = substitution(command)?;
        let original = self.original.canonicalize().ok()?;
        let below = Path::new(path).strip_prefix(&original).ok()?;
        let (path, contents) = (self.directory.join(below), Path::new(contents));
        Some(format!(
            "shell cp --remove-destination {} {}",
            shell_word(contents),
            shell_word(&path)
        ))
    }
}

/// The path and the contents of a file that a command substitutes.
fn substitution(command: &str) -> Option<(&str, &str)> {
    command.strip_prefix(SUBSTITUTE_COMMAND)?.strip_prefix('\t')?.split_once('\t')
}

fn shell_word(path: &Path) -> String {
    quoted(&path.to_string_lossy()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_given_the_variables_of_the_runs_without_the_values_of_the_user() {
        let mut passing = Invocation::new("./program", [""; 0]);
        let variables = [("0", "xx"), ("A", "it's"), ("API_TOKEN", "abc"), ("B", "b\nc")];
        passing.environment = variables.map(|(name, value)| (name.into(), value.into())).into();
        let inherited = |name: &OsStr| {
            let own = [("0", "xx"), ("API_TOKEN", "abc"), ("B", "b\nc"), ("C", "d")];
            own.iter().find(|(own, _)| *own == name).map(|(_, value)| value.into())
        };
        let command = environment(&passing, inherited);
        let words = command.strip_prefix("set exec-wrapper env -i ").unwrap();
        assert_eq!(words, r#"'A=it'\''s' API_TOKEN="$API_TOKEN" B="$B""#);
    }
}
