//! The texts below the options in the help: exit codes and examples.

/// The number of examples in a summary.
const SHORT_EXAMPLES: usize = 2;

/// The first examples of a text.
pub fn short_examples(text: &str) -> String {
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let mut shown = 0;
    let is_shown = |line: &&str| {
        shown += usize::from(line.starts_with("  wynot "));
        shown <= SHORT_EXAMPLES
    };
    paragraph.lines().take_while(is_shown).collect::<Vec<_>>().join("\n")
}

/// The last line of a summary.
pub fn summary_line(verb: &str) -> String {
    format!("wynot {verb} --help has all options and more examples.")
}

pub const EXIT_CODES: &str = "\
Exit codes:
  0    found
  1    unexpected error
  2    wrong usage or input
  3    the failure does not reproduce, or the passing side fails too
  4    indeterminate: the test contradicted itself, or no chain was found
  5    stopped by a limit, with a result
  130  interrupted, with a result";

pub const REDUCE_EXAMPLES: &str = "\
Examples:
  wynot reduce crash.c -- gcc -O2 -c {}
      gcc dies on crash.c: find the smallest input on which it dies the same way
  wynot reduce --fail-when 'stderr~E0502' lib.rs -- rustc --crate-type lib {}
      keep this one error message
  wynot reduce --same-crash input.bin -- ./decoder {}
      there is more than one crash: keep the one whose innermost functions are the same
  wynot reduce page.html -- ./interesting.sh
      a script that exits 0 when the failure is present; it finds page.html in its
      current directory and on standard input, or at {} if that is an argument
  wynot reduce --executor grpc://build.example:8980 crash.c -- gcc -O2 -c {}
      the same on the workers of a service that speaks the Remote Execution API
  wynot reduce project -- make -C project
      a directory: files are removed, then parts of files; tests find it at its usual path

Each test runs in a private directory that holds the variant under the input's name.";

pub const ISOLATE_EXAMPLES: &str = "\
Examples:
  wynot isolate --passing old.conf new.conf -- ./server --check {}
      which of the changes between two files makes the check fail
  wynot isolate crash.bin -- ./decoder {}
      the one byte whose presence decides, starting from the empty input
  wynot isolate --passing lib-1.2 lib-1.3 -- ./program --with {}
      which file, and which lines of it, of a new version break a program";

pub const OPTIONS_EXAMPLES: &str = "\
Examples:
  wynot options --vary '-O2 -funroll-loops -ffast-math' -- ./build-and-test.sh {options}
      which option makes the test fail
  wynot options --prevent --all --vary-file options.txt -- gcc -O2 {options} -c bug.c
      which options, each by itself, make the failure go away
  wynot options --env -- ./program
      which variable of this shell's environment, and which entry of a list such as
      PATH, makes a program fail that works with a clean environment";

