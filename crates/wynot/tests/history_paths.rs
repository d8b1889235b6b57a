//! It fails today and no good version is known: a repository for each way that the search can take, the answer that
//! is right there, and beside it the answer of `git bisect run`.

mod history;
mod support;

use history::{Bisected, Blocker, Expected, Oldest, Repository};
use wynot_test_support::{Tool, require};

/// A script of the folder `history`.
macro_rules! repository {
    ($name:literal) => {
        Repository::new(include_str!(concat!("history/", $name, ".sh")))
    };
}

/// The change that breaks the calculator, and what mends it.
const BROKEN: &str = "lib.sh\n-    echo $(($1 * $2))\n+    echo $(($1 + $2))";
const MENDED: &str = "lib.sh\n-    echo $(($1 + $2))\n+    echo $(($1 * $2))";

/// The option of the calculator that came late.
const PLAIN: &str = "calc.sh\n+[ \"$1\" != --plain ] || { left= right=; shift; }";

fn build_break() -> Repository {
    repository!("build_break")
        .building("gcc -Werror=implicit-function-declaration -o prog main.c text.c")
}

const BUILD_BREAK: Expected<'_> = Expected {
    culprit: "Count from one",
    passing: "Work 8",
    blockers: &[Blocker {
        changes: "text.c\n+#include <string.h>",
        newest: "Work 15",
        oldest: Oldest::PassingOrOlder,
    }],
    change: "text.c\n-    int count = 0;\n+    int count = 1;",
    fix: "text.c\n-    int count = 1;\n+    int count = 0;",
};

const MISSING_FEATURE: Expected<'_> = Expected {
    culprit: "Multiply quickly",
    passing: "Work 9",
    blockers: &[Blocker {
        changes: "calc.sh\n+[ \"$1\" != --plain ] || { plain; shift; }\n\
                  lib.sh\n+plain() { left= right=; }",
        newest: "Work 17",
        oldest: Oldest::PassingOrOlder,
    }],
    change: BROKEN,
    fix: MENDED,
};

#[test]
fn an_include_that_old_versions_lack_is_patched_in() {
    let repository = build_break();
    assert_eq!(repository.bisected(), Bisected::OnlySkipped(17));
    repository.found(&[]).is(&BUILD_BREAK);
}

#[test]
fn a_feature_that_the_test_needs_is_patched_in() {
    let repository = repository!("missing_feature");
    // A test that cannot be done is a bad version to git.
    assert_eq!(repository.bisected(), Bisected::commit("Work 1"));
    repository.found(&[]).is(&MISSING_FEATURE);
}

#[test]
fn a_harness_is_called_as_it_is_today() {
    let repository = repository!("changed_harness");
    assert_eq!(repository.bisected(), Bisected::commit("Work 1"));
    // Without the old line and the new one, every version passes.
    repository.found(&[]).is(&Expected {
        culprit: "Multiply quickly",
        passing: "Work 7",
        blockers: &[Blocker {
            changes: "harness.sh\n-    [ $# = 2 ] || usage; [ \"$1\" = \"$2\" ] || fail \"$2\"\n\
                      +    [ $# = 3 ] || usage; [ \"$2\" = \"$3\" ] || fail \"$1\"",
            newest: "Work 16",
            oldest: Oldest::PassingOrOlder,
        }],
        change: BROKEN,
        fix: MENDED,
    });
}

#[test]
fn a_file_with_another_name_is_renamed_and_keeps_its_own_contents() {
    require!(Tool::Python);
    let repository = repository!("renamed_file");
    assert_eq!(repository.bisected(), Bisected::commit("Work 1"));
    // With the file of today in its place, every version fails.
    repository.found(&[]).is(&Expected {
        culprit: "Divide quickly",
        passing: "Work 8",
        blockers: &[Blocker {
            changes: "rename from tool.py\nrename to src/tool.py",
            newest: "Work 17",
            oldest: Oldest::PassingOrOlder,
        }],
        change: "tool.py\n-    print(sum(numbers) / len(numbers))\n\
                 +    print(sum(numbers) // len(numbers))",
        fix: "src/tool.py\n-    print(sum(numbers) // len(numbers))\n\
              +    print(sum(numbers) / len(numbers))",
    });
}

#[test]
fn a_blocker_is_carried_over_a_new_indentation_of_everything() {
    require!(Tool::Python);
    let repository = repository!("reformatted");
    assert_eq!(repository.bisected(), Bisected::commit("Work 1"));
    repository.found(&[]).is(&Expected {
        culprit: "Sum quickly",
        passing: "Work 7",
        blockers: &[Blocker {
            changes: "report.py\n+        if word == \"--\":\n+            continue",
            newest: "Work 19",
            oldest: Oldest::PassingOrOlder,
        }],
        change: "report.py\n-    amount += price\n+    amount += 2 * price",
        fix: "report.py\n-        amount += 2 * price\n+        amount += price",
    });
}

#[test]
fn two_blockers_have_intervals_of_their_own() {
    let repository =
        repository!("two_blockers").building("grep . VERSION > release && cp calc.sh prog");
    assert_eq!(repository.bisected(), Bisected::OnlySkipped(22));
    repository.found(&[]).is(&Expected {
        culprit: "Multiply quickly",
        passing: "Work 7",
        blockers: &[
            Blocker { changes: "VERSION\n+1.0", newest: "Work 19", oldest: Oldest::PassingOrOlder },
            Blocker { changes: PLAIN, newest: "Work 13", oldest: Oldest::PassingOrOlder },
        ],
        change: BROKEN,
        fix: MENDED,
    });
}

