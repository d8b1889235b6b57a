//! The words of a message without the parts that differ from input to input or from run to run: quotations,
//! numbers, addresses, hashes, identifiers of requests, and paths.

/// The maximum number of characters of a line that are examined.
const MAX_CHARS: usize = 2000;

/// The maximum number of words of a message that count.
const MAX_WORDS: usize = 40;

/// The number of characters from which a word with several digits counts as an identifier such as `req_8f3kq1l`.
const MIN_IDENTIFIER_CHARS: usize = 8;

/// The number of characters from which a hexadecimal word with a digit counts as a hash or address.
const MIN_HASH_CHARS: usize = 6;

/// A word of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word without digits.
    pub(crate) constant: String,
    /// The word as it was printed, without quotation marks.
    pub(crate) printed: String,
    /// Whether the word was quoted. Punctuation that was quoted counts as an ordinary word.
    pub(crate) is_quoted: bool,
}

/// The words of a line that do not depend on the run. A quotation is one word.
pub(crate) fn constant_words(line: &str) -> Vec<Word> {
    let line: String = line.chars().take(MAX_CHARS).collect();
    let separators = |c: char| c.is_whitespace() || "[({=,".contains(c);
    let mut words = Vec::new();
    for (text, is_quoted) in quotations(&without_colours(&line)) {
        match is_quoted {
            true => words.push(quotation(&text)),
            false => words.extend(text.split(separators).filter_map(constant_word)),
        }
    }
    words.truncate(MAX_WORDS);
    words
}

/// Removes escape sequences for terminals.
pub(crate) fn without_colours(line: &str) -> String {
    let mut kept = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            kept.push(c);
            continue;
        }
        if chars.next() == Some('[') {
            chars.by_ref().find(char::is_ascii_alphabetic);
        }
    }
    kept
}

/// A line divided into quotations, without their marks, and the text between them.
fn quotations(line: &str) -> Vec<(String, bool)> {
    let chars: Vec<char> = line.chars().collect();
    let mut parts: Vec<(String, bool)> = vec![(String::new(), false)];
    let mut at = 0;
    while at < chars.len() {
        match closing_mark(&chars, at) {
            Some(end) => {
                parts.push((chars[at + 1..end].iter().collect(), true));
                parts.push((String::new(), false));
                at = end + 1;
            }
            None => {
                if let Some((text, _)) = parts.last_mut() {
                    text.push(chars[at]);
                }
                at += 1;
            }
        }
    }
    parts
}

/// The word of a quotation. Punctuation is constant: `expected ';'` differs from `expected ')'`.
fn quotation(text: &str) -> Word {
    let is_punctuation = !text.chars().any(char::is_alphanumeric);
    match is_punctuation && (1..=3).contains(&text.chars().count()) {
        true => {
            Word { constant: format!("‘{text}’"), printed: text.to_owned(), is_quoted: false }
        }
        false => Word { constant: String::new(), printed: text.to_owned(), is_quoted: true },
    }
}

/// The position of the mark that ends the quotation which begins at a position, if one does. An apostrophe inside
/// of a word is no quotation mark.
fn closing_mark(chars: &[char], begin: usize) -> Option<usize> {
    let before = begin.checked_sub(1).map(|at| chars[at]);
    let is_opening = before.is_none_or(|c| !c.is_alphanumeric());
    let marks: &[char] = match chars[begin] {
        '‘' => &['’'],
        '“' => &['”'],
        '«' => &['»'],
        '`' if is_opening => &['`', '\'', '´'],
        '\'' if is_opening => &['\''],
        '"' if is_opening => &['"'],
        _ => return None,
    };
    let rest = chars.iter().enumerate().skip(begin + 1);
    let mut ends = rest.filter(|(_, c)| marks.contains(c)).map(|(at, _)| at);
    ends.find(|end| chars.get(end + 1).is_none_or(|next| !next.is_alphanumeric()))
}

