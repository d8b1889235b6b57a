//! The attributes that describe the locations of variables.

use super::attributes::{Value, constant_number};
use super::units::DebugInfo;
use crate::dwarf::debug_sections::Reader;
use crate::dwarf::function::LocationDescription;
use gimli::{AttributeValue, Encoding, Expression, Operation, Unit};

/// The description in a location attribute of a unit, in a form that does not borrow from the debug information.
pub(super) fn location_description<'a>(
    debug: &DebugInfo<'a>,
    unit: &Unit<Reader<'a>>,
    value: Value<'a>,
) -> LocationDescription {
    if let AttributeValue::Exprloc(Expression(code)) = value {
        return expression(debug, unit, code);
    }
    match debug.dwarf.attr_locations_offset(unit, value) {
        Ok(Some(list)) => LocationDescription::List(list.0),
        _ => LocationDescription::OptimizedOut,
    }
}

fn expression<'a>(
    debug: &DebugInfo<'a>,
    unit: &Unit<Reader<'a>>,
    code: Reader<'a>,
) -> LocationDescription {
    let mut operations = Expression(code).operations(unit.encoding());
    let first = operations.next();
    let address = match (first, operations.next()) {
        (Ok(None), Ok(None)) => return LocationDescription::OptimizedOut,
        (Ok(Some(Operation::Address { address })), Ok(None)) => Some(address),
        (Ok(Some(Operation::AddressIndex { index })), Ok(None)) => {
            debug.dwarf.address(unit, index).ok()
        }
        _ => {
            let range = debug.range_in_info(code);
            return range
                .map_or(LocationDescription::OptimizedOut, LocationDescription::Expression);
        }
    };
    address.map_or(LocationDescription::OptimizedOut, LocationDescription::Address)
}

/// Whether a location attribute describes a thread-local variable.
pub(super) fn is_thread_local(value: Value<'_>, encoding: Encoding) -> bool {
    let AttributeValue::Exprloc(Expression(code)) = value else { return false };
    let mut operations = Expression(code).operations(encoding);
    let mut last = None;
    while let Ok(Some(operation)) = operations.next() {
        last = Some(operation);
    }
    matches!(last, Some(Operation::TLS))
}

/// The description of a variable that is a constant.
pub(super) fn constant_description(value: Value<'_>) -> LocationDescription {
    let bytes: Box<[u8]> = match value {
        AttributeValue::Block(bytes) => bytes.slice().into(),
        AttributeValue::String(bytes) => bytes.slice().into(),
        value => match constant_number(value) {
            Some(number) => number.to_le_bytes().into(),
            None => return LocationDescription::OptimizedOut,
        },
    };
    LocationDescription::Constant(bytes)
}
