//! Options of a command line as deltas.

use crate::Artefact;
use wynot_core::{Configuration, Grouping};

/// Options of a command; each is a delta, together with its values.
#[derive(Debug)]
pub struct Options {
    options: Vec<Vec<Vec<u8>>>,
    levels: [Grouping; 1],
}

/// A list of options that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadOptions {
    /// A quotation mark without its partner.
    #[error("a quotation mark is not closed in the options")]
    Quotes,
    /// There are none.
    #[error("there are no options to vary")]
    None,
}

impl Options {
    /// Reads options as a shell would: words, of which those that begin with `-` or `+` start an option and
    /// the others are values of the one before.
    pub fn parse(text: &[u8]) -> Result<Self, BadOptions> {
        Self::new(words(text)?)
    }

    /// Reads one option per line, with its values.
    pub fn by_line(text: &[u8]) -> Result<Self, BadOptions> {
        let lines = text.split(|&byte| byte == b'\n').map(words).collect::<Result<Vec<_>, _>>()?;
        Self::of(lines.into_iter().filter(|words| !words.is_empty()).collect())
    }

    /// Takes words that were separated already.
    fn new(words: Vec<Vec<u8>>) -> Result<Self, BadOptions> {
        let mut options: Vec<Vec<Vec<u8>>> = Vec::new();
        for word in words {
            let starts = word.starts_with(b"-") || word.starts_with(b"+");
            match options.last_mut() {
                Some(last) if !starts => last.push(word),
                _ => options.push(vec![word]),
            }
        }
        Self::of(options)
    }

    fn of(options: Vec<Vec<Vec<u8>>>) -> Result<Self, BadOptions> {
        match options.len() {
            0 => Err(BadOptions::None),
            deltas => Ok(Self { options, levels: [Grouping::singles(deltas as u32)] }),
        }
    }

    /// How many there are.
    pub fn deltas(&self) -> u32 {
        self.options.len() as u32
    }

    /// One level: each option by itself.
    pub fn levels(&self) -> &[Grouping] {
        &self.levels
    }

    /// The words of the chosen options.
    pub fn compose(&self, configuration: &Configuration) -> Artefact {
        let chosen = configuration.iter().flat_map(|delta| self.options[delta as usize].clone());
        Artefact::Words(chosen.collect())
    }

    /// An option as it was written.
    pub fn name(&self, delta: u32) -> String {
        let words = self.options[delta as usize].iter();
        words.map(|word| String::from_utf8_lossy(word)).collect::<Vec<_>>().join(" ")
    }
}

/// Splits words at blanks, except within quotation marks and behind backslashes.
pub fn words(text: &[u8]) -> Result<Vec<Vec<u8>>, BadOptions> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', None | Some(b'"')) => {
                word.get_or_insert_default().push(bytes.next().ok_or(BadOptions::Quotes)?);
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
        Some(_) => Err(BadOptions::Quotes),
        None => {
            words.extend(word);
            Ok(words)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn composed(options: &Options, deltas: &[u32]) -> Vec<String> {
        match options.compose(&Configuration::from_deltas(deltas.iter().copied())) {
            Artefact::Words(words) => {
                words.iter().map(|word| String::from_utf8_lossy(word).into_owned()).collect()
            }
            other => panic!("{other:?} are no words"),
        }
    }

    #[test]
    fn values_stay_with_their_options() {
        let options =
            Options::parse(b"-O2 --param max-inline=3 -D 'A B=\"x\"' -I\"a b\" +x").unwrap();
        assert_eq!(options.deltas(), 5);
        assert_eq!(composed(&options, &[1, 3]), ["--param", "max-inline=3", "-Ia b"]);
        assert_eq!(composed(&options, &[2]), ["-D", "A B=\"x\""]);
        assert_eq!(options.name(1), "--param max-inline=3");
    }

    #[test]
    fn lines_say_themselves_what_belongs_together() {
        let options = Options::by_line(b"-O2\n\n--flag -x\nplain\n").unwrap();
        assert_eq!(options.deltas(), 3);
        assert_eq!(composed(&options, &[1]), ["--flag", "-x"]);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        assert_eq!(Options::parse(b"-D'x").unwrap_err(), BadOptions::Quotes);
        assert_eq!(Options::parse(b"  ").unwrap_err(), BadOptions::None);
    }
}
