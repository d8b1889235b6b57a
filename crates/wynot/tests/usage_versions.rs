//! Wrong usage of the searches between versions, as a newcomer meets it.

mod support;

use support::Place;
use support::changes::sh;

/// A repository in which `check.sh` passes at the tag `works` and fails at HEAD.
fn repository() -> Place {
    let place = Place::new();
    sh(
        &place,
        "git init -q; printf '#!/bin/sh\\ngrep -q good value.txt\\n' > check.sh; chmod +x check.sh
         echo good > value.txt; git add -A; git commit -qm First; git tag works
         echo wrong > value.txt; git commit -qam Second",
    );
    place
}

#[test]
fn names_of_versions_and_tests_with_a_slip_are_answered_with_those_that_were_meant() {
    let place = repository();
    place.wynot("changes --good wroks --bad HEAD -- ./check.sh").ends(2, "did you mean works?");
    place.wynot("changes --good works --bad HEAD -- ./chek.sh").ends(2, "did you mean ./check.sh?");
    // A build might have made it.
    let missing = place.wynot("changes --good works --bad HEAD --build true -- ./chek.sh");
    missing.ends(3, "there is no chek.sh in HEAD");
    missing.ends(3, "did you mean ./check.sh?");
    place.wynot("changes --good works --bad works -- ./check.sh").ends(3, "--good is the version");
    let unbuilt = place.wynot("changes --good works --bad HEAD --build mak -- ./check.sh");
    unbuilt.ends(3, "try: mak && ./check.sh");
    assert_eq!(place.wynot("changes --good works --bad HEAD -- ./check.sh").code, Some(0));
}

#[test]
fn a_row_in_the_wrong_order_has_a_hint() {
    let place = Place::new();
    place.write("list.txt", "3\n2\n1\n");
    let refused =
        place.run(["changes", "--versions", "list.txt", "--", "sh", "-c", "test {version} -lt 3"]);
    refused.ends(3, "the test passes on the bad version");
    refused.ends(3, "the list begins with the oldest version");
}
