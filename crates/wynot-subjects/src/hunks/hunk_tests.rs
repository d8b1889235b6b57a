//! One test for each rule by which hunks are made and placed.

use crate::folder::entry::FolderEntry;
use crate::folder::{Folder, folder_of_texts};
use crate::hunks::apply::{AppliedHunks, apply_hunks, carry_hunks};
use crate::hunks::hunk::{Hunk, HunkChange, HunkFate, HunkPlace};
use crate::hunks::hunk_diff::hunks_between;
use crate::hunks::renames::renames_between;
use std::path::Path;

const EXACT: HunkFate = HunkFate::Applied(HunkPlace::Exact);
const TOKENS: HunkFate = HunkFate::Applied(HunkPlace::Tokens);
const MOVED: HunkFate = HunkFate::Applied(HunkPlace::Moved);

fn text(folder: &Folder, path: &str) -> String {
    let bytes = folder.get(Path::new(path)).and_then(FolderEntry::text).unwrap();
    String::from_utf8_lossy(bytes).into_owned()
}

/// Carries the changes of one file to another version of it.
fn carry(old: &str, new: &str, target: &str) -> (String, Vec<HunkFate>) {
    let [old, new, target] = [old, new, target].map(|text| folder_of_texts(&[("f", text)]));
    let AppliedHunks { folder, fates } = apply_hunks(&hunks_between(&old, &new), &target);
    (text(&folder, "f"), fates)
}

#[test]
fn each_run_of_changed_lines_is_a_hunk() {
    let old = folder_of_texts(&[("a", "1\n2\n3\n4\n"), ("gone", "g\nh\n")]);
    let mut new = folder_of_texts(&[("a", "1\nB\nC\n4\nE\n")]);
    new.insert(Path::new("tool"), FolderEntry::file(b"\0".to_vec(), 0o755));
    let hunks = hunks_between(&old, &new);
    let shown =
        |hunk: &Hunk| (hunk.path().display().to_string(), hunk.lines(), hunk.is_whole_file());
    let expected = [("a", 4, false), ("a", 1, false), ("gone", 2, true), ("tool", 1, true)];
    let expected = expected.map(|(path, lines, is_whole)| (path.to_owned(), lines, is_whole));
    assert_eq!(hunks.iter().map(shown).collect::<Vec<_>>(), expected);
}

#[test]
fn lines_are_found_where_they_have_moved_within_a_file() {
    let (old, new) = ("a\nb\nc\nd\ne\n", "a\nb\nC\nd\ne\nf\n");
    let target = "new\nlines\na\nb\nc\nd\ne\n";
    assert_eq!(carry(old, new, target), ("new\nlines\na\nb\nC\nd\ne\nf\n".into(), vec![EXACT; 2]));
}

#[test]
fn changed_lines_are_a_conflict() {
    let (old, new) = ("start();\nfirst(1);\nend();\n", "start();\nfirst(2);\nend();\n");
    let (target, fates) = carry(old, new, "start();\nfirst(3);\nend();\n");
    assert_eq!(
        (target.as_str(), fates),
        ("start();\nfirst(3);\nend();\n", vec![HunkFate::Conflict])
    );
}

#[test]
fn a_change_that_the_target_has_is_present() {
    let (old, new) = ("a\nb\nc\nd\n", "a\nB\nc\nc2\nd\n");
    let target = "0\na\nB\nc\nc2\nd\n";
    assert_eq!(carry(old, new, target), (target.into(), vec![HunkFate::Present; 2]));
    let reformatted = carry("f(one, two);\n", "f(one, three);\n", "f( one,\n  three );\n");
    assert_eq!(reformatted, ("f( one,\n  three );\n".into(), vec![HunkFate::Present]));
}

#[test]
fn a_removal_of_what_the_target_never_had_is_present() {
    let old = "    child = f;\n    if (is_nil(b)) {\n        leave(status, last);\n    } else {\n        leave(status, b);\n    }\n}\n\nnext(c);\n";
    let new = "    child = f;\n    leave(status, b);\n}\n\nnext(c);\n";
    let target = "\tchild = f;\n\tleave(status,\n\t\tb);\n}\n\nnext(c);\n";
    assert_eq!(carry(old, new, target), (target.into(), vec![HunkFate::Present]));
}

