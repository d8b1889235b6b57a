//! Which variables carry a failure: own programs in C, C++ and Rust, each step confirmed by GDB, and Lua.

mod reference;
mod support;

use reference::{Reference, compile, explain, holds};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use support::{Place, ran};
use wynot_test_support::{Tool, require};

const SORT: Reference = Reference {
    source: "sort.c",
    pass: "./sort 7 8 9 5",
    fail: "./sort 11 14",
    options: &["--fail-when", "stdout~^0 "],
    chain: &[("argc", "3", 27), ("a[2]", "0", 34)],
    confirmed: "\n0 ",
};

#[test]
fn a_sort_that_is_told_the_wrong_size() {
    require!(Tool::Gdb);
    holds(&SORT);
}

#[test]
fn an_element_of_a_list() {
    require!(Tool::Gdb);
    holds(&Reference {
        source: "list.c",
        pass: "./list 14 18 20 22",
        fail: "./list 14 15 18 22",
        options: &[],
        chain: &[
            ("argv[2]", "\"15\"", 29),
            ("value", "15", 11),
            ("node->value", "15", 14),
            ("list", "a new struct node {value = 15}", 30),
            ("next", "a new struct node {value = 15}", 11),
            ("list->next", "a new struct node {value = 15}", 19),
            ("node", "a new struct node {value = 15}", 21),
            ("where", "NULL", 22),
        ],
        confirmed: "SIGSEGV",
    });
}

#[test]
fn a_tree_that_becomes_a_cycle() {
    require!(Tool::Gdb);
    holds(&Reference {
        source: "tree.c",
        pass: "./tree *+xyz -d",
        fail: "./tree *+xyz -s",
        options: &[],
        chain: &[
            ("argv[2]", "\"-s\"", 56),
            ("share", "1", 58),
            ("tree->left->right", "tree", 47),
            ("tree", "tree of an outer leaves", 51),
        ],
        confirmed: "SIGSEGV",
    });
}

#[test]
fn a_flag_that_an_option_sets() {
    require!(Tool::Gdb);
    holds(&Reference {
        source: "flag.c",
        pass: "./flag a b",
        fail: "./flag -c b",
        options: &[],
        chain: &[("argv[1]", "\"-c\"", 37), ("options.compact", "1", 17), ("table", "NULL", 28)],
        confirmed: "SIGSEGV",
    });
}

#[test]
fn objects_of_derived_classes() {
    require!(Tool::Gdb, Tool::Gxx);
    holds(&Reference {
        source: "shapes.cpp",
        pass: "./shapes 3 4 12",
        fail: "./shapes 3 4 11",
        options: &[],
        chain: &[
            ("argv[3]", "\"11\"", 42),
            ("size", "11", 45),
            ("inner", "0", 25),
            ("shapes[2]->inner", "0", 34),
        ],
        confirmed: "SIGFPE",
    });
}

#[test]
fn an_overflow_in_rust() {
    require!(Tool::Gdb);
    holds(&Reference {
        source: "ledger.rs",
        pass: "./ledger 1:50 hello",
        fail: "./ledger 1:50 1:120",
        options: &[],
        chain: &[
            ("argv[2]", "\"1:120\"", 43),
            ("words[1]", "\"1:120\"", 34),
            ("payment", "Deposit", 37),
            ("payment", "Deposit", 26),
        ],
        confirmed: "exited with code 0145",
    });
}

#[test]
fn twenty_times_the_same_for_any_number_of_jobs() {
    let place = Place::new();
    compile(&place, SORT.source);
    let mut first = None;
    for run in 0..20 {
        let mut told = explain(&place, &SORT, &["-j", if run % 2 == 0 { "1" } else { "2" }]);
        told["seconds"] = Value::Null;
        match &first {
            None => first = Some(told),
            Some(first) => assert_eq!(*first, told, "run {run}"),
        }
    }
}

/// The sources of Lua 5.4.0, as the crate `lua-src` has them.
fn lua(place: &Place) {
    let metadata = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--filter-platform",
            "x86_64-unknown-linux-gnu",
        ])
        .args(["--offline", "--manifest-path"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&metadata.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|package| package["name"] == "lua-src").unwrap();
    let manifest = Path::new(package["manifest_path"].as_str().unwrap());
    let sources = manifest.with_file_name("lua-5.4.0");
    place.write(
        "main.c",
        r#"#include "lua.h"
#include "lauxlib.h"
#include "lualib.h"
int main(int argc, char **argv)
{
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    lua_pushstring(L, argv[1]);
    lua_setglobal(L, "n");
    return luaL_dostring(L, "local function f(...) return debug.getlocal(1, tonumber(n)) end f(10, 20)");
}
"#,
    );
    let is_library = |path: &Path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.ends_with(".c") && name != "lua.c" && name != "luac.c"
    };
    let files = std::fs::read_dir(&sources).unwrap().map(|entry| entry.unwrap().path());
    let mut command = Command::new("gcc");
    place.prepare(&mut command);
    command.args(["-g", "-w", "-o", "lua", "main.c", "-I"]).arg(&sources);
    let done = ran(command.args(files.filter(|path| is_library(path))).arg("-lm"));
    assert_eq!(done.code, Some(0), "{done:?}");
}

#[test]
fn from_an_argument_of_lua_to_a_wild_pointer() {
    let place = Place::new();
    lua(&place);
    let done =
        place.run(["explain", "-q", "--json", "--pass", "./lua -1", "--fail", "./lua -2147483648"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let told: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(told["ends"]["failing"], "signal SEGV in lua_getlocal");
    let steps = told["chain"].as_array().unwrap();
    let first = &steps[0]["causes"][0];
    assert_eq!(
        (&first["variable"], &first["failing"]),
        (&"argv[1]".into(), &"\"-2147483648\"".into())
    );
    let overflow = steps
        .iter()
        .filter(|step| step["place"]["function"] == "findvararg")
        .map(|step| &step["causes"][0])
        .find(|cause| cause["variable"] == "n")
        .unwrap_or(&Value::Null);
    assert_eq!(
        (&overflow["passing"], &overflow["failing"]),
        (&"1".into(), &"-2147483648".into()),
        "{told:#}"
    );
    let wild = &steps.last().unwrap()["causes"][0];
    assert_eq!(
        (&wild["variable"], &wild["passing"]),
        (&"pos".into(), &"&L->stack[5] of luaG_findlocal".into())
    );
    assert!(wild["failing"].as_str().unwrap().starts_with("0x"), "{wild}");
    for step in steps {
        assert_eq!(step["verified"], true, "{step:#}");
        assert!(step["causes"].as_array().unwrap().len() <= 2, "{step:#}");
        assert!(step["tests"].as_u64().unwrap() <= 50, "{step:#}");
    }
}
