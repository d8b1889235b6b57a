//! Keeps what a part of a text reaches by names, and deletes the rest.

use crate::pass::Pass;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;
use crate::text::program_items::ProgramItems;
use crate::text::reach::Reach;
use std::rc::Rc;

/// In texts with fewer bytes than this, lists and orphans lead to the end just as soon.
const MIN_TEXT_BYTES: usize = 16 << 10;

/// What is not known to be needed or not is left when it is less than one in so many parts of what is kept.
const MIN_PARTS: usize = 64;

/// The first roots that are tried weigh one in so many parts.
const FIRST_PARTS: usize = 4;

/// What follows from one needed item is only tried if it is at least one in so many parts smaller.
const MIN_GAIN_PARTS: usize = 32;

/// Keeps the last items with all that they reach: few items at first, then more. What they reach has no bodies at first,
/// then all, then those that the failure needs.
pub fn reachable(parsed: &ParsedText) -> ReachablePass {
    let is_apt = parsed.language.has_declarations
        && parsed.language.body.is_some()
        && parsed.language.missing_value.is_none();
    match is_apt && parsed.text.len() >= MIN_TEXT_BYTES {
        true => reachable_items(parsed),
        false => ReachablePass::default(),
    }
}

/// The search among all items of a text.
fn reachable_items(parsed: &ParsedText) -> ReachablePass {
    let items = ProgramItems::of(parsed);
    let start = |id: &u32| {
        let item = &items.items[*id as usize];
        items.lists[item.list as usize].span(item.element as usize).start
    };
    let is_leaf =
        |id: &u32| items.members[*id as usize].is_empty() && !items.items[*id as usize].is_comment;
    let mut leaves: Vec<u32> = (0..items.items.len() as u32).filter(is_leaf).collect();
    leaves.sort_by_key(|id| std::cmp::Reverse(start(id)));
    let (roots, leaves, items) = (leaves.clone(), Rc::new(leaves), Rc::new(items));
    let mut pass = ReachablePass { items, leaves, roots, ..ReachablePass::default() };
    pass.measure();
    pass
}

/// Which bodies are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum KeptBodies {
    /// Only that of the last item, and nothing but this is tried.
    #[default]
    OfLastItem,
    /// All that are reached.
    All,
    /// Those of roots and of what is needed.
    OfRoots,
}

/// The items that remain to be tried, and what is known about them.
#[derive(Clone, Debug, Default)]
pub struct ReachablePass {
    items: Rc<ProgramItems>,
    /// The items that have no items in them, the last one of the text first.
    leaves: Rc<Vec<u32>>,
    kept_bodies: KeptBodies,
    /// The items that the failure needs.
    needed: Vec<u32>,
    /// The items that the failure may need, the last one of the text first.
    roots: Vec<u32>,
    /// The number of bytes that are kept with the first roots, for each number of them.
    bytes: Rc<Vec<usize>>,
    /// The largest number of roots that are known not to be enough.
    too_few: Option<usize>,
    /// The number of roots that was proposed last.
    proposed: Option<usize>,
    /// Whether the first roots of some number are known to be enough, so that the number is searched between two bounds.
    is_bounded: bool,
    is_done: bool,
}

impl ReachablePass {
    /// Begins to search in another way among the items that are left.
    fn begin(&mut self, kept_bodies: KeptBodies) {
        let mut left = self.reach();
        self.roots.iter().for_each(|&item| left.keep(item));
        let roots = self.leaves.iter().filter(|&&item| left.keeps(item));
        self.roots = roots.copied().collect();
        self.needed.clear();
        self.kept_bodies = kept_bodies;
        self.is_bounded = kept_bodies == KeptBodies::OfRoots;
        self.measure();
        // The last item without the bodies of the rest was the first proposal of all.
        self.too_few = (self.is_bounded && self.roots.len() > 1).then_some(1);
    }

