//! A command as a shell reads it, to be copied into a terminal.

/// The words of a command, quoted where a shell would take them for something else.
pub fn command(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    quoted.join(" ")
}

/// A word, quoted where a shell would take it for something else.
pub fn quoted(word: &str) -> String {
    // `{}` is what people type for the variant, and no shell takes it for anything else.
    let harmless = |c: char| c.is_ascii_alphanumeric() || "_-./:,+@%={}".contains(c);
    // zsh expands a first `=`, and braces with a comma between them are alternatives.
    let special = word.starts_with('=') || word.contains('{') && word.contains(',');
    if word.contains(|c: char| c.is_control() && c != '\n') {
        escaped(word)
    } else if !word.is_empty() && word.chars().all(harmless) && !special {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Control characters get lost on the way through a page and a terminal, so they are spelled out.
fn escaped(word: &str) -> String {
    let mut text = String::from("$'");
    for c in word.chars() {
        match c {
            '\'' | '\\' => text.extend(['\\', c]),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            // Three octal digits: of more, or of another base, the next character might be taken.
            c if c.is_control() => {
                for byte in c.to_string().bytes() {
                    text.push_str(&format!("\\{byte:03o}"));
                }
            }
            c => text.push(c),
        }
    }
    text.push('\'');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn plain_words_stay_plain() {
        assert_eq!(command(&words(&["gcc", "-O2", "-c", "{}"])), "gcc -O2 -c {}");
        assert_eq!(command(&words(&["sh", "-c", "a b", ""])), "sh -c 'a b' ''");
        assert_eq!(command(&words(&["it's"])), r"'it'\''s'");
    }

    #[test]
    fn bash_reads_back_what_was_written() {
        let hostile = words(&[
            "$HOME",
            "a;b",
            "*",
            "~",
            "#x",
            "\\",
            "'",
            "\"",
            "",
            "!!",
            "a\nb",
            "\t1",
            "\x1b7",
            "é",
            "{a,b}",
            "\u{85}5",
            "-n",
            "a\\\x07'b",
            "=ls",
            "(",
            "`id`",
            "&",
            "|",
            "<x>",
        ]);
        let script = format!("printf '%s\\0' {}", command(&hostile));
        let output = Command::new("bash").arg("-c").arg(script).output().unwrap();
        let read: Vec<&str> =
            std::str::from_utf8(&output.stdout).unwrap().split_terminator('\0').collect();
        assert_eq!(read, hostile);
    }
}
