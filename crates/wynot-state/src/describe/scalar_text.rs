//! Numbers, characters, enumerators and texts as they are written in programs.

use crate::decode::{self, number};
use crate::dwarf::{Kind, TypeId, Types};

/// The number of bytes up to which a text is shown in full.
const MAX_TEXT_BYTES_SHOWN: usize = 60;

/// A number, a boolean, a character or an enumerator.
pub(super) fn scalar(types: &Types, of: TypeId, bytes: &[u8]) -> String {
    let value = number(bytes, decode::is_signed(types, of));
    match &types[of].kind {
        Kind::Boolean => match value {
            0 => "false".to_owned(),
            1 => "true".to_owned(),
            other => other.to_string(),
        },
        Kind::Float => float(bytes),
        Kind::Character { signed } => {
            let unit = u32::try_from(value).ok().and_then(char::from_u32);
            match unit.filter(|unit| matches!(unit, ' '..='~') || bytes.len() > 1) {
                // Unsigned bytes are numbers as often as characters.
                Some(unit) if !signed && bytes.len() == 1 => format!("{value} {unit:?}"),
                Some(unit) => format!("{unit:?}"),
                None => value.to_string(),
            }
        }
        Kind::Enumeration { .. } => {
            enumerator(types, of, value).unwrap_or_else(|| value.to_string())
        }
        _ => value.to_string(),
    }
}

/// The name of a value of an enumeration.
pub(super) fn enumerator(types: &Types, of: TypeId, value: i128) -> Option<String> {
    let Kind::Enumeration { names, .. } = &types[of].kind else { return None };
    names.iter().find(|(number, _)| *number == value).map(|(_, name)| name.clone())
}

fn float(bytes: &[u8]) -> String {
    if let Ok(bytes) = bytes.try_into() {
        return format!("{:?}", f32::from_le_bytes(bytes));
    }
    if let Ok(bytes) = bytes.try_into() {
        return format!("{:?}", f64::from_le_bytes(bytes));
    }
    let digits: String = bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect();
    format!("0x{digits}")
}

/// Text in quotation marks, up to its terminating zero.
pub(super) fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let shown = &bytes[..end.min(MAX_TEXT_BYTES_SHOWN)];
    let dots = if end > MAX_TEXT_BYTES_SHOWN { "..." } else { "" };
    // Single quotation marks need no escape between double ones.
    let shown = shown.escape_ascii().to_string().replace("\\'", "'");
    format!("\"{shown}\"{dots}")
}
