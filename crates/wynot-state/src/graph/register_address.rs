//! Addresses that stand for registers, so that variables in registers are objects like all others.

/// The address that stands for the first register. No program can have memory there.
pub const FIRST_REGISTER_ADDRESS: u64 = 0xffff_8000_0000_0000;

/// The number of bytes that each register takes.
pub const REGISTER_BYTES: u64 = 8;

/// The number of the register that an address stands for, and the byte of it; `None` for memory.
pub fn register_at(address: u64) -> Option<(usize, u64)> {
    let inside = address.checked_sub(FIRST_REGISTER_ADDRESS)?;
    Some(((inside / REGISTER_BYTES) as usize, inside % REGISTER_BYTES))
}
