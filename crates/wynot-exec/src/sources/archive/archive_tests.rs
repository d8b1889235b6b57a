//! Archives of every kind, made by the usual tools and by hand.

use super::*;
use std::fs;
use std::io::Write;
use std::process::Command;
use tar::{EntryType, Header};
use wynot_subjects::FolderEntry;
use wynot_test_support::{Tool, has, require};

/// Runs a shell script in a new directory.
fn made_by(script: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let done = Command::new("sh").current_dir(dir.path()).args(["-ec", script]).output().unwrap();
    assert!(done.status.success(), "{script}: {done:?}");
    dir
}

/// The entries of a folder, one per line.
fn list(folder: &Folder) -> Vec<String> {
    let line = |(path, entry): (&std::sync::Arc<Path>, &FolderEntry)| match entry {
        FolderEntry::File { contents, mode, .. } => {
            format!("{} {mode:o} {}", path.display(), contents.bytes().escape_ascii())
        }
        FolderEntry::Link(target) => format!("{} -> {}", path.display(), target.display()),
        FolderEntry::Directory { mode } => format!("{}/ {mode:o}", path.display()),
    };
    folder.entries().map(line).collect()
}

/// An entry of a tar archive: kind, name, target, contents.
type TarEntry<'e> = (EntryType, &'e [u8], &'e str, &'e [u8]);

/// A tar archive of some entries.
fn tarred(entries: &[TarEntry<'_>]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (kind, name, target, contents) in entries {
        let mut header = Header::new_gnu();
        // Not `set_path`, which refuses what these tests need.
        header.as_mut_bytes()[..name.len()].copy_from_slice(name);
        header.as_mut_bytes()[157..157 + target.len()].copy_from_slice(target.as_bytes());
        header.set_entry_type(*kind);
        header.set_mode(0o644);
        header.set_size(contents.len() as u64);
        header.set_cksum();
        builder.append(&header, *contents).unwrap();
    }
    builder.into_inner().unwrap()
}

/// The folder of an archive's bytes, or the error in words.
fn unpacked(bytes: &[u8]) -> Result<Folder, String> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("archive");
    fs::write(&path, bytes).unwrap();
    unpack(&path).map_err(|error| error.reason.to_string())
}

const FILE: EntryType = EntryType::Regular;
const LINK: EntryType = EntryType::Symlink;
const HARD: EntryType = EntryType::Link;

/// A tree with an executable, a link, an empty directory and long names, in a directory `lib-1.0`.
const TREE: &str = "umask 022; mkdir -p lib-1.0/src lib-1.0/empty; echo x > lib-1.0/src/a
    printf '#!/bin/sh\\n' > lib-1.0/run; chmod 775 lib-1.0/run; chmod 664 lib-1.0/src/a
    ln -s src/a lib-1.0/link; touch -d @1000000000 lib-1.0/src/a
    long=$(printf '%0200d' 7); mkdir -p lib-1.0/$long; echo long > lib-1.0/$long/$long";

fn expected() -> Vec<String> {
    let long = format!("{:0200}", 7);
    vec![
        format!("{long}/ 755"),
        format!("{long}/{long} 644 long\\n"),
        "empty/ 755".to_owned(),
        "link -> src/a".to_owned(),
        "run 755 #!/bin/sh\\n".to_owned(),
        "src/ 755".to_owned(),
        "src/a 644 x\\n".to_owned(),
    ]
}