    fn reach(&self) -> Reach<'_> {
        let mut reach = Reach::new(&self.items, self.kept_bodies != KeptBodies::All);
        self.needed.iter().for_each(|&item| reach.keep(item));
        reach
    }

    /// Counts what is kept with each number of roots.
    fn measure(&mut self) {
        let mut reach = self.reach();
        let mut bytes = vec![reach.bytes];
        let mut roots = Vec::new();
        for &root in &self.roots {
            // What others reach is no root.
            if !reach.keeps(root) {
                reach.keep(root);
                roots.push(root);
                bytes.push(reach.bytes);
            }
        }
        self.roots = roots;
        self.bytes = Rc::new(bytes);
        self.too_few = None;
        self.proposed = None;
    }

    fn edits(&self, parsed: &ParsedText, roots: usize) -> Vec<Edit> {
        let mut reach = self.reach();
        self.roots[..roots].iter().for_each(|&item| reach.keep(item));
        reach.delete_others(parsed)
    }

    /// The number of roots to try next; `None` if what is left to gain is not worth a test.
    fn next(&self) -> Option<usize> {
        let enough = self.roots.len();
        let Some(known) = self.too_few else {
            // What is needed may be all that is needed.
            let first = usize::from(self.needed.is_empty());
            return (first < enough).then_some(first);
        };
        let gap = self.bytes[enough] - self.bytes[known];
        if known + 1 >= enough
            || gap * MIN_PARTS < self.bytes[enough]
            || self.kept_bodies == KeptBodies::OfLastItem
        {
            return None;
        }
        let step = if self.is_bounded { gap / 2 } else { gap / FIRST_PARTS };
        let next = self.bytes.partition_point(|&bytes| bytes <= self.bytes[known] + step);
        Some(next.clamp(known + 1, enough - 1))
    }

    /// Goes on when the number of needed roots is found; `false` at the end.
    fn go_on(&mut self) -> bool {
        if self.kept_bodies == KeptBodies::OfLastItem {
            self.begin(KeptBodies::All);
            return true;
        }
        let before = self.bytes.last().copied().unwrap_or_default();
        let known = self.too_few.unwrap_or_default().min(self.roots.len());
        // What is between too little and enough counts as needed.
        let needed = self.roots.split_off(known);
        self.needed.extend(needed);
        self.measure();
        let gain = before - self.bytes[0].min(before);
        if gain * MIN_GAIN_PARTS >= before && !self.roots.is_empty() {
            return true;
        }
        if self.kept_bodies == KeptBodies::All {
            self.begin(KeptBodies::OfRoots);
            return true;
        }
        false
    }
}

