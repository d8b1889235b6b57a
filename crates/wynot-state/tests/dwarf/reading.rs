//! Types, functions and lines of programs, compared with the sources and with GDB.

use crate::built::{Built, gdb};
use crate::{CLASSES, LISTS, SHAPES};
use wynot_state::dwarf::{Kind, Member, Program, ProgramError, Type, Types};
use wynot_test_support::{Tool, require};

/// The only type with this name.
fn only_type<'t>(types: &'t Types, name: &str) -> &'t Type {
    let found: Vec<_> = types.by_name(name).collect();
    assert_eq!(found.len(), 1, "{name} is there {} times", found.len());
    &types[found[0]]
}

fn members(of: &Type) -> &[Member] {
    match &of.kind {
        Kind::Structure { members } | Kind::Union { members } => members,
        kind => panic!("{} has no members: {kind:?}", of.name),
    }
}

fn member<'t>(of: &'t Type, name: &str) -> &'t Member {
    let found = members(of).iter().find(|member| member.name == name);
    found.unwrap_or_else(|| panic!("{} has no {name}", of.name))
}

#[test]
fn structures_of_c_have_their_members() {
    for flags in
        [&["-g"][..], &["-gdwarf-4"], &["-gdwarf-4", "-fdebug-types-section"], &["-g", "-gz"]]
    {
        let built = Built::c(LISTS, flags);
        let program = built.program();
        let types = program.types();
        let node = only_type(types, "struct node");
        assert_eq!(node.size, 32);
        let shown: Vec<_> = members(node)
            .iter()
            .map(|member| (member.name.as_str(), member.offset, types[member.of].name.as_str()))
            .collect();
        let expected = [
            ("value", 0, "int"),
            ("next", 8, "struct node *"),
            ("low", 16, "unsigned int"),
            ("high", 16, "unsigned int"),
            ("negative", 17, "int"),
            ("color", 20, "enum color"),
            ("", 24, "union {...}"),
        ];
        assert_eq!(shown, expected, "{flags:?}");
        let bits = |name: &str| member(node, name).bits.map(|bits| (bits.first, bits.count));
        assert_eq!(bits("low"), Some((0, 3)));
        assert_eq!(bits("high"), Some((3, 7)));
        assert_eq!(bits("negative"), Some((2, 5)));
        assert_eq!(bits("value"), None);
        let Kind::Enumeration { signed: true, names } = &only_type(types, "enum color").kind else {
            panic!("not an enumeration")
        };
        let names: Vec<_> = names.iter().map(|(value, name)| (*value, name.as_str())).collect();
        assert_eq!(names, [(0, "RED"), (5, "GREEN"), (-1, "BLUE")]);
    }
}

#[test]
fn types_of_c_have_names_in_c_syntax() {
    check_names(&["-g"]);
    check_names(&["-g", "-fdebug-types-section"]);
}

fn check_names(flags: &[&str]) {
    let built = Built::c(LISTS, flags);
    let program = built.program();
    let types = program.types();
    let named = |name: &str| {
        let mut globals = program.globals().iter();
        let global = globals.find(|global| &*global.name == name);
        &types[global.unwrap_or_else(|| panic!("no {name}")).of]
    };
    assert_eq!(named("matrix").name, "int [3][4]");
    assert_eq!(named("matrix").size, 48);
    assert_eq!(named("callback").name, "int (*)(int, char *, ...)");
    assert_eq!(named("table").name, "int (*(*)[3])(void)");
    assert_eq!(named("hidden").name, "struct opaque *");
    assert_eq!(named("origin").name, "point");
    assert_eq!(named("origin").size, 16);
    assert_eq!(named("main::calls").name, "int");
    let flexible = only_type(types, "struct flexible");
    let Kind::Array { count: None, .. } = types[member(flexible, "data").of].kind else {
        panic!("not an array of unknown length")
    };
    let Kind::Pointer { to } = named("hidden").kind else { panic!("not a pointer") };
    assert_eq!((&types[to].kind, types[to].size), (&Kind::Unknown, 0));
    assert_eq!(program.thread_locals(), 1);
}

