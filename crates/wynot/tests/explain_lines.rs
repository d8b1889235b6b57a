//! The line that an explanation quotes is the one that has turned a cause into the next.

mod support;

use support::{Place, Ran, gcc};

/// An explanation of two runs of a small program.
fn explained(source: &str, passing: &str, failing: &str) -> Ran {
    let place = Place::new();
    gcc(&place, "program", &["-g"], source);
    let runs = [format!("./program {passing}"), format!("./program {failing}")];
    let ran = place.run(["explain", "--pass", &runs[0], "--fail", &runs[1]]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran
}

/// The lines that are quoted, in order.
fn quoted(ran: &Ran) -> Vec<&str> {
    ran.stdout.lines().filter_map(|line| line.trim().strip_prefix("| ")).collect()
}

#[test]
fn after_a_return_the_line_of_the_call_is_quoted() {
    let ran = explained(
        "#include <stdlib.h>
#include <string.h>
static const char *find(const char *names, char wanted)
{
    while (*names && *names != wanted)
        names++;
    return *names ? names : NULL;
}
int main(int argc, char **argv)
{
    const char *found = NULL;
    if (argc > 1)
        found = find(\"abc\", argv[1][0]);
    return (int)strlen(found) > 9;
}
",
        "b",
        "x",
    );
    let lines = quoted(&ran);
    assert!(lines.contains(&"found = find(\"abc\", argv[1][0]);"), "{ran:?}");
}

#[test]
fn a_line_that_only_the_failing_run_executes_is_quoted() {
    let ran = explained(
        "#include <stdio.h>
int weight[8];
static int sum(const char *s)
{
    int n = 0;
    for (; *s; s++) {
        if (*s >= '0' && *s <= '9')
            n += *s - '0';
        else
            weight[3] = 2;
    }
    return n;
}
int main(int argc, char **argv)
{
    int n = argc > 1 ? sum(argv[1]) : 0;
    if (weight[3])
        __builtin_trap();
    printf(\"%d\\n\", n);
    return 0;
}
",
        "978",
        "9-8",
    );
    assert!(quoted(&ran).contains(&"weight[3] = 2;"), "{ran:?}");
}
