//! Properties of hunks over random folders and texts.

use crate::folder::Folder;
use crate::folder::entry::FolderEntry;
use crate::hunks::apply::apply_hunks;
use crate::hunks::hunk::HunkFate;
use crate::hunks::hunk_diff::hunks_between;
use crate::hunks::renames::renames_between;
use proptest::prelude::*;
use std::path::Path;

fn some_folder() -> impl Strategy<Value = Folder> {
    let path = proptest::sample::select(
        ["a", "a/b", "a/b/c", "d/e", "d/f", "g", "d", "h/i/j", "h/i"].as_slice(),
    );
    let line = proptest::sample::select(
        ["x\n", "y\n", "z\n", "\n", "  x\r\n", "f(x, 1);\n", "}\n", "\u{e9} \n", "\t"].as_slice(),
    );
    let text = proptest::collection::vec(line, 0..12).prop_map(|lines| lines.concat());
    let kind = 0..9u8;
    proptest::collection::vec((path, text, kind), 0..9).prop_map(|entries| {
        let entry = |(path, mut text, kind): (&str, String, u8)| {
            let entry = match kind {
                0 => FolderEntry::Link(text.into()),
                1 => FolderEntry::Directory { mode: 0o755 },
                2 => FolderEntry::Directory { mode: 0o700 },
                3 => FolderEntry::file(text.into_bytes(), 0o755),
                4 => FolderEntry::file([text.as_bytes(), b"\0\xff"].concat(), 0o644),
                5 => {
                    text.push_str("no end");
                    FolderEntry::file(text.into_bytes(), 0o644)
                }
                _ => FolderEntry::file(text.into_bytes(), 0o644),
            };
            (Path::new(path).to_owned(), entry)
        };
        entries.into_iter().map(entry).collect()
    })
}

fn one_file(path: &str, text: impl Into<Vec<u8>>) -> Folder {
    [(Path::new(path).to_owned(), FolderEntry::file(text.into(), 0o644))].into_iter().collect()
}

/// Statements of a program, no two of them the same.
fn statements(count: usize) -> Vec<String> {
    let depth = |number: usize| "    ".repeat([0, 1, 1, 2, 1][number % 5]);
    (0..count).map(|n| format!("{}call_{n}(first, {});\n", depth(n), n * 7)).collect()
}

/// Replaces, removes or inserts a line.
fn changed(lines: &[String], at: usize, kind: u8, name: &str) -> Vec<String> {
    let mut lines = lines.to_vec();
    let indentation: String = lines[at].chars().take_while(|c| *c == ' ').collect();
    let new = format!("{indentation}{name}(second, {at});\n");
    match kind {
        0 => lines[at] = new,
        1 => _ = lines.remove(at),
        _ => lines.insert(at, new),
    }
    lines
}

proptest! {
    #[test]
    fn hunks_lead_from_the_old_folder_to_the_new_one(old in some_folder(), new in some_folder()) {
        let hunks = hunks_between(&old, &new);
        let applied = apply_hunks(&hunks, &old);
        prop_assert_eq!(&applied.folder, &new);
        for fate in &applied.fates {
            prop_assert!(matches!(fate, HunkFate::Applied(_)), "{:?} {:?}", &hunks, &applied.fates);
        }
    }

    #[test]
    fn hunks_change_nothing_where_they_are_present(old in some_folder(), new in some_folder()) {
        let applied = apply_hunks(&hunks_between(&old, &new), &new);
        prop_assert_eq!(&applied.folder, &new);
        for fate in &applied.fates {
            prop_assert!(!matches!(fate, HunkFate::Applied(_)), "{:?}", &applied.fates);
        }
    }

    #[test]
    fn any_hunks_can_be_tried_on_any_folder(
        old in some_folder(), new in some_folder(), target in some_folder()
    ) {
        let mut hunks = renames_between(&old, &new);
        hunks.extend(hunks_between(&old, &new));
        let applied = apply_hunks(&hunks, &target);
        prop_assert_eq!(applied.fates.len(), hunks.len());
        prop_assert_eq!(&applied, &apply_hunks(&hunks, &target));
        if applied.fates.iter().all(|fate| !matches!(fate, HunkFate::Applied(_))) {
            prop_assert_eq!(&applied.folder, &target);
        }
    }

    #[test]
    fn changes_with_a_line_between_them_commute(
        first in 1..10usize, apart in 2..10usize, kinds in (0..3u8, 0..3u8)
    ) {
        let base = statements(24);
        let second = first + apart + 1;
        // The later line first, so that the numbers of the lines stay the same.
        let later = changed(&base, second, kinds.1, "later");
        let both = changed(&later, first, kinds.0, "earlier");
        let earlier = changed(&base, first, kinds.0, "earlier");
        let [base, later, both, earlier] =
            [base, later, both, earlier].map(|lines| one_file("a.c", lines.concat()));
        let applied = apply_hunks(&hunks_between(&base, &earlier), &later);
        prop_assert_eq!(&applied.folder, &both);
        let applied = apply_hunks(&hunks_between(&base, &later), &earlier);
        prop_assert_eq!(&applied.folder, &both);
    }

    #[test]
    fn another_indentation_of_the_target_is_no_conflict(
        at in 1..20usize, kind in 0..3u8, tabs in any::<bool>(), deeper in any::<bool>()
    ) {
        let base = statements(24);
        let indented = |lines: &[String]| {
            let line = |line: &String| {
                let line = if tabs { line.replace("    ", "\t") } else { line.replace("    ", "  ") };
                if deeper { format!("\t{line}") } else { line }
            };
            one_file("a.c", lines.iter().map(line).collect::<String>())
        };
        let new = changed(&base, at, kind, "changed");
        let hunks = hunks_between(&one_file("a.c", base.concat()), &one_file("a.c", new.concat()));
        let applied = apply_hunks(&hunks, &indented(&base));
        prop_assert_eq!(&applied.folder, &indented(&new), "{:?}", applied.fates);
    }

    #[test]
    fn another_path_of_the_file_is_no_conflict(at in 1..20usize, kind in 0..3u8) {
        let base = statements(24);
        let new = changed(&base, at, kind, "changed");
        let hunks = hunks_between(&one_file("a.c", base.concat()), &one_file("a.c", new.concat()));
        let applied = apply_hunks(&hunks, &one_file("lib/b.c", base.concat()));
        prop_assert_eq!(&applied.folder, &one_file("lib/b.c", new.concat()));
    }
}