#[test]
fn an_incomplete_type_is_completed_by_another_file() {
    let built = Built::c_files(
        &[
            "struct shared { int a; struct shared *next; };
             struct private { int x; };
             struct private p1; struct shared *first;
             struct later *known_elsewhere;",
            "struct shared { int a; struct shared *next; };
             struct private { long y; };
             struct private p2; struct shared *second; struct later { int there; } l;
             int main(void) { return first_of(second); }
             int first_of(struct shared *s) { return s ? s->a : 0; }",
        ],
        &["-g", "-w"],
    );
    let program = built.program();
    let types = program.types();
    let of = |name: &str| {
        program.globals().iter().find(|global| &*global.name == name).expect("a global").of
    };
    assert_eq!(of("first"), of("second"));
    assert_ne!(of("p1"), of("p2"));
    assert_eq!(types[of("p1")].name, types[of("p2")].name);
    let Kind::Pointer { to } = types[of("known_elsewhere")].kind else { panic!("no pointer") };
    assert_eq!(to, of("l"));
}

#[test]
fn types_with_one_name_and_different_members_stay_apart() {
    // The two lists differ only in what their nodes refer to.
    let source = |kind: &str, name: &str| {
        format!(
            "struct leaf {{ {kind} value; }};
             struct branch {{ struct leaf *leaf; struct branch *left; }};
             struct tree {{ struct branch *root; }};
             struct tree {name};"
        )
    };
    let (one, two, three) = (source("int", "a"), source("unsigned", "b"), source("int", "c"));
    let built = Built::c_files(&[&one, &two, &three, "int main(void) { return 0; }"], &["-g"]);
    let program = built.program();
    let of = |name: &str| {
        program.globals().iter().find(|global| &*global.name == name).expect("a global").of
    };
    assert_eq!(of("a"), of("c"));
    assert_ne!(of("a"), of("b"));
    assert_eq!(program.types().by_name("struct branch").count(), 2);
}

