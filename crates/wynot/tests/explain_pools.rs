//! Objects in pools: obstacks, pools of pools, nodes, slabs, vectors and variables of bytes.

mod reference;
mod support;

use reference::{Reference, compile, holds};
use support::Place;
use wynot_test_support::{Tool, require};

#[test]
fn a_tree_in_an_obstack() {
    require!(Tool::Gdb);
    holds(&Reference {
        source: "obstack.c",
        pass: "./obstack p",
        fail: "./obstack f",
        options: &[],
        chain: &[
            ("argv[1]", "\"f\"", 44),
            ("t->right->right", "t", 50),
            ("t", "t of an outer leaves", 34),
        ],
        confirmed: "SIGSEGV",
    });
}

#[test]
fn entries_in_a_hierarchical_pool() {
    require!(Tool::Gdb);
    holds(&Reference {
        source: "talloc.c",
        pass: "./talloc a bb limits",
        fail: "./talloc a bb limit",
        options: &[],
        chain: &[("argv[3]", "\"limit\"", 85), ("entry->value", "NULL", 70)],
        confirmed: "SIGSEGV",
    });
}

#[test]
fn headers_of_a_request_in_the_node_of_a_pool() {
    require!(Tool::Gdb);
    holds(&Reference {
        source: "apr.c",
        pass: "./apr a bb limits",
        fail: "./apr a bb four",
        options: &[],
        chain: &[("argv[3]", "\"four\"", 83), ("header->slot", "4", 66)],
        confirmed: "SIGABRT",
    });
}

#[test]
fn jobs_in_the_bytes_of_a_slab() {
    require!(Tool::Gdb);
    holds(&Reference {
        source: "slab.c",
        pass: "./slab 3",
        fail: "./slab 5",
        options: &[],
        chain: &[("argv[1]", "\"5\"", 55), ("count", "5", 56), ("first->after", "first", 61)],
        confirmed: "SIGSEGV",
    });
}

#[test]
fn words_in_a_variable() {
    require!(Tool::Gdb);
    holds(&Reference {
        source: "arena.c",
        pass: "./arena a b c",
        fail: "./arena a b a",
        options: &[],
        chain: &[
            ("argv[3]", "\"a\"", 50),
            ("word", "words->next", 34),
            ("words->next->next", "words", 35),
            ("words", "words of an outer length", 40),
        ],
        confirmed: "SIGSEGV",
    });
}

/// The parts of a state, as `wynot state dump` prints them.
fn dumped(place: &Place, command: &str, at: &str, more: &[&str]) -> Vec<String> {
    let mut args = vec!["state", "dump", command, "--at", at];
    args.extend(more);
    let done = place.run(args);
    assert_eq!(done.code, Some(0), "{done:?}");
    done.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn nodes_in_a_vector_of_bytes() {
    require!(Tool::Gxx);
    let place = Place::new();
    compile(&place, "store.cpp");
    let parts = dumped(&place, "./store -4", "run", &[]);
    for expected in [
        "root = &store.bytes[4] of main",
        "store.bytes[4].op = '/'",
        "store.bytes[4].right = &store.bytes[2] of main",
        "store.bytes[2].left = &store.bytes[1] of main",
        "store.bytes[1].value = 4",
    ] {
        assert!(parts.iter().any(|part| part == expected), "{expected}: {parts:#?}");
    }
}

#[test]
fn a_hint_says_what_no_pointer_says() {
    let place = Place::new();
    support::gcc(
        &place,
        "names",
        &["-g"],
        "#include <stdlib.h>
#include <string.h>
struct chunk { unsigned used, size; long stamp; };
static const char *names[3];
static void end(struct chunk *chunk) { (void)chunk; }
int main(void)
{
    struct chunk *chunk = calloc(1, 4096);
    for (int i = 0; i < 3; i++) {
        names[i] = strcpy((char *)(chunk + 1) + chunk->used, i == 1 ? \"second\" : \"other\");
        chunk->used += 16;
    }
    end(chunk);
    return 0;
}
",
    );
    place.write("hints", "struct chunk is pool\n");
    let of_name = |parts: Vec<String>| {
        parts.into_iter().find(|part| part.starts_with("names[1] = ")).unwrap_or_default()
    };
    assert_eq!(of_name(dumped(&place, "./names", "end", &[])), "names[1] = &chunk[2]");
    let hinted = dumped(&place, "./names", "end", &["--hints", "hints"]);
    assert_eq!(of_name(hinted), "names[1] = \"second\"");
}