#[test]
fn every_format_gives_the_same_folder_whatever_the_name_of_the_archive() {
    require!(Tool::Tar);
    let dir = made_by(&format!("{TREE}\ntar -cf plain lib-1.0"));
    let mut commands = vec!["cp plain packed", "tar -czf packed lib-1.0"];
    for format in ["--format=posix", "--format=gnu"] {
        commands.push(match format {
            "--format=gnu" => "tar --format=gnu -cf packed lib-1.0",
            _ => "tar --format=posix -cf packed lib-1.0",
        });
    }
    commands.push("split -b 5000 plain p.; for p in p.*; do gzip < $p; done > packed");
    if has!(Tool::Bzip2) {
        commands.push("bzip2 < plain > packed");
        commands.push("split -b 5000 plain p.; for p in p.*; do bzip2 < $p; done > packed");
    }
    if has!(Tool::Xz) {
        commands.push("xz < plain > packed");
        commands.push("xz -9e --check=sha256 < plain > packed");
        commands.push("split -b 5000 plain p.; for p in p.*; do xz < $p; done > packed");
        commands.push("xz --format=lzma < plain > packed");
    }
    if has!(Tool::Zstd) {
        commands.push("zstd -q < plain > packed");
        commands.push("zstd -q --ultra -22 --long=27 < plain > packed");
        commands.push("printf 'P*M\\030\\003\\0\\0\\0abc' > packed; zstd -q < plain >> packed");
        commands.push("split -b 5000 plain p.; for p in p.*; do zstd -q < $p; done > packed");
    }
    if has!(Tool::Zip) {
        commands.push("zip -qry packed.zip lib-1.0; mv packed.zip packed");
        commands.push("zip -qry0 packed.zip lib-1.0; mv packed.zip packed");
        commands.push("zip -qry - lib-1.0 > packed");
    }
    for command in commands {
        let run = format!("rm -f packed p.*; {command}");
        let done = Command::new("sh").current_dir(dir.path()).args(["-ec", &run]).status();
        assert!(done.unwrap().success(), "{command}");
        let folder = unpack(&dir.path().join("packed")).unwrap_or_else(|error| {
            panic!("{command}: {error}");
        });
        assert_eq!(list(&folder), expected(), "{command}");
        let Some(FolderEntry::File { modified, .. }) = folder.get(Path::new("src/a")) else {
            panic!("{command}: src/a is no file");
        };
        let seconds = modified.unwrap().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
        assert_eq!(seconds, 1_000_000_000, "{command}");
    }
    let plain = fs::read(dir.path().join("plain")).unwrap();
    let mut lzip = lzma_rust2::LzipWriter::new(Vec::new(), lzma_rust2::LzipOptions::default());
    lzip.write_all(&plain).unwrap();
    assert_eq!(list(&unpacked(&lzip.finish().unwrap()).unwrap()), expected());
}

#[test]
fn sparse_files_have_their_holes_filled() {
    require!(Tool::Tar);
    for format in ["gnu", "posix"] {
        let dir = made_by(&format!(
            "truncate -s 300000 s; for at in 0 100000 200000 299997; do
                 printf abc | dd of=s bs=1 seek=$at conv=notrunc status=none; done
             tar --sparse --format={format} -cf s.tar s; test $(wc -c < s.tar) -lt 200000"
        ));
        let folder = unpack(&dir.path().join("s.tar")).unwrap();
        let Some(FolderEntry::File { contents, .. }) = folder.get(Path::new("s")) else {
            panic!("{format}: s is no file");
        };
        assert!(contents.bytes() == fs::read(dir.path().join("s")).unwrap(), "{format}");
    }
}

#[test]
fn a_single_top_level_directory_is_stripped_and_a_link_to_one_is_not() {
    let file = (FILE, b"lib/src/a".as_slice(), "", b"x".as_slice());
    assert_eq!(list(&unpacked(&tarred(&[file])).unwrap()), ["src/ 755", "src/a 644 x"]);
    let second = (FILE, b"b".as_slice(), "", b"".as_slice());
    assert_eq!(unpacked(&tarred(&[file, second])).unwrap().file_count(), 2);
    let error = unpacked(&tarred(&[(LINK, b"keys", "/etc", b"")])).unwrap_err();
    assert_eq!(error, "keys is a link to /etc, outside of the archive");
}