#[test]
fn other_edits_in_the_same_line_are_no_conflict() {
    let old = "int total = count(list) + 1;\n";
    let new = "int total = count(list) + 2;\n";
    let target = "static int sum  =  count(list)+1; /* all */\n";
    let expected = "static int sum  =  count(list)+2; /* all */\n";
    assert_eq!(carry(old, new, target), (expected.into(), vec![TOKENS]));
}

#[test]
fn inserted_lines_take_the_indentation_of_the_target() {
    let old = "def f(a):\n    if a:\n        g(a)\n    return a\n";
    let new = "def f(a):\n    if a:\n        g(a)\n        h(a)\n        for x in a:\n            k(x)\n    return a\n";
    let target = "class C:\n  def f(a):\n    if a:\n      g(a)\n    return a\n";
    let expected = "class C:\n  def f(a):\n    if a:\n      g(a)\n      h(a)\n      for x in a:\n          k(x)\n    return a\n";
    assert_eq!(carry(old, new, target), (expected.into(), vec![TOKENS]));
}

#[test]
fn a_block_that_is_indented_deeper_stays_a_block() {
    let old = "def f(a):\n    first(a)\n    second(a)\n    return a\n";
    let new = "def f(a):\n    if a:\n        first(a)\n        second(a)\n    return a\n";
    let target = "def f(a):\n\tfirst(a, 1)\n\tsecond(a)\n\treturn a\n";
    let expected = "def f(a):\n\tif a:\n\t    first(a, 1)\n\t    second(a)\n\treturn a\n";
    assert_eq!(carry(old, new, target), (expected.into(), vec![TOKENS]));
    let longer = "def f(a):\n\tfirst(a)\n\tother(c)\n\tsecond(a)\n\treturn a\n";
    assert_eq!(carry(old, new, longer), (longer.into(), vec![HunkFate::Conflict]));
}

#[test]
fn parentheses_and_quotes_stay_together() {
    let old = "value = value[1:-1]\nreturn value.replace(a)\n";
    let new = "return unescape.sub(r, value[1:-1])\n";
    let target = "value = value[1:-1]\nif name:\n    return value.replace(a)\n";
    assert_eq!(carry(old, new, target), (target.into(), vec![HunkFate::Conflict]));
}

#[test]
fn lines_are_not_inserted_within_a_line() {
    let old = "open(file)\nread(file)\n";
    let new = "open(file)\ncheck(file)\nread(file)\n";
    let target = "open(file) # why\nlist(file)\n";
    assert_eq!(carry(old, new, target).1, [HunkFate::Conflict]);
}

#[test]
fn line_ends_are_those_of_the_target() {
    let old = "first(a);\nsecond(b);\n";
    let new = "first(a);\nbetween(c);\nanother(d);\nsecond(b);\n";
    let expected = "first(a);\r\nbetween(c);\r\nanother(d);\r\nsecond(b);\r\n";
    assert_eq!(carry(old, new, "first(a);\r\nsecond(b);\r\n"), (expected.into(), vec![TOKENS]));
    let (appended, _) = carry("a\n", "a\nb", "a\nc\n");
    assert_eq!(appended, "a\nb\nc\n", "a line without line end gets one before another line");
}

const FUNCTION: &str = "int area(struct box *box)\n{\n    int width = box->right - box->left;\n    int height = box->bottom - box->top;\n    return width * height;\n}\n";

