//! Works out expressions of debug information.

use super::attributes::Reader;
use super::frame::{Memory, Registers};
use gimli::{
    Encoding, EvaluationResult, Expression, Location, Piece, UnitOffset, Value, ValueType,
};

/// What expressions may ask for. Whatever there is none of makes an expression have no result.
pub(super) struct Answers<'n> {
    pub(super) registers: Option<&'n Registers>,
    pub(super) memory: &'n dyn Memory,
    pub(super) bias: u64,
    pub(super) cfa: Option<u64>,
    pub(super) frame_base: &'n dyn Fn() -> Option<u64>,
    /// Addresses that are known by number.
    pub(super) address: &'n dyn Fn(gimli::DebugAddrIndex<usize>) -> Option<u64>,
    /// Types of numbers.
    pub(super) base_type: &'n dyn Fn(UnitOffset<usize>) -> Option<ValueType>,
}

/// No sensible expression takes more steps.
const STEPS: u32 = 10_000;

/// Works out an expression, with an address on the stack to begin with if there is one.
pub(super) fn evaluate<'a>(
    code: Reader<'a>,
    encoding: Encoding,
    initial: Option<u64>,
    answers: &Answers<'_>,
) -> Option<Vec<Piece<Reader<'a>>>> {
    let mut evaluation = Expression(code).evaluation(encoding);
    evaluation.set_max_iterations(STEPS);
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
                if !answers.memory.read(address, read) {
                    return None;
                }
                let of = value_type(base_type, answers)?;
                evaluation.resume_with_memory(value(of, u64::from_le_bytes(bytes))?)
            }
            EvaluationResult::RequiresRegister { register, base_type } => {
                let register = answers.registers?.get(register.0)?;
                let of = value_type(base_type, answers)?;
                evaluation.resume_with_register(value(of, register)?)
            }
            EvaluationResult::RequiresFrameBase => {
                evaluation.resume_with_frame_base((answers.frame_base)()?)
            }
            EvaluationResult::RequiresCallFrameCfa => {
                evaluation.resume_with_call_frame_cfa(answers.cfa?)
            }
            EvaluationResult::RequiresRelocatedAddress(address) => {
                evaluation.resume_with_relocated_address(address.wrapping_add(answers.bias))
            }
            EvaluationResult::RequiresIndexedAddress { index, relocate } => {
                let address = (answers.address)(index)?;
                let bias = if relocate { answers.bias } else { 0 };
                evaluation.resume_with_indexed_address(address.wrapping_add(bias))
            }
            EvaluationResult::RequiresBaseType(base_type) => {
                evaluation.resume_with_base_type(value_type(base_type, answers)?)
            }
            // What was there when the function was called is gone; and threads are not looked at.
            EvaluationResult::RequiresTls(_)
            | EvaluationResult::RequiresAtLocation(_)
            | EvaluationResult::RequiresEntryValue(_)
            | EvaluationResult::RequiresParameterRef(_) => return None,
        };
        result = next.ok()?;
    }
}

/// The address, or other number, that an expression results in.
pub(super) fn number(
    code: Reader<'_>,
    encoding: Encoding,
    initial: Option<u64>,
    answers: &Answers<'_>,
) -> Option<u64> {
    match evaluate(code, encoding, initial, answers)?.as_slice() {
        [Piece { location: Location::Address { address }, .. }] => Some(*address),
        [Piece { location: Location::Register { register }, .. }] => {
            answers.registers?.get(register.0)
        }
        [Piece { location: Location::Value { value }, .. }] => value.to_u64(u64::MAX).ok(),
        _ => None,
    }
}

/// The type of an entry. The one at 0 stands for addresses.
fn value_type(of: UnitOffset<usize>, answers: &Answers<'_>) -> Option<ValueType> {
    if of.0 == 0 { Some(ValueType::Generic) } else { (answers.base_type)(of) }
}

fn value(of: ValueType, bits: u64) -> Option<Value> {
    Value::from_u64(ValueType::U64, bits).ok().and_then(|whole| match of {
        ValueType::Generic => Some(Value::Generic(bits)),
        ValueType::F32 => Some(Value::F32(f32::from_bits(bits as u32))),
        ValueType::F64 => Some(Value::F64(f64::from_bits(bits))),
        of => whole.convert(of, u64::MAX).ok(),
    })
}

/// The bytes of a value.
pub(super) fn bytes(value: Value) -> Vec<u8> {
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