#[test]
fn classes_have_bases_statics_and_methods() {
    require!(Tool::Gxx);
    let built = Built::cc(CLASSES, &["-g"]);
    let program = built.program();
    let types = program.types();
    let derived = only_type(types, "ns::Derived");
    assert_eq!(member(derived, "ns::Base").offset, 0);
    assert_eq!(types[member(derived, "inner").of].name, "ns::Derived::Inner");
    assert!(members(only_type(types, "Virtual")).iter().all(|member| member.name != "ns::Base"));
    let names: Vec<&str> = program.globals().iter().map(|global| &*global.name).collect();
    for name in ["ns::Derived::total", "ns::(anonymous namespace)::hidden::counter", "pointer"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    for name in ["ns::Derived::get", "Derived::get", "ns::twice<int>", "twice", "ns::twice", "main"]
    {
        assert_eq!(program.functions_named(name).len(), 1, "{name}");
    }
    assert_eq!(program.functions_named("get").len(), 2);
    assert_eq!(program.functions_named("ns::Derived::get() const").len(), 1);
    assert_eq!(program.functions_named("et").len(), 0);
    let function = &program[program.functions_named("reference")[0]];
    let parameters: Vec<_> = function
        .variables
        .iter()
        .map(|variable| (&*variable.name, types[variable.of].name.as_str(), variable.parameter))
        .collect();
    assert_eq!(parameters, [("d", "ns::Derived &", true), ("r", "ns::Derived &&", true)]);
    let Kind::Enumeration { signed: false, names } = &only_type(types, "Color").kind else {
        panic!("not an enumeration")
    };
    assert_eq!(names.len(), 2);
    let pointer = program.globals().iter().find(|global| &*global.name == "pointer");
    assert_eq!(types[pointer.expect("a global").of].kind, Kind::Unknown);
    // Classes of the standard library have the members that lead to their elements.
    let vector = types.iter().find(|(_, of)| of.name.starts_with("std::vector<int"));
    assert_eq!(vector.expect("a vector").1.size, 24);
}

#[test]
fn enums_of_rust_have_variants_with_members() {
    check_enums(&["-g"]);
    check_enums(&["-g", "-Cdwarf-version=5"]);
}

fn check_enums(flags: &[&str]) {
    let built = Built::rust(SHAPES, flags);
    let program = built.program();
    let types = program.types();
    let variants = |name: &str| match &only_type(types, name).kind {
        Kind::Variants { tag, variants, .. } => (tag, variants),
        kind => panic!("{name} has no variants: {kind:?}"),
    };
    let (tag, shape) = variants("shapes::Shape");
    assert!(tag.is_some());
    let names: Vec<_> = shape.iter().map(|variant| variant.name.as_str()).collect();
    assert_eq!(names, ["Circle", "Square", "Empty"]);
    // The capacity of the square's name is the tag, since no capacity is as large as the other tags.
    assert_eq!(shape.iter().filter(|variant| variant.tags.is_empty()).count(), 1);
    assert!(shape[1].tags.is_empty());
    let square: Vec<_> = shape[1].members.iter().map(|member| member.name.as_str()).collect();
    assert_eq!(square, ["side", "name"]);
    let (_, option) = variants("core::option::Option<u32>");
    assert_eq!(option[0].tags, [(0, 0)]);
    assert_eq!(option[1].tags, [(1, 1)]);
    assert_eq!(types[option[1].members[0].of].name, "u32");
    // `Option<Ordering>` has the tag 2 for `None`, next to -1, 0 and 1.
    let (tag, option) = variants("core::option::Option<core::cmp::Ordering>");
    assert_eq!(types[tag.as_ref().expect("a tag").of].size, 1);
    assert_eq!((&option[0].tags[..], option[1].tags.len()), (&[(2, 2)][..], 0));
    let text = only_type(types, "&str");
    assert_eq!(member(text, "length").offset, 8);
    assert!(matches!(types[member(text, "data_ptr").of].kind, Kind::Pointer { .. }));
    assert_eq!(
        only_type(types, "[u8; 4]").kind,
        Kind::Array { of: types.by_name("u8").next().expect("u8"), count: Some(4) }
    );
    assert_eq!(only_type(types, "char").kind, Kind::Character { signed: false });
    for name in [
        "shapes::main",
        "shapes::inner::Thing::sum",
        "inner::generic",
        "shapes::inner::generic<u32>",
    ] {
        assert_eq!(program.functions_named(name).len(), 1, "{name}");
    }
    assert!(program.globals().iter().any(|global| &*global.name == "shapes::COUNT"));
}

#[test]
fn bodies_begin_where_gdb_stops() {
    require!(Tool::Gdb, Tool::Gcc32, Tool::Gxx, Tool::Gxx32);
    let programs = [
        Built::c(LISTS, &["-g"]),
        Built::c(LISTS, &["-g", "-fcf-protection"]),
        Built::c(LISTS, &["-g", "-O1"]),
        Built::c(LISTS, &["-g", "-O2"]),
        Built::c(LISTS, &["-g", "-Og", "-fno-omit-frame-pointer"]),
        Built::c(LISTS, &["-g", "-m32"]),
        Built::c(LISTS, &["-g", "-m32", "-fcf-protection", "-no-pie"]),
        Built::cc(CLASSES, &["-g", "-m32"]),
        Built::cc(CLASSES, &["-g"]),
        Built::cc(CLASSES, &["-g", "-O2"]),
        Built::rust(SHAPES, &["-g"]),
        Built::rust(SHAPES, &["-g", "-O"]),
        Built::rust(SHAPES, &["-g", "-Cdwarf-version=5"]),
    ];
    for built in &programs {
        let program = built.program();
        let wanted: Vec<_> =
            program.functions().iter().filter(|function| built.is_own(function)).collect();
        assert!(wanted.len() >= 2, "{:?}", built.flags);
        let symbols: Vec<_> = wanted
            .iter()
            .map(|function| function.linkage_name.as_deref().unwrap_or(&function.name))
            .collect();
        let script: String = symbols.iter().map(|name| format!("break {name}\n")).collect();
        let output = gdb(&built.path, &script);
        let stops: Vec<&str> =
            output.lines().filter(|line| line.starts_with("Breakpoint ")).collect();
        assert_eq!(stops.len(), wanted.len(), "{output}");
        for (function, stop) in wanted.iter().zip(stops) {
            let body = format!("at {:#x}", function.body);
            // If several functions have one name, GDB stops in all of them.
            assert!(
                stop.contains(&body) || stop.contains("locations"),
                "{}: {stop}, not {body} in {:?}",
                function.name,
                built.flags
            );
        }
    }
}

#[test]
fn lines_are_those_of_gdb() {
    require!(Tool::Gdb, Tool::Gcc32);
    for flags in [&["-g"][..], &["-g", "-O2"], &["-g", "-m32"]] {
        let built = Built::c(LISTS, flags);
        let program = built.program();
        for (id, function) in program.functions_with_ids() {
            let statements = program.statements_of(id);
            assert!(!statements.is_empty());
            let script: String = statements
                .iter()
                .map(|(address, _)| format!("info line *{address:#x}\n"))
                .collect();
            let output = gdb(&built.path, &script);
            let said: Vec<&str> = output.lines().filter(|line| line.starts_with("Line ")).collect();
            assert_eq!(said.len(), statements.len(), "{output}");
            for ((address, place), said) in statements.iter().zip(said) {
                assert!(
                    said.starts_with(&format!("Line {} of", place.line)),
                    "{address:#x} {place}: {said}"
                );
                assert_eq!(program.line_of(*address).as_ref(), Some(place));
                assert_eq!(program.function_at(*address), Some(id), "{}", function.name);
                assert!(!program.addresses_of_line("lists.c", place.line).is_empty());
            }
        }
        assert!(program.addresses_of_line("ists.c", 1).is_empty());
        let line =
            LISTS.lines().position(|line| line.contains("BREAK")).expect("a line") as u32 + 1;
        let addresses = program.addresses_of_line("lists.c", line);
        let output = gdb(&built.path, &format!("break lists.c:{line}\n"));
        assert!(output.contains(&format!("at {:#x}", addresses[0])), "{output} {addresses:x?}");
    }
}

#[test]
fn errors_explain_why_a_program_cannot_be_read() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("file");
    let read = |bytes: &[u8]| {
        std::fs::write(&path, bytes).expect("a file");
        Program::read(&path).expect_err("not a program")
    };
    assert!(matches!(read(b""), ProgramError::NotElf(_)));
    assert!(matches!(read(b"some text\n"), ProgramError::NotElf(_)));
    assert!(matches!(read(b"\x7fELF"), ProgramError::Damaged(..)));
    assert!(matches!(
        read(b"\x7fELF\x02\x01\x01garbage garbage garbage"),
        ProgramError::Damaged(..)
    ));
    let script = read(b"#!/usr/bin/env python3\nprint()\n");
    assert!(script.to_string().contains("a script for /usr/bin/env python3"), "{script}");
    let missing = Program::read(&directory.path().join("none")).expect_err("nothing");
    assert!(matches!(missing, ProgramError::Missing(_)));
    let place = Program::read(directory.path()).expect_err("a directory");
    assert!(matches!(place, ProgramError::Unreadable(..)), "{place}");
    let stripped = Built::c(LISTS, &["-s"]);
    let error = Program::read(&stripped.path).expect_err("stripped");
    assert!(error.to_string().contains("compile it with -g"), "{error}");
    let unlinked = Built::c(LISTS, &["-g", "-c"]);
    let error = Program::read(&unlinked.path).expect_err("an object file");
    assert!(error.to_string().contains("not linked"), "{error}");
    let split = Built::c(LISTS, &["-g", "-gsplit-dwarf"]);
    let error = Program::read(&split.path).expect_err("split");
    assert!(error.to_string().contains("-gno-split-dwarf"), "{error}");
}

