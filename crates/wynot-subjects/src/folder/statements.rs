//! Lines that belong together: the ends of a block, the lines of a statement, a block and what is in it.
//!
//! Where a change brings a new block, its first line without its last one is nothing that a person could have
//! written, nor is a line of the block without the block. The syntax tree of each side says which lines
//! these are:
//!
//! - the *frame* of an item, which is all of its lines but those inside of its blocks, is one;
//! - what is inside of a block needs the frame around it;
//! - the frame needs the inside if that is a single item, as in a condition with one statement.
//!
//! In the old text, lines are removed together in the same way, only that the frame needs the removal of the
//! inside.

use crate::folder::change::FileChange;
use crate::folder::outline::Outline;
use crate::syntax::language::Language;
use crate::syntax::tree::NodeId;
use crate::text::TextSubject;
use crate::text_delta::TextSide;
use wynot_core::Dependencies;

/// The largest number of changed lines of a frame. Larger ones are errors of the parser, or large texts.
const MAX_FRAME_LINES: usize = 200;

/// Adds the dependencies between the lines of a change.
pub(crate) fn add_statements(change: &FileChange, dependencies: &mut Dependencies) {
    let Some(text) = &change.text else { return };
    for side in [TextSide::Baseline, TextSide::Original] {
        let bytes = text_of(text, side);
        let tree = Language::guess(&change.path, bytes).parse(bytes);
        let outline = Outline::new(&tree, bytes);
        let deltas = changed_lines(text, &outline, side, change.first);
        Statements { outline: &outline, deltas, side }.add(dependencies);
    }
}

fn text_of(subject: &TextSubject, side: TextSide) -> &[u8] {
    match side {
        TextSide::Baseline => subject.baseline(),
        TextSide::Original => subject.original(),
    }
}

/// For each line of a text, the delta that removes or adds it, unless what replaces it has the same brackets.
fn changed_lines(
    subject: &TextSubject,
    outline: &Outline<'_>,
    side: TextSide,
    first: u32,
) -> Vec<Option<u32>> {
    let mut deltas = vec![None; outline.lines()];
    for index in 0..subject.deltas() {
        let delta = subject.delta(index);
        let old = &subject.baseline()[delta.old.start as usize..delta.old.end as usize];
        let new = &subject.original()[delta.new.start as usize..delta.new.end as usize];
        let (range, is_replaced) = match side {
            TextSide::Baseline => (delta.old, !new.is_empty()),
            TextSide::Original => (delta.new, !old.is_empty()),
        };
        if range.is_empty() || (is_replaced && open_ends(old) == open_ends(new)) {
            continue;
        }
        let (first_line, last_line) =
            (outline.line_at(range.start as usize), outline.line_at(range.end as usize - 1));
        deltas[first_line..=last_line].fill(Some(first + index));
    }
    deltas
}

/// The brackets of a line that are not closed or not opened in it, and whether it ends with a colon: lines with
/// the same open ends can replace each other.
fn open_ends(line: &[u8]) -> Vec<u8> {
    let mut ends: Vec<u8> = Vec::new();
    for &byte in line {
        match byte {
            b'(' | b'[' | b'{' => ends.push(byte),
            b')' | b']' | b'}' => {
                let opener = match byte {
                    b')' => b'(',
                    b']' => b'[',
                    _ => b'{',
                };
                match ends.last() {
                    Some(&last) if last == opener => drop(ends.pop()),
                    _ => ends.push(byte),
                }
            }
            _ => {}
        }
    }
    ends.extend(line.trim_ascii_end().last().filter(|last| matches!(last, b':' | b'\\')));
    ends
}

/// The items of a syntax tree, with the lines of their frames.
struct Statements<'a> {
    outline: &'a Outline<'a>,
    /// The delta of each line.
    deltas: Vec<Option<u32>>,
    side: TextSide,
}

