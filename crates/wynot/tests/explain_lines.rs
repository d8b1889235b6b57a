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

#[test]
fn a_line_of_a_function_that_has_returned_is_named() {
    let ran = explained(
        "#include <stdio.h>
struct word { const char *text; };
static int is_longer(const struct word *word)
{
    if (word->text[0] == 'x')
        return 1;
    return 0;
}
static int count(const struct word *words)
{
    int found = is_longer(&words[0]);
    return found;
}
static void print(int found)
{
    if (found)
        __builtin_trap();
    printf(\"%d\\n\", found);
}
int main(int argc, char **argv)
{
    struct word words[1] = {{argv[1]}};
    int found = argc > 1 ? count(words) : 0;
    print(found);
    return 0;
}
",
        "abc",
        "xbc",
    );
    let own = "only the failing run executes `return 1;` (program.c:6 in is_longer)";
    assert!(ran.stdout.contains(own), "{ran:?}");
    // What only the passing run executes is named where the failing run has no line of its own.
    assert!(!ran.stdout.contains("only the passing run executes `return 0;`"), "{ran:?}");
}
