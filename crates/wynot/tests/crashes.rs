//! Real compilers that die for real, with nothing but the command that shows it.
//!
//! The crashes are those of the compilers this project is tested with. Where another version is
//! installed that does not crash, the test says so and checks that wynot says so too.

mod support;

use std::process::Command;
use support::Place;

/// Reduces a program and checks that no single character can go.
fn reduce_to_one_minimal(
    source: &str,
    name: &str,
    compiler: &[&str],
    crash_code: i32,
    at_most: usize,
) {
    let place = Place::new();
    place.write(name, source);
    // Under the same name: compilers derive other names from it.
    let compile = |source: &str| {
        let elsewhere = Place::new();
        elsewhere.write(name, source);
        let mut command = Command::new(compiler[0]);
        elsewhere.prepare(&mut command);
        let args = compiler[1..].iter().map(|arg| arg.replace("{}", name));
        command.args(args).output().unwrap().status.code()
    };
    let ran = place.wynot(&format!("reduce {name} -- {}", compiler.join(" ")));
    if compile(source) != Some(crash_code) {
        println!("this {} does not crash", compiler[0]);
        assert_eq!(ran.code, Some(3), "{ran:?}");
        return;
    }
    ran.ends(0, &format!("exit {crash_code} with "));
    let text = place.text(name.replace('.', ".min."));
    assert!(text.len() <= at_most, "{text}");
    assert_eq!(compile(&text), Some(crash_code), "the result does not crash");
    for (at, c) in text.char_indices() {
        let shorter = format!("{}{}", &text[..at], &text[at + c.len_utf8()..]);
        assert_ne!(compile(&shorter), Some(crash_code), "{c:?} at {at} can go: {text}");
    }
}

#[test]
fn gcc_dies_and_a_2_kb_program_becomes_a_line() {
    let source = include_str!("crashes/geometry.c");
    reduce_to_one_minimal(source, "geometry.c", &["gcc", "-c", "{}", "-o", "/dev/null"], 4, 80);
}

#[test]
fn rustc_panics_and_a_3_kb_program_becomes_a_few_lines() {
    let source = include_str!("crashes/units.rs");
    let rustc = ["rustc", "--edition", "2021", "--crate-type", "lib", "--emit", "metadata", "{}"];
    reduce_to_one_minimal(source, "units.rs", &rustc, 101, 160);
}

#[test]
fn the_crash_of_gcc_is_found_behind_its_driver() {
    let place = Place::new();
    place.write("geometry.c", include_str!("crashes/geometry.c"));
    let ran = place.wynot("reduce --same-crash -j 1 geometry.c --max-tests 9 -- gcc -c {}");
    let mut gcc = Command::new("gcc");
    place.prepare(&mut gcc);
    if gcc.args(["-c", "geometry.c"]).output().unwrap().status.code() != Some(4) {
        println!("this gcc does not crash");
        assert_eq!(ran.code, Some(3), "{ran:?}");
        return;
    }
    // It calls itself until there is no stack left; the functions have no names, but addresses.
    ran.ends(5, "wynot: exit 4 after stack overflow in cc1+0x");
}