#[test]
fn what_lies_or_points_outside_is_refused_by_name() {
    let (fifo, device) = (EntryType::Fifo, EntryType::Char);
    let inside = (FILE, b"d/x".as_slice(), "", b"x".as_slice());
    let cases: [(&[TarEntry<'_>], &str); 13] = [
        (&[(FILE, b"/etc/x", "", b"")], "/etc/x lies outside of the archive"),
        (&[(FILE, b"a/../../x", "", b"")], "a/../../x lies outside of the archive"),
        (&[(EntryType::Directory, b"../x", "", b"")], "../x lies outside of the archive"),
        (&[(LINK, b"d/l", "../../x", b""), inside], "d/l is a link to ../../x, outside of"),
        // By itself each of these stays inside, one by way of the other does not.
        (
            &[(LINK, b"p/q", "..", b""), (LINK, b"e", "p/q/../x", b"")],
            "e is a link to p/q/../x, outside of the archive",
        ),
        (&[(HARD, b"h", "/etc/passwd", b"")], "h is another name of /etc/passwd, which is no"),
        (&[(HARD, b"h", "../x", b"")], "h is another name of ../x, which is no file before it"),
        (&[(HARD, b"h", "later", b""), (FILE, b"later", "", b"")], "h is another name of later"),
        (&[(fifo, b"pipe", "", b"")], "pipe is a named pipe"),
        (&[(device, b"zero", "", b"")], "zero is a device"),
        (
            &[(LINK, b"l", "d", b""), (FILE, b"l/x", "", b""), inside],
            "l/x lies below l, which is no directory",
        ),
        (&[inside, (FILE, b"d", "", b"")], "d is a directory and something else"),
        (&[(EntryType::new(b'?'), b"odd", "", b"")], "odd is of the unknown kind '?'"),
    ];
    for (entries, problem) in cases {
        let error = unpacked(&tarred(entries)).unwrap_err();
        assert!(error.starts_with(problem), "{error}");
    }
}

#[test]
fn links_inside_hard_links_duplicates_and_names_that_are_no_text_are_kept() {
    let folder = unpacked(&tarred(&[
        (FILE, b"./top/a", "", b"old"),
        (FILE, b"top/a", "", b"new"),
        (HARD, b"top/same", "./top/a", b""),
        (LINK, b"top/d/up", "../a", b""),
        (LINK, b"top/round", "round", b""),
        (LINK, b"top/nowhere", "d/none", b""),
        (FILE, b"top/\xff\xfe -x", "", b"raw"),
    ]));
    let folder = folder.unwrap();
    let names = ["a 644 new", "d/ 755", "d/up -> ../a", "nowhere -> d/none", "round -> round"];
    assert_eq!(list(&folder)[..5], names);
    assert_eq!(list(&folder)[5], "same 644 new");
    let raw =
        std::os::unix::ffi::OsStrExt::as_bytes(folder.entries().last().unwrap().0.as_os_str());
    assert_eq!(raw, b"\xff\xfe -x");
}

#[test]
fn encrypted_zip_archives_are_refused_by_name_without_a_question() {
    require!(Tool::Zip);
    let dir = made_by("echo x > a; zip -q -e -P secret a.zip a");
    let error = unpack(&dir.path().join("a.zip")).unwrap_err();
    assert_eq!(error.reason.to_string(), "a is encrypted");
}

#[test]
fn links_and_names_of_zip_archives_are_checked_too() {
    let packed = |name: &str, mode: u32, contents: &[u8]| {
        let mut bytes = io::Cursor::new(Vec::new());
        let mut writer = zip::ZipWriter::new(&mut bytes);
        let options = zip::write::SimpleFileOptions::default();
        match mode & 0o170_000 {
            0o120_000 => {
                let target = String::from_utf8_lossy(contents).into_owned();
                writer.add_symlink(name, target, options).unwrap();
            }
            _ => {
                writer.start_file(name, options.unix_permissions(mode)).unwrap();
                writer.write_all(contents).unwrap();
            }
        }
        writer.finish().unwrap();
        bytes.into_inner()
    };
    let link = packed("l", 0o120_777, b"../../home");
    let error = unpacked(&link).unwrap_err();
    assert_eq!(error, "l is a link to ../../home, outside of the archive");
    assert_eq!(list(&unpacked(&packed("l", 0o120_777, b"x")).unwrap()), ["l -> x"]);
    let error = unpacked(&packed("../x", 0o644, b"x")).unwrap_err();
    assert_eq!(error, "../x lies outside of the archive");
    assert_eq!(list(&unpacked(&packed("a", 0o777, b"x")).unwrap()), ["a 755 x"]);
}

#[test]
fn limits_hold_for_bytes_entries_and_holes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("archive");
    let within = |bytes: &[u8], limits: ArchiveLimits| {
        fs::write(&path, bytes).unwrap();
        unpack_within(&path, limits).map_err(|error| error.to_string())
    };
    let ten = [b'x'; 10];
    let entries: Vec<TarEntry<'_>> =
        [b"a", b"b", b"c"].iter().map(|name| (FILE, name.as_slice(), "", ten.as_slice())).collect();
    let archive = tarred(&entries);
    let limits = ArchiveLimits { bytes: 1 << 20, entries: 3 };
    assert_eq!(within(&archive, limits).unwrap().file_count(), 3);
    let error = within(&archive, ArchiveLimits { entries: 2, ..limits }).unwrap_err();
    assert_eq!(error, "it has more than 2 entries");
    let error = within(&archive, ArchiveLimits { bytes: 3000, ..limits }).unwrap_err();
    assert_eq!(error, "it unpacks to more than 3000 bytes");
    let same = [(FILE, b"a".as_slice(), "", [0; 4000].as_slice()), (HARD, b"b", "a", b"")];
    let error = within(&tarred(&same), ArchiveLimits { bytes: 7999, ..limits }).unwrap_err();
    assert_eq!(error, "it unpacks to more than 7999 bytes", "a second name is a second copy");

    let mut bomb = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    bomb.write_all(&tarred(&[(FILE, b"zeros", "", &vec![0; 3 << 20])])).unwrap();
    let bomb = bomb.finish().unwrap();
    assert!(bomb.len() < 100_000);
    let error = within(&bomb, limits).unwrap_err();
    assert_eq!(error, "it unpacks to more than 1048576 bytes");
    if has!(Tool::Tar) {
        for format in ["gnu", "posix"] {
            let made =
                made_by(&format!("truncate -s 900G s; tar --sparse --format={format} -cf s.tar s"));
            let error = unpack(&made.path().join("s.tar")).unwrap_err();
            assert_eq!(error.reason.to_string(), "it unpacks to more than 4294967296 bytes");
        }
    }
}

#[test]
fn no_truncated_or_damaged_archive_is_taken_for_a_whole_one() {
    let contents: Vec<u8> = (0..2000_u32).flat_map(|n| n.to_le_bytes()).collect();
    let plain = tarred(&[(FILE, b"d/a", "", &contents), (FILE, b"d/b", "", b"end")]);
    let whole = unpacked(&plain).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gzip.write_all(&plain).unwrap();
    let gzip = gzip.finish().unwrap();
    // The last block is a second end mark, without which every reader is content.
    for end in (0..plain.len() - 1024).step_by(97).chain([plain.len() - 1024]) {
        let error = unpacked(&plain[..end]).unwrap_err();
        assert!(error.contains("damaged") || error.contains("neither"), "{end}: {error}");
    }
    for end in (0..gzip.len()).step_by(61).chain([gzip.len() - 8, gzip.len() - 1]) {
        let error = unpacked(&gzip[..end]).unwrap_err();
        assert!(error.contains("damaged") || error.contains("neither"), "{end}: {error}");
    }
    for at in (10..gzip.len()).step_by(7) {
        let mut damaged = gzip.clone();
        damaged[at] ^= 4;
        let read = unpacked(&damaged);
        assert!(read.is_err() || read.as_ref() == Ok(&whole), "bit 2 of byte {at}");
    }
    let error = unpacked(b"some text").unwrap_err();
    assert!(error.starts_with("it is neither a tar archive"), "{error}");
    if has!(Tool::Tar, Tool::Zstd, Tool::Zip, Tool::Xz, Tool::Bzip2) {
        let dir = made_by(
            "seq 3000 > a; tar -cf a.tar a; zip -q a.zip a
             xz -k a.tar; bzip2 -k a.tar; zstd -q a.tar; xz -k --format=lzma a.tar",
        );
        let read = |name: &str| fs::read(dir.path().join(name)).unwrap();
        let whole = unpacked(&read("a.tar")).unwrap();
        for name in ["a.zip", "a.tar.xz", "a.tar.bz2", "a.tar.zst"] {
            let bytes = read(name);
            for at in (20..bytes.len()).step_by(bytes.len() / 150) {
                let mut damaged = bytes.clone();
                damaged[at] ^= 16;
                let read = unpacked(&damaged);
                assert!(read.is_err() || read.as_ref() == Ok(&whole), "{name}: byte {at}");
                assert!(unpacked(&bytes[..at]).is_err(), "{name} cut at {at}");
            }
        }
        let lzma = read("a.tar.lzma");
        assert!((20..lzma.len() - 20).step_by(99).all(|end| unpacked(&lzma[..end]).is_err()));
    }
}
