//! What is known about a type counts more than what only may be so.

mod support;

use std::process::Command;
use support::{Place, gcc, ran};
use wynot_test_support::{Tool, require};

/// The value of a part of a state, as `wynot state dump` prints it.
fn part(place: &Place, command: &str, at: &str, name: &str) -> String {
    let done = place.run(["state", "dump", command, "--at", at]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let start = format!("{name} = ");
    let found = done.stdout.lines().find_map(|line| line.strip_prefix(&start));
    found.unwrap_or_else(|| panic!("{name}: {}", done.stdout)).to_owned()
}

#[test]
fn a_local_variable_that_is_not_set_does_not_say_what_a_text_is() {
    let place = Place::new();
    gcc(
        &place,
        "title",
        &["-g", "-w"],
        "#include <stdlib.h>
#include <string.h>
struct node { long key; struct node *next; };
static char *title;
static void stop(void) {}
static void print(void) { char *text = title; (void)text; }
static void search(void) { struct node *found; stop(); found = NULL; (void)found; }
int main(void)
{
    title = strcpy(malloc(40), \"the title of the whole\");
    print();
    search();
    return 0;
}
",
    );
    assert_eq!(part(&place, "./title", "stop", "title"), "\"the title of the whole\"");
}

#[test]
fn the_type_that_most_pointers_have_is_the_type_of_a_block() {
    let place = Place::new();
    gcc(
        &place,
        "reused",
        &["-g"],
        "#include <stdlib.h>
struct big { long a, b, c, d, e; };
struct small { int first, second; struct small *other; };
static struct big *stale;
static struct small *one, *two, *three;
static void stop(void) {}
int main(void)
{
    stale = malloc(sizeof *stale);
    free(stale);
    one = two = three = calloc(1, sizeof *stale);
    one->first = 7;
    stop();
    return one != (void *)stale;
}
",
    );
    assert_eq!(part(&place, "./reused", "stop", "one->first"), "7");
}

const UNION: &str = "#include <stdlib.h>
#include <stdio.h>
struct node {
    int kind, value;
    union {
        struct { struct node *left, *right; } pair;
        long number[2];
    } u;
};
static struct node *leaf(int v)
{
    struct node *n = calloc(1, sizeof *n);
    n->value = v;
    return n;
}
static int sum(struct node *n)
{
    return n->kind ? sum(n->u.pair.left) + sum(n->u.pair.right) : n->value;
}
int main(int argc, char **argv)
{
    struct node *root = leaf(0);
    root->kind = 1;
    root->u.pair.left = leaf(1);
    root->u.pair.right = leaf(atoi(argv[1]));
    int s = sum(root);
    if (s == 43)
        abort();
    printf(\"%d\\n\", s);
    return 0;
}
";

fn union_links_are_found(flags: &[&str]) {
    let place = Place::new();
    gcc(&place, "u", flags, UNION);
    let done = place.run(["explain", "-q", "--json", "--pass", "./u 1", "--fail", "./u 42"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let told: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    let steps = told["chain"].as_array().unwrap().iter();
    let variables: Vec<&str> =
        steps.map(|step| step["causes"][0]["variable"].as_str().unwrap()).collect();
    let [argument, parameter, member, returned @ .., sum] = &variables[..] else {
        panic!("{variables:?}")
    };
    assert_eq!((*argument, *parameter, *sum), ("argv[1]", "v", "s"));
    assert!(member.ends_with("->value"), "{member}");
    // At the end of sum, what it returns is in a register that is no variable.
    assert!(!returned.is_empty(), "{variables:?}");
    assert!(returned.iter().all(|name| ["register rax", "register eax"].contains(name)));
    assert_eq!(told["incomplete"].as_array().unwrap().len(), 0, "{told:#}");
}

#[test]
fn pointers_in_unions_of_programs_for_64_bits() {
    union_links_are_found(&["-g"]);
}

#[test]
fn pointers_in_unions_of_programs_for_32_bits() {
    require!(Tool::Gcc32);
    union_links_are_found(&["-g", "-m32"]);
}

#[test]
fn enumerators_in_bit_fields_have_names_and_transitions_quote_their_lines() {
    let place = Place::new();
    gcc(
        &place,
        "mode",
        &["-g"],
        "#include <stdlib.h>
enum mode { READ, WRITE, APPEND };
static struct { enum mode mode : 4; unsigned open : 1; } file;
static void check(void)
{
    if (file.mode == APPEND)
        abort();
}
int main(int argc, char **argv)
{
    file.mode = argv[1][0] == 'a' ? APPEND : READ;
    check();
    return 0;
}
",
    );
    let done = place.run(["explain", "--pass", "./mode r", "--fail", "./mode a"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let fact = "global variable file.mode is now APPEND (instead of READ).";
    assert!(done.stdout.contains(fact), "{}", done.stdout);
    let quoted = "| file.mode = argv[1][0] == 'a' ? APPEND : READ;";
    assert!(done.stdout.contains(quoted), "{}", done.stdout);
}

#[test]
fn short_texts_in_objects_of_the_standard_library_are_texts() {
    let place = Place::new();
    place.write(
        "name.cpp",
        "#include <cstdlib>
#include <string>
struct person { int age; std::string name; };
static void check(const person &one) { if (one.name == \"bob\") abort(); }
int main(int argc, char **argv)
{
    person one = { 30, argv[1] };
    check(one);
    return 0;
}
",
    );
    let mut compiler = Command::new("g++");
    place.prepare(&mut compiler);
    let built = ran(compiler.args(["-g", "-o", "name", "name.cpp"]));
    assert_eq!(built.code, Some(0), "{built:?}");
    let done = place.run(["explain", "--pass", "./name amy", "--fail", "./name bob"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let fact = "one.name of main is now \"bob\" (instead of \"amy\")";
    assert!(done.stdout.contains(fact), "{}", done.stdout);
}

const BOXES: &str = "#include <cstdlib>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
struct Item { int price; std::string name; };
static std::map<std::string, int> prices;
static std::map<int, Item> items;
static std::unordered_map<int, int> stock;
static std::list<Item> orders;
static std::shared_ptr<Item> last;
static void check(int number)
{
    int sum = 0;
    for (auto &price : prices) sum += price.second;
    if (sum > 1000 || items[number].price == 77 || stock[number] < 0) abort();
    for (auto &order : orders) if (order.price == 13) abort();
    if (last->price == 66) abort();
}
int main(int argc, char **argv)
{
    std::string kind = argv[1];
    int value = atoi(argv[2]);
    for (const char *name : {\"apple\", \"pear\", \"plum\"}) prices[name] = 1;
    for (int i = 0; i < 4; i++) { items[i] = Item{i, \"item\"}; stock[i] = i; orders.push_back(items[i]); }
    last = std::make_shared<Item>(Item{5, \"last\"});
    if (kind == \"map\") prices[\"pear\"] = value;
    if (kind == \"new\" && value > 1) prices[\"fig\"] = value;
    if (kind == \"items\") items[2].price = value;
    if (kind == \"stock\") stock[2] = value;
    if (kind == \"list\") orders.front().price = value;
    if (kind == \"last\") last->price = value;
    check(2);
}
";

#[test]
fn entries_of_maps_have_the_names_of_their_keys() {
    require!(Tool::Gxx);
    let place = Place::new();
    place.write("boxes.cpp", BOXES);
    let mut compiler = Command::new("g++");
    place.prepare(&mut compiler);
    assert_eq!(ran(compiler.args(["-g", "boxes.cpp", "-o", "boxes"])).code, Some(0));
    for (kind, passing, failing, step) in [
        ("map", 1, 2000, "prices[\"pear\"] is now 2000 (instead of 1)"),
        ("items", 2, 77, "items[2].price is now 77 (instead of 2)"),
        ("stock", 2, -5, "stock[2] is now -5 (instead of 2)"),
        ("list", 0, 13, "orders._M_node._M_next->price is now 13 (instead of 0)"),
        ("last", 5, 66, "last->price is now 66 (instead of 5)"),
        ("new", 1, 2000, "a new std::_Rb_tree_node<"),
    ] {
        let runs = [passing, failing].map(|value| format!("./boxes {kind} {value}"));
        let done = place.run(["explain", "--pass", &runs[0], "--fail", &runs[1], "--at", "check"]);
        assert_eq!(done.code, Some(0), "{done:?}");
        assert!(done.stdout.contains(step), "{}", done.stdout);
    }
}
