//! Commands for GDB that make the same experiment, so that anyone can check it.
//!
//! Addresses differ from one debugger to the next, names do not. So everything is found from variables:
//! from the address of one, through as many pointers as it takes.

use crate::alteration::{Address, Alteration, Block, What, Write};
use crate::graph::{Found, Graph, Scope, Spot};
use crate::memory::Memory;

/// The commands that alter a stopped program.
pub fn commands<M: Memory>(passing: &Graph<'_, M>, alteration: &Alteration) -> Vec<String> {
    let mut script = Script { passing, lines: Vec::new(), numbers: 0 };
    for (number, Block { size, .. }) in alteration.blocks.iter().enumerate() {
        let call = format!("((unsigned long (*)(unsigned long))malloc)({size})");
        script.lines.push(format!("set $block{number} = {call}"));
    }
    // First all places: what is written may change where pointers lead.
    let places: Vec<Option<String>> =
        alteration.writes.iter().map(|write| script.place(write.at)).collect();
    let targets: Vec<Option<String>> = alteration
        .writes
        .iter()
        .map(|write| match write.what {
            What::Address(to, _) => script.place(to),
            _ => None,
        })
        .collect();
    for (Write { what, .. }, (place, target)) in
        alteration.writes.iter().zip(places.into_iter().zip(targets))
    {
        match place {
            Some(place) => script.write(&place, what, target),
            None => script.lines.push("# a part cannot be found by name".to_owned()),
        }
    }
    script.lines
}

struct Script<'s, 'a, M> {
    passing: &'s Graph<'a, M>,
    lines: Vec<String>,
    numbers: usize,
}

impl<M: Memory> Script<'_, '_, M> {
    /// An expression for an address.
    fn place(&mut self, address: Address) -> Option<String> {
        match address {
            Address::Block { number, offset } => Some(format!("$block{number} + {offset}")),
            Address::Fixed { spot, .. } => self.spot(spot),
        }
    }

    fn spot(&mut self, spot: Spot) -> Option<String> {
        let begin = match self.passing.object(spot.object).found {
            Found::Variable(index) => {
                let root = self.passing.roots.get(index as usize)?;
                if root.scope != Scope::Global {
                    self.lines.push(format!("select-frame {}", root.inner));
                }
                format!("(unsigned long)&{}", quoted(&root.name))
            }
            Found::Pointer { object, offset } => {
                let pointer = self.spot(Spot { object, offset })?;
                format!("*(unsigned long *)({pointer})")
            }
        };
        let name = format!("$place{}", self.numbers);
        self.numbers += 1;
        self.lines.push(format!("set {name} = {begin}"));
        Some(format!("{name} + {}", spot.offset))
    }

    fn write(&mut self, place: &str, what: &What, target: Option<String>) {
        match (what, target) {
            (What::Address(_, size), Some(target)) => {
                let kind = if *size == 4 { "unsigned int" } else { "unsigned long" };
                self.lines.push(format!("set {{{kind}}}({place}) = {target}"));
            }
            (What::Address(..), None) => {
                self.lines.push("# a part cannot be found by name".to_owned());
            }
            (What::Bytes(bytes), _) => self.write_bytes(place, bytes),
            (What::Bits(bits, new), _) => {
                let value = crate::delta::bits_of(*bits, new);
                let mask = (1_u128 << bits.count) - 1;
                let kind = kind(new.len());
                let first = bits.first;
                self.lines.push(format!(
                    "set {{{kind}}}({place}) = \
                     ({{{kind}}}({place}) & ~({mask}UL << {first})) | ({value}UL << {first})"
                ));
            }
        }
    }

    /// Eight bytes at a time.
    fn write_bytes(&mut self, place: &str, bytes: &[u8]) {
        let mut offset = 0;
        while offset < bytes.len() {
            let left = bytes.len() - offset;
            let size = [8, 4, 2, 1].into_iter().find(|size| *size <= left).unwrap_or(1);
            let value = crate::layout::number(&bytes[offset..offset + size], false);
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
        _ => "unsigned long",
    }
}

/// Names that are no words in C need quotation marks.
fn quoted(name: &str) -> String {
    match name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        true => name.to_owned(),
        false => format!("'{name}'"),
    }
}
