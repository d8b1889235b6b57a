//! Reports of the Linux kernel about itself, as consoles of virtual machines show them.

use super::normalize::constant_part;
use crate::crash::Crash;
use crate::variant_files::VariantFiles;

/// Texts that begin the first line of a report.
const SIGNS: [&str; 5] =
    ["BUG: ", "WARNING: ", "kernel BUG at ", "general protection fault", "Oops: "];

/// The first report and its function: `BUG: KASAN: use-after-free in f+0x12/0x34`, or the one of `RIP:`.
pub(super) fn read(lines: &[&str], _: &VariantFiles) -> Option<Crash> {
    let (at, message) = lines.iter().enumerate().find_map(|(at, line)| {
        let begin = SIGNS.iter().filter_map(|sign| line.find(sign)).min()?;
        Some((at, &line[begin..]))
    })?;
    let (words, function) = match message.rsplit_once(" in ") {
        Some((words, place)) if place.contains("+0x") => (words, symbol(place)),
        _ => (message, None),
    };
    let instruction = lines[at..].iter().find_map(|line| symbol(line.split_once("RIP: ")?.1));
    let function = function.or(instruction);
    // Tools such as KASAN are named before a second colon.
    let kind = words.split(": ").take(3).map(constant_part).collect::<Vec<_>>().join(": ");
    let frames: Vec<String> = function.iter().cloned().collect();
    Some(Crash { culprit: function, ..Crash::reported(kind.trim_end_matches([':', ' ']), frames) })
}

/// The function in a place such as `0010:do_work+0x12/0x34`.
fn symbol(place: &str) -> Option<String> {
    let (name, _) = place.split_once("+0x")?;
    let name = name.rsplit([':', ' ']).next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_function_is_named_by_the_report_or_by_the_instruction() {
        let kasan =
            ["[ 3.1] BUG: KASAN: slab-out-of-bounds in do_work+0x12/0x34", "[ 3.1] RIP: 0033:0x7f"];
        let crash = read(&kasan, &VariantFiles::default()).unwrap();
        assert_eq!(crash.cause.to_string(), "BUG: KASAN: slab-out-of-bounds");
        assert_eq!(crash.culprit.as_deref(), Some("do_work"));
        let oops = [
            "[ 3.1] BUG: kernel NULL pointer dereference, address: 0000000000000008",
            "[ 3.1] RIP: 0010:find_it+0x5/0x70",
        ];
        let crash = read(&oops, &VariantFiles::default()).unwrap();
        assert_eq!(crash.culprit.as_deref(), Some("find_it"));
        assert!(crash.cause.to_string().starts_with("BUG: kernel NULL pointer dereference"));
    }
}
