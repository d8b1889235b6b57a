//! Evaluating DWARF expressions.

use super::debug_sections::Reader;
use super::frame::FrameRegisters;
use gimli::{
    Encoding, EvaluationResult, Expression, Location, Piece, UnitOffset, Value, ValueType,
};
use wynot_process::ReadMemory;

/// What an expression may refer to. An expression that refers to something unknown has no result.
pub(super) struct EvaluationContext<'n> {
    pub(super) registers: Option<&'n FrameRegisters>,
    pub(super) memory: &'n dyn ReadMemory,
    pub(super) bias: u64,
    pub(super) cfa: Option<u64>,
    pub(super) frame_base: &'n dyn Fn() -> Option<u64>,
    /// The entries of `.debug_addr`.
    pub(super) indexed_address: &'n dyn Fn(gimli::DebugAddrIndex<usize>) -> Option<u64>,
    /// The base types that values are converted to.
    pub(super) base_type: &'n dyn Fn(UnitOffset<usize>) -> Option<ValueType>,
}

/// The number of operations after which an expression counts as endless.
const MAX_OPERATIONS: u32 = 10_000;

/// Evaluates an expression, which may start with an address on its stack.
pub(super) fn evaluate<'a>(
    code: Reader<'a>,
    encoding: Encoding,
    initial: Option<u64>,
    context: &EvaluationContext<'_>,
) -> Option<Vec<Piece<Reader<'a>>>> {
    let mut evaluation = Expression(code).evaluation(encoding);
    evaluation.set_max_iterations(MAX_OPERATIONS);
    if let Some(initial) = initial {
        evaluation.set_initial_value(initial);
    }
    let mut result = evaluation.evaluate().ok()?;
    loop {
        let next = match result {
            EvaluationResult::Complete => return Some(evaluation.result()),
            EvaluationResult::RequiresMemory { address, size, base_type, .. } => {
                let mut bytes = [0; 8];
                let read = bytes.get_mut(..usize::from(size))?;
                if !context.memory.read_memory(address, read) {
                    return None;
                }
                let of = value_type(base_type, context)?;
                evaluation.resume_with_memory(value(of, u64::from_le_bytes(bytes))?)
            }
            EvaluationResult::RequiresRegister { register, base_type } => {
                let register = context.registers?.get(register.0)?;
                let of = value_type(base_type, context)?;
                evaluation.resume_with_register(value(of, register)?)
            }
            EvaluationResult::RequiresFrameBase => {
                evaluation.resume_with_frame_base((context.frame_base)()?)
            }
            EvaluationResult::RequiresCallFrameCfa => {
                evaluation.resume_with_call_frame_cfa(context.cfa?)
            }
            EvaluationResult::RequiresRelocatedAddress(address) => {
                evaluation.resume_with_relocated_address(address.wrapping_add(context.bias))
            }
            EvaluationResult::RequiresIndexedAddress { index, relocate } => {
                let address = (context.indexed_address)(index)?;
                let bias = if relocate { context.bias } else { 0 };
                evaluation.resume_with_indexed_address(address.wrapping_add(bias))
            }
            EvaluationResult::RequiresBaseType(base_type) => {
                evaluation.resume_with_base_type(value_type(base_type, context)?)
            }
            // The values at the start of the function are lost, and thread-local storage is not supported.
            EvaluationResult::RequiresTls(_)
            | EvaluationResult::RequiresAtLocation(_)
            | EvaluationResult::RequiresEntryValue(_)
            | EvaluationResult::RequiresParameterRef(_) => return None,
        };
        result = next.ok()?;
    }
}

/// Evaluates an expression whose result is an address or another number.
pub(super) fn evaluate_number(
    code: Reader<'_>,
    encoding: Encoding,
    initial: Option<u64>,
    context: &EvaluationContext<'_>,
) -> Option<u64> {
    match evaluate(code, encoding, initial, context)?.as_slice() {
        [Piece { location: Location::Address { address }, .. }] => Some(*address),
        [Piece { location: Location::Register { register }, .. }] => {
            context.registers?.get(register.0)
        }
        [Piece { location: Location::Value { value }, .. }] => value.to_u64(u64::MAX).ok(),
        _ => None,
    }
}

/// The type at an offset of the unit. Offset 0 stands for addresses.
fn value_type(of: UnitOffset<usize>, context: &EvaluationContext<'_>) -> Option<ValueType> {
    if of.0 == 0 { Some(ValueType::Generic) } else { (context.base_type)(of) }
}

/// A value of a type, from the bits of a word.
fn value(of: ValueType, bits: u64) -> Option<Value> {
    Value::from_u64(ValueType::U64, bits).ok().and_then(|whole| match of {
        ValueType::Generic => Some(Value::Generic(bits)),
        ValueType::F32 => Some(Value::F32(f32::from_bits(bits as u32))),
        ValueType::F64 => Some(Value::F64(f64::from_bits(bits))),
        of => whole.convert(of, u64::MAX).ok(),
    })
}

/// The bytes of a value.
pub(super) fn value_bytes(value: Value) -> Vec<u8> {
    match value {
        Value::Generic(value) | Value::U64(value) => value.to_le_bytes().into(),
        Value::I8(value) => value.to_le_bytes().into(),
        Value::U8(value) => value.to_le_bytes().into(),
        Value::I16(value) => value.to_le_bytes().into(),
        Value::U16(value) => value.to_le_bytes().into(),
        Value::I32(value) => value.to_le_bytes().into(),
        Value::U32(value) => value.to_le_bytes().into(),
        Value::I64(value) => value.to_le_bytes().into(),
        Value::F32(value) => value.to_le_bytes().into(),
        Value::F64(value) => value.to_le_bytes().into(),
    }
}
