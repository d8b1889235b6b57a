//! What syntax is worth, language by language: the default reducer against ddmin over lines and tokens.
//!
//! Where no compiler of a language can be expected on every machine, a strict reader in Python stands
//! in for it.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use support::Place;
use wynot_subjects::LANGUAGES;
use wynot_test_support::{Tool, require};

/// An ordinary program or document, and how something fails with it.
struct Case {
    language: &'static str,
    input: &'static str,
    test: &'static str,
    failure: &'static [&'static str],
    /// The default reducer may run this many tests,
    tests: u64,
    /// and then has this many bytes at most.
    bytes: u64,
    /// Three times as many tests leave ddmin with this many bytes at least.
    ddmin: u64,
}

const CASES: &[Case] = &[
    Case {
        language: "c",
        input: "calculator.c",
        test: "gcc -S -Wimplicit-fallthrough {}",
        failure: &["exit=0", "stderr~this statement may fall through"],
        tests: 200,
        bytes: 250,
        ddmin: 1400,
    },
    Case {
        language: "cpp",
        input: "widgets.cpp",
        test: "g++ -fsyntax-only -Woverloaded-virtual {}",
        failure: &["exit=0", "stderr~was hidden"],
        tests: 200,
        bytes: 120,
        ddmin: 1500,
    },
    Case {
        language: "rust",
        input: "parking.rs",
        test: "rustc --edition 2021 --crate-type lib --emit metadata {}",
        failure: &["stderr~E0502", "stderr~aborting due to 1 previous error"],
        tests: 120,
        bytes: 700,
        ddmin: 2000,
    },
    Case {
        language: "javascript",
        input: "shop.js",
        test: "python3 script.py {}",
        failure: &["stderr~has already been declared"],
        tests: 120,
        bytes: 20,
        ddmin: 700,
    },
    Case {
        language: "typescript",
        input: "stores.ts",
        test: "python3 script.py {}",
        failure: &["stderr~incorrectly implements interface"],
        tests: 160,
        bytes: 36,
        ddmin: 700,
    },
    Case {
        language: "python",
        input: "metrics.py",
        test: "python3 {}",
        failure: &["stderr~UnboundLocalError"],
        tests: 200,
        bytes: 18,
        ddmin: 500,
    },
    Case {
        language: "java",
        input: "Library.java",
        test: "python3 java.py {}",
        failure: &["stderr~must be final or effectively final"],
        tests: 200,
        bytes: 50,
        ddmin: 500,
    },
    Case {
        language: "go",
        input: "crawler.go",
        test: "python3 go.py {}",
        failure: &["stderr~captured by func literal"],
        tests: 200,
        bytes: 600,
        ddmin: 850,
    },
    Case {
        language: "json",
        input: "services.json",
        test: "python3 services.py {}",
        failure: &["stderr~longer than the timeout"],
        tests: 160,
        bytes: 49,
        ddmin: 120,
    },
    Case {
        language: "xml",
        input: "plan.svg",
        test: "python3 drawing.py {}",
        failure: &["stderr~uses itself"],
        tests: 120,
        bytes: 36,
        ddmin: 500,
    },
    Case {
        language: "html",
        input: "booking.html",
        test: "python3 forms.py {}",
        failure: &["stderr~a form is in a form"],
        tests: 140,
        bytes: 26,
        ddmin: 500,
    },
    Case {
        language: "css",
        input: "theme.css",
        test: "python3 css.py {}",
        failure: &["stderr~is set only in @media"],
        tests: 200,
        bytes: 60,
        ddmin: 100,
    },
    Case {
        language: "sql",
        input: "library.sql",
        test: "python3 sqlite.py {}",
        failure: &["stderr~FOREIGN KEY constraint failed"],
        tests: 200,
        bytes: 150,
        ddmin: 900,
    },
    Case {
        language: "bash",
        input: "build.sh",
        test: "env FUNCNEST=40 bash {}",
        failure: &["stderr~maximum function nesting level exceeded"],
        tests: 160,
        bytes: 22,
        ddmin: 600,
    },
    Case {
        language: "smt2",
        input: "scheduling.smt2",
        test: "python3 smt.py {}",
        failure: &["stderr~hides a constant of another sort"],
        tests: 200,
        bytes: 150,
        ddmin: 600,
    },
    Case {
        language: "llvm",
        input: "ledger.ll",
        test: "python3 ir.py {}",
        failure: &["stderr~a merged value divides"],
        tests: 300,
        bytes: 150,
        ddmin: 5000,
    },
    Case {
        language: "dimacs",
        input: "talks.cnf",
        test: "python3 dimacs.py {}",
        failure: &["stderr~nothing satisfies this"],
        tests: 180,
        bytes: 18,
        ddmin: 400,
    },
    Case {
        language: "lisp",
        input: "bank.scm",
        test: "python3 lisp.py {}",
        failure: &["stderr~wrong number of arguments"],
        tests: 200,
        bytes: 17,
        ddmin: 1200,
    },
];

