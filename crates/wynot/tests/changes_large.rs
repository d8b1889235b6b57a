//! Two versions of a large C program: thousands of changes, one of which matters, and a real compiler.

mod support;

use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use support::Place;
use wynot_test_support::{Tool, require};

/// How large the two versions are.
#[derive(Clone, Copy)]
struct Size {
    directories: u32,
    /// In all directories together.
    files: u32,
    /// Changes with unchanged lines between them.
    hunks: u32,
    /// Lines that differ.
    lines: u32,
}

/// What changed from gdb 4.16 to 4.17, the first case of delta debugging: it took 97 tests.
const GDB: Size = Size { directories: 17, files: 340, hunks: 8_721, lines: 178_000 };

/// As many lines per hunk and hunks per file, but few enough to be compiled while other tests run.
const SMALL: Size = Size { directories: 6, files: 24, hunks: 615, lines: 12_550 };

/// How functions change: lines give way to others, are added, or go.
const KINDS: [(bool, bool); 4] = [(true, true), (true, true), (false, true), (true, false)];

/// Writes both versions; any mixture of them can be compiled, and one line of them matters.
fn write(root: &Path, size: Size) {
    let mut hunk = 0;
    let mut written = 0;
    for file in 0..size.files {
        let directory = file * size.directories / size.files;
        let mut texts = [String::new(), String::new()];
        each(&mut texts, &format!("/* Part {file} of the program. */\n#include \"all.h\"\n\n"));
        let last = u64::from(file + 1) * u64::from(size.hunks) / u64::from(size.files);
        let mut body = 0;
        while u64::from(hunk) < last {
            if body % 3 == 0 {
                each(&mut texts, &format!("int part_{file}_{}(int x)\n{{\n", body / 3));
                each(&mut texts, "    int v = x;\n");
            }
            // Hunks of any size have, together, the lines that are wanted.
            let due = (u64::from(hunk + 1) * u64::from(size.lines) / u64::from(size.hunks)) as u32;
            let lines = if hunk % 2 == 0 { (due - written) / 2 } else { due - written };
            write_hunk(&mut texts, hunk, lines);
            written += lines;
            if hunk == size.hunks / 3 {
                texts[0].push_str("    check(64);\n");
                texts[1].push_str("    check(63);\n");
            }
            each(&mut texts, &format!("    v ^= {hunk};\n"));
            (hunk, body) = (hunk + 1, body + 1);
            if body % 3 == 0 || u64::from(hunk) == last {
                each(&mut texts, "    return v;\n}\n\n");
            }
        }
        each(&mut texts, &format!("int part_{file}(int x)\n{{\n    int v = x;\n"));
        for function in 0..(body + 2) / 3 {
            each(&mut texts, &format!("    v += part_{file}_{function}(v);\n"));
        }
        each(&mut texts, "    return v;\n}\n");
        for (version, text) in ["good", "bad"].into_iter().zip(texts) {
            let dir = root.join(version).join(format!("dir{directory:02}"));
            fs::create_dir_all(&dir).unwrap();
            fs::write(dir.join(format!("part{file:03}.c")), text).unwrap();
        }
    }
    for version in ["good", "bad"] {
        let dir = root.join(version);
        let (mut header, mut main) =
            (String::from("void check(int);\n"), String::from("#include <stdio.h>\n"));
        main.push_str("#include \"all.h\"\nstatic int wrong;\n");
        main.push_str("void check(int room)\n{\n    if (room < 64) wrong = 1;\n}\n");
        main.push_str("int main(void)\n{\n    int v = 0;\n");
        for file in 0..size.files {
            writeln!(header, "int part_{file}(int);").unwrap();
            writeln!(main, "    v += part_{file}(v);").unwrap();
        }
        main.push_str("    if (wrong) fprintf(stderr, \"error: no room left\\n\");\n");
        main.push_str("    return v == 1 ? 2 : wrong;\n}\n");
        fs::write(dir.join("all.h"), header).unwrap();
        fs::write(dir.join("main.c"), main).unwrap();
        fs::write(dir.join("Makefile"), MAKEFILE).unwrap();
    }
}

/// Compiles what is older than its source.
const MAKEFILE: &str = "objects = $(patsubst %.c,%.o,$(wildcard *.c */*.c))
prog: $(objects)
\t$(CC) -o $@ $(objects)
%.o: %.c all.h
\t$(CC) -O0 -w -I. -c -o $@ $<
";

fn each(texts: &mut [String; 2], text: &str) {
    texts.iter_mut().for_each(|version| version.push_str(text));
}

/// A change of some lines: comments, statements, and what stands in them. No line is there twice.
fn write_hunk([old, new]: &mut [String; 2], hunk: u32, lines: u32) {
    let (in_old, in_new) = KINDS[hunk as usize % KINDS.len()];
    for line in 0..lines {
        let text = |version: u32| {
            let number = (hunk * 64 + line) * 2 + version;
            match (hunk + line) % 4 {
                0 => format!("    v += {number};\n"),
                1 => format!("    /* Step {line}, as of {number}. */\n"),
                2 => format!("    if (v > {number}) v -= {line};\n"),
                _ => format!("    v = v * 3 + {number};\n"),
            }
        };
        if in_old {
            old.push_str(&text(0));
        }
        if in_new {
            new.push_str(&text(1));
        }
    }
}

/// Searches the two versions of a place.
#[track_caller]
fn found(place: &Place, args: &[&str]) -> Value {
    let common = ["changes", "--fresh", "--json", "--good", "good", "--bad", "bad"];
    let ran = place.run(common.iter().chain(args));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    let changes = found["difference"]["changes"].as_array().unwrap();
    assert!(changes.len() == 1 && changes[0].as_str().unwrap().contains("check(63)"), "{found}");
    assert_eq!(found["audit"], serde_json::json!({"alone": "fail", "without": "pass"}), "{found}");
    assert!(found["tests"]["executed"].as_u64() <= Some(21), "{found}");
    found
}

#[test]
fn one_line_of_178_000_is_found_among_8_721_changes() {
    let place = Place::new();
    write(place.dir.path(), GDB);
    place.script("t", "! grep -rq 'check(63)' dir05 || { echo error: no room left >&2; exit 1; }");
    let one = found(&place, &["-j", "1", "--", "./t"]);
    let two = found(&place, &["-j", "2", "--", "./t"]);
    assert!(one["deltas"]["before"].as_u64() >= Some(177_000), "{one}");
    assert_eq!(
        (&one["difference"], &one["tests"]["executed"]),
        (&two["difference"], &two["tests"]["executed"])
    );
}

#[test]
fn a_compiler_compiles_what_has_changed() {
    require!(Tool::Make);
    let place = Place::new();
    write(place.dir.path(), SMALL);
    place.script("t", "exec ./prog");
    found(&place, &["--build", "make -s", "--", "./t"]);
}

/// For measuring.
#[test]
#[ignore = "compiles eight megabytes of C several times, which takes a minute"]
fn a_compiler_compiles_all_of_it() {
    require!(Tool::Make);
    let place = Place::new();
    write(place.dir.path(), GDB);
    place.script("t", "exec ./prog");
    println!("{}", found(&place, &["-j", "1", "--build", "make -s -j2", "--", "./t"]));
}
