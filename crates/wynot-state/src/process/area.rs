//! What a process has in its memory, and where.

use crate::Machine;
use std::fs;
use std::io;
use std::ops::Range;

/// A stretch of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Area {
    /// Its addresses.
    pub range: Range<u64>,
    /// Whether it may be read.
    pub readable: bool,
    /// Whether it may be written to.
    pub writable: bool,
    /// Whether it may be executed.
    pub executable: bool,
    /// Whether what is written there reaches other processes or a file.
    pub shared: bool,
    /// Where it begins in the file.
    pub offset: u64,
    /// The number of the file; 0 if there is none.
    pub inode: u64,
    /// The file, or a name in square brackets, or nothing.
    pub path: String,
}

/// All memory of a process, by address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Areas(Vec<Area>);

impl Areas {
    pub(super) fn of(pid: i32) -> io::Result<Self> {
        // Paths need not be text; those that are not have no names then, and nothing else is lost.
        let bytes = fs::read(format!("/proc/{pid}/maps"))?;
        Ok(Self(String::from_utf8_lossy(&bytes).lines().filter_map(area).collect()))
    }

    /// The area with this address.
    pub fn at(&self, address: u64) -> Option<&Area> {
        let index = self.0.partition_point(|area| area.range.end <= address);
        self.0.get(index).filter(|area| area.range.contains(&address))
    }

    /// All areas, by address.
    pub fn iter(&self) -> impl Iterator<Item = &Area> {
        self.0.iter()
    }

    /// Programs and libraries: the parts of files that can be executed.
    pub fn modules(&self) -> impl Iterator<Item = &Area> {
        self.iter().filter(|area| area.executable && area.inode != 0)
    }
}

/// `55d0-55d1 r-xp 00001000 fe:00 1234   /usr/bin/true`
fn area(line: &str) -> Option<Area> {
    let mut fields = line.splitn(6, ' ');
    let (start, end) = fields.next()?.split_once('-')?;
    let hex = |text: &str| u64::from_str_radix(text, 16).ok();
    let [read, write, execute, share] = fields.next()?.as_bytes() else { return None };
    let offset = hex(fields.next()?)?;
    let inode = fields.nth(1)?.parse().ok()?;
    let path = fields.next().unwrap_or_default().trim_start().to_owned();
    Some(Area {
        range: hex(start)?..hex(end)?,
        readable: *read == b'r',
        writable: *write == b'w',
        executable: *execute == b'x',
        shared: *share == b's',
        offset,
        inode,
        path,
    })
}

/// What the system tells a program in the beginning, by number, from `/proc/PID/auxv`.
pub(super) fn auxiliary(pid: i32, machine: Machine, number: u64) -> io::Result<Option<u64>> {
    let bytes = fs::read(format!("/proc/{pid}/auxv"))?;
    let word = machine.word() as usize;
    let mut pairs = bytes.chunks_exact(2 * word);
    let found = pairs.find(|pair| machine.number(pair) == Some(number));
    Ok(found.and_then(|pair| machine.number(&pair[word..])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_maps_are_read() {
        let line = "7f00-7f10 rw-s 00026000 fe:00 4711                       /usr/lib/a b.so";
        let read = area(line).unwrap();
        assert_eq!(read.range, 0x7f00..0x7f10);
        assert!(read.readable && read.writable && !read.executable && read.shared);
        assert_eq!((read.offset, read.inode, &*read.path), (0x26000, 4711, "/usr/lib/a b.so"));
        assert_eq!(area("7ff0-7ff1 ---p 00000000 00:00 0 ").unwrap().path, "");
    }
}