impl Case {
    /// What its test runs.
    fn tools(&self) -> impl Iterator<Item = Tool> {
        let tools = [("python3", Tool::Python), ("g++", Tool::Gxx), ("bash", Tool::Bash)];
        let words: Vec<&str> = self.test.split(' ').collect();
        tools.into_iter().filter(move |(name, _)| words.contains(name)).map(|(_, tool)| tool)
    }
}

/// How far a reduction came.
#[derive(Debug)]
struct Came {
    bytes: u64,
    tests: u64,
    /// Whether nothing was left to try.
    finished: bool,
}

/// The interpreter itself: what is called python3 may be a script that looks for it, and slow.
fn interpreter() -> &'static str {
    static PYTHON: OnceLock<String> = OnceLock::new();
    PYTHON.get_or_init(|| {
        let asked =
            Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
        String::from_utf8(asked.unwrap().stdout).unwrap().trim().to_owned()
    })
}

/// A place with all the files of the cases.
fn place() -> Place {
    let place = Place::new();
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/languages");
    for entry in fs::read_dir(files).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            fs::copy(&path, place.path(path.file_name().unwrap())).unwrap();
        }
    }
    place
}

/// Reduces the input of a case with at most so many tests.
fn reduce(place: &Place, case: &Case, options: &[&str], tests: u64) -> Came {
    let mut args: Vec<String> =
        ["reduce", "--json", "--fresh", "--max-tests"].map(str::to_owned).into();
    args.push(tests.to_string());
    args.extend(options.iter().map(|&option| option.to_owned()));
    args.extend(case.failure.iter().flat_map(|&sign| ["--fail-when".to_owned(), sign.to_owned()]));
    args.extend([case.input.to_owned(), "--".to_owned()]);
    for word in case.test.split(' ') {
        match word {
            // Without what it would load for everybody, it starts in half the time.
            "python3" => args.extend([interpreter(), "-E", "-S"].map(str::to_owned)),
            script if script.ends_with(".py") => {
                args.push(place.path(script).display().to_string())
            }
            _ => args.push(word.to_owned()),
        }
    }
    let ran = place.run(&args);
    assert!(matches!(ran.code, Some(0 | 5)), "{ran:?}");
    let result: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    Came {
        bytes: result["bytes"]["after"].as_u64().unwrap(),
        tests: result["tests"]["executed"].as_u64().unwrap(),
        finished: ran.code == Some(0),
    }
}

/// Checks that three times as many tests do not bring ddmin as far, or that its result is three times as
/// large.
fn compare(case: &Case) {
    let language = case.language;
    let place = place();
    let before = place.read(case.input).len();
    let smart = reduce(&place, case, &[], case.tests);
    let ddmin = reduce(&place, case, &["--unit", "line,token"], 3 * smart.tests);
    let figures = format!("{language}: {before} bytes, by syntax {smart:?}, by ddmin {ddmin:?}");
    println!("{figures}");
    let ahead = match ddmin.finished {
        true => ddmin.bytes >= 3 * smart.bytes,
        false => ddmin.bytes > smart.bytes,
    };
    assert!(ahead, "neither 3 times smaller nor 3 times fewer tests: {figures}");
    assert!(smart.bytes <= case.bytes, "more than {} bytes: {figures}", case.bytes);
    assert!(ddmin.bytes >= case.ddmin, "ddmin came below {} bytes: {figures}", case.ddmin);
}

macro_rules! each_by_itself {
    ($($language:ident)*) => {
        $(#[test]
        fn $language() {
            let case = CASES.iter().find(|case| case.language == stringify!($language)).unwrap();
            for tool in case.tools() {
                require!(tool);
            }
            compare(case);
        })*

        const COMPARED: &[&str] = &[$(stringify!($language)),*];
    };
}

each_by_itself! {
    c cpp rust javascript typescript python java go json xml html css sql bash smt2 dimacs lisp llvm
}

#[test]
fn no_language_is_forgotten() {
    // The one is TypeScript with elements in it, the other has no syntax.
    let without = ["tsx", "text"];
    for name in LANGUAGES.iter().map(|language| language.name) {
        assert!(COMPARED.contains(&name) || without.contains(&name), "{name}");
    }
}
