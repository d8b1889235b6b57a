//! The examples of the help run as they are printed, on files that suit them.

mod support;

use std::process::Command;
use support::changes::sh;
use support::{Place, Ran, gcc, ran};
use wynot_test_support::{Tool, require};

/// What examples need that is not made here: workers, servers, package registries, valgrind. They are tried by other tests.
const WITH_SERVICES: [&str; 4] = ["--executor", "cargo build", "pip install", "valgrind"];

/// The examples of a verb's help, each in one line.
fn examples(place: &Place, verb: &str) -> Vec<String> {
    let help = place.wynot(&format!("{verb} --help")).stdout;
    let text = help.split("Examples:\n").nth(1).unwrap_or_else(|| panic!("{verb}: {help}"));
    let text = text.split("\n\n").next().unwrap();
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("  ") {
            Some(line) if line.starts_with("wynot ") => lines.push(line.to_owned()),
            // The rest of a long command; explanations are indented by more.
            Some(line) if !line.starts_with(' ') => {
                lines.last_mut().unwrap().push_str(&format!(" {line}"));
            }
            _ => {}
        }
    }
    lines.retain(|line| !WITH_SERVICES.iter().any(|word| line.contains(word)));
    lines
}

/// Runs a line as a shell does, where `wynot` is the built program.
fn typed(place: &Place, directory: &str, line: &str) -> Ran {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_wynot")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("sh");
    place.prepare(&mut command);
    ran(command.current_dir(place.path(directory)).env("PATH", path).args(["-c", line]))
}

/// Runs all examples of a verb in a directory.
#[track_caller]
fn all_run(place: &Place, verb: &str, directory: &str, number: usize) {
    let lines = examples(place, verb);
    assert_eq!(lines.len(), number, "{lines:?}");
    for line in lines {
        // Graphviz only draws.
        let line = line.split(" | dot").next().unwrap();
        let ran = typed(place, directory, line);
        assert_eq!(ran.code, Some(0), "{line}: {ran:?}");
    }
}

/// A program that dies by a signal if its file contains an `x`.
const DECODER: &str = "#include <stdio.h>\n#include <stdlib.h>\nint main(int n, char **a) { FILE *f = fopen(a[1], \"r\"); int c; \
                       while ((c = fgetc(f)) != EOF) if (c == 'x') abort(); return 0; }\n";

#[test]
fn examples_of_reduce_isolate_and_verify() {
    require!(Tool::Make);
    let place = Place::new();
    gcc(&place, "decoder", &[], DECODER);
    place.write("crash.c", "int a;\nint f(void) { return b; }\n");
    place.write("lib.rs", "pub fn f(v: &mut Vec<u8>) { for _ in v.iter() { v.push(1); } }\n");
    place.write("input.bin", [3, 1, b'x', 4, 1, 5]);
    place.write("crash.bin", [2, 7, 1, b'x', 8]);
    place.write("page.html", "<p>one<b>two</b></p>\n");
    place.script("interesting.sh", "grep -q '<b>' page.html");
    sh(
        &place,
        "mkdir project; printf 'all:\\n\\t! grep -q x data\\n' > project/Makefile; echo xyz > project/data",
    );
    all_run(&place, "reduce", ".", 5);
    place.write("old.conf", "port 1\nname a\n");
    place.write("new.conf", "port 2\nname b\n");
    place.script("server", "! grep -q 'port 2' \"$2\"");
    place.script("program", "! grep -q oops \"$2/lib.txt\"");
    sh(
        &place,
        "mkdir lib-1.2 lib-1.3; echo fine > lib-1.2/lib.txt; printf 'fine\\noops\\n' > lib-1.3/lib.txt",
    );
    all_run(&place, "isolate", ".", 3);
    assert_eq!(typed(&place, ".", "wynot reduce crash.c -- gcc -O2 -c {}").code, Some(0));
    all_run(&place, "verify", ".", 2);
    all_run(&place, "sessions", ".", 2);
}

