//! The sources of both versions of an upgraded package, where a package manager has left them on this machine.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use wynot_subjects::{LockKind, Upgrade};

/// The directories with the sources of the good and the bad version, if both are here. `projects` are the directories of
/// the two lock files.
pub(super) fn package_sources(
    kind: LockKind,
    upgrade: &Upgrade,
    projects: [&Path; 2],
) -> Option<[PathBuf; 2]> {
    let versions = [upgrade.from.as_deref()?, upgrade.to.as_deref()?];
    let package = &upgrade.package;
    let found = [0, 1].map(|side| match kind {
        LockKind::Cargo => {
            let registries = fs::read_dir(cargo_home()?.join("registry/src")).ok()?;
            let name = format!("{package}-{}", versions[side]);
            let mut found: Vec<PathBuf> =
                registries.flatten().map(|registry| registry.path().join(&name)).collect();
            found.sort();
            found.into_iter().find(|dir| dir.is_dir())
        }
        LockKind::Npm => {
            let dir = projects[side].join("node_modules").join(package);
            let manifest = fs::read_to_string(dir.join("package.json")).ok()?;
            manifest.contains(&format!("\"{}\"", versions[side])).then_some(dir)
        }
        LockKind::Go => {
            let cache = env::var_os("GOMODCACHE").map(PathBuf::from);
            let cache = cache.or_else(|| Some(env::home_dir()?.join("go/pkg/mod")))?;
            let dir = cache.join(format!("{}@{}", escaped_module(package), versions[side]));
            dir.is_dir().then_some(dir)
        }
        LockKind::Requirements | LockKind::Uv => {
            site_packages(projects[side], package, versions[side])
        }
    });
    let [good, bad] = found;
    Some([good?, bad?]).filter(|[good, bad]| good != bad)
}

fn cargo_home() -> Option<PathBuf> {
    let named = env::var_os("CARGO_HOME").map(PathBuf::from);
    named.or_else(|| Some(env::home_dir()?.join(".cargo")))
}

/// The path of a module in the cache of Go, which has `!` before what was a capital letter.
fn escaped_module(name: &str) -> String {
    let escape = |c: char| match c.is_ascii_uppercase() {
        true => format!("!{}", c.to_ascii_lowercase()),
        false => c.to_string(),
    };
    name.chars().map(escape).collect()
}

/// The directory of a Python package in the environment of a project, if it has this version there.
fn site_packages(project: &Path, package: &str, version: &str) -> Option<PathBuf> {
    let libraries = fs::read_dir(project.join(".venv/lib")).ok()?;
    let name = package.to_ascii_lowercase().replace(['-', '.'], "_");
    libraries.flatten().map(|library| library.path().join("site-packages")).find_map(|site| {
        let installed = fs::read_dir(&site).ok()?.flatten().any(|entry| {
            let found = entry.file_name().to_string_lossy().to_ascii_lowercase();
            found == format!("{name}-{version}.dist-info")
        });
        Some(site.join(&name)).filter(|dir| installed && dir.is_dir())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_installed_packages_of_both_projects_are_found() {
        let place = tempfile::tempdir().unwrap();
        let projects = ["old", "new"].map(|project| place.path().join(project));
        for (project, version) in projects.iter().zip(["1.0.0", "2.0.0"]) {
            let dir = project.join("node_modules/page");
            fs::create_dir_all(&dir).unwrap();
            fs::write(dir.join("package.json"), format!("{{\"version\": \"{version}\"}}")).unwrap();
        }
        let upgrade = |to: &str| Upgrade {
            package: "page".to_owned(),
            from: Some("1.0.0".to_owned()),
            to: Some(to.to_owned()),
        };
        let projects = [projects[0].as_path(), projects[1].as_path()];
        let found = package_sources(LockKind::Npm, &upgrade("2.0.0"), projects).unwrap();
        assert_eq!(found[1], projects[1].join("node_modules/page"));
        assert_eq!(package_sources(LockKind::Npm, &upgrade("2.1.0"), projects), None);
        assert_eq!(escaped_module("github.com/Azure/x"), "github.com/!azure/x");
    }
}