impl Statements<'_> {
    /// Adds the dependencies between the changed lines of each item.
    fn add(&self, dependencies: &mut Dependencies) {
        // The items that are not looked at yet, each with the frame around it.
        let mut pending: Vec<(NodeId, Vec<u32>)> = Vec::new();
        pending.extend(self.outline.items(0).into_iter().map(|item| (item, Vec::new())));
        while let Some((item, around)) = pending.pop() {
            let Some((first, last)) = self.outline.line_range(item) else { continue };
            let blocks = self.outline.blocks(item);
            let is_inside = |line: usize| {
                blocks.iter().any(|block| block.first_inside <= line && line <= block.last_inside)
            };
            let frame = self.deltas_of((first..=last).filter(|&line| !is_inside(line)));
            let frame = if frame.len() > MAX_FRAME_LINES { Vec::new() } else { frame };
            dependencies.tie(frame.iter().copied());
            self.connect(&frame, &around, dependencies);
            // A frame without changes is there in any case, so what is inside does not need it.
            let around = frame;
            for block in &blocks {
                let inside: Vec<NodeId> = self
                    .outline
                    .items(block.node)
                    .into_iter()
                    .filter(|&item| {
                        let range = self.outline.line_range(item);
                        range.is_some_and(|(first, _)| is_inside(first))
                    })
                    .collect();
                let statements: Vec<NodeId> =
                    inside.iter().copied().filter(|&item| !self.outline.is_comment(item)).collect();
                if let [only] = statements.as_slice() {
                    let first = self.outline.line_range(*only).map(|(first, _)| first);
                    let ends = self.deltas_of(first);
                    self.connect(&around, &ends, dependencies);
                }
                pending.extend(inside.into_iter().map(|item| (item, around.clone())));
            }
        }
    }

    /// The deltas of some lines.
    fn deltas_of(&self, lines: impl IntoIterator<Item = usize>) -> Vec<u32> {
        let mut deltas: Vec<u32> = lines.into_iter().filter_map(|line| self.deltas[line]).collect();
        deltas.dedup();
        deltas
    }

    /// Adds that some new lines need others. Where lines are removed, it is the removal of the others that needs theirs.
    fn connect(&self, lines: &[u32], needed: &[u32], dependencies: &mut Dependencies) {
        if lines.is_empty() || needed.is_empty() {
            return;
        }
        let (dependents, needed) = match self.side {
            TextSide::Original => (lines, needed),
            TextSide::Baseline => (needed, lines),
        };
        dependencies.add(dependents.iter().copied(), needed.iter().copied());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use std::sync::Arc;
    use wynot_core::Configuration;

    /// The lines of the new text that a line is applied with, without line ends; those of the old text that are
    /// removed with it, if it is only in the old one.
    fn closure(name: &str, old: &str, new: &str, line: &str) -> Vec<String> {
        let text =
            TextSubject::between(old.as_bytes(), new.as_bytes(), &"line".parse().unwrap()).unwrap();
        let deltas = text.deltas();
        let part = |delta: u32| {
            let change = text.delta(delta);
            let bytes = match change.new.is_empty() {
                true => &old[change.old.start as usize..change.old.end as usize],
                false => &new[change.new.start as usize..change.new.end as usize],
            };
            bytes.trim().to_owned()
        };
        let parts: Vec<String> = (0..deltas).map(part).collect();
        let at = parts.iter().position(|part| part == line).unwrap() as u32;
        let path: Arc<Path> = Arc::from(Path::new(name));
        let change = FileChange {
            path,
            renamed_from: None,
            old: None,
            new: None,
            text: Some(text),
            mode: None,
            first: 0,
        };
        let mut dependencies = Dependencies::new(deltas);
        add_statements(&change, &mut dependencies);
        let all = Configuration::full(deltas);
        let closed = dependencies.with_needs(&Configuration::from([at]), &all);
        closed.iter().map(|delta| parts[delta as usize].clone()).collect()
    }

    #[test]
    fn a_new_block_is_opened_closed_and_not_empty() {
        let old = "int f(int x) {\n  return x;\n}\n";
        let new = "int f(int x) {\n  if (x > 1) {\n    x--;\n    g(x);\n  }\n  if (y)\n    return 2;\n  return x;\n}\n";
        let closure = |line| closure("a.c", old, new, line);
        assert_eq!(closure("if (x > 1) {"), ["if (x > 1) {", "}"]);
        assert_eq!(closure("g(x);"), ["if (x > 1) {", "g(x);", "}"]);
        assert_eq!(closure("return 2;"), ["if (y)", "return 2;"]);
        assert_eq!(closure("if (y)"), ["if (y)", "return 2;"]);
    }

    #[test]
    fn a_line_that_is_replaced_by_a_similar_one_stands_alone() {
        let old = "int f(int x) {\n  if (x > 1) {\n    x--;\n  }\n  return x;\n}\n";
        let new = "int f(int x) {\n  if (x > 2) {\n    x++;\n    h();\n  }\n  return x;\n}\n";
        let closure = |line| closure("a.c", old, new, line);
        assert_eq!(closure("if (x > 2) {"), ["if (x > 2) {"]);
        assert_eq!(closure("h();"), ["h();"]);
    }

    #[test]
    fn what_is_removed_goes_together_too() {
        let new = "int f(int x) {\n  return x;\n}\n";
        let old = "int f(int x) {\n  if (x > 1) {\n    x--;\n    g(x);\n  }\n  if (y)\n    return 2;\n  return x;\n}\n";
        let closure = |line| closure("a.c", old, new, line);
        assert_eq!(closure("g(x);"), ["g(x);"]);
        assert_eq!(closure("if (x > 1) {"), ["if (x > 1) {", "x--;", "g(x);", "}"]);
        assert_eq!(closure("return 2;"), ["if (y)", "return 2;"]);
    }

    #[test]
    fn python_blocks_are_indented() {
        let old = "def f(x):\n    return x\n";
        let new = "def f(x):\n    if x:\n        g()\n    while x:\n        h()\n        i()\n    return x\n\ndef k(\n    a,\n):\n    pass\n";
        let closure = |line| closure("a.py", old, new, line);
        assert_eq!(closure("g()"), ["if x:", "g()"]);
        assert_eq!(closure("if x:"), ["if x:", "g()"]);
        assert_eq!(closure("i()"), ["while x:", "i()"]);
        assert_eq!(closure("pass"), ["def k(", "a,", "):", "pass"]);
    }

    #[test]
    fn conditions_of_the_preprocessor_and_cases_have_an_inside() {
        let old = "int x;\nint f(int a) {\n  switch (a) {\n  default: return 1;\n  }\n}\n";
        let new = "#ifdef A\nint x;\n#else\nint y;\nint z;\n#endif\nint f(int a) {\n  switch (a) {\n  case 2:\n    g();\n    h();\n  default: return 1;\n  }\n}\n";
        let closure = |line| closure("a.c", old, new, line);
        assert_eq!(closure("int z;"), ["#ifdef A", "#else", "int z;", "#endif"]);
        assert_eq!(closure("h();"), ["case 2:", "h();"]);
    }

    #[test]
    fn a_list_may_lose_a_single_entry() {
        let old = "x\n";
        let new = "x\nlet list = [\n  1,\n  2,\n];\nf(a,\n  b);\n";
        let closure = |line| closure("a.js", old, new, line);
        assert_eq!(closure("2,"), ["let list = [", "2,", "];"]);
        assert_eq!(closure("b);"), ["f(a,", "b);"]);
    }
}