#[test]
fn code_that_has_moved_to_another_file_is_found_there() {
    let rest: String = (0..30).map(|n| format!("int other_{n}(void);\n")).collect();
    let fixed = FUNCTION.replace("width * height", "(long)width * height");
    let [old, new] =
        [FUNCTION, &fixed].map(|code| folder_of_texts(&[("a.c", &format!("{rest}{code}"))]));
    let hunks = hunks_between(&old, &new);
    let target =
        folder_of_texts(&[("a.c", &rest), ("box.c", &format!("#include \"box.h\"\n\n{FUNCTION}"))]);
    let applied = apply_hunks(&hunks, &target);
    assert_eq!(applied.fates, [MOVED]);
    assert_eq!(text(&applied.folder, "box.c"), format!("#include \"box.h\"\n\n{fixed}"));
    let twice = folder_of_texts(&[("a.c", &rest), ("b.c", FUNCTION), ("c.c", FUNCTION)]);
    let applied = apply_hunks(&hunks, &twice);
    assert_eq!((applied.fates, applied.folder), (vec![HunkFate::Conflict], twice));
}

#[test]
fn lines_are_not_inserted_where_only_the_farther_context_is_found() {
    let frame = |line: &str| {
        format!(
            "check_all(\n    [\n{line}    ],\n)\ndef test(value, expected):\n    parse(value, expected)\n    print(value)\n"
        )
    };
    let [old, new] = ["", "        added(1),\n"].map(|added| {
        folder_of_texts(&[("a.py", &frame(&format!("        pair(one, two),\n{added}")))])
    });
    let target =
        folder_of_texts(&[("b.py", &format!("first\n{}", frame("        list(three),\n")))]);
    let padding: String = (0..30).map(|n| format!("{n}\n")).collect();
    let with_padding = |folder: &Folder, path: &str| {
        let text = format!("{padding}{}", text(folder, path));
        folder.with_contents(Path::new(path), text.into_bytes())
    };
    let hunks = hunks_between(&with_padding(&old, "a.py"), &with_padding(&new, "a.py"));
    assert_eq!(apply_hunks(&hunks, &target).fates, [HunkFate::Conflict]);
}

#[test]
fn similar_code_that_was_there_before_is_not_taken_for_moved_code() {
    let fixed = FUNCTION.replace("width * height", "(long)width * height");
    let old = folder_of_texts(&[("a.c", FUNCTION), ("b.c", FUNCTION)]);
    let hunks = hunks_between(&old, &folder_of_texts(&[("a.c", &fixed), ("b.c", FUNCTION)]));
    let copy = folder_of_texts(&[("b.c", FUNCTION)]);
    assert_eq!(apply_hunks(&hunks, &copy).fates, [EXACT], "it could be a renamed file");
    assert_eq!(carry_hunks(&hunks, &old, &copy).fates, [HunkFate::Conflict]);
    let renamed = folder_of_texts(&[("b.c", FUNCTION), ("c.c", &format!("/* new */\n{FUNCTION}"))]);
    let carried = carry_hunks(&hunks, &old, &renamed);
    assert_eq!(carried.fates, [EXACT]);
    assert_eq!(text(&carried.folder, "c.c"), format!("/* new */\n{fixed}"));
}

#[test]
fn hunks_find_renamed_files() {
    let fixed = FUNCTION.replace("width * height", "height * width");
    let hunks =
        hunks_between(&folder_of_texts(&[("a.c", FUNCTION)]), &folder_of_texts(&[("a.c", &fixed)]));
    let renamed = apply_hunks(&hunks, &folder_of_texts(&[("b.c", FUNCTION), ("x.c", "int x;\n")]));
    assert_eq!((text(&renamed.folder, "b.c"), renamed.fates), (fixed.clone(), vec![EXACT]));
    let (old, new) =
        (folder_of_texts(&[("a.c", FUNCTION)]), folder_of_texts(&[("lib/c.c", &fixed)]));
    let mut both = renames_between(&old, &new);
    assert_eq!(both.len(), 1);
    assert!(matches!(both[0].change(), HunkChange::Rename { to } if **to == *Path::new("lib/c.c")));
    both.extend(hunks);
    let target = folder_of_texts(&[("a.c", &format!("/* box */\n{FUNCTION}"))]);
    let applied = apply_hunks(&both, &target);
    assert_eq!(applied.fates, [EXACT; 2]);
    assert_eq!(applied.folder, folder_of_texts(&[("lib/c.c", &format!("/* box */\n{fixed}"))]));
    assert_eq!(apply_hunks(&both, &applied.folder).fates, [HunkFate::Present; 2]);
}