#[test]
fn debug_information_may_be_in_a_separate_file() {
    let built = Built::c(LISTS, &["-g", "-Wl,--build-id"]);
    let whole = built.program();
    let run = |arguments: &[&str]| {
        let status = std::process::Command::new("objcopy")
            .args(arguments)
            .current_dir(built.directory())
            .status();
        assert!(status.expect("objcopy").success());
    };
    run(&["--only-keep-debug", "program", "program.debug"]);
    run(&["--strip-debug", "--add-gnu-debuglink=program.debug", "program"]);
    let split = built.program();
    assert_eq!(split.types().len(), whole.types().len());
    assert_eq!(split.functions().len(), whole.functions().len());
    // The file of another program is ignored.
    let other = Built::c("int main(void) { return 0; }", &["-g", "-Wl,--build-id"]);
    std::fs::copy(&other.path, built.directory().join("program.debug")).expect("a copy");
    assert!(matches!(Program::read(&built.path), Err(ProgramError::NoDebugInformation(_))));
}

#[test]
fn symbols_and_the_entry_are_those_of_the_file() {
    let built = Built::c(LISTS, &["-g"]);
    let program = built.program();
    let main = &program[program.functions_named("main")[0]];
    assert_eq!(program.symbol("main"), Some(main.entry));
    assert_eq!(program.symbol("nothing"), None);
    assert!(program.is_position_independent());
    assert_eq!(program.bias(program.entry() + 0x1000), 0x1000);
    let fixed = Built::c(LISTS, &["-g", "-static", "-no-pie"]);
    let program = fixed.program();
    assert!(!program.is_position_independent());
    assert!(program.symbol("malloc").is_some());
}
