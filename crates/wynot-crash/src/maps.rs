//! What a process has in its memory, as `/proc/PID/maps` tells.

use std::fs;
use std::io;
use std::ops::Range;

/// A stretch of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Area {
    pub range: Range<u64>,
    pub readable: bool,
    pub executable: bool,
    /// Where it begins in the file.
    pub offset: u64,
    pub inode: u64,
    /// The file, or a name in square brackets, or nothing.
    pub path: String,
}

/// All memory of a process, by address.
#[derive(Clone, Debug, Default)]
pub(crate) struct Maps(Vec<Area>);

impl Maps {
    pub(crate) fn of(pid: i32) -> io::Result<Self> {
        // Paths need not be text; those that are not have no names then, and nothing else is lost.
        let bytes = fs::read(format!("/proc/{pid}/maps"))?;
        Ok(Self(String::from_utf8_lossy(&bytes).lines().filter_map(area).collect()))
    }

    pub(crate) fn at(&self, address: u64) -> Option<&Area> {
        let index = self.0.partition_point(|area| area.range.end <= address);
        self.0.get(index).filter(|area| area.range.contains(&address))
    }

    pub(crate) fn is_code(&self, address: u64) -> bool {
        self.at(address).is_some_and(|area| area.executable)
    }

    /// The parts of files that can be executed.
    pub(crate) fn code(&self) -> impl Iterator<Item = &Area> {
        self.0.iter().filter(|area| area.executable && area.inode != 0)
    }
}

/// `55d0-55d1 r-xp 00001000 fe:00 1234   /usr/bin/true`
fn area(line: &str) -> Option<Area> {
    let mut fields = line.splitn(6, ' ');
    let (start, end) = fields.next()?.split_once('-')?;
    let hex = |text: &str| u64::from_str_radix(text, 16).ok();
    let flags = fields.next()?;
    let offset = hex(fields.next()?)?;
    let inode = fields.nth(1)?.parse().ok()?;
    let path = fields.next().unwrap_or_default().trim_start().to_owned();
    Some(Area {
        range: hex(start)?..hex(end)?,
        readable: flags.starts_with('r'),
        executable: flags.get(2..3) == Some("x"),
        offset,
        inode,
        path,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_maps_are_read() {
        let line = "7f00-7f10 r-xp 00026000 fe:00 4711                       /usr/lib/a b.so";
        let read = area(line).unwrap();
        assert_eq!(read.range, 0x7f00..0x7f10);
        assert!(read.executable && read.readable);
        assert_eq!(
            (read.offset, read.inode, read.path.as_str()),
            (0x26000, 4711, "/usr/lib/a b.so")
        );
        assert_eq!(area("7ff0-7ff1 ---p 00000000 00:00 0 ").unwrap().path, "");
    }
}