impl Pass for ReachablePass {
    fn name(&self) -> &'static str {
        "reachable"
    }

    fn propose(&mut self, parsed: &ParsedText) -> Option<Vec<Edit>> {
        if let Some(failed) = self.proposed.take() {
            self.too_few = Some(failed);
        }
        while !self.is_done {
            if let Some(roots) = self.next() {
                self.proposed = Some(roots);
                return Some(self.edits(parsed, roots));
            }
            self.is_done = !self.go_on();
        }
        None
    }

    fn accept(&mut self, _: &ParsedText) {
        if let Some(enough) = self.proposed.take() {
            self.roots.truncate(enough);
            self.bytes = Rc::new(self.bytes[..=enough].to_vec());
            self.is_bounded = true;
            // The first proposal of all keeps next to nothing.
            self.is_done = self.kept_bodies == KeptBodies::OfLastItem;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::{parse, proposals};
    use proptest::prelude::*;

    /// A program in which each function calls some of those before it.
    fn program(calls: &[Vec<usize>]) -> String {
        let mut text = String::new();
        for (number, calls) in calls.iter().enumerate() {
            let calls = calls.iter().map(|call| call % (number + 1)).filter(|&call| call < number);
            let calls: String = calls.map(|call| format!("f{call}();")).collect();
            text += &format!("void f{number}() {{ {calls} }}\n");
        }
        text
    }

    /// The numbers of the functions that are declared, and of those that are called.
    fn functions(text: &str) -> (Vec<usize>, Vec<usize>) {
        let mut found = (Vec::new(), Vec::new());
        for (at, _) in text.match_indices('f') {
            let digits = text[at + 1..].split('(').next().unwrap_or_default();
            let Ok(number) = digits.parse() else { continue };
            if text[..at].ends_with("void ") { found.0.push(number) } else { found.1.push(number) }
        }
        found
    }

    /// What is left when `fails` decides, and the number of tests.
    fn reduced(text: &str, mut fails: impl FnMut(&str) -> bool) -> (String, usize) {
        let mut parsed = parse("cpp", text);
        let mut pass = reachable_items(&parsed);
        let mut tests = 0;
        while let Some(edits) = pass.propose(&parsed) {
            let draft = parsed.with_edits(&edits);
            tests += 1;
            if fails(&String::from_utf8(draft.text()).unwrap()) {
                parsed.edits = draft.edits().clone();
                pass.accept(&parsed);
            }
        }
        (String::from_utf8(parsed.current_text()).unwrap(), tests)
    }

    #[test]
    fn the_last_item_comes_first_with_what_it_reaches() {
        let text = "struct A { int x; int y; };\nnamespace n { struct B { A a; }; struct C {}; }\n\
                    int f(n::B b) { return b.a.x; }\nint g(n::C) { return 1; }\nint h() { return f({}); }\n";
        let tried = proposals(reachable_items(&parse("cpp", text)), &parse("cpp", text));
        let without_bodies = "namespace n { struct B { }; }\n\
                              int f(n::B b) {}\nint h() { return f({}); }\n";
        assert_eq!(tried[0], without_bodies);
        let with_bodies = "struct A { int x; };\nnamespace n { struct B { A a; }; }\n\
                           int f(n::B b) { return b.a.x; }\nint h() { return f({}); }\n";
        assert_eq!(tried[1], with_bodies);
    }

    #[test]
    fn overloads_are_selected_by_their_parameters_and_references_are_variables() {
        let text = "struct A {}; struct B {}; struct In {}; struct Out {};\n\
                    int in;\nOut make(A a) { return {}; }\nOut make(In &in) { return {}; }\nB make(B b) { return b; }\n\
                    const auto &all = 1;\nunion U { void (A::*p)(); };\n\
                    int f(In i) { make(i); return all; }\nint h(U) { return f({}); }\n";
        let tried = proposals(reachable_items(&parse("cpp", text)), &parse("cpp", text));
        // Nothing reaches `Out` but the function itself, and that is enough.
        assert!(tried[1].contains("Out make(In &in)") && tried[1].contains("&all"), "{}", tried[1]);
        assert!(!tried[1].contains("make(B b)"), "{}", tried[1]);
    }

    #[test]
    fn what_the_parser_does_not_see_is_mentioned() {
        let mut text = "class Hidden;\nunion U { void (Hidden::*p)(); };\n".to_owned();
        text += &"int filler() { return 0; }\n".repeat(1000);
        text += "int h(U u) { u.p; return 0; }\n";
        let parsed = parse("cpp", &text);
        let tried = proposals(reachable(&parsed), &parsed);
        assert!(tried[1].contains("class Hidden;"), "{}", tried[1]);
        assert!(tried[1].len() < 200, "{}", tried[1].len());
    }

    #[test]
    fn what_stands_in_the_middle_is_found_in_few_tests() {
        let calls: Vec<Vec<usize>> = (0..4000).map(|number| vec![number / 2]).collect();
        let text = program(&calls);
        let (left, tests) = reduced(&text, |text| text.contains("void f1234() {"));
        assert!(left.len() * 20 < text.len() && tests < 30, "{} bytes, {tests} tests", left.len());
    }

    proptest! {
        #[test]
        fn proposals_declare_all_that_they_mention(
            calls in proptest::collection::vec(proptest::collection::vec(0usize..100, 0..4), 1..60),
            outcomes in proptest::collection::vec(any::<bool>(), 1..40),
        ) {
            let text = program(&calls);
            let mut table = outcomes.iter().cycle();
            let mut current = text.len();
            let (left, tests) = reduced(&text, |text| {
                let (declared, called) = functions(text);
                assert!(called.iter().all(|call| declared.contains(call)), "{text}");
                let fails = *table.next().unwrap() && text.len() <= current;
                if fails {
                    current = text.len();
                }
                fails
            });
            prop_assert!(left.len() <= text.len() && tests < 1000);
        }

        #[test]
        fn what_the_failure_needs_stays(
            calls in proptest::collection::vec(proptest::collection::vec(0usize..100, 0..4), 1..60),
            needed in proptest::collection::vec(0usize..60, 1..4),
        ) {
            let text = program(&calls);
            let bodies: Vec<&str> = needed.iter().filter_map(|&line| text.lines().nth(line)).collect();
            let (left, _) = reduced(&text, |text| bodies.iter().all(|body| text.contains(body)));
            prop_assert!(bodies.iter().all(|body| left.contains(body)));
        }
    }
}