#[test]
fn renames_are_one_to_one_and_prefer_the_same_name() {
    let other = FUNCTION.replace("area", "surface");
    let old =
        folder_of_texts(&[("a/x.c", FUNCTION), ("a/y.c", FUNCTION), ("a/z.c", &other), ("e", "")]);
    let new =
        folder_of_texts(&[("b/y.c", FUNCTION), ("b/w.c", FUNCTION), ("b/v.c", &other), ("f", "")]);
    let shown = |hunk: &Hunk| match hunk.change() {
        HunkChange::Rename { to } => format!("{} {}", hunk.path().display(), to.display()),
        _ => panic!("not a rename"),
    };
    let renames: Vec<String> = renames_between(&old, &new).iter().map(shown).collect();
    assert_eq!(renames, ["a/x.c b/w.c", "a/y.c b/y.c", "a/z.c b/v.c"]);
    assert!(
        renames_between(
            &folder_of_texts(&[("a", "1\n2\n3\n")]),
            &folder_of_texts(&[("b", "1\n4\n5\n")])
        )
        .is_empty()
    );
}

#[test]
fn whole_files_need_what_they_replace() {
    let added = hunks_between(&Folder::default(), &folder_of_texts(&[("d/a", "1\n")]));
    let fates = |hunks: &[Hunk], target: &Folder| apply_hunks(hunks, target).fates;
    assert_eq!(fates(&added, &folder_of_texts(&[("b", "")])), [EXACT]);
    assert_eq!(fates(&added, &folder_of_texts(&[("d/a", "1\n")])), [HunkFate::Present]);
    assert_eq!(fates(&added, &folder_of_texts(&[("d/a", "2\n")])), [HunkFate::Conflict]);
    assert_eq!(fates(&added, &folder_of_texts(&[("d", "2\n")])), [HunkFate::Conflict]);
    let removed = hunks_between(&folder_of_texts(&[("d/a", "1\n")]), &Folder::default());
    assert_eq!(
        apply_hunks(&removed, &folder_of_texts(&[("d/a", "2\n")])).folder,
        Folder::default()
    );
    assert_eq!(fates(&removed, &folder_of_texts(&[("b", "")])), [HunkFate::Present]);
    let binary =
        hunks_between(&folder_of_texts(&[("a", "\0one")]), &folder_of_texts(&[("a", "\0two")]));
    assert_eq!(fates(&binary, &folder_of_texts(&[("a", "\0one")])), [EXACT]);
    assert_eq!(fates(&binary, &folder_of_texts(&[("a", "\0three")])), [HunkFate::Conflict]);
}

#[test]
fn a_mode_changes_whatever_the_contents_are() {
    let with_mode = |text: &str, mode| -> Folder {
        [(Path::new("a").to_owned(), FolderEntry::file(text.into(), mode))].into_iter().collect()
    };
    let hunks = hunks_between(&with_mode("1\n", 0o644), &with_mode("1\n", 0o755));
    let applied = apply_hunks(&hunks, &with_mode("2\n", 0o644));
    assert_eq!((applied.folder, applied.fates), (with_mode("2\n", 0o755), vec![EXACT]));
    assert_eq!(apply_hunks(&hunks, &with_mode("2\n", 0o755)).fates, [HunkFate::Present]);
    assert_eq!(apply_hunks(&hunks, &with_mode("2\n", 0o600)).fates, [HunkFate::Conflict]);
}

#[test]
fn the_later_of_two_hunks_at_the_same_place_conflicts() {
    let old = folder_of_texts(&[("a", "1\n2\n3\n")]);
    let both = [folder_of_texts(&[("a", "1\nx\n3\n")]), folder_of_texts(&[("a", "1\ny\n3\n")])];
    let hunks: Vec<Hunk> = both.iter().flat_map(|new| hunks_between(&old, new)).collect();
    let applied = apply_hunks(&hunks, &old);
    assert_eq!((applied.folder, applied.fates), (both[0].clone(), vec![EXACT, HunkFate::Conflict]));
}
