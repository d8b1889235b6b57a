//! The memory map of a process, from `/proc/PID/maps`.

use std::fs;
use std::io;
use std::ops::Range;

/// One line of the memory map: consecutive addresses with the same origin and permissions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryRegion {
    /// The addresses of the region.
    pub range: Range<u64>,
    /// Whether the process may read the region.
    pub readable: bool,
    /// Whether the process may write to the region.
    pub writable: bool,
    /// Whether the process may execute the region.
    pub executable: bool,
    /// Whether writes reach other processes, or the file.
    pub shared: bool,
    /// The offset in the file at which the region begins.
    pub offset: u64,
    /// The inode of the file; 0 if the region does not come from a file.
    pub inode: u64,
    /// The path of the file, a name in square brackets such as `[stack]`, or nothing.
    pub path: String,
}

/// All regions of a process, sorted by address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryMap(Vec<MemoryRegion>);

impl MemoryMap {
    /// Reads the memory map of a process.
    pub fn read(pid: i32) -> io::Result<Self> {
        // A path need not be UTF-8. Such a path is garbled here, and nothing else is lost.
        let bytes = fs::read(format!("/proc/{pid}/maps"))?;
        Ok(Self(String::from_utf8_lossy(&bytes).lines().filter_map(parse_region).collect()))
    }

    /// All regions, by address.
    pub fn regions(&self) -> impl Iterator<Item = &MemoryRegion> {
        self.0.iter()
    }

    /// The region that contains an address.
    pub fn region_at(&self, address: u64) -> Option<&MemoryRegion> {
        let index = self.0.partition_point(|region| region.range.end <= address);
        self.0.get(index).filter(|region| region.range.contains(&address))
    }

    /// Whether the code at an address may be executed.
    pub fn is_code(&self, address: u64) -> bool {
        self.region_at(address).is_some_and(|region| region.executable)
    }

    /// The code of programs and libraries: the executable regions that come from files.
    pub fn code_regions(&self) -> impl Iterator<Item = &MemoryRegion> {
        self.regions().filter(|region| region.executable && region.inode != 0)
    }
}

/// Parses a line such as `55d0-55d1 r-xp 00001000 fe:00 1234   /usr/bin/true`.
fn parse_region(line: &str) -> Option<MemoryRegion> {
    let mut fields = line.splitn(6, ' ');
    let (start, end) = fields.next()?.split_once('-')?;
    let hex = |text: &str| u64::from_str_radix(text, 16).ok();
    let [read, write, execute, share] = fields.next()?.as_bytes() else { return None };
    let offset = hex(fields.next()?)?;
    let inode = fields.nth(1)?.parse().ok()?;
    let path = fields.next().unwrap_or_default().trim_start().to_owned();
    Some(MemoryRegion {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_maps_are_parsed() {
        let line = "7f00-7f10 rw-s 00026000 fe:00 4711                       /usr/lib/a b.so";
        let region = parse_region(line).unwrap();
        assert_eq!(region.range, 0x7f00..0x7f10);
        assert!(region.readable && region.writable && !region.executable && region.shared);
        assert_eq!(
            (region.offset, region.inode, &*region.path),
            (0x26000, 4711, "/usr/lib/a b.so")
        );
        assert_eq!(parse_region("7ff0-7ff1 ---p 00000000 00:00 0 ").unwrap().path, "");
    }

    #[test]
    fn regions_are_found_by_address() {
        let map = MemoryMap::read(std::process::id() as i32).unwrap();
        let here = regions_are_found_by_address as fn() as usize as u64;
        assert!(map.is_code(here) && !map.is_code(0));
        assert!(map.code_regions().any(|region| region.range.contains(&here)));
    }
}
