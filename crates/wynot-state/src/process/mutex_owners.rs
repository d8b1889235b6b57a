//! The mutexes of the GNU C library that are locked: they hold the number of the thread that owns them, which is another one in
//! each run.

use std::collections::HashMap;
use wynot_process::Machine;

/// The number of 32-bit words at the start of a mutex that are looked at.
const WORDS: usize = 5;

/// The word of a mutex that holds the number of its owner.
const OWNER: usize = 2;

/// The greatest number for the kind of a mutex.
const MAX_KIND: u32 = 0x3ff;

/// Replaces the owners of all mutexes in memory.
pub(super) fn replace_owners(machine: Machine, memory: &mut [u8], by_own: &HashMap<i32, i32>) {
    let words = memory.len() / 4;
    for start in 0..(words + 1).saturating_sub(WORDS) {
        let word = |index: usize| word_at(memory, start + index);
        let is_locked = matches!(word(0), 1 | 2);
        if !is_locked {
            continue;
        }
        let (users, kind) = match machine {
            Machine::X86_64 => (word(3), word(4)),
            Machine::I386 => (word(4), word(3)),
        };
        let is_mutex = users == 1 && kind <= MAX_KIND;
        let other = by_own.get(&(word(OWNER) as i32)).filter(|_| is_mutex);
        if let Some(other) = other {
            let at = (start + OWNER) * 4;
            memory[at..at + 4].copy_from_slice(&other.to_le_bytes());
        }
    }
}

/// One of the 32-bit words of memory.
fn word_at(memory: &[u8], index: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&memory[index * 4..index * 4 + 4]);
    u32::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_of_locked_mutexes_are_replaced_and_other_numbers_are_not() {
        let by_own = HashMap::from([(4711, 815)]);
        let replaced = |machine, words: &[u32]| -> Vec<u32> {
            let mut memory: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            replace_owners(machine, &mut memory, &by_own);
            (0..words.len()).map(|index| word_at(&memory, index)).collect()
        };
        let (here, small) = (Machine::X86_64, Machine::I386);
        assert_eq!(replaced(here, &[9, 1, 0, 4711, 1, 0, 0]), [9, 1, 0, 815, 1, 0, 0]);
        assert_eq!(replaced(here, &[2, 3, 4711, 1, 1]), [2, 3, 815, 1, 1]);
        assert_eq!(replaced(small, &[1, 0, 4711, 0, 1]), [1, 0, 815, 0, 1]);
        assert_eq!(replaced(here, &[0, 0, 4711, 1, 0]), [0, 0, 4711, 1, 0]);
        assert_eq!(replaced(here, &[1, 0, 4712, 1, 0]), [1, 0, 4712, 1, 0]);
        assert_eq!(replaced(here, &[1, 0, 4711]), [1, 0, 4711]);
    }
}
