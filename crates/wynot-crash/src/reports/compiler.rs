//! Internal errors of compilers.

use super::text_frame::{TextFrame, culprit, functions};
use crate::crash::{Cause, Crash};
use crate::variant_files::VariantFiles;
use wynot_process::demangle;

/// The text in front of the message of GCC, rustc and Go.
const SIGN: &str = "internal compiler error: ";

/// The number of innermost frames of a stack among which the call of a signal handler is searched.
const MAX_HANDLER_FRAMES: usize = 8;

/// The first internal error of GCC: `x.c:5:1: internal compiler error: in F, at expr.cc:9876`.
pub(super) fn read_gcc(lines: &[&str], variant_files: &VariantFiles) -> Option<Crash> {
    let (at, message) = message(lines)?;
    let stack: Vec<TextFrame> = lines[at + 1..].iter().filter_map(|line| gcc_frame(line)).collect();
    let (words, function, location) = match place(message) {
        Some((words, function, location)) => (words, Some(function), Some(location)),
        None => (message, None, None),
    };
    let function = function.map(demangle::plain_name);
    let frames = match &function {
        Some(function) if stack.is_empty() => vec![function.clone()],
        _ => functions(&stack),
    };
    let complete = !frames.is_empty();
    Some(Crash {
        culprit: function.or_else(|| culprit(&stack, variant_files)),
        location: location.map(ToOwned::to_owned),
        message: (!words.is_empty()).then(|| words.to_owned()),
        ..Crash::new(Cause::Report("internal compiler error".to_owned()), frames, complete)
    })
}

/// The first line with an internal error, and its message.
fn message<'l>(lines: &[&'l str]) -> Option<(usize, &'l str)> {
    let mut numbered = lines.iter().enumerate();
    numbered.find_map(|(at, line)| Some((at, line.split_once(SIGN)?.1.trim())))
}

/// The words before `in F, at FILE:LINE`, the function, and the place.
fn place(message: &str) -> Option<(&str, &str, &str)> {
    let (before, location) = message.rsplit_once(", at ")?;
    let (words, function) = match before.strip_prefix("in ") {
        Some(function) => ("", function),
        None => before.rsplit_once(" in ")?,
    };
    Some((words.trim_end_matches(','), function, location))
}

/// The function in a line such as `0x6a1b2c fold_binary_loc(unsigned int, tree_code)`.
fn gcc_frame(line: &str) -> Option<TextFrame> {
    let (address, function) = line.split_once(' ')?;
    let digits = address.strip_prefix("0x")?;
    let is_address = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_address && function != "???").then(|| TextFrame::new(demangle::plain_name(function), None))
}

/// The first internal error of rustc that names a line of the compiler:
/// `error: internal compiler error: compiler/rustc_x/src/y.rs:12:3: message`.
pub(super) fn read_rustc(lines: &[&str], _: &VariantFiles) -> Option<Crash> {
    lines.iter().find_map(|line| {
        let (_, rest) = line.split_once("error: internal compiler error: ")?;
        let (place, message) = rest.split_once(": ")?;
        let (file, _) = place.split_once(".rs:")?;
        (!file.contains(' ')).then(|| Crash {
            location: Some(place.to_owned()),
            message: Some(message.to_owned()),
            ..Crash::reported("internal compiler error", Vec::new())
        })
    })
}

/// The internal error of Go's compiler, which prints the stack of its goroutine.
pub(super) fn read_go(lines: &[&str], variant_files: &VariantFiles) -> Option<Crash> {
    let (_, message) = message(lines)?;
    let stack = super::go::stack(lines)?;
    Some(Crash {
        culprit: culprit(&stack, variant_files),
        message: Some(message.to_owned()),
        ..Crash::reported("internal compiler error", functions(&stack))
    })
}

/// The stack that programs with LLVM print, clang and swiftc among them.
pub(super) fn read_llvm(lines: &[&str], variant_files: &VariantFiles) -> Option<Crash> {
    let begin = lines.iter().position(|line| line.starts_with("Stack dump:"))?;
    let frames = lines[begin + 1..].iter().filter_map(|line| llvm_frame(line));
    let stack = without_handler(frames.collect());
    let fatal = |line: &&str| {
        let texts = ["fatal error: error in backend: ", "UNREACHABLE executed at ", "LLVM ERROR: "];
        texts.into_iter().find_map(|text| Some(line.split_once(text)?.1.to_owned()))
    };
    let complete = !stack.is_empty();
    Some(Crash {
        culprit: culprit(&stack, variant_files),
        message: lines.iter().find_map(fatal),
        ..Crash::new(Cause::Report("compiler crash".to_owned()), functions(&stack), complete)
    })
}

/// A stack without the frames of the signal handler that prints it. The C library calls the handler.
fn without_handler(stack: Vec<TextFrame>) -> Vec<TextFrame> {
    let inner = stack.iter().take(MAX_HANDLER_FRAMES);
    let is_call = |frame: &TextFrame| {
        frame.function.starts_with("libc.so") || frame.function == "__restore_rt"
    };
    let call = inner.into_iter().position(is_call);
    stack[call.map_or(0, |call| call + 1)..].to_vec()
}

