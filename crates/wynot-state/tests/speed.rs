//! How fast states are read, compared with GDB.

mod programs;

use programs::Program;
use rustix::time::{ClockId, clock_gettime};
use std::process::Command;
use std::time::Duration;
use wynot_state::{Libraries, MemoryGraph, ProgramState, TypeRules, dwarf};
use wynot_test_support::{Tool, require};

/// Lists of structures with numbers, rows, texts and pointers to other structures.
const LARGE: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct item { long first, second; short kind; char tag[6]; struct item *other; };
struct node { int value; char *name; double weights[4]; struct item *item; struct node *next, *prev; };
struct node *list;
static int table[1000];
__attribute__((noinline)) void done(void) { asm(""); }
int main(int argc, char **argv) {
    int count = atoi(argv[1]);
    struct item *last = 0;
    for (int i = 0; i < 1000; i++) table[i] = i;
    for (int i = 0; i < count; i++) {
        struct item *item = calloc(1, sizeof *item);
        struct node *node = calloc(1, sizeof *node);
        char name[24];
        sprintf(name, "node %d", i);
        *item = (struct item) { i, -i, i % 7, "item", last };
        *node = (struct node) { i, strdup(name), { i, 1, 2, 3 }, item, list, 0 };
        if (list) list->prev = node;
        last = item;
        list = node;
    }
    done();
}
"#;

/// The same walk with GDB's Python: a vertex for every variable, for what every pointer leads to, once, and
/// for every number, pointer and text in them.
const WALK: &str = r#"
import gdb, time
def walk():
    seen, pending, count = set(), [], 0
    def roots():
        frame = gdb.newest_frame()
        while frame:
            try: block = frame.block()
            except RuntimeError: block = None
            while block:
                for symbol in block:
                    if symbol.is_variable or symbol.is_argument:
                        yield symbol.value(frame)
                block = block.superblock
            frame = frame.older()
    for value in roots():
        key = (int(value.address), str(value.type))
        if key not in seen:
            seen.add(key)
            pending.append(value)
    while pending:
        count += 1
        parts = [pending.pop()]
        while parts:
            value = parts.pop()
            type = value.type.strip_typedefs()
            code = type.code
            if code == gdb.TYPE_CODE_STRUCT:
                parts.extend(value[field] for field in type.fields())
            elif code == gdb.TYPE_CODE_ARRAY:
                first, last = type.range()
                if type.target().sizeof == 1:
                    count += 1
                else:
                    parts.extend(value[i] for i in range(first, last + 1))
            elif code == gdb.TYPE_CODE_PTR:
                count += 1
                address = int(value)
                target = type.target().strip_typedefs()
                key = (address, str(target))
                if address and key not in seen:
                    seen.add(key)
                    try:
                        if target.sizeof == 1:
                            value.string()
                            count += 2
                        else:
                            there = value.dereference()
                            there.fetch_lazy()
                            pending.append(there)
                    except gdb.error:
                        pass
            else:
                int(value) if code != gdb.TYPE_CODE_FLT else float(value)
                count += 1
    return count
best = 1e9
for _ in range(3):
    begin = time.process_time()
    vertices = walk()
    best = min(best, time.process_time() - begin)
print("walked", vertices, best)
"#;

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// How many vertices GDB finds, and how long it computes, in the best of three walks.
fn walked_by_gdb(program: &Program, count: &str) -> (u64, Duration) {
    let script = program.path.with_extension("py");
    std::fs::write(&script, WALK).unwrap();
    let mut gdb = Command::new("gdb");
    gdb.args(["-nx", "-batch", "-iex", "set debuginfod enabled off"]);
    gdb.args(["-ex", "set max-value-size unlimited", "-ex", "break done"]);
    gdb.args(["-ex", &format!("run {count}")]);
    let source = format!("source {}", script.display());
    let gdb = gdb.args(["-ex", &source]).arg(&program.path);
    let output = gdb.output().expect("gdb is needed");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find_map(|line| line.strip_prefix("walked "));
    let line = line.unwrap_or_else(|| panic!("{text}\n{errors}"));
    let (vertices, time) = line.split_once(' ').unwrap();
    (vertices.parse().unwrap(), Duration::from_secs_f64(time.parse().unwrap()))
}

/// The same for us.
fn walked_by_us(program: &Program, count: &str) -> (u64, Duration) {
    let known = dwarf::Program::read(&program.path).unwrap();
    let inferior = program.started_at("done", &[count]);
    let state =
        ProgramState::of(&known, &TypeRules::default(), &mut Libraries::default(), &inferior)
            .unwrap();
    let walk = || {
        let begin = cpu_time();
        let graph = MemoryGraph::extract(known.types(), &state, &state.roots, &state.hints);
        (cpu_time() - begin, graph.vertices)
    };
    // A walk takes two milliseconds: whatever else the machine does shows in most of them.
    let (time, vertices) = std::iter::repeat_with(walk).take(200).min().unwrap();
    (vertices, time)
}

#[test]
fn states_are_read_much_faster_than_by_gdb() {
    require!(Tool::Gdb);
    let program = Program::new(LARGE);
    let count = "3500";
    let (vertices, time) = walked_by_us(&program, count);
    let (walked, needed) = walked_by_gdb(&program, count);
    let rate = |vertices: u64, time: Duration| vertices as f64 / time.as_secs_f64();
    let (ours, theirs) = (rate(vertices, time), rate(walked, needed));
    println!(
        "{vertices} vertices in {time:?}: {ours:.0}/s; GDB {walked} in {needed:?}: {theirs:.0}/s"
    );
    assert!(vertices >= 50_000 && walked >= 50_000);
    // GDB does not know how large blocks are: we see some words behind texts.
    let same = walked as f64 / vertices as f64;
    assert!((0.8..1.1).contains(&same), "{walked} vertices instead of {vertices}");
    let times = ours.min(walked as f64 / time.as_secs_f64()) / theirs;
    assert!(times >= 25.0, "{times:.1} times as fast as GDB");
}
