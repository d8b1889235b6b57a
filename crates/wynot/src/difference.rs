//! An isolated difference, in words.

use wynot_core::Isolated;
use wynot_report::number::count;
use wynot_subjects::{Delta, Subject};

/// How many deltas are described.
const SHOWN: usize = 10;

/// How many bytes of context stand on each side of a delta.
const CONTEXT: usize = 30;

/// How many bytes the deltas of a difference change.
pub fn bytes(subject: &Subject, sides: &Isolated) -> u64 {
    let size = |Delta { old, new }: Delta| old.len().max(new.len()) as u64;
    sides.difference().deltas().map(|delta| size(subject.delta(delta))).sum()
}

/// A line for each delta: where it is in the failing side, and what it does.
pub fn describe(subject: &Subject, sides: &Isolated) -> Vec<String> {
    let mut failing = Vec::new();
    subject.compose(&sides.failing, &mut failing);
    let difference = sides.difference();
    let mut lines: Vec<String> = difference
        .deltas()
        .take(SHOWN)
        .map(|delta| one(subject, &failing, subject.offset(&sides.failing, delta), delta))
        .collect();
    if difference.len() > SHOWN {
        lines.push(format!("and {} more", difference.len() - SHOWN));
    }
    lines
}

fn one(subject: &Subject, failing: &[u8], offset: usize, delta: u32) -> String {
    let Delta { old, new } = subject.delta(delta);
    let old = &subject.baseline()[old.start as usize..old.end as usize];
    let new = &subject.original()[new.start as usize..new.end as usize];
    let line_start = failing[..offset].iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
    let line = failing[..offset].iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
    let column = String::from_utf8_lossy(&failing[line_start..offset]).chars().count() + 1;
    let behind = offset + new.len();
    let line_end =
        failing[behind..].iter().position(|&b| b == b'\n').map_or(failing.len(), |at| behind + at);
    let before = &failing[line_start.max(offset.saturating_sub(CONTEXT))..offset];
    let after = &failing[behind..line_end.max(behind).min(behind + CONTEXT)];
    let what = match (old, new) {
        ([], new) => format!("with {}", shown(new)),
        (old, []) => format!("without {}", shown(old)),
        (old, new) => format!("with {} instead of {}", shown(new), shown(old)),
    };
    let (before, after) = (visible(before), visible(after));
    format!("line {line}, column {column}: fails {what}, after \"{before}\", before \"{after}\"")
}

/// A short text in quotes, a long one by its size and beginning.
fn shown(bytes: &[u8]) -> String {
    if bytes.len() <= 2 * CONTEXT {
        return format!("\"{}\"", visible(bytes));
    }
    format!("{} beginning \"{}\"", count(bytes.len() as u64, "byte"), visible(&bytes[..CONTEXT]))
}

/// Text on one line, whatever is in it.
fn visible(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).escape_debug().to_string().replace("\\'", "'")
}

#[cfg(test)]
mod tests {
    use super::*;
    use wynot_core::Configuration;

    #[test]
    fn a_difference_is_told_with_its_place() {
        let units = "char".parse().unwrap();
        let subject = Subject::between(b"ok\nx = 1;\n", b"ok\nx = 12;\n", &units).unwrap();
        let sides = Isolated { passing: Configuration::empty(), failing: Configuration::full(1) };
        assert_eq!(bytes(&subject, &sides), 1);
        let told = describe(&subject, &sides);
        assert_eq!(told, ["line 2, column 6: fails with \"2\", after \"x = 1\", before \";\""]);
    }
}