pub const MCP_EXAMPLES: &str = "\
Configuration of a client:
  {\"mcpServers\": {\"wynot\": {\"command\": \"wynot\", \"args\": [\"mcp\"]}}}

The tools are reduce, isolate, options, changes, history and explain, with the options of these
commands, and status, result and cancel for searches in the background. A search stops after 10
minutes with its best so far, unless max_time says otherwise. At most 2 searches run at a time.
When standard input ends, all searches end.";

pub const VERIFY_EXAMPLES: &str = "\
Examples:
  wynot verify crash.min.c
      does it still fail, and is it true that no single token or byte can be removed?
  wynot verify
      the same for the newest result of a search from this directory

Exit code 3 if the result does not fail any more, 4 if what was proved does not hold.";

pub const CHANGES_EXAMPLES: &str = "\
Examples:
  wynot changes --good v1.2 --bad HEAD --build 'make -j2' -- ./run-tests.sh
      which commit, and which lines of it, make the test fail
  wynot changes --good lib-1.2.tar.gz --bad lib-1.3 -- sh -c 'make && ./check'
      the same between an archive and a directory, without a history
  wynot changes --good old/Cargo.lock --bad Cargo.lock --build 'cargo build --locked' -- ./check
      which dependency upgrade makes the test fail
  wynot changes --versions releases.txt --build 'pip install --target lib pkg=={version}' -- python3 check.py
      the first release of a package that breaks a program; releases.txt has one version
      per line, the oldest first
  wynot changes --flaky --confidence 0.999 --versions nightlies.txt -- ./race.sh {version}
      the same with a test that fails only sometimes, until the answer is right with this
      probability

Tests run in copies of the versions; your checkout is not touched. Exit codes are those of git
bisect run: 0 is good, 125 skips, other codes up to 127 are bad.";

pub const HISTORY_EXAMPLES: &str = "\
Examples:
  wynot history --build 'make -j2' -- ./reproduce.sh
      it fails today and no good version is known: which commit, and which lines of it, introduced
      the failure, although old versions do not build with today's compiler; and a fix for today
  wynot history --until v1.0 --max-time 8h --report walk.html -- python3 tests/check_bug.py
      go back to v1.0 at most, for eight hours at most, and draw the way
  wynot history --branch fix-overflow --build make --guard 'valgrind -q --error-exitcode=9 ./tool x' -- ./check
      put the fix on a new branch; versions that pass only by corrupting memory do not count

Where old versions cannot be built or tested, wynot patches them with the smallest part of newer
commits that makes it possible, and goes on. Tests run in copies of the versions; your checkout is
not touched. Exit codes are those of git bisect run: 0 is good, 125 skips, other codes up to 127 are
bad.";

pub const EXPLAIN_EXAMPLES: &str = "\
Examples:
  wynot explain --pass './sort 7 8 9 5' --fail './sort 11 14' --fail-when 'stdout~^0 '
      which variables carry the failure from the arguments to the wrong output
  wynot explain --pass './parse < good.txt' --fail './parse < bad.txt' --gdb steps
      the same for a crash on some input, and each step as a script for GDB
  wynot explain --pass './parse a.txt' --pass './parse b.txt' --fail './parse bad.txt'
      a is compared with bad; values that b has as well are no steps

The program needs debug information (-g), best without optimisation (-O0). Both runs are stopped at
places that they have in common; values that differ there are copied into the passing run to find
those that make it fail.";

pub const STATE_EXAMPLES: &str = "\
Examples:
  wynot state dump './sort 7 8 9' --at shell_sort
      all objects that can be reached from the variables when shell_sort is called
  wynot state diff --pass './list 1 2 3' --fail './list 1 3' --at check --as dot | dot -Tsvg
      a drawing of what differs between two runs at one place";

/// What follows the help of `serve`.
pub const SERVE_EXAMPLES: &str = "\
Examples:
  wynot serve
      a server for this machine, at http://127.0.0.1:8411
  wynot serve token add ci --rights read,submit,commands
      print a token for programs: Authorization: Bearer TOKEN
  wynot serve environment add gcc.json
      with gcc.json = {\"name\": \"gcc\", \"command\": [\"gcc\", \"-O2\", \"-c\", \"{}\"]}: submitters
      choose gcc and give an input, and need no right to run commands
  wynot serve --listen 0.0.0.0:8411 --public-url https://wynot.example --keep 90d
      a server for a team, behind a proxy that speaks TLS; it refuses to start without tokens

Jobs run in the sandbox, as another user if the server is started by root, within --memory,
--processes, --disk and --time. A server that was stopped or killed goes on with its jobs at the
next start.";

/// What follows the help of `submit`.
pub const SUBMIT_EXAMPLES: &str = "\
Examples:
  wynot submit reduce bug.c -- gcc -O2 -c {}
      as wynot reduce, but on a server: waits, and writes bug.min.c
  wynot submit --server https://wynot.example --environment gcc --project gcc --detach reduce bug.c
      with a test that the server knows; prints the address of the job's page
  wynot submit reduce --with check.py bug.py -- sh test.sh {}
      test.sh, which the command names, and check.py, which test.sh needs, go along
  wynot submit changes --good v1.2 --bad HEAD -- ./test.sh
      sends the history of this repository

Inputs and the files that the test names below this directory are sent. The token is in
WYNOT_TOKEN or --token-file.";

/// What follows the help of `sessions`.
pub const SESSIONS_EXAMPLES: &str = "\
Examples:
  wynot sessions
      each with its size, its age, how it ended, and its command
  wynot sessions prune --older-than 7d
      remove what nothing has used for a week

Sessions let searches be resumed, verified and reported. A search removes those that nothing has
used for 90 days, and the oldest ones above 2 GB. Those in use stay.";
