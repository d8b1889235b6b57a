//! Which dependency upgrade broke it: made-up lock files, and shell scripts that install as package managers do.

mod support;

use serde_json::{Value, json};
use std::fs;
use std::process::Command;
use support::{Place, ran};

/// Two projects with requirements. The package `web` 3 breaks the test; `site` 3 needs it, and the old `net` refuses `pool` 2.
fn requirements() -> Place {
    let place = Place::new();
    for (dir, versions) in [("good", [1, 2, 1, 1, 1, 1, 1, 2]), ("bad", [2, 3, 2, 2, 2, 2, 2, 3])] {
        fs::create_dir(place.path(dir)).unwrap();
        let names = ["bell", "Site", "dots", "idle", "net", "pool", "text", "web"];
        let lines =
            names.iter().zip(versions).map(|(name, version)| format!("{name}=={version}.0\n"));
        let lines: String = lines.collect();
        place.write(&format!("{dir}/requirements.txt"), format!("# pinned\n{lines}same==1.0\n"));
        place.write(&format!("{dir}/app.txt"), "the project\n");
    }
    place.script(
        "install",
        "has() { grep -q \"^$1\" requirements.txt; }
         conflict() { echo \"ERROR: Cannot install $1==$2 and $3 because of conflicting dependencies\"; exit 1; } >&2
         ! has Site==3 || has web==3 || conflict Site 3.0 web==2.0
         ! has pool==2 || has net==2 || conflict net 1.0 pool==2.0
         mkdir -p installed; cp requirements.txt installed/",
    );
    place.script(
        "t",
        "[ -f app.txt ] && [ -f installed/requirements.txt ] || exit 125
         ! grep -q web==3 installed/requirements.txt || { echo error: no web_quote >&2; exit 1; }",
    );
    place
}

const BOTH: &str = "--good good/requirements.txt --bad bad/requirements.txt";

fn search(place: &Place, more: &str) -> Value {
    place.json(
        &format!("changes {more} --build ../install -- ./t").replace("../install", &install(place)),
    )
}

fn install(place: &Place) -> String {
    place.path("install").display().to_string()
}

#[test]
fn the_upgrade_is_found_and_audited_both_ways() {
    let place = requirements();
    let found = search(&place, BOTH);
    assert_eq!(
        found["upgrades"],
        json!([{"package": "web", "from": "2.0", "to": "3.0"}]),
        "{found}"
    );
    assert_eq!(found["upgraded_with"], json!([]));
    assert_eq!(found["audit"], json!({"alone": "fail", "without": "pass", "dependents": 1}));
    assert_eq!(found["minimality"], "1-minimal (upgrade)");
    assert_eq!(found["commits"], json!([]));
    assert!(found["tests"]["unresolved"].as_u64() <= Some(2), "{found}");
    let session = format!("{BOTH} --report page.html");
    let words = place.wynot(&format!("changes {session} --build {} -- ./t", install(&place)));
    for line in [
        "the upgrade of web from 2.0 to 3.0 breaks it, 1 of 8, 1-minimal (upgrade), ",
        "the good version fails with this alone; the bad version passes without it and that of Site",
        "-web==2.0\n+web==3.0\n",
    ] {
        assert!(words.stdout.contains(line), "{line}: {words:?}");
    }
    assert!(place.text("page.html").contains("the upgrade of web from 2.0 to 3.0"));
}

#[test]
fn the_patch_can_be_applied_to_the_good_project() {
    let place = requirements();
    let found = search(&place, BOTH);
    let patch = found["patch"].as_str().unwrap();
    let mut command = Command::new("sh");
    place.prepare(&mut command);
    let script =
        format!("cd good && git apply {patch} && ../install && ! ../t 2> ../said && cat ../said");
    let done = ran(command.args(["-e", "-c", &script]));
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "error: no web_quote\n"), "{done:?}");
}

#[test]
fn the_answer_is_the_same_for_any_number_of_jobs_and_after_an_interruption() {
    let place = requirements();
    let first = search(&place, &format!("{BOTH} --jobs 1"));
    let several = search(&place, &format!("{BOTH} --jobs 4 --fresh"));
    for part in ["upgrades", "audit", "difference"] {
        assert_eq!(first[part], several[part], "{part}");
    }
    assert_eq!(first["tests"]["executed"], several["tests"]["executed"]);
    let command = format!("changes {BOTH} --session s --build {}", install(&place));
    let stopped = place.json_of(&format!("{command} --max-tests 3 -- ./t"), 5);
    assert_eq!((&stopped["status"], &stopped["upgraded_with"]), (&json!("stopped"), &json!([])));
    let resumed = place.json(&format!("{command} -- ./t"));
    assert_eq!(resumed["upgrades"], first["upgrades"]);
    assert!(resumed["tests"]["replayed"].as_u64() >= Some(2), "{resumed}");
}

#[test]
fn directories_that_differ_in_their_lock_files_alone_are_compared_by_upgrades() {
    let place = requirements();
    let found = search(&place, "--good good --bad bad");
    assert_eq!(found["unit"], "upgrade", "{found}");
    let by_lines = search(&place, "--good good --bad bad --group none");
    assert_eq!(by_lines["unit"], "line", "{by_lines}");
    place.write("bad/app.txt", "the changed project\n");
    let other = search(&place, "--good good --bad bad");
    assert_ne!(other["unit"], "upgrade", "{other}");
}

