//! Names and numbers of the signals that end programs, as Linux numbers them.

const NAMES: [(&str, i32); 18] = [
    ("HUP", 1),
    ("INT", 2),
    ("QUIT", 3),
    ("ILL", 4),
    ("TRAP", 5),
    ("ABRT", 6),
    ("BUS", 7),
    ("FPE", 8),
    ("KILL", 9),
    ("USR1", 10),
    ("SEGV", 11),
    ("USR2", 12),
    ("PIPE", 13),
    ("ALRM", 14),
    ("TERM", 15),
    ("XCPU", 24),
    ("XFSZ", 25),
    ("SYS", 31),
];

/// The name of a signal without `SIG`, such as `SEGV`; the number of a signal without a name here.
pub fn name(number: i32) -> String {
    let known = NAMES.iter().find(|(_, value)| *value == number);
    known.map_or_else(|| number.to_string(), |(name, _)| (*name).to_owned())
}

/// The number of a signal written as `SEGV`, `SIGSEGV`, `segv` or `11`.
pub fn number(text: &str) -> Option<i32> {
    let upper = text.to_ascii_uppercase();
    let short = upper.strip_prefix("SIG").unwrap_or(&upper);
    let known = NAMES.iter().find(|(name, _)| *name == short).map(|(_, value)| *value);
    known.or_else(|| text.parse().ok().filter(|number| (1..=64).contains(number)))
}

/// Whether a signal reports that the program has crashed.
pub fn is_crash(number: i32) -> bool {
    matches!(
        number,
        libc::SIGSEGV
            | libc::SIGABRT
            | libc::SIGBUS
            | libc::SIGILL
            | libc::SIGFPE
            | libc::SIGTRAP
            | libc::SIGSYS
    )
}

/// Whether a text begins with the description of a signal that reports a crash, as `strsignal` gives it.
pub fn is_crash_description(text: &str) -> bool {
    let descriptions = [
        "Segmentation fault",
        "Aborted",
        "Bus error",
        "Illegal instruction",
        "Floating point exception",
    ];
    descriptions.iter().any(|description| text.trim_start().starts_with(description))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_match_each_other_and_the_system() {
        for (text, number_of_it) in NAMES {
            assert_eq!((name(number_of_it).as_str(), number(text)), (text, Some(number_of_it)));
        }
        assert_eq!(number("sigsegv"), Some(libc::SIGSEGV));
        assert_eq!((number("11"), number("0"), number("NONE")), (Some(11), None, None));
        assert_eq!(name(40), "40");
        assert!(is_crash(11) && !is_crash(15));
    }
}