#[test]
fn examples_of_options() {
    let place = Place::new();
    place.script("build-and-test.sh", "case \"$*\" in *fast-math*) exit 1;; esac");
    place.write("options.txt", "-DA\n-DB\n-g\n");
    place.write("bug.c", "#if !defined A && !defined B\n#error bug\n#endif\n");
    place.script("program", "test -z \"$XDG_STATE_HOME\"");
    // Tests run in a directory of their own.
    let bug = place.path("bug.c").display().to_string();
    for line in examples(&place, "options") {
        let ran = typed(&place, ".", &line.replace("bug.c", &format!("{bug} -o bug.o")));
        assert_eq!(ran.code, Some(0), "{line}: {ran:?}");
    }
}

#[test]
fn examples_of_changes_and_history() {
    require!(Tool::Make, Tool::Python, Tool::Tar);
    let place = Place::new();
    sh(
        &place,
        "git init -q repo; cd repo; mkdir tests
         printf 'value:\\n\\tcp source value\\n' > Makefile; echo good > source
         printf '#!/bin/sh\\ngrep -q good value\\n' > run-tests.sh; cp run-tests.sh reproduce.sh; chmod +x *.sh
         echo 'import sys; sys.exit(\"good\" not in open(\"source\").read())' > tests/check_bug.py
         git add -A; git commit -qm First; git tag v1.0; git tag v1.2
         echo wrong > source; git commit -qam Second
         mkdir ../lib-1.2 ../lib-1.3; cd ..
         for version in 1.2 1.3; do cp repo/Makefile lib-$version; cp repo/run-tests.sh lib-$version/check; done
         echo good > lib-1.2/source; echo wrong > lib-1.3/source; tar czf repo/lib-1.2.tar.gz lib-1.2
         mv lib-1.3 repo; seq 1 9 > repo/nightlies.txt",
    );
    place.script("repo/race.sh", "test $1 -lt 4");
    all_run(&place, "changes", "repo", 3);
    all_run(&place, "history", "repo", 2);
}

/// Sorts its arguments, but with one number too many; stands for the other programs, too.
const SORT: &str = "#include <stdio.h>\n#include <stdlib.h>\n\
    static void shell_sort(int a[], int size) {\n  for (int i = 1; i < size; i++)\n    for (int j = i; j > 0 && a[j - 1] > a[j]; j--) {\n\
    \x20     int t = a[j]; a[j] = a[j - 1]; a[j - 1] = t; }\n}\n\
    int main(int argc, char *argv[]) {\n  int *a = calloc(argc, sizeof *a);\n  for (int i = 0; i < argc - 1; i++) a[i] = atoi(argv[i + 1]);\n\
    \x20 shell_sort(a, argc < 4 ? argc : argc - 1);\n  for (int i = 0; i < argc - 1; i++) printf(\"%d \", a[i]);\n  return 0;\n}\n";

/// Dies on the word `bad` in its file, or on its standard input.
const PARSE: &str = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n\
    \x20 FILE *in = argc > 1 ? fopen(argv[1], \"r\") : stdin;\n  int c = fgetc(in);\n  if (c == 'b')\n    abort();\n  printf(\"fine\");\n  return 0;\n}\n";

/// A function that looks at a list of numbers.
const LIST: &str = "#include <stdlib.h>\nstatic int check(int n, int last) { return n + last; }\n\
    int main(int argc, char **argv) { return check(argc, atoi(argv[argc - 1])) > 100; }\n";

#[cfg(target_arch = "x86_64")]
#[test]
fn examples_of_explain_and_state() {
    let place = Place::new();
    for (name, source) in [("sort", SORT), ("parse", PARSE), ("list", LIST)] {
        gcc(&place, name, &["-g"], source);
    }
    for (name, text) in
        [("good.txt", "good"), ("bad.txt", "bad"), ("a.txt", "another"), ("b.txt", "later")]
    {
        place.write(name, text);
    }
    all_run(&place, "explain", ".", 3);
    all_run(&place, "state", ".", 2);
}
