//! GDB commands that repeat an experiment, so that anyone can check it.
//!
//! The addresses of the stack and of the program differ between debuggers. The distances of variables from the
//! end of the stack and from the start of the program do not, and all other objects are reached from
//! variables through pointers.

use crate::compare::alteration::{Alteration, MemoryWrite, NewBlock, WriteAddress, WriteValue};
use crate::compare::descriptor_delta::DescriptorDelta;
use crate::compare::outside_delta::OutsideDelta;
use crate::decode::{bits_of, number, pointer};
use crate::graph::memory_copy::MemoryCopy;
use crate::graph::memory_graph::MemoryGraph;
use crate::graph::memory_object::{FoundBy, ObjectOffset, VariableScope};
use crate::graph::register_address::register_at;
use crate::process::{OpenFile, SubstitutedFile};
use wynot_process::Machine;

/// The start of a command that gives a file the contents of another one; both paths follow after tabs. GDB has no such
/// command, so it is replaced in scripts.
pub const SUBSTITUTE_COMMAND: &str = "substitute";

/// The addresses of a run that differ between debuggers.
#[derive(Clone, Debug)]
pub struct RunAddresses {
    /// The value of the stack pointer.
    pub stack: u64,
    /// The numbers of the other threads, with the values of their stack pointers.
    pub other_stacks: Vec<(usize, u64)>,
    /// The difference between the addresses of the process and those of the program's file.
    pub bias: u64,
    /// The machine that the program is made for.
    pub machine: Machine,
}

/// The commands that alter a stopped program. They use `$base`, the difference between the addresses of the
/// process and those of the program's file.
pub fn gdb_commands<M: MemoryCopy>(
    passing: &MemoryGraph<'_, M>,
    alteration: &Alteration,
    addresses: &RunAddresses,
) -> Vec<String> {
    let mut script = GdbScript { passing, addresses, lines: Vec::new(), variables: 0 };
    for (number, NewBlock { size, .. }) in alteration.blocks.iter().enumerate() {
        let call = format!("((unsigned long (*)(unsigned long))malloc)({size})");
        script.lines.push(format!("set $block{number} = {call}"));
    }
    // All addresses are computed before the first write, which may change where pointers lead.
    let operands: Vec<(GdbOperand, Option<GdbOperand>)> = alteration
        .writes
        .iter()
        .map(|MemoryWrite { at, value }| {
            let target = match value {
                WriteValue::Address(to, _) => Some(script.operand(*to)),
                _ => None,
            };
            (script.operand(*at), target)
        })
        .collect();
    let freed: Vec<GdbOperand> = alteration.freed.iter().map(|at| script.operand(*at)).collect();
    for (MemoryWrite { value, .. }, (at, target)) in alteration.writes.iter().zip(operands) {
        script.write(&at, value, target);
    }
    for block in freed {
        if let GdbOperand::Memory(block) = block {
            script.lines.push(format!("call ((void (*)(unsigned long))free)({block})"));
        }
    }
    script.lines
}

/// The commands that change what is outside of memory.
pub fn outside_commands(delta: &OutsideDelta) -> Vec<String> {
    let DescriptorDelta { number, failing, .. } = match delta {
        OutsideDelta::Descriptor(delta) => delta,
        OutsideDelta::File(_, SubstitutedFile { path, contents }) => {
            let [path, contents] = [path, contents].map(|path| path.display());
            return vec![format!("{SUBSTITUTE_COMMAND}\t{path}\t{contents}")];
        }
    };
    let Some(OpenFile { path, position, .. }) = failing else {
        return vec![format!("call ((int (*)(int))close)({number})")];
    };
    let open = format!("((int (*)(const char *, int))open)({:?}, 0)", path.display().to_string());
    vec![
        format!("set $file = {open}"),
        format!("call ((int (*)(int, int))dup2)($file, {number})"),
        format!("call ((long (*)(int, long, int))lseek)({number}, {position}, 0)"),
    ]
}

/// What a command writes to.
enum GdbOperand {
    /// The memory at the address that an expression gives.
    Memory(String),
    /// A register, from this byte on.
    Register(&'static str, u64),
}

struct GdbScript<'s, 'a, M> {
    passing: &'s MemoryGraph<'a, M>,
    addresses: &'s RunAddresses,
    lines: Vec<String>,
    /// The number of convenience variables in use.
    variables: usize,
}

impl<M: MemoryCopy> GdbScript<'_, '_, M> {
    fn operand(&mut self, address: WriteAddress) -> GdbOperand {
        match address {
            WriteAddress::NewBlock { number, offset } => {
                GdbOperand::Memory(format!("$block{number} + {offset}"))
            }
            WriteAddress::Fixed { address, position } => match register_at(address) {
                Some((number, byte)) => GdbOperand::Register(self.register(number), byte),
                None => GdbOperand::Memory(self.address(position)),
            },
        }
    }

    fn register(&self, number: usize) -> &'static str {
        self.addresses.machine.register_names()[number]
    }

