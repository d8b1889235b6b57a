//! The machines whose programs can be examined, and their registers.

/// A machine that programs are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    /// 64-bit x86.
    X86_64,
    /// 32-bit x86. Such programs run on 64-bit processors as well.
    I386,
}

/// The names of the registers of 64-bit x86, by their DWARF numbers.
const X86_64: [&str; 17] = [
    "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12", "r13",
    "r14", "r15", "rip",
];
/// The names of the registers of 32-bit x86, by their DWARF numbers.
const I386: [&str; 9] = ["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "eip"];

impl Machine {
    /// The size of an address in bytes.
    pub fn word(self) -> u64 {
        match self {
            Self::X86_64 => 8,
            Self::I386 => 4,
        }
    }

    /// The names of the general registers and of the instruction pointer, by their DWARF numbers.
    pub fn registers(self) -> &'static [&'static str] {
        match self {
            Self::X86_64 => &X86_64,
            Self::I386 => &I386,
        }
    }

    /// The DWARF number of the stack pointer.
    pub fn stack(self) -> u16 {
        match self {
            Self::X86_64 => 7,
            Self::I386 => 4,
        }
    }

    /// The DWARF number of the instruction pointer.
    pub fn instruction(self) -> u16 {
        match self {
            Self::X86_64 => 16,
            Self::I386 => 8,
        }
    }

    /// The DWARF numbers of the registers that functions preserve.
    pub(crate) fn preserved(self) -> &'static [u16] {
        match self {
            Self::X86_64 => &[3, 6, 12, 13, 14, 15],
            Self::I386 => &[3, 5, 6, 7],
        }
    }

    /// The address or number that bytes start with.
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
