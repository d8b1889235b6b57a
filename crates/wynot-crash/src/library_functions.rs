//! Functions of libraries that many programs share, and the functions that are responsible for a crash: a crash in a
//! function of such a library is the fault of its caller.

/// Functions that end a program on behalf of their callers.
pub(crate) const TERMINATORS: [&str; 16] = [
    "abort",
    "raise",
    "gsignal",
    "__assert_fail",
    "__assert_perror_fail",
    "__chk_fail",
    "__fortify_fail",
    "__stack_chk_fail",
    "__cxa_throw",
    "__cxa_rethrow",
    "__cxa_pure_virtual",
    "__cxa_bad_cast",
    "std::terminate",
    "std::unexpected",
    "rust_panic",
    "rust_begin_unwind",
];

/// Functions that are called by the program that crashes, by their names, besides the terminators.
const FUNCTIONS: [&str; 47] = [
    "pthread_kill",
    "tgkill",
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "memchr",
    "strlen",
    "strnlen",
    "strcpy",
    "strncpy",
    "strcat",
    "strncat",
    "strcmp",
    "strncmp",
    "strcasecmp",
    "strchr",
    "strrchr",
    "strstr",
    "strdup",
    "strtol",
    "strtoul",
    "sprintf",
    "snprintf",
    "vsnprintf",
    "vsprintf",
    "printf",
    "fprintf",
    "vfprintf",
    "sscanf",
    "malloc",
    "calloc",
    "realloc",
    "free",
    "cfree",
    "_int_malloc",
    "_int_free",
    "qsort",
    "bsearch",
    "fread",
    "fwrite",
    "crash_signal",
    "internal_error",
    "fancy_abort",
    "gcc_unreachable",
    "SignalHandler",
    "CrashRecoverySignalHandler",
];

/// The beginnings of the names of such functions.
const PREFIXES: [&str; 40] = [
    "__interceptor_",
    "__asan",
    "__ubsan",
    "__sanitizer",
    "__tsan",
    "__msan",
    "__lsan",
    "__hwasan",
    "__mem",
    "__str",
    "__libc",
    "__assert",
    "__GI_",
    "__restore",
    "__pthread",
    "__stack_chk",
    "__fortify",
    "__chk",
    "__cxa",
    "__gnu_cxx::",
    "__rust",
    "rust_",
    "std::",
    "core::",
    "alloc::",
    "operator new",
    "operator delete",
    "libc.so",
    "libstdc++",
    "ld-linux",
    "libasan",
    "llvm::sys::",
    "llvm::report_fatal_error",
    "llvm::llvm_unreachable",
    "llvm::install_",
    "runtime.",
    "runtime/debug.",
    "cmd/compile/internal/base.Fatal",
    "rustc_errors::",
    "rustc_middle::util::bug",
];

/// The packages of Java's own libraries.
const JAVA_PREFIXES: [&str; 7] =
    ["java.", "javax.", "jdk.internal.", "sun.", "kotlin.", "scala.", "com.google.common.base."];

/// Whether a function belongs to a library that many programs share, or has no name.
pub(crate) fn is_library_function(name: &str) -> bool {
    let begins_with = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    // A method that such a library implements for a type: `<usize as core::slice::SliceIndex>::index`.
    let inside = name.trim_start_matches(['<', '&']);
    name == "?"
        || TERMINATORS.contains(&name)
        || FUNCTIONS.contains(&name)
        || begins_with(&PREFIXES)
        || begins_with(&JAVA_PREFIXES)
        || (inside != name && PREFIXES.iter().any(|prefix| inside.starts_with(prefix)))
}

/// The functions that are responsible for a crash, `inner ← caller`, among those that were active, innermost first, each with
/// whether it belongs to the input: the innermost one that belongs to no shared library, and the one that called it, since
/// it may be a small function that many others call. `None` if the innermost one belongs to the input.
pub(crate) fn culprit<'f>(functions: impl Iterator<Item = (&'f str, bool)>) -> Option<String> {
    let mut own = functions.filter(|(name, _)| !is_library_function(name));
    let (inner, _) = own.next().filter(|(_, belongs_to_input)| !belongs_to_input)?;
    let caller = own.find(|(name, _)| *name != inner);
    Some(match caller.filter(|(_, belongs_to_input)| !belongs_to_input) {
        Some((caller, _)) => format!("{inner} ← {caller}"),
        None => inner.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_and_its_caller_are_responsible() {
        let of = |names: &[(&str, bool)]| culprit(names.iter().copied());
        let stack =
            [("memcpy", false), ("get", false), ("get", false), ("parse", false), ("main", false)];
        assert_eq!(of(&stack).as_deref(), Some("get ← parse"));
        assert_eq!(of(&stack[..3]).as_deref(), Some("get"));
        assert_eq!(of(&[("get", false), ("own", true)]).as_deref(), Some("get"));
        assert_eq!(of(&[("abort", false), ("own", true), ("main", false)]), None);
    }

    #[test]
    fn the_functions_of_programs_are_not_those_of_libraries() {
        for name in
            ["memcpy", "__strlen_avx2", "std::vector::at", "libc.so.6+0x3c", "java.util.List.get"]
        {
            assert!(is_library_function(name), "{name}");
        }
        for name in ["parse", "memory_of", "stdlib", "a.out+0x1139", "com.sun.tools.javac.Main"] {
            assert!(!is_library_function(name), "{name}");
        }
    }
}
