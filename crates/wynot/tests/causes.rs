//! More than one cause, and other crashes on the way.

mod support;

use std::process::Command;
use support::Place;

#[test]
fn independent_causes_get_results_of_their_own() {
    let place = Place::new();
    let mut text: String = (0..40).map(|number| format!("int unused{number};\n")).collect();
    text.insert_str(100, "int broken(void) { return first(1, 2); }\n");
    text.push_str("void other(void) { int x = second; }\n");
    place.write("in.c", text);
    place.script("t", "! grep -Eq 'first|second' \"$1\"");
    for options in ["", "--unit line,token", "--algorithm gather --unit line,token"] {
        let found = place.json(&format!("reduce --fresh --all-causes {options} in.c -- ./t {{}}"));
        assert_eq!(found["causes"].as_array().unwrap().len(), 2, "{options}: {found}");
        assert_eq!(found["complete"], true);
        let results = [place.text("in.min.c"), place.text("in.min.2.c")];
        let mut results = results.map(|text| text.trim().to_owned());
        results.sort();
        assert_eq!(results, ["first", "second"], "{options}");
    }
    let told = place.wynot("reduce --fresh --all-causes in.c -- ./t {}");
    assert!(!told.stdout.contains("known from before"), "nothing was before: {told:?}");
    let limited = place.json_of("reduce --fresh --all-causes --max-tests 9 in.c -- ./t {}", 5);
    assert_eq!(limited["tests"]["executed"], 9, "all parts together: {limited}");
    assert!(told.stdout.contains("no other cause: without these 2"), "{told:?}");
    place.wynot("reduce --all-causes . -- ./t {}").ends(2, "--all-causes takes one file");
    place.wynot("reduce --all-causes --algorithm dd in.c -- ./t {}").ends(2, "all causes");
}

#[test]
fn other_crashes_are_listed_with_the_smallest_input_that_shows_them() {
    let place = Place::new();
    place.write(
        "parse.c",
        r#"
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        static volatile int zero;
        __attribute__((noinline)) void bad_number(char *p) { *(volatile char *)(long)zero = *p; }
        __attribute__((noinline)) void bad_name(char *p) { *(volatile char *)(long)(zero + 8) = *p; }
        __attribute__((noinline)) void bad_end(void) { abort(); }
        int main(int argc, char **argv) {
            static char text[4096];
            fread(text, 1, sizeof text - 1, fopen(argv[1], "r"));
            char *number = strstr(text, "number"), *name = strstr(text, "name");
            if (name && !strstr(text, "of")) bad_end();
            if (number && strchr(number, '9')) bad_number(number);
            if (name) bad_name(name);
            return 0;
        }
        "#,
    );
    let mut gcc = Command::new("gcc");
    gcc.current_dir(place.dir.path()).args(["-O1", "-w", "parse.c", "-o", "parse"]);
    assert!(gcc.status().unwrap().success());
    let filler: String = (0..20).map(|number| format!("line {number}\n")).collect();
    place.write("in.txt", format!("begin\n{filler}name of it\n{filler}number 9\nend\n"));
    let found = place.json("reduce --any-failure --all-causes in.txt -- ./parse {}");
    // The first cause keeps the signal; what it slips to, and the other signal, are listed.
    let crashes = found["crashes"].as_array().unwrap();
    let names: Vec<&str> = crashes.iter().map(|crash| crash["crash"].as_str().unwrap()).collect();
    assert!(names.iter().any(|name| name.contains("bad_name")), "{found}");
    assert!(names.iter().any(|name| name.contains("bad_end")), "{found}");
    assert!(!names.iter().any(|name| name.contains("bad_number")), "{found}");
    for crash in crashes {
        let path = crash["path"].as_str().unwrap();
        assert_eq!(std::fs::metadata(path).unwrap().len(), crash["bytes"].as_u64().unwrap());
    }
    let again = place.json("reduce --any-failure --fresh -j 1 --all-causes in.txt -- ./parse {}");
    assert_eq!(again["crashes"], found["crashes"], "the same for every number of jobs");
    let resumed = place.json("reduce --any-failure --all-causes in.txt -- ./parse {}");
    assert_eq!(resumed["crashes"], found["crashes"], "and from the journal");
}
