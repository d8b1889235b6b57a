//! Random values that the system puts on the stack of a new process.

use super::Inferior;
use std::io;

/// The random bytes (`AT_RANDOM`) that every program is given at its start.
const CONSTANT_RANDOM_BYTES: &[u8; 16] = b"wynot's constant";

/// The type of an auxiliary vector entry that programs ignore (`AT_IGNORE`).
const AT_IGNORE: u64 = 1;

impl Inferior {
    /// Before the first instruction: replaces the random bytes of the auxiliary vector, and hides the vDSO. Its
    /// functions give the time and random bytes without a system call, so they could not be intercepted.
    pub(super) fn fix_initial_stack(&self) -> io::Result<()> {
        let machine = self.machine();
        let word = machine.word_size();
        let mut at = self.registers().sp() + word;
        // The number of arguments is followed by the arguments and by the variables, each list ended by 0.
        for _ in 0..2 {
            while self.stack_word(at)? != 0 {
                at += word;
            }
            at += word;
        }
        loop {
            match self.stack_word(at)? {
                libc::AT_NULL => return Ok(()),
                libc::AT_RANDOM => {
                    self.memory.write(self.stack_word(at + word)?, CONSTANT_RANDOM_BYTES)?;
                }
                libc::AT_SYSINFO_EHDR => self.memory.write(at, &machine.word_bytes(AT_IGNORE))?,
                _ => {}
            }
            at += 2 * word;
        }
    }

    fn stack_word(&self, address: u64) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.memory.read(address, &mut bytes[..self.machine().word_size() as usize])?;
        Ok(u64::from_le_bytes(bytes))
    }
}
