//! Directories and several files: reduced, and compared.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use support::Place;
use wynot_test_support::{Tool, require};

/// All files below a directory, with their contents.
fn files(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut pending = vec![root.to_owned()];
    while let Some(dir) = pending.pop() {
        for entry in fs::read_dir(&dir).unwrap().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(root).unwrap().display().to_string();
            let metadata = fs::symlink_metadata(&path).unwrap();
            if metadata.is_dir() {
                pending.push(path);
            } else if metadata.is_symlink() {
                found.insert(name, format!("-> {}", fs::read_link(&path).unwrap().display()));
            } else {
                let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
                found.insert(name, text);
            }
        }
    }
    found
}

/// A program of 36 files in which a header and a source do not agree about a function.
fn project(place: &Place) {
    let write = |name: &str, text: String| {
        let path = place.path("shop").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let mut objects = String::new();
    for number in 0..16 {
        let name = format!("item{number}");
        write(
            &format!("include/{name}.h"),
            format!(
                "#ifndef ITEM{number}_H\n#define ITEM{number}_H\n#include \"price.h\"\n\
                     struct {name} {{ int id; price value; }};\n\
                     int {name}_total(struct {name} *item, int count);\n#endif\n"
            ),
        );
        write(
            &format!("src/{name}.c"),
            format!(
                "#include \"{name}.h\"\n#include <stdio.h>\n\n/* The total of {name}. */\n\
                     int {name}_total(struct {name} *item, int count)\n{{\n    int sum = 0;\n    \
                     for (int i = 0; i < count; i++)\n        sum += item->value * {number};\n    \
                     printf(\"%d\\n\", sum);\n    return sum;\n}}\n"
            ),
        );
        objects.push_str(&format!(" src/{name}.o"));
    }
    write(
        "include/price.h",
        "#ifndef PRICE_H\n#define PRICE_H\ntypedef int price;\n#endif\n".into(),
    );
    write("README", "A shop.\n".into());
    write("src/main.c", "#include \"item3.h\"\nint main(void) { return 0; }\n".into());
    write(
        "Makefile",
        format!(
            "OBJECTS = src/main.o{objects}\n\nshop: $(OBJECTS)\n\tcc -o $@ $(OBJECTS)\n\n\
                 %.o: %.c\n\tcc -Iinclude -c $< -o $@\n"
        ),
    );
    let source = place.path("shop/src/item7.c");
    let text = fs::read_to_string(&source).unwrap();
    fs::write(source, text.replace("int item7_total", "long item7_total")).unwrap();
}

const BUILD: &str = "--fail-when stderr~conflicting.types.for.*item7_total shop -- make -s -C shop";

#[test]
fn a_project_of_36_files_shrinks_to_the_two_lines_that_clash() {
    require!(Tool::Make);
    let place = Place::new();
    project(&place);
    assert_eq!(files(&place.path("shop")).len(), 36);
    let before = files(&place.path("shop"));
    let found = place.json(&format!("reduce {BUILD}"));
    assert_eq!(found["files"], serde_json::json!({"before": 36, "after": 3}), "{found}");
    assert_eq!(found["minimality"], "1-minimal (file, token, byte)");
    // By hand: a makefile that builds one object, an include, and two declarations.
    let by_hand = "s:src/item7.o\n%.o:%.c;cc -Iinclude $<\n".len()
        + "#include\"item7.h\"\nlong item7_total(){}".len()
        + "item7_total();".len();
    let bytes: usize = files(&place.path("shop.min")).values().map(String::len).sum();
    assert!(bytes <= 2 * by_hand, "{bytes} {by_hand}: {:?}", files(&place.path("shop.min")));
    assert_eq!(files(&place.path("shop")), before, "the input is not touched");
    assert_eq!(place.wynot("verify shop.min").code, Some(0));
    fs::write(place.path("shop.min/extra"), "x").unwrap();
    place.wynot("verify shop.min").ends(4, "is not what the session has ended with");
}

/// A small tree and a test that is quick: the failure needs one word here and one there.
fn quick() -> Place {
    let place = Place::new();
    for number in 0..24 {
        let dir = place.path(format!("tree/d{}", number % 5));
        fs::create_dir_all(&dir).unwrap();
        let text = format!("first line of {number}\nneedle {number}\nlast line of {number}\n");
        fs::write(dir.join(format!("f{number}.txt")), text).unwrap();
    }
    place.script(
        "t",
        "! { grep -qs 'needle 7' tree/d2/f7.txt && grep -qs 'last' tree/d3/f18.txt; }",
    );
    place
}

#[test]
fn the_result_is_the_same_for_every_number_of_jobs_and_after_kills() {
    let place = quick();
    let first = place.json("reduce -j 1 -o one tree -- ./t");
    let expected = files(&place.path("one"));
    assert_eq!(expected.len(), 2, "{expected:?}");
    assert_eq!(expected["d2/f7.txt"], "needle 7");
    for jobs in [2, 4, 8] {
        let found = place.json(&format!("reduce --fresh -j {jobs} -o out{jobs} tree -- ./t"));
        assert_eq!(found["tests"]["executed"], first["tests"]["executed"], "{jobs}");
        assert_eq!(files(&place.path(format!("out{jobs}"))), expected, "{jobs}");
    }
    place.script(
        "t",
        "sleep 0.02; ! { grep -qs 'needle 7' tree/d2/f7.txt && grep -qs 'last' tree/d3/f18.txt; }",
    );
    for round in 0..6u64 {
        let mut command = place.command();
        command.args(["reduce", "-j", "2", "-o", "killed", "tree", "--", "./t"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(250 + 150 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        // Whatever moment it was: the tree is complete, and it fails.
        if place.path("killed").exists() {
            let mut check = Command::new("sh");
            check
                .current_dir(place.path("."))
                .args(["-c", "rm -rf check; mkdir check; cp -a killed check/tree; cd check; ../t"]);
            assert_eq!(check.status().unwrap().code(), Some(1), "round {round}");
        }
    }
    let resumed = place.json("reduce -j 2 -o killed tree -- ./t");
    assert_eq!(files(&place.path("killed")), expected);
    assert_eq!(resumed["tests"]["executed"], first["tests"]["executed"]);
    assert!(resumed["tests"]["replayed"].as_u64() > Some(0), "{resumed}");
}

#[test]
fn links_modes_empty_directories_and_binaries_are_kept() {
    let place = Place::new();
    let dir = place.path("tree");
    fs::create_dir_all(dir.join("empty")).unwrap();
    fs::create_dir_all(dir.join("locked")).unwrap();
    fs::write(dir.join("run.sh"), "#!/bin/sh\nexit 0\n").unwrap();
    fs::set_permissions(dir.join("run.sh"), fs::Permissions::from_mode(0o750)).unwrap();
    fs::write(dir.join("data.bin"), [0u8, 159, 146, 150, 0, 1, 2, 3]).unwrap();
    fs::write(dir.join("locked/note"), "x").unwrap();
    symlink("run.sh", dir.join("link")).unwrap();
    symlink("nowhere", dir.join("dangling")).unwrap();
    let here = place.path(".").canonicalize().unwrap();
    place.script(
        "t",
        &format!(
            "cd tree || exit 0
             test -d empty && test \"$(stat -c %a run.sh)\" = 750 && test -L dangling &&
             test \"$(readlink link)\" = run.sh && cmp -s data.bin {}/expected.bin || exit 0
             exit 1",
            here.display()
        ),
    );
    place.write("expected.bin", [0u8, 159, 146, 150, 0, 1, 2, 3]);
    let found = place.json("reduce tree -- ./t");
    assert_eq!(found["status"], "minimal");
    let min = place.path("tree.min");
    assert!(min.join("empty").is_dir() && !min.join("locked").exists());
    assert_eq!(fs::metadata(min.join("run.sh")).unwrap().permissions().mode() & 0o777, 0o750);
    assert_eq!(fs::read(min.join("run.sh")).unwrap(), b"", "its contents were not needed");
    assert_eq!(fs::read_link(min.join("dangling")).unwrap(), Path::new("nowhere"));
    assert_eq!(fs::read(min.join("data.bin")).unwrap().len(), 8);
}

#[test]
fn several_files_shrink_together() {
    let place = Place::new();
    place.write("main.sh", "date=today\n. ./helper.sh\necho start\ntwice 21\n");
    place
        .write("helper.sh", "once() { echo $1; }\ntwice() { echo $(($1 * 2)); }\nother() { :; }\n");
    place.write("notes.txt", "nothing of interest\n");
    place.script("t", "test \"$(sh main.sh 2>&1 | tail -1)\" != 42");
    let found = place.json("reduce main.sh helper.sh notes.txt -- ./t");
    assert_eq!(found["files"]["after"], 2, "{found}");
    let result = files(&place.path("main.sh.min"));
    assert!(result["main.sh"].contains("helper.sh"), "{result:?}");
    assert!(!result["main.sh"].contains("start"), "{result:?}");
    assert!(!result["helper.sh"].contains("other"), "{result:?}");
    place.wynot("reduce main.sh ./main.sh -- ./t").ends(2, "./main.sh is there twice");
}

#[test]
fn with_a_project_around_only_the_named_part_varies() {
    let place = quick();
    let inside = "! { grep -qs 'needle 7' d2/f7.txt && test -e d0/f0.txt && test -e d3; }";
    fs::write(place.path("tree/check.sh"), format!("#!/bin/sh\n{inside}\n")).unwrap();
    let script = place.path("tree/check.sh");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let found = place.json("reduce --in tree tree/d2 -- tree/check.sh");
    assert_eq!(found["files"], serde_json::json!({"before": 5, "after": 1}), "{found}");
    assert_eq!(
        files(&place.path("tree/d2.min")).into_iter().collect::<Vec<_>>(),
        [("f7.txt".to_owned(), "needle 7".to_owned())]
    );
}

#[test]
fn the_test_itself_stays_when_it_lies_in_the_directory() {
    let place = quick();
    fs::rename(place.path("t"), place.path("tree/t")).unwrap();
    let mut command = place.command();
    command.current_dir(place.path("tree"));
    command.args(["reduce", "-q", ".", "--", "./t"]);
    place.script("tree/t", "! grep -qs 'needle 7' d2/f7.txt");
    let ran = support::ran(&mut command);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(files(&place.path("tree.min")).len(), 2, "the test and one file");
}

#[test]
fn the_file_and_the_line_of_a_new_version_are_isolated() {
    require!(Tool::Python);
    let place = Place::new();
    for (version, broken) in [("lib-1.2", false), ("lib-1.3", true)] {
        for number in 0..40 {
            let dir = place.path(version).join(format!("part{}", number % 4));
            fs::create_dir_all(&dir).unwrap();
            let text = match (broken, number) {
                (false, _) => format!("# module {number}\ndef f(x):\n    return x + {number}\n"),
                (true, 23) => {
                    "# module 23, renewed\nVERSION = 3\ndef f(x):\n    y = x\n    return y - 23\n"
                        .to_owned()
                }
                (true, _) => format!(
                    "# module {number} of 1.3\ndef f(x):\n    # faster\n    return x + {number}\n"
                ),
            };
            fs::write(dir.join(format!("m{number}.py")), text).unwrap();
        }
    }
    place.script("t", "python3 -c \"import sys; sys.path.insert(0, '$1/part3'); import m23; sys.exit(m23.f(1) != 24)\"");
    let found = place.json("isolate --passing lib-1.2 lib-1.3 -- ./t {}");
    let changes = found["difference"]["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 1, "{found}");
    let change = changes[0].as_str().unwrap();
    assert!(change.starts_with("lib-1.3/part3/m23.py, line 5"), "{found}");
    assert!(change.contains("fails with \"    return y - 23"), "{found}");
    assert!(change.contains("instead of \"    return x + 23"), "{found}");
    let levels = place.wynot("isolate --fresh --passing lib-1.2 lib-1.3 -- ./t {}");
    assert!(levels.stderr.contains("searching 40 files"), "{levels:?}");
    let to_file = place.json("isolate --fresh --unit file --passing lib-1.2 lib-1.3 -- ./t {}");
    assert!(to_file["tests"]["executed"].as_u64() <= Some(11), "2 log2 40: {to_file}");
    let (passing, failing) = (place.path("lib-1.3.passing"), place.path("lib-1.3.failing"));
    assert_eq!(files(&passing).len(), 40);
    let differ = |(name, text): (String, String)| (files(&passing)[&name] != text).then_some(name);
    let apart: Vec<String> = files(&failing).into_iter().filter_map(differ).collect();
    assert_eq!(apart, ["part3/m23.py"]);
}
