//! Commands for GDB that make the same experiment, so that anyone can check it.
//!
//! Where a stack or a program lies differs from one debugger to the next. What does not is how far variables
//! lie from the end of the stack, or from the begin of the program. From there, everything is found through
//! as many pointers as it takes.

use crate::alteration::{Address, Alteration, Block, What, Write};

use crate::graph::{Found, Graph, Scope, Spot};
use crate::memory::Memory;
use crate::state;
use crate::values::{bits_of, number};
use wynot_process::Machine;

/// Where things lay in the run that was looked at.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// The end of the stack.
    pub stack: u64,
    /// How far the program was from where its file says.
    pub bias: u64,
    /// What the program is made for.
    pub machine: Machine,
}

/// The commands that alter a stopped program. `$base` is how far it lies from where its file says.
pub fn commands<M: Memory>(
    passing: &Graph<'_, M>,
    alteration: &Alteration,
    origin: Origin,
) -> Vec<String> {
    let mut script = Script { passing, origin, lines: Vec::new(), numbers: 0 };
    for (number, Block { size, .. }) in alteration.blocks.iter().enumerate() {
        let call = format!("((unsigned long (*)(unsigned long))malloc)({size})");
        script.lines.push(format!("set $block{number} = {call}"));
    }
    // First all places: what is written may change where pointers lead.
    let places: Vec<(Place, Option<Place>)> = alteration
        .writes
        .iter()
        .map(|Write { at, what }| {
            let target = match what {
                What::Address(to, _) => Some(script.place(*to)),
                _ => None,
            };
            (script.place(*at), target)
        })
        .collect();
    for (Write { what, .. }, (place, target)) in alteration.writes.iter().zip(places) {
        script.write(&place, what, target);
    }
    script.lines
}

/// Where something lies, in terms of GDB.
enum Place {
    /// At the address that an expression gives.
    Memory(String),
    /// In a register, from this byte on.
    Register(&'static str, u64),
}

struct Script<'s, 'a, M> {
    passing: &'s Graph<'a, M>,
    origin: Origin,
    lines: Vec<String>,
    numbers: usize,
}

impl<M: Memory> Script<'_, '_, M> {
    fn place(&mut self, address: Address) -> Place {
        match address {
            Address::Block { number, offset } => {
                Place::Memory(format!("$block{number} + {offset}"))
            }
            Address::Fixed { address, spot } => match state::register(address) {
                Some((number, byte)) => {
                    Place::Register(self.origin.machine.register_names()[number], byte)
                }
                None => Place::Memory(self.spot(spot)),
            },
        }
    }

    /// The expression for an address; the way to it is noted.
    fn spot(&mut self, Spot { object, offset }: Spot) -> String {
        // From the object back to where it was found from: lists may be long.
        let mut hops = Vec::new();
        let mut from = object;
        let begin = loop {
            match self.passing.object(from).found {
                Found::Variable(index) => break self.variable(index),
                Found::Pointer { object, offset } => {
                    let address = self.passing.object(object).address.wrapping_add(offset);
                    if let Some((number, _)) = state::register(address) {
                        let name = self.origin.machine.register_names()[number];
                        break format!("(unsigned long)${name}");
                    }
                    hops.push(offset);
                    from = object;
                }
            }
        };
        hops.reverse();
        let name = format!("$place{}", self.numbers);
        self.numbers += 1;
        self.lines.push(format!("set {name} = {begin}"));
        for same in hops.chunk_by(|one, other| one == other) {
            let hop = format!("set {name} = *(unsigned long *)({name} + {})", same[0]);
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

    fn variable(&mut self, index: u32) -> String {
        let root = &self.passing.roots[index as usize];
        self.lines.push(format!("# {}", root.name));
        let Origin { stack, bias, .. } = self.origin;
        match root.scope {
            Scope::Global => format!("$base + {:#x}", root.address.wrapping_sub(bias)),
            Scope::Frame { .. } => {
                format!("(unsigned long)$sp + {}", root.address.wrapping_sub(stack) as i64)
            }
        }
    }

    fn write(&mut self, place: &Place, what: &What, target: Option<Place>) {
        match (place, what) {
            (Place::Memory(place), What::Bytes(bytes)) => self.write_bytes(place, bytes),
            (Place::Memory(place), What::Bits(bits, new)) => {
                let (value, mask) = (bits_of(*bits, new), (1_u128 << bits.count) - 1);
                let (kind, first) = (kind(new.len()), bits.first);
                let old = format!("({{{kind}}}({place}) & ~({mask}UL << {first}))");
                self.lines
                    .push(format!("set {{{kind}}}({place}) = {old} | ({value}UL << {first})"));
            }
            (Place::Memory(place), What::Address(_, size)) => {
                let Some(Place::Memory(target)) = target else { return };
                let kind = kind(*size as usize);
                self.lines.push(format!("set {{{kind}}}({place}) = {target}"));
            }
            (Place::Register(name, byte), What::Bytes(bytes)) => {
                let mask = (1_u128 << (bytes.len() * 8)) - 1;
                let (value, shift) = (number(bytes, false), byte * 8);
                let old = format!("(${name} & ~({mask:#x}UL << {shift}))");
                self.lines.push(format!("set ${name} = {old} | ({value}UL << {shift})"));
            }
            (Place::Register(name, _), What::Address(..)) => {
                let Some(Place::Memory(target)) = target else { return };
                self.lines.push(format!("set ${name} = {target}"));
            }
            (Place::Register(name, _), What::Bits(bits, new)) => {
                let (value, mask) = (bits_of(*bits, new), (1_u128 << bits.count) - 1);
                let old = format!("(${name} & ~({mask}UL << {}))", bits.first);
                self.lines.push(format!("set ${name} = {old} | ({value}UL << {})", bits.first));
            }
        }
    }

    /// Eight bytes at a time.
    fn write_bytes(&mut self, place: &str, bytes: &[u8]) {
        let mut offset = 0;
        while offset < bytes.len() {
            let left = bytes.len() - offset;
            let size = [8, 4, 2, 1].into_iter().find(|size| *size <= left).unwrap_or(1);
            let value = number(&bytes[offset..offset + size], false);
            let kind = kind(size);
            self.lines.push(format!("set {{{kind}}}({place} + {offset}) = {value}"));
            offset += size;
        }
    }
}

fn kind(size: usize) -> &'static str {
    match size {
        1 => "unsigned char",
        2 => "unsigned short",
        4 => "unsigned int",
        // In programs of 32 bits, longs are shorter.
        _ => "unsigned long long",
    }
}