/// The function in a line such as ` #4 0x00007f3a clang::Parser::Parse(int) (/lib/libclang.so+0x12)`.
fn llvm_frame(line: &str) -> Option<TextFrame> {
    let rest = line.trim_start().strip_prefix('#')?;
    let (number, rest) = rest.split_once(' ')?;
    number.parse::<u32>().ok()?;
    let (_, rest) = rest.trim_start().strip_prefix("0x")?.split_once(' ')?;
    let function = match (rest.rfind(" ("), rest.rsplit_once(' ')) {
        (Some(at), _) => &rest[..at],
        (None, Some((function, place))) if place.contains(':') => function,
        _ => rest,
    };
    // A frame without a name has only the file and the offset.
    let name = match rest.starts_with('(') {
        true => rest.trim_matches(['(', ')']).rsplit('/').next().unwrap_or(rest).to_owned(),
        false => demangle::plain_name(function),
    };
    Some(TextFrame::new(name, None))
}

/// A panic of GHC; its message follows in the line after its version.
pub(super) fn read_ghc(lines: &[&str], _: &VariantFiles) -> Option<Crash> {
    let begin =
        lines.iter().position(|line| line.contains("panic! (the 'impossible' happened)"))?;
    let message = lines[begin + 1..].iter().map(|line| line.trim());
    let message =
        message.filter(|line| !line.starts_with("GHC version")).find(|line| !line.is_empty());
    Some(Crash {
        message: message.map(ToOwned::to_owned),
        ..Crash::reported("internal compiler error", Vec::new())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gcc(text: &str) -> Crash {
        let lines: Vec<&str> = text.lines().collect();
        read_gcc(&lines, &VariantFiles::default()).unwrap()
    }

    #[test]
    fn gcc_names_the_function_and_the_line() {
        let crash =
            gcc("x.C:5:1: internal compiler error: in tsubst, at cp/pt.cc:15782\n    5 | }\n");
        assert_eq!(crash.culprit.as_deref(), Some("tsubst"));
        assert_eq!(crash.location.as_deref(), Some("cp/pt.cc:15782"));
        assert_eq!(crash.frames, ["tsubst"]);
        let check = gcc(
            "x.C:1:1: internal compiler error: tree check: expected class 'type', have \
                         'exceptional' (error_mark) in useless_type_conversion_p, at gimple-expr.cc:87\n",
        );
        assert_eq!(check.culprit.as_deref(), Some("useless_type_conversion_p"));
        assert!(check.message.unwrap().starts_with("tree check: expected class"));
    }

    #[test]
    fn a_signal_inside_of_gcc_is_known_by_the_stack() {
        let crash = gcc(
            "x.c:3:1: internal compiler error: Segmentation fault\n0x7f3 crash_signal\n\t../toplev.cc:314\n\
                         0x8a1 fold_binary_loc(unsigned int, tree_node*)\n\t../fold-const.cc:1\n",
        );
        assert_eq!(crash.culprit.as_deref(), Some("fold_binary_loc"));
        assert_eq!(crash.message.as_deref(), Some("Segmentation fault"));
        assert_eq!(gcc("x.c:3:1: internal compiler error: Segmentation fault\n").culprit, None);
    }

    #[test]
    fn the_stack_of_clang_begins_after_its_signal_handler() {
        let text = "Stack dump:\n0.\tProgram arguments: clang x.c\n #0 0x00007f llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) (/lib/libLLVM.so+0x1)\n\
                    \x20#1 0x00007f (/lib/libLLVM-14.so.1+0xdcb83f)\n #2 0x00007f (/lib/libc.so.6+0x3c)\n\
                    \x20#3 0x00007f clang::Sema::Act(clang::Scope*) (/lib/libclang.so+0x5)\n";
        let lines: Vec<&str> = text.lines().collect();
        let crash = read_llvm(&lines, &VariantFiles::default()).unwrap();
        assert_eq!(crash.culprit.as_deref(), Some("clang::Sema::Act"));
    }

    #[test]
    fn rustc_and_ghc_have_messages() {
        let rustc = "error: internal compiler error: compiler/rustc_mir/src/a.rs:12:3: broken MIR in DefId(0:3)";
        let crash = read_rustc(&[rustc], &VariantFiles::default()).unwrap();
        assert_eq!(crash.location.as_deref(), Some("compiler/rustc_mir/src/a.rs:12:3"));
        let ghc = [
            "ghc: panic! (the 'impossible' happened)",
            "  GHC version 9.0.2:",
            "\ttyThingTyCon",
            "",
        ];
        let crash = read_ghc(&ghc, &VariantFiles::default()).unwrap();
        assert_eq!(crash.message.as_deref(), Some("tyThingTyCon"));
    }
}