#[test]
fn a_blocker_ends_where_the_code_that_it_mends_began() {
    let repository = repository!("obsolete_blocker");
    // What stops the program is bad to git, and so is everything there.
    assert_eq!(repository.bisected(), Bisected::commit("Multiply quickly"));
    repository.found(&[]).is(&Expected {
        culprit: "Multiply quickly",
        passing: "Work 5",
        blockers: &[Blocker {
            changes: "calc.sh\n-. ./colors.sh",
            newest: "Work 21",
            oldest: Oldest::Is("Use colours"),
        }],
        change: BROKEN,
        fix: MENDED,
    });
}

#[test]
fn a_culprit_is_found_on_the_branch_that_was_merged() {
    let repository = repository!("merge");
    assert_eq!(repository.bisected(), Bisected::commit("Work 1"));
    repository.found(&[]).is(&Expected {
        culprit: "Multiply quickly",
        passing: "Side 4",
        blockers: &[Blocker { changes: PLAIN, newest: "Work 15", oldest: Oldest::PassingOrOlder }],
        change: BROKEN,
        fix: MENDED,
    });
}

#[test]
fn what_never_worked_is_said_to_have_failed_always() {
    let repository = repository!("no_good_version");
    // The first commit is no good version either, but git believes it.
    assert_eq!(repository.bisected(), Bisected::commit("Work 1"));
    let found = repository.found(&[]);
    let json = &found.json;
    assert_eq!(json["verdict"], "always", "{json}");
    assert!(json["passing"].is_null() && json["fix"].is_null(), "{json}");
    found.has_blockers(&[Blocker {
        changes: PLAIN,
        newest: "Work 14",
        oldest: Oldest::Is("Start"),
    }]);
    // The oldest version that can be tested is the first one.
    let told = repository.history(&["--fresh"]);
    let oldest = repository.git(&["rev-list", "--max-parents=0", "HEAD"]);
    assert_eq!(told.code, Some(0), "{told:?}");
    assert!(told.stdout.contains(&oldest[..7]), "{oldest}: {told:?}");
}

#[test]
fn the_second_commit_can_be_the_culprit() {
    let repository = repository!("second_commit");
    assert_eq!(repository.bisected(), Bisected::commit("Multiply quickly"));
    repository.found(&[]).is(&Expected {
        culprit: "Multiply quickly",
        passing: "Start",
        blockers: &[],
        change: BROKEN,
        fix: MENDED,
    });
}

#[test]
fn a_fix_follows_code_to_another_file() {
    require!(Tool::Python);
    let repository = repository!("moved_code");
    assert_eq!(repository.bisected(), Bisected::commit("Simplify prices"));
    repository.found(&[]).is(&Expected {
        culprit: "Simplify prices",
        passing: "Work 6",
        blockers: &[],
        change: "shop.py\n-    print(total * (100 + rate) // 100)\n+    print(total * rate // 100)",
        fix: "prices.py\n-    print(total * rate // 100)\n+    print(total * (100 + rate) // 100)",
    });
}

#[test]
fn a_fix_follows_code_into_a_class_where_a_variable_has_another_name() {
    require!(Tool::Python);
    let repository = repository!("renamed_variable");
    assert_eq!(repository.bisected(), Bisected::commit("Simplify prices"));
    repository.found(&[]).is(&Expected {
        culprit: "Simplify prices",
        passing: "Work 6",
        blockers: &[],
        change: "shop.py\n-    print(total * (100 + rate) // 100)\n+    print(total * rate // 100)",
        fix: "shop.py\n-        print(amount * rate // 100)\n\
              +        print(amount * (100 + rate) // 100)",
    });
}

#[test]
fn a_commit_that_lets_the_test_run_can_be_the_one_that_lets_it_fail() {
    let repository = repository!("culprit_mends");
    assert_eq!(repository.bisected(), Bisected::commit("Work 1"));
    repository.found(&[]).is(&Expected {
        culprit: "Rework it",
        passing: "Work 14",
        blockers: &[Blocker { changes: PLAIN, newest: "Work 14", oldest: Oldest::PassingOrOlder }],
        change: BROKEN,
        fix: MENDED,
    });
}

#[test]
fn a_test_of_the_repository_is_carried_to_versions_without_it() {
    let repository = repository!("test_inside").testing(&["./tests/check.sh"]);
    assert_eq!(repository.bisected(), Bisected::BogusCode(127));
    repository.found(&[]).is(&Expected {
        culprit: "Multiply quickly",
        passing: "Work 10",
        blockers: &[],
        change: BROKEN,
        fix: MENDED,
    });
}

#[test]
fn every_way_to_search_finds_the_same() {
    for (repository, expected) in
        [(build_break(), BUILD_BREAK), (repository!("missing_feature"), MISSING_FEATURE)]
    {
        for way in ["--linear", "--flat"] {
            let found = repository.found(&[way]);
            assert_eq!(found.culprit(), expected.culprit, "{way}: {}", found.json);
        }
    }
}