/// A lock file of npm with a page that breaks, which needs another version of mini, as the old one does.
fn package_lock(page: &str, mini: &str, others: &str) -> String {
    let range = mini.split_once('.').unwrap().0;
    let entry = |name: &str, version: &str, needs: &str| {
        format!(
            ",\n    \"node_modules/{name}\": {{\n      \"version\": \"{version}\",\n      \"dependencies\": {{{needs}}}\n    }}"
        )
    };
    let entries = [
        entry("a", others, ""),
        entry("b", others, ""),
        entry("mini", mini, ""),
        entry("page", page, &format!("\"mini\": \"^{range}.0.0\"")),
    ];
    let needs = "\"a\": \"*\", \"b\": \"*\", \"page\": \"^4.0.0\"";
    format!(
        "{{\n  \"lockfileVersion\": 3,\n  \"packages\": {{\n    \"\": {{\n      \"dependencies\": {{{needs}}}\n    }}{}\n  }}\n}}\n",
        entries.concat()
    )
}

#[test]
fn what_has_to_be_upgraded_with_it_is_said() {
    let place = Place::new();
    fs::create_dir(place.path("project")).unwrap();
    place.write("old.json", package_lock("4.5.0", "1.0.0", "1.0.0"));
    place.write("project/package-lock.json", package_lock("4.7.0", "2.0.0", "1.1.0"));
    fs::create_dir_all(place.path("project/node_modules/page")).unwrap();
    place.script("t", "[ ! -e node_modules ] || exit 125\n! grep -q 4.7.0 package-lock.json || { echo error: empty page >&2; exit 1; }");
    let args = "changes --good old.json --bad project/package-lock.json --build true -- ./t";
    let found = place.json(args);
    assert_eq!(found["upgrades"][0]["package"], "page", "{found}");
    assert_eq!(
        found["upgraded_with"],
        json!([{"package": "mini", "from": "1.0.0", "to": "2.0.0"}]),
        "page and mini cannot be installed apart"
    );
    assert_eq!(found["tests"]["unresolved"], 0);
    let words = place.wynot(args).stdout;
    assert!(words.contains("  it needs the upgrade of mini from 1.0.0 to 2.0.0\n"), "{words}");
    assert!(words.contains("fails with this and that of mini, which it needs"), "{words}");
}

/// A lock file of Cargo in which a needs b, and both have the same version.
fn cargo_lock(version: &str, other: &str) -> String {
    let entry = |name: &str, version: &str, needs: &str| {
        format!(
            "\n[[package]]\nname = \"{name}\"\nversion = \"{version}\"\nsource = \"registry+x\"\n{needs}"
        )
    };
    let needs = "dependencies = [\n \"b\",\n]\n";
    let entries = [entry("a", version, needs), entry("b", version, ""), entry("c", other, "")];
    let project = "\n[[package]]\nname = \"app\"\nversion = \"0.1.0\"\ndependencies = [\n \"a\",\n \"c\",\n]\n";
    format!("version = 4\n{}{project}", entries.concat())
}

#[test]
fn packages_with_the_same_versions_are_tested_apart_in_the_end() {
    let place = Place::new();
    fs::create_dir(place.path("new")).unwrap();
    place.write("old.lock", format!("# @generated by Cargo\n{}", cargo_lock("1.0.0", "1.0.0")));
    place.write(
        "new/Cargo.lock",
        format!("# @generated by Cargo\n{}", cargo_lock("1.1.0", "1.2.0")),
    );
    place.script(
        "t",
        "! grep -A1 '\"b\"$' Cargo.lock | grep -q 1.1.0 || { echo error: b >&2; exit 1; }",
    );
    let found = place.json("changes --good old.lock --bad new/Cargo.lock -- ./t");
    assert_eq!(
        found["upgrades"],
        json!([{"package": "b", "from": "1.0.0", "to": "1.1.0"}]),
        "{found}"
    );
    assert_eq!(found["upgraded_with"], json!([]));
}

#[test]
fn what_cannot_be_installed_is_said() {
    let place = requirements();
    let [good, bad] = ["good", "bad"].map(|side| place.path(side).join("requirements.txt"));
    place.script(
        "install",
        &format!(
            "cmp -s requirements.txt {} || cmp -s requirements.txt {} || exit 1
             mkdir -p installed; cp requirements.txt installed/",
            good.display(),
            bad.display()
        ),
    );
    let found = place.wynot(&format!("changes {BOTH} --build {} -- ./t", install(&place)));
    assert!(found.stdout.contains("8 upgrades of 8 "), "{found:?}");
    assert!(found.stdout.contains("did not build"), "{found:?}");
}

#[test]
fn lock_files_that_cannot_be_compared_are_refused() {
    let place = requirements();
    let refused = |good: &str, bad: &str, code: i32, message: &str| {
        place.wynot(&format!("changes --good {good} --bad {bad} -- ./t")).ends(code, message);
    };
    place.write("Cargo.lock", "version = 4\n\n[[package]]\nname = \"a\"\n");
    place.write("package-lock.json", "{\"lockfileVersion\": 1, \"dependencies\": {}}");
    place.write("notes", "nothing\n");
    let pins = "good/requirements.txt";
    refused(
        "Cargo.lock",
        pins,
        2,
        "Cargo.lock and good/requirements.txt are lock files of different kinds: Cargo.lock and requirements.txt",
    );
    refused(pins, "notes", 2, "good/requirements.txt is a lock file, notes is not");
    refused(pins, pins, 3, "good/requirements.txt and good/requirements.txt are the same");
    refused("Cargo.lock", "Cargo.lock", 2, "Cargo.lock: line 3: expected a package with a version");
    refused(
        "package-lock.json",
        "package-lock.json",
        2,
        "package-lock.json: its version 1 is not supported, only 2 and 3\nhint: npm install",
    );
}
