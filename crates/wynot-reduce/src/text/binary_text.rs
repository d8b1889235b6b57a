//! Which texts are binary.

/// The number of bytes at the start of a text that decide whether it is binary.
const BINARY_SAMPLE_BYTES: usize = 64 << 10;

/// A text is binary if more than one byte in this many is a control character.
const BYTES_PER_CONTROL_CHARACTER: usize = 200;

/// A text is binary if more than one byte in this many does not belong to a character of UTF-8. Texts in older encodings have
/// fewer, and so have sources of programs with such bytes in some strings.
const BYTES_PER_INVALID_SEQUENCE: usize = 20;

/// Whether the start of a text has many control characters, or many bytes that are not UTF-8.
pub fn is_binary(text: &[u8]) -> bool {
    let start = &text[..text.len().min(BINARY_SAMPLE_BYTES)];
    let is_control = |byte: &&u8| **byte < 9 || (14..32).contains(*byte);
    let control_characters = start.iter().filter(is_control).count();
    let invalid_sequences = start.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).count();
    control_characters * BYTES_PER_CONTROL_CHARACTER > start.len()
        || invalid_sequences * BYTES_PER_INVALID_SEQUENCE > start.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_with_a_few_odd_bytes_is_no_binary_one() {
        let lines = "local name = \"value\"\n".repeat(40).into_bytes();
        let with = |part: &[u8]| [lines.as_slice(), part].concat();
        assert!(!is_binary(&with(b"local odd = \"\xff\xe9\0\"\n")));
        assert!(!is_binary("Viel Spaß mit Größen".as_bytes()));
        assert!(is_binary(&with(&[0xff; 100])) && is_binary(&with(&[0; 20])));
        assert!(is_binary(b"\x7fELF\x02\x01") && is_binary(b"\x89PNG\r\n\x1a\n"));
    }
}
