//! The options of a command line as deltas.

use crate::variant::Variant;
use wynot_core::{Configuration, Grouping};

/// The options of a command. Each is a delta, together with its values.
#[derive(Debug)]
pub struct OptionsSubject {
    options: Vec<Vec<Vec<u8>>>,
    levels: [Grouping; 1],
}

/// Why options cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionsError {
    /// A quotation mark is not closed.
    #[error("a quotation mark is not closed in the options")]
    Quotes,
    /// There are no options.
    #[error("there are no options to vary")]
    None,
}

impl OptionsSubject {
    /// Reads options as a shell does. A word that begins with `-` or `+` starts an option; other words are
    /// values of the option before them.
    pub fn parse(text: &[u8]) -> Result<Self, OptionsError> {
        Self::group_values(split_words(text)?)
    }

    /// Reads one option per line, with its values.
    pub fn parse_lines(text: &[u8]) -> Result<Self, OptionsError> {
        let lines =
            text.split(|&byte| byte == b'\n').map(split_words).collect::<Result<Vec<_>, _>>()?;
        Self::new(lines.into_iter().filter(|words| !words.is_empty()).collect())
    }

    /// Groups words into options and their values.
    fn group_values(words: Vec<Vec<u8>>) -> Result<Self, OptionsError> {
        let mut options: Vec<Vec<Vec<u8>>> = Vec::new();
        for word in words {
            let starts = word.starts_with(b"-") || word.starts_with(b"+");
            match options.last_mut() {
                Some(last) if !starts => last.push(word),
                _ => options.push(vec![word]),
            }
        }
        Self::new(options)
    }

    fn new(options: Vec<Vec<Vec<u8>>>) -> Result<Self, OptionsError> {
        match options.len() {
            0 => Err(OptionsError::None),
            deltas => Ok(Self { options, levels: [Grouping::singles(deltas as u32)] }),
        }
    }

    /// The number of options.
    pub fn deltas(&self) -> u32 {
        self.options.len() as u32
    }

    /// The only level: single options.
    pub fn levels(&self) -> &[Grouping] {
        &self.levels
    }

    /// The words of the options in a configuration.
    pub fn compose(&self, configuration: &Configuration) -> Variant {
        let words = configuration.iter().flat_map(|delta| self.options[delta as usize].clone());
        Variant::Words(words.collect())
    }

    /// An option with its values, for display.
    pub fn name(&self, delta: u32) -> String {
        let words = self.options[delta as usize].iter();
        words.map(|word| String::from_utf8_lossy(word)).collect::<Vec<_>>().join(" ")
    }
}

/// Splits a text into words at blanks, except within quotation marks and after backslashes.
pub fn split_words(text: &[u8]) -> Result<Vec<Vec<u8>>, OptionsError> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', None | Some(b'"')) => {
                word.get_or_insert_default().push(bytes.next().ok_or(OptionsError::Quotes)?);
            }
            (b'"' | b'\'', None) => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (byte, Some(open)) if byte == open => quote = None,
            (byte, None) if byte.is_ascii_whitespace() => words.extend(word.take()),
            (byte, _) => word.get_or_insert_default().push(byte),
        }
    }
    match quote {
        Some(_) => Err(OptionsError::Quotes),
        None => {
            words.extend(word);
            Ok(words)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compose(options: &OptionsSubject, deltas: &[u32]) -> Vec<String> {
        match options.compose(&Configuration::from_deltas(deltas.iter().copied())) {
            Variant::Words(words) => {
                words.iter().map(|word| String::from_utf8_lossy(word).into_owned()).collect()
            }
            other => panic!("{other:?} is not a list of words"),
        }
    }

    #[test]
    fn values_stay_with_their_options() {
        let options =
            OptionsSubject::parse(b"-O2 --param max-inline=3 -D 'A B=\"x\"' -I\"a b\" +x").unwrap();
        assert_eq!(options.deltas(), 5);
        assert_eq!(compose(&options, &[1, 3]), ["--param", "max-inline=3", "-Ia b"]);
        assert_eq!(compose(&options, &[2]), ["-D", "A B=\"x\""]);
        assert_eq!(options.name(1), "--param max-inline=3");
    }

    #[test]
    fn each_line_is_one_option() {
        let options = OptionsSubject::parse_lines(b"-O2\n\n--flag -x\nplain\n").unwrap();
        assert_eq!(options.deltas(), 3);
        assert_eq!(compose(&options, &[1]), ["--flag", "-x"]);
    }

    #[test]
    fn errors_are_named() {
        assert_eq!(OptionsSubject::parse(b"-D'x").unwrap_err(), OptionsError::Quotes);
        assert_eq!(OptionsSubject::parse(b"  ").unwrap_err(), OptionsError::None);
    }
}
