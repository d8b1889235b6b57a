//! Names of the signals that end programs, as Linux numbers them.

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

/// The name of a signal, such as SEGV, or its number.
pub fn name(number: i32) -> String {
    let known = NAMES.iter().find(|(_, value)| *value == number);
    known.map_or_else(|| number.to_string(), |(name, _)| (*name).to_owned())
}

/// The number of a signal written as SEGV, SIGSEGV, segv or 11.
pub fn number(text: &str) -> Option<i32> {
    let upper = text.to_ascii_uppercase();
    let short = upper.strip_prefix("SIG").unwrap_or(&upper);
    let known = NAMES.iter().find(|(name, _)| *name == short).map(|(_, value)| *value);
    known.or_else(|| text.parse().ok().filter(|number| (1..=64).contains(number)))
}