/// A word of a message; `None` if it is a path, a number, an address, a hash or the like, or mere punctuation.
fn constant_word(word: &str) -> Option<Word> {
    let new = |constant: &str, printed: &str| {
        let (constant, printed) = (constant.to_owned(), printed.to_owned());
        Some(Word { constant, printed, is_quoted: false })
    };
    let word = word.trim_matches(|c: char| "])}<>;:!?\"'`*|^~-+".contains(c));
    let word = word.trim_end_matches('.').trim_end_matches(':');
    if word.is_empty() || word.contains(['/', '\\']) || is_file_name(word) {
        return None;
    }
    let digits = word.chars().filter(char::is_ascii_digit).count();
    if digits == 0 {
        return new(word, word);
    }
    let is_number = word.starts_with(|c: char| c.is_ascii_digit() || ".$%".contains(c));
    let is_long = word.chars().count() >= MIN_IDENTIFIER_CHARS && digits >= 2;
    match () {
        () if is_code(word) => new(word, word),
        () if is_number || is_long || is_hash(word) => None,
        () => new(&without_digits(word), word),
    }
}

/// Whether a word is an error code such as `E0502`, `TS2304` or `GHC-83865`.
pub(crate) fn is_code(word: &str) -> bool {
    let letters = word.chars().take_while(char::is_ascii_uppercase).count();
    let rest = word[letters..].trim_start_matches(['-', '_']);
    (1..=8).contains(&letters)
        && (2..=6).contains(&rest.len())
        && rest.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a word is a hash, an address or a UUID.
fn is_hash(word: &str) -> bool {
    let digits = word.replace('-', "");
    digits.len() >= MIN_HASH_CHARS && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a word is a file name, with or without a line: `x.c`, `x.rb:3:in`. A name such as
/// `java.lang.Error` is none.
fn is_file_name(word: &str) -> bool {
    let name = word.split(':').next().unwrap_or(word);
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let is_extension = (1..=5).contains(&extension.len())
        && extension.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        && extension.starts_with(|c: char| c.is_ascii_lowercase());
    !stem.is_empty() && is_extension
}

/// Replaces each run of digits.
fn without_digits(word: &str) -> String {
    let mut kept = String::new();
    for c in word.chars() {
        match c.is_ascii_digit() {
            true if kept.ends_with('#') => {}
            true => kept.push('#'),
            false => kept.push(c),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> String {
        let words = constant_words(line).into_iter().map(|word| word.constant);
        words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_differs_from_run_to_run_is_no_word() {
        assert_eq!(words("./x.c:12:3: error: redefinition of 'value'"), "error redefinition of");
        assert_eq!(words("<ast.Name object at 0x7f3a5c> was lost"), "ast.Name object at was lost");
        assert_eq!(
            words("request 8f3a-11ee42: value 35 out of range"),
            "request value out of range"
        );
        assert_eq!(words("[req_8f3kq1l] failed after 0.35s"), "failed after");
        assert_eq!(words("x.rb:3:in `work': no key (KeyError)"), "no key KeyError");
    }

    #[test]
    fn codes_and_classes_are_words() {
        assert_eq!(words("error[E0502]: cannot borrow `x`"), "error E0502 cannot borrow");
        assert_eq!(words("x.ts(1,5): error TS2304: Cannot find"), "error TS2304 Cannot find");
        assert_eq!(
            words("java.lang.IllegalStateException: no"),
            "java.lang.IllegalStateException no"
        );
    }

    #[test]
    fn quotations_go_except_for_punctuation() {
        assert_eq!(words("can't open \"a b\", it's \"x's\""), "can't open it's");
        assert_eq!(words("expected ‘;’ before ‘foo’"), "expected ‘;’ before");
        assert_ne!(words("expected ')' here"), words("expected ']' here"));
        assert_eq!(words("unclosed 'quote"), "unclosed quote");
        assert_eq!(words("\u{1b}[31merror\u{1b}[0m: bad"), "error bad");
    }
}
