//! The processors whose programs can be looked at.

/// What a program is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    /// x86 of 64 bits.
    X86_64,
    /// x86 of 32 bits. Such programs run on processors of 64 bits as well.
    I386,
}

/// The names of the registers, by their numbers in debug information.
const X86_64: [&str; 17] = [
    "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12", "r13",
    "r14", "r15", "rip",
];
const I386: [&str; 9] = ["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "eip"];

impl Machine {
    /// How many bytes an address has.
    pub fn word(self) -> u64 {
        match self {
            Self::X86_64 => 8,
            Self::I386 => 4,
        }
    }

    /// What the registers for numbers and addresses, and that of the instruction, are called, by their
    /// numbers in debug information.
    pub fn registers(self) -> &'static [&'static str] {
        match self {
            Self::X86_64 => &X86_64,
            Self::I386 => &I386,
        }
    }

    /// The number of the register that holds the end of the stack.
    pub fn stack(self) -> u16 {
        match self {
            Self::X86_64 => 7,
            Self::I386 => 4,
        }
    }

    /// The number of the register that holds the address of the instruction.
    pub fn instruction(self) -> u16 {
        match self {
            Self::X86_64 => 16,
            Self::I386 => 8,
        }
    }

    /// Registers that functions leave as they are.
    pub(crate) fn preserved(self) -> &'static [u16] {
        match self {
            Self::X86_64 => &[3, 6, 12, 13, 14, 15],
            Self::I386 => &[3, 5, 6, 7],
        }
    }

    /// The address or number that bytes begin with.
    pub(crate) fn number(self, bytes: &[u8]) -> Option<u64> {
        match self {
            Self::X86_64 => Some(u64::from_le_bytes(*bytes.first_chunk()?)),
            Self::I386 => Some(u32::from_le_bytes(*bytes.first_chunk()?).into()),
        }
    }

    /// The bytes of an address or a number.
    pub(crate) fn bytes(self, number: u64) -> Vec<u8> {
        number.to_le_bytes()[..self.word() as usize].to_vec()
    }
}