    /// The expression for an address, after the commands that follow the pointers to its object.
    fn address(&mut self, ObjectOffset { object, offset }: ObjectOffset) -> String {
        // From the object back to its variable; lists may be long.
        let mut hops = Vec::new();
        let mut from = object;
        let start = loop {
            match self.passing.object(from).found_by {
                FoundBy::Variable(index) => break self.variable(index),
                FoundBy::Pointer { object, offset } => {
                    let before = self.passing.object(from).entry_offset;
                    let address = self.passing.object(object).address.wrapping_add(offset);
                    if let Some((number, _)) = register_at(address) {
                        break format!("(unsigned long)${} - {before}", self.register(number));
                    }
                    hops.push((offset, before));
                    from = object;
                }
            }
        };
        hops.reverse();
        let name = format!("$place{}", self.variables);
        self.variables += 1;
        self.lines.push(format!("set {name} = {start}"));
        for same in hops.chunk_by(|one, other| one == other) {
            let (offset, before) = same[0];
            let hop = format!("set {name} = *(unsigned long *)({name} + {offset}) - {before}");
            match same.len() {
                1 => self.lines.push(hop),
                times => self.lines.extend([
                    format!("set $times = {times}"),
                    "while $times > 0".to_owned(),
                    format!("  {hop}"),
                    "  set $times = $times - 1".to_owned(),
                    "end".to_owned(),
                ]),
            }
        }
        format!("{name} + {offset}")
    }

    /// The expression for the address of a variable.
    fn variable(&mut self, index: u32) -> String {
        let root = &self.passing.roots[index as usize];
        self.lines.push(format!("# {}", root.name));
        let RunAddresses { stack, ref other_stacks, bias, .. } = *self.addresses;
        if root.scope == VariableScope::Global {
            return format!("$base + {:#x}", root.address.wrapping_sub(bias));
        }
        let below = other_stacks.iter().filter(|(_, other)| *other <= root.address);
        match below.max_by_key(|(_, other)| *other) {
            Some((thread, other)) if *other > stack || stack > root.address => {
                self.lines.push("set $stopped = $_thread".to_owned());
                self.lines.push(format!("thread {thread}"));
                self.lines.push(format!("set $stack{thread} = (unsigned long)$sp"));
                self.lines.push("thread $stopped".to_owned());
                format!("$stack{thread} + {}", root.address - other)
            }
            _ => format!("(unsigned long)$sp + {}", root.address.wrapping_sub(stack) as i64),
        }
    }

    fn write(&mut self, at: &GdbOperand, value: &WriteValue, target: Option<GdbOperand>) {
        match (at, value) {
            (GdbOperand::Memory(at), WriteValue::Bytes(bytes)) => self.write_bytes(at, bytes),
            (GdbOperand::Memory(at), WriteValue::Bits(bits, new)) => {
                let (value, mask) = (bits_of(*bits, new), (1_u128 << bits.count) - 1);
                let (integer, first) = (integer_type(new.len()), bits.first);
                let old = format!("({{{integer}}}({at}) & ~({mask}UL << {first}))");
                self.lines
                    .push(format!("set {{{integer}}}({at}) = {old} | ({value}UL << {first})"));
            }
            (GdbOperand::Memory(at), WriteValue::Address(_, size)) => {
                let Some(GdbOperand::Memory(target)) = target else { return };
                let integer = integer_type(*size as usize);
                self.lines.push(format!("set {{{integer}}}({at}) = {target}"));
            }
            (GdbOperand::Register(name, byte), WriteValue::Bytes(bytes)) => {
                let mask = (1_u128 << (bytes.len() * 8)) - 1;
                let (value, shift) = (number(bytes, false), byte * 8);
                let old = format!("(${name} & ~({mask:#x}UL << {shift}))");
                self.lines.push(match self.stack_address(bytes) {
                    Some(address) => format!("set ${name} = {address}"),
                    None => format!("set ${name} = {old} | ({value}UL << {shift})"),
                });
            }
            (GdbOperand::Register(name, _), WriteValue::Address(..)) => {
                let Some(GdbOperand::Memory(target)) = target else { return };
                self.lines.push(format!("set ${name} = {target}"));
            }
            (GdbOperand::Register(name, _), WriteValue::Bits(bits, new)) => {
                let (value, mask) = (bits_of(*bits, new), (1_u128 << bits.count) - 1);
                let old = format!("(${name} & ~({mask}UL << {}))", bits.first);
                self.lines.push(format!("set ${name} = {old} | ({value}UL << {})", bits.first));
            }
        }
    }

    /// The expression for a word that is an address of the stack: it lies elsewhere in other environments.
    fn stack_address(&self, bytes: &[u8]) -> Option<String> {
        let RunAddresses { stack, machine, .. } = self.addresses;
        let value = pointer(bytes).filter(|_| bytes.len() as u64 == machine.word_size())?;
        let stretch = self.passing.memory.stretch(*stack)?;
        let distance = value.wrapping_sub(*stack) as i64;
        stretch.contains(&value).then(|| format!("(unsigned long)$sp + {distance}"))
    }

    /// Writes up to eight bytes with each command.
    fn write_bytes(&mut self, at: &str, bytes: &[u8]) {
        let mut offset = 0;
        while offset < bytes.len() {
            let left = bytes.len() - offset;
            let size = [8, 4, 2, 1].into_iter().find(|size| *size <= left).unwrap_or(1);
            let part = &bytes[offset..offset + size];
            let value = self.stack_address(part).unwrap_or_else(|| number(part, false).to_string());
            let integer = integer_type(size);
            self.lines.push(format!("set {{{integer}}}({at} + {offset}) = {value}"));
            offset += size;
        }
    }
}

/// The C type of an unsigned integer of a size in bytes.
fn integer_type(size: usize) -> &'static str {
    match size {
        1 => "unsigned char",
        2 => "unsigned short",
        4 => "unsigned int",
        // In programs for 32-bit machines, `long` has only four bytes.
        _ => "unsigned long long",
    }
}
