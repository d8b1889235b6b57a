//! Files beside the input that its test needs: headers and modules.

mod support;

use support::Place;

/// A program whose mistake is in a header of a header.
fn place_with_headers() -> Place {
    let place = Place::new();
    place.write(
        "main.c",
        "#include <stddef.h>\n#include \"util.h\"\nint main(void) { return get(0); }\n",
    );
    place.write(
        "util.h",
        "#pragma once\n#include \"deep.h\"\nstatic int get(struct deep *d) { return d->zz; }\n",
    );
    std::fs::create_dir(place.path("include")).unwrap();
    place.write(
        "include/deep.h",
        "#ifndef DEEP_H\n#define DEEP_H\nstruct deep { int z; };\n#endif\n",
    );
    place
}

#[test]
fn a_test_that_misses_a_neighbour_of_the_input_is_refused() {
    let place = place_with_headers();
    let ran = place.wynot("reduce main.c -- gcc -Iinclude -fsyntax-only {}");
    ran.ends(3, "the test misses util.h, which is beside main.c: this is no failure of main.c");
    assert!(ran.stderr.contains("wynot reduce --in . main.c -- "), "{ran:?}");
    assert!(ran.stderr.contains("--inline-includes puts util.h into main.c"), "{ran:?}");
    // Unless it is what the user asks for.
    let asked = "reduce --fail-when stderr~util main.c -- gcc -Iinclude -fsyntax-only {}";
    place.wynot(asked).ends(0, "");
}

#[test]
fn the_headers_of_a_project_shrink_with_the_input() {
    let place = place_with_headers();
    let ran = place.wynot("reduce --inline-includes main.c -- gcc -Iinclude -fsyntax-only {}");
    ran.ends(0, "main.c with 2 headers in it has 164 bytes");
    let result = place.text("main.min.c");
    assert!(!result.contains("include") && result.contains("->"), "{result}");
    assert!(result.len() < 50, "{result}");
    // The input itself is as it was.
    assert!(place.text("main.c").contains("#include \"util.h\""));
    place.write("alone.c", "int x = y;\n");
    place
        .wynot("reduce --inline-includes alone.c -- gcc -fsyntax-only {}")
        .ends(2, "alone.c includes no header of its project");
}

#[test]
fn a_module_beside_a_script_is_a_neighbour() {
    let place = Place::new();
    place.write("main.py", "import helper\nhelper.run(1)\n");
    place.write("helper.py", "def run(x):\n    return x / 0\n");
    let ran = place.wynot("reduce main.py -- python3 {}");
    ran.ends(3, "the test misses helper.py, which is beside main.py");
    assert!(!ran.stderr.contains("--inline-includes"), "{ran:?}");
    place.wynot("reduce --in . main.py -- python3 {}").ends(0, "ZeroDivisionError");
}
