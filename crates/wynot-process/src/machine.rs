//! The processors whose programs can be examined.

/// The processor that a program is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    /// 64-bit x86.
    X86_64,
    /// 32-bit x86. Such programs also run on 64-bit processors.
    I386,
}

/// The name of a processor whose programs cannot be examined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherMachine(pub String);

/// The names of the registers, by their DWARF numbers.
const X86_64: [&str; 17] = [
    "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12", "r13",
    "r14", "r15", "rip",
];
const I386: [&str; 9] = ["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "eip"];

impl Machine {
    /// The size of an address in bytes.
    pub fn word_size(self) -> u64 {
        match self {
            Self::X86_64 => 8,
            Self::I386 => 4,
        }
    }

    /// The names of the general registers and the instruction pointer, by their DWARF numbers.
    pub fn register_names(self) -> &'static [&'static str] {
        match self {
            Self::X86_64 => &X86_64,
            Self::I386 => &I386,
        }
    }

    /// The DWARF number of the stack pointer.
    pub fn stack_pointer(self) -> u16 {
        match self {
            Self::X86_64 => 7,
            Self::I386 => 4,
        }
    }

    /// The DWARF number of the instruction pointer.
    pub fn instruction_pointer(self) -> u16 {
        match self {
            Self::X86_64 => 16,
            Self::I386 => 8,
        }
    }

    /// The DWARF numbers of the registers that a function must preserve for its caller.
    pub fn callee_saved(self) -> &'static [u16] {
        match self {
            Self::X86_64 => &[3, 6, 12, 13, 14, 15],
            Self::I386 => &[3, 5, 6, 7],
        }
    }

    /// The word in the first bytes; `None` if there are too few of them.
    pub fn read_word(self, bytes: &[u8]) -> Option<u64> {
        match self {
            Self::X86_64 => Some(u64::from_le_bytes(*bytes.first_chunk()?)),
            Self::I386 => Some(u32::from_le_bytes(*bytes.first_chunk()?).into()),
        }
    }

    /// The bytes of a word.
    pub fn word_bytes(self, word: u64) -> Vec<u8> {
        word.to_le_bytes()[..self.word_size() as usize].to_vec()
    }
}
